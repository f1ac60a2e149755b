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
pub use write::write;

use crate::domain::Complaint;

/// A package, and its problems or why one cannot be taken over: a free problem set has several.
pub type Read = (Package, Vec<Result<Problem, Complaint>>);

/// Reads a folder, a zip file, or the XML file of a problem set; `has_language` says whether the
/// names of programs can end so here.
pub fn read(path: &Path, has_language: &dyn Fn(&str) -> bool) -> Result<Read, Complaint> {
    let mut package = Package::open(path)?;
    let problems = if package.enter(polygon::FILE) {
        vec![Ok(polygon::read(&mut package, has_language)?)]
    } else if package.enter(dmoj::FILE) {
        vec![Ok(dmoj::read(&mut package)?)]
    } else if package.enter(cms::FILE) {
        vec![Ok(cms::read(&mut package, has_language)?)]
    } else {
        let mut problems = Vec::new();
        for file in package.files("") {
            if file.ends_with(".xml") {
                problems.extend(fps::read(&mut package, &file, has_language)?);
            }
        }
        problems
    };
    if problems.is_empty() {
        let help = "it has problem.xml (Polygon), init.yml (DMOJ), task.yaml (CMS), or is the XML file of a free problem set; packages of Kattis are read in place";
        return Err(Complaint::new(path, "it is no package that is known here").with_help(help));
    }
    Ok((package, problems))
}
