//! What `explain` says to a person.

use std::path::Path;

use super::explained::{Explained, Unexplained};
use crate::cli::out::{Out, Style};
use crate::domain::{Counterexample, Verdict};
use crate::explain::Attacked;
use crate::report::CounterexamplePart;
use crate::util::excerpt::visible_line;
use crate::util::words::amount;

/// Bytes and lines of an input or output that are shown in full on a terminal.
const SHOWN_BYTES_MAX: usize = 4 * 1024;
const SHOWN_LINES_MAX: usize = 50;

/// Why nothing but the tests was tried.
const ONLY_TESTS: &str = "Other inputs were not tried: that takes a `validator`, which says which are valid, and a \
     `reference`, which answers them, in the problem.";

pub(super) fn show(file: &Path, result: &Result<Explained, Unexplained>, out: &mut Out) {
    let name = visible_line(&file.display().to_string());
    let explained = match result {
        Ok(explained) => explained,
        Err(Unexplained::Rejected(reason)) => {
            let text = format!("{name}: {}", visible_line(reason));
            return out.tagged(Style::Warn, "rejected", &text);
        }
        Err(Unexplained::Fault(reason)) => {
            let text = format!("{name}: {}", visible_line(reason));
            return out.tagged(Style::Bad, "not judged", &text);
        }
    };
    let judgement = &explained.judgement;
    let verdict = judgement.verdict;
    let on = judgement
        .first_failing
        .map(|at| format!(": {} on {}", verdict.words(), judgement.tests[at].test.name));
    let text = format!("{name}{}", on.unwrap_or_default());
    out.tagged(Style::of(verdict), &format!("{:<3}", verdict.code()), &text);
    if let Some(explanation) = &explained.explanation {
        for reason in &explanation.causes {
            out.line(&format!("     {} ({})", reason.summary, reason.evidence));
        }
        if let Some(growth) = &explanation.growth {
            out.line(&format!("     {}", growth.summary));
        }
    } else if explained.attacked.is_none() {
        if verdict == Verdict::CompileError {
            out.line("     It was not built; `verdictd judge` shows what the compiler says.");
        }
        return;
    }
    if let Some(attacked) = &explained.attacked {
        show_attacked(attacked, explained.can_search, out);
    }
    if let Some((found, verdict)) = explained.counterexample() {
        show_counterexample(found, verdict, out);
        if found.found_by == "test" && !explained.can_search {
            out.line(&format!("     {ONLY_TESTS}"));
        }
    }
    out.line(&format!(
        "     {}, {:.1} s of CPU time.",
        amount(to_usize(explained.runs), "run"),
        explained.cpu.as_secs_f64()
    ));
    out.line("");
}

/// What came of trying to break an accepted program.
fn show_attacked(attacked: &Attacked, can_search: bool, out: &mut Out) {
    let inputs = amount(attacked.inputs, "further input");
    out.line(&match &attacked.broken {
        None if !can_search => format!("     It passes every test. {ONLY_TESTS}"),
        None => format!("     It passes every test, and all of {inputs}."),
        Some(broken) => format!(
            "     It passes every test, and fails on one of {inputs}: {}. As a file in the problem's `hacks` folder, this input is a test for everybody.",
            broken.verdict.words()
        ),
    });
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn show_counterexample(found: &Counterexample, verdict: Verdict, out: &mut Out) {
    let told = CounterexamplePart::of(found, None);
    out.line(&format!("     Input of {}:", told.size()));
    indented(&found.input, out);
    out.line("     Expected:");
    indented(&found.expected, out);
    out.line("     Printed:");
    indented(&found.printed, out);
    if let Some(witness) = &found.witness {
        out.line("     Why that is right:");
        indented(witness, out);
    }
    out.line(&format!("     {}", told.words(verdict)));
}

/// A text, with a bar before each line: what is white space in it can be seen so.
fn indented(text: &str, out: &mut Out) {
    let shown = &text[..text.floor_char_boundary(SHOWN_BYTES_MAX)];
    let lines = shown.lines().take(SHOWN_LINES_MAX);
    let count = lines.clone().count();
    for line in lines {
        out.line(&format!("       | {line}"));
    }
    if shown.is_empty() {
        out.line("       (nothing)");
    } else if shown.len() < text.len() || count < shown.lines().count() {
        let [lines, bytes] = [
            amount(text.lines().count(), "line"),
            amount(text.len(), "byte"),
        ];
        out.line(&format!(
            "       … ({lines}, {bytes} in all; --json has them)"
        ));
    }
}
