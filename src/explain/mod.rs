//! What went wrong on the first failing test, small enough to look at. Pure.
//!
//! A test often has a hundred cases, and one of them is wrong. For a built-in problem that one is
//! cut out of the input, with the lines that were expected and printed for it; for any other the
//! lines around the first difference are shown.

mod attack;
pub mod causes;
mod clusters;
mod excerpt;
mod findings;
mod growth;
mod measured;
mod probes;
mod reruns;
pub mod search;
mod talk;

pub use attack::{Attacked, Broken, OTHERS_MAX, Scope, attack};
pub use clusters::{Cluster, Observed, clusters};
pub use findings::explain;
pub use measured::{About, Measured, Place};
pub use probes::{Probes, Tried};
pub use search::{Ask, Budget, Inputs, Progress, Reply, can_search};

use std::ops::Range;

use crate::compare::{self, Difference, Kind, Mode};
use crate::domain::{Judgement, TestResult, Verdict};
use crate::package::Package;
use crate::problems::{Case, Task};
use crate::report::{Excerpt, ShownCase};
use crate::util::excerpt::spelled;
use crate::util::text::{is_white, line_end, line_of, line_start, start_of_line, tokens, trim_end};

use excerpt::{
    EXCERPT_BYTES_MAX, around, excerpt, is_blank_since_line_feed, is_blank_to_line_feed,
    tokens_back, tokens_forward,
};

/// What is said of a case that other cases stand before.
const LATER_CASE: &str = "It is shown here as a test of its own. If your program answers that rightly, \
     the mistake shows only after the cases before it: look for what is not reset between two cases.";

/// What is said instead once it has been run alone, and answered rightly.
const PASSES_ALONE: &str = " Your program answers it rightly as a test of its own: the mistake shows only \
     after the cases before it, so look for what is not reset between two cases.";

/// What a person should look at: the case of the first failing test that went wrong, as far as it
/// can be told.
///
/// `printed` is what is kept of what the program printed on that test.
pub fn case(package: &Package, judgement: &Judgement, printed: Option<&[u8]>) -> Option<ShownCase> {
    let result = judgement.tests.get(judgement.first_failing?)?;
    let test = package
        .tests
        .iter()
        .find(|test| test.name.name == result.test.name)?;
    if package.talks() {
        return talk::case(test, result, printed);
    }
    let [whole, expected] = test.read().ok()?;
    let failure = Failure::of(package, &expected, result, printed);
    let cut = failure.cut_out(package, &whole);
    let (expected, got) = match &cut {
        Some(case) => failure.of_case(case),
        None => failure.of_test(),
    };
    let input = cut.as_ref().map_or(&*whole, |case| case.input.as_slice());
    let can_be_drawn = cut.is_some() && input.len() <= EXCERPT_BYTES_MAX;
    let mut words = failure.words(package);
    if let Some(case) = &cut
        && failure.may_depend_on_earlier(package, &whole, case)
    {
        words.push(' ');
        words.push_str(LATER_CASE);
    }
    Some(ShownCase {
        words,
        stops_here: cut.is_some() && failure.only_stops_here(),
        task: package
            .task()
            .filter(|_| can_be_drawn)
            .map(|task| task.slug().to_owned()),
        input: excerpt(input, 0..input.len(), None),
        answer: cut
            .as_ref()
            .map(|case| answer(&case.expected))
            .filter(|answer| answer.trim_end() != expected.text.trim_end()),
        title: cut.map(|case| case.title),
        expected,
        got,
        talk: None,
    })
}

/// Says of a case what is known now: whether it fails alone.
pub fn settle(case: &mut ShownCase, fails_alone: bool) {
    if let Some(words) = case.words.strip_suffix(LATER_CASE) {
        let known = if fails_alone { "" } else { PASSES_ALONE };
        case.words = format!("{}{known}", words.trim_end());
    }
}

/// The answer to one case; a longer one is not repeated.
fn answer(expected: &[u8]) -> String {
    spelled(&expected[..expected.len().min(EXCERPT_BYTES_MAX)])
}

/// What is known of a failing run.
struct Failure<'a> {
    expected: &'a [u8],
    /// What is kept of what was printed, without a last token that may be cut.
    printed: Option<&'a [u8]>,
    mode: &'a Mode,
    result: &'a TestResult,
    agreement: Agreement,
}

/// How what was printed stands to what was expected.
enum Agreement {
    /// The first difference.
    Difference(Difference),
    /// Right as far as it goes: this is where the answer goes on.
    RightUpTo(Difference),
    /// What is kept is right; the first difference, in this line of what was printed, comes after
    /// that.
    Later {
        line: usize,
        /// Whether the answer has the same lines, as far as it was kept.
        is_same_line: bool,
    },
    /// There is nothing in it.
    Nothing,
    /// All of it is right.
    Same,
    /// Nobody can tell.
    Unknown,
}

impl Agreement {
    fn later(result: &TestResult, expected: &[u8], kept: &[u8]) -> Self {
        let first = result.said.difference.as_ref();
        first.map_or(Self::Unknown, |first| Self::Later {
            line: first.line,
            is_same_line: has_same_lines(expected, kept),
        })
    }
}

