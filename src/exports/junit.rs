//! `results.xml`, as continuous integration reads it: a suite a problem, a case a test, only the
//! attempt of each student that counts.
//!
//! A wrong program is a failure. What is our own fault is an error, and a test that was not run is
//! skipped. A group of tests is a case too, which fails where points are missing.
//! It has the attributes that Jenkins' schema (`junit-10.xsd`) knows, and no others: its readers
//! refuse the whole file for one more.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesStart, BytesText, Event};

use super::{CourseFile, Export, ExportError, Material};
use crate::domain::{Cause, ProblemSlug, Student, SubmissionId, Verdict};
use crate::overview::Entry;
use crate::report::{Document, GroupPart, TestPart, verdict_words, what_went_wrong};

/// Cases of one file. Of attempts beyond it only the verdict is one, so that the file stays
/// readable.
const CASES_MAX: usize = 100_000;
/// Characters of the compiler's words.
const COMPILER_CHARACTERS_MAX: usize = 4_000;
/// The case of a program that could not be built.
const BUILD: &str = "build";
/// The case that stands for a whole attempt.
const VERDICT: &str = "verdict";
/// The type of the failure of a group that brings too few points.
const POINTS: &str = "points";
/// The type of an error on our side, as the CLICS specifications call it.
const JUDGING_ERROR: &str = "JE";

/// Spaces by which the content of an element is indented.
const INDENT: usize = 4;
const ROOT: &str = "testsuites";
/// Faults that are looked at to say why something was not judged.
const FAULTS_MAX: u32 = 10_000;

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

/// The report of a submission; `None` if there is none, or it cannot be read: its verdict is known
/// all the same.
fn document(material: &Material<'_>, id: SubmissionId) -> Result<Option<Document>, ExportError> {
    if (material.must_end)() {
        return Err(ExportError::GivenUp);
    }
    let kept = material.reader.document(id)?;
    Ok(kept.and_then(|(_, text)| Document::from_json(&text).ok()))
}

fn write(material: &Material<'_>, out: &mut dyn Write) -> Result<(), ExportError> {
    let faults: BTreeMap<SubmissionId, String> = material
        .reader
        .faults(FAULTS_MAX)?
        .into_iter()
        .filter_map(|row| Some((row.record.submission?, row.record.fault.to_string())))
        .collect();
    // The first line has sums, so the rest is written before it: as text, which is much smaller
    // than the cases.
    let mut suites = Writer::new_with_indent(Vec::new(), b' ', INDENT);
    let root = BytesStart::new(ROOT);
    suites.write_event(Event::Start(root.borrow()))?;
    let mut pieces = Vec::new();
    let mut sums = [0; 3];
    for problem in material.board.problems() {
        let suite = suite(material, problem, &faults, sums[0])?;
        let counts = [suite.cases.len(), suite.count(FAILURE), suite.count(ERROR)];
        sums.iter_mut()
            .zip(counts)
            .for_each(|(sum, count)| *sum += count);
        write_suite(&suite, &mut suites)?;
        // Cut to its length: one text that grows as a whole would take up to twice the memory.
        pieces.push(std::mem::take(suites.get_mut()).into_boxed_slice());
    }
    suites.write_event(Event::End(root.to_end()))?;
    suites.write_indent()?;
    pieces.push(suites.into_inner().into_boxed_slice());
    let [tests, failures, errors] = sums.map(|sum| sum.to_string());
    let root = root.borrow().with_attributes([
        ("name", "verdictd"),
        ("tests", &tests),
        ("failures", &failures),
        ("errors", &errors),
    ]);
    let mut whole = Writer::new_with_indent(&mut *out, b' ', INDENT);
    whole.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    whole.write_event(Event::Start(root))?;
    // The first piece begins with the first line too, without the sums.
    let mut left = ROOT.len() + "<>".len();
    for piece in pieces {
        out.write_all(&piece[left..])?;
        left = 0;
    }
    Ok(())
}

/// All of one problem; so many cases are written already.
fn suite(
    material: &Material<'_>,
    problem: &ProblemSlug,
    faults: &BTreeMap<SubmissionId, String>,
    written: usize,
) -> Result<Suite, ExportError> {
    let mut suite = Suite {
        name: text(problem.as_str()),
        cases: Vec::new(),
    };
    for (student, cell) in material.board.cells_of(problem) {
        let Some(entry) = material.board.grading().counting(cell) else {
            let mut latest = cell.entries.iter().rev();
            let fault = latest.find_map(|one| faults.get(&one.submission.id));
            suite.cases.push(without_verdict(student, fault));
            continue;
        };
        let is_detailed = written + suite.cases.len() < CASES_MAX;
        let document = if is_detailed {
            document(material, entry.submission.id)?
        } else {
            None
        };
        suite.cases.extend(cases(student, entry, document.as_ref()));
    }
    Ok(suite)
}

struct Suite {
    name: String,
    cases: Vec<Case>,
}

struct Case {
    name: String,
    student: String,
    time: Option<Duration>,
    outcome: Outcome,
}

