//! Languages: which there are, which of them work on this machine, and how a source becomes a
//! program and a program is started.
//!
//! A language is a table in src/config/languages.toml, which config.toml can change or add to.
//! Compilers run in the sandbox like everything that they compile.

mod build;
mod command;
mod identity;
mod java;
mod locate;
mod parts;
mod probe;
mod resolve;
mod source;
mod words;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Instant;

pub use build::{Artifact, Build};
pub use identity::{FileDigests, Noted, have_changed};
use locate::Search;
pub use parts::Parts;
pub use probe::Availability;
pub use resolve::Unresolved;
use resolve::{BUILT, Resolved};
use words::Words;

use crate::config::{Config, LanguageSpec};
use crate::domain::{Added, BuildLimits, Digest, Fault, HowBuilt, LanguageId, NamedFile};
use crate::sandbox::{AppFile, Runner};
use crate::util::MIB;
use crate::util::archive::files_of;
use crate::util::hash::Key;
use crate::util::sync::lock;

/// How a job of a built program is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// The whole environment.
    pub env: BTreeMap<String, String>,
    /// What the room has to show beside the system's own folders.
    pub shown: Vec<PathBuf>,
    /// Memory of the run-time system, on top of the problem's limit.
    pub memory_extra_bytes: u64,
    /// Words on standard error by which the run-time system says that the memory is used up.
    pub memory_words: Vec<String>,
    /// Stack of the first thread; `None` for as much as the memory cap.
    pub stack_bytes: Option<u64>,
}

/// A language of the table.
#[derive(Debug)]
pub struct Language {
    id: LanguageId,
    spec: LanguageSpec,
    /// What was found when it was last looked up; a look that failed by a fault of ours leaves
    /// nothing here.
    resolved: Mutex<Option<Result<Arc<Resolved>, Unresolved>>>,
    /// Whether its compiler is known to work.
    health: Mutex<Health>,
}

impl Language {
    /// Its key.
    pub fn id(&self) -> &LanguageId {
        &self.id
    }

    /// Its name for people.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// Its extensions, in lower case, the usual one first.
    pub fn extensions(&self) -> &[String] {
        &self.spec.extensions
    }

    /// Its entry in the table.
    pub fn spec(&self) -> &LanguageSpec {
        &self.spec
    }

    /// The program of these files, and of what a package adds to them. A file beside a driver of the
    /// package gets the problem's name, by which drivers know it.
    pub fn parts(&self, own: Vec<NamedFile>, added: Added<'_>, problem: &str) -> Parts {
        Parts::new(&self.spec, own, added, problem)
    }

    /// Whether a package adds sources to programs of this language, and none of them calls theirs.
    pub fn lacks_driver(&self, added: Added<'_>) -> bool {
        parts::lacks_driver(&self.spec, added)
    }

    /// Why its compiler does not work, since it was found out; told once.
    pub fn take_trouble(&self) -> Option<Fault> {
        lock(&self.health).trouble.take()
    }
}

/// Whether a compiler works, as far as that is known.
#[derive(Debug, Default)]
struct Health {
    /// When the latest build of the echo program that succeeded was begun.
    built: Option<Instant>,
    /// Whether the echo program was ever built.
    worked: bool,
    /// Why the compiler does not work, since it was last tried.
    trouble: Option<Fault>,
}

/// All languages.
#[derive(Debug)]
pub struct Toolchain {
    languages: BTreeMap<LanguageId, Language>,
    extensions: BTreeMap<String, LanguageId>,
    search: Search,
}

impl Toolchain {
    /// The languages of a configuration. Nothing is looked up yet.
    pub fn of(config: &Config) -> Self {
        let language = |(id, spec): (&LanguageId, &LanguageSpec)| {
            let language = Language {
                id: id.clone(),
                spec: spec.clone(),
                resolved: Mutex::default(),
                health: Mutex::default(),
            };
            (id.clone(), language)
        };
        Self {
            languages: config.languages.iter().map(language).collect(),
            extensions: config.extensions.clone(),
            search: Search::of_this_process(),
        }
    }

