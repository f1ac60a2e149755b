//! Personal links: the part of an address that nobody can guess, by which a student reaches their
//! own pages.
//!
//! A link is derived from the secret, the student's name and a number, so nothing has to be written
//! for somebody who joins. What is written is who has another link than the first one, and who has
//! none.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Secret;
use crate::domain::{Complaint, Digest, Student};
use crate::util::files::{read_regular, replace_private};

/// The file in the state folder.
const FILE: &str = "links.json";
/// Held by the process that changes it.
const LOCK: &str = "links.lock";
/// The largest such file: a hundred thousand students with long names.
const FILE_BYTES_MAX: u64 = 32 * 1024 * 1024;
const IS_FOR: &str = "it says which personal links are revoked";
/// What is done about a file that cannot be understood.
const REMEDY: &str = "put the file back from a backup: it says which personal links are revoked, so nobody is let in until it can be read";

/// The secret part of a link. It is shown to nobody but the one who asks for it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Token(Digest);

impl Token {
    /// 64 hexadecimal digits: no program that people paste links into breaks them.
    pub fn reveal(&self) -> String {
        self.0.to_string()
    }

    /// What stands for it where it is looked up: to find it tells nothing of the token, however
    /// long that takes.
    pub fn lookup(text: &str) -> blake3::Hash {
        blake3::hash(text.as_bytes())
    }
}

/// What the file says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    /// By student; whoever is not here has the first link.
    links: BTreeMap<String, Link>,
    /// How many links there were of names that were forgotten, by digests that only who knows the
    /// secret can make: whoever has such a name later has none of these links.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    forgotten: BTreeMap<String, u32>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Link {
    /// How many links there were before this one.
    number: u32,
    is_revoked: bool,
}

/// Everybody's links.
pub struct Links {
    secret: Secret,
    written: Written,
}

impl Links {
    /// Reads them; `None` if no link was ever asked for.
    pub fn read(state: &Path) -> Result<Option<Self>, Complaint> {
        let read = (Secret::read(state)?, read_file(state)?);
        Ok(match read {
            (Some(secret), Some(written)) => Some(Self { secret, written }),
            _ => None,
        })
    }

    /// Changes them, one process at a time; from the first time on there are links.
    pub fn change(state: &Path, change: impl FnOnce(&mut Self)) -> Result<Self, Complaint> {
        let secret = Secret::read_or_make(state)?;
        let file = state.join(LOCK);
        let lock = File::create(&file).and_then(|lock| lock.lock().map(|()| lock));
        let _lock = lock.map_err(|error| Complaint::new(&file, error).with_help(IS_FOR))?;
        let known = read_file(state)?;
        let written = known.clone().unwrap_or_default();
        let mut links = Self { secret, written };
        change(&mut links);
        if known.as_ref() != Some(&links.written) {
            let file = state.join(FILE);
            let text = serde_json::to_vec_pretty(&links.written).map_err(io::Error::other);
            text.and_then(|text| replace_private(&file, &text))
                .map_err(|error| Complaint::new(&file, error).with_help(IS_FOR))?;
        }
        Ok(links)
    }

    /// The file that another one takes the place of when links change.
    pub fn path(state: &Path) -> PathBuf {
        state.join(FILE)
    }

    /// A student's link; `None` if it is revoked.
    pub fn token(&self, student: &Student) -> Option<Token> {
        let link = self.link(student);
        let parts = [student.as_str().as_bytes(), &link.number.to_le_bytes()];
        let token = || Token(self.secret.derive("verdictd personal link", &parts));
        (!link.is_revoked).then(token)
    }

    /// Has a student's link lead nowhere.
    pub fn revoke(&mut self, student: &Student) {
        let link = Link {
            is_revoked: true,
            ..self.link(student)
        };
        self.written.links.insert(student.to_string(), link);
    }

    /// Gives a student another link; the one before leads nowhere from now on.
    pub fn renew(&mut self, student: &Student) {
        let link = Link {
            number: self.link(student).number.saturating_add(1),
            is_revoked: false,
        };
        self.written.links.insert(student.to_string(), link);
    }

    /// Forgets a student, and has the link lead nowhere, also for the next person of this name.
    pub fn forget(&mut self, student: &Student) {
        let used = self.link(student).number.saturating_add(1);
        self.written.links.remove(student.as_str());
        self.written.forgotten.insert(self.digest(student), used);
    }

    /// Whether something is written about a student's link.
    pub fn names(state: &Path, student: &Student) -> Result<bool, Complaint> {
        let known = read_file(state)?;
        Ok(known.is_some_and(|written| written.links.contains_key(student.as_str())))
    }

    /// What is written, or the first link: those of forgotten people of this name are used up.
    fn link(&self, student: &Student) -> Link {
        let known = self.written.links.get(student.as_str()).copied();
        known.unwrap_or_else(|| Link {
            number: self
                .written
                .forgotten
                .get(&self.digest(student))
                .copied()
                .unwrap_or(0),
            is_revoked: false,
        })
    }

    fn digest(&self, student: &Student) -> String {
        let name = [student.as_str().as_bytes()];
        self.secret
            .derive("verdictd forgotten name", &name)
            .to_string()
    }
}

fn read_file(state: &Path) -> Result<Option<Written>, Complaint> {
    let file = state.join(FILE);
    match read_regular(&file, FILE_BYTES_MAX) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Complaint::new(&file, error).with_help(IS_FOR)),
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|error| Complaint::new(&file, error).with_help(REMEDY)),
    }
}

#[cfg(test)]
mod tests {
    use super::{FILE, Links};
    use crate::util::samples::student;

    #[test]
    fn a_link_of_a_forgotten_student_leads_to_nobody_of_the_same_name() {
        for has_entry in [false, true] {
            let state = tempfile::tempdir().unwrap();
            // A name that no random letters spell.
            let ada = student("ada-lovelace");
            let mut before = Vec::new();
            let change = |links: &mut Links| {
                before.extend(links.token(&ada).map(|token| token.reveal()));
                if has_entry {
                    links.renew(&ada);
                    before.extend(links.token(&ada).map(|token| token.reveal()));
                    links.revoke(&ada);
                }
            };
            Links::change(state.path(), change).unwrap();
            assert_eq!(Links::names(state.path(), &ada).unwrap(), has_entry);
            Links::change(state.path(), |links| links.forget(&ada)).unwrap();
            assert!(!Links::names(state.path(), &ada).unwrap());
            let text = std::fs::read_to_string(state.path().join(FILE)).unwrap();
            assert!(!text.contains("ada-lovelace"), "{text}");
            let links = Links::change(state.path(), |_| ()).unwrap();
            let next = links.token(&ada).unwrap().reveal();
            assert!(!before.contains(&next), "{has_entry}");
            let links = Links::change(state.path(), |links| links.renew(&ada)).unwrap();
            let after = links.token(&ada).unwrap().reveal();
            assert!(after != next && !before.contains(&after), "{has_entry}");
        }
    }

    #[test]
    fn where_it_is_not_known_who_is_revoked_nobody_has_a_link() {
        let state = tempfile::tempdir().unwrap();
        Links::change(state.path(), |_| ()).unwrap();
        std::fs::write(state.path().join(FILE), "{\"links\": {").unwrap();
        let refused = Links::read(state.path()).err().unwrap().to_string();
        assert!(refused.contains("nobody is let in"), "{refused}");
    }
}
