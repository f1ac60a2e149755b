//! A language on this machine: its programs with their paths, what a sandbox has to show for them, and the version.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::command;
use super::locate::{Search, shown_paths};
use crate::config::LanguageSpec;
use crate::util::excerpt;

/// Longest version that is kept, in characters.
const VERSION_CHARACTERS_MAX: usize = 200;
/// Where Debian's links to the chosen versions of programs lie.
const ALTERNATIVES: &str = "/etc/alternatives";
/// Programs with this beginning are the built ones, not the machine's.
pub(super) const BUILT: &str = "/app/";

/// Why a language is not there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Missing {
    /// What is missing or does not work.
    pub why: String,
    /// What a person does about it.
    pub install: String,
}

/// A language with everything that was found out about it.
#[derive(Debug, Clone)]
pub(super) struct Resolved {
    /// The path of each program that the table names.
    programs: BTreeMap<String, PathBuf>,
    /// What the sandbox has to show.
    pub shown: Vec<PathBuf>,
    /// The version, with what else of the machine changes the built program.
    pub version: String,
    /// What `{static}` stands for here.
    pub static_flags: Vec<String>,
}

impl Resolved {
    /// Looks everything up; starts the compiler once to ask its version.
    pub(super) fn new(spec: &LanguageSpec, search: &Search) -> Result<Self, Missing> {
        let missing = |why| Missing {
            why,
            install: spec.install.clone(),
        };
        if !spec.offer {
            return Err(Missing {
                why: "switched off in config.toml".to_owned(),
                install: "take `offer = false` out of its table".to_owned(),
            });
        }
        let mut programs = BTreeMap::new();
        let mut shown: Vec<PathBuf> = shown_paths(ALTERNATIVES);
        shown.extend(spec.show.iter().flat_map(|pattern| shown_paths(pattern)));
        let needed = spec.build.iter().chain([&spec.run, &spec.version]);
        for program in needed.filter_map(|words| words.first()) {
            if program.starts_with(BUILT) || programs.contains_key(program) {
                continue;
            }
            let located = search.find(program).map_err(missing)?;
            shown.extend(located.shown);
            programs.insert(program.clone(), located.program);
        }
        shown.sort();
        // What lies in a shown folder is shown with it; sorted, a folder comes before what it holds.
        shown.dedup_by(|inner, outer| inner.starts_with(&*outer));
        let mut resolved = Self {
            programs,
            shown,
            version: String::new(),
            static_flags: Vec::new(),
        };
        let version = resolved.ask(&spec.version, search).map_err(missing)?;
        resolved.version = excerpt::visible_line(&command::first_line(version.as_bytes()))
            .chars()
            .take(VERSION_CHARACTERS_MAX)
            .collect();
        if resolved.links_statically(spec, search) {
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

    fn ask(&self, words: &[String], search: &Search) -> Result<String, String> {
        let Some((program, arguments)) = words.split_first() else {
            return Err("it has no command to ask".to_owned());
        };
        let path = match self.programs.get(program) {
            Some(path) => path.clone(),
            None => search.find(program)?.program,
        };
        command::ask(&path, arguments)
    }

    /// Whether every file that static linking needs is there. A compiler that has none answers with the bare name.
    fn links_statically(&self, spec: &LanguageSpec, search: &Search) -> bool {
        !spec.static_flags.is_empty()
            && spec.static_probe.iter().all(|words| {
                self.ask(words, search).is_ok_and(|answer| {
                    let path = Path::new(&answer);
                    path.is_absolute() && path.is_file()
                })
            })
    }
}
