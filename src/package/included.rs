//! What a package adds to what people hand in: a driver that calls their function, headers. It lies
//! in `include/LANGUAGE/`, and in `include/default/` for languages that have no folder there.

use std::collections::BTreeMap;
use std::path::Path;

use super::error::Trouble;
use super::format::PROBLEM_YAML;
use super::kattis::Version;
use super::tree::Tree;
use super::yaml::Yaml;
use crate::domain::{Added, Complaint, Digest, LanguageId, NamedFile};
use crate::util::archive::is_plain;
use crate::util::hash::Key;

/// Where it lies.
pub const INCLUDE_FOLDER: &str = "include";
/// For every language that has no folder of its own.
pub const DEFAULT_FOLDER: &str = "default";
/// Files for one language.
const FILES_MAX: usize = 32;
/// The largest of them, in bytes.
const FILE_BYTES_MAX: u64 = 1024 * 1024;
/// Languages for which a program of another one is written.
const ALIKE: [(&str, &str); 1] = [("pypy", "python3")];

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Included {
    /// By the key of the language.
    files: BTreeMap<String, Vec<NamedFile>>,
    /// Whether a driver has to be called `main`, as since `2025-09`.
    names_driver: bool,
}

impl Included {
    /// Reads it for a package with this manifest, whose text is at hand.
    pub(super) fn read(tree: &Tree, (text, manifest): (&str, &Path)) -> Result<Self, Trouble> {
        let mut included = BTreeMap::new();
        for folder in tree.below(INCLUDE_FOLDER).filter(|entry| entry.is_folder) {
            let files = tree.below(&folder.path).filter(|entry| entry.is_plain());
            let files =
                files.filter(|entry| !entry.is_harmless_file() && !entry.name().starts_with('#'));
            let mut read = Vec::new();
            for entry in files {
                let refuse = |reason: &str, help: &str| {
                    Err(Complaint::new(&entry.file, reason).with_help(help).into())
                };
                if !is_plain(entry.name()) {
                    let reason =
                        "a file that is compiled with what people hand in has a plain name";
                    return refuse(reason, "use letters, digits, `_`, `-`, `+` and dots");
                }
                if read.len() == FILES_MAX {
                    let reason = format!("there are more than {FILES_MAX} files for one language");
                    return refuse(&reason, "join some of them");
                }
                let bytes = (tree.constants.file(&entry.file, FILE_BYTES_MAX))
                    .map_err(|error| Complaint::new(&entry.file, error))?;
                read.push((entry.name().to_owned(), bytes.into()));
            }
            included.insert(folder.name().to_owned(), read);
        }
        let is_icpc = !included.is_empty() && manifest.ends_with(PROBLEM_YAML);
        let names_driver = is_icpc && Version::of(&Yaml::read(text, manifest)?)? != Version::Legacy;
        Ok(Self {
            files: included,
            names_driver,
        })
    }

    /// What is added to programs in a language.
    pub fn of(&self, language: &LanguageId) -> Added<'_> {
        let alike = ALIKE.iter().find(|(key, _)| *key == language.as_str());
        let keys = [
            language.as_str(),
            alike.map_or(DEFAULT_FOLDER, |(_, other)| other),
            DEFAULT_FOLDER,
        ];
        let mut found = keys.iter().filter_map(|key| self.files.get(*key));
        Added {
            files: found.next().map_or(&[], Vec::as_slice),
            names_driver: self.names_driver,
        }
    }

    /// The keys of the languages.
    pub fn languages(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Changes with everything in it.
    pub fn digest(&self) -> Digest {
        let begin = Key::new(if self.names_driver {
            "included-with-named-driver"
        } else {
            "included"
        });
        let key = self.files.iter().fold(begin, |key, (language, files)| {
            let key = key
                .part(language.as_bytes())
                .part(&files.len().to_le_bytes());
            let with = |key: Key, (name, bytes): &NamedFile| key.part(name.as_bytes()).part(bytes);
            files.iter().fold(key, with)
        });
        key.finish()
    }
}
