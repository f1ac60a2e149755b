//! Runs untrusted programs, the compilers included, and says what they used. It knows no problem,
//! no test and no verdict.
//!
//! A [`Runner`] belongs to one worker thread.
//! It *enters* a [`Room`] (what one submission or one compilation may see) and then runs [`Job`]s
//! in it, one after the other; nothing of a job is left for the next.
//! What could not be set up is a [`Fault`](crate::domain::Fault) with the step's name, never an
//! outcome.
//!
//! `host/` runs in the daemon's own process, `room/` in processes beyond the fork; what both use
//! lies here.

mod channel;
mod files;
mod host;
mod job;
mod procfs;
mod protection;
mod room;
mod sys;
#[cfg(test)]
mod tests;
mod wire;

use std::process::ExitCode;

pub use self::files::{seen_by_all, system_folder};
pub use self::host::{Sandbox, SandboxRunner, descriptors_needed, examine, retry_shortage};
pub use self::job::{
    APP_FOLDER, AppFile, Cancel, Collect, Conversed, Job, Outcome, Room, Runner, WORK_FOLDER,
};
pub use self::protection::{ALLOWED_MISSING, Hold, Protection, Refusal};
#[cfg(test)]
pub use self::tests::scripted;

/// Runs as a part of the sandbox where this process was started as one; to be called first thing in
/// `main`, before any thread exists.
pub fn reenter() -> Option<ExitCode> {
    match std::env::args_os().nth(1)?.to_str()? {
        wire::ZYGOTE_ARGUMENT => Some(room::main()),
        _ => None,
    }
}
