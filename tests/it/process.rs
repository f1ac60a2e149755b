//! Processes that a test starts: none can hang for ever, and their output is always read.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::place::wait_until;

/// How long a command or the start of a daemon may take before its test fails and names it.
const HANGS: Duration = Duration::from_mins(8);

/// Kills a process that is not released in time, so that a hang is named and ends.
#[expect(dead_code, reason = "dropping the sender is what releases the process")]
pub struct Watchdog(std::sync::mpsc::Sender<()>);

impl Watchdog {
    /// Watches a process.
    pub fn of(child: &Child, what: String) -> Self {
        let (release, released) = std::sync::mpsc::channel();
        let pid = rustix::process::Pid::from_child(child);
        std::thread::spawn(move || {
            if released.recv_timeout(HANGS) == Err(RecvTimeoutError::Timeout) {
                let _ = writeln!(std::io::stderr(), "hangs, and is killed: {what}");
                // It may just have ended.
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        });
        Self(release)
    }
}

/// Copies a program that is started at once. By another process: while this one has the copy open for
/// writing, a child that some other test makes has it open too, and nobody can start it.
pub fn copy_program(from: impl AsRef<OsStr>, to: &Path) {
    let copied = Command::new("cp").arg(from).arg(to).status();
    assert!(copied.unwrap().success(), "{}", to.display());
}

/// Where a program is, if it is installed. An ordinary user's PATH may lack folders of services.
pub fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let more = ["/usr/bin", "/usr/sbin", "/usr/local/bin"].map(PathBuf::from);
    let folders = std::env::split_paths(&path).chain(more);
    let mut programs = folders.map(|folder| folder.join(name));
    programs.find(|program| program.is_file())
}

/// Runs a command to its end, and kills it if it hangs.
pub fn output(command: &mut Command) -> Output {
    let (child, _watchdog) = piped(command);
    child.wait_with_output().unwrap()
}

/// Starts a command whose outputs are read.
fn piped(command: &mut Command) -> (Child, Watchdog) {
    let what = format!("{command:?}");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let watchdog = Watchdog::of(&child, what);
    (child, watchdog)
}

/// The children of a process.
pub fn children(pid: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task"));
    let tasks = tasks.into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    let pids: String = lists.collect();
    let pids = pids.split_whitespace();
    pids.map(|pid| pid.parse().unwrap()).collect()
}

/// Its children, their children, and so on.
pub fn descendants(pid: u32) -> Vec<u32> {
    let mut found = children(pid);
    let below: Vec<u32> = found.iter().flat_map(|&child| descendants(child)).collect();
    found.extend(below);
    found
}

/// A daemon in the background; killed when it is dropped.
pub struct Daemon {
    child: Child,
    /// Its output until it was ready.
    pub before: Vec<String>,
    said: Lines,
    lines: Lines,
}

/// Reads a pipe all the time, so that the writer never waits for a full one.
pub struct Lines {
    so_far: Arc<Mutex<Vec<String>>>,
    reader: Option<JoinHandle<()>>,
}

impl Lines {
    pub fn of(mut lines: impl Iterator<Item = std::io::Result<String>> + Send + 'static) -> Self {
        let so_far = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&so_far);
        let reader = std::thread::spawn(move || {
            while let Some(Ok(line)) = lines.next() {
                kept.lock().unwrap().push(line);
            }
        });
        Self {
            so_far,
            reader: Some(reader),
        }
    }

    pub fn so_far(&self) -> Vec<String> {
        self.so_far.lock().unwrap().clone()
    }

    /// All lines, once the other end is closed.
    fn all(&mut self) -> Vec<String> {
        if let Some(reader) = self.reader.take() {
            reader.join().unwrap();
        }
        self.so_far()
    }
}

/// How a daemon ended.
pub struct Ended {
    /// Its exit code.
    pub code: Option<i32>,
    /// Its standard output.
    pub lines: Vec<String>,
    /// Its standard error after it was ready.
    pub said: Vec<String>,
}

impl Daemon {
    /// Starts one and waits until it is ready.
    pub fn start(mut command: Command) -> Self {
        let (mut child, _watchdog) = piped(&mut command);
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut before = Vec::new();
        for line in lines.by_ref() {
            let line = line.unwrap();
            let ready = line.starts_with("ready:");
            before.push(line);
            if ready {
                break;
            }
        }
        let holds = before.last().is_some_and(|line| line.starts_with("ready:"));
        assert!(holds, "the daemon did not start: {before:?}");
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        Self {
            child,
            before,
            said: Lines::of(lines),
            lines: Lines::of(output),
        }
    }

    /// Its standard error since it was ready.
    pub fn said(&self) -> Vec<String> {
        self.said.so_far()
    }

    /// Waits until it has said this.
    pub fn wait_to_say(&self, words: &str) {
        wait_until(words, || self.said().join("\n").contains(words));
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal by its name.
    pub fn signal(&self, name: &str) {
        send(name, &self.pid().to_string());
    }

    /// Sends a signal to its whole group.
    pub fn signal_group(&self, name: &str) {
        send(name, &format!("-{}", self.pid()));
    }

    pub fn ended(mut self) -> Ended {
        let has_ended = || self.child.try_wait().unwrap().is_some();
        wait_until("the daemon's end", has_ended);
        let code = self.child.wait().unwrap().code();
        Ended {
            code,
            lines: self.lines.all(),
            said: self.said.all(),
        }
    }

    /// Stops it with SIGTERM.
    pub fn stop(self) -> Ended {
        self.signal("TERM");
        self.ended()
    }
}

/// Sends a signal to a process or a group.
pub fn send(name: &str, whom: &str) {
    let mut kill = Command::new("kill");
    let sent = kill.args(["-s", name, "--", whom]).status().unwrap();
    assert!(sent.success());
}

impl Drop for Daemon {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            self.child.kill().unwrap();
            self.child.wait().unwrap();
        }
    }
}
