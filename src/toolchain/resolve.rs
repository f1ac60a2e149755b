//! A language on this machine: its programs with their paths, what a sandbox has to show for them,
//! and the version.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use super::command::{self, is_missing};
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

/// Why a language cannot be used now.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unresolved {
    /// It is not there.
    #[error("{why}; {install}")]
    Missing {
        /// What is missing or does not work.
        why: String,
        /// What a person does about it.
        install: String,
    },
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
}

impl Resolved {
    /// Looks everything up; starts the compiler once to ask its version.
    pub(super) fn new(spec: &LanguageSpec, search: &Search) -> Result<Self, Unresolved> {
        let missing = |why: String, install: &str| Unresolved::Missing {
            why,
            install: install.to_owned(),
        };
        if !spec.offer {
            let why = "switched off in config.toml".to_owned();
            return Err(missing(why, "take `offer = false` out of its table"));
        }
        Self::find(spec, search).map_err(|error| {
            if is_missing(&error) {
                missing(error.to_string(), &spec.install)
            } else {
                Fault::new(format!("look for {}", spec.name), error).into()
            }
        })
    }

    fn find(spec: &LanguageSpec, search: &Search) -> io::Result<Self> {
        let mut programs = BTreeMap::new();
        let mut shown: Vec<PathBuf> = shown_paths(ALTERNATIVES)?;
        for pattern in &spec.show {
            shown.extend(shown_paths(pattern)?);
        }
        let needed = spec.build.iter().chain([&spec.run, &spec.version]);
        for program in needed.filter_map(|words| words.first()) {
            if program.starts_with(BUILT) || programs.contains_key(program) {
                continue;
            }
            let located = search.find(program)?;
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
        };
        let version = resolved.ask(&spec.version, search)?;
        resolved.version = excerpt::visible_line(command::first_line(&version))
            .chars()
            .take(VERSION_CHARACTERS_MAX)
            .collect();
        if resolved.links_statically(spec, search)? {
            resolved.static_flags.clone_from(&spec.static_flags);
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

    fn ask(&self, words: &[String], search: &Search) -> io::Result<String> {
        let Some((program, arguments)) = words.split_first() else {
            let why = "it has no command to ask";
            return Err(io::Error::new(io::ErrorKind::NotFound, why));
        };
        let path = match self.programs.get(program) {
            Some(path) => path.clone(),
            None => search.find(program)?.program,
        };
        command::ask(&path, arguments)
    }

    /// Whether static linking is wanted and all that it needs is there. A compiler that has not a
    /// library answers with the bare name.
    fn links_statically(&self, spec: &LanguageSpec, search: &Search) -> io::Result<bool> {
        for words in &spec.static_probe {
            match self.ask(words, search).map(PathBuf::from) {
                Ok(file) if file.is_absolute() && file.is_file() => {}
                Err(fault) if !is_missing(&fault) => return Err(fault),
                _ => return Ok(false),
            }
        }
        Ok(!spec.static_flags.is_empty())
    }
}
