//! The folder of `verdictd cluster`: the server's configuration, its certificate, and the
//! credentials of whoever may connect.

use std::fmt::Display;
use std::fs;
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use nkeys::KeyPair;

use super::certificates::{self, Certificates};
use super::configuration::{self, CERTIFICATE, KEY, STORE};
use super::credentials::{Credentials, Role};
use super::members::{BYTES_MAX, Members, check_host, not_a_name};
use crate::cluster::subjects::Name;
use crate::util::files::{
    create_new, create_new_private, make_folder, make_folder_with, read_regular, replace,
};

/// Who there is.
const MEMBERS: &str = "cluster.toml";
/// What the server reads.
const CONFIGURATION: &str = "nats-server.conf";
/// The certificate that credentials carry.
const AUTHORITY: &str = "ca.pem";
/// By name.
const CREDENTIALS: &str = "credentials";
/// Names of the machine itself, in every certificate.
const LOCAL: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// What is wrong with the folder, or with what is asked of it.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// `init` where something is already.
    #[error("{} is not empty, and nothing is overwritten: name a new folder, or an empty one", .0.display())]
    NotEmpty(PathBuf),
    /// A folder that `init` has not made.
    #[error("{} is not there: name the folder of `verdictd cluster init` with --folder", .0.display())]
    None(PathBuf),
    /// A file that cannot be used.
    #[error("{}: {reason}", .file.display())]
    File { file: PathBuf, reason: String },
    /// An `init` did not come to its end.
    #[error("{}: `verdictd cluster init` was cut off here and has left a half-made folder: remove it and begin again", .0.display())]
    HalfMade(PathBuf),
    /// What is asked for makes no sense.
    #[error("{0}")]
    Wrong(String),
    /// No certificates can be made.
    #[error("no certificate can be made: {0}")]
    Certificate(#[from] rcgen::Error),
}

/// The folder of a server.
pub struct Folder {
    path: PathBuf,
    members: Members,
}

/// What `init` made.
pub struct Begun {
    /// The folder.
    pub folder: Folder,
    /// Where everybody's credentials are.
    pub credentials: Vec<(Role, PathBuf)>,
}

impl Folder {
    /// Begins a folder for a server on a machine with these names, which listens at this address.
    /// Where that fails, nothing of it is left.
    pub fn begin(
        path: &Path,
        (hosts, listen, port): (&[String], IpAddr, u16),
        courses: &[String],
        workers: &[String],
    ) -> Result<Begun, FolderError> {
        let mut entries = match fs::read_dir(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            entries => Some(entries.map_err(|error| broken(path, &error))?),
        };
        if entries.as_mut().is_some_and(|all| all.next().is_some()) {
            let is_half_made = path.join(KEY).exists() && !path.join(MEMBERS).exists();
            return Err(if is_half_made {
                FolderError::HalfMade(path.to_owned())
            } else {
                FolderError::NotEmpty(path.to_owned())
            });
        }
        let local = LOCAL.map(str::to_owned);
        let mut all: Vec<String> = hosts.iter().chain(&local).cloned().collect();
        for host in &all {
            check_host(host).map_err(FolderError::Wrong)?;
        }
        let mut members = Members {
            hosts: hosts.to_vec(),
            listen,
            port,
            courses: std::collections::BTreeMap::new(),
            workers: std::collections::BTreeMap::new(),
        };
        let courses = courses.iter().map(|name| (Role::Course, name));
        let both = courses.chain(workers.iter().map(|name| (Role::Worker, name)));
        let mut new = Vec::new();
        for (role, name) in both {
            let (name, key) = (named(name)?, KeyPair::new_user());
            let added = members.add(role, &name, key.public_key(), None);
            added.map_err(FolderError::Wrong)?;
            new.push((role, name, key));
        }
        all.dedup();
        let made = certificates::make(&all)?;
        let begun = Self::write_all(path, members, new, &made);
        if begun.is_err() {
            // All that is in it was made just now. What cannot be removed either is said next time.
            let _ = fs::remove_dir_all(path);
        }
        begun
    }

