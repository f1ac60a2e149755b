//! `verdictd draw PROBLEM < input > board.svg`: pictures of a built-in problem's input and of how its answers are reached.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

use super::names::built_in;
use super::solve::read_input;
use super::validate::task_named;
use super::{Complaint, Exit, Out};
use crate::problems::{self, INPUT_BYTES_MAX, InputError, PICTURES_MAX, Picture, Task};
use crate::util::files::read_bounded;

/// What identifiers in the picture begin with.
const PREFIX: &str = "picture";

/// Arguments of `draw`.
#[derive(Debug, Args)]
pub struct Arguments {
    #[arg(help = built_in(""))]
    problem: String,
    /// The input; standard input if not given.
    file: Option<PathBuf>,
    /// Only this case, from 1: a dataset, or a query of a board. Without it at most the first twelve are drawn.
    #[arg(long, value_name = "NUMBER")]
    case: Option<NonZeroUsize>,
    /// What a program printed for this input, to be shown beside each case.
    #[arg(long, value_name = "FILE")]
    said: Option<PathBuf>,
}

/// What is drawn, and how many cases are not.
struct Drawing {
    pictures: Vec<Picture>,
    left_out: usize,
}

/// Runs the command.
pub fn run(arguments: &Arguments, out: &mut Out) -> anyhow::Result<Exit> {
    let task = task_named(&arguments.problem)?;
    let said = match &arguments.said {
        Some(file) => Some(
            read_bounded(file, INPUT_BYTES_MAX as u64)
                .map_err(|error| Complaint::usage(format!("{}: {error}", file.display())))?,
        ),
        None => None,
    };
    let (name, input) = read_input(arguments.file.as_deref())?;
    let drawn = match arguments.case {
        Some(number) => draw_case(task, &input, said.as_deref(), number)?,
        None => draw_all(task, &input, said.as_deref()),
    };
    match drawn {
        Ok(Drawing { pictures, .. }) if pictures.is_empty() => {
            out.error(&format!("{name}: the input has no case to draw"));
            Ok(Exit::No)
        }
        Ok(Drawing { pictures, left_out }) => {
            out.data(problems::stacked(&name_of(task, &pictures), &pictures).as_bytes());
            if left_out > 0 {
                out.note(&format!(
                    "drawn are the first {PICTURES_MAX} cases; {left_out} more can be drawn one by one with --case NUMBER"
                ));
            }
            Ok(Exit::Good)
        }
        Err(fault) => {
            out.refused(&name, &fault);
            Ok(Exit::No)
        }
    }
}

fn draw_all(task: &dyn Task, input: &[u8], said: Option<&[u8]>) -> Result<Drawing, InputError> {
    let pictures = task.draw(input, said, PREFIX)?;
    let left_out = task.cases(input)?.len() - pictures.len();
    Ok(Drawing { pictures, left_out })
}

fn draw_case(
    task: &dyn Task,
    input: &[u8],
    said: Option<&[u8]>,
    number: NonZeroUsize,
) -> anyhow::Result<Result<Drawing, InputError>> {
    let cases = match task.cases(input) {
        Ok(cases) => cases,
        Err(fault) => return Ok(Err(fault)),
    };
    let Some(lines) = cases.get(number.get() - 1) else {
        return Err(Complaint::usage(format!(
            "there is no case {number}; the input has {}",
            cases.len()
        )));
    };
    let Some(case) = task.case_at(input, lines.start)? else {
        anyhow::bail!("case {number} has no line of the answer");
    };
    let said = said.map(|said| problems::lines_of(said, lines));
    Ok(task
        .draw(&case.input, said.as_deref(), PREFIX)
        .map(|pictures| Drawing {
            pictures,
            left_out: 0,
        }))
}

/// The title of several pictures together.
fn name_of(task: &dyn Task, pictures: &[Picture]) -> String {
    format!("{}, {} cases", task.slug(), pictures.len())
}
