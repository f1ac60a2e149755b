//! Packages of other systems, written as packages of ours: `verdictd import-problem`.
//!
//! A file for each format reads a package into one description, [`Problem`]; [`write()`] makes a
//! folder of it. Nothing is guessed: what cannot be taken over is in the description's lists, and
//! where nobody could be judged rightly, the package is refused.

mod cms;
mod dmoj;
mod fps;
mod package;
mod polygon;
mod problem;
mod write;
mod xml;

use std::path::{Path, PathBuf};

pub use package::Package;
use problem::Read;
pub use problem::{Content, Problem};
pub(super) use write::put;
pub use write::write;

use super::format::MANIFESTS;
use crate::domain::{Complaint, ending};

const KNOWN: &str = "it has problem.xml (Polygon), init.yml (DMOJ) or task.yaml (CMS), or is the XML file of a \
                     free problem set";
const NO_STATEMENT: &str = "no statement that can be shown is in it: write statement.md";
const READ_IN_PLACE: &str = "put it into the problems folder as it is, it is read there";

/// A package's problems, or why one cannot be taken over: a free problem set has several.
pub type Problems = Vec<Read<Problem>>;

/// Reads a package, which is called as its file or folder is if it has no name of its own.
type Reader = fn(&mut Package, &str) -> Read<Problem>;
const READERS: [(&str, Reader); 3] = [
    (polygon::FILE, polygon::read),
    (dmoj::FILE, dmoj::read),
    (cms::FILE, cms::read),
];

/// The folder of a package that is named by its manifest.
pub fn folder_of(path: &Path) -> PathBuf {
    let is_manifest = READERS.iter().any(|(name, _)| path.ends_with(name));
    let folder = path.parent().filter(|_| is_manifest && path.is_file());
    // Not "", which is no folder.
    folder.map_or(path.to_owned(), |folder| Path::new(".").join(folder))
}

fn with_statement(mut problem: Problem) -> Problem {
    if !(problem.files.iter()).any(|(path, _)| path.starts_with("statement")) {
        problem.leave_out("", NO_STATEMENT);
    }
    problem
}

/// Reads all of a package; `path` is for messages.
pub fn read(package: &mut Package, path: &Path) -> Read<Problems> {
    let name = path.canonicalize().unwrap_or(path.to_owned());
    let name = name.file_stem().unwrap_or_default().to_string_lossy();
    for (manifest, reader) in READERS {
        if package.enter(manifest)? {
            return Ok(vec![reader(package, &name).map(with_statement)]);
        }
    }
    for (manifest, _) in MANIFESTS {
        if package.enter(manifest)? {
            let reason = format!("it is no package of another system: it has {manifest}");
            return Err(Complaint::new(path, reason).with_help(READ_IN_PLACE));
        }
    }
    let mut problems = Vec::new();
    for file in package
        .files("")
        .iter()
        .filter(|file| ending(file) == "xml")
    {
        problems.extend(fps::read(package, file)?);
    }
    if problems.is_empty() {
        return Err(Complaint::new(path, "it is no package that is known here").with_help(KNOWN));
    }
    Ok(problems)
}
