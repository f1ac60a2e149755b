//! Whether it is the cases before the last one that make a program fail.

use std::sync::Arc;

use super::{AS_USUAL, Rerun, answer};
use crate::domain::{Fault, Verdict};
use crate::explain::causes::{Outputs, is_only_the_last_wrong};
use crate::explain::search::Found;
use crate::problems::Task;

/// Whether the last case of an input is the only one that is answered wrongly, and is answered
/// rightly alone, before and after the whole input fails once more. Nothing is said of a program
/// that fails in some runs only, of one that does not answer every case, and of limits: several
/// cases together may be too much for one that each of them keeps to.
pub fn is_carried_over(
    found: &Found,
    task: &dyn Task,
    program: &mut dyn Rerun,
) -> Result<bool, Fault> {
    let cases = task.cases(&found.input).unwrap_or_default();
    let Some(last) = cases
        .last()
        .filter(|_| cases.len() > 1 && !found.verdict.is_limit())
    else {
        return Ok(false);
    };
    let last = task.case_at(&found.input, last.start).ok().flatten();
    let Some(last) = last.and_then(|case| answer(task, case.input)) else {
        return Ok(false);
    };
    let outputs = Outputs {
        expected: &found.expected,
        printed: &found.printed,
        cases: &cases,
    };
    if found.verdict != Verdict::RuntimeError && !is_only_the_last_wrong(&outputs) {
        return Ok(false);
    }
    let whole = (Arc::clone(&found.input), Arc::clone(&found.expected));
    for ((input, expected), wanted) in [
        (&last, Verdict::Accepted),
        (&whole, found.verdict),
        (&last, Verdict::Accepted),
    ] {
        let ran = program.rerun(input, expected, AS_USUAL)?;
        if ran.is_none_or(|ran| ran.result.said.verdict != wanted) {
            return Ok(false);
        }
    }
    Ok(true)
}
