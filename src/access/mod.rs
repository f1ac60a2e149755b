//! How somebody is let in, or kept apart, without a password: personal links and pseudonyms, both
//! made from the secret of a course, 256 random bits in the state folder that only the daemon's
//! user can read.

mod links;

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::domain::{Complaint, Digest, Student};
use crate::util::files::{create_new_private, make_folder_with, read_regular};
use crate::util::hash::Key;

pub use links::{Links, Token};

/// The file in the state folder.
const FILE: &str = "secret";
/// Its size: the secret in hexadecimal digits and a line feed.
const FILE_BYTES_MAX: u64 = 65;
/// Rights of others on it.
const OTHERS: u32 = 0o077;
/// Of the state folder where nothing has made it yet, as the store makes it.
const FOLDER_MODE: u32 = 0o700;

const IS_FOR: &str = "links and pseudonyms are made from this file";
/// Signs that are told apart from the back of a room; without vowels they make no words.
const SIGNS: &[u8; 25] = b"bcdfghjkmnpqrstvwxz234567";
/// Signs of a pseudonym: among thousands of students no two have the same.
const LENGTH: usize = 8;

/// What nobody can guess, and everything is derived from.
pub struct Secret([u8; 32]);

impl Secret {
    /// Where it is.
    pub fn path(state: &Path) -> PathBuf {
        state.join(FILE)
    }

    /// Reads it; `None` if it was not made yet.
    pub fn read(state: &Path) -> Result<Option<Self>, Complaint> {
        let file = state.join(FILE);
        let failed = |error| Complaint::new(&file, error).with_help(IS_FOR);
        let mode = match std::fs::metadata(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            found => found.map_err(failed)?.mode() & 0o7777,
        };
        if mode & OTHERS != 0 {
            let reason = format!("others on this machine can read it (mode {mode:o})");
            return Err(Complaint::new(file, reason).with_help(
                "`chmod 600` it, and if somebody may have read it, delete it: every link is then another one",
            ));
        }
        let bytes = read_regular(&file, FILE_BYTES_MAX).map_err(failed)?;
        let text = std::str::from_utf8(&bytes).unwrap_or_default();
        let secret = Digest::parse(text.trim()).map(|digest| Self(digest.0));
        secret.map(Some).ok_or_else(|| {
            Complaint::new(file, "it is not what verdictd wrote there").with_help(
                "put it back from a backup, or delete it: every link is then another one",
            )
        })
    }

    /// Reads it, or makes it where there is none.
    pub fn read_or_make(state: &Path) -> Result<Self, Complaint> {
        if let Some(secret) = Self::read(state)? {
            return Ok(secret);
        }
        let file = state.join(FILE);
        let failed = |error| Complaint::new(&file, error).with_help(IS_FOR);
        match Self::make(state, &file) {
            // Another process was faster: its secret is the one.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => made.map_err(failed)?,
        }
        Self::read(state)?.ok_or_else(|| failed(io::ErrorKind::NotFound.into()))
    }

    fn make(state: &Path, file: &Path) -> io::Result<()> {
        make_folder_with(state, FOLDER_MODE)?;
        let mut bytes = [0; 32];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        create_new_private(file, format!("{}\n", Digest(bytes)).as_bytes())
    }

    /// A digest that only who knows the secret can make.
    fn derive(&self, what: &str, parts: &[&[u8]]) -> Digest {
        let begin = Key::new(what).part(&self.0);
        parts
            .iter()
            .fold(begin, |key, part| key.part(part))
            .finish()
    }

    #[cfg(test)]
    pub fn sample(byte: u8) -> Self {
        Self([byte; 32])
    }
}

/// What students are called on a board that does not name them: always the same within a course,
/// and nothing that anybody without the secret can trace back.
pub struct Pseudonyms(Secret);

impl Pseudonyms {
    pub fn new(secret: Secret) -> Self {
        Self(secret)
    }

    /// What a student is called: `k7fb-5qxd`.
    pub fn of(&self, student: &Student) -> String {
        let digest = self
            .0
            .derive("verdictd pseudonym", &[student.as_str().as_bytes()]);
        let [number, ..] = digest.0.as_chunks::<8>().0 else {
            return String::new();
        };
        let mut number = u64::from_le_bytes(*number);
        let mut name = String::with_capacity(LENGTH + 1);
        for place in 0..LENGTH {
            if place == LENGTH / 2 {
                name.push('-');
            }
            let count = SIGNS.len() as u64;
            let sign = usize::try_from(number % count).unwrap_or_default();
            name.push(char::from(SIGNS[sign]));
            number /= count;
        }
        name
    }
}

impl fmt::Debug for Pseudonyms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pseudonyms")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use super::{FILE, Pseudonyms, Secret};
    use crate::domain::Student;

    #[test]
    fn a_secret_is_made_once_and_is_nobody_elses() {
        let state = tempfile::tempdir().unwrap();
        assert!(Secret::read(state.path()).unwrap().is_none());
        let made = Secret::read_or_make(state.path()).unwrap();
        assert_eq!(made.0, Secret::read_or_make(state.path()).unwrap().0);
        let elsewhere = tempfile::tempdir().unwrap();
        assert_ne!(made.0, Secret::read_or_make(elsewhere.path()).unwrap().0);
        let file = state.path().join(FILE);
        assert_eq!(file.metadata().unwrap().mode() & 0o777, 0o600);
        std::fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        let refused = Secret::read(state.path()).err().unwrap();
        assert!(refused.reason.ends_with("(mode 640)"), "{refused}");
        std::fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        std::fs::write(&file, "0123").unwrap();
        let refused = Secret::read(state.path()).err().unwrap();
        let words = "not what verdictd wrote";
        assert!(refused.reason.contains(words), "{refused}");
    }

    #[test]
    fn a_pseudonym_is_short_stable_and_depends_on_the_secret() {
        let ada = Student::new("ada").unwrap();
        let [one, again, other] = [1, 1, 2].map(|byte| Pseudonyms::new(Secret::sample(byte)));
        let name = one.of(&ada);
        assert_eq!(name, again.of(&ada));
        assert_ne!(name, other.of(&ada));
        assert_eq!((name.len(), name.find('-')), (9, Some(4)));
        let many = (0..5_000).map(|number| Student::new(&format!("s{number}")).unwrap());
        let names: HashSet<String> = many.map(|student| one.of(&student)).collect();
        assert_eq!(names.len(), 5_000);
    }
}
