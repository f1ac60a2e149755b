//! `verdictd solve PROBLEM < input`: the answer of the reference solver, how it is reached, and
//! whether a second algorithm agrees.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::Args;

use super::exit::{CliError, Exit};
use super::names::built_in;
use super::out::Out;
use super::validate::{package_named, task_named};
use crate::package;
use crate::problems::{self, INPUT_BYTES_MAX, Task};
use crate::util::files::read_bounded;

#[derive(Debug, Args)]
pub struct Arguments {
    #[arg(help = built_in(", or a package whose reference is a program"))]
    problem: String,
    /// The input; standard input if not given.
    file: Option<PathBuf>,
    /// Show how each answer is reached instead of the bare answer (built-in problems only).
    #[arg(long)]
    witness: bool,
    /// Also run a second algorithm and report whether the two agree (built-in problems only).
    #[arg(long)]
    check: bool,
}

pub fn run(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let Ok(task) = task_named(&arguments.problem) else {
        return by_program(arguments, config_file, out);
    };
    let (name, input) = read_input(arguments.file.as_deref())?;
    let answer = if arguments.witness {
        task.witness(&input)
            .map(|witness| witness.map(String::into_bytes))
    } else {
        task.answer(&input).map(Some)
    };
    match answer {
        Ok(None) => Err(without("witness", task)),
        Ok(Some(bytes)) => {
            out.data(&bytes);
            if arguments.check {
                check(task, &name, &input, out)
            } else {
                Ok(Exit::Good)
            }
        }
        Err(fault) => {
            out.refused(&name, &fault);
            Ok(Exit::No)
        }
    }
}

/// Says whether the second algorithm gives the same answer.
fn check(task: &dyn Task, name: &str, input: &[u8], out: &mut Out) -> anyhow::Result<Exit> {
    if task.second_opinion(input)?.is_none() {
        return Err(without("second algorithm", task));
    }
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

fn without(part: &str, task: &dyn Task) -> anyhow::Error {
    CliError::usage(format!("`{}` has no {part}", task.slug()))
}

/// The name and the bytes of this file, or of standard input.
pub(super) fn read_input(file: Option<&Path>) -> anyhow::Result<(String, Vec<u8>)> {
    let (name, input) = match file {
        Some(file) => (
            file.display().to_string(),
            read_bounded(file, INPUT_BYTES_MAX as u64),
        ),
        None => ("standard input".to_owned(), read_stdin()),
    };
    match input {
        Ok(input) => Ok((name, input)),
        Err(error) => Err(CliError::usage(format!("{name}: {error}"))),
    }
}

fn read_stdin() -> io::Result<Vec<u8>> {
    let mut input = Vec::new();
    let most = INPUT_BYTES_MAX as u64 + 1;
    io::stdin().take(most).read_to_end(&mut input)?;
    Ok(input)
}

/// Lets the reference program of a package answer, in the sandbox.
fn by_program(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let (session, package) = package_named(&arguments.problem, config_file)?;
    if arguments.witness || arguments.check {
        return Err(CliError::usage(format!(
            "only a built-in problem has a witness and a second algorithm; `{}` is a package",
            package.slug
        )));
    }
    let (name, input) = read_input(arguments.file.as_deref())?;
    let file = Path::new(&name);
    let answer = session.with_oracle(|oracle| {
        let (input, _) = package::valid_input(&package, file, input, oracle)?;
        package::answer_of(&package, file, &input, oracle)
    });
    match answer {
        Ok(Some(answer)) => {
            out.data(&answer);
            Ok(Exit::Good)
        }
        Ok(None) => Err(CliError::usage(format!(
            "the package `{}` has no reference; its answers are stored",
            package.slug
        ))),
        Err(error) => {
            out.error(&error.to_string());
            Ok(if error.is_ours() {
                Exit::Fault
            } else {
                Exit::No
            })
        }
    }
}