enum Outcome {
    Passed,
    Skipped(&'static str),
    /// The element, and its attributes and text.
    Not(&'static str, Trouble),
}

struct Trouble {
    kind: &'static str,
    message: String,
    details: String,
}

const FAILURE: &str = "failure";
const ERROR: &str = "error";
const SKIPPED: &str = "skipped";

impl Case {
    /// The element that it has, if it did not pass.
    fn element(&self) -> Option<&'static str> {
        match self.outcome {
            Outcome::Passed => None,
            Outcome::Skipped(_) => Some(SKIPPED),
            Outcome::Not(element, _) => Some(element),
        }
    }
}

impl Suite {
    fn count(&self, element: &str) -> usize {
        let is = |case: &&Case| case.element() == Some(element);
        self.cases.iter().filter(is).count()
    }
}

fn write_suite(suite: &Suite, writer: &mut Writer<Vec<u8>>) -> io::Result<()> {
    let time = suite.cases.iter().filter_map(|case| case.time).sum();
    let element = writer.create_element("testsuite").with_attributes([
        ("name", suite.name.as_str()),
        ("tests", &suite.cases.len().to_string()),
        ("failures", &suite.count(FAILURE).to_string()),
        ("errors", &suite.count(ERROR).to_string()),
        ("skipped", &suite.count(SKIPPED).to_string()),
        ("time", &seconds(time)),
    ]);
    element.write_inner_content(|writer| {
        let mut cases = suite.cases.iter();
        cases.try_for_each(|case| write_case(case, writer))
    })?;
    Ok(())
}

fn write_case(case: &Case, writer: &mut Writer<Vec<u8>>) -> io::Result<()> {
    let mut element = writer.create_element("testcase").with_attributes([
        ("name", case.name.as_str()),
        ("classname", case.student.as_str()),
    ]);
    if let Some(time) = case.time {
        element = element.with_attribute(("time", seconds(time).as_str()));
    }
    match &case.outcome {
        Outcome::Passed => element.write_empty()?,
        Outcome::Skipped(why) => element.write_inner_content(|writer| {
            let skipped = writer.create_element(SKIPPED);
            skipped.with_attribute(("message", *why)).write_empty()?;
            Ok(())
        })?,
        Outcome::Not(name, trouble) => element.write_inner_content(|writer| {
            let element = writer.create_element(*name).with_attributes([
                ("message", trouble.message.as_str()),
                ("type", trouble.kind),
            ]);
            if trouble.details.is_empty() {
                element.write_empty()?;
            } else {
                element.write_text_content(BytesText::new(&trouble.details))?;
            }
            Ok(())
        })?,
    };
    Ok(())
}

fn seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}

fn without_verdict(student: &Student, fault: Option<&String>) -> Case {
    let outcome = match fault {
        None => Outcome::Skipped("it waits for its verdict"),
        Some(reason) => Outcome::Not(
            ERROR,
            Trouble {
                kind: JUDGING_ERROR,
                message: text(&format!("not judged: {reason}")),
                details: String::new(),
            },
        ),
    };
    case(student, VERDICT, None, outcome)
}

fn cases(student: &Student, entry: &Entry, document: Option<&Document>) -> Vec<Case> {
    match document {
        Some(document) if document.tests.is_empty() => vec![build(student, document)],
        Some(document) => {
            let groups = document.groups.iter().map(|part| group(student, part));
            let tests = document.tests.iter().map(|part| test(student, part));
            groups.chain(tests).collect()
        }
        None => vec![whole(student, entry)],
    }
}

/// An attempt of which only the verdict is known here.
fn whole(student: &Student, entry: &Entry) -> Case {
    let verdict = entry.verdict().unwrap_or(Verdict::Skipped);
    let first = entry.first_failing_test().unwrap_or_default();
    let outcome = outcome(verdict, None, first);
    let slowest = entry.slowest_ms.map(u64::from);
    case(
        student,
        VERDICT,
        slowest.map(Duration::from_millis),
        outcome,
    )
}

fn build(student: &Student, document: &Document) -> Case {
    let words = &document.compiler.words;
    let words: String = words.chars().take(COMPILER_CHARACTERS_MAX).collect();
    let outcome = outcome(document.verdict, document.cause.as_ref(), &words);
    case(student, BUILD, None, outcome)
}

fn test(student: &Student, part: &TestPart) -> Case {
    let verdict = part.verdict;
    let details = what_went_wrong(part).join("\n");
    let outcome = outcome(verdict, part.cause.as_ref(), &details);
    let ran = verdict != Verdict::Skipped;
    let time = ran.then(|| Duration::from_millis(part.cpu_ms));
    case(student, &part.name, time, outcome)
}

fn group(student: &Student, part: &GroupPart) -> Case {
    let outcome = if part.score.is_full() {
        Outcome::Passed
    } else {
        Outcome::Not(
            FAILURE,
            Trouble {
                kind: POINTS,
                message: text(&format!("{}: {}", part.score.words(), part.words())),
                details: String::new(),
            },
        )
    };
    case(student, &format!("group {}", part.name), None, outcome)
}

fn outcome(verdict: Verdict, cause: Option<&Cause>, details: &str) -> Outcome {
    match verdict {
        Verdict::Accepted => Outcome::Passed,
        Verdict::Skipped => Outcome::Skipped("an earlier test had failed"),
        Verdict::PresentationError
        | Verdict::WrongAnswer
        | Verdict::TimeLimit
        | Verdict::MemoryLimit
        | Verdict::OutputLimit
        | Verdict::RuntimeError
        | Verdict::CompileError => Outcome::Not(
            FAILURE,
            Trouble {
                kind: verdict.code(),
                message: text(&verdict_words(verdict, cause)),
                details: text(details),
            },
        ),
    }
}

fn case(student: &Student, name: &str, time: Option<Duration>, outcome: Outcome) -> Case {
    Case {
        name: text(name),
        student: text(student.as_str()),
        time,
        outcome,
    }
}

/// XML 1.0 has no way to write some characters that a name or a message may have.
fn text(text: &str) -> String {
    let unwritable = |c: char| {
        matches!(c, '\u{FFFE}' | '\u{FFFF}') || (c < ' ' && !matches!(c, '\t' | '\n' | '\r'))
    };
    text.replace(unwritable, "\u{FFFD}")
}
