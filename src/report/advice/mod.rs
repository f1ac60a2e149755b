//! What a verdict means and what to try next, in plain words for a student. Every format takes them
//! from here.

mod hints;
mod words;

use super::schema::{Document, TestPart};
use super::units::seconds;
use crate::domain::{Cause, Verdict};

pub(super) use hints::hints;
pub(super) use words::hints_of_words;

// Signals that say more than that there was one; their numbers are the same on all that Linux runs
// on here.
const SIGABRT: i32 = 6;
const SIGBUS: i32 = 7;
const SIGFPE: i32 = 8;
const SIGSEGV: i32 = 11;
const SIGXFSZ: i32 = 25;
const SIGSYS: i32 = 31;

/// What the verdict means for this program.
pub(super) fn meaning(document: &Document) -> String {
    let verdict = document.verdict;
    let failing = document.failing().filter(|test| !test.withheld);
    match failing.filter(|_| verdict == Verdict::TimeLimit) {
        Some(test) => out_of_time(test, document),
        None => of_verdict(verdict).to_owned(),
    }
}

fn out_of_time(test: &TestPart, document: &Document) -> String {
    let limits = &document.limits;
    let (used_ms, allowed_ms, what) = match test.cause {
        Some(Cause::Cpu) => (test.cpu_ms, limits.cpu_ms, "CPU time"),
        None
        | Some(
            Cause::Wall
            | Cause::Idle
            | Cause::ExitCode(_)
            | Cause::Signal(_)
            | Cause::Differs
            | Cause::Missing
            | Cause::Extra
            | Cause::Empty
            | Cause::Refused
            | Cause::Compiler
            | Cause::CompileTime
            | Cause::CompileMemory
            | Cause::CompileOutput
            | Cause::NoEntryPoint,
        ) => (test.wall_ms, limits.wall_ms, "wall-clock time"),
    };
    let allowed = seconds(allowed_ms);
    if test.ended_by_itself {
        format!(
            "Your program ended after {} of {what}; the limit is {allowed}.",
            seconds(used_ms)
        )
    } else {
        format!("Your program was stopped because it was still running after {allowed} of {what}.")
    }
}

fn of_verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Accepted => "Your program gave the right output on every test, within the limits.",
        Verdict::PresentationError => {
            "Your program found the right answers, but printed them in a different layout from the one that the statement asks for."
        }
        Verdict::WrongAnswer => {
            "Your program ran to its end, but its output is wrong on at least one test."
        }
        Verdict::TimeLimit => "Your program took longer than the time limit.",
        Verdict::MemoryLimit => {
            "Your program asked for more memory than the limit allows, so it was stopped."
        }
        Verdict::OutputLimit => {
            "Your program printed more than the limit allows, so it was stopped."
        }
        Verdict::RuntimeError => {
            "Your program crashed or reported an error: it ended with a signal or with an exit code other than 0."
        }
        Verdict::CompileError => "Your program could not be built, so it was not run on any test.",
        Verdict::Skipped => "Your program was not run.",
    }
}

/// What to try next.
pub(super) fn next(document: &Document) -> &'static str {
    let by_cause = document.cause.as_ref().and_then(next_by_cause);
    by_cause.unwrap_or_else(|| next_by_verdict(document.verdict))
}

