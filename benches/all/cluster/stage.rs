//! A course, and real workers for it, each a process with one place.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::server::Server;
use crate::common::{Daemon, write};

/// How long a worker may take to look at its languages and to be heard.
const PATIENCE: Duration = Duration::from_mins(5);

/// Who measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measures {
    /// The daemon's own places.
    Daemon,
    /// Workers beside it.
    Workers,
}

/// Adds who measures to a configuration.
pub fn cluster(languages: &str, url: &str) -> String {
    // All machines are this one; how fast it is depends on what else it does.
    format!(
        "{languages}[judge]\nworkers = \"none\"\n[cluster]\nnats = \"{url}\"\nname = \"bench\"\n\
         tolerance_percent = 1000\n"
    )
}

/// The configuration of the daemon's own two places.
pub fn own(languages: &str, places: usize) -> String {
    format!("{languages}[judge]\nworkers = {places}\n")
}

/// A worker; killed when it is dropped.
pub struct Worker {
    child: Child,
    said: Receiver<String>,
    _home: tempfile::TempDir,
}

impl Worker {
    /// Starts one with these languages.
    pub fn start(url: &str, name: &str, languages: &str) -> Self {
        let home = tempfile::tempdir().expect("a scratch folder");
        write(&home.path().join("config.toml"), languages);
        let cache: PathBuf = home.path().join("cache");
        let mut child = Command::new(env!("CARGO_BIN_EXE_verdictd"))
            .arg("--config")
            .arg(home.path().join("config.toml"))
            .args(["worker", "--nats", url, "--name", name])
            .args(["--places", "1", "--json", "--cache"])
            .arg(cache)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the worker starts");
        let lines = BufReader::new(child.stdout.take().expect("its standard output")).lines();
        let (sender, said) = channel();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            said,
            _home: home,
        }
    }

    /// Waits until it hears of a course.
    pub fn joined(&self) {
        while !self.next_line().contains("\"joined\"") {}
    }

    fn next_line(&self) -> String {
        let next = self.said.recv_timeout(PATIENCE);
        next.expect("a worker that says something")
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A daemon at work, and whoever measures for it.
pub struct Stage {
    pub daemon: Daemon,
    workers: Vec<Worker>,
}

/// Workers, or places of the daemon.
pub const PLACES: usize = 2;

impl Stage {
    /// Starts everybody, and waits until all are there.
    pub fn start(folder: &Path, languages: &str, server: &Server, who: Measures) -> Self {
        let url = server.url();
        let config = match who {
            Measures::Daemon => own(languages, PLACES),
            Measures::Workers => cluster(languages, &url),
        };
        write(&folder.join("config.toml"), config);
        let daemon = Daemon::start(folder);
        daemon.ready();
        let count = if who == Measures::Workers { PLACES } else { 0 };
        let start = |number| Worker::start(&url, &format!("lab-{number}"), languages);
        let workers: Vec<Worker> = (0..count).map(start).collect();
        workers.iter().for_each(Worker::joined);
        daemon.at_rest();
        Self { daemon, workers }
    }

    /// Lets the daemon finish.
    pub fn end(self) {
        self.daemon.finish();
        drop(self.workers);
    }
}
