//! What a program and one of the problem said to each other on the first failing test, as lines.
//! Pure.

use std::iter::once;

use super::excerpt::excerpt;
use crate::domain::{
    Cause, Compared, End, First, RunFacts, Said, Speaker, Stop, Talk, TestResult, Verdict,
};
use crate::package::Test;
use crate::report::{ShownCase, ShownLine, ShownTalk};
use crate::util::excerpt::spelled;
use crate::util::words::amount;

/// Lines of the beginning that are shown, and as many of the end.
const HALF_LINES_MAX: usize = 150;
/// Bytes of one line that are shown.
const LINE_BYTES_MAX: usize = 400;

const TAKES_PART: &str =
    "The problem's own program takes part in this test; the input is what it was given.";
const NOT_KEPT: &str =
    "What was said is not kept; the input is what the problem's own program was given.";

/// What is shown of a test on which a program of the package took part in the run.
pub fn case(test: &Test, result: &TestResult, kept: Option<&[u8]>) -> Option<ShownCase> {
    let talk = kept.and_then(Talk::from_bytes);
    let facts = result.run.as_deref();
    let shown = talk.zip(facts).map(|(talk, facts)| ShownTalk {
        ended: ended(&talk, facts, result),
        lines: lines(&talk),
    });
    let words = if shown.is_some() {
        TAKES_PART
    } else {
        NOT_KEPT
    };
    let whole = |bytes: &[u8]| excerpt(bytes, 0..bytes.len(), None);
    let [input, expected] = test.read().ok()?;
    Some(ShownCase {
        title: None,
        words: words.to_owned(),
        stops_here: false,
        task: None,
        input: whole(&input),
        answer: None,
        expected: whole(&expected),
        got: None,
        talk: shown,
    })
}

/// How a talk ended: who ended first, and why.
fn ended(talk: &Talk, facts: &RunFacts, result: &TestResult) -> String {
    let pass = if talk.rounds.passes > 1 {
        format!("In pass {}: ", talk.passes)
    } else {
        String::new()
    };
    let accepted = talk.opinion.as_ref().is_some_and(|said| !is_refusal(said));
    let own = match (facts.stop, facts.end, result.said.verdict) {
        (Some(Stop::Decided), ..) if accepted => {
            return format!(
                "{pass}the interactor ended first, and gave points. What the program did after that does not count."
            );
        }
        (Some(Stop::Decided), ..) => {
            return format!(
                "{pass}the interactor ended first: it had refused what the program said. What the program did after that does not count."
            );
        }
        (Some(Stop::Cpu), ..) => {
            "the program was ended, because it computed for too long".to_owned()
        }
        (Some(Stop::Wall), ..)
            if talk.rounds.interactive
                && talk.first == First::Program
                && result.said.cause == Some(Cause::Idle) =>
        {
            "both waited for each other, until the program's wall-clock time was over".to_owned()
        }
        (Some(Stop::Wall), ..) => {
            "the program was ended, because its wall-clock time was over".to_owned()
        }
        (Some(Stop::Output), ..) => "the program was ended, because it printed too much".to_owned(),
        (None, _, Verdict::MemoryLimit) => {
            "the program ended, because it needed too much memory".to_owned()
        }
        (None, End::Exited(0), _) => "the program ended".to_owned(),
        (None, End::Exited(code), _) => format!("the program ended with exit code {code}"),
        (None, End::Signalled(number), _) => {
            let words = Cause::Signal(number).words();
            format!("the program ended: {words}")
        }
    };
    let is_good = facts.stop.is_none() && facts.end == End::Exited(0);
    let refused = talk.opinion.as_ref().is_some_and(is_refusal);
    match (talk.first, talk.rounds.interactive) {
        _ if talk.is_judged && refused => {
            format!("{pass}{own}, and what the interactor wrote of it was refused.")
        }
        (First::Interactor, _) => {
            format!(
                "{pass}the interactor ended first, and had accepted what it was told; then {own}."
            )
        }
        (First::Program, true) if !is_good => {
            format!("{pass}{own}, before the interactor had come to an end.")
        }
        (First::Program, true) if refused => {
            format!("{pass}{own} first, and the interactor refused what it had been told.")
        }
        (First::Program, false) if refused => {
            format!("{pass}{own}, and the problem's program refused its output.")
        }
        (First::Program, _) => format!("{pass}{own}."),
    }
}

fn is_refusal(opinion: &Compared) -> bool {
    opinion.verdict != Verdict::Accepted
}

fn lines(talk: &Talk) -> Vec<ShownLine> {
    let said = &talk.said;
    let left_out = |words: String| ShownLine {
        by: Speaker::Pass,
        text: format!("{words} left out"),
    };
    let mut begin: Vec<ShownLine> = said.beginning.iter().flat_map(lines_of).collect();
    let end: Vec<ShownLine> = said.end.iter().flat_map(lines_of).collect();
    if said.left_out > 0 {
        let bytes = usize::try_from(said.left_out).unwrap_or(usize::MAX);
        begin.push(left_out(amount(bytes, "byte")));
    }
    begin.extend(end);
    let excess = begin.len().saturating_sub(2 * HALF_LINES_MAX);
    if excess > 1 {
        let words = once(left_out(amount(excess, "line")));
        begin.splice(HALF_LINES_MAX..HALF_LINES_MAX + excess, words);
    }
    begin
}

fn lines_of(said: &Said) -> Vec<ShownLine> {
    let line = |by, text| ShownLine { by, text };
    if said.by == Speaker::Pass {
        let number = String::from_utf8_lossy(&said.bytes);
        return vec![line(said.by, format!("pass {number}"))];
    }
    let text = said.bytes.strip_suffix(b"\n").unwrap_or(&said.bytes);
    let lines = text.split(|&byte| byte == b'\n').map(|bytes| {
        let shown = spelled(&bytes[..bytes.len().min(LINE_BYTES_MAX)]);
        let more = if bytes.len() > LINE_BYTES_MAX {
            "…"
        } else {
            ""
        };
        line(said.by, format!("{shown}{more}"))
    });
    lines.collect()
}
