//! Why there is no connection, and the way out.

use std::error::Error;
use std::io;

use async_nats::ConnectErrorKind;
use async_nats::rustls::{self, CertificateError};

use super::credentials::CredentialsError;
use crate::cluster::subjects::Name;

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// A file that cannot be used.
    #[error(transparent)]
    Credentials(#[from] CredentialsError),
    /// Nothing says what the course is called.
    #[error(
        "the course has no name on the server: write one into [cluster], as in `name = \"algorithms\"`"
    )]
    NoName,
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
            Self::Credentials(_)
            | Self::NoName
            | Self::Url(_)
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

/// What a library's error means.
pub(super) fn explain(url: &str, name: &Name, error: &async_nats::ConnectError) -> AccessError {
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
