//! The dashboard: where it listens, under which address it is opened, and who reads what there; and
//! names of hosts, as they stand in addresses and in `Host` headers.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::rules::{Check, Rule, Wrong, file, unless_empty};

/// Length of the dashboard's address, in bytes.
const URL_BYTES_MAX: usize = 1_000;

/// Where the book is from the program's folder on: where both are installed, and in a checkout.
const BOOKS: [&str; 2] = ["../share/doc/verdictd/book", "../book"];

/// The dashboard.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Web {
    /// Whether there is one.
    pub enabled: bool,
    /// Where the student view listens.
    pub students: SocketAddr,
    /// Where the staff view listens.
    pub staff: SocketAddr,
    /// The file with the staff's token; without one there is no staff view.
    #[serde(deserialize_with = "unless_empty")]
    pub staff_token_file: Option<PathBuf>,
    /// Where students' browsers find the student view; `None` for the address above.
    #[serde(deserialize_with = "unless_empty")]
    pub url: Option<Url>,
    /// The folder of the book, if the file says so; otherwise it was installed with the program.
    #[serde(deserialize_with = "unless_empty")]
    pub(super) book: Option<PathBuf>,
    /// What everybody who can connect reads, if the file says so.
    #[serde(deserialize_with = "unless_empty")]
    public: Option<Public>,
}

/// The address that browsers open.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Url {
    /// The whole, without a slash at its end.
    pub text: String,
    /// The host in it, under which requests are answered.
    pub host: String,
}

/// What everybody who can connect to the students' pages reads. Each answer shows less than the
/// one before; with all of them a personal link shows its student's own reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Public {
    /// Names, verdicts and everybody's reports.
    Reports,
    /// Names and verdicts.
    Names,
    /// Verdicts, under names that nobody can trace back.
    Pseudonyms,
    /// Nothing about anybody.
    Nothing,
}

impl Web {
    /// What everybody who can connect reads. Reports are read from other machines only if the file
    /// says so.
    pub fn public(&self) -> Public {
        self.public.unwrap_or(if self.is_local() {
            Public::Reports
        } else {
            Public::Names
        })
    }

    /// Whether the students' pages are for this machine alone. Where `url` has another machine's
    /// name, a proxy lets others in.
    pub fn is_local(&self) -> bool {
        self.students.ip().is_loopback()
            && self.url.as_ref().is_none_or(|url| is_loopback(&url.host))
    }

    /// The folders in which the book may be.
    pub fn books(&self) -> Vec<PathBuf> {
        if let Some(book) = &self.book {
            return vec![book.clone()];
        }
        let program = std::env::current_exe().ok();
        let beside = program.as_deref().and_then(Path::parent);
        let found = beside.map(|folder| BOOKS.map(|book| folder.join(book)));
        found.into_iter().flatten().collect()
    }

    /// The address under which students open the dashboard.
    pub fn home(&self) -> String {
        match &self.url {
            Some(url) => url.text.clone(),
            None => format!("http://{}", self.students),
        }
    }
}

/// What is said about keys that this table had before it was released.
pub fn renamed(key: &str) -> Option<(String, String)> {
    let help = match key {
        "board" | "share_reports" => {
            "who reads what is one key under [web]: `public` = \"reports\", \"names\", \"pseudonyms\" or \"nothing\""
        }
        "hosts" => {
            "write the address that browsers open, as in `url = \"https://grader.example.org\"` under [web]: its host is answered"
        }
        _ => return None,
    };
    Some((format!("unknown key `{key}`"), help.to_owned()))
}

/// What the values may be.
pub(super) const RULES: [Rule; 5] = [
    ("web.students", Check::Text(check_address::<7878>)),
    ("web.staff", Check::Text(check_address::<7879>)),
    ("web.staff_token_file", Check::Text(file)),
    ("web.book", Check::Text(file)),
    ("web.url", Check::Text(url)),
];

impl TryFrom<String> for Url {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let text = text.trim_end_matches('/');
        let host = ["https://", "http://"]
            .into_iter()
            .find_map(|scheme| text.strip_prefix(scheme))
            .filter(|_| text.len() <= URL_BYTES_MAX)
            .and_then(host_name)
            .ok_or("not an address")?;
        let text = text.to_owned();
        Ok(Self { text, host })
    }
}

fn url(text: &str) -> Result<(), Wrong> {
    Wrong::unless(
        text.is_empty() || Url::try_from(text.to_owned()).is_ok(),
        "`{key}` is not an address that a browser opens",
        "write how students reach the dashboard, as in \"https://grader.example.org\": a host of its own or a port, no folder",
    )
}

fn check_address<const PORT: u16>(text: &str) -> Result<(), Wrong> {
    Wrong::unless(
        text.parse::<SocketAddr>().is_ok(),
        "`{key}` is not an address with a port",
        format!(
            "write it in numbers: \"127.0.0.1:{PORT}\" for this machine alone, \"0.0.0.0:{PORT}\" for every machine that can reach it, \"[::1]:{PORT}\" for IPv6"
        ),
    )
}

/// The name in `name:port`, in `[address]:port`, or in one of these without a port; in lower case,
/// and without a dot at its end.
pub fn host_name(host: &str) -> Option<String> {
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
pub fn host_address(name: &str) -> Option<IpAddr> {
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
        || host_address(name).is_some_and(|address| address.is_loopback())
}
