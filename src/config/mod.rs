//! config.toml, read once and resolved: laid over the shipped file, every path absolute, every
//! default filled in, what concerns several values checked.

mod language;
mod place;
mod rules;
mod shape;
mod web;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use self::language::{BUILT_IN, by_extension};
use self::web::renamed;
use crate::domain::Complaint;
use crate::domain::bounds::CONFIG_BYTES_MAX;

pub use language::LanguageSpec;
pub use place::{Place, suggestion, text_of};
pub use rules::{Check, Rule, TIME_FACTOR, Wrong};
pub use shape::{
    Config, Counts, Folders, Intake, LIMIT_RULES, LimitTable, UnknownStudents, Workers, check_wall,
    limits_toml,
};
pub use web::{Public, Web, host_address, host_name, is_loopback};

/// The shipped file, which has every key with its default.
const SHIPPED: &str = include_str!("../../config.toml");

/// Reads and resolves a file.
pub fn load(path: &Path) -> Result<Config, Complaint> {
    let unreadable = |error| unreadable(path, &error);
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(CONFIG_BYTES_MAX + 1).read_to_end(&mut bytes))
        .map_err(unreadable)?;
    if bytes.len() as u64 > CONFIG_BYTES_MAX {
        return Err(unreadable(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it is larger than {CONFIG_BYTES_MAX} bytes"),
        )));
    }
    parse(text_of(&bytes, path)?, path)
}

/// A file that cannot be read; in an empty folder everybody sees this first.
fn unreadable(file: &Path, error: &io::Error) -> Complaint {
    let complaint = Complaint::new(file, format!("it cannot be read: {error}"));
    match error.kind() {
        io::ErrorKind::NotFound => complaint.with_help(
            "begin a course with `verdictd init DIR`, change to the folder of yours, or name its \
             configuration with --config FILE",
        ),
        _ => complaint,
    }
}

/// Resolves a text as if it were the content of this file.
pub fn parse(text: &str, file: &Path) -> Result<Config, Complaint> {
    let place = Place::new(text, file);
    let rules = [
        &shape::RULES[..],
        &LIMIT_RULES,
        &web::RULES,
        &language::RULES,
    ]
    .concat();
    let mut config: Config = place.shape(&[SHIPPED, BUILT_IN], &rules, renamed)?;
    config.file = std::path::absolute(file).map_err(|error| unreadable(file, &error))?;
    let base = config.file.parent().unwrap_or(Path::new("/"));
    let folders = &mut config.folders;
    for path in [
        &mut folders.submissions,
        &mut folders.problems,
        &mut folders.reports,
        &mut folders.staff,
        &mut folders.state,
    ]
    .into_iter()
    .chain(&mut config.overview.roster)
    .chain(&mut config.web.staff_token_file)
    .chain(&mut config.web.book)
    .chain(&mut config.cluster.credentials)
    {
        *path = tidy(&base.join(&path));
    }
    apart(&place, &config.folders)?;
    check_wall(&config.limits, &place)?;
    if config.judge.workers == Workers::Nobody && config.cluster.nats.is_none() {
        return Err(place.error(
            place.span_of(&["judge", "workers"]).unwrap_or_default(),
            "nobody would measure: `workers` says that this machine does not, and no other one can",
            "name the server in `nats` under [cluster], or leave `workers` out",
        ));
    }
    let web = &config.web;
    if web.students == web.staff && web.students.port() != 0 {
        let shown = ["staff", "students"]
            .into_iter()
            .find_map(|key| place.span_of(&["web", key]));
        return Err(place.error(
            shown.unwrap_or_default(),
            "`students` and `staff` are the same address",
            "give each view a port of its own",
        ));
    }
    config.languages = language::complete(&place, config.languages)?;
    config.extensions = by_extension(&place, &config.languages)?;
    Ok(config)
}

/// No folder is another one, or lies inside another.
fn apart(place: &Place<'_>, folders: &Folders) -> Result<(), Complaint> {
    let folders = [
        ("submissions", real(&folders.submissions)),
        ("problems", real(&folders.problems)),
        ("reports", real(&folders.reports)),
        ("staff", real(&folders.staff)),
        ("state", real(&folders.state)),
    ];
    for (index, (key, path)) in folders.iter().enumerate() {
        for (other, other_path) in &folders[..index] {
            let relation = if path == other_path {
                format!("`{key}` and `{other}` are the same folder")
            } else if path.starts_with(other_path) {
                format!("`{key}` lies inside `{other}`")
            } else if other_path.starts_with(path) {
                format!("`{other}` lies inside `{key}`")
            } else {
                continue;
            };
            // The place of a default is not in the file: then the other one is shown.
            let span = place.span_of(&["folders", key]);
            let span = span.or_else(|| place.span_of(&["folders", other]));
            return Err(place.error(
                span.unwrap_or_default(),
                relation,
                "give each of submissions, problems, reports, staff and state a folder of its own, none inside another",
            ));
        }
    }
    Ok(())
}

/// Takes `.` and `..` out of an absolute path.
pub fn tidy(path: &Path) -> PathBuf {
    let mut tidied = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                tidied.pop();
            }
            Component::CurDir => {}
            other => tidied.push(other),
        }
    }
    tidied
}

/// The same path with the symlinks of the part of it that exists followed, so that one folder under
/// two names is seen to be one.
fn real(path: &Path) -> PathBuf {
    for ancestor in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (ancestor.canonicalize(), path.strip_prefix(ancestor)) {
            return if rest.as_os_str().is_empty() {
                real
            } else {
                real.join(rest)
            };
        }
    }
    path.to_owned()
}

#[cfg(test)]
mod tests;
