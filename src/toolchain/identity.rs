//! What a language is on this machine, beyond its version: the programs that its self-test starts,
//! the libraries that they load, and what it builds and prints.
//!
//! Two machines whose identities are equal give the same verdicts, as far as that can be seen
//! without trying every program. It takes seconds, so it is found out only where machines have to be
//! compared.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::loaded::{Loaded, Watched};
use super::probe::Echo;
use super::resolve::Resolved;
use super::{Language, Missing, Toolchain, Unresolved};
use crate::domain::{BuildLimits, Caps, Digest, Fault, Identity, LanguageId};
use crate::sandbox::{Runner, system_folder};
use crate::util::excerpt;
use crate::util::hash::{Key, digest, digest_of_file};
use crate::util::sync::lock;

/// Where a job looks for programs that are called by a bare name.
const PATH: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];
/// The largest program or library, in bytes.
const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024 * 1024;
/// How the names of parts begin that the self-test made.
const SELF_TEST: &str = "self-test: ";

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

/// Parts by their names; several of one name are one part.
#[derive(Default)]
struct Parts(BTreeMap<String, BTreeSet<Digest>>);

impl Parts {
    fn add(&mut self, name: &str, digest: Digest) {
        let name = excerpt::visible_line(name);
        self.0.entry(name).or_default().insert(digest);
    }

    fn finish(self) -> impl Iterator<Item = (String, Digest)> {
        self.0.into_iter().map(|(name, digests)| {
            let key = digests
                .iter()
                .fold(Key::new("part"), |key, digest| key.part(&digest.0));
            (name, key.finish())
        })
    }
}

impl Toolchain {
    /// What a language is on this machine. Its self-test is built and run twice: what is not the
    /// same both times says nothing.
    pub fn identity(
        &self,
        id: &LanguageId,
        runner: &mut dyn Runner,
        files: &FileDigests,
        caps: &Caps,
        limits: &BuildLimits,
    ) -> Result<Identity, Unresolved> {
        let language = self.language_or_missing(id)?;
        let resolved = self.resolve(language)?;
        let once = self.once(language, &resolved, runner, files, caps, limits)?;
        let again = self.once(language, &resolved, runner, files, caps, limits)?;
        let identity = Identity {
            version: resolved.version.clone(),
            parts: same(once, &again),
        };
        if identity.is_bounded() {
            return Ok(identity);
        }
        Err(Missing {
            why: format!(
                "its self-test needs more than {} programs and libraries, too many to compare \
                 machines by",
                Identity::PARTS_MAX
            ),
            install: "make its table in config.toml simpler".to_owned(),
        }
        .into())
    }

    fn once(
        &self,
        language: &Language,
        resolved: &Resolved,
        runner: &mut dyn Runner,
        files: &FileDigests,
        caps: &Caps,
        limits: &BuildLimits,
    ) -> Result<BTreeMap<String, Digest>, Unresolved> {
        let mut watched = Watched::new(runner);
        let echo = self.try_echo(language, &mut watched, caps, limits)?;
        let echo = echo.map_err(|why| Missing {
            why,
            install: language.spec.install.clone(),
        })?;
        let mut parts = Parts::default();
        parts.add("table in config.toml", self.fingerprint(language, ""));
        for flag in &resolved.static_flags {
            parts.add("static linking", digest(flag.as_bytes()));
        }
        let found = add_files(&mut parts, resolved, &watched.loaded, files);
        found.map_err(|(path, error)| {
            let step = format!("compare {} with other machines", language.name());
            Fault::new(step, format!("read {}: {error}", path.display()))
        })?;
        if let Some(echo) = echo {
            add_echo(&mut parts, &echo);
        }
        Ok(parts.finish().collect())
    }
}

/// The programs of the table, and what was started and loaded beyond them.
fn add_files(
    parts: &mut Parts,
    resolved: &Resolved,
    loaded: &Loaded,
    files: &FileDigests,
) -> Result<(), (PathBuf, io::Error)> {
    let mut add = |name: &str, path: &Path| match files.of(path) {
        Ok(digest) => {
            parts.add(name, digest);
            Ok(())
        }
        Err(error) => Err((path.to_owned(), error)),
    };
    for (name, path) in &resolved.programs {
        add(name, path)?;
    }
    for path in &resolved.static_files {
        add(&file_name(path), path)?;
    }
    // What lies elsewhere is a job's own; and no job can point at a file that it does not see.
    let is_seen = |path: &Path| {
        system_folder(path).is_some() || resolved.shown.iter().any(|shown| path.starts_with(shown))
    };
    for called in &loaded.programs {
        // A process may call itself anything.
        if let Some(path) = program(called).filter(|path| is_seen(path)) {
            add(&file_name(&path), &path)?;
        }
    }
    for path in loaded.libraries.iter().filter(|path| is_seen(path)) {
        add(&file_name(path), path)?;
    }
    Ok(())
}

fn program(called: &str) -> Option<PathBuf> {
    let candidates = if called.contains('/') {
        vec![PathBuf::from(called)]
    } else {
        PATH.iter()
            .map(|folder| Path::new(folder).join(called))
            .collect()
    };
    let is_there = |path: &PathBuf| path.is_absolute() && path.is_file();
    candidates.into_iter().find(is_there)
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn add_echo(parts: &mut Parts, echo: &Echo) {
    for file in &echo.files {
        parts.add(&format!("{SELF_TEST}{}", file.name), digest(&file.bytes));
    }
    let words = format!("{SELF_TEST}words of the compiler");
    parts.add(&words, digest(&echo.compiler_words));
    let printed = Key::new("printed")
        .part(&echo.outcome.stdout)
        .part(&echo.outcome.stderr);
    parts.add(&format!("{SELF_TEST}output"), printed.finish());
}

/// What two tries have in common: a part of the self-test that differs is named without a digest,
/// and a file that was needed only once is left out.
fn same(
    once: BTreeMap<String, Digest>,
    again: &BTreeMap<String, Digest>,
) -> BTreeMap<String, Option<Digest>> {
    let both = once.into_iter().filter_map(|(name, one)| {
        let other = again.get(&name)?;
        Some((name, (one == *other).then_some(one)))
    });
    both.collect()
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
