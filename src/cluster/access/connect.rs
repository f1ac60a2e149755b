//! Connections to the server: encrypted wherever others could listen, with credentials, and kept
//! for ever.

use std::error::Error;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use async_nats::rustls::pki_types::CertificateDer;
use async_nats::rustls::pki_types::pem::PemObject as _;
use async_nats::rustls::{self, CertificateError, ClientConfig, RootCertStore};
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event, ServerAddr};
use tracing::{debug, warn};

use super::credentials::Credentials;
use crate::cluster::subjects::{Name, inbox};

/// How long one try to connect may take.
const CONNECT: Duration = Duration::from_secs(5);
/// How long an answer to a request may take.
const ANSWER: Duration = Duration::from_secs(10);
/// The longest pause before another try.
const PAUSE_MAX: Duration = Duration::from_secs(5);
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

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// Not an address.
    #[error("`{}` is no address of a server, such as tls://grader:4222", .0.escape_debug())]
    Url(String),
    /// Nobody says where the server is.
    #[error("the address of the server is missing: write it as tls://grader:4222")]
    NoUrl,
    /// An unencrypted address of another machine.
    #[error(
        "{0} is not encrypted, and others could read and change what is sent: write tls:// (or, in a network that you trust, set `insecure`)"
    )]
    Insecure(String),
    /// Another machine, and nothing to prove who connects.
    #[error(
        "{0} is another machine or is encrypted, so credentials are needed: the file that `verdictd cluster` wrote for `{1}`"
    )]
    NoCredentials(String, Name),
    /// Credentials of somebody else.
    #[error(
        "the credentials are those of `{is}`, and `{needed}` connects: use that name, or its credentials"
    )]
    OtherName { is: Name, needed: Name },
    /// The certificate in the credentials cannot be read.
    #[error(
        "the certificate in the credentials is broken ({0}): have them written again with `verdictd cluster`"
    )]
    Authority(String),
    /// No such machine.
    #[error(
        "{url}: the machine's name is not known here ({reason}): use its address, or add it to /etc/hosts"
    )]
    Unknown { url: String, reason: String },
    /// Nothing listens.
    #[error("{0}: nothing listens there: does nats-server run, and at this port?")]
    Refused(String),
    /// No answer.
    #[error(
        "{0}: no answer within 5 seconds: is the machine on, and does a firewall let this port through?"
    )]
    Silent(String),
    /// It is not who it says.
    #[error("{url}: the server cannot prove that it is the right one ({reason}): {}", .way_out)]
    Certificate {
        url: String,
        reason: String,
        way_out: &'static str,
    },
    /// The two ends cannot agree on encryption.
    #[error(
        "{url}: no encrypted connection ({reason}): does the server have the configuration that `verdictd cluster` wrote?"
    )]
    Tls { url: String, reason: String },
    /// The server does not know who connects.
    #[error(
        "{url}: the server does not accept `{name}`: the credentials were removed or replaced, or the server has not read its configuration again (`systemctl reload nats-server`, or `nats-server --signal reload`)"
    )]
    Denied { url: String, name: Name },
    /// Anything else.
    #[error("{url}: {reason}")]
    Other { url: String, reason: String },
    /// A server of an old version.
    #[error("{url}: nats-server {version} is too old: 2.9 or newer is needed")]
    Old { url: String, version: String },
    /// A server that keeps nothing.
    #[error(
        "{0}: the server has JetStream turned off: add `jetstream {{ store_dir: \"...\" }}` to its configuration"
    )]
    NoJetStream(String),
    /// A server that refuses messages as large as ours.
    #[error(
        "{url}: the server takes messages of at most {bytes} bytes: set `max_payload: 1MB` in its configuration"
    )]
    SmallPayload { url: String, bytes: usize },
}

impl AccessError {
    /// Whether another try may help without anybody changing anything here: the server may come
    /// back, or read its configuration again.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Url(_)
            | Self::NoUrl
            | Self::Insecure(_)
            | Self::NoCredentials(..)
            | Self::OtherName { .. }
            | Self::Authority(_) => false,
            Self::Unknown { .. }
            | Self::Refused(_)
            | Self::Silent(_)
            | Self::Certificate { .. }
            | Self::Tls { .. }
            | Self::Denied { .. }
            | Self::Other { .. }
            | Self::Old { .. }
            | Self::NoJetStream(_)
            | Self::SmallPayload { .. } => true,
        }
    }
}

