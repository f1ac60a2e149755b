//! One core kept busy by other work, and commands pinned to it. The other cores are left to the
//! other tests.

use std::process::{Child, Command, Stdio};

use crate::sandbox::hostile;

/// Processes that compute on the core: enough that nothing else gets half of it.
const OTHERS: usize = 4;

/// Other work on one core; ends when it is dropped.
pub struct Busy(Vec<Child>);

impl Busy {
    /// Makes the core of [`pinned`] busy.
    pub fn core() -> Self {
        let start = |_| {
            // Each in a session of its own: the kernel shares a core between sessions, not between
            // processes.
            let mut command = Command::new("setsid");
            pinned(command.arg(hostile()).arg("busy")).spawn().unwrap()
        };
        Self((0..OTHERS).map(start).collect())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        for child in &mut self.0 {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}

/// The same program and arguments, in the same folder, with one core only.
pub fn pinned(command: &Command) -> Command {
    let mut pinned = Command::new("taskset");
    pinned
        .args(["-c", &first_core()])
        .arg(command.get_program());
    pinned
        .args(command.get_args())
        .env_remove("RUST_LOG")
        .stdin(Stdio::null());
    if let Some(folder) = command.get_current_dir() {
        pinned.current_dir(folder);
    }
    pinned
}

/// The first core that this process may use.
fn first_core() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let mut lines = status.lines();
    let list = lines.find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let first = list.unwrap().trim().split([',', '-']).next();
    first.unwrap().to_owned()
}
