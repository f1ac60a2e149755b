//! The bytes of a test. Short ones stay in memory; long ones stay in the file that they were read
//! from, so that a package of gigabytes costs the daemon no more than its longest test.

use std::path::Path;
use std::sync::Arc;

use crate::domain::bounds::TEST_FILE_BYTES_MAX;
use crate::domain::{Digest, Fault};
use crate::util::files::read_regular;
use crate::util::hash::digest;

/// Bytes that stay in memory. Reading a file again costs less than the run that needs it.
const HELD_BYTES_MAX: usize = 16 * 1024;

/// An input or an answer.
#[derive(Clone)]
pub struct TestBytes {
    kept: Kept,
    len: usize,
}

#[derive(Clone)]
enum Kept {
    Here(Arc<[u8]>),
    In(Arc<Path>, Digest),
}

impl From<Arc<[u8]>> for TestBytes {
    fn from(bytes: Arc<[u8]>) -> Self {
        Self {
            len: bytes.len(),
            kept: Kept::Here(bytes),
        }
    }
}

impl TestBytes {
    /// Bytes that are those of a file, if that has any that are the same.
    pub(super) fn of(bytes: Arc<[u8]>, digest: Digest, file: Option<&Path>) -> Self {
        match file {
            Some(file) if bytes.len() > HELD_BYTES_MAX => Self {
                len: bytes.len(),
                kept: Kept::In(Arc::from(file), digest),
            },
            _ => bytes.into(),
        }
    }

    /// How many there are.
    pub fn len_bytes(&self) -> usize {
        self.len
    }

    /// The bytes. A fault if the file is another one by now: then the package is about to be read
    /// again.
    pub fn read(&self) -> Result<Arc<[u8]>, Fault> {
        let (file, expected) = match &self.kept {
            Kept::Here(bytes) => return Ok(Arc::clone(bytes)),
            Kept::In(file, expected) => (file, expected),
        };
        let fault =
            |error: &dyn std::fmt::Display| Fault::new(format!("read {}", file.display()), error);
        let bytes = read_regular(file, TEST_FILE_BYTES_MAX).map_err(|error| fault(&error))?;
        if digest(&bytes) != *expected {
            return Err(fault(&"it has changed since the package was read"));
        }
        Ok(Arc::from(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::{Arc, HELD_BYTES_MAX, TestBytes, digest};

    #[test]
    fn long_bytes_are_read_from_their_file_as_long_as_it_is_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("1.in");
        for (len, is_held) in [(HELD_BYTES_MAX, true), (HELD_BYTES_MAX + 1, false)] {
            let whole: Arc<[u8]> = Arc::from(vec![b'1'; len]);
            let kept = TestBytes::of(Arc::clone(&whole), digest(&whole), Some(&file));
            std::fs::write(&file, &whole).unwrap();
            assert_eq!(kept.read().as_ref(), Ok(&whole));
            std::fs::write(&file, b"2").unwrap();
            assert_eq!(kept.read().ok(), is_held.then_some(whole));
        }
    }
}
