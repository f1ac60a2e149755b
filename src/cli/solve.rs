//! `verdictd solve PROBLEM < input`: the answer of the reference solver, how it is reached, and
//! whether a second algorithm agrees.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;

use super::prelude::{CliError, Exit, Out, Session, built_in, task_named};
use crate::package;
use crate::problems::{self, INPUT_BYTES_MAX, Task};
use crate::util::files::read_bounded;

/// Print the reference answer for an input
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
    let refused = |error| CliError::refused(&name, &error);
    let answer = if arguments.witness {
        let witness = task.witness(&input).map_err(refused)?;
        witness
            .ok_or_else(|| without("witness", task))?
            .into_bytes()
    } else {
        task.answer(&input).map_err(refused)?
    };
    out.data(&answer);
    if arguments.check {
        check(task, &name, &input)?;
        out.note("the second algorithm agrees");
    }
    Ok(Exit::Good)
}

/// An error unless the second algorithm gives the same answer.
fn check(task: &dyn Task, name: &str, input: &[u8]) -> anyhow::Result<()> {
    if task.second_opinion(input)?.is_none() {
        return Err(without("second algorithm", task));
    }
    match problems::disagreement(task, input)? {
        None => Ok(()),
        Some(difference) => bail!(
            "{name}: {difference}; one of them is wrong, so trust neither and report this input"
        ),
    }
}

fn without(part: &str, task: &dyn Task) -> anyhow::Error {
    CliError::usage(format!("`{}` has no {part}", task.slug()))
}

/// The bytes of a file that is named.
pub(super) fn read_file(file: &Path) -> anyhow::Result<Vec<u8>> {
    read_bounded(file, INPUT_BYTES_MAX as u64)
        .map_err(|error| CliError::usage(format!("{}: {error}", file.display())))
}

/// The name and the bytes of this file, or of standard input.
pub(super) fn read_input(file: Option<&Path>) -> anyhow::Result<(String, Vec<u8>)> {
    if let Some(file) = file {
        return Ok((file.display().to_string(), read_file(file)?));
    }
    let name = "standard input";
    let input = read_stdin().map_err(|error| CliError::usage(format!("{name}: {error}")))?;
    Ok((name.to_owned(), input))
}

fn read_stdin() -> io::Result<Vec<u8>> {
    let mut input = Vec::new();
    let most = INPUT_BYTES_MAX as u64 + 1;
    io::stdin().take(most).read_to_end(&mut input)?;
    Ok(input)
}

/// Lets the reference program of a package answer, in the sandbox.
fn by_program(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let (session, package) = Session::for_package(&arguments.problem, config_file)?;
    if arguments.witness || arguments.check {
        return Err(CliError::usage(format!(
            "only a built-in problem has a witness and a second algorithm; `{}` is a package",
            package.slug
        )));
    }
    let (name, input) = read_input(arguments.file.as_deref())?;
    let file = Path::new(&name);
    let answer = session.with_oracle(|oracle| {
        let (input, _) = package::valid_input(&package, file, input, None, oracle)?;
        package::answer_of(&package, file, &input, oracle)
    });
    let answer = answer.map_err(|error| {
        let exit = if error.is_ours() {
            Exit::Fault
        } else {
            Exit::No
        };
        CliError::with_exit(exit, error)
    })?;
    let answer = answer.ok_or_else(|| {
        let slug = &package.slug;
        CliError::usage(format!(
            "the package `{slug}` has no reference; its answers are stored"
        ))
    })?;
    out.data(&answer);
    Ok(Exit::Good)
}
