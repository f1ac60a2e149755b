//! Digests of bytes and of structured keys.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use crate::domain::Digest;

/// The digest of some bytes.
pub fn digest(bytes: &[u8]) -> Digest {
    Digest(*blake3::hash(bytes).as_bytes())
}

/// The digest of a file's bytes, which are not kept; an error where it is larger.
pub fn digest_of_file(path: &Path, bytes_max: u64) -> io::Result<Digest> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path)?.take(bytes_max.saturating_add(1)))?;
    if hasher.count() > bytes_max {
        return Err(io::Error::from(io::ErrorKind::FileTooLarge));
    }
    Ok(Digest(*hasher.finalize().as_bytes()))
}

/// A digest over several parts, each prefixed by its length so that no two lists of parts collide.
pub struct Key(blake3::Hasher);

impl Key {
    /// Starts a key of this kind; keys of different kinds never collide.
    pub fn new(kind: &str) -> Self {
        Self(blake3::Hasher::new()).part(kind.as_bytes())
    }

    /// Adds a part.
    #[must_use]
    pub fn part(mut self, bytes: &[u8]) -> Self {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// The digest of all parts.
    pub fn finish(&self) -> Digest {
        Digest(*self.0.finalize().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::Key;

    #[test]
    fn parts_do_not_run_together() {
        let one = Key::new("k").part(b"ab").part(b"c").finish();
        assert_ne!(one, Key::new("k").part(b"a").part(b"bc").finish());
    }
}
