//! What `explain` finds out about a program, and says of it.

use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use crate::cli::exit::Exit;
use crate::cli::judge::Unjudged;
use crate::domain::{Counterexample, Explanation, Judgement, Verdict};
use crate::explain::Attacked;
use crate::report;
use crate::util::clock::as_ms;
use crate::util::words::amount;
use crate::view::{Page, Show, code};

/// Bytes and lines of an input or output that are shown in full on a terminal.
const SHOWN_BYTES_MAX: usize = 4 * 1024;
const SHOWN_LINES_MAX: usize = 50;

/// Why nothing but the tests was tried.
const ONLY_TESTS: &str = "Other inputs were not tried: that takes a `validator`, which says which are valid, and a \
     `reference`, which answers them, in the problem.";

/// What is known of a program in the end.
pub struct Explained {
    pub judgement: Judgement,
    pub explanation: Option<Explanation>,
    /// Where it is accepted: what came of trying to break it.
    pub attacked: Option<Attacked>,
    /// Whether other inputs than the tests can be tried.
    pub can_search: bool,
    pub runs: u64,
    pub cpu: Duration,
}

impl Explained {
    /// The input on which it fails, and with which verdict.
    pub fn counterexample(&self) -> Option<(&Counterexample, Verdict)> {
        let of_failure = self.explanation.as_ref();
        let of_failure = of_failure.and_then(|known| known.counterexample.as_ref());
        let broken = self.attacked.as_ref().and_then(|it| it.broken.as_ref());
        of_failure
            .map(|found| (found, self.judgement.verdict))
            .or_else(|| broken.map(|broken| (&broken.evidence, broken.verdict)))
    }
}

/// A program, and what came of it.
#[derive(Serialize)]
pub struct Outcome<'a> {
    file: String,
    verdict: Option<Verdict>,
    #[serde(flatten)]
    explanation: Explanation,
    #[serde(skip_serializing_if = "Option::is_none")]
    hack_search: Option<HackSearch>,
    #[serde(flatten)]
    why: Option<&'a Unjudged>,
    #[serde(skip)]
    explained: Option<&'a Explained>,
}

/// What came of trying to break an accepted program.
#[derive(Serialize)]
struct HackSearch {
    inputs: usize,
    verdict: Option<Verdict>,
}

impl<'a> Outcome<'a> {
    pub fn of(program: &Path, result: &'a Result<Explained, Unjudged>) -> Self {
        let explained = result.as_ref().ok();
        let mut explanation = explained.and_then(|one| one.explanation.clone());
        let attacked = explained.and_then(|one| one.attacked.as_ref().map(|it| (one, it)));
        let hack_search = attacked.map(|(explained, attacked)| {
            let broken = attacked.broken.as_ref();
            let explanation = explanation.get_or_insert_default();
            explanation.counterexample = broken.map(|broken| broken.evidence.clone());
            explanation.runs = explained.runs;
            explanation.cpu_ms = as_ms(explained.cpu);
            HackSearch {
                inputs: attacked.inputs,
                verdict: broken.map(|broken| broken.verdict),
            }
        });
        Self {
            file: program.display().to_string(),
            verdict: explained.map(|explained| explained.judgement.verdict),
            explanation: explanation.unwrap_or_default(),
            hack_search,
            why: result.as_ref().err(),
            explained,
        }
    }

    pub fn exit(&self) -> Exit {
        match (self.why, self.verdict) {
            (Some(why), _) => why.exit(),
            (None, Some(Verdict::Accepted)) if self.explanation.counterexample.is_none() => {
                Exit::Good
            }
            (None, _) => Exit::No,
        }
    }
}

impl Show for Outcome<'_> {
    fn show(&self, page: &mut Page) {
        if let Some(why) = self.why {
            return why.show(&self.file, page);
        }
        if let Some(explained) = self.explained {
            show(&self.file, explained, page);
        }
    }
}

fn show(file: &str, explained: &Explained, page: &mut Page) {
    let judgement = &explained.judgement;
    let verdict = judgement.verdict;
    let on = judgement
        .first_failing
        .map(|at| format!(": {} on {}", verdict.words(), judgement.tests[at].test.name));
    page.tagged(code(verdict), format!("{file}{}", on.unwrap_or_default()));
    if let Some(explanation) = &explained.explanation {
        for reason in &explanation.causes {
            page.line(format!("     {} ({})", reason.summary, reason.evidence));
        }
        if let Some(growth) = &explanation.growth {
            page.line(format!("     {}", growth.summary));
        }
    } else if explained.attacked.is_none() {
        if verdict == Verdict::CompileError {
            page.line("     It was not built; `verdictd judge` shows what the compiler says.");
        }
        return;
    }
    if let Some(attacked) = &explained.attacked {
        show_attacked(attacked, explained.can_search, page);
    }
    if let Some((found, verdict)) = explained.counterexample() {
        show_counterexample(found, verdict, page);
        if found.found_by == "test" && !explained.can_search {
            page.line(format!("     {ONLY_TESTS}"));
        }
    }
    page.line(format!(
        "     {}, {:.1} s of CPU time.",
        amount(usize::try_from(explained.runs).unwrap_or(usize::MAX), "run"),
        explained.cpu.as_secs_f64()
    ));
    page.line("");
}

/// What came of trying to break an accepted program.
fn show_attacked(attacked: &Attacked, can_search: bool, page: &mut Page) {
    let inputs = amount(attacked.inputs, "further input");
    page.line(match &attacked.broken {
        None if !can_search => format!("     It passes every test. {ONLY_TESTS}"),
        None => format!("     It passes every test, and all of {inputs}."),
        Some(broken) => format!(
            "     It passes every test, and fails on one of {inputs}: {}. As a file in the problem's `hacks` folder, this input is a test for everybody.",
            broken.verdict.words()
        ),
    });
}

fn show_counterexample(found: &Counterexample, verdict: Verdict, page: &mut Page) {
    let input = format!("Input of {}", report::size_of(found));
    for (title, text) in [
        (input.as_str(), Some(&found.input)),
        ("Expected", Some(&found.expected)),
        ("Printed", Some(&found.printed)),
        ("Why that is right", found.witness.as_ref()),
    ] {
        if let Some(text) = text {
            page.line(format!("     {title}:"));
            barred(text, page);
        }
    }
    page.line(format!("     {}", report::how_found(found, verdict)));
}

/// A text, with a bar before each line: what is white space in it can be seen so.
fn barred(text: &str, page: &mut Page) {
    let shown = &text[..text.floor_char_boundary(SHOWN_BYTES_MAX)];
    let lines: Vec<&str> = shown.lines().take(SHOWN_LINES_MAX).collect();
    for line in &lines {
        page.text("       | ", format!("{line}\n"));
    }
    if shown.is_empty() {
        page.line("       (nothing)");
    } else if shown.len() < text.len() || lines.len() < shown.lines().count() {
        let [lines, bytes] = [
            amount(text.lines().count(), "line"),
            amount(text.len(), "byte"),
        ];
        page.line(format!(
            "       … ({lines}, {bytes} in all; --json has them)"
        ));
    }
}
