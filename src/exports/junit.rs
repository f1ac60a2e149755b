//! `results.xml`, as continuous integration reads it: a suite a problem, a case a test, only the
//! attempt of each student that counts.
//!
//! A wrong program is a failure. What is our own fault is an error, and a test that was not run is
//! skipped. A group of tests is a case too, which fails where points are missing.
//! It has the attributes that Jenkins' schema (`junit-10.xsd`) knows, and no others: its readers
//! refuse the whole file for one more. (The crate `quick-junit` always writes one more: how many
//! cases of all suites were skipped.)

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

use askama::Template;

use super::{CourseFile, Export, ExportError, Material};
use crate::domain::{Cause, ProblemSlug, SubmissionId, Verdict};
use crate::overview::Entry;
use crate::report::{Document, verdict_words, what_went_wrong};

/// Cases of one file. Of attempts beyond it only the verdict is one, so that the file stays
/// readable.
const CASES_MAX: usize = 100_000;
/// Characters of the compiler's words.
const COMPILER_CHARACTERS_MAX: usize = 4_000;
/// Faults that are looked at to say why something was not judged.
const FAULTS_MAX: u32 = 10_000;
/// The case that stands for a whole attempt.
const VERDICT: &str = "verdict";

const FAILURE: &str = "failure";
const ERROR: &str = "error";
const SKIPPED: &str = "skipped";

pub(super) const EXPORT: Export = Export {
    file: CourseFile {
        name: "results.xml",
        title: "JUnit results",
        content_type: "application/xml; charset=utf-8",
    },
    // The reports of the whole course are read for it.
    pace: Duration::from_secs(30),
    make: write,
};

#[derive(Template)]
#[template(path = "exports/junit.xml")]
struct Suite<'a> {
    problem: &'a ProblemSlug,
    cases: Vec<Case<'a>>,
}

struct Case<'a> {
    student: &'a str,
    name: String,
    /// How long it ran.
    ms: Option<u64>,
    /// `None` if it passed.
    outcome: Option<Outcome>,
}

struct Outcome {
    /// The element that says so.
    element: &'static str,
    /// "" where it needs none.
    kind: &'static str,
    message: String,
    details: String,
}

impl Suite<'_> {
    fn count(&self, element: &str) -> usize {
        let outcomes = self.cases.iter().filter_map(|case| case.outcome.as_ref());
        outcomes.filter(|one| one.element == element).count()
    }

    fn time(&self) -> String {
        seconds(self.cases.iter().filter_map(|case| case.ms).sum())
    }

    fn text(&self) -> String {
        let text = self.render().expect("writing to a String does not fail");
        // XML 1.0 has no way to write some characters that a name or a message may have.
        let unwritable = |c: char| {
            matches!(c, '\u{FFFE}' | '\u{FFFF}') || (c < ' ' && !matches!(c, '\t' | '\n' | '\r'))
        };
        text.replace(unwritable, "\u{FFFD}")
    }
}

impl Case<'_> {
    fn time(&self) -> Option<String> {
        self.ms.map(seconds)
    }
}

impl Outcome {
    fn new(element: &'static str, kind: &'static str, message: String) -> Self {
        Self {
            element,
            kind,
            message,
            details: String::new(),
        }
    }

    /// `None` for what is accepted.
    fn of(verdict: Verdict, cause: Option<&Cause>, details: String) -> Option<Self> {
        match verdict {
            Verdict::Accepted => None,
            Verdict::Skipped => Some(Self::new(SKIPPED, "", "an earlier test had failed".into())),
            failed => Some(Self {
                details,
                ..Self::new(FAILURE, failed.code(), verdict_words(failed, cause))
            }),
        }
    }
}

