//! A folder of its own for a test: config.toml, problems, submissions, and the real binary to drive.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write as _};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use serde_json::Value;

/// How long a test waits for a state before it fails.
pub const PATIENCE: Duration = Duration::from_mins(2);

/// Daemons of many tests run at once: each has its dashboard only where the test is about it.
const NO_DASHBOARD: &str = "[web]\nenabled = false\n";

/// How often something is repeated: quickly in every run, and many times where `make soak` asks for it.
pub fn rounds(quick: usize, soak: usize) -> usize {
    if is_soak() { soak } else { quick }
}

/// Whether this run may take hours: `make soak`.
pub fn is_soak() -> bool {
    std::env::var_os("SOAK").is_some_and(|value| value == "1")
}

/// How long a command or the start of a daemon may take before its test ends with what hung.
const HANGS: Duration = Duration::from_mins(8);

/// Ends a process that has not been released in time, so that a hang has a name and an end.
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
                // It may have ended at this very moment.
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        });
        Self(release)
    }
}

/// Runs a command to its end, and kills it where it hangs.
pub fn output(command: &mut Command) -> Output {
    let what = format!("{command:?}");
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _watchdog = Watchdog::of(&child, what);
    child.wait_with_output().unwrap()
}

/// The built binary.
pub fn binary() -> &'static str {
    env!("CARGO_BIN_EXE_verdictd")
}

/// The repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder with a configuration, empty submissions and its own problems.
pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    /// A place with one tiny problem, `sum`, and languages that are quick to try.
    pub fn new() -> Self {
        let place = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        place.write("config.toml", NO_DASHBOARD);
        fs::create_dir(place.path("submissions")).unwrap();
        place.sum_problem();
        place
    }

    /// Switches off every language but these, so that a daemon starts quickly.
    pub fn only(self, languages: &[&str]) -> Self {
        let all = [
            "c",
            "cpp",
            "python3",
            "java",
            "javascript",
            "rust",
            "pascal",
            "pypy",
            "go",
            "kotlin",
            "csharp",
            "ruby",
            "haskell",
            "ocaml",
            "lua",
            "perl",
        ];
        let tables = all
            .iter()
            .filter(|key| !languages.contains(key))
            .fold(NO_DASHBOARD.to_owned(), |tables, key| {
                tables + "[languages." + key + "]\noffer = false\n"
            });
        self.write("config.toml", &tables);
        self
    }

    /// Has a dashboard at free ports, with these settings beside.
    pub fn with_dashboard(self, settings: &str) -> Self {
        let ports = "[web]\nstudents = \"127.0.0.1:0\"\nstaff = \"127.0.0.1:0\"\n";
        let text = self.read("config.toml");
        let table = format!("{ports}{settings}\n");
        self.write("config.toml", text.replace(NO_DASHBOARD, &table));
        self
    }

    /// Names people: lines of `student,last_name,first_name`.
    pub fn with_roster(self, people: &str) -> Self {
        let config = self.read("config.toml");
        let table = format!("{config}\n[overview]\nroster = \"roster.csv\"\n");
        self.write("config.toml", table);
        let roster = format!("student,last_name,first_name\n{people}");
        self.write("roster.csv", roster);
        self
    }

    /// Copies a problem of this repository.
    pub fn with_problem(self, slug: &str) -> Self {
        copy_tree(
            &root().join("problems").join(slug),
            &self.path("problems").join(slug),
        );
        self
    }

    /// Copies a problem of the tests' own.
    pub fn with_fixture(self, slug: &str) -> Self {
        copy_tree(
            &root().join("tests/fixtures").join(slug),
            &self.path("problems").join(slug),
        );
        self
    }

    fn sum_problem(&self) {
        self.write(
            "problems/sum/problem.toml",
            "title = \"Sum\"\n[limits]\ncpu_s = 1.0\nmemory_mib = 64\n[compare]\nmode = \"lines\"\n",
        );
        for (name, input, answer) in [
            ("sample/1", "1 2\n", "3\n"),
            ("secret/1", "10 -4\n", "6\n"),
            ("secret/2", "1000000000 2000000000\n", "3000000000\n"),
        ] {
            self.write(&format!("problems/sum/data/{name}.in"), input);
            self.write(&format!("problems/sum/data/{name}.ans"), answer);
        }
    }

    /// A path below the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file, with its folders.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Reads a file.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The binary with this place's configuration.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command
            .arg("--config")
            .arg(self.path("config.toml"))
            .args(arguments)
            .current_dir(self.folder.path())
            .env_remove("RUST_LOG")
            .stdin(Stdio::null());
        command
    }

    /// Runs the binary to its end.
    pub fn run(&self, arguments: &[&str]) -> Output {
        output(&mut self.command(arguments))
    }

    /// Judges what is there and leaves; the verdicts by `student/problem/attempt`.
    pub fn serve_once(&self) -> BTreeMap<String, String> {
        let output = self.run(&["serve", "--once", "--json"]);
        assert!(
            output.status.code().is_some_and(|code| code <= 1),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        self.verdicts()
    }

    /// The verdicts in verdicts.jsonl, the last one of each attempt.
    pub fn verdicts(&self) -> BTreeMap<String, String> {
        let Ok(log) = fs::read_to_string(self.path("staff/verdicts.jsonl")) else {
            return BTreeMap::new();
        };
        log.lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .filter(|line| line["verdict"].is_string())
            .map(|line| {
                let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
                (
                    format!(
                        "{}/{}/{}",
                        text("student"),
                        text("problem"),
                        line["attempt"]
                    ),
                    text("verdict"),
                )
            })
            .collect()
    }

    /// Starts the daemon in the background.
    pub fn daemon(&self) -> Daemon {
        Self::started(self.command(&["serve"]))
    }

    /// The same as a terminal does it: the daemon leads a group of processes.
    pub fn daemon_in_its_own_group(&self) -> Daemon {
        let mut command = self.command(&["serve"]);
        command.process_group(0);
        Self::started(command)
    }

    /// Starts this daemon and waits until it is ready.
    pub fn started(mut command: Command) -> Daemon {
        let what = format!("{command:?}");
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let _watchdog = Watchdog::of(&child, what);
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut said = Vec::new();
        for line in lines.by_ref() {
            let line = line.unwrap();
            let ready = line.starts_with("ready:");
            said.push(line);
            if ready {
                break;
            }
        }
        assert!(
            said.last().is_some_and(|line| line.starts_with("ready:")),
            "the daemon did not start: {said:?}"
        );
        // The rest is read, so that the daemon never waits for a full pipe.
        let rest = std::thread::spawn(move || lines.map_while(Result::ok).collect());
        let output = BufReader::new(child.stdout.take().unwrap());
        let verdicts = std::thread::spawn(move || output.lines().map_while(Result::ok).collect());
        Daemon {
            child,
            before: said,
            said: Some(rest),
            lines: Some(verdicts),
        }
    }

    /// Waits until the verdict of `student/problem/attempt` is there.
    pub fn wait_for(&self, attempt: &str) -> String {
        let mut verdict = None;
        wait_until(&format!("the verdict of {attempt}"), || {
            verdict = self.verdicts().get(attempt).cloned();
            verdict.is_some()
        });
        verdict.unwrap_or_default()
    }
}

