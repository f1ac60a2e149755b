//! A server as `verdictd cluster init` sets it up: encrypted, with credentials for everybody.

use std::path::PathBuf;
use std::process::{Command, Output};

use verdictd::internals::cluster::{Access, Credentials, Name, Role};

use super::server::{Server, free_port};
use crate::place::{binary, output};

/// A server, and the folder of its configuration.
pub struct Secure {
    /// The server.
    pub server: Server,
    folder: tempfile::TempDir,
}

impl Secure {
    /// A server for these courses and workers.
    pub fn start(courses: &[&str], workers: &[&str]) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let port = free_port();
        let made = folder.path().join("cluster");
        let mut init = Command::new(binary());
        init.args(["cluster", "init", "--host", "localhost", "--port"])
            .arg(port.to_string());
        for course in courses {
            init.args(["--course", course]);
        }
        for worker in workers {
            init.args(["--worker", worker]);
        }
        let said = output(init.arg(&made));
        assert!(said.status.success(), "{said:?}");
        let (config, store) = (made.join("nats-server.conf"), made.join("jetstream"));
        let server = Server::with_config(tempfile::tempdir().unwrap(), config, store, port)?;
        Some(Self { server, folder })
    }

    /// The folder that `verdictd cluster` keeps.
    pub fn folder(&self) -> PathBuf {
        self.folder.path().join("cluster")
    }

    /// The server's address.
    pub fn url(&self) -> String {
        format!("tls://localhost:{}", self.server.port())
    }

    /// The credentials of a worker or a course.
    pub fn credentials(&self, name: &str) -> PathBuf {
        self.folder()
            .join("credentials")
            .join(format!("{name}.creds"))
    }

    /// Runs `verdictd cluster` with these arguments, and has the server read what it wrote.
    pub fn change(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(binary());
        command.arg("cluster").args(arguments).arg("--folder");
        let said = output(command.arg(self.folder()));
        assert!(said.status.success(), "{said:?}");
        self.server.signal("HUP");
        said
    }

    /// How a worker or a course reaches the server.
    pub fn access(&self, name: &str, role: Role) -> Access {
        let credentials = Credentials::load(&self.credentials(name), role);
        Access {
            url: Some(self.url()),
            name: Name::new(name).unwrap(),
            credentials: Some(credentials.unwrap_or_else(|error| panic!("{error}"))),
            is_insecure: false,
        }
    }
}