fn write(material: &Material<'_>, out: &mut dyn Write) -> Result<(), ExportError> {
    let faults = material.reader.faults(FAULTS_MAX)?.into_iter();
    let faults = faults.filter_map(|row| {
        let fault = row.record.fault.to_string();
        Some((row.record.submission?, fault))
    });
    let faults = faults.collect();
    // The first line has sums, so the rest is written before it: as text, which is much smaller
    // than the cases, and cut to its length.
    let mut suites = Vec::new();
    let (mut tests, mut failures, mut errors) = (0, 0, 0);
    for problem in material.board.problems() {
        let suite = suite(material, problem, &faults, tests)?;
        tests += suite.cases.len();
        failures += suite.count(FAILURE);
        errors += suite.count(ERROR);
        suites.push(suite.text().into_boxed_str());
    }
    writeln!(
        out,
        r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="verdictd" tests="{tests}" failures="{failures}" errors="{errors}">"#
    )?;
    for suite in suites {
        writeln!(out, "{suite}")?;
    }
    writeln!(out, "</testsuites>")?;
    Ok(())
}

/// All of one problem; so many cases are written already.
fn suite<'a>(
    material: &Material<'a>,
    problem: &'a ProblemSlug,
    faults: &BTreeMap<SubmissionId, String>,
    written: usize,
) -> Result<Suite<'a>, ExportError> {
    let mut cases = Vec::new();
    for (student, cell) in material.board.cells_of(problem) {
        let student = student.as_str();
        let Some(entry) = material.board.grading().counting(cell) else {
            let mut latest = cell.entries.iter().rev();
            let outcome = match latest.find_map(|one| faults.get(&one.submission.id)) {
                None => Outcome::new(SKIPPED, "", "it waits for its verdict".to_owned()),
                // As the CLICS specifications call an error on our side.
                Some(fault) => Outcome::new(ERROR, "JE", format!("not judged: {fault}")),
            };
            cases.push(Case {
                student,
                name: VERDICT.to_owned(),
                ms: None,
                outcome: Some(outcome),
            });
            continue;
        };
        if (material.must_end)() {
            return Err(ExportError::GivenUp);
        }
        let kept = if written + cases.len() < CASES_MAX {
            material.reader.document(entry.submission.id)?
        } else {
            None
        };
        // The verdict is known also where there is no report, or it cannot be read.
        let document = kept.and_then(|(_, text)| Document::from_json(&text).ok());
        cases.extend(attempt(student, entry, document.as_ref()));
    }
    Ok(Suite { problem, cases })
}

/// The cases of the attempt that counts.
fn attempt<'a>(student: &'a str, entry: &Entry, document: Option<&Document>) -> Vec<Case<'a>> {
    let case = |name: &str, ms: Option<u64>, outcome: Option<Outcome>| Case {
        student,
        name: name.to_owned(),
        ms,
        outcome,
    };
    let Some(document) = document else {
        let verdict = entry.verdict().unwrap_or(Verdict::Skipped);
        let first = entry.first_failing_test().unwrap_or_default();
        let outcome = Outcome::of(verdict, None, first.to_owned());
        return vec![case(VERDICT, entry.slowest_ms.map(u64::from), outcome)];
    };
    if document.tests.is_empty() {
        let words = document.compiler.words.chars();
        let words = words.take(COMPILER_CHARACTERS_MAX).collect();
        let outcome = Outcome::of(document.verdict, document.cause.as_ref(), words);
        return vec![case("build", None, outcome)];
    }
    let groups = document.groups.iter().map(|group| {
        let message = format!("{}: {}", group.score.words(), group.words());
        let lacks = (!group.score.is_full()).then(|| Outcome::new(FAILURE, "points", message));
        case(&format!("group {}", group.name), None, lacks)
    });
    let tests = document.tests.iter().map(|test| {
        let details = what_went_wrong(test).join("\n");
        let outcome = Outcome::of(test.verdict, test.cause.as_ref(), details);
        let has_run = test.verdict != Verdict::Skipped;
        case(&test.name, has_run.then_some(test.cpu_ms), outcome)
    });
    groups.chain(tests).collect()
}

/// Milliseconds as seconds.
fn seconds(ms: u64) -> String {
    format!("{}.{:03}", ms / 1_000, ms % 1_000)
}
