//! The daemon as a bench drives it: the real binary, and what it says of its own work.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long a bench waits for the next thing that it expects.
const PATIENCE: Duration = Duration::from_mins(5);

/// A running daemon; killed when it is dropped.
pub struct Daemon {
    /// Its process.
    pub child: Child,
    lines: Receiver<(Instant, String)>,
}

impl Daemon {
    /// Starts the daemon of a folder with a config.toml.
    pub fn start(folder: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_verdictd"))
            .arg("--config")
            .arg(folder.join("config.toml"))
            .arg("serve")
            .env("RUST_LOG", "verdictd::daemon=info")
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the daemon starts");
        let said = BufReader::new(child.stderr.take().expect("its standard error"));
        let (sender, lines) = channel();
        // Every line with the moment at which it came.
        std::thread::spawn(move || {
            for line in said.lines().map_while(Result::ok) {
                if sender.send((Instant::now(), line)).is_err() {
                    return;
                }
            }
        });
        Self { child, lines }
    }

    /// The next line that it says, and when it came.
    pub fn next_line(&self) -> (Instant, String) {
        let next = self.lines.recv_timeout(PATIENCE);
        next.unwrap_or_else(|error| match error {
            RecvTimeoutError::Timeout => panic!("the daemon has fallen silent"),
            RecvTimeoutError::Disconnected => panic!("the daemon has ended"),
        })
    }

    /// Waits until it is ready: when it was, and how many programs it runs at a time.
    pub fn ready(&self) -> (Instant, usize) {
        loop {
            let (at, line) = self.next_line();
            if let Some(rest) = line.strip_prefix("ready: ") {
                let workers = rest.split(' ').next().and_then(|word| word.parse().ok());
                return (at, workers.expect("a number of programs"));
            }
        }
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // Where it has ended by itself, there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The number of a field in a line of the log: of `runs` in `judged.runs=1`.
pub fn field(line: &str, name: &str) -> Option<u64> {
    line.split([' ', '.'])
        .find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
        .and_then(|value| value.parse().ok())
}

/// A configuration that offers only C, so that the daemon starts quickly.
pub fn only_c() -> String {
    let table = include_str!("../../src/toolchain/languages.toml");
    let others = table
        .lines()
        .filter(|line| line.starts_with("[languages.") && *line != "[languages.c]");
    others.fold(String::new(), |all, line| all + line + "\noffer = false\n")
}

/// A count as a figure.
pub fn figure(count: u64) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