    fn write_all(
        path: &Path,
        members: Members,
        new: Vec<(Role, Name, KeyPair)>,
        made: &Certificates,
    ) -> Result<Begun, FolderError> {
        make_folder(path).map_err(|error| broken(path, &error))?;
        // The server's configuration names files by whole paths: it may be started anywhere.
        let path = fs::canonicalize(path).map_err(|error| broken(path, &error))?;
        let write = |name: &str, text: &str| {
            let file = path.join(name);
            create_new(&file, text.as_bytes()).map_err(|error| broken(&file, &error))
        };
        write(AUTHORITY, &made.authority)?;
        write(CERTIFICATE, &made.server)?;
        let key = path.join(KEY);
        create_new_private(&key, made.key.as_bytes()).map_err(|error| broken(&key, &error))?;
        for name in [STORE, CREDENTIALS] {
            let folder = path.join(name);
            make_folder_with(&folder, 0o700).map_err(|error| broken(&folder, &error))?;
        }
        let folder = Self { path, members };
        let credentials = new.into_iter();
        let credentials = credentials
            .map(|(role, name, key)| {
                let written = folder.write_credentials(role, name, &key, &made.authority);
                written.map(|file| (role, file))
            })
            .collect::<Result<_, _>>()?;
        folder.write()?;
        Ok(Begun {
            folder,
            credentials,
        })
    }

    /// A folder that `init` has made.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let file = path.join(MEMBERS);
        let bytes = match read_regular(&file, BYTES_MAX) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(FolderError::None(file));
            }
            read => read.map_err(|error| broken(&file, &error))?,
        };
        let members = Members::read(&String::from_utf8_lossy(&bytes));
        Ok(Self {
            path: fs::canonicalize(path).map_err(|error| broken(path, &error))?,
            members: members.map_err(|reason| broken(&file, &reason))?,
        })
    }

    /// Adds a worker or a course, and returns where its credentials are. A worker may be for some
    /// courses only.
    pub fn add(
        &mut self,
        role: Role,
        name: &str,
        courses: Option<&[String]>,
    ) -> Result<PathBuf, FolderError> {
        let (name, key) = (named(name)?, KeyPair::new_user());
        let added = self.members.add(role, &name, key.public_key(), courses);
        added.map_err(FolderError::Wrong)?;
        if role == Role::Worker {
            self.members.give_spare_account(&name);
        }
        let file = self.path.join(AUTHORITY);
        let authority = read_regular(&file, BYTES_MAX).map_err(|error| broken(&file, &error))?;
        let authority = String::from_utf8_lossy(&authority);
        let written = self.write_credentials(role, name, &key, &authority)?;
        self.write()?;
        Ok(written)
    }

    /// Removes a worker or a course, and its credentials here. The server has to read its
    /// configuration again before they are worth nothing.
    pub fn remove(&mut self, name: &str) -> Result<Role, FolderError> {
        let role = self.members.remove(name).map_err(FolderError::Wrong)?;
        self.write()?;
        let file = self.credentials_file(name);
        crate::util::files::remove(&file).map_err(|error| broken(&file, &error))?;
        Ok(role)
    }

    /// What the server reads.
    pub fn configuration(&self) -> PathBuf {
        self.path.join(CONFIGURATION)
    }

    /// What the server's user has to own.
    pub fn owned_by_the_server(&self) -> [PathBuf; 2] {
        [self.path.join(KEY), self.path.join(STORE)]
    }

    /// The server's address.
    pub fn url(&self) -> String {
        self.members.url()
    }

    fn credentials_file(&self, name: &str) -> PathBuf {
        self.path.join(CREDENTIALS).join(format!("{name}.creds"))
    }

    fn write_credentials(
        &self,
        role: Role,
        name: Name,
        key: &KeyPair,
        authority: &str,
    ) -> Result<PathBuf, FolderError> {
        let file = self.credentials_file(name.as_str());
        let seed = key.seed().map_err(|error| broken(&file, &error))?;
        let credentials = Credentials {
            name,
            role,
            url: self.members.url(),
            seed,
            certificate: authority.to_owned(),
        };
        let written = credentials.write(&file);
        written.map_err(|error| broken(&file, &error))?;
        Ok(file)
    }

    /// The configuration goes first: whoever is killed between the two calls again, and then both
    /// say the same.
    fn write(&self) -> Result<(), FolderError> {
        let configuration = configuration::text(&self.members, &self.path);
        let members = self.path.join(MEMBERS);
        let text = self
            .members
            .text()
            .map_err(|error| broken(&members, &error))?;
        for (file, text) in [(self.configuration(), configuration), (members, text)] {
            replace(&file, text.as_bytes()).map_err(|error| broken(&file, &error))?;
        }
        Ok(())
    }
}

fn named(name: &str) -> Result<Name, FolderError> {
    Name::new(name).ok_or_else(|| FolderError::Wrong(not_a_name(name)))
}

fn broken(file: &Path, reason: &dyn Display) -> FolderError {
    FolderError::File {
        file: file.to_owned(),
        reason: reason.to_string(),
    }
}
