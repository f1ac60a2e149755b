//! Personal links: the part of an address that nobody can guess, by which a student reaches their
//! own pages.
//!
//! A link is derived from the secret, the student's name and a number, so nothing has to be written
//! for somebody who joins. What is written is who has another link than the first one, and who has
//! none.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::secret::{Secret, SecretError};
use super::shape;
use crate::domain::{Digest, Student};
use crate::util::files::{read_regular, replace_private};

/// The file in the state folder.
const FILE: &str = "links.json";
/// Held by whoever changes it.
const LOCK: &str = "links.lock";
/// The largest such file: a hundred thousand students with long names.
const FILE_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// Why links cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum LinksError {
    #[error(transparent)]
    Secret(#[from] SecretError),
    #[error("{}: {source}; it says which personal links are revoked", .file.display())]
    File { file: PathBuf, source: io::Error },
    #[error("{}: {source}; put the file back from a backup: it says which personal links are revoked, so nobody is let in until it can be read", .file.display())]
    Content {
        file: PathBuf,
        source: serde_json::Error,
    },
}

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

/// Everybody's links.
pub struct Links {
    secret: Secret,
    file: shape::File,
}

impl Links {
    /// Reads them; `None` if no link was ever asked for.
    pub fn read(state: &Path) -> Result<Option<Self>, LinksError> {
        let Some(secret) = Secret::read(state)? else {
            return Ok(None);
        };
        let Some(file) = read_file(state)? else {
            return Ok(None);
        };
        Ok(Some(Self { secret, file }))
    }

    /// Changes them, one process at a time; from the first time on there are links.
    pub fn change<T>(
        state: &Path,
        change: impl FnOnce(&mut Self) -> T,
    ) -> Result<(Self, T), LinksError> {
        let secret = Secret::read_or_make(state)?;
        let failed = |file: &str| {
            let file = state.join(file);
            |source| LinksError::File { file, source }
        };
        let lock = File::create(state.join(LOCK)).map_err(failed(LOCK))?;
        lock.lock().map_err(failed(LOCK))?;
        let known = read_file(state)?;
        let mut links = Self {
            secret,
            file: known.clone().unwrap_or_default(),
        };
        let told = change(&mut links);
        if known.as_ref() != Some(&links.file) {
            let path = state.join(FILE);
            let text = serde_json::to_vec_pretty(&links.file);
            let text = text.map_err(|source| LinksError::Content {
                file: path.clone(),
                source,
            })?;
            replace_private(&path, &text).map_err(failed(FILE))?;
        }
        Ok((links, told))
    }

    /// The file that another one takes the place of when links change.
    pub fn path(state: &Path) -> PathBuf {
        state.join(FILE)
    }

    /// A student's link; `None` if it is revoked.
    pub fn token(&self, student: &Student) -> Option<Token> {
        let known = self.file.links.get(student.as_str());
        let number = known.map_or_else(|| self.first(student), |link| link.number);
        if known.is_some_and(|link| link.is_revoked) {
            return None;
        }
        let parts = [student.as_str().as_bytes(), &number.to_le_bytes()];
        Some(Token(self.secret.derive("verdictd personal link", &parts)))
    }

    /// Has a student's link lead nowhere.
    pub fn revoke(&mut self, student: &Student) {
        self.link(student).is_revoked = true;
    }

    /// Gives a student another link; the one before leads nowhere from now on.
    pub fn renew(&mut self, student: &Student) {
        let link = self.link(student);
        link.number = link.number.saturating_add(1);
        link.is_revoked = false;
    }

    /// Forgets a student, and has the link lead nowhere, also for the next person of this name.
    pub fn forget(&mut self, student: &Student) {
        let first = self.first(student);
        let known = self.file.links.remove(student.as_str());
        let number = known.map_or(first, |link| link.number);
        let name = self.digest(student);
        let forgotten = &mut self.file.forgotten;
        forgotten.insert(name, number.saturating_add(1));
    }

    /// Whether something is written about a student's link.
    pub fn names(state: &Path, student: &Student) -> Result<bool, LinksError> {
        let known = read_file(state)?;
        Ok(known.is_some_and(|file| file.links.contains_key(student.as_str())))
    }

    fn link(&mut self, student: &Student) -> &mut shape::Link {
        let number = self.first(student);
        let links = &mut self.file.links;
        links.entry(student.to_string()).or_insert(shape::Link {
            number,
            is_revoked: false,
        })
    }

    /// The number of a student's first link: those of forgotten people of this name are used up.
    fn first(&self, student: &Student) -> u32 {
        let forgotten = self.file.forgotten.get(&self.digest(student));
        forgotten.copied().unwrap_or(0)
    }

    fn digest(&self, student: &Student) -> String {
        let name = [student.as_str().as_bytes()];
        let digest = self.secret.derive("verdictd forgotten name", &name);
        digest.to_string()
    }
}

fn read_file(state: &Path) -> Result<Option<shape::File>, LinksError> {
    let file = state.join(FILE);
    match read_regular(&file, FILE_BYTES_MAX) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(LinksError::File { file, source }),
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|source| LinksError::Content { file, source }),
    }
}

#[cfg(test)]
mod tests {
    use super::{FILE, Links, LinksError};
    use crate::util::samples::student;

    #[test]
    fn a_link_stays_until_it_is_revoked_or_another_one_takes_its_place() {
        let state = tempfile::tempdir().unwrap();
        assert!(Links::read(state.path()).unwrap().is_none());
        let (ada, bo) = (student("ada"), student("bo"));
        let (links, ()) = Links::change(state.path(), |_| ()).unwrap();
        let first = links.token(&ada).unwrap().reveal();
        assert_eq!(first.len(), 64);
        assert_ne!(first, links.token(&bo).unwrap().reveal());
        let again = Links::read(state.path()).unwrap().unwrap();
        assert_eq!(again.token(&ada).unwrap().reveal(), first);
        let (links, ()) = Links::change(state.path(), |links| links.revoke(&ada)).unwrap();
        assert!(links.token(&ada).is_none() && links.token(&bo).is_some());
        let (links, ()) = Links::change(state.path(), |links| links.renew(&ada)).unwrap();
        let second = links.token(&ada).unwrap().reveal();
        assert_ne!(first, second);
        let again = Links::read(state.path()).unwrap().unwrap();
        assert_eq!(again.token(&ada).unwrap().reveal(), second);
    }

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
            let (links, ()) = Links::change(state.path(), |_| ()).unwrap();
            let next = links.token(&ada).unwrap().reveal();
            assert!(!before.contains(&next), "{has_entry}");
            let (links, ()) = Links::change(state.path(), |links| links.renew(&ada)).unwrap();
            let after = links.token(&ada).unwrap().reveal();
            assert!(after != next && !before.contains(&after), "{has_entry}");
        }
    }

    #[test]
    fn where_it_is_not_known_who_is_revoked_nobody_has_a_link() {
        let state = tempfile::tempdir().unwrap();
        Links::change(state.path(), |_| ()).unwrap();
        std::fs::write(state.path().join(FILE), "{\"links\": {").unwrap();
        let refused = Links::read(state.path()).err().unwrap();
        assert!(matches!(refused, LinksError::Content { .. }), "{refused}");
    }
}