    /// The language that a file extension means, upper or lower case, installed or not.
    pub fn language_of(&self, extension: &str) -> Option<&Language> {
        self.language(self.extensions.get(&extension.to_ascii_lowercase())?)
    }

    /// The language of a program as it is handed in: of several files, the only one of which there
    /// are sources.
    pub fn language_of_program(&self, name: &str, bytes: &Arc<[u8]>) -> Option<&Language> {
        let of = |name: &str| self.language_of(name.rsplit_once('.')?.1);
        let files = files_of(name, bytes).ok()?;
        let mut languages = files.iter().filter_map(|(name, _)| of(name));
        let first = languages.next()?;
        languages.all(|other| other.id == first.id).then_some(first)
    }

    /// A language by its key.
    pub fn language(&self, id: &LanguageId) -> Option<&Language> {
        self.languages.get(id)
    }

    /// Every language, installed or not, in the order of their keys.
    pub fn languages(&self) -> impl Iterator<Item = &Language> {
        self.languages.values()
    }

    /// Finds a language's programs and asks the version, but tries nothing; asked once.
    pub fn identify(&self, id: &LanguageId) -> Result<String, Unresolved> {
        let language = self.language_or_missing(id)?;
        Ok(self.resolve(language)?.version.clone())
    }

    /// The same, asked anew: what was installed, replaced or removed meanwhile is seen.
    pub fn look_again(&self, id: &LanguageId) -> Result<String, Unresolved> {
        let language = self.language_or_missing(id)?;
        Ok(self.look_up(language)?.version.clone())
    }

    fn language_or_missing(&self, id: &LanguageId) -> Result<&Language, Unresolved> {
        self.language(id).ok_or_else(|| Unresolved::Missing {
            why: format!("no language has the key `{id}`"),
            install: "add a table to config.toml".to_owned(),
        })
    }

    fn resolve(&self, language: &Language) -> Result<Arc<Resolved>, Unresolved> {
        let known = lock(&language.resolved).clone();
        known.unwrap_or_else(|| self.look_up(language))
    }

    fn look_up(&self, language: &Language) -> Result<Arc<Resolved>, Unresolved> {
        let found = Resolved::new(&language.spec, &self.search).map(Arc::new);
        if !matches!(found, Err(Unresolved::Fault(_))) {
            *lock(&language.resolved) = Some(found.clone());
        }
        found
    }

    fn resolve_or_fault(&self, language: &Language) -> Result<Arc<Resolved>, Fault> {
        self.resolve(language)
            .map_err(|unresolved| match unresolved {
                Unresolved::Fault(fault) => fault,
                missing @ Unresolved::Missing { .. } => {
                    Fault::new(format!("find {}", language.name()), missing)
                }
            })
    }

    /// The key of a build: it changes with everything that can change the program or how it is
    /// started.
    pub fn build_key(&self, language: &Language, version: &str, parts: &Parts) -> Digest {
        let Parts { main, beside } = parts;
        let files: Vec<(&str, &[u8])> = beside
            .iter()
            .map(|(name, bytes)| (&**name, &**bytes))
            .collect();
        let (file_name, source) = main;
        let prepared = source::prepare(&language.spec, (file_name, source), &files);
        let alone = source::build_key(&language.id, &language.spec, version, &prepared);
        if beside.is_empty() {
            return alone;
        }
        let key = Key::new("build-with-headers").part(&alone.0);
        let key = key.part(&[u8::from(language.spec.all_sources)]);
        let with = |key: Key, (name, bytes): &NamedFile| key.part(name.as_bytes()).part(bytes);
        beside.iter().fold(key, with).finish()
    }

    /// A digest of a language's commands and version; what was built with another one is built
    /// again.
    pub fn fingerprint(&self, language: &Language, version: &str) -> Digest {
        // The key of an empty source: what is left in it is the language's own part.
        self.build_key(language, version, &Parts::alone("", b""))
    }