impl Access {
    /// The server's address.
    pub fn url(&self) -> Result<&str, AccessError> {
        let of_credentials = || self.credentials.as_ref().map(|known| known.url.as_str());
        let url = self.url.as_deref().or_else(of_credentials);
        url.ok_or(AccessError::NoUrl)
    }

    /// The address, if it may be connected to.
    pub fn address(&self) -> Result<ServerAddr, AccessError> {
        let url = self.url()?;
        let wrong = || AccessError::Url(url.to_owned());
        let address: ServerAddr = url.parse().map_err(|_| wrong())?;
        // A password in it would be shown and logged.
        let is_plain = address.username().is_none() && address.password().is_none();
        if !["tls", "nats"].contains(&address.scheme()) || address.host().is_empty() || !is_plain {
            return Err(wrong());
        }
        let is_here = is_loopback(address.host());
        if !address.tls_required() && !is_here && !self.is_insecure {
            return Err(AccessError::Insecure(url.to_owned()));
        }
        match &self.credentials {
            None if !is_here || address.tls_required() => Err(AccessError::NoCredentials(
                url.to_owned(),
                self.name.clone(),
            )),
            Some(credentials) if credentials.name != self.name => Err(AccessError::OtherName {
                is: credentials.name.clone(),
                needed: self.name.clone(),
            }),
            _ => Ok(address),
        }
    }

    fn options(&self, address: &ServerAddr) -> Result<ConnectOptions, AccessError> {
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
            .event_callback(log);
        if let Some(credentials) = &self.credentials {
            options = options.nkey(credentials.seed.clone());
            if address.tls_required() {
                options = options.tls_client_config(trusting(&credentials.certificate)?);
            }
        }
        Ok(options)
    }
}