fn next_by_verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Accepted => {
            "There is nothing left to do. If tests are added later, this report will include them."
        }
        Verdict::PresentationError => {
            "Compare your output with the sample character by character: line breaks, empty lines, spaces, commas and full stops. \
             Read in the statement what comes between two cases and after the last one."
        }
        Verdict::WrongAnswer => {
            "Work the first difference out by hand. Then try small cases: the smallest sizes that the statement allows, the largest ones, \
             cases without a solution, and several cases in one input (is everything reset between two of them?)."
        }
        Verdict::TimeLimit => {
            "Count how many steps your program takes for the largest input that the statement allows; about 10^8 simple operations fit into one second. \
             Look for an endless loop, for the same work done again and again, and for a search that can be cut off earlier. \
             Reading and printing large data line by line with flushing is slow too."
        }
        Verdict::MemoryLimit => {
            "Work out how large your arrays and lists become for the largest input that the statement allows. \
             Look for endless recursion, a queue that takes the same state many times, and data that is kept although it is no longer needed."
        }
        Verdict::OutputLimit => {
            "Look for a loop that prints endlessly, and remove your debugging output. \
             An input that ends earlier than your program expects can also cause this."
        }
        Verdict::RuntimeError => {
            "Your program was ended by a signal. Run it with the sample, and with the smallest and largest input that the statement allows."
        }
        Verdict::CompileError => {
            "Read the compiler's first message; the later ones often follow from it. If it builds on your own machine, compare the language version and the build command in this report with yours, \
             and look for headers or libraries that are not part of the language."
        }
        Verdict::Skipped => "Look at the tests before it.",
    }
}

/// What to try next where the cause says more than the verdict.
fn next_by_cause(cause: &Cause) -> Option<&'static str> {
    Some(match cause {
        Cause::Empty => {
            "Your program printed nothing. Does it read from standard input and print to standard output, as the statement asks? \
             Does it reach the line that prints? If your language buffers its output, is it flushed at the end?"
        }
        Cause::Missing => {
            "What your program printed is right as far as it goes. Does it stop too early: at a case that looks like the end of the input, \
             at an empty line, or at the last case?"
        }
        Cause::Extra => {
            "Your program goes on after the answer is complete. Does it treat the end of the input as one more case, \
             or print something that was meant for debugging?"
        }
        Cause::Refused => {
            "Several outputs are correct here, and the problem's checker looked at yours. Read its message, if there is one, \
             and check one of your outputs by hand against each sentence of the statement."
        }
        Cause::Idle => {
            "Your program hardly computed at all: it seems to wait. Does it try to read more input than there is, wait for a key, or sleep? \
             Read until the end that the statement describes, and no further."
        }
        Cause::Wall => {
            "Your program took too long, but not by computing. Look for sleeping, waiting for other threads, or reading more input than there is."
        }
        Cause::Signal(SIGSEGV | SIGBUS) => {
            "Your program accessed memory that does not belong to it. Look for an index below zero or past the end of an array, an array that is too small for the largest input, \
             a null pointer, or a recursion that goes too deep."
        }
        Cause::Signal(SIGFPE) => {
            "Your program divided by zero, or divided the smallest integer by -1. Look at every / and %."
        }
        Cause::Signal(SIGABRT) => {
            "Your program aborted itself. Look for an uncaught exception, a failed assertion, memory that is freed twice, or an index that a container refused; \
             what it wrote to standard error often says which."
        }
        Cause::Signal(SIGSYS) => {
            "Your program asked the system for something that is not allowed here, such as the network or another program. No task here needs either."
        }
        Cause::Signal(SIGXFSZ) => {
            "Your program wrote a file that is too large. Print to standard output."
        }
        Cause::ExitCode(_) => {
            "Your program ended with an exit code other than 0. In C and C++ that is a `return` in main with another value; in most other languages it is an uncaught exception, \
             and what the program wrote to standard error tells which one and where. Did it try to read more input than there is?"
        }
        Cause::CompileTime => {
            "The compiler took too long. Look for very large tables in the source, and for templates or macros that expand endlessly."
        }
        Cause::CompileMemory => {
            "The compiler needed too much memory. Look for very large tables in the source, and for templates or macros that expand endlessly."
        }
        Cause::CompileOutput => {
            "What the compiler wrote is too large. Look for very large arrays that are filled in the source."
        }
        Cause::NoEntryPoint => {
            "There is nothing to start. A Java program needs a class with `public static void main(String[] args)`; other languages need their main program as well."
        }
        Cause::Differs | Cause::Cpu | Cause::Signal(_) | Cause::Compiler => return None,
    })
}
