//! Reasons that follow from how runs ended, not from what they printed.

use std::time::Duration;

use super::reason::reason;
use crate::domain::{Cause, Reason, Verdict};
use crate::util::MIB;
use crate::util::excerpt::visible_line;

/// How a line begins, and what it has in it, that a run-time system writes to standard error when
/// the stack is full: what a program writes itself is seldom the same.
const STACK_WORDS: [(&str, &str); 9] = [
    ("Exception in thread", "java.lang.StackOverflowError"),
    ("", "RangeError: Maximum call stack size exceeded"),
    ("thread '", "has overflowed its stack"),
    ("runtime: goroutine stack exceeds", ""),
    ("", "stack level too deep (SystemStackError)"),
    ("Stack overflow.", ""),
    ("Fatal error: exception Stack_overflow", ""),
    ("lua", "stack overflow"),
    // Pascal.
    ("Runtime error 202 ", ""),
];
/// What Python writes last if nobody has caught it.
const RECURSION: &str = "RecursionError:";
/// Characters of a line that is quoted.
const QUOTED_MAX: usize = 120;
/// Sizes that a program passes before its failing on larger ones is said to be because of the size.
const PASSED_MIN: usize = 3;

/// The answers of a test are right, but took longer than the limit.
pub fn too_slow(test: &str, took: Duration, limit: Duration) -> Reason {
    let [took, limit] = [took, limit].map(|time| format!("{:.1} s", time.as_secs_f64()));
    reason(
        "too-slow",
        "Correct but too slow: with more time the program prints the right answers.",
        format!("on {test} all answers are right after {took} of CPU time; the limit is {limit}"),
    )
}

fn stack(evidence: String) -> Reason {
    let summary =
        "The stack overflows: the recursion goes too deep, or local arrays are too large.";
    reason("stack-overflow", summary, evidence)
}

/// The run-time system says so itself.
pub fn stack_by_words(stderr: &[u8]) -> Option<Reason> {
    let text = String::from_utf8_lossy(stderr);
    let says = |line: &&str| {
        let mut words = STACK_WORDS.iter();
        words.any(|(begins, has)| line.starts_with(begins) && line.contains(has))
    };
    let last = text.lines().rfind(|line| !line.trim().is_empty());
    let uncaught = last.filter(|line| line.starts_with(RECURSION));
    let line = uncaught.or_else(|| text.lines().find(says))?;
    let shown: String = visible_line(line.trim()).chars().take(QUOTED_MAX).collect();
    Some(stack(format!("the program ended with “{shown}”")))
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

/// How a program did on an input of a ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rung {
    pub size: u64,
    pub verdict: Verdict,
}

/// It passes on all smaller sizes and crashes on all larger ones.
pub fn crash_on_large(quantity: &str, rungs: &[Rung]) -> Option<Reason> {
    let first = rungs
        .iter()
        .position(|rung| rung.verdict != Verdict::Accepted)?;
    let (passed, failed) = rungs.split_at(first);
    let all_crash = failed
        .iter()
        .all(|rung| rung.verdict == Verdict::RuntimeError);
    let (last, first) = (passed.last()?, failed.first()?);
    (all_crash && passed.len() >= PASSED_MIN).then(|| {
        reason(
            "crash-on-large",
            "Of inputs that grow it passes the small ones and crashes on the large ones: something in it is too small for them.",
            format!(
                "generated inputs up to {} {quantity} pass, those from {} {quantity} on crash",
                last.size, first.size
            ),
        )
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Rung, crash_on_large, stack_by_words, stack_of_crash, stack_of_memory, too_slow};
    use crate::domain::{Cause, Verdict};
    use crate::util::MIB;

    #[test]
    fn words_of_run_time_systems_name_the_stack() {
        for stderr in [
            "Traceback:\nRecursionError: maximum recursion depth exceeded in comparison\n",
            "Exception in thread \"main\" java.lang.StackOverflowError\n\tat Main.f\n",
            "RangeError: Maximum call stack size exceeded\n",
            "\nthread 'main' has overflowed its stack\n",
            "lua5.4: a.lua:1: stack overflow (message handler)\n",
            "Stack overflow.\n   at Program.F(Int32)\n",
            "runtime: goroutine stack exceeds 1000000000-byte limit\n",
            "a.rb:1:in `f': stack level too deep (SystemStackError)\n",
            "Runtime error 202 at $0000000000401136\n",
        ] {
            let found = stack_by_words(stderr.as_bytes()).unwrap();
            assert_eq!(found.code, "stack-overflow", "{stderr}");
        }
        for other in [
            "IndexError: list index out of range",
            "terminate called after throwing an instance of 'std::runtime_error'\n  what():  stack overflow\n",
            "stack overflow? no\nIndexError: list index out of range\n",
            "RecursionError: caught\nIndexError: list index out of range\n",
            "java.lang.StackOverflowError\n\tat Main.f\nException in thread \"main\" java.lang.Error\n",
        ] {
            assert_eq!(stack_by_words(other.as_bytes()), None, "{other}");
        }
        let long = format!("lua5.4: {}", "stack overflow ".repeat(100));
        assert!(stack_by_words(long.as_bytes()).unwrap().evidence.len() < 200);
    }

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
            let rungs: Vec<Rung> = (1..)
                .zip(letters.chars())
                .map(|(size, letter)| Rung {
                    size,
                    verdict: match letter {
                        '.' => Verdict::Accepted,
                        'x' => Verdict::RuntimeError,
                        _ => Verdict::WrongAnswer,
                    },
                })
                .collect();
            crash_on_large("rows", &rungs)
        };
        let found = of("....xx").unwrap();
        assert_eq!(found.code, "crash-on-large");
        assert!(
            found
                .evidence
                .contains("up to 4 rows pass, those from 5 rows on crash")
        );
        for letters in [
            "......", "xxxxxx", "..xxxx", "...x.x", "...xwx", "...wxx", "",
        ] {
            assert_eq!(of(letters), None, "{letters}");
        }
    }

    #[test]
    fn too_slow_says_what_it_took() {
        let [took, limit] = [7_340, 2_000].map(Duration::from_millis);
        let found = too_slow("secret/020", took, limit);
        assert!(
            found
                .evidence
                .contains("after 7.3 s of CPU time; the limit is 2.0 s")
        );
    }
}
