//! The real server, and a course with real workers, each a process with one place.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;

use super::NAME;
use crate::common::{Course, Daemon, Process, Stream, only_c};

/// Where Debian and others put the server. An ordinary user's PATH may lack the second one.
const FOLDERS: [&str; 3] = ["/usr/bin", "/usr/sbin", "/usr/local/bin"];
/// Workers, or places of the daemon.
pub const PLACES: usize = 2;

/// A server.
pub struct Server {
    _process: Process,
    /// Its address.
    pub url: String,
    _store: tempfile::TempDir,
}

/// Where the program is, if it is installed.
pub fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain(FOLDERS.map(PathBuf::from))
        .map(|folder| folder.join("nats-server"))
        .find(|program| program.is_file())
}

impl Server {
    /// Starts one with a store of its own.
    pub fn start() -> Self {
        let store = tempfile::tempdir().expect("a scratch folder");
        // Free a moment ago; where somebody else takes it meanwhile, the server ends at once.
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = listener.local_addr().expect("a port").port().to_string();
        drop(listener);
        let mut command = Command::new(program().expect("nats-server"));
        command.args(["--addr", "127.0.0.1", "--port", &port]);
        command.args(["--jetstream", "--store_dir"]);
        command.arg(store.path());
        let process = Process::start(&mut command, Stream::Error);
        process.says("Server is ready");
        Self {
            _process: process,
            url: format!("nats://127.0.0.1:{port}"),
            _store: store,
        }
    }
}

/// Who measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measures {
    /// The daemon's own places.
    Daemon,
    /// Workers beside it.
    Workers,
}

/// The configuration of a daemon that has others measure.
pub fn cluster(server: &Server) -> String {
    // All machines are this one; how fast it is depends on what else it does.
    format!(
        "{}[judge]\nworkers = \"none\"\n[cluster]\nnats = \"{}\"\nname = \"{NAME}\"\n\
         tolerance_percent = 1000\n",
        only_c(),
        server.url
    )
}

/// A worker.
pub struct Worker {
    process: Process,
    _home: Course,
}

impl Worker {
    pub fn start(server: &Server, name: &str) -> Self {
        let home = Course::new(&only_c());
        let mut command = Command::new(env!("CARGO_BIN_EXE_verdictd"));
        command.arg("--config").arg(home.folder.join("config.toml"));
        command.args(["worker", "--nats", &server.url, "--name", name]);
        command.args(["--places", "1", "--json", "--cache"]);
        command.arg(home.folder.join("cache"));
        Self {
            process: Process::start(&mut command, Stream::Output),
            _home: home,
        }
    }

    /// Waits until it hears of a course.
    pub fn joined(&self) {
        self.process.says("\"joined\"");
    }
}

/// A daemon at work, and whoever measures for it.
pub struct Stage {
    pub daemon: Daemon,
    workers: Vec<Worker>,
}

impl Stage {
    /// Starts everybody, and waits until all are there.
    pub fn start(course: &Course, server: &Server, who: Measures) -> Self {
        let (config, workers) = match who {
            Measures::Daemon => (format!("{}[judge]\nworkers = {PLACES}\n", only_c()), 0),
            Measures::Workers => (cluster(server), PLACES),
        };
        course.write("config.toml", config);
        let daemon = course.start();
        daemon.ready();
        let start = |number| Worker::start(server, &format!("lab-{number}"));
        let workers: Vec<Worker> = (0..workers).map(start).collect();
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
