//! The second wall around a job: landlock. Should a job get past the namespaces' view of the files,
//! the kernel still refuses it.
//!
//! Everything in a room may be read, nothing but the scratch space and three devices may be
//! written;
//! no address may be bound or reached, no signal leaves the job, and no abstract socket outside of
//! it is found.

use std::os::fd::OwnedFd;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd,
    Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, Scope,
};

use crate::domain::Fault;
use crate::sandbox::sys;

/// The newest version whose every restriction is known to let ordinary programs work. Older kernels
/// enforce what they know of it.
const NEWEST: ABI = ABI::V6;
/// Its number.
const NEWEST_NUMBER: u32 = 6;
/// Devices that may be written.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full"];

/// The version that jobs are held to, or none where the kernel has no landlock.
pub fn version() -> Option<u32> {
    sys::landlock_version().map(|version| version.min(NEWEST_NUMBER))
}

/// The rules for jobs that may write to these folders as they are mounted now; none where the
/// kernel has no landlock.
pub fn rules<'a>(scratch: impl Iterator<Item = &'a str>) -> Result<Option<OwnedFd>, Fault> {
    let made = make().map_err(|error| Fault::new("make landlock rules", error))?;
    let writable = AccessFs::from_all(NEWEST) & !(AccessFs::MakeChar | AccessFs::MakeBlock);
    let device = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate;
    let scratch = scratch.map(|target| (target, writable));
    let devices = DEVICES.iter().map(|path| (*path, device));
    let everything = ("/", AccessFs::from_read(NEWEST));
    let rules = [everything]
        .into_iter()
        .chain(scratch)
        .chain(devices)
        .try_fold(made, |rules, (path, access)| allow(rules, path, access))?;
    Ok(rules.into())
}

fn make() -> Result<RulesetCreated, RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()
}

fn allow(
    rules: RulesetCreated,
    path: &str,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, Fault> {
    let step = |error: String| Fault::new(format!("allow {path} with landlock"), error);
    let opened = PathFd::new(path).map_err(|error| step(error.to_string()))?;
    rules
        .add_rule(PathBeneath::new(opened, access))
        .map_err(|error| step(error.to_string()))
}

#[cfg(test)]
mod tests;
