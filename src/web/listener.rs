//! Where each view listens, and why one cannot.

use std::io;
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
        source: io::Error,
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
    Start(io::Error),
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

/// The sockets that are bound. They stay so while the daemon starts anew: whoever comes meanwhile
/// waits, and is not refused.
#[derive(Default)]
pub struct Sockets(Vec<(Audience, SocketAddr, TcpListener)>);

impl Sockets {
    /// Gives back those of views that are not served: whoever comes is refused, and does not wait.
    pub fn keep_served(&mut self, served: &[(Audience, SocketAddr)]) {
        let is_served = |view| served.iter().any(|(audience, _)| *audience == view);
        self.0.retain(|(view, _, _)| is_served(*view));
    }

    /// Gives those back that are not wanted any more.
    pub fn keep(&mut self, wanted: &[Result<Listener, WebError>]) {
        self.0.retain(|(view, address, _)| {
            let mut wanted = wanted.iter().flatten();
            wanted.any(|listener| (listener.audience, listener.address) == (*view, *address))
        });
    }

    /// The socket of a view: bound now, or still bound.
    pub fn open(
        &mut self,
        listener: Listener,
    ) -> Result<(TcpListener, SocketAddr, Listener), WebError> {
        let opened = self.socket(&listener).map_err(|source| WebError::Listen {
            address: listener.address,
            key: listener.key,
            source,
        });
        let (socket, address) = opened?;
        Ok((socket, address, listener))
    }

    fn socket(&mut self, listener: &Listener) -> io::Result<(TcpListener, SocketAddr)> {
        let mut bound = self.0.iter();
        let bound = bound.find(|(view, _, _)| *view == listener.audience);
        let socket = if let Some((_, _, socket)) = bound {
            socket.try_clone()?
        } else {
            // The standard library sets SO_REUSEADDR, so that a restart finds its port free.
            let socket = TcpListener::bind(listener.address)?;
            socket.set_nonblocking(true)?;
            rustix::net::listen(&socket, BACKLOG)?;
            let kept = (listener.audience, listener.address, socket.try_clone()?);
            self.0.push(kept);
            socket
        };
        let address = socket.local_addr()?;
        Ok((socket, address))
    }
}
