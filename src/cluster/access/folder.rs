//! The folder of `verdictd cluster`: the server's configuration, its certificate, and the
//! credentials of whoever may connect.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use askama::Template;
use nkeys::KeyPair;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer,
    KeyUsagePurpose, date_time_ymd,
};

use super::credentials::{Credentials, Role};
use super::members::{BYTES_MAX, Members, Newcomer};
use crate::cluster::subjects;
use crate::domain::Complaint;
use crate::util::files::{
    create_new, create_new_private, make_folder, make_folder_with, read_regular, remove, replace,
};

/// Who there is.
const MEMBERS: &str = "cluster.toml";
/// What the server reads.
const CONFIGURATION: &str = "nats-server.conf";
/// The certificate that credentials carry.
const AUTHORITY: &str = "ca.pem";
/// By name.
const CREDENTIALS: &str = "credentials";
/// Files of the server.
const CERTIFICATE: &str = "server.pem";
const KEY: &str = "server.key";
const STORE: &str = "jetstream";
/// Names of the machine itself, in every certificate.
const LOCAL: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// The server's configuration, from who may connect.
///
/// Each course and each worker has an account of its own, because permissions alone do not hold: a
/// worker that asks the server for bytes names the subject of the answer, the server sends it as
/// itself, and so a worker could write to any subject of its account: facts as another worker, or
/// the order to delete a stream. An account has no subjects but those that it is given. So a
/// worker's answers reach nobody but itself, whatever it names, and a course cannot touch another
/// one.
#[derive(Template)]
#[template(path = "cluster/access/nats-server.conf", escape = "none")]
struct Configuration<'a> {
    members: &'a Members,
    /// Where the other files of the server are. Nothing else that is written there may have quotes.
    folder: String,
}

/// The folder of a server.
pub struct Folder {
    path: PathBuf,
    members: Members,
}

impl Folder {
    /// Begins a folder for a server whose members are only these newcomers, and says where their
    /// credentials are. Where that fails, nothing of it is left.
    pub fn begin(
        path: &Path,
        server: Members,
        newcomers: &[Newcomer],
    ) -> Result<(Self, Vec<PathBuf>), Complaint> {
        let mut entries = match fs::read_dir(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            entries => Some(entries.map_err(|error| Complaint::new(path, error))?),
        };
        if entries.as_mut().is_some_and(|all| all.next().is_some()) {
            let is_half_made = path.join(KEY).exists() && !path.join(MEMBERS).exists();
            let reason = if is_half_made {
                "`verdictd cluster init` was cut off here and has left a half-made folder: remove it and begin again"
            } else {
                "it is not empty, and nothing is overwritten: name a new folder, or an empty one"
            };
            return Err(Complaint::new(path, reason));
        }
        let (members, keys) = server
            .with(newcomers)
            .map_err(|reason| Complaint::new(path, reason))?;
        let begun = Self::make(path, members).and_then(|folder| {
            let written = folder.save(newcomers, &keys)?;
            Ok((folder, written))
        });
        if begun.is_err() {
            // All that is in it was made just now. What cannot be removed either is said next time.
            let _ = fs::remove_dir_all(path);
        }
        begun
    }

    /// Makes everything that does not change with the members.
    fn make(path: &Path, members: Members) -> Result<Self, Complaint> {
        let local = LOCAL.iter().map(|host| (*host).to_owned());
        let mut hosts: Vec<String> = members.hosts.iter().cloned().chain(local).collect();
        hosts.dedup();
        let made = certificates_for(&hosts).map_err(|error| {
            Complaint::new(path, format!("no certificate can be made: {error}"))
        })?;
        make_folder(path).map_err(|error| Complaint::new(path, error))?;
        // The server's configuration names files by whole paths: it may be started anywhere.
        let path = fs::canonicalize(path).map_err(|error| Complaint::new(path, error))?;
        let at = |name: &str, make: &dyn Fn(&Path) -> io::Result<()>| {
            let file = path.join(name);
            make(&file).map_err(|error| Complaint::new(&file, error))
        };
        at(AUTHORITY, &|file| {
            create_new(file, made.authority.as_bytes())
        })?;
        at(CERTIFICATE, &|file| {
            create_new(file, made.server.as_bytes())
        })?;
        at(KEY, &|file| create_new_private(file, made.key.as_bytes()))?;
        for name in [STORE, CREDENTIALS] {
            at(name, &|folder| make_folder_with(folder, 0o700))?;
        }
        Ok(Self { path, members })
    }

