//! What a language is on this machine, beyond its version: the programs of its table, and what its
//! self-test builds and prints.
//!
//! Two machines whose identities are equal give the same verdicts, as far as that can be seen
//! without trying every program. It takes seconds, so it is found out only where machines have to be
//! compared.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::{Language, Toolchain, Unresolved};
use crate::domain::{BuildLimits, Digest, Fault, Identity, LanguageId, Limits};
use crate::sandbox::Runner;
use crate::util::excerpt;
use crate::util::hash::{Key, digest, digest_of_file};
use crate::util::sync::lock;

/// The largest program, in bytes.
const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024 * 1024;
/// Parts of a self-test, by their names.
type Parts = [(&'static str, Digest); 3];

/// Digests of files that several languages share, so that each file is read once.
#[derive(Debug, Default)]
pub struct FileDigests(Mutex<Noted>);

/// Files as they were seen.
pub type Noted = BTreeMap<PathBuf, (Version, Digest)>;

/// What changes with a file: device, number, length, and when it was changed last, whoever set the
/// time of its bytes.
pub type Version = (u64, u64, u64, i64, i64);

impl FileDigests {
    fn of(&self, path: &Path) -> io::Result<Digest> {
        let version = version(path)?;
        if let Some((_, known)) = lock(&self.0).get(path).filter(|(then, _)| *then == version) {
            return Ok(*known);
        }
        let digest = digest_of_file(path, FILE_BYTES_MAX)?;
        lock(&self.0).insert(path.to_owned(), (version, digest));
        Ok(digest)
    }

    /// The files that were seen.
    pub fn noted(&self) -> Noted {
        lock(&self.0).clone()
    }

    /// What was noted before counts, as if it had been read now.
    pub fn take_over(&self, noted: Noted) {
        lock(&self.0).extend(noted);
    }

    /// Whether one of the files is not what it was: what was found out with them may be wrong now.
    pub fn have_changed(&self) -> bool {
        have_changed(&lock(&self.0))
    }
}

/// The same of what was noted before.
pub fn have_changed(noted: &Noted) -> bool {
    let mut files = noted.iter();
    files.any(|(path, (then, _))| version(path).ok() != Some(*then))
}

fn version(path: &Path) -> io::Result<Version> {
    let metadata = path.metadata()?;
    Ok((
        metadata.dev(),
        metadata.ino(),
        metadata.len(),
        metadata.ctime(),
        metadata.ctime_nsec(),
    ))
}

impl Toolchain {
    /// What a language is on this machine. Its self-test is built and run twice: what is not the
    /// same both times says nothing.
    pub fn identity(
        &self,
        id: &LanguageId,
        runner: &mut dyn Runner,
        files: &FileDigests,
        caps: &Limits,
        limits: &BuildLimits,
    ) -> Result<Identity, Unresolved> {
        let language = self.language_or_missing(id)?;
        let resolved = self.resolve(language)?;
        let once = self.self_test(language, runner, caps, limits)?;
        let again = self.self_test(language, runner, caps, limits)?;
        let mut parts = BTreeMap::new();
        let table = self.fingerprint(language, "");
        parts.insert("table in config.toml".to_owned(), Some(table));
        for (name, path) in &resolved.programs {
            let digest = files.of(path).map_err(|error| {
                let step = format!("compare {} with other machines", language.name());
                Fault::new(step, format!("read {}: {error}", path.display()))
            })?;
            parts.insert(excerpt::visible_line(name), Some(digest));
        }
        for ((name, one), (_, other)) in once.into_iter().flatten().zip(again.into_iter().flatten())
        {
            parts.insert(format!("self-test: {name}"), (one == other).then_some(one));
        }
        Ok(Identity {
            version: resolved.version.clone(),
            parts,
        })
    }

    fn self_test(
        &self,
        language: &Language,
        runner: &mut dyn Runner,
        caps: &Limits,
        limits: &BuildLimits,
    ) -> Result<Option<Parts>, Unresolved> {
        let echo = self.try_echo(language, runner, caps, limits)?;
        Ok(echo.map(|echo| {
            let program = echo.files.iter().fold(Key::new("program"), |key, file| {
                key.part(file.name.as_bytes()).part(&file.bytes)
            });
            let printed = Key::new("printed")
                .part(&echo.outcome.stdout)
                .part(&echo.outcome.stderr);
            [
                ("program", program.finish()),
                ("words of the compiler", digest(&echo.compiler_words)),
                ("output", printed.finish()),
            ]
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::FileDigests;

    type Change = fn(&Path);

    #[test]
    fn a_file_that_is_replaced_changed_or_gone_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let changes: [(&str, Change); 3] = [
            ("replaced", |file| {
                let other = file.with_extension("new");
                fs::write(&other, b"cc1 13").unwrap();
                fs::rename(other, file).unwrap();
            }),
            ("written", |file| fs::write(file, b"cc1 12, again").unwrap()),
            ("gone", |file| fs::remove_file(file).unwrap()),
        ];
        for (name, change) in changes {
            let files = FileDigests::default();
            fs::write(path(name), b"cc1 12").unwrap();
            let digest = files.of(&path(name)).unwrap();
            assert_eq!(files.of(&path(name)).unwrap(), digest);
            assert!(!files.have_changed(), "{name}");
            change(&path(name));
            assert!(files.have_changed(), "{name}");
        }
    }
}
