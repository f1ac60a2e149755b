//! The real server, and a course with real workers, each a process with one place.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;

use super::NAME;
use crate::common::{Course, Daemon, Process, only_c};

/// Where Debian and others put the server.
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
    let programs = FOLDERS.map(|folder| PathBuf::from(folder).join("nats-server"));
    programs.into_iter().find(|program| program.is_file())
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
        let process = Process::start(command);
        process.says("Server is ready");
        Self {
            _process: process,
            url: format!("nats://127.0.0.1:{port}"),
            _store: store,
        }
    }
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
            process: Process::start(command),
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
    /// Starts everybody, and waits until all are there; without workers, with as many places.
    pub fn start(course: &Course, server: &Server, workers: usize) -> Self {
        let own = format!("{}[judge]\nworkers = {PLACES}\n", only_c());
        let config = if workers == 0 { own } else { cluster(server) };
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