    /// A folder that `init` has made.
    pub fn open(path: &Path) -> Result<Self, Complaint> {
        let file = path.join(MEMBERS);
        let wrong = |reason: String| Complaint::new(&file, reason);
        let bytes = match read_regular(&file, BYTES_MAX) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let words =
                    "it is not there: name the folder of `verdictd cluster init` with --folder";
                return Err(wrong(words.to_owned()));
            }
            read => read.map_err(|error| wrong(error.to_string()))?,
        };
        let members: Members =
            toml::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
        Ok(Self {
            path: fs::canonicalize(path).map_err(|error| Complaint::new(path, error))?,
            members: members.checked().map_err(wrong)?,
        })
    }

    /// Adds a worker or a course, and returns where its credentials are.
    pub fn add(&mut self, newcomer: Newcomer) -> Result<PathBuf, Complaint> {
        let newcomers = [newcomer];
        let added = self.members.clone().with(&newcomers);
        let (members, keys) = added.map_err(|reason| Complaint::new(&self.path, reason))?;
        self.members = members;
        let mut written = self.save(&newcomers, &keys)?;
        Ok(written.remove(0))
    }

    /// Removes a worker or a course, and its credentials here. The server has to read its
    /// configuration again before they are worth nothing.
    pub fn remove(&mut self, name: &str) -> Result<Role, Complaint> {
        let removed = self.members.remove(name);
        let role = removed.map_err(|reason| Complaint::new(&self.path, reason))?;
        self.save(&[], &[])?;
        let file = self.credentials_file(name);
        remove(&file).map_err(|error| Complaint::new(&file, error))?;
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

    /// Writes the credentials of newcomers, and then who there is, the configuration first: whoever
    /// is killed before the end calls again, and then all of it says the same.
    fn save(&self, newcomers: &[Newcomer], keys: &[KeyPair]) -> Result<Vec<PathBuf>, Complaint> {
        let authority = self.path.join(AUTHORITY);
        let certificate = read_regular(&authority, BYTES_MAX)
            .map_err(|error| Complaint::new(&authority, error))?;
        let mut written = Vec::new();
        for (newcomer, key) in newcomers.iter().zip(keys) {
            let file = self.credentials_file(newcomer.name.as_str());
            let seed = key.seed().map_err(|error| Complaint::new(&file, error))?;
            let credentials = Credentials {
                name: newcomer.name.clone(),
                role: newcomer.role,
                url: self.members.url(),
                seed,
                certificate: String::from_utf8_lossy(&certificate).into_owned(),
            };
            let wrote = credentials.write(&file);
            wrote.map_err(|error| Complaint::new(&file, error))?;
            written.push(file);
        }
        let folder = self.path.to_string_lossy();
        let configuration = Configuration {
            members: &self.members,
            folder: folder.replace('\\', "\\\\").replace('"', "\\\""),
        };
        let texts = [
            (
                CONFIGURATION,
                configuration.render().map_err(io::Error::other),
            ),
            (MEMBERS, self.members.text().map_err(io::Error::other)),
        ];
        for (name, text) in texts {
            let file = self.path.join(name);
            let wrote = text.and_then(|text| replace(&file, text.as_bytes()));
            wrote.map_err(|error| Complaint::new(&file, error))?;
        }
        Ok(written)
    }
}

/// As PEM.
struct Certificates {
    /// The authority's, which credentials carry.
    pub authority: String,
    /// The server's.
    pub server: String,
    /// The server's secret key.
    pub key: String,
}

/// Makes certificates for a server with these names and addresses, by an authority of its own, which
/// vouches for the server alone and whose key is forgotten at once.
fn certificates_for(hosts: &[String]) -> Result<Certificates, rcgen::Error> {
    let mut authority = CertificateParams::new([])?;
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    named(&mut authority, "verdictd cluster");
    let authority_key = rcgen::KeyPair::generate()?;
    let authority_certificate = authority.self_signed(&authority_key)?;

    let mut server = CertificateParams::new(hosts)?;
    server.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    server.use_authority_key_identifier_extension = true;
    named(&mut server, "nats-server");
    let key = rcgen::KeyPair::generate()?;
    let issuer = Issuer::from_params(&authority, &authority_key);
    let server = server.signed_by(&key, &issuer)?;
    Ok(Certificates {
        authority: authority_certificate.pem(),
        server: server.pem(),
        key: key.serialize_pem(),
    })
}

/// One that ran out would stop every worker on one day. Who has to be shut out is removed by name.
fn named(certificate: &mut CertificateParams, name: &str) {
    certificate.not_before = date_time_ymd(2020, 1, 1);
    certificate.not_after = date_time_ymd(2100, 1, 1);
    certificate.distinguished_name = rcgen::DistinguishedName::new();
    let subject = &mut certificate.distinguished_name;
    subject.push(DnType::CommonName, name);
}