/// A daemon in the background; killed when it is dropped.
pub struct Daemon {
    child: Child,
    /// What it said until it was ready.
    pub before: Vec<String>,
    said: Option<std::thread::JoinHandle<Vec<String>>>,
    lines: Option<std::thread::JoinHandle<Vec<String>>>,
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
    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal by its name.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args(["-s", name, &self.pid().to_string()])
            .status()
            .unwrap();
        assert!(sent.success());
    }

    /// Sends a signal to its whole group.
    pub fn signal_group(&self, name: &str) {
        let sent = Command::new("kill")
            .args(["-s", name, "--", &format!("-{}", self.pid())])
            .status()
            .unwrap();
        assert!(sent.success());
    }

    /// Waits for its end.
    pub fn ended(mut self) -> Ended {
        wait_until("the daemon's end", || {
            self.child.try_wait().unwrap().is_some()
        });
        let code = self.child.wait().unwrap().code();
        Ended {
            code,
            lines: self.lines.take().unwrap().join().unwrap(),
            said: self.said.take().unwrap().join().unwrap(),
        }
    }

    /// Ends it in the ordinary way.
    pub fn stop(self) -> Ended {
        self.signal("TERM");
        self.ended()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            self.child.kill().unwrap();
            self.child.wait().unwrap();
        }
    }
}

/// Waits for a state, with a bound.
pub fn wait_until(what: &str, holds: impl FnMut() -> bool) {
    assert!(comes_true(PATIENCE, holds), "waited in vain for {what}");
}

/// Waits for a state; whether it came within this time.
pub fn comes_true(within: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while !holds() {
        if start.elapsed() >= within {
            return false;
        }
        // Yields the core that the daemon needs; the state is what ends the wait, not this pause.
        std::thread::park_timeout(Duration::from_millis(10));
    }
    true
}

fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_tree(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
