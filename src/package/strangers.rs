//! The folder of all problems: which packages it holds, and what is none: packages of other
//! formats, unusable names.

use std::path::Path;

use super::error::Trouble;
use super::format::{another_format, format_of};
use super::remarks::{Remark, Remarks};
use super::tree::{Entry, HACKS_FOLDER, entries};
use super::zipped::{Home, stem};
use crate::domain::ProblemSlug;
use crate::domain::bounds::PROBLEMS_MAX;

/// Entries of the folder that are looked at, and of a folder in it that is no package.
const ENTRIES_MAX: usize = 4 * PROBLEMS_MAX;
const INNER_ENTRIES_MAX: usize = 100;
const STRAY_FILE: &str = "nothing reads this file: a problem is a folder here, or a file that ends in \
                          .zip or .kpp";

/// The names of the packages below a folder.
pub fn slugs(folder: &Path) -> Result<Vec<ProblemSlug>, Trouble> {
    survey(folder).map(|(slugs, _)| slugs)
}

/// What the folder of all problems holds beside packages.
pub fn strangers(folder: &Path) -> Result<Vec<Remark>, Trouble> {
    survey(folder).map(|(_, strangers)| strangers)
}

/// Both, of one look.
pub fn survey(folder: &Path) -> Result<(Vec<ProblemSlug>, Vec<Remark>), Trouble> {
    let (mut slugs, mut remarks) = (Vec::new(), Remarks::default());
    let listed = folder.metadata();
    let listed = listed.and_then(|_| entries(folder, "", ENTRIES_MAX));
    let listed = listed.map_err(|error| {
        Trouble::file(
            folder,
            format!("{error}; `problems` under [folders] of the configuration names this folder"),
        )
    })?;
    for entry in listed {
        let zipped = stem(entry.name()).filter(|_| entry.is_plain());
        if !entry.is_folder && zipped.is_none() {
            if !entry.is_harmless_file() {
                remarks.add(&entry.file, STRAY_FILE);
            }
            continue;
        }
        let name = zipped.unwrap_or(entry.name());
        let is_package = zipped.is_some() || format_of(&entry.file).is_some();
        let slug = ProblemSlug::new(name).ok();
        match slug.map(|slug| (Home::of(folder, &slug), slug)) {
            Some((home, slug)) if is_package && home.shown() == entry.file => {
                slugs.push(slug);
                if slugs.len() == PROBLEMS_MAX + 1 {
                    let words = format!("there are more than {PROBLEMS_MAX} problems");
                    remarks.add(&entry.file, format!("{words}, and the rest is not read"));
                }
            }
            Some((home, _)) if is_package => {
                let counts = home.shown().display();
                let words = format!("it is not read, because {counts} is: remove one of the two");
                remarks.add(&entry.file, words);
            }
            Some((home, _)) if home.zip.is_some() && has_only_hacks(&entry.file) => {}
            None if is_package => remarks.add(&entry.file, unusable(name)),
            _ => remarks.add(&entry.file, no_package(&entry)),
        }
    }
    slugs.sort();
    slugs.truncate(PROBLEMS_MAX);
    Ok((slugs, remarks.finish()))
}

/// Whether a folder has nothing but hacks: its package is a zip file.
fn has_only_hacks(folder: &Path) -> bool {
    let inner = entries(folder, "", INNER_ENTRIES_MAX).unwrap_or_default();
    inner.iter().all(|inner| inner.name() == HACKS_FOLDER)
}

fn unusable(name: &str) -> String {
    let usable: String = name
        .to_lowercase()
        .chars()
        .map(|character| match character {
            'a'..='z' | '0'..='9' | '_' => character,
            _ => '-',
        })
        .collect();
    let usable = usable.trim_matches('-');
    let example = match ProblemSlug::new(usable) {
        Ok(slug) => format!(", to `{slug}` for one"),
        Err(_) => String::new(),
    };
    format!(
        "nobody can hand in for it: the name of a problem may have only a-z, 0-9, - and \
         _; rename it{example}"
    )
}

fn no_package(folder: &Entry) -> String {
    if let Some(words) = another_format(|file| folder.file.join(file).is_file()) {
        return words;
    }
    let inner = entries(&folder.file, "", INNER_ENTRIES_MAX).unwrap_or_default();
    if let Some(inner) = inner
        .iter()
        .find(|inner| inner.is_folder && format_of(&inner.file).is_some())
    {
        return format!(
            "no problem.toml; `{}` in it is a package: every problem is a folder directly in the \
             problems folder, move it up",
            inner.name()
        );
    }
    "no problem.toml and no problem.yaml, so it is not a problem: write one (docs/problem.toml shows \
     every key), or move the folder elsewhere"
        .to_owned()
}
