//! `verdictd solve PROBLEM < input`: the answer of the reference solver, and how it is reached.

use std::io::Read;
use std::path::PathBuf;

use clap::Args;

use super::validate::task_named;
use super::{Complaint, Exit, Out};
use crate::problems::INPUT_BYTES_MAX;
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
            Ok(Exit::Good)
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

fn read_stdin() -> anyhow::Result<Vec<u8>> {
    let mut input = Vec::new();
    std::io::stdin()
        .take(INPUT_BYTES_MAX as u64 + 1)
        .read_to_end(&mut input)
        .map_err(|error| Complaint::usage(format!("standard input: {error}")))?;
    Ok(input)
}
