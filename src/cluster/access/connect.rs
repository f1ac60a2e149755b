//! Connections to the server: encrypted wherever others could listen, with credentials, and kept
//! for ever; why there is none, and the way out.

use std::error::Error;
use std::future::ready;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use async_nats::rustls::pki_types::CertificateDer;
use async_nats::rustls::pki_types::pem::PemObject as _;
use async_nats::rustls::{self, CertificateError, ClientConfig, RootCertStore};
use async_nats::{Client, ConnectError, ConnectErrorKind, ConnectOptions, Event, ServerAddr};
use tracing::{debug, warn};

use super::credentials::{Credentials, Role};
use crate::cluster::subjects::{Name, inbox};
use crate::config::Config;
use crate::domain::Complaint;
use crate::util::clock::Backoff;

/// How long one try to connect may take.
const CONNECT: Duration = Duration::from_secs(5);
/// How long an answer to a request may take.
const ANSWER: Duration = Duration::from_secs(10);
/// The pauses before other tries.
const PAUSES: Backoff = Backoff::doubling(Duration::from_millis(100), Duration::from_secs(5));
/// A server that answers none of two pings is gone, even if the connection is not.
const PING: Duration = Duration::from_secs(5);
/// Messages that wait to be read; more are dropped, and whoever sent them sends them again.
const WAITING_MAX: usize = 1_024;
/// The largest message that the server has to take.
const PAYLOAD: usize = 1 << 20;
/// The oldest server that this was tried with.
const OLDEST: (u64, u64) = (2, 9);

/// How to reach a server.
pub struct Access {
    /// The server's address; the one in the credentials where there is none.
    pub url: Option<String>,
    /// Who connects, where there are no credentials.
    pub name: Name,
    /// Without them only an unencrypted server on this machine is connected to.
    pub credentials: Option<Credentials>,
    /// Whether an unencrypted connection may leave this machine.
    pub is_insecure: bool,
}

impl Access {
    /// As config.toml says; none where it names no server.
    pub fn of_course(config: &Config) -> Result<Option<Self>, AccessError> {
        let cluster = &config.cluster;
        if cluster.nats.is_none() {
            return Ok(None);
        }
        let file = cluster.credentials.as_deref();
        let credentials = file.map(|file| Credentials::load(file, Role::Course));
        let credentials = credentials.transpose()?;
        let folder = config.file.parent().and_then(|folder| folder.file_name());
        let of_folder = || Name::like(&folder?.to_string_lossy());
        let name = cluster.name.clone();
        let name = name.or_else(|| credentials.as_ref().map(|known| known.name.clone()));
        Ok(Some(Self {
            url: cluster.nats.clone(),
            name: name.or_else(of_folder).ok_or_else(|| {
                let words = "the course has no name on the server: write one into [cluster], as in `name = \"algorithms\"`";
                AccessError::Here(words.to_owned())
            })?,
            credentials,
            is_insecure: cluster.insecure,
        }))
    }

    /// The server's address.
    pub fn url(&self) -> Result<&str, AccessError> {
        let of_credentials = || self.credentials.as_ref().map(|known| known.url.as_str());
        self.url.as_deref().or_else(of_credentials).ok_or_else(|| {
            let words = "the address of the server is missing: write it as tls://grader:4222";
            AccessError::Here(words.to_owned())
        })
    }

    /// The address, if it may be connected to.
    pub fn address(&self) -> Result<ServerAddr, AccessError> {
        let (url, needed) = (self.url()?, &self.name);
        let refused = |words: String| Err(AccessError::Here(words));
        let is_server = |address: &ServerAddr| {
            // A password in it would be shown and logged.
            let is_plain = address.username().is_none() && address.password().is_none();
            is_plain && ["tls", "nats"].contains(&address.scheme()) && !address.host().is_empty()
        };
        let Some(address) = url.parse().ok().filter(is_server) else {
            let url = url.escape_debug();
            return refused(format!(
                "`{url}` is not the address of a server, such as tls://grader:4222"
            ));
        };
        let is_here = is_loopback(address.host());
        if !address.tls_required() && !is_here && !self.is_insecure {
            return refused(format!(
                "{url} is not encrypted, and others could read and change what is sent: write tls:// (or, in a network that you trust, set `insecure`)"
            ));
        }
        match &self.credentials {
            None if !is_here || address.tls_required() => refused(format!(
                "{url} is another machine or is encrypted, so credentials are needed: the file that `verdictd cluster` wrote for `{needed}`"
            )),
            Some(Credentials { name, .. }) if name != needed => refused(format!(
                "the credentials are those of `{name}`, and `{needed}` connects: use that name, or its credentials"
            )),
            _ => Ok(address),
        }
    }

