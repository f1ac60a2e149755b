//! A NATS server of a test's own, on loopback, with a store in a temporary folder.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use crate::place::wait_until;
use crate::process::{program, send};
use crate::skips::skipped;

/// Ports that the kernel gives to nobody who does not ask for them, so that a server finds its own
/// again after a kill.
const PORTS: std::ops::Range<u16> = 10_000..30_000;

/// A server; killed when it is dropped.
pub struct Server {
    folder: tempfile::TempDir,
    config: PathBuf,
    /// Where it keeps streams.
    store: PathBuf,
    port: u16,
    child: Option<Child>,
}

impl Server {
    /// Starts one with `JetStream`. Without the program it notes that something was skipped, and there
    /// is none.
    pub fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let [config, store] = ["nats-server.conf", "store"].map(|name| folder.path().join(name));
        let text = format!("jetstream {{ store_dir: \"{}\" }}\n", store.display());
        fs::write(&config, text).unwrap();
        Self::with_config(folder, config, store, free_port())
    }

    /// Starts one with a configuration that is there already and says where its streams are, at a
    /// port of [`free_port`]; its log is in this folder.
    pub fn with_config(
        folder: tempfile::TempDir,
        config: PathBuf,
        store: PathBuf,
        port: u16,
    ) -> Option<Self> {
        if program("nats-server").is_none() {
            skipped("workers on other machines (nats-server is not installed)");
            return None;
        }
        let mut server = Self {
            folder,
            config,
            store,
            port,
            child: None,
        };
        server.restart();
        Some(server)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its address, without TLS.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Starts it again, after killing it if it runs: the same port, configuration and store. It
    /// listens when this returns.
    pub fn restart(&mut self) {
        self.kill();
        let log = self.folder.path().join("log");
        let child = Command::new(program("nats-server").unwrap())
            .arg("--config")
            .arg(&self.config)
            .args(["--addr", "127.0.0.1", "--port", &self.port.to_string()])
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::options().create(true).append(true).open(log).unwrap())
            .spawn()
            .unwrap();
        self.child = Some(child);
        wait_until("a NATS server that greets", || {
            let ended = self.child.as_mut().unwrap().try_wait().unwrap();
            assert!(ended.is_none(), "the server ended: {}", self.log());
            self.greets()
        });
    }

    /// Kills it, removes all that it kept, and starts it again.
    pub fn empty(&mut self) {
        self.kill();
        // It may not have kept anything yet.
        let _ = fs::remove_dir_all(&self.store);
        self.restart();
    }

    /// Sends it a signal by its name: STOP and CONT, or HUP, after which it has read its
    /// configuration again.
    pub fn signal(&self, name: &str) {
        let reloads = || self.log().matches("Reloaded server configuration").count();
        let before = reloads();
        send(name, &self.child.as_ref().unwrap().id().to_string());
        if name == "HUP" {
            wait_until("a configuration that is read again", || reloads() > before);
        }
    }

    fn greets(&self) -> bool {
        let Ok(stream) = TcpStream::connect(("127.0.0.1", self.port)) else {
            return false;
        };
        let patience = Some(Duration::from_secs(1));
        let mut line = String::new();
        stream.set_read_timeout(patience).is_ok()
            && BufReader::new(stream).read_line(&mut line).is_ok()
            && line.starts_with("INFO ")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A port on loopback that nothing listens at, and that no other test of this process gets.
pub fn free_port() -> u16 {
    static TAKEN: AtomicU16 = AtomicU16::new(0);
    // Several runs of the tests may go on beside each other.
    let first = std::process::id().wrapping_mul(101) % u32::from(PORTS.end - PORTS.start);
    let first = u16::try_from(first).unwrap();
    loop {
        let next = TAKEN.fetch_add(1, Ordering::Relaxed);
        assert!(next < PORTS.end - PORTS.start, "no port is free");
        let port = PORTS.start + (first + next) % (PORTS.end - PORTS.start);
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}
