//! Names of hosts, as they stand in addresses and in `Host` headers.

use std::net::{IpAddr, Ipv6Addr};

/// The name in `name:port`, in `[address]:port`, or in one of these without a port; in lower case,
/// and without a dot at its end.
pub fn without_port(host: &str) -> Option<String> {
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
    let name = name.strip_suffix('.').unwrap_or(name);
    let is_good = port_is_good && !name.is_empty() && name.bytes().all(allowed);
    is_good.then(|| name.to_ascii_lowercase())
}

/// The IP address that a name is.
pub fn address(name: &str) -> Option<IpAddr> {
    let address = match name.strip_prefix('[') {
        Some(rest) => IpAddr::V6(rest.strip_suffix(']')?.parse::<Ipv6Addr>().ok()?),
        None => name.parse().ok()?,
    };
    Some(address.to_canonical())
}

/// Whether a name means the machine on which it is used.
pub fn is_loopback(name: &str) -> bool {
    name == "localhost"
        || name.ends_with(".localhost")
        || address(name).is_some_and(|address| address.is_loopback())
}