    fn options(
        &self,
        address: &ServerAddr,
        on_event: impl Fn(&Event) + Send + Sync + 'static,
    ) -> Result<ConnectOptions, AccessError> {
        let mut options = ConnectOptions::new()
            .name(format!("verdictd {}", self.name))
            .custom_inbox_prefix(inbox(&self.name))
            .connection_timeout(CONNECT)
            .request_timeout(Some(ANSWER))
            .ping_interval(PING)
            .max_reconnects(None)
            .reconnect_delay_callback(pause)
            .subscription_capacity(WAITING_MAX)
            // What the server says about other servers is not what these credentials are for.
            .ignore_discovered_servers()
            .require_tls(address.tls_required())
            .event_callback(move |event| {
                on_event(&event);
                ready(())
            });
        if let Some(credentials) = &self.credentials {
            // Also where the address asks for no encryption: the server may.
            options = options
                .nkey(credentials.seed.clone())
                .tls_client_config(trusting(&credentials.certificate)?);
        }
        Ok(options)
    }
}

/// Connects once. A connection that is lost later is made again, for as long as the client lives.
pub async fn connect(access: &Access) -> Result<Client, AccessError> {
    connect_and_hear(access, log).await
}

/// The same with every event of the connection told.
pub(super) async fn connect_and_hear(
    access: &Access,
    on_event: impl Fn(&Event) + Send + Sync + 'static,
) -> Result<Client, AccessError> {
    let address = access.address()?;
    let options = access.options(&address, on_event)?;
    let url = access.url().unwrap_or_default();
    let there = |reason: String| AccessError::There(url.to_owned(), reason);
    let connected = options.connect(address).await;
    let client = connected.map_err(|error| there(explain(&access.name, &error)))?;
    let info = client.server_info();
    if version(&info.version).is_some_and(|version| version < OLDEST) {
        let version = info.version.escape_debug();
        return Err(there(format!(
            "nats-server {version} is too old: 2.9 or newer is needed"
        )));
    }
    if !info.jetstream {
        let words = "the server has JetStream turned off: add `jetstream { store_dir: \"...\" }` to its configuration";
        return Err(there(words.to_owned()));
    }
    if info.max_payload < PAYLOAD {
        return Err(there(format!(
            "the server takes messages of at most {} bytes: set `max_payload: 1MB` in its configuration",
            info.max_payload
        )));
    }
    Ok(client)
}

/// Connects, and tries again until it works. Each new reason why it does not is told once; one that
/// will not pass ends it.
pub async fn connect_patiently(
    access: &Access,
    mut told: impl FnMut(&AccessError),
) -> Result<Client, AccessError> {
    let mut last = String::new();
    let mut tries = 1;
    loop {
        match connect(access).await {
            Err(error @ AccessError::There(..)) => {
                let reason = error.to_string();
                if reason != last {
                    told(&error);
                    last = reason;
                }
            }
            done => return done,
        }
        tries += 1;
        tokio::time::sleep(pause(tries)).await;
    }
}

/// How long to wait before a try, the first of which is 1.
fn pause(tries: usize) -> Duration {
    let failures = tries.saturating_sub(1);
    PAUSES.after(u32::try_from(failures).unwrap_or(u32::MAX))
}

fn log(event: &Event) {
    match event {
        Event::ServerError(_) | Event::SlowConsumer(_) | Event::Disconnected => {
            warn!("the server of the cluster: {event}");
        }
        _ => debug!("the server of the cluster: {event}"),
    }
}

/// Trusts the server that this authority vouches for, and no other.
fn trusting(authority: &str) -> Result<ClientConfig, AccessError> {
    let broken = |reason: &dyn ToString| {
        AccessError::Here(format!(
            "the certificate in the credentials is broken ({}): have them written again with `verdictd cluster`",
            reason.to_string()
        ))
    };
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(authority.as_bytes()) {
        let certificate = certificate.map_err(|error| broken(&error))?;
        roots.add(certificate).map_err(|error| broken(&error))?;
    }
    if roots.is_empty() {
        return Err(broken(&"there is none"));
    }
    let config = ClientConfig::builder().with_root_certificates(roots);
    Ok(config.with_no_client_auth())
}

