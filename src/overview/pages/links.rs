//! Links from one page to another: relative, so that they lead on from the disk and from a server alike.

use std::path::{Component, Path};

use crate::overview::Entry;
use crate::report::{Audience, Reports};

/// Where the links of one page begin.
pub(super) struct Links<'a> {
    pub reports: &'a Reports,
    pub audience: Audience,
    /// The way up from the page to the folder of its audience: "" or "../".
    pub up: &'static str,
}

impl Links<'_> {
    /// To the report of an attempt.
    pub fn report(&self, entry: &Entry) -> String {
        let (student, problem) = (&entry.student, &entry.problem);
        let path = self
            .reports
            .path(self.audience, student, problem, entry.attempt, "html");
        self.to(&path)
    }

    /// To any file of this audience.
    pub fn to(&self, path: &Path) -> String {
        let folder = self.reports.folder(self.audience);
        let below = path.strip_prefix(folder).unwrap_or(path);
        let mut link = self.up.to_owned();
        let names = below.components().filter_map(|component| match component {
            Component::Normal(name) => Some(name.as_encoded_bytes()),
            _ => None,
        });
        for (number, name) in names.enumerate() {
            if number > 0 {
                link.push('/');
            }
            encode(name, &mut link);
        }
        link
    }
}

/// A file name as a part of a URL: whatever is not plain is spelt by its bytes.
fn encode(name: &[u8], link: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for &byte in name {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            link.push(char::from(byte));
        } else {
            link.push('%');
            link.push(char::from(DIGITS[usize::from(byte >> 4)]));
            link.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Links;
    use crate::report::{Audience, Reports};

    #[test]
    fn names_of_any_kind_lead_somewhere() {
        let reports = Reports::new(Path::new("r"), Path::new("s"));
        let links = Links {
            reports: &reports,
            audience: Audience::Staff,
            up: "../",
        };
        for (name, link) in [
            ("alpha/index.html", "../alpha/index.html"),
            ("a b#?%/x", "../a%20b%23%3F%25/x"),
            ("javascript:x", "../javascript%3Ax"),
            ("é\"'<", "../%C3%A9%22%27%3C"),
        ] {
            assert_eq!(links.to(&Path::new("s").join(name)), link);
        }
    }
}
