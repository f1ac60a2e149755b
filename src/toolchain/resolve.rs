//! A language on this machine: its programs with their paths, what a sandbox has to show for them,
//! and the version.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::command::{self, Trouble};
use super::locate::{Search, shown_paths};
use crate::config::LanguageSpec;
use crate::domain::Fault;
use crate::util::excerpt;

/// Longest version that is kept, in characters.
const VERSION_CHARACTERS_MAX: usize = 200;
/// Where Debian's links to the chosen versions of programs lie.
const ALTERNATIVES: &str = "/etc/alternatives";
/// Programs with this beginning are the built ones, not the machine's.
pub(super) const BUILT: &str = "/app/";

/// Why a language is not there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}; {install}")]
pub struct Missing {
    /// What is missing or does not work.
    pub why: String,
    /// What a person does about it.
    pub install: String,
}

/// Why a language cannot be used now.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unresolved {
    /// It is not there.
    #[error(transparent)]
    Missing(#[from] Missing),
    /// This machine could not look now; nothing is known of the language, and it is tried again.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// A language with everything that was found out about it.
#[derive(Debug, Clone)]
pub(super) struct Resolved {
    /// The path of each program that the table names.
    pub programs: BTreeMap<String, PathBuf>,
    /// What the sandbox has to show.
    pub shown: Vec<PathBuf>,
    /// The version, with what else of the machine changes the built program.
    pub version: String,
    /// What `{static}` stands for here.
    pub static_flags: Vec<String>,
    /// The files that static linking needs, where it is done.
    pub static_files: Vec<PathBuf>,
}

impl Resolved {
    /// Looks everything up; starts the compiler once to ask its version.
    pub(super) fn new(spec: &LanguageSpec, search: &Search) -> Result<Self, Unresolved> {
        let unresolved = |trouble| match trouble {
            Trouble::Missing(why) => Unresolved::Missing(Missing {
                why,
                install: spec.install.clone(),
            }),
            Trouble::Fault(why) => Fault::new(format!("look for {}", spec.name), why).into(),
        };
        if !spec.offer {
            return Err(Missing {
                why: "switched off in config.toml".to_owned(),
                install: "take `offer = false` out of its table".to_owned(),
            }
            .into());
        }
        let mut programs = BTreeMap::new();
        let mut shown: Vec<PathBuf> = shown_paths(ALTERNATIVES).map_err(unresolved)?;
        for pattern in &spec.show {
            shown.extend(shown_paths(pattern).map_err(unresolved)?);
        }
        let needed = spec.build.iter().chain([&spec.run, &spec.version]);
        for program in needed.filter_map(|words| words.first()) {
            if program.starts_with(BUILT) || programs.contains_key(program) {
                continue;
            }
            let located = search.find(program).map_err(unresolved)?;
            shown.extend(located.shown);
            programs.insert(program.clone(), located.program);
        }
        shown.sort();
        // What lies in a shown folder is shown with it; sorted, a folder comes before what it
        // holds.
        shown.dedup_by(|inner, outer| inner.starts_with(&*outer));
        let mut resolved = Self {
            programs,
            shown,
            version: String::new(),
            static_flags: Vec::new(),
            static_files: Vec::new(),
        };
        let version = resolved.ask(&spec.version, search).map_err(unresolved)?;
        resolved.version = excerpt::visible_line(&command::first_line(version.as_bytes()))
            .chars()
            .take(VERSION_CHARACTERS_MAX)
            .collect();
        let static_files = resolved.static_files(spec, search).map_err(unresolved)?;
        if let Some(files) = static_files {
            resolved.static_flags.clone_from(&spec.static_flags);
            resolved.static_files = files;
        } else if !spec.static_flags.is_empty() {
            resolved.version.push_str(", linked dynamically");
        }
        Ok(resolved)
    }

    /// The path of a program that the table names.
    pub(super) fn program(&self, name: &str) -> String {
        self.programs.get(name).map_or_else(
            || name.to_owned(),
            |path| path.to_string_lossy().into_owned(),
        )
    }

    fn ask(&self, words: &[String], search: &Search) -> Result<String, Trouble> {
        let Some((program, arguments)) = words.split_first() else {
            let why = "it has no command to ask".to_owned();
            return Err(Trouble::Missing(why));
        };
        let path = match self.programs.get(program) {
            Some(path) => path.clone(),
            None => search.find(program)?.program,
        };
        command::ask(&path, arguments)
    }

    /// Every file that static linking needs, if all are there and it is wanted. A compiler that has
    /// none answers with the bare name.
    fn static_files(
        &self,
        spec: &LanguageSpec,
        search: &Search,
    ) -> Result<Option<Vec<PathBuf>>, Trouble> {
        let mut files = Vec::new();
        for words in &spec.static_probe {
            match self.ask(words, search).map(PathBuf::from) {
                Ok(file) if file.is_absolute() && file.is_file() => files.push(file),
                Ok(_) | Err(Trouble::Missing(_)) => return Ok(None),
                Err(fault) => return Err(fault),
            }
        }
        Ok((!spec.static_flags.is_empty()).then_some(files))
    }
}
