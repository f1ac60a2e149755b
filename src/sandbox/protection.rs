//! The protections of the sandbox, how well each holds on a machine, and whether that is enough by
//! the configuration: if not, a refusal that explains itself. Pure.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{Digest, words};
use crate::util::hash::Key;

/// Changes when what the sandbox does changes in a way that can change what is measured.
const POLICY_VERSION: u64 = 5;

/// Files, processes and messages of the machine are out of reach: without it there is no sandbox.
pub const ISOLATION: &str = "isolation";
/// Jobs are a user of their own without capabilities.
pub const IDENTITY: &str = "identity";
/// Jobs reach no network.
pub const NETWORK: &str = "network";
/// The seccomp filter.
pub const SYSTEM_CALLS: &str = "system-calls";
/// The second wall.
pub const LANDLOCK: &str = "landlock";
/// The kernel holds a job to its memory cap and counts what it uses.
pub const MEMORY: &str = "memory";
/// The kernel bounds a job's processes.
pub const PROCESSES: &str = "processes";
/// The kernel counts a job's CPU time.
pub const CPU: &str = "cpu";

/// Those that `sandbox.allow_missing` in config.toml may name: all but [`ISOLATION`].
pub const ALLOWED_MISSING: [&str; 7] = [
    IDENTITY,
    NETWORK,
    SYSTEM_CALLS,
    LANDLOCK,
    MEMORY,
    PROCESSES,
    CPU,
];

words! {
    /// How well a protection holds.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum Hold by word {
        /// As it should be.
        On = "on",
        /// In a weaker form.
        Weak = "weak",
        /// Not at all.
        Missing = "missing",
    }
}

/// One protection, for `doctor` and for every report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Protection {
    /// Its stable name, the one that `sandbox.allow_missing` in config.toml uses: `network`,
    /// `memory`.
    pub name: Cow<'static, str>,
    /// How well it holds.
    pub hold: Hold,
    /// By which means, or why not.
    pub how: String,
    /// What would fix it, where it is not on: a command or a setting.
    #[serde(skip)]
    pub fix: Option<String>,
}

impl Protection {
    /// One that holds by these means.
    pub fn on(name: &'static str, how: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            hold: Hold::On,
            how: how.into(),
            fix: None,
        }
    }

    /// What of it counts where machines are compared: the reason why it does not hold changes
    /// nothing that is measured.
    pub fn compared(&self) -> String {
        let how = match self.hold {
            Hold::On => self.how.as_str(),
            Hold::Weak => "in a weaker form",
            Hold::Missing => "off",
        };
        format!("{}: {how}", self.name)
    }

    /// One that does not hold as it should: why not, and what would fix it.
    pub fn not_on(hold: Hold, name: &'static str, how: String, fix: &str) -> Self {
        Self {
            name: name.into(),
            hold,
            how,
            fix: Some(fix.to_owned()),
        }
    }
}

/// Why the sandbox does not open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The protections that are not on and not allowed to be.
    pub missing: Vec<Protection>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "this machine cannot run untrusted programs safely as things are:"
        )?;
        for protection in &self.missing {
            let word = protection.hold.word();
            writeln!(f, "  {} is {word}: {}", protection.name, protection.how)?;
            if let Some(fix) = &protection.fix {
                writeln!(f, "    to fix it: {fix}")?;
            }
        }
        let names = self.missing.iter().map(|protection| &*protection.name);
        let (never, may): (Vec<_>, Vec<_>) =
            names.partition(|name| !ALLOWED_MISSING.contains(name));
        if !may.is_empty() {
            let list: Vec<String> = may.iter().map(|name| format!("\"{name}\"")).collect();
            writeln!(f, "to run without, write in config.toml:")?;
            writeln!(f, "  [sandbox]")?;
            writeln!(f, "  allow_missing = [{}]", list.join(", "))?;
        }
        if !never.is_empty() {
            writeln!(f, "without {} there is no sandbox", never.join(", "))?;
        }
        Ok(())
    }
}

impl std::error::Error for Refusal {}

/// Refuses unless every protection is on or allowed to be missing.
pub fn decide(found: &[Protection], allow_missing: &BTreeSet<String>) -> Result<(), Refusal> {
    let missing: Vec<Protection> = found
        .iter()
        .filter(|protection| protection.hold != Hold::On)
        .filter(|protection| {
            !ALLOWED_MISSING.contains(&&*protection.name)
                || !allow_missing.contains(&*protection.name)
        })
        .cloned()
        .collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(Refusal { missing })
    }
}

/// A digest of what is enforced.
pub fn policy_digest(found: &[Protection]) -> Digest {
    let begin = Key::new("sandbox policy").part(&POLICY_VERSION.to_le_bytes());
    let key = found.iter().fold(begin, |key, protection| {
        let how = match protection.hold {
            Hold::On => protection.how.as_str(),
            // The reason why it does not hold changes nothing that is measured.
            Hold::Weak | Hold::Missing => "",
        };
        let key = key.part(protection.name.as_bytes());
        let key = key.part(protection.hold.word().as_bytes());
        key.part(how.as_bytes())
    });
    key.finish()
}

#[cfg(test)]
mod tests {
    use super::{decide, policy_digest};
    use crate::sandbox::{Hold, Protection};

    fn protection(name: &'static str, hold: Hold) -> Protection {
        Protection {
            name: name.into(),
            hold,
            how: "because".into(),
            fix: Some("fix it so".into()),
        }
    }

    #[test]
    fn fails_closed_and_explains_itself() {
        let found = [
            protection("isolation", Hold::On),
            protection("memory", Hold::Missing),
            protection("cpu", Hold::Weak),
        ];
        let refusal = decide(&found, &["cpu".to_owned()].into()).unwrap_err();
        let text = refusal.to_string();
        assert!(text.contains("memory is missing: because"), "{text}");
        assert!(text.contains("to fix it: fix it so"), "{text}");
        assert!(text.contains("allow_missing = [\"memory\"]"), "{text}");
        assert!(!text.contains("cpu"), "{text}");
        assert!(decide(&found, &["cpu".to_owned(), "memory".to_owned()].into()).is_ok());
    }

    #[test]
    fn isolation_cannot_be_waived() {
        let found = [protection("isolation", Hold::Missing)];
        let refusal = decide(&found, &["isolation".to_owned()].into()).unwrap_err();
        assert!(refusal.to_string().contains("there is no sandbox"));
        assert!(!refusal.to_string().contains("allow_missing"));
    }

    #[test]
    fn the_digest_follows_what_is_enforced() {
        let on = [protection("memory", Hold::On)];
        let off = [protection("memory", Hold::Missing)];
        assert_ne!(policy_digest(&on), policy_digest(&off));
        assert_eq!(policy_digest(&on), policy_digest(&on.clone()));
    }
}
