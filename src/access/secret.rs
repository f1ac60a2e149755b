//! The secret of a course: 256 random bits in the state folder that only the daemon's user can read.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::domain::Digest;
use crate::util::files::{create_new_private, make_folder_with, read_regular};
use crate::util::hash::Key;

/// The file in the state folder.
const FILE: &str = "secret";
/// Its size: the secret in hexadecimal digits and a line feed.
const FILE_BYTES_MAX: u64 = 65;
/// Rights of others on it.
const OTHERS: u32 = 0o077;
/// Of the state folder where nothing has made it yet, as the store makes it.
const FOLDER_MODE: u32 = 0o700;

/// Why there is no secret.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    #[error("{}: {source}; links and pseudonyms are made from this file", .file.display())]
    File { file: PathBuf, source: io::Error },
    #[error("{}: others on this machine can read it (mode {mode:o}); `chmod 600` it, and if somebody may have read it, delete it: every link is then another one", .file.display())]
    Open { file: PathBuf, mode: u32 },
    #[error("{}: it is not what verdictd wrote there; put it back from a backup, or delete it: every link is then another one", .file.display())]
    Content { file: PathBuf },
}

/// What nobody can guess, and everything is derived from.
pub struct Secret([u8; 32]);

impl Secret {
    /// Where it is.
    pub fn path(state: &Path) -> PathBuf {
        state.join(FILE)
    }

    /// Reads it; `None` if it was not made yet.
    pub fn read(state: &Path) -> Result<Option<Self>, SecretError> {
        let file = state.join(FILE);
        let unreadable = |source| SecretError::File {
            file: file.clone(),
            source,
        };
        let mode = match std::fs::metadata(&file) {
            Ok(metadata) => metadata.mode(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(error)),
        };
        if mode & OTHERS != 0 {
            return Err(SecretError::Open {
                file,
                mode: mode & 0o7777,
            });
        }
        let bytes = read_regular(&file, FILE_BYTES_MAX).map_err(unreadable)?;
        let text = std::str::from_utf8(&bytes).unwrap_or_default();
        match Digest::parse(text.trim()) {
            Some(digest) => Ok(Some(Self(digest.0))),
            None => Err(SecretError::Content { file }),
        }
    }

    /// Reads it, or makes it where there is none.
    pub fn read_or_make(state: &Path) -> Result<Self, SecretError> {
        if let Some(secret) = Self::read(state)? {
            return Ok(secret);
        }
        let file = state.join(FILE);
        let failed = |source| SecretError::File {
            file: file.clone(),
            source,
        };
        make_folder_with(state, FOLDER_MODE).map_err(failed)?;
        let mut bytes = [0; 32];
        File::open("/dev/urandom")
            .and_then(|mut random| random.read_exact(&mut bytes))
            .map_err(failed)?;
        match create_new_private(&file, format!("{}\n", Digest(bytes)).as_bytes()) {
            // Another process was faster: its secret is the one.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => made.map_err(failed)?,
        }
        Self::read(state)?.ok_or(SecretError::Content { file })
    }

    /// A digest that only who knows the secret can make.
    pub(super) fn derive(&self, what: &str, parts: &[&[u8]]) -> Digest {
        let begin = Key::new(what).part(&self.0);
        let key = parts.iter().fold(begin, |key, part| key.part(part));
        key.finish()
    }

    #[cfg(test)]
    pub fn sample(byte: u8) -> Self {
        Self([byte; 32])
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use super::{FILE, Secret, SecretError};

    #[test]
    fn a_secret_is_made_once_and_is_nobody_elses() {
        let state = tempfile::tempdir().unwrap();
        assert!(Secret::read(state.path()).unwrap().is_none());
        let made = Secret::read_or_make(state.path()).unwrap();
        let again = Secret::read_or_make(state.path()).unwrap();
        assert_eq!(made.0, again.0);
        let file = state.path().join(FILE);
        assert_eq!(file.metadata().unwrap().mode() & 0o777, 0o600);
        std::fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        let refused = Secret::read(state.path()).err().unwrap();
        assert!(matches!(refused, SecretError::Open { mode: 0o640, .. }));
        std::fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        std::fs::write(&file, "0123").unwrap();
        let refused = Secret::read(state.path()).err().unwrap();
        assert!(matches!(refused, SecretError::Content { .. }));
    }

    #[test]
    fn another_state_folder_has_another_secret() {
        let [one, other] = [(); 2].map(|()| {
            let state = tempfile::tempdir().unwrap();
            Secret::read_or_make(state.path()).unwrap().0
        });
        assert_ne!(one, other);
    }
}
