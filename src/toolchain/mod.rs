//! Languages: which there are, which of them work on this machine, and how a source becomes a
//! program and a program is started.
//!
//! A language is a table in src/config/languages.toml, which config.toml can change or add to.
//! Compilers run
//! in the sandbox like everything that they compile.

mod build;
mod command;
mod confirm;
mod how_built;
mod identity;
mod java;
mod key;
mod language;
mod loaded;
mod locate;
mod probe;
mod resolve;
mod source;
mod words;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

pub use build::{Artifact, Build};
pub use identity::{FileDigests, Noted, have_changed};
pub use language::Language;
use locate::Search;
pub use probe::Availability;
use resolve::Resolved;
pub use resolve::{Missing, Unresolved};
use words::Words;

use crate::config::{Config, LanguageSpec};
use crate::domain::{BuildLimits, Digest, Fault, LanguageId};
use crate::sandbox::{AppFile, Runner};
use crate::util::MIB;
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

    fn language_or_missing(&self, id: &LanguageId) -> Result<&Language, Missing> {
        self.language(id).ok_or_else(|| Missing {
            why: format!("no language has the key `{id}`"),
            install: "add a table to config.toml".to_owned(),
        })
    }

    fn resolve(&self, language: &Language) -> Result<Arc<Resolved>, Unresolved> {
        let known = lock(&language.resolved).clone();
        match known {
            Some(found) => Ok(found?),
            None => self.look_up(language),
        }
    }

    fn look_up(&self, language: &Language) -> Result<Arc<Resolved>, Unresolved> {
        let found = match Resolved::new(&language.spec, &self.search) {
            Ok(resolved) => Ok(Arc::new(resolved)),
            Err(Unresolved::Missing(missing)) => Err(missing),
            Err(fault @ Unresolved::Fault(_)) => return Err(fault),
        };
        *lock(&language.resolved) = Some(found.clone());
        Ok(found?)
    }

    fn resolve_or_fault(&self, language: &Language) -> Result<Arc<Resolved>, Fault> {
        self.resolve(language)
            .map_err(|unresolved| match unresolved {
                Unresolved::Missing(missing) => {
                    Fault::new(format!("find {}", language.name()), missing)
                }
                Unresolved::Fault(fault) => fault,
            })
    }

    /// The key of a build: it changes with everything that can change the program or how it is
    /// started.
    pub fn build_key(
        &self,
        language: &Language,
        version: &str,
        file_name: &str,
        source: &[u8],
    ) -> Digest {
        let prepared = source::prepare(&language.spec, file_name, source);
        key::build_key(
            &language.id,
            &language.spec,
            version,
            &prepared.name,
            prepared.bytes,
        )
    }

    /// A digest of a language's commands and version; what was built with another one is built
    /// again.
    pub fn fingerprint(&self, language: &Language, version: &str) -> Digest {
        // The key of an empty source: what is left in it is the language's own part.
        self.build_key(language, version, "", b"")
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

    /// Builds a source. The runner is left in the compiler's room.
    pub fn build(
        &self,
        runner: &mut dyn Runner,
        language: &Language,
        file_name: &str,
        source: &[u8],
        limits: &BuildLimits,
    ) -> Result<Build, Fault> {
        self.build_with(runner, language, file_name, source, &[], limits)
    }

    /// The same with files beside the source that it may include. They are no part of the build's
    /// key.
    pub fn build_with(
        &self,
        runner: &mut dyn Runner,
        language: &Language,
        file_name: &str,
        source: &[u8],
        beside: &[AppFile],
        limits: &BuildLimits,
    ) -> Result<Build, Fault> {
        let resolved = self.resolve_or_fault(language)?;
        let prepared = source::prepare(&language.spec, file_name, source);
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
            main: artifact.main.as_deref().unwrap_or_default(),
            memory_mib: (memory_bytes / MIB).max(1),
            encoding: "UTF-8",
        };
        Ok(Start {
            argv: words.command(&spec.run, &resolved),
            env: build::environment(spec),
            shown: resolved.shown.clone(),
            memory_extra_bytes: spec.memory_extra_mib.saturating_mul(MIB),
            memory_words: spec.memory_words.clone(),
            stack_bytes: spec.stack_mib.map(|mib| mib.saturating_mul(MIB)),
        })
    }
}

#[cfg(test)]
mod tests;