impl<'a> Failure<'a> {
    fn of(
        package: &'a Package,
        expected: &'a [u8],
        result: &'a TestResult,
        printed: Option<&'a [u8]>,
    ) -> Self {
        let was_compared = matches!(
            result.said.verdict,
            Verdict::WrongAnswer | Verdict::PresentationError
        );
        let is_kept = printed.is_some_and(|kept| kept.len() as u64 == result.output_bytes());
        // A program that was ended may have been ended in the middle of a word.
        let is_whole = is_kept && was_compared;
        let tokens = printed.map(|kept| if is_whole { kept } else { whole_tokens(kept) });
        // One word without an end is shown as it is.
        let is_one_word = tokens.is_some_and(<[u8]>::is_empty) && printed != tokens;
        let printed = if is_one_word { printed } else { tokens };
        let agreement = match tokens.filter(|_| package.checker.is_none() && !is_one_word) {
            None => Agreement::Unknown,
            Some(printed) => {
                match compare::compare(expected, printed, &package.mode).difference() {
                    None => Agreement::Same,
                    Some(first) if was_compared && is_whole => Agreement::Difference(first),
                    Some(first) => match first.kind {
                        Kind::Empty => Agreement::Nothing,
                        Kind::Missing if was_compared => {
                            Agreement::later(result, expected, printed)
                        }
                        Kind::Missing => Agreement::RightUpTo(first),
                        Kind::Differs | Kind::Extra => Agreement::Difference(first),
                    },
                }
            }
        };
        Self {
            expected,
            printed,
            mode: &package.mode,
            result,
            agreement,
        }
    }

    fn difference(&self) -> Option<&Difference> {
        match &self.agreement {
            Agreement::Difference(first) | Agreement::RightUpTo(first) => Some(first),
            Agreement::Later { .. } | Agreement::Nothing | Agreement::Same | Agreement::Unknown => {
                None
            }
        }
    }

