//! Which cores are in use by the daemons of this machine, whosever they are: each holds a name for
//! every core on which it measures. The kernel keeps the names, as those of sockets in its abstract
//! name space, and takes them back from a process that ends, however it ends.

use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};

/// Beginning of the names.
const NAME: &str = "verdictd/core";

/// A core that is claimed, until it is dropped. Nobody listens on its socket.
#[derive(Debug)]
pub struct Claim(#[expect(dead_code, reason = "holding it is what claims")] UnixListener);

impl Claim {
    /// Claims a core by the number of its first processor, unless somebody else has it. Where the
    /// kernel has no such names, everybody gets what they ask for.
    pub fn of(core: usize) -> Result<Option<Self>, Taken> {
        let name = format!("{NAME}/{core}");
        match SocketAddr::from_abstract_name(name).and_then(|name| UnixListener::bind_addr(&name)) {
            Ok(held) => Ok(Some(Self(held))),
            Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => Err(Taken),
            Err(error) => {
                tracing::debug!(%error, "cores cannot be claimed");
                Ok(None)
            }
        }
    }
}

/// Another daemon measures there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken;

#[cfg(test)]
mod tests {
    use super::Claim;

    #[test]
    fn a_core_is_claimed_once_until_it_is_given_back() {
        // No machine has as many.
        let core = 1_000_000 + std::process::id() as usize;
        let held = Claim::of(core);
        assert!(held.is_ok());
        assert!(Claim::of(core).is_err());
        assert!(Claim::of(core + 1).is_ok());
        drop(held);
        assert!(Claim::of(core).is_ok());
    }
}
