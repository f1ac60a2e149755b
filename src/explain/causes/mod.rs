//! Why a program fails, in words. Each cause is a rule that holds for all that was seen, or it is
//! not named: nothing is guessed. Pure.

mod output;
mod reason;
mod runs;

use crate::domain::Reason;
use crate::util::words::amount;
use reason::reason;

pub use output::{Outputs, answered, is_only_the_last_wrong, of_output};
pub use runs::{Rung, crash_on_large, stack_by_words, stack_of_crash, stack_of_memory, too_slow};

/// The failing case of a test passes alone: it fails after this many others.
pub fn carried_over(before: usize) -> Reason {
    reason(
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
    reason(
        "reads-less",
        "Only the beginning of the input is answered: what comes after it is not read or not used.",
        format!(
            "{answered} of {cases} cases are answered; without the others the output is the same"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::{carried_over, stops_early};

    #[test]
    fn what_was_counted_is_the_evidence() {
        assert_eq!(carried_over(2).code, "carried-over");
        assert!(carried_over(2).evidence.contains("after 2 others"));
        assert!(stops_early(1, 7).evidence.starts_with("1 of 7 cases"));
    }
}
