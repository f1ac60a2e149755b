//! `verdictd validate PROBLEM FILE…`: valid, valid after normalising, or refused with line, column
//! and reason.
//!
//! A built-in problem decides itself; for any other problem its package's validator does, in the
//! sandbox.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::anyhow;
use clap::Args;
use serde_json::{Value, json};

use super::exit::{CliError, Exit};
use super::names::{built_in, unknown};
use super::out::{Out, Style};
use super::session::Session;
use crate::domain::ProblemSlug;
use crate::package::{self, Package};
use crate::problems::{self, INPUT_BYTES_MAX, Normalisation, Task};
use crate::util::files::read_bounded;

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
        CliError::usage(format!(
            "`{name}` is not a built-in problem; there are {}",
            known.join(", ")
        ))
    })
}

/// Reads a package, with what is needed to run its programs.
pub fn package_named(name: &str, config_file: &Path) -> anyhow::Result<(Session, Arc<Package>)> {
    let session = Session::open(config_file)?;
    let slug = session.slugs.iter().find(|slug| slug.matches(name));
    match slug.and_then(|slug| session.package(slug)) {
        Some(Ok(package)) => Ok((session, package)),
        Some(Err(error)) if error.ours => Err(anyhow!("{error}")),
        Some(Err(error)) => Err(CliError::usage(format!("the package is broken: {error}"))),
        None => {
            let built_in = problems::ALL.iter().map(|task| task.slug());
            let packages = session.slugs.iter().map(ProblemSlug::as_str);
            let known: BTreeSet<&str> = built_in.chain(packages).collect();
            let words = unknown("there is no problem", name, known.iter().copied());
            Err(CliError::usage(words))
        }
    }
}

/// What can tell a valid input.
enum Validator {
    BuiltIn(&'static dyn Task),
    Package(Box<Session>, Arc<Package>),
}

enum Validity {
    Valid(Vec<Normalisation>),
    Refused(Option<(usize, usize)>, String),
    Fault(String),
}

impl Validator {
    fn named(name: &str, config_file: &Path) -> anyhow::Result<Self> {
        if let Ok(task) = task_named(name) {
            return Ok(Self::BuiltIn(task));
        }
        let (session, package) = package_named(name, config_file)?;
        if package.validator.is_none() && package.task().is_none() {
            return Err(CliError::usage(format!(
                "the package `{}` has no validator; name one in its problem.toml: validator = \"input_validators/validate.py\"",
                package.slug
            )));
        }
        Ok(Self::Package(Box::new(session), package))
    }

    fn validate(&self, file: &Path, bytes: Vec<u8>) -> Validity {
        match self {
            Self::BuiltIn(task) => match task.validate(&bytes) {
                Ok(valid) => Validity::Valid(valid.notes),
                Err(error) => Validity::Refused(Some((error.line, error.column)), error.reason),
            },
            Self::Package(session, package) => session.with_oracle(|oracle| {
                match package::valid_input(package, file, bytes, oracle) {
                    Ok((_, notes)) => Validity::Valid(notes),
                    Err(error) if error.ours => Validity::Fault(error.reason),
                    Err(error) => Validity::Refused(error.place, error.reason),
                }
            }),
        }
    }
}

pub fn run(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let validator = Validator::named(&arguments.problem, config_file)?;
    let mut exit = Exit::Good;
    for file in &arguments.files {
        let name = file.display().to_string();
        let validity = match read_bounded(file, INPUT_BYTES_MAX as u64) {
            Ok(bytes) => validator.validate(file, bytes),
            Err(error) => {
                out.error(&format!("{name}: {error}"));
                exit = Exit::Usage;
                continue;
            }
        };
        if arguments.json {
            out.json(&validity.object(&name));
        } else {
            out.line(&validity.line(&name, out));
        }
        exit = match validity {
            Validity::Fault(_) => Exit::Fault,
            Validity::Refused(..) if exit == Exit::Good => Exit::No,
            Validity::Refused(..) | Validity::Valid(_) => exit,
        };
    }
    Ok(exit)
}

fn texts(notes: &[Normalisation]) -> Vec<String> {
    notes.iter().map(ToString::to_string).collect()
}

impl Validity {
    fn object(&self, name: &str) -> Value {
        match self {
            Self::Valid(notes) => json!({"file": name, "valid": true, "normalised": texts(notes)}),
            Self::Refused(place, reason) => {
                let (line, column) = place.unzip();
                json!({
                    "file": name, "valid": false, "line": line, "column": column, "reason": reason,
                })
            }
            Self::Fault(reason) => json!({"file": name, "valid": null, "fault": reason}),
        }
    }

    fn line(&self, name: &str, out: &Out) -> String {
        match self {
            Self::Valid(notes) if notes.is_empty() => {
                format!("{name}: {}", out.styled(Style::Good, "valid"))
            }
            Self::Valid(notes) => {
                let word = out.styled(Style::Warn, "valid after normalising");
                format!("{name}: {word}: {}", texts(notes).join("; "))
            }
            Self::Refused(place, reason) => {
                let at = place.map(|(line, column)| format!(":{line}:{column}"));
                let word = out.styled(Style::Bad, "refused");
                format!("{name}{}: {word}: {reason}", at.unwrap_or_default())
            }
            Self::Fault(reason) => format!("{name}: {reason}"),
        }
    }
}