/// Connects once. A connection that is lost later is made again, for as long as the client lives.
pub async fn connect(access: &Access) -> Result<Client, AccessError> {
    let address = access.address()?;
    let options = access.options(&address)?;
    let url = access.url()?;
    let connected = options.connect(address).await;
    let client = connected.map_err(|error| explain(url, &access.name, &error))?;
    let info = client.server_info();
    let url = || url.to_owned();
    if version(&info.version).is_some_and(|version| version < OLDEST) {
        return Err(AccessError::Old {
            url: url(),
            version: info.version.escape_debug().to_string(),
        });
    }
    if !info.jetstream {
        return Err(AccessError::NoJetStream(url()));
    }
    if info.max_payload < PAYLOAD {
        return Err(AccessError::SmallPayload {
            url: url(),
            bytes: info.max_payload,
        });
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
    for tries in 2_usize.. {
        match connect(access).await {
            Err(error) if error.may_pass() => {
                let reason = error.to_string();
                if reason != last {
                    told(&error);
                    last = reason;
                }
            }
            done => return done,
        }
        tokio::time::sleep(pause(tries)).await;
    }
    Err(AccessError::NoUrl)
}

/// How long to wait before a try, the first of which is 1.
fn pause(tries: usize) -> Duration {
    let doublings = u32::try_from(tries.saturating_sub(2)).unwrap_or(u32::MAX);
    if tries <= 1 {
        return Duration::ZERO;
    }
    let pause = Duration::from_millis(100).saturating_mul(2_u32.saturating_pow(doublings));
    pause.min(PAUSE_MAX)
}

async fn log(event: Event) {
    match event {
        Event::ServerError(_) | Event::SlowConsumer(_) | Event::Disconnected => {
            warn!("the server of the cluster: {event}");
        }
        _ => debug!("the server of the cluster: {event}"),
    }
}

/// Trusts the server that this authority vouches for, and no other.
fn trusting(authority: &str) -> Result<ClientConfig, AccessError> {
    let broken = |error: &dyn std::fmt::Display| AccessError::Authority(error.to_string());
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

/// What a library's error means.
fn explain(url: &str, name: &Name, error: &async_nats::ConnectError) -> AccessError {
    let url = url.to_owned();
    let reason = || {
        let source = error.source().map(ToString::to_string);
        source.unwrap_or_else(|| error.kind().to_string())
    };
    match error.kind() {
        ConnectErrorKind::Dns => AccessError::Unknown {
            url,
            reason: reason(),
        },
        ConnectErrorKind::TimedOut => AccessError::Silent(url),
        ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
            AccessError::Denied {
                url,
                name: name.clone(),
            }
        }
        ConnectErrorKind::Tls => AccessError::Tls {
            url,
            reason: reason(),
        },
        _ => {
            let io = error.source().and_then(|source| source.downcast_ref());
            explain_io(url, io, reason)
        }
    }
}

fn explain_io(url: String, error: Option<&io::Error>, reason: impl Fn() -> String) -> AccessError {
    let tls = error.and_then(io::Error::get_ref);
    let tls = tls.and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match (error.map(io::Error::kind), tls) {
        (_, Some(rustls::Error::InvalidCertificate(wrong))) => AccessError::Certificate {
            url,
            reason: wrong.to_string(),
            way_out: way_out(wrong),
        },
        (_, Some(wrong)) => AccessError::Tls {
            url,
            reason: wrong.to_string(),
        },
        (Some(io::ErrorKind::ConnectionRefused), None) => AccessError::Refused(url),
        (Some(io::ErrorKind::TimedOut), None) => AccessError::Silent(url),
        (_, None) => AccessError::Other {
            url,
            reason: reason(),
        },
    }
}

fn way_out(wrong: &CertificateError) -> &'static str {
    match wrong {
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "its certificate is for other names; use one of those that `verdictd cluster init --host` was given"
        }
        CertificateError::NotValidYet
        | CertificateError::NotValidYetContext { .. }
        | CertificateError::Expired
        | CertificateError::ExpiredContext { .. } => "is the clock of this machine right?",
        _ => {
            "either another server listens there, or its folder was made anew; then take new credentials from it"
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use nkeys::KeyPair;

    use super::super::credentials::{Credentials, Role};
    use super::{Access, pause, version};
    use crate::cluster::subjects::Name;

    fn access(url: &str, has_credentials: bool, is_insecure: bool) -> Access {
        let name = Name::new("lab-07").unwrap();
        let credentials = has_credentials.then(|| Credentials {
            name: name.clone(),
            role: Role::Worker,
            url: "tls://grader:4222".to_owned(),
            seed: KeyPair::new_user().seed().unwrap(),
            certificate: String::new(),
        });
        Access {
            url: Some(url.to_owned()),
            name,
            credentials,
            is_insecure,
        }
    }

    #[test]
    fn only_what_nobody_can_listen_to_is_unencrypted() {
        for (url, has_credentials, is_insecure, says) in [
            ("tls://grader:4222", true, false, ""),
            ("tls://grader", true, false, ""),
            ("tls://grader:4222", false, false, "credentials are needed"),
            ("tls://grader:4222", false, true, "credentials are needed"),
            ("nats://grader:4222", true, false, "not encrypted"),
            ("nats://grader:4222", true, true, ""),
            ("nats://grader:4222", false, true, "credentials are needed"),
            ("grader:4222", true, false, "not encrypted"),
            ("nats://192.0.2.7", true, false, "not encrypted"),
            ("nats://127.0.0.1.example.org", true, false, "not encrypted"),
            (
                "nats://localhost.example.org",
                false,
                false,
                "not encrypted",
            ),
            ("nats://127.0.0.1:4222", false, false, ""),
            ("nats://localhost:4222", false, false, ""),
            ("nats://[::1]:4222", false, false, ""),
            (
                "tls://127.0.0.1:4222",
                false,
                false,
                "credentials are needed",
            ),
            ("ws://127.0.0.1:4222", false, false, "no address"),
            ("http://grader", true, false, "no address"),
            ("nats://u:p@127.0.0.1", false, false, "no address"),
            ("", true, false, "no address"),
        ] {
            let said = access(url, has_credentials, is_insecure).address();
            let said = said.err().map(|error| error.to_string());
            let said = said.unwrap_or_default();
            assert!(
                said.contains(says) && said.is_empty() == says.is_empty(),
                "{url}: {said}"
            );
        }
        let mut other = access("tls://grader", true, false);
        other.name = Name::new("lab-08").unwrap();
        let said = other.address().err().unwrap().to_string();
        assert!(said.contains("those of `lab-07`"), "{said}");
        let from_credentials = Access {
            url: None,
            ..access("", true, false)
        };
        assert_eq!(from_credentials.url().unwrap(), "tls://grader:4222");
    }

    #[test]
    fn pauses_grow_and_are_bounded() {
        let ms = |tries| pause(tries).as_millis();
        assert_eq!([1, 2, 3, 4].map(ms), [0, 100, 200, 400]);
        assert_eq!(pause(usize::MAX), Duration::from_secs(5));
    }

    #[test]
    fn versions() {
        assert_eq!(version("2.9.10"), Some((2, 9)));
        assert_eq!(version("2.10.0-beta.3"), Some((2, 10)));
        assert_eq!(version("dev"), None);
        assert!(version("2.8.4") < Some(super::OLDEST));
    }
}
