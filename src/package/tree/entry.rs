//! A file or folder of a package, and what the folders there hold.

use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

use crate::domain::{ending, is_header};
use crate::util::order::natural_files;

/// Endings of files that are for people.
const HARMLESS_ENDINGS: [&str; 10] = [
    "md", "pdf", "tex", "html", "png", "jpg", "jpeg", "svg", "desc", "hint",
];
/// Beginnings of files' names that are for people, in lower case.
const HARMLESS_NAMES: [&str; 5] = ["readme", "license", "licence", "makefile", "changelog"];
/// Folders that are looked at for tests below one that is not read, and entries of each.
const NESTED_FOLDERS_MAX: usize = 100;
const NESTED_ENTRIES_MAX: usize = 1_000;

/// A file or folder.
#[derive(Debug)]
pub struct Entry {
    /// Where it is in the package, with `/`; bytes that are not UTF-8 are replaced.
    pub path: String,
    pub file: PathBuf,
    pub is_folder: bool,
    /// What is known of it, or of what it leads to if it is a link; none where that is gone.
    pub facts: Option<Metadata>,
    pub is_link: bool,
}

impl Entry {
    /// Its name.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Its folder in the package.
    pub fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    pub fn ending(&self) -> &str {
        ending(&self.path)
    }

    /// Whether it is a file, and no pipe or device.
    pub fn is_plain(&self) -> bool {
        self.facts.as_ref().is_some_and(Metadata::is_file)
    }

    /// Whether a program beside it may include it.
    pub fn is_header(&self) -> bool {
        is_header(self.name())
    }

    /// Whether it is for people, or something that an editor has left.
    pub fn is_harmless_file(&self) -> bool {
        let lower = self.name().to_ascii_lowercase();
        !self.is_folder
            && (HARMLESS_ENDINGS.contains(&self.ending())
                || HARMLESS_NAMES.iter().any(|known| lower.starts_with(known))
                || lower.ends_with('~'))
    }
}

/// The entries of a folder in the order in which people count, without hidden ones; a missing
/// folder has none. There is one more than `most` where there are too many.
pub fn entries(folder: &Path, below: &str, most: usize) -> io::Result<Vec<Entry>> {
    let listed = match std::fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in listed.take(most + 1) {
        let file = entry?.path();
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with('.') && name != ".timelimit" {
            continue;
        }
        let own = std::fs::symlink_metadata(&file).ok();
        let is_link = own.as_ref().is_some_and(Metadata::is_symlink);
        let facts = if is_link {
            file.metadata().ok().or(own)
        } else {
            own
        };
        found.push(Entry {
            path: match below {
                "" => name.into_owned(),
                below => format!("{below}/{name}"),
            },
            // What cannot be looked at is taken for a file: reading it says why, while leaving out
            // a test would change verdicts in silence.
            is_folder: facts.as_ref().is_some_and(Metadata::is_dir),
            is_link,
            facts,
            file,
        });
    }
    found.sort_by(|one, other| natural_files(&one.file, &other.file));
    Ok(found)
}

/// Whether there is a test input in a folder or below it.
pub fn has_inputs(folder: &Path) -> io::Result<bool> {
    let mut folders = vec![folder.to_owned()];
    let mut looked_at = 0;
    while let Some(next) = folders.pop() {
        looked_at += 1;
        if looked_at > NESTED_FOLDERS_MAX {
            // So many folders are hardly there for nothing.
            return Ok(true);
        }
        for entry in entries(&next, "", NESTED_ENTRIES_MAX)? {
            if entry.is_folder {
                folders.push(entry.file);
            } else if entry.ending().eq_ignore_ascii_case("in") {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Whether a link leads to something that does not lie in the package whose folder, without any
/// links, is `root`. One that leads nowhere does not: whoever reads it says so.
pub fn leads_out(entry: &Entry, root: &Path) -> bool {
    let target = entry.is_link.then(|| entry.file.canonicalize().ok());
    target
        .flatten()
        .is_some_and(|target| !target.starts_with(root))
}