/// Whether nobody else can listen to what is sent there.
fn is_loopback(host: &str) -> bool {
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

fn version(text: &str) -> Option<(u64, u64)> {
    let mut numbers = text.trim_start_matches('v').split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

pub(super) const NOTHING_LISTENS: &str =
    "nothing listens there: does nats-server run, and at this port?";
pub(super) const NO_ANSWER: &str =
    "no answer within 5 seconds: is the machine on, and does a firewall let this port through?";

/// What a worker says that hears no course.
pub const NO_DAEMON: &str = "no daemon is heard: does `verdictd serve` run, with this server in its \
                             config.toml, and is this worker for that course?";

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// Something on this machine: it stays so until somebody changes it.
    #[error("{0}")]
    Here(String),
    /// Something at the server or on the way to it, with its address: another try may help without
    /// anybody changing anything here.
    #[error("{0}: {1}")]
    There(String, String),
}

impl From<Complaint> for AccessError {
    fn from(complaint: Complaint) -> Self {
        Self::Here(complaint.to_string())
    }
}

pub(super) fn unknown_host(reason: &str) -> String {
    format!(
        "the machine's name is not known here ({reason}): use its address, or add it to /etc/hosts"
    )
}

/// What the library's error means.
pub(super) fn explain(name: &Name, error: &ConnectError) -> String {
    let source = error.source();
    let reason = source.map_or_else(|| error.kind().to_string(), ToString::to_string);
    let io: Option<&io::Error> = source.and_then(|source| source.downcast_ref());
    let tls = io.and_then(io::Error::get_ref);
    let tls: Option<&rustls::Error> = tls.and_then(|tls| tls.downcast_ref());
    let not_encrypted = |reason: &dyn ToString| {
        format!(
            "no encrypted connection ({}): does the server have the configuration that `verdictd cluster` wrote?",
            reason.to_string()
        )
    };
    match (error.kind(), tls, io.map(io::Error::kind)) {
        (ConnectErrorKind::Dns, ..) => unknown_host(&reason),
        (ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication, ..) => {
            format!(
                "the server does not accept `{name}`: the credentials were removed or replaced, or the server has not read its configuration again (`systemctl reload nats-server`, or `nats-server --signal reload`)"
            )
        }
        (ConnectErrorKind::Tls, ..) => not_encrypted(&reason),
        (ConnectErrorKind::TimedOut, ..) | (_, None, Some(io::ErrorKind::TimedOut)) => {
            NO_ANSWER.to_owned()
        }
        (_, Some(rustls::Error::InvalidCertificate(wrong)), _) => format!(
            "the server cannot prove that it is the right one ({wrong}): {}",
            way_out(wrong)
        ),
        (_, Some(wrong), _) => not_encrypted(wrong),
        (_, None, Some(io::ErrorKind::ConnectionRefused)) => NOTHING_LISTENS.to_owned(),
        (_, None, _) => reason,
    }
}

fn way_out(wrong: &CertificateError) -> &'static str {
    use CertificateError::{
        Expired, ExpiredContext, NotValidForName, NotValidForNameContext, NotValidYet,
        NotValidYetContext,
    };
    match wrong {
        NotValidForName | NotValidForNameContext { .. } => {
            "its certificate is for other names; use one of those that `verdictd cluster init --host` was given"
        }
        NotValidYet | NotValidYetContext { .. } | Expired | ExpiredContext { .. } => {
            "is the clock of this machine right?"
        }
        _ => {
            "either another server listens there, or its folder was created again; then take new credentials from it"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::credentials::tests::credentials;
    use super::{Access, version};
    use crate::cluster::subjects::Name;

    fn access(url: &str, has_credentials: bool, is_insecure: bool) -> Access {
        Access {
            url: Some(url.to_owned()),
            name: Name::new("lab-07").unwrap(),
            credentials: has_credentials.then(credentials),
            is_insecure,
        }
    }

    #[test]
    fn only_what_nobody_can_listen_to_is_unencrypted() {
        let (needed, plain) = ("credentials are needed", "not encrypted");
        for (url, has_credentials, is_insecure, says) in [
            ("tls://grader:4222", true, false, ""),
            ("tls://grader", true, false, ""),
            ("tls://grader:4222", false, false, needed),
            ("tls://grader:4222", false, true, needed),
            ("nats://grader:4222", true, false, plain),
            ("nats://grader:4222", true, true, ""),
            ("nats://grader:4222", false, true, needed),
            ("grader:4222", true, false, plain),
            ("nats://192.0.2.7", true, false, plain),
            ("nats://127.0.0.1.example.org", true, false, plain),
            ("nats://localhost.example.org", false, false, plain),
            ("nats://127.0.0.1:4222", false, false, ""),
            ("nats://localhost:4222", false, false, ""),
            ("nats://[::1]:4222", false, false, ""),
            ("tls://127.0.0.1:4222", false, false, needed),
            ("ws://127.0.0.1:4222", false, false, "not the address"),
            ("http://grader", true, false, "not the address"),
            ("nats://u:p@127.0.0.1", false, false, "not the address"),
            ("", true, false, "not the address"),
        ] {
            let said = access(url, has_credentials, is_insecure).address();
            let said = said.err().map(|error| error.to_string());
            let said = said.unwrap_or_default();
            assert!(said.contains(says), "{url}: {said}");
            assert_eq!(said.is_empty(), says.is_empty(), "{url}: {said}");
        }
        let mut other = access("tls://grader", true, false);
        other.name = Name::new("lab-08").unwrap();
        let said = other.address().err().unwrap().to_string();
        assert!(said.contains("those of `lab-07`"), "{said}");
        other.url = None;
        assert_eq!(other.url().unwrap(), "tls://grader:4222");
    }

    #[test]
    fn versions() {
        assert_eq!(version("2.9.10"), Some((2, 9)));
        assert_eq!(version("2.10.0-beta.3"), Some((2, 10)));
        assert_eq!(version("dev"), None);
        assert!(version("2.8.4") < Some(super::OLDEST));
    }
}
