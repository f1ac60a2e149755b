//! `verdictd validate PROBLEM FILE…`: valid, valid after normalising, or refused with line, column and reason.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::out::Style;
use super::{Complaint, Exit, Out};
use crate::problems::{self, INPUT_BYTES_MAX, Task};
use crate::util::files::read_bounded;

/// Arguments of `validate`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// A built-in problem: curling, thegame or regions.
    problem: String,
    /// The inputs to check.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// One JSON object a file.
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

/// Runs the command.
pub fn run(arguments: &Arguments, out: &mut Out) -> anyhow::Result<Exit> {
    let task = task_named(&arguments.problem)?;
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
        let (object, line, good) = match task.validate(&bytes) {
            Ok(valid) if valid.notes.is_empty() => (
                json!({"file": name, "valid": true, "normalised": []}),
                format!("{name}: {}", out.styled(Style::Good, "valid")),
                true,
            ),
            Ok(valid) => {
                let notes: Vec<String> = valid.notes.iter().map(ToString::to_string).collect();
                (
                    json!({"file": name, "valid": true, "normalised": notes}),
                    format!(
                        "{name}: {}: {}",
                        out.styled(Style::Warn, "valid after normalising"),
                        notes.join("; ")
                    ),
                    true,
                )
            }
            Err(fault) => (
                json!({
                    "file": name, "valid": false,
                    "line": fault.line, "column": fault.column, "reason": fault.reason,
                }),
                format!(
                    "{name}:{}:{}: {}: {}",
                    fault.line,
                    fault.column,
                    out.styled(Style::Bad, "refused"),
                    fault.reason
                ),
                false,
            ),
        };
        if arguments.json {
            out.json(&object);
        } else {
            out.line(&line);
        }
        if !good && exit == Exit::Good {
            exit = Exit::No;
        }
    }
    Ok(exit)
}
