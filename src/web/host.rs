//! Under which name the dashboard was asked. A page elsewhere can point a name of its own at this
//! machine and look through a browser here;
//! so only names that are this machine's are answered. Pure.

use std::net::{IpAddr, Ipv6Addr};

/// What is wrong with how the dashboard was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostError {
    /// No `Host`, more than one, or one that is neither a host name nor an IP address.
    Unreadable,
    /// A name that is not this machine's.
    Foreign,
}

/// Whether a `Host` header, or the authority of a request's target, means this machine: any
/// loopback name, the address that was connected to,
/// or a name from config.toml. Ports are not compared, because a tunnel may have another one.
pub fn check(host: &str, local: IpAddr, known: &[String]) -> Result<(), HostError> {
    let name = without_port(host).ok_or(HostError::Unreadable)?;
    let name = name.to_ascii_lowercase();
    if let Some(address) = address(&name) {
        let own = address.to_canonical() == local.to_canonical();
        return own_or_foreign(own || address.to_canonical().is_loopback());
    }
    let name = name.strip_suffix('.').unwrap_or(&name);
    let loopback = name == "localhost" || name.ends_with(".localhost");
    own_or_foreign(loopback || known.iter().any(|known| known == name))
}

fn own_or_foreign(own: bool) -> Result<(), HostError> {
    if own { Ok(()) } else { Err(HostError::Foreign) }
}

/// `name:port`, `[address]:port`, or one without a port.
fn without_port(host: &str) -> Option<&str> {
    let (name, port) = if host.starts_with('[') {
        let end = host.find(']')?;
        host.split_at(end + 1)
    } else {
        host.split_at(host.find(':').unwrap_or(host.len()))
    };
    let port_is_good = match port.strip_prefix(':') {
        None => port.is_empty(),
        Some(digits) => digits.len() <= 5 && digits.bytes().all(|byte| byte.is_ascii_digit()),
    };
    let allowed = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'[' | b']' | b':')
    };
    (port_is_good && !name.is_empty() && name.bytes().all(allowed)).then_some(name)
}

fn address(name: &str) -> Option<IpAddr> {
    match name.strip_prefix('[') {
        Some(rest) => rest
            .strip_suffix(']')?
            .parse::<Ipv6Addr>()
            .ok()
            .map(IpAddr::V6),
        None => name.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::{HostError, check};

    #[test]
    fn only_names_of_this_machine_are_answered() {
        let known = ["grader.example".to_owned()];
        let foreign = Err(HostError::Foreign);
        let unreadable = Err(HostError::Unreadable);
        for (host, local, expected) in [
            ("127.0.0.1:7878", "127.0.0.1", Ok(())),
            ("127.0.0.1", "127.0.0.1", Ok(())),
            ("localhost:9000", "127.0.0.1", Ok(())),
            ("LOCALHOST", "127.0.0.1", Ok(())),
            ("localhost.", "127.0.0.1", Ok(())),
            ("a.localhost:1", "127.0.0.1", Ok(())),
            ("[::1]:7878", "127.0.0.1", Ok(())),
            ("[::1]", "::1", Ok(())),
            ("127.8.9.1", "127.0.0.1", Ok(())),
            ("192.0.2.7:7878", "192.0.2.7", Ok(())),
            ("[::ffff:192.0.2.7]", "192.0.2.7", Ok(())),
            ("Grader.Example:80", "192.0.2.7", Ok(())),
            ("192.0.2.8", "192.0.2.7", foreign),
            ("evil.example", "127.0.0.1", foreign),
            ("localhost.evil.example", "127.0.0.1", foreign),
            ("127.0.0.1.evil.example", "127.0.0.1", foreign),
            ("grader.example.evil", "127.0.0.1", foreign),
            ("notlocalhost", "127.0.0.1", foreign),
            ("2130706433", "127.0.0.1", foreign),
            ("", "127.0.0.1", unreadable),
            (":80", "127.0.0.1", unreadable),
            ("localhost:", "127.0.0.1", Ok(())),
            ("localhost:80:80", "127.0.0.1", unreadable),
            ("localhost:x", "127.0.0.1", unreadable),
            ("localhost:123456", "127.0.0.1", unreadable),
            ("user@localhost", "127.0.0.1", unreadable),
            ("local host", "127.0.0.1", unreadable),
            ("[::1", "127.0.0.1", unreadable),
            ("[::1]x", "127.0.0.1", unreadable),
            ("localhost/x", "127.0.0.1", unreadable),
        ] {
            assert_eq!(
                check(host, local.parse().unwrap(), &known),
                expected,
                "{host}"
            );
        }
    }
}
