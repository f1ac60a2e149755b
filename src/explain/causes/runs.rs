//! Reasons that follow from how runs ended, not from what they printed.

use std::time::Duration;

use super::stderr::stack;
use crate::domain::{Cause, Reason, Verdict};
use crate::util::MIB;
use crate::util::words::amount;

/// Sizes that a program passes before its failing on larger ones is said to be because of the size.
const PASSED_MIN: usize = 3;
/// For wrong answers, which may have another reason, that is one part in so many.
const WRONG_PART: usize = 3;

/// The answers of a test are right, but took longer than the limit.
pub fn too_slow(test: &str, took: Duration, limit: Duration) -> Reason {
    let [took, limit] = [took, limit].map(|time| format!("{:.1} s", time.as_secs_f64()));
    Reason::new(
        "too-slow",
        "Correct but too slow: with more time the program prints the right answers.",
        format!("on {test} all answers are right after {took} of CPU time; the limit is {limit}"),
    )
}

/// It is right where it ends in time.
pub fn right_but_slow(test: &str, right: usize, allowed: Duration, grows: bool) -> Reason {
    let summary = if grows {
        "Only too slow: what it answers in time is right."
    } else {
        "What it answers in time is right; on other inputs it is too slow, or never ends."
    };
    let seconds = allowed.as_secs_f64();
    let evidence = format!(
        "{} are answered rightly; on {test} it had not ended after {seconds:.1} s of CPU time",
        amount(right, "other input")
    );
    Reason::new("too-slow", summary, evidence)
}

/// A crash that is gone with a larger stack and all else the same.
pub fn stack_of_crash(before: &Cause, with: Verdict, stack_bytes: u64) -> Option<Reason> {
    let is_gone = !matches!(with, Verdict::RuntimeError);
    (may_be_stack(before) && is_gone).then(|| {
        let size = stack_bytes / MIB;
        stack(format!(
            "with a stack of {size} MiB and all else the same it does not crash"
        ))
    })
}

/// Memory that was used up, and with a stack of this size, less than the limit, the program crashes
/// instead: all of that was stack.
pub fn stack_of_memory(with: Option<&Cause>, stack_bytes: u64, limit_bytes: u64) -> Option<Reason> {
    with.is_some_and(may_be_stack).then(|| {
        let [size, limit] = [stack_bytes, limit_bytes].map(|bytes| bytes / MIB);
        stack(format!(
            "its stack takes more than {size} MiB of the {limit} MiB that it may use"
        ))
    })
}

/// Whether a program may have ended so because its stack was full: SIGILL, SIGABRT, SIGBUS or
/// SIGSEGV.
fn may_be_stack(cause: &Cause) -> bool {
    matches!(cause, Cause::Signal(4 | 6 | 7 | 11))
}

/// How a program did on an input of a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SizedRun {
    pub size: u64,
    pub verdict: Verdict,
}

/// How it fails on large inputs, in words.
const LARGE: [(Verdict, &str, &str, &str); 2] = [
    (
        Verdict::RuntimeError,
        "crash-on-large",
        "Of inputs that grow it passes the small ones and crashes on the large ones: something in it is too small for them.",
        "crash",
    ),
    (
        Verdict::WrongAnswer,
        "wrong-on-large",
        "Of inputs that grow it passes the small ones and answers all large ones wrongly.",
        "are answered wrongly",
    ),
];

/// It passes on all smaller sizes and fails on all larger ones.
pub fn large_fail(quantity: &str, sized: &[SizedRun]) -> Option<Reason> {
    let first = sized
        .iter()
        .position(|one| one.verdict != Verdict::Accepted)?;
    let (passed, failed) = sized.split_at(first);
    let (last, first) = (passed.last()?, failed.first()?);
    let (verdict, code, summary, fail) = LARGE.iter().find(|row| row.0 == first.verdict)?;
    let all_fail = failed.iter().all(|one| one.verdict == *verdict);
    let is_enough = *verdict == Verdict::RuntimeError || passed.len() * WRONG_PART >= sized.len();
    (all_fail && is_enough && passed.len() >= PASSED_MIN).then(|| {
        let evidence = format!(
            "generated inputs up to {} {quantity} pass, those from {} {quantity} on {fail}",
            last.size, first.size
        );
        Reason::new(code, summary, evidence)
    })
}

#[cfg(test)]
mod tests {
    use super::{SizedRun, large_fail, stack_of_crash, stack_of_memory};
    use crate::domain::{Cause, Verdict};
    use crate::util::MIB;

    #[test]
    fn another_stack_proves_what_the_stack_has_to_do_with_it() {
        let crash = Cause::Signal(11);
        assert!(stack_of_crash(&crash, Verdict::Accepted, 1024 * MIB).is_some());
        assert!(stack_of_crash(&crash, Verdict::MemoryLimit, 1024 * MIB).is_some());
        assert!(stack_of_crash(&crash, Verdict::RuntimeError, 1024 * MIB).is_none());
        assert!(stack_of_crash(&Cause::ExitCode(1), Verdict::Accepted, MIB).is_none());
        let found = stack_of_memory(Some(&crash), 128 * MIB, 256 * MIB).unwrap();
        assert!(found.evidence.contains("more than 128 MiB of the 256 MiB"));
        assert!(stack_of_memory(None, 128 * MIB, 256 * MIB).is_none());
    }

    #[test]
    fn a_crash_is_because_of_the_size_only_where_sizes_part_it() {
        let of = |letters: &str| {
            let run = |(size, letter)| {
                let verdict = match letter {
                    '.' => Verdict::Accepted,
                    'x' => Verdict::RuntimeError,
                    _ => Verdict::WrongAnswer,
                };
                SizedRun { size, verdict }
            };
            let sized: Vec<_> = (1..).zip(letters.chars()).map(run).collect();
            large_fail("rows", &sized)
        };
        let found = of("....xx").unwrap();
        assert_eq!(found.code, "crash-on-large");
        let evidence = &found.evidence;
        assert!(evidence.contains("up to 4 rows pass, those from 5 rows on crash"));
        assert_eq!(of("....ww").unwrap().code, "wrong-on-large");
        for letters in "...... xxxxxx ..xxxx ...x.x ...xwx ...wxx ..wwww ".split(' ') {
            assert_eq!(of(letters), None, "{letters}");
        }
    }
}
