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

use std::path::Path;

pub use package::Package;
pub use problem::{Content, Problem};
pub(super) use write::put;
pub use write::write;

use crate::domain::Complaint;

const KNOWN: &str = "it has problem.xml (Polygon), init.yml (DMOJ) or task.yaml (CMS), or is the XML file of a \
                     free problem set; packages of Kattis and the ICPC are read in place";

/// A package's problems, or why one cannot be taken over: a free problem set has several.
pub type Problems = Vec<Result<Problem, Complaint>>;

/// Reads all of a package; `path` is for messages.
pub fn read(package: &mut Package<'_>, path: &Path) -> Result<Problems, Complaint> {
    let name = path.canonicalize().unwrap_or(path.to_owned());
    let name = name.file_stem().unwrap_or_default().to_string_lossy();
    let mut problems = Vec::new();
    if package.enter(polygon::FILE) {
        problems.push(polygon::read(package));
    } else if package.enter(dmoj::FILE) {
        problems.push(dmoj::read(package, &name));
    } else if package.enter(cms::FILE) {
        problems.push(cms::read(package));
    } else {
        for file in package.files("") {
            if package::ending_of(&file) == "xml" {
                problems.extend(fps::read(package, &file)?);
            }
        }
    }
    if problems.is_empty() {
        return Err(Complaint::new(path, "it is no package that is known here").with_help(KNOWN));
    }
    Ok(problems)
}
