//! Under which name the dashboard was asked. A page elsewhere can point a name of its own at this
//! machine and look through a browser here; so only names that are this machine's are answered.
//! Pure.

use std::net::IpAddr;

use crate::config::{host_address, host_name, is_loopback};

/// What is wrong with how the dashboard was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostError {
    /// No `Host`, more than one, or one that is neither a host name nor an IP address.
    Unreadable,
    /// A name that is not this machine's.
    Foreign,
}

/// Whether a `Host` header, or the authority of a request's target, means this machine: any
/// loopback name, the address that was connected to, or the host of `url` in config.toml. Ports are
/// not compared, because a tunnel may have another one.
pub fn check(host: &str, local: IpAddr, known: Option<&str>) -> Result<(), HostError> {
    let name = host_name(host).ok_or(HostError::Unreadable)?;
    let is_own = host_address(&name).is_some_and(|address| address == local.to_canonical());
    if is_own || is_loopback(&name) || known == Some(name.as_str()) {
        Ok(())
    } else {
        Err(HostError::Foreign)
    }
}

#[cfg(test)]
mod tests {
    use super::{HostError, check};

    #[test]
    fn only_names_of_this_machine_are_answered() {
        let known = Some("grader.example");
        let foreign = Err(HostError::Foreign);
        let unreadable = Err(HostError::Unreadable);
        let own = "127.0.0.1:7878|127.0.0.1|localhost:9000|LOCALHOST|localhost.|a.localhost:1|\
                   [::1]:7878|127.8.9.1|localhost:";
        let foreigners = "evil.example|localhost.evil.example|127.0.0.1.evil.example|\
                          grader.example.evil|notlocalhost|2130706433";
        let nonsense = "|:80|localhost:80:80|localhost:x|localhost:123456|user@localhost|local host|\
                        [::1|[::1]x|localhost/x";
        for (hosts, local, expected) in [
            (own, "127.0.0.1", Ok(())),
            ("[::1]", "::1", Ok(())),
            ("192.0.2.7:7878", "192.0.2.7", Ok(())),
            ("[::ffff:192.0.2.7]|Grader.Example:80", "192.0.2.7", Ok(())),
            ("192.0.2.8", "192.0.2.7", foreign),
            (foreigners, "127.0.0.1", foreign),
            (nonsense, "127.0.0.1", unreadable),
        ] {
            for host in hosts.split('|') {
                let found = check(host, local.parse().unwrap(), known);
                assert_eq!(found, expected, "{host}");
            }
        }
    }
}