    /// A digest of what a verdict in a language depends on: its commands and version, and its time
    /// factor, which changes no build and no run.
    pub fn judged_by(&self, language: &Language, version: &str) -> Digest {
        let fingerprint = self.fingerprint(language, version);
        match language.spec.time_factor.percent() {
            None => fingerprint,
            Some(percent) => Key::new("language with a time factor")
                .part(&fingerprint.0)
                .part(&percent.to_le_bytes())
                .finish(),
        }
    }

    /// Builds a source, with the files beside it. The runner is left in the compiler's room.
    pub fn build(
        &self,
        runner: &mut dyn Runner,
        language: &Language,
        (file_name, source): (&str, &[u8]),
        beside: &[AppFile],
        limits: &BuildLimits,
    ) -> Result<Build, Fault> {
        let resolved = self.resolve_or_fault(language)?;
        let files: Vec<(&str, &[u8])> = beside
            .iter()
            .map(|file| (&*file.name, &*file.bytes))
            .collect();
        let prepared = source::prepare(&language.spec, (file_name, source), &files);
        build::build(runner, &language.spec, &resolved, &prepared, beside, limits)
    }

    /// How a built program is started under this memory limit.
    pub fn start(
        &self,
        language: &Language,
        artifact: &Artifact,
        memory_bytes: u64,
    ) -> Result<Start, Fault> {
        let resolved = self.resolve_or_fault(language)?;
        let spec = &language.spec;
        let source = artifact.files.first().map_or("", |file| file.name.as_str());
        let words = Words {
            source,
            others: &[],
            main: artifact.main.as_deref().unwrap_or_default(),
            memory_mib: (memory_bytes / MIB).max(1),
            encoding: "UTF-8",
        };
        Ok(Start {
            argv: words.command(&spec.run, &resolved),
            env: source::environment(spec),
            shown: resolved.shown.clone(),
            memory_extra_bytes: spec.memory_extra_mib.saturating_mul(MIB),
            memory_words: spec.memory_words.clone(),
            stack_bytes: spec.stack_mib.map(|mib| mib.saturating_mul(MIB)),
        })
    }

    /// How a source is built under these limits and started with this memory limit, by a compiler
    /// of this version.
    pub fn how_built(
        &self,
        language: &Language,
        version: &str,
        parts: &Parts,
        limits: &BuildLimits,
        memory_bytes: u64,
    ) -> HowBuilt {
        let spec = &language.spec;
        let (file_name, source) = &parts.main;
        let beside = parts.beside.iter().map(|(name, bytes)| (&**name, &**bytes));
        let beside: Vec<(&str, &[u8])> = beside.collect();
        let prepared = source::prepare(spec, (file_name, source), &beside);
        // A Java file is called as its class, whatever its author calls it.
        let keeps_its_name = source::needs_main(spec) || !words::is_plain(file_name);
        let author_name = if keeps_its_name {
            prepared.name.clone()
        } else {
            file_name.clone()
        };
        let others = prepared.compiled_with(spec);
        let filled_by = |memory_bytes: u64, others| Words {
            source: &author_name,
            others,
            main: prepared.main.as_deref().unwrap_or_default(),
            memory_mib: (memory_bytes / MIB).max(1),
            encoding: prepared.encoding,
        };
        // Where the compiler is gone meanwhile, its flags are not known; everything else is.
        let static_flags = self
            .resolve(language)
            .map(|resolved| resolved.static_flags.clone())
            .unwrap_or_default();
        let commands = if source::runs_its_source(spec) {
            &[][..]
        } else {
            &spec.build
        };
        let in_build = filled_by(limits.memory_bytes, others);
        let is_alone = spec.run.len() == 1 && spec.run[0].starts_with(BUILT);
        let start = (!is_alone).then(|| filled_by(memory_bytes, &[]).typed(&spec.run, &[]));
        HowBuilt {
            language: words::name_and_version(&spec.name, version),
            build: commands
                .iter()
                .map(|words| in_build.typed(words, &static_flags))
                .collect(),
            start,
            source_name: prepared.name,
            author_name,
        }
    }
}

#[cfg(test)]
mod tests;
