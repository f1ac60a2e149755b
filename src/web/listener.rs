//! Where each view listens, and why one cannot.

use std::net::{SocketAddr, TcpListener};

use super::token::{Token, TokenError};
use crate::config;
use crate::domain::Complaint;
use crate::report::Audience;

/// Connections that may wait to be taken.
const BACKLOG: i32 = 1_024;

/// Why a view is not there.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    /// Nothing can listen at the address.
    #[error(
        "{address}: {source}; another program has the port, or another daemon: name another address as [web] {key} in the configuration"
    )]
    Listen {
        address: SocketAddr,
        /// Its key in config.toml.
        key: &'static str,
        source: std::io::Error,
    },
    /// There is no good token.
    #[error("the token of the staff view: {0}")]
    Token(#[from] TokenError),
    /// Students cannot be called anything else than by their names.
    #[error("the students' view, which shows pseudonyms: {0}")]
    Secret(#[from] Complaint),
    /// Grading needs every descriptor that there is.
    #[error(
        "the limit of open files is {limit}, and grading may need {needed} of them: no connection is left; raise the hard limit (ulimit -Hn, or LimitNOFILE= of the service)"
    )]
    Descriptors {
        /// The limit of this process.
        limit: usize,
        /// What grading may need.
        needed: usize,
    },
    #[error("start the thread: {0}")]
    Start(std::io::Error),
}

/// A view that is to be.
pub struct Listener {
    pub audience: Audience,
    pub address: SocketAddr,
    pub key: &'static str,
    pub token: Option<Token>,
}

/// The views that config.toml asks for.
pub fn listeners(web: &config::Web) -> Vec<Result<Listener, WebError>> {
    if !web.enabled {
        return Vec::new();
    }
    let students = Listener {
        audience: Audience::Student,
        address: web.students,
        key: "students",
        token: None,
    };
    let staff = web.staff_token_file.as_ref().map(|file| {
        Ok(Listener {
            audience: Audience::Staff,
            address: web.staff,
            key: "staff",
            token: Some(Token::read(file)?),
        })
    });
    [Ok(students)].into_iter().chain(staff).collect()
}

impl Listener {
    /// Binds its address.
    pub fn open(self) -> Result<(TcpListener, SocketAddr, Self), WebError> {
        let listen = || {
            // The standard library sets SO_REUSEADDR, so that a restart finds its port free.
            let listener = TcpListener::bind(self.address)?;
            listener.set_nonblocking(true)?;
            rustix::net::listen(&listener, BACKLOG)?;
            let address = listener.local_addr()?;
            Ok((listener, address))
        };
        let (listener, address) = listen().map_err(|source| WebError::Listen {
            address: self.address,
            key: self.key,
            source,
        })?;
        Ok((listener, address, self))
    }
}
