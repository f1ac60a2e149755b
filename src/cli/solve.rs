//! `verdictd solve PROBLEM < input`: the answer of the reference solver, how it is reached, and whether a second algorithm agrees.

use std::io::Read;
use std::path::PathBuf;

use clap::Args;

use super::validate::task_named;
use super::{Complaint, Exit, Out};
use crate::problems::{self, INPUT_BYTES_MAX, Task};
use crate::util::files::read_bounded;

/// Arguments of `solve`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// A built-in problem: curling, thegame or regions.
    problem: String,
    /// The input; standard input where it is not given.
    file: Option<PathBuf>,
    /// Show how each answer is reached instead of the bare answer.
    #[arg(long)]
    witness: bool,
    /// Answer by the second algorithm, too, and say whether the two agree; they must, so it is a fault where they do not.
    #[arg(long)]
    check: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments, out: &mut Out) -> anyhow::Result<Exit> {
    let task = task_named(&arguments.problem)?;
    let (name, input) = match &arguments.file {
        Some(file) => (
            file.display().to_string(),
            read_bounded(file, INPUT_BYTES_MAX as u64)
                .map_err(|error| Complaint::usage(format!("{}: {error}", file.display())))?,
        ),
        None => ("standard input".to_owned(), read_stdin()?),
    };
    let answer = if arguments.witness {
        task.witness(&input).map(String::into_bytes)
    } else {
        task.answer(&input)
    };
    match answer {
        Ok(bytes) => {
            out.data(&bytes);
            if arguments.check {
                check(task, &name, &input, out)
            } else {
                Ok(Exit::Good)
            }
        }
        Err(fault) => {
            out.error(&format!(
                "{name}:{}:{}: {}",
                fault.line, fault.column, fault.reason
            ));
            Ok(Exit::No)
        }
    }
}

/// Says whether the second algorithm gives the same answer.
fn check(task: &dyn Task, name: &str, input: &[u8], out: &mut Out) -> anyhow::Result<Exit> {
    match problems::disagreement(task, input)? {
        None => {
            out.note("the second algorithm agrees");
            Ok(Exit::Good)
        }
        Some(difference) => {
            out.error(&format!(
                "{name}: {difference}; one of them is wrong, so trust neither and report this input"
            ));
            Ok(Exit::Fault)
        }
    }
}

fn read_stdin() -> anyhow::Result<Vec<u8>> {
    let mut input = Vec::new();
    std::io::stdin()
        .take(INPUT_BYTES_MAX as u64 + 1)
        .read_to_end(&mut input)
        .map_err(|error| Complaint::usage(format!("standard input: {error}")))?;
    Ok(input)
}
