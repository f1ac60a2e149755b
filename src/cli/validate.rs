//! `verdictd validate PROBLEM FILE…`: valid, valid after normalising, or refused with line, column and reason.
//!
//! A built-in problem says so itself; of any other problem its package's validator does, in the sandbox.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use super::names::{built_in, unknown};
use super::out::Style;
use super::session::Session;
use super::{Complaint, Exit, Out};
use crate::domain::ProblemSlug;
use crate::package::{self, Package};
use crate::problems::{self, INPUT_BYTES_MAX, Normalisation, Task};
use crate::util::files::read_bounded;

/// Arguments of `validate`.
#[derive(Debug, Args)]
pub struct Arguments {
    #[arg(help = built_in(", or a package with a validator"))]
    problem: String,
    /// The inputs to check.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// One JSON object per file.
    #[arg(long)]
    json: bool,
}

/// The built-in problem that a person means.
pub fn task_named(name: &str) -> anyhow::Result<&'static dyn Task> {
    let wanted = name.to_ascii_lowercase();
    problems::find(&wanted).ok_or_else(|| {
        let known: Vec<&str> = problems::ALL.iter().map(|task| task.slug()).collect();
        Complaint::usage(format!(
            "`{name}` is not a built-in problem; there are {}",
            known.join(", ")
        ))
    })
}

/// Says what is valid.
enum Judge {
    BuiltIn(&'static dyn Task),
    Package(Box<Session>, Arc<Package>),
}

/// What was found out about an input.
enum Found {
    Valid(Vec<Normalisation>),
    Refused(Option<(usize, usize)>, String),
    Fault(String),
}

impl Judge {
    fn of(name: &str, config_file: &Path) -> anyhow::Result<Self> {
        if let Ok(task) = task_named(name) {
            return Ok(Self::BuiltIn(task));
        }
        let (session, package) = package_named(name, config_file)?;
        if package.validator.is_none() && package.task().is_none() {
            return Err(Complaint::usage(format!(
                "the package `{}` has no validator; name one in its problem.toml: validator = \"input_validators/validate.py\"",
                package.slug
            )));
        }
        Ok(Self::Package(Box::new(session), package))
    }

    fn find(&self, file: &Path, bytes: Vec<u8>) -> Found {
        match self {
            Self::BuiltIn(task) => match task.validate(&bytes) {
                Ok(valid) => Found::Valid(valid.notes),
                Err(fault) => Found::Refused(Some((fault.line, fault.column)), fault.reason),
            },
            Self::Package(session, package) => session.with_oracle(|oracle| {
                match package::valid_input(package, file, bytes, oracle) {
                    Ok((_, notes)) => Found::Valid(notes),
                    Err(error) if error.ours => Found::Fault(error.reason),
                    Err(error) => Found::Refused(error.place, error.reason),
                }
            }),
        }
    }
}

/// Opens what is needed for a package, and reads it.
pub fn package_named(name: &str, config_file: &Path) -> anyhow::Result<(Session, Arc<Package>)> {
    let session = Session::open(config_file)?;
    let slug = session.slugs.iter().find(|slug| slug.matches(name));
    let Some(slug) = slug.cloned() else {
        let built_in = problems::ALL.iter().map(|task| task.slug());
        let known: Vec<&str> = built_in
            .chain(session.slugs.iter().map(ProblemSlug::as_str))
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        let known = known.into_iter();
        return Err(Complaint::usage(unknown(
            "there is no problem",
            name,
            known,
        )));
    };
    match session.package(&slug) {
        Some(Ok(package)) => Ok((session, package)),
        Some(Err(error)) if error.ours => Err(anyhow::anyhow!("{error}")),
        Some(Err(error)) => Err(Complaint::usage(format!("the package is broken: {error}"))),
        None => Err(Complaint::usage(format!("there is no problem `{name}`"))),
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let judge = Judge::of(&arguments.problem, config_file)?;
    let mut exit = Exit::Good;
    for file in &arguments.files {
        let name = file.display().to_string();
        let bytes = match read_bounded(file, INPUT_BYTES_MAX as u64) {
            Ok(bytes) => bytes,
            Err(error) => {
                out.error(&format!("{name}: {error}"));
                exit = Exit::Usage;
                continue;
            }
        };
        let found = judge.find(file, bytes);
        let (object, line, after) = told(&name, &found, out);
        if arguments.json {
            out.json(&object);
        } else {
            out.line(&line);
        }
        if after != Exit::Good
            && exit != Exit::Fault
            && (exit == Exit::Good || after == Exit::Fault)
        {
            exit = after;
        }
    }
    Ok(exit)
}

fn told(name: &str, found: &Found, out: &Out) -> (serde_json::Value, String, Exit) {
    match found {
        Found::Valid(notes) if notes.is_empty() => (
            json!({"file": name, "valid": true, "normalised": []}),
            format!("{name}: {}", out.styled(Style::Good, "valid")),
            Exit::Good,
        ),
        Found::Valid(notes) => {
            let notes: Vec<String> = notes.iter().map(ToString::to_string).collect();
            (
                json!({"file": name, "valid": true, "normalised": notes}),
                format!(
                    "{name}: {}: {}",
                    out.styled(Style::Warn, "valid after normalising"),
                    notes.join("; ")
                ),
                Exit::Good,
            )
        }
        Found::Refused(place, reason) => {
            let (line, column) = place.unzip();
            let at = place.map_or_else(String::new, |(line, column)| format!(":{line}:{column}"));
            (
                json!({
                    "file": name, "valid": false,
                    "line": line, "column": column, "reason": reason,
                }),
                format!(
                    "{name}{at}: {}: {reason}",
                    out.styled(Style::Bad, "refused")
                ),
                Exit::No,
            )
        }
        Found::Fault(reason) => (
            json!({"file": name, "valid": null, "fault": reason}),
            format!("{name}: {reason}"),
            Exit::Fault,
        ),
    }
}
