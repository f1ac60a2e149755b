//! The real server.

use std::io::{BufRead as _, BufReader};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Where Debian and others put it. An ordinary user's PATH may lack the second one.
const FOLDERS: [&str; 3] = ["/usr/bin", "/usr/sbin", "/usr/local/bin"];
/// How long it may take to start.
const PATIENCE: Duration = Duration::from_mins(1);
const LOOK: Duration = Duration::from_millis(20);

/// A server; killed when it is dropped.
pub struct Server {
    child: Child,
    port: u16,
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
        let port = listener.local_addr().expect("a port").port();
        drop(listener);
        let child = Command::new(program().expect("nats-server"))
            .args(["--addr", "127.0.0.1", "--port", &port.to_string()])
            .args(["--jetstream", "--store_dir"])
            .arg(store.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("nats-server starts");
        let mut server = Self {
            child,
            port,
            _store: store,
        };
        let began = Instant::now();
        while !server.greets() {
            let ended = server.child.try_wait().expect("a child");
            assert!(ended.is_none(), "nats-server ended: {ended:?}");
            assert!(began.elapsed() < PATIENCE, "nats-server does not start");
            std::thread::park_timeout(LOOK);
        }
        server
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    fn greets(&self) -> bool {
        let Ok(stream) = TcpStream::connect(("127.0.0.1", self.port)) else {
            return false;
        };
        let mut line = String::new();
        stream.set_read_timeout(Some(PATIENCE)).is_ok()
            && BufReader::new(stream).read_line(&mut line).is_ok()
            && line.starts_with("INFO ")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // If it has ended by itself, there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
