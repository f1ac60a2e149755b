//! The table `[web]`: where the dashboard listens, and what it shows to whom.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use toml::Spanned;

use super::error::ConfigError;
use super::file::WebKeys;
use super::place::Place;
use super::resolve::tidy;

/// Further host names that are accepted.
const HOSTS_MAX: usize = 32;
/// Length of a host name, in bytes, as the domain name system has it.
const HOST_BYTES_MAX: usize = 253;
/// Where the student view listens.
const STUDENTS: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7878);
/// Where the staff view listens.
const STAFF: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7879);
/// The words of `share_reports`.
const SHARING: [(&str, ShareReports); 3] = [
    ("auto", ShareReports::Auto),
    ("always", ShareReports::Always),
    ("never", ShareReports::Never),
];

/// The dashboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Web {
    /// Whether there is one.
    pub enabled: bool,
    /// Where the student view listens.
    pub students: SocketAddr,
    /// Where the staff view listens.
    pub staff: SocketAddr,
    /// The file with the staff's token; without one there is no staff view.
    pub staff_token_file: Option<PathBuf>,
    /// Host names under which it may be asked, beside this machine's own; in lower case.
    pub hosts: Vec<String>,
    /// Whether the student view shows reports.
    pub share_reports: ShareReports,
}

/// Whether the student view shows students' reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShareReports {
    /// Where only this machine can connect, and nothing that asks under another name, as a proxy does.
    Auto,
    /// To everybody who can connect.
    Always,
    /// To nobody.
    Never,
}

impl Web {
    /// Whether the student view shows reports at the address where it listens.
    pub fn shares_reports(&self) -> bool {
        match self.share_reports {
            ShareReports::Auto => self.students.ip().is_loopback() && self.hosts.is_empty(),
            ShareReports::Always => true,
            ShareReports::Never => false,
        }
    }
}

impl Place<'_> {
    pub(super) fn web(&self, base: &Path, keys: &WebKeys) -> Result<Web, ConfigError> {
        let students = self.address("students", keys.students.as_ref(), STUDENTS)?;
        let staff = self.address("staff", keys.staff.as_ref(), STAFF)?;
        if students == staff && students.port() != 0 {
            let shown = keys.staff.as_ref().or(keys.students.as_ref());
            return Err(self.error(
                shown.map_or(0..0, Spanned::span),
                "`students` and `staff` are the same address",
                "give each view a port of its own",
            ));
        }
        Ok(Web {
            enabled: keys.enabled.as_ref().is_none_or(|value| *value.get_ref()),
            students,
            staff,
            staff_token_file: self.token_file(base, keys.staff_token_file.as_ref())?,
            hosts: self.hosts(keys.hosts.as_ref())?,
            share_reports: self.sharing(keys.share_reports.as_ref())?,
        })
    }

    fn address(
        &self,
        key: &str,
        value: Option<&Spanned<String>>,
        default: SocketAddr,
    ) -> Result<SocketAddr, ConfigError> {
        let Some(value) = value else {
            return Ok(default);
        };
        value.get_ref().parse().map_err(|_| {
            self.error(
                value.span(),
                format!("`{key}` is not an address with a port"),
                format!(
                    "write it in numbers: \"{default}\" for this machine alone, \"0.0.0.0:{}\" for every machine that can reach it, \"[::1]:{}\" for IPv6",
                    default.port(),
                    default.port()
                ),
            )
        })
    }

    fn token_file(
        &self,
        base: &Path,
        value: Option<&Spanned<String>>,
    ) -> Result<Option<PathBuf>, ConfigError> {
        let Some(value) = value.filter(|value| !value.get_ref().is_empty()) else {
            return Ok(None);
        };
        if value.get_ref().contains('\0') {
            return Err(self.error(
                value.span(),
                "`staff_token_file` is not a path",
                "write the path of a file; a relative one begins at this file's folder",
            ));
        }
        Ok(Some(tidy(&base.join(value.get_ref()))))
    }

    fn hosts(
        &self,
        value: Option<&Spanned<Vec<Spanned<String>>>>,
    ) -> Result<Vec<String>, ConfigError> {
        let Some(value) = value else {
            return Ok(Vec::new());
        };
        if value.get_ref().len() > HOSTS_MAX {
            return Err(self.error(
                value.span(),
                format!("there are more than {HOSTS_MAX} host names"),
                "name only those under which the dashboard is opened",
            ));
        }
        value
            .get_ref()
            .iter()
            .map(|host| {
                let name = host.get_ref();
                let allowed =
                    |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
                if name.is_empty() || name.len() > HOST_BYTES_MAX || !name.bytes().all(allowed) {
                    return Err(self.error(
                        host.span(),
                        format!("{name:?} is not a host name"),
                        "write the name alone, as in \"grader.example.org\": no `http://`, no port",
                    ));
                }
                Ok(name.to_ascii_lowercase())
            })
            .collect()
    }

    fn sharing(&self, value: Option<&Spanned<String>>) -> Result<ShareReports, ConfigError> {
        self.choice("share_reports", value, &SHARING)
    }
}
