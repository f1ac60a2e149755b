//! What came of building a program.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Cause, Digest, base64};

/// A build: a fact under the key of everything that can change it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// The program, or the cause of the compile error.
    pub result: Result<Manifest, Cause>,
    /// The compiler's errors or warnings, as the bytes they are: the beginning.
    #[serde(with = "base64")]
    pub words: Vec<u8>,
    /// CPU time of all commands.
    pub cpu: Duration,
    /// The compiler's version, as reports show it.
    pub language_version: String,
}

/// The files of a built program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// In the order of their names where they come from the store.
    pub files: Vec<FileRef>,
    /// The class to start, in a language that needs to know it.
    pub main: Option<String>,
}

/// A file by its digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRef {
    /// Its path, relative.
    pub name: String,
    /// Digest of its bytes.
    pub digest: Digest,
    /// Whether it may be executed.
    pub executable: bool,
}