    /// What was printed, if it is what should be looked at.
    fn printed(&self) -> Option<&'a [u8]> {
        self.printed
            .filter(|_| !matches!(self.agreement, Agreement::Later { .. }))
    }

    /// The case that went wrong, if the problem can cut it out.
    fn cut_out(&self, package: &Package, input: &[u8]) -> Option<Case> {
        let task = package.task()?;
        let cut = |line| task.case_at(input, line).ok().flatten();
        match &self.agreement {
            Agreement::Difference(first) | Agreement::RightUpTo(first) => {
                cut(line_of(self.expected, first.expected_at.start))
            }
            &Agreement::Later {
                line,
                is_same_line: true,
            } => cut(line),
            // Nothing tells which case it is; if there is only one, it is that one.
            Agreement::Later { .. } | Agreement::Nothing | Agreement::Same | Agreement::Unknown => {
                cut(1).filter(|case| *case.input == *input)
            }
        }
    }

    /// The lines of one case on both sides.
    fn of_case(&self, case: &Case) -> (Excerpt, Option<Excerpt>) {
        let [start, end] =
            [case.lines.start, case.lines.end].map(|line| start_of_line(self.expected, line));
        let part = start..end;
        let mark = self.difference().map(|first| first.expected_at.clone());
        let got = match (self.difference(), self.printed()) {
            (Some(first), Some(printed)) => {
                let got = self.aligned(first, &part, printed);
                Some(excerpt(printed, got, Some(first.got_at.clone())))
            }
            (None, Some(printed)) => Some(excerpt(printed, 0..printed.len(), None)),
            (_, None) => None,
        };
        (excerpt(self.expected, part, mark), got)
    }

    /// What was printed for the lines `part` of the answer. Up to the first difference both have
    /// the same tokens, and by these it is found.
    fn aligned(&self, first: &Difference, part: &Range<usize>, printed: &[u8]) -> Range<usize> {
        let at = first.expected_at.start.clamp(part.start, part.end);
        let before = tokens(&self.expected[part.start..at]).count();
        let after = tokens(&self.expected[at..part.end]).count().max(1);
        let is_at_end = first.got_at.start >= trim_end(printed).len();
        if before == 0 && is_at_end {
            // Nothing was printed for it.
            return printed.len()..printed.len();
        }
        let start = tokens_back(printed, first.got_at.start, before);
        let end = tokens_forward(printed, first.got_at.start, after).max(first.got_at.end);
        let by_lines = self.mode.is_by_lines();
        let start = if by_lines || is_blank_since_line_feed(printed, start) {
            line_start(printed, start)
        } else {
            start
        };
        let end = if by_lines || is_blank_to_line_feed(printed, end) {
            line_end(printed, end)
        } else {
            end
        };
        start..end
    }

    /// The lines around the first difference, or the beginning.
    fn of_test(&self) -> (Excerpt, Option<Excerpt>) {
        let side = |bytes: &[u8], mark: Option<&Range<usize>>| {
            let part = mark.map_or(0..bytes.len(), |mark| around(bytes, mark.start));
            excerpt(bytes, part, mark.cloned())
        };
        let first = self.difference();
        let expected = match &self.agreement {
            Agreement::Later {
                line,
                is_same_line: true,
            } => {
                let start = start_of_line(self.expected, *line);
                excerpt(self.expected, around(self.expected, start), None)
            }
            _ => side(self.expected, first.map(|first| &first.expected_at)),
        };
        let got = self
            .printed()
            .map(|printed| side(printed, first.map(|first| &first.got_at)));
        (expected, got)
    }

    /// Whether other cases stand before the one that went wrong, so that it may be answered rightly
    /// alone.
    fn may_depend_on_earlier(&self, package: &Package, input: &[u8], case: &Case) -> bool {
        let first = |task: &dyn Task| task.case_at(input, 1).ok().flatten();
        !self.only_stops_here()
            && package
                .task()
                .and_then(first)
                .is_some_and(|first| first.lines != case.lines)
    }

    /// Whether the program ran into a limit after output that is right: where that stops tells
    /// little of where the time or memory went.
    fn only_stops_here(&self) -> bool {
        matches!(self.agreement, Agreement::RightUpTo(_)) && self.result.said.verdict.is_limit()
    }

    fn words(&self, package: &Package) -> String {
        let ended = !matches!(
            self.result.said.verdict,
            Verdict::WrongAnswer | Verdict::PresentationError
        );
        match &self.agreement {
            Agreement::Difference(first) => {
                let words = of_difference(first, ended, self.expected);
                match self.error_of_number(first) {
                    Some(error) => format!("{words} {error}"),
                    None => words,
                }
            }
            Agreement::RightUpTo(first) if self.only_stops_here() => format!(
                "What it printed is right up to line {}; there the output stops. The limit is for the test as a whole, \
                 so this need not be the case that takes the most.",
                first.line
            ),
            Agreement::RightUpTo(first) => format!(
                "What it printed is right up to line {}. Here, or later if its last lines were still in a buffer, something happened to it.",
                first.line
            ),
            Agreement::Later { line, .. } => {
                format!("The first difference is in line {line}, beyond what is kept of the output.")
            }
            Agreement::Nothing => {
                "Nothing that it printed has arrived, so this is how the test begins.".to_owned()
            }
            Agreement::Same if ended => {
                format!("{} This is how the test begins.", self.right_but())
            }
            Agreement::Same | Agreement::Unknown if self.printed.is_none() => {
                "What it printed is not kept; this is how the test begins.".to_owned()
            }
            Agreement::Unknown if package.checker.is_some() => {
                "Several outputs are correct; “Expected” shows one of them. This is how the test begins.".to_owned()
            }
            Agreement::Same | Agreement::Unknown => "This is how the test begins.".to_owned(),
        }
    }

    /// All of the output is right, and yet the verdict is another.
    fn right_but(&self) -> String {
        match (self.result.said.verdict, &self.result.said.cause) {
            (Verdict::TimeLimit, _) if self.result.ended_by_itself() => {
                "Its output is right, but came too late.".to_owned()
            }
            (Verdict::TimeLimit, _) => {
                "All of its output is right, but then it did not end in time.".to_owned()
            }
            (Verdict::MemoryLimit, _) => {
                "Its output is right, but it used too much memory.".to_owned()
            }
            (_, Some(cause)) => format!("Its output is right, but {}.", cause.words()),
            (_, None) => "Its output is right, but it did not end well after that.".to_owned(),
        }
    }

    /// Where numbers are compared: by how much it is off, and what is allowed.
    fn error_of_number(&self, first: &Difference) -> Option<String> {
        let expected = self.expected.get(first.expected_at.clone())?;
        let got = self.printed?.get(first.got_at.clone())?;
        compare::error_of_number(expected, got, self.mode)
    }
}

fn of_difference(first: &Difference, ended: bool, expected: &[u8]) -> String {
    let line = first.line;
    if ended {
        return format!("What it had printed until then was already wrong in line {line}.");
    }
    match first.kind {
        Kind::Differs => format!("The first difference is in line {line} of the output."),
        Kind::Missing => format!(
            "The output ends in line {line}; what was expected in line {} is missing.",
            line_of(expected, first.expected_at.start)
        ),
        Kind::Extra => {
            format!("The answer is complete, but there is extra output in line {line}.")
        }
        Kind::Empty => "Nothing was printed; this is how the answer begins.".to_owned(),
    }
}

/// Whether the answer has as many lines as what was printed, up to where that is kept.
fn has_same_lines(expected: &[u8], kept: &[u8]) -> bool {
    let same = tokens_forward(expected, 0, tokens(kept).count());
    line_of(expected, same) == line_of(kept, trim_end(kept).len())
}

/// Without the last token, which may have been cut.
fn whole_tokens(head: &[u8]) -> &[u8] {
    let end = head.iter().rposition(|&byte| is_white(byte));
    &head[..end.map_or(0, |white| white + 1)]
}

#[cfg(test)]
mod tests;
