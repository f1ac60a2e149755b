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

/// The second wall alone: no namespace, no filter, the capabilities that the test has. A thread is
/// held to the rules and tries.
#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::io;
    use std::net::{TcpListener, TcpStream};
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
    use std::path::Path;
    use std::process::{Child, Command, Stdio};

    use rustix::process::{Pid, Signal, kill_process};

    use super::{rules, sys, version};
    use crate::util::tests::skips::skipped;

    type Tried = Vec<(&'static str, io::Result<()>)>;

    /// Does this on a thread that is held to the rules; nobody else is.
    fn held<T: Send>(scratch: &Path, work: impl FnOnce() -> T + Send) -> T {
        let scratch = scratch.to_str().unwrap();
        let rules = rules([scratch].into_iter()).unwrap().unwrap();
        std::thread::scope(|scope| {
            let held = scope.spawn(|| {
                rustix::thread::set_no_new_privs(true).unwrap();
                sys::restrict_to(std::os::fd::AsFd::as_fd(&rules)).unwrap();
                work()
            });
            held.join().unwrap()
        })
    }

    /// Each way to change something in a folder that has a file `old` in it.
    fn changes(folder: &Path) -> Tried {
        let at = |name: &str| folder.join(name);
        let append = || File::options().append(true).open(at("old")).map(drop);
        let remove = || fs::remove_file(at("other")).or_else(|_| fs::remove_file(at("old")));
        vec![
            ("make", File::create_new(at("new")).map(drop)),
            ("append", append()),
            ("truncate", File::create(at("old")).map(drop)),
            ("make a folder", fs::create_dir(at("folder"))),
            ("link", std::os::unix::fs::symlink("old", at("link"))),
            ("rename", fs::rename(at("old"), at("other"))),
            ("remove", remove()),
        ]
    }

    /// Ended when the test is, however that is.
    struct Sleeper(Child);

    impl Drop for Sleeper {
        fn drop(&mut self) {
            self.0.kill().unwrap();
            self.0.wait().unwrap();
        }
    }

    fn assert_refused(tried: Tried) {
        for (what, result) in tried {
            let error = result.expect_err(what);
            assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{what}");
        }
    }

    fn assert_done(tried: Tried) {
        for (what, result) in tried {
            result.unwrap_or_else(|error| panic!("{what}: {error}"));
        }
    }

    #[test]
    fn alone_it_lets_a_job_write_to_its_scratch_space_and_nowhere_else() {
        if version().is_none() {
            skipped("the kernel has no landlock: it was not tried alone");
            return;
        }
        let [outside, scratch] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        for folder in [&outside, &scratch] {
            fs::write(folder.path().join("old"), "kept").unwrap();
        }
        let (read, tried, own) = held(scratch.path(), || {
            let read = fs::read(outside.path().join("old"));
            (read, changes(outside.path()), changes(scratch.path()))
        });
        // In a room everything may be read: what may not be seen is not there.
        assert_eq!(read.unwrap(), b"kept");
        assert_refused(tried);
        assert_eq!(fs::read(outside.path().join("old")).unwrap(), b"kept");
        assert_done(own);
        // The one who is not held can, so it was the rules that refused.
        assert_done(changes(outside.path()));
    }

    #[test]
    fn alone_it_keeps_a_job_from_addresses_signals_and_abstract_sockets() {
        if version().is_none_or(|version| version < 6) {
            skipped("landlock is older than version 6: signals and sockets were not tried alone");
            return;
        }
        let scratch = tempfile::tempdir().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let to = listener.local_addr().unwrap();
        let name = format!("verdictd-test-{}", std::process::id());
        let name = SocketAddr::from_abstract_name(name).unwrap();
        let _abstract = UnixListener::bind_addr(&name).unwrap();
        let mut sleep = Command::new("sleep");
        let sleeper = Sleeper(sleep.arg("600").stdin(Stdio::null()).spawn().unwrap());
        let other = Pid::from_child(&sleeper.0);
        let signal = || kill_process(other, Signal::CONT).map_err(io::Error::from);
        let tried = || -> Tried {
            vec![
                ("bind", TcpListener::bind("127.0.0.1:0").map(drop)),
                ("connect", TcpStream::connect(to).map(drop)),
                ("signal", signal()),
                ("abstract socket", UnixStream::connect_addr(&name).map(drop)),
            ]
        };
        assert_refused(held(scratch.path(), tried));
        assert_done(tried());
    }
}
