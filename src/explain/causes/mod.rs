//! Why a program fails, in words. Each cause is a rule that holds for all that was seen, or it is
//! not named: nothing is guessed. Pure.

mod cases;
mod lines;
mod output;
mod outputs;
mod runs;
mod spelling;
mod stderr;

use crate::domain::Reason;
use crate::util::words::amount;

pub use output::{answered, is_only_the_last_wrong, of_answers, of_whole};
pub use outputs::Outputs;
pub use runs::{SizedRun, large_fail, right_but_slow, stack_of_crash, stack_of_memory, too_slow};
pub use stderr::{STACK, of_stderr};

/// The failing case of a test passes alone: it fails after this many others.
pub fn carried_over(before: usize) -> Reason {
    Reason::new(
        "carried-over",
        "Something of earlier cases is left when a later one is answered.",
        format!(
            "the last case passes alone and fails after {}",
            amount(before, "other")
        ),
    )
}

/// The program prints the same for the beginning of a test as for all of it, and that is right.
pub fn stops_early(answered: usize, cases: usize) -> Reason {
    Reason::new(
        "reads-less",
        "Only the beginning of the input is answered: what comes after it is not read or not used.",
        format!(
            "{answered} of {cases} cases are answered; without the others the output is the same"
        ),
    )
}

/// Everything that it printed is what this rule makes of the inputs.
pub fn bent_rule(mistake: &str, differing: usize, tests: usize) -> Reason {
    Reason::new(
        "rule",
        &format!("Its answers are exactly those of a program with this mistake: {mistake}"),
        format!(
            "so it is on {}; the mistake changes {} of the answers",
            amount(tests, "input"),
            amount(differing, "word")
        ),
    )
}

/// It is right on inputs of another format.
pub fn misread(mistake: &str, tests: usize) -> Reason {
    Reason::new(
        "format",
        mistake,
        format!("it passes {} rewritten for that", amount(tests, "test")),
    )
}

/// It passes where it finds its input in a file.
pub fn uses_files() -> Reason {
    Reason::new(
        "files",
        "It reads or writes a file in place of standard input and output.",
        "with `input.txt` and `output.txt` it passes the failing test".to_owned(),
    )
}
