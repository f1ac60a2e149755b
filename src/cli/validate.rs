//! `verdictd validate PROBLEM FILE…`: valid, valid after normalising, or refused with line, column
//! and reason.
//!
//! A built-in problem decides itself; for any other problem its package's validator does, in the
//! sandbox.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::prelude::{CliError, Exit, Out, Session, built_in, task_named};
use crate::domain::Complaint;
use crate::package::{self, Trouble};
use crate::problems::{INPUT_BYTES_MAX, Normalisation};
use crate::util::files::read_bounded;
use crate::view::{Page, Show, Style};

/// Check whether inputs are valid for a problem
#[derive(Debug, Args)]
pub struct Arguments {
    #[arg(help = built_in(", or a package with a validator"))]
    problem: String,
    /// The inputs to check.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Print one JSON object per file
    #[arg(long)]
    json: bool,
}

/// Tells whether an input is valid, and what was forgiven.
type Validator = Box<dyn Fn(&Path, Vec<u8>) -> Result<Vec<Normalisation>, Trouble>>;

fn validator(name: &str, config_file: &Path) -> anyhow::Result<Validator> {
    if let Ok(task) = task_named(name) {
        return Ok(Box::new(move |file, bytes| {
            let valid = task
                .validate(&bytes)
                .map_err(|error| Complaint::new(file, error.reason).at(error.line, error.column))?;
            Ok(valid.notes)
        }));
    }
    let (session, package) = Session::for_package(name, config_file)?;
    if package.validators.is_empty() && package.task().is_none() {
        return Err(CliError::usage(format!(
            "the package `{}` has no validator; name one in its problem.toml: validator = \"input_validators/validate.py\"",
            package.slug
        )));
    }
    Ok(Box::new(move |file, bytes| {
        let valid =
            session.with_oracle(|oracle| package::valid_input(&package, file, bytes, None, oracle));
        Ok(valid?.1)
    }))
}

/// What came of an input.
#[derive(Default, Serialize)]
struct Checked {
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    normalised: Option<Vec<&'static str>>,
    #[serde(flatten)]
    refusal: Option<Refusal>,
    /// `None` where it could not be found out.
    valid: Option<bool>,
}

#[derive(Serialize)]
struct Refusal {
    column: Option<usize>,
    line: Option<usize>,
    reason: String,
}

impl Checked {
    fn of(file: &Path, found: Result<Vec<Normalisation>, Trouble>) -> Self {
        let mut checked = Self {
            file: file.display().to_string(),
            ..Self::default()
        };
        match found {
            Ok(notes) => {
                checked.valid = Some(true);
                checked.normalised = Some(notes.iter().map(|note| note.words()).collect());
            }
            Err(Trouble::Theirs(complaint)) => {
                checked.valid = Some(false);
                checked.refusal = Some(Refusal {
                    column: complaint.place.map(|(_, column)| column.unwrap_or(1)),
                    line: complaint.place.map(|(line, _)| line),
                    reason: complaint.reason,
                });
            }
            Err(Trouble::Ours(fault)) => checked.fault = Some(fault.to_string()),
        }
        checked
    }
}

impl Show for Checked {
    fn show(&self, page: &mut Page) {
        let file = &self.file;
        let normalised = self.normalised.as_deref().unwrap_or_default();
        let words = match (&self.refusal, &self.fault) {
            (Some(refusal), _) => {
                let place = refusal.line.zip(refusal.column);
                let place = place.map(|(line, column)| format!(":{line}:{column}"));
                let place = format!("{file}{}: ", place.unwrap_or_default());
                let reason = format!(": {}", refusal.reason);
                vec![place.into(), Style::Bad.on("refused"), reason.into()]
            }
            (None, Some(fault)) => vec![format!("{file}: {fault}").into()],
            (None, None) if normalised.is_empty() => {
                vec![format!("{file}: ").into(), Style::Good.on("valid")]
            }
            (None, None) => vec![
                format!("{file}: ").into(),
                Style::Warn.on("valid after normalising"),
                format!(": {}", normalised.join("; ")).into(),
            ],
        };
        page.spans(words);
    }
}

pub fn run(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    out.as_json(arguments.json);
    let validate = validator(&arguments.problem, config_file)?;
    let mut worst = Exit::Good;
    for file in &arguments.files {
        let bytes = match read_bounded(file, INPUT_BYTES_MAX as u64) {
            Ok(bytes) => bytes,
            Err(error) => {
                out.error(&format!("{}: {error}", file.display()));
                worst = worst.max(Exit::Usage);
                continue;
            }
        };
        let checked = Checked::of(file, validate(file, bytes));
        worst = worst.max(match checked.valid {
            Some(true) => Exit::Good,
            Some(false) => Exit::No,
            None => Exit::Fault,
        });
        out.show(&checked);
    }
    Ok(worst)
}
