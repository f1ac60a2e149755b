//! The files of a program: the one that it begins with, and what is compiled with it or read by it.

use std::path::Path;
use std::sync::Arc;

use super::java;
use super::source::{ending, extension, is_source, needs_main, prepare};
use crate::config::LanguageSpec;
use crate::domain::{HEADER_ENDINGS, NamedFile};

/// What the file is called that a program of several begins with, without its ending, in lower case.
const MAIN: [&str; 2] = ["main", "__main__"];

/// A program, ready to be built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    /// What is started, or compiled: where a compiler gets all sources, the first of them.
    pub main: NamedFile,
    /// What lies beside it, by name.
    pub beside: Vec<NamedFile>,
}

impl Parts {
    /// A program of one file.
    pub fn alone(name: &str, bytes: &[u8]) -> Self {
        Self {
            main: (name.to_owned(), Arc::from(bytes)),
            beside: Vec::new(),
        }
    }

    /// A program of this language, of what somebody has written and what a package adds. Files of
    /// the package take the place of others of the same name.
    ///
    /// It begins with the package's driver, if the package adds one: the file that is called main, or
    /// its only source. Else it begins with the file that is called main; or with the one that can be
    /// started, in a language in which a file says that; or with the first by its name.
    ///
    /// One file beside a driver gets the name `called`, so that drivers can name it.
    pub(super) fn new(
        spec: &LanguageSpec,
        mut own: Vec<NamedFile>,
        added: &[NamedFile],
        called: &str,
    ) -> Self {
        if own.len() > 1 {
            own.retain(|(name, _)| is_part(spec, name));
        }
        let has_driver = added.iter().any(|(name, _)| is_source(spec, name));
        if let [(name, bytes)] = own.as_mut_slice()
            && has_driver
        {
            // A public class of Java has to lie in a file of its own name.
            let class = needs_main(spec).then(|| java::sketch(bytes).file_stem);
            let stem = class.flatten().unwrap_or_else(|| called.replace('-', "_"));
            *name = format!("{stem}.{}", extension(spec, name));
        }
        own.retain(|(name, _)| added.iter().all(|(other, _)| other != name));
        own.sort();
        let driver = has_driver.then(|| driver(spec, added)).flatten();
        let main = driver.or_else(|| main_of(spec, &own)).cloned();
        let main = main.unwrap_or_else(|| (String::new(), Arc::from([])));
        let beside = own.into_iter().chain(added.iter().cloned());
        let mut beside: Vec<NamedFile> = beside.filter(|(name, _)| *name != main.0).collect();
        beside.sort();
        Self { main, beside }
    }
}

/// The file of a package that calls what people hand in.
fn driver<'f>(spec: &LanguageSpec, added: &'f [NamedFile]) -> Option<&'f NamedFile> {
    let sources = added.iter().filter(|(name, _)| is_source(spec, name));
    let sources: Vec<&NamedFile> = sources.collect();
    let named = sources.iter().find(|file| is_main(spec, file));
    match (named, sources.as_slice()) {
        (Some(file), _) => Some(file),
        (None, [only]) if !spec.all_sources => Some(only),
        _ => None,
    }
}

fn main_of<'f>(spec: &LanguageSpec, own: &'f [NamedFile]) -> Option<&'f NamedFile> {
    if let [only] = own {
        return Some(only);
    }
    let mut sources = own.iter().filter(|(name, _)| is_source(spec, name));
    let first = sources.clone().next();
    sources.find(|file| is_main(spec, file)).or(first)
}

/// Whether a program of several files begins with this one.
fn is_main(spec: &LanguageSpec, (name, bytes): &NamedFile) -> bool {
    if needs_main(spec) {
        return prepare(spec, (name, bytes), &[]).main.is_some();
    }
    let stem = Path::new(name).file_stem().unwrap_or_default();
    MAIN.iter().any(|main| stem.eq_ignore_ascii_case(main))
}

/// Whether a file may be a part of a program.
fn is_part(spec: &LanguageSpec, name: &str) -> bool {
    is_source(spec, name) || HEADER_ENDINGS.contains(&ending(name))
}
