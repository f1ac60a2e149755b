//! `verdictd draw PROBLEM < input > board.svg`: pictures of a built-in problem's input and of how
//! its answers are reached.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;

use super::prelude::{CliError, Exit, Out, built_in, task_named};
use super::solve::{read_file, read_input};
use crate::problems::{self, PICTURES_MAX};

/// What identifiers in the picture begin with.
const PREFIX: &str = "picture";

/// Draw an input of a built-in problem and its answer as SVG
#[derive(Debug, Args)]
pub struct Arguments {
    #[arg(help = built_in(""))]
    problem: String,
    /// The input; standard input if not given.
    file: Option<PathBuf>,
    /// Only this case, from 1: a dataset, or a query of a board; by default the first twelve.
    #[arg(long, value_name = "NUMBER")]
    case: Option<NonZeroUsize>,
    /// What a program printed for this input, to show next to each case
    #[arg(long, alias = "said", value_name = "FILE")]
    printed: Option<PathBuf>,
}

pub fn run(arguments: &Arguments, _: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let task = task_named(&arguments.problem)?;
    let output = arguments.printed.as_deref().map(read_file).transpose()?;
    let (name, input) = read_input(arguments.file.as_deref())?;
    let refused = |error| CliError::refused(&name, &error);
    let cases = task.cases(&input).map_err(refused)?;
    let drawn = match arguments.case {
        Some(number) => {
            let lines = cases.get(number.get() - 1).ok_or_else(|| {
                let count = cases.len();
                CliError::usage(format!("there is no case {number}; the input has {count}"))
            })?;
            let case = task.case_at(&input, lines.start)?;
            let case = case.ok_or_else(|| anyhow!("case {number} has no line of the answer"))?;
            let output = output.map(|output| problems::lines_of(&output, lines));
            task.draw(&case.input, output.as_deref(), PREFIX)
        }
        None => task.draw(&input, output.as_deref(), PREFIX),
    };
    let pictures = drawn.map_err(refused)?;
    if pictures.is_empty() {
        let why = format!("{name}: the input has no case to draw");
        return Err(CliError::with_exit(Exit::No, why));
    }
    let title = format!("{}, {} cases", task.slug(), pictures.len());
    out.data(problems::stacked(&title, &pictures).as_bytes());
    let left_out = cases.len() - pictures.len();
    if arguments.case.is_none() && left_out > 0 {
        out.note(&format!(
            "only the first {PICTURES_MAX} cases are drawn; {left_out} more can be drawn one by one with --case NUMBER"
        ));
    }
    Ok(Exit::Good)
}
