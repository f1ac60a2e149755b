//! The files of a program: the one that it begins with, and what is compiled with it or read by it.

use std::path::Path;
use std::sync::Arc;

use memchr::memmem;

use super::java;
use super::source::{BYTE_ORDER_MARK, is_source, module_ending, needs_main, prepare, without_mark};
use crate::config::LanguageSpec;
use crate::domain::{Added, NamedFile, is_header};

/// What the file is called that a program of several begins with, without its ending, in lower case.
const MAIN: [&str; 2] = ["main", "__main__"];

/// Comments and directives of Pascal, the only language with a word for units.
const COMMENTS: [(&[u8], &[u8]); 3] = [(b"{", b"}"), (b"(*", b"*)"), (b"//", b"\n")];

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
    /// started, in a language in which a file says that; or with the first by its name that is no
    /// unit.
    ///
    /// One file beside a driver gets the name `module`, so that drivers can name it.
    pub(super) fn new(
        spec: &LanguageSpec,
        own: Vec<NamedFile>,
        added: Added<'_>,
        module: &str,
    ) -> Self {
        if let [(name, bytes)] = own.as_slice()
            && added.files.is_empty()
        {
            return Self::alone(name, bytes);
        }
        let included = laid(spec, added.files.to_vec());
        // Where all sources are compiled together, any of them may call what is handed in.
        let may_call = |name: &str| is_source(spec, name) && !added.names_driver;
        let driver = driver(spec, &included, added.names_driver);
        let has_driver = driver.is_some() || included.iter().any(|(name, _)| may_call(name));
        let is_one = own.len() == 1;
        let mut own: Vec<NamedFile> = own.into_iter().map(|file| plain(spec, file)).collect();
        own.retain(|(name, _)| is_one || is_part(spec, name));
        if let [(name, _)] = own.as_mut_slice()
            && has_driver
        {
            let named = |stem: &str| format!("{stem}.{}", module_ending(spec));
            *name = named(&module.replace('-', "_"));
            if included.iter().any(|(other, _)| other == name) {
                *name = named("submission");
            }
        }
        let mut own = laid(spec, own);
        own.retain(|(name, _)| included.iter().all(|(other, _)| other != name));
        own.sort();
        let main = driver.or_else(|| main_of(spec, &own));
        // Where nothing is left of what was handed in, the package's own files do not build.
        let main = main.or_else(|| included.first()).cloned();
        let main = main.unwrap_or_else(|| (spec.source.clone(), Arc::from([])));
        let beside = own.into_iter().chain(included);
        let mut beside: Vec<NamedFile> = beside.filter(|(name, _)| *name != main.0).collect();
        beside.sort();
        Self { main, beside }
    }
}

/// A file as the compiler knows it: with its ending in lower case, and without a byte order mark.
fn plain(spec: &LanguageSpec, (name, bytes): NamedFile) -> NamedFile {
    let name = match name.rsplit_once('.') {
        Some((stem, ending)) if is_part(spec, &name) => {
            format!("{stem}.{}", ending.to_ascii_lowercase())
        }
        _ => name,
    };
    match without_mark(spec, &bytes) {
        rest if rest.len() < bytes.len() => (name, Arc::from(rest)),
        _ => (name, bytes),
    }
}

/// The same files under the names that they need: a public class of Java lies in a file of its own
/// name. Where another file has that name, the compiler says so.
fn laid(spec: &LanguageSpec, mut files: Vec<NamedFile>) -> Vec<NamedFile> {
    if !needs_main(spec) {
        return files;
    }
    for at in 0..files.len() {
        let (_, bytes) = &files[at];
        let stem = java::sketch(bytes).file_stem;
        let name = stem.map(|stem| format!("{stem}.{}", module_ending(spec)));
        if let Some(name) = name.filter(|name| files.iter().all(|(other, _)| other != name)) {
            files[at].0 = name;
        }
    }
    files
}

/// The file of a package that calls what people hand in.
fn driver<'f>(
    spec: &LanguageSpec,
    included: &'f [NamedFile],
    names_driver: bool,
) -> Option<&'f NamedFile> {
    let sources = included.iter().filter(|(name, _)| is_source(spec, name));
    let sources: Vec<&NamedFile> = sources.collect();
    let named = sources.iter().find(|file| is_main(spec, file));
    match (named, sources.as_slice()) {
        (Some(file), _) => Some(file),
        (None, [only]) if !spec.all_sources && !names_driver => Some(only),
        _ => None,
    }
}

/// Whether there are sources of a package, and no driver is among them.
pub(super) fn lacks_driver(spec: &LanguageSpec, added: Added<'_>) -> bool {
    let has_sources = added.files.iter().any(|(name, _)| is_source(spec, name));
    let is_meant = has_sources && !spec.all_sources && !added.names_driver;
    is_meant && driver(spec, added.files, false).is_none()
}

fn main_of<'f>(spec: &LanguageSpec, own: &'f [NamedFile]) -> Option<&'f NamedFile> {
    if let [only] = own {
        return Some(only);
    }
    let mut sources = own.iter().filter(|(name, _)| is_source(spec, name));
    let first = sources.clone().find(|file| !is_unit(spec, file));
    let first = first.or_else(|| sources.clone().next());
    sources.find(|file| is_main(spec, file)).or(first)
}

/// Whether the file says by its first word that no program begins with it.
fn is_unit(spec: &LanguageSpec, (_, bytes): &NamedFile) -> bool {
    let mut rest = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    loop {
        rest = rest.trim_ascii_start();
        let comment = COMMENTS.iter().find(|(begin, _)| rest.starts_with(begin));
        let Some((_, end)) = comment else { break };
        let length = memmem::find(rest, end).map_or(rest.len(), |at| at + end.len());
        rest = &rest[length..];
    }
    let length = rest
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_');
    let word = &rest[..length.count()];
    !word.is_empty() && word.eq_ignore_ascii_case(spec.unit_word.as_bytes())
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
    is_source(spec, name) || is_header(name)
}
