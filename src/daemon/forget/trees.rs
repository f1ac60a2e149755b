//! The folders and files that are a student's alone, and those that are written again for everybody.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::config::Config;
use crate::course::Roster;
use crate::domain::Student;
use crate::exports::{EXPORTS, Feed};
use crate::intake::{Known, KnownLanguage, Reading, Register, read_name};
use crate::package;
use crate::toolchain::Toolchain;
use crate::util::excerpt::visible_line;
use crate::util::files::sync_name;
use crate::util::words::amount;

/// Names of one folder that are looked at.
const NAMES_MAX: usize = 1_000_000;
/// Folders inside folders whose files are counted.
const DEPTH_MAX: usize = 32;
/// How the names of compressed files end.
const COMPRESSED: [&str; 6] = ["gz", "xz", "zst", "bz2", "lz4", "zip"];
/// The logs; one that was put aside has a number behind its name.
const LOGS: [&str; 2] = ["verdicts.log", "verdicts.jsonl"];

/// Removes what a student has in the submissions folder: their folder, and files with their name
/// in front. Links are removed and never followed.
pub(super) fn submissions(
    config: &Config,
    student: &Student,
    is_dry: bool,
) -> io::Result<Vec<String>> {
    let known = known(config);
    let mut told = Vec::new();
    for entry in entries(&config.folders.submissions)? {
        let name = entry.file_name();
        let is_theirs = if entry.file_type()?.is_dir() {
            let named = name.to_str().map(|name| known.register.student(name));
            named.is_some_and(|named| named.as_ref() == Ok(student))
        } else {
            match read_name(&name, &known) {
                Reading::Named { student: of, .. } => of == *student,
                Reading::Refused { student: of, .. } => of.as_ref() == Some(student),
                Reading::Ignored(_) => false,
            }
        };
        if is_theirs {
            told.extend(tree(&entry.path(), is_dry)?);
        }
    }
    Ok(told)
}

fn known(config: &Config) -> Known {
    let toolchain = Toolchain::of(config);
    Known {
        problems: package::slugs(&config.folders.problems).unwrap_or_default(),
        languages: toolchain
            .languages()
            .map(|language| KnownLanguage {
                name: language.name().to_owned(),
                extensions: language.extensions().to_vec(),
                unavailable: None,
            })
            .collect(),
        ignore: Vec::new(),
        hidden: BTreeSet::new(),
        register: Arc::new(register(config)),
    }
}

/// What else the roster calls people; of one that cannot be read, names count as they are spelled.
fn register(config: &Config) -> Register {
    let roster = config.overview.roster.as_deref().map(Roster::load);
    let roster = roster.and_then(Result::ok).unwrap_or_default();
    let people = roster.people().iter();
    let people = people.map(|one| (&one.student, one.keys().map(|(_, name)| name)));
    Register::new(people, false)
}

/// Removes a folder with everything in it, or a file.
pub(super) fn tree(path: &Path, is_dry: bool) -> io::Result<Option<String>> {
    let kind = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        found => found?.file_type(),
    };
    let shown = visible_line(&path.to_string_lossy());
    let told = if kind.is_dir() {
        format!("{shown}/ ({})", amount(files_in(path, 0)?, "file"))
    } else {
        shown
    };
    if !is_dry {
        if kind.is_dir() {
            fs::remove_dir_all(path)?;
        } else {
            fs::remove_file(path)?;
        }
        sync_name(path)?;
    }
    Ok(Some(told))
}

fn files_in(folder: &Path, depth: usize) -> io::Result<usize> {
    let mut count = 0;
    for entry in entries(folder)? {
        if entry.file_type()?.is_dir() && depth < DEPTH_MAX {
            count += files_in(&entry.path(), depth + 1)?;
        } else {
            count += 1;
        }
    }
    Ok(count)
}

fn entries(folder: &Path) -> io::Result<Vec<fs::DirEntry>> {
    match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        entries => entries?.take(NAMES_MAX).collect(),
    }
}

/// The files about everybody that are written from the store.
pub(super) fn of_everybody(config: &Config) -> Vec<PathBuf> {
    let staff = &config.folders.staff;
    let exports = EXPORTS.iter().map(|export| staff.join(export.file.name));
    let logs = LOGS.iter().map(|log| staff.join(log));
    let mut found: Vec<PathBuf> = exports.chain(logs).collect();
    found.push(Feed::new(staff).path().to_owned());
    let pages = [
        staff.clone(),
        staff.join("problems"),
        config.folders.reports.clone(),
        config.folders.reports.join("problems"),
    ];
    for entry in pages
        .iter()
        .flat_map(|folder| entries(folder).unwrap_or_default())
    {
        let path = entry.path();
        if path.extension().is_some_and(|ending| ending == "html") {
            found.push(path);
        }
    }
    found
}

/// Which logs are asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Logs {
    Plain,
    /// Nobody looks into these.
    Compressed,
}

/// Logs that were put aside or rotated: `verdicts.log.1`, `verdicts.log-20260901`,
/// `verdicts-20260901.log`.
pub(super) fn old_logs(config: &Config, which: Logs) -> Vec<PathBuf> {
    let is_old = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let ending = path.extension().unwrap_or_default();
        let is_compressed = COMPRESSED.iter().any(|known| *known == ending);
        let is_log = LOGS.iter().any(|log| {
            let (stem, kind) = log.split_once('.').unwrap_or((log, ""));
            let rest = name.strip_prefix(log);
            let rest = rest.is_some_and(|rest| rest.starts_with(['.', '-']));
            let dated = name.strip_prefix(stem);
            rest || dated.is_some_and(|rest| rest.starts_with('-') && rest.contains(kind))
        });
        is_log && is_compressed == (which == Logs::Compressed)
    };
    let entries = entries(&config.folders.staff).unwrap_or_default();
    let paths = entries.into_iter().map(|entry| entry.path());
    paths.filter(is_old).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Logs, old_logs};
    use crate::config;

    #[test]
    fn logs_of_earlier_days_are_found_under_the_names_that_rotating_gives() {
        let folder = tempfile::tempdir().unwrap();
        let config = config::parse("", &folder.path().join("config.toml")).unwrap();
        let staff = &config.folders.staff;
        std::fs::create_dir(staff).unwrap();
        for (name, which) in [
            ("verdicts.log", None),
            ("verdicts.jsonl", None),
            ("notes.gz", None),
            ("verdicts.log.1", Some(Logs::Plain)),
            ("verdicts.log-20260901", Some(Logs::Plain)),
            ("verdicts-20260901.jsonl", Some(Logs::Plain)),
            ("verdicts.log.2.gz", Some(Logs::Compressed)),
            ("verdicts.jsonl-20260901.zst", Some(Logs::Compressed)),
            ("verdicts-20260901.log.xz", Some(Logs::Compressed)),
        ] {
            let file = staff.join(name);
            std::fs::write(&file, "").unwrap();
            for one in [Logs::Plain, Logs::Compressed] {
                let found = old_logs(&config, one);
                let is_found = found.iter().any(|found| found == Path::new(&file));
                assert_eq!(is_found, which == Some(one), "{name}");
            }
        }
    }
}
