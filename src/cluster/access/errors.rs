//! Why there is no connection, and the way out.

use std::error::Error;
use std::io;

use async_nats::rustls::{self, CertificateError};
use async_nats::{ConnectError, ConnectErrorKind};

use crate::cluster::subjects::Name;
use crate::domain::Complaint;

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

impl AccessError {
    pub(super) fn there(url: &str, reason: impl Into<String>) -> Self {
        Self::There(url.to_owned(), reason.into())
    }
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
