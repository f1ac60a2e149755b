//! What the feed tells of one event, in objects as the CLICS specifications of 2026-01 name their
//! fields.
//!
//! Judgements and runs also have the contest times that versions up to 2023-06 ask for.

use serde_json::{Value, json};

use super::super::ExportError;
use super::super::course::{Course, ProblemFacts};
use super::file::{JUDGEMENTS, Notification, Published, SUBMISSIONS};
use super::words::{identifier, judgement_type, judgement_types, label, relative, seconds, time};
use crate::domain::{ProblemSlug, Verdict};
use crate::report::Document;
use crate::store::{ChangeRow, EventKind, FeedEvent, Reader};
use crate::util::{KIB, MIB};

const CONTEST: &str = "verdictd";
/// A course has no end that the daemon knows of: ten years.
const DURATION: &str = "87600:00:00.000";
/// And no penalty for a wrong attempt.
const PENALTY: &str = "0:00:00.000";

/// The lines of one event.
struct Group<'a> {
    published: &'a mut Published,
    lines: Vec<Notification>,
}

impl Group<'_> {
    /// An object that others refer to, where it was not told as it is.
    fn once(&mut self, kind: &'static str, id: Option<&str>, data: Value) {
        if self.published.put(kind, id.unwrap_or_default(), &data) {
            self.push(kind, id.map(str::to_owned), data);
        }
    }

    fn push(&mut self, kind: &'static str, id: Option<String>, data: Value) {
        self.lines.push(Notification { kind, id, data });
    }
}

/// Whether nothing is told of a problem yet.
type Hides<'h> = &'h dyn Fn(&ProblemSlug) -> bool;

/// The lines of an event, if it has any.
pub fn event(
    event: &FeedEvent,
    reader: &Reader,
    (course, hides): (&Course, Hides<'_>),
    published: &mut Published,
) -> Result<Vec<Notification>, ExportError> {
    let mut group = Group {
        published,
        lines: Vec::new(),
    };
    match event.kind {
        EventKind::Received => {
            let start_ms = reference(&mut group, event, (course, hides));
            problem(&mut group, event, course, None);
            submission(&mut group, event, start_ms);
        }
        EventKind::Verdict => {
            let start_ms = reference(&mut group, event, (course, hides));
            // What was handed in before its problem opened was not told then.
            if !group.published.has_submission(event.submission.id.0) {
                problem(&mut group, event, course, None);
                let received_ms = event.submission.received_ms;
                submission(
                    &mut group,
                    &FeedEvent {
                        ms: received_ms,
                        ..event.clone()
                    },
                    start_ms,
                );
            }
            judgement(&mut group, event, reader, course, start_ms)?;
        }
        _ => {}
    }
    Ok(group.lines)
}

/// Everything that other objects refer to; says when the course began: with what was handed in
/// first.
fn reference(
    group: &mut Group<'_>,
    event: &FeedEvent,
    (course, hides): (&Course, Hides<'_>),
) -> i64 {
    let start_ms = group
        .published
        .get("contest", "")
        .and_then(|contest| contest["start_time"].as_str())
        .and_then(|start| start.parse::<jiff::Timestamp>().ok())
        .map_or(event.ms, jiff::Timestamp::as_millisecond);
    group.once(
        "contest",
        None,
        json!({
            "id": CONTEST,
            "name": CONTEST,
            "start_time": time(start_ms),
            "duration": DURATION,
            "scoreboard_type": "pass-fail",
            "penalty_time": PENALTY,
        }),
    );
    if !group.published.has_course {
        whole_course(group, course, hides, start_ms);
        group.published.has_course = true;
    }
    language(group, event);
    let (id, name) = (
        identifier(event.submission.student.as_str()),
        event.submission.student.as_str(),
    );
    let data = json!({ "id": id, "name": name, "label": name });
    group.once("teams", Some(&id), data);
    start_ms
}

fn whole_course(group: &mut Group<'_>, course: &Course, hides: Hides<'_>, start_ms: i64) {
    for (id, data) in judgement_types() {
        group.once("judgement-types", Some(id), data);
    }
    for language in &course.languages {
        let id = identifier(language.id.as_str());
        one_language(group, &id, &language.name, &language.extensions);
    }
    for facts in course.problems.iter().filter(|facts| !hides(&facts.slug)) {
        one_problem(group, facts, course);
    }
    // Of a course only its beginning is ever known.
    let state = json!({
        "started": time(start_ms),
        "frozen": null,
        "ended": null,
        "thawed": null,
        "finalized": null,
        "end_of_updates": null,
    });
    group.once("state", None, state);
}

/// A language that is not taught any more.
fn language(group: &mut Group<'_>, event: &FeedEvent) {
    let id = identifier(event.submission.language.as_str());
    if group.published.get("languages", &id).is_none() {
        one_language(group, &id, event.submission.language.as_str(), &[]);
    }
}

fn one_language(group: &mut Group<'_>, id: &str, name: &str, extensions: &[String]) {
    let data = json!({
        "id": id,
        "name": name,
        "entry_point_required": false,
        "extensions": extensions,
    });
    group.once("languages", Some(id), data);
}

/// A problem that has no package now, and one that has had more tests than it has.
fn problem(group: &mut Group<'_>, event: &FeedEvent, course: &Course, document: Option<&Document>) {
    let known = course
        .problems
        .iter()
        .find(|facts| facts.slug == event.submission.problem);
    let was_told = group
        .published
        .get("problems", &identifier(event.submission.problem.as_str()))
        .is_some();
    let tests = document.map_or(0, |document| document.tests.len());
    match known {
        Some(facts) if facts.tests >= tests => {}
        Some(facts) => {
            let facts = ProblemFacts {
                tests,
                ..facts.clone()
            };
            one_problem(group, &facts, course);
        }
        None if was_told => more_tests(group, event, tests),
        None => {
            let facts = ProblemFacts {
                slug: event.submission.problem.clone(),
                title: event.submission.problem.to_string(),
                statement: None,
                limits: course.limits.clone(),
                tests,
            };
            one_problem(group, &facts, course);
        }
    }
}

/// A problem without a package is as it was told last, but for the number of tests.
fn more_tests(group: &mut Group<'_>, event: &FeedEvent, tests: usize) {
    let id = identifier(event.submission.problem.as_str());
    let Some(mut data) = group.published.get("problems", &id).cloned() else {
        return;
    };
    if data["test_data_count"].as_u64() < Some(tests as u64) {
        data["test_data_count"] = tests.into();
        group.once("problems", Some(&id), data);
    }
}

fn one_problem(group: &mut Group<'_>, facts: &ProblemFacts, course: &Course) {
    let id = identifier(facts.slug.as_str());
    let before = group.published.get("problems", &id);
    // A problem keeps its place, and runs of tests that are gone keep theirs.
    let ordinal = before
        .and_then(|before| before["ordinal"].as_u64())
        .unwrap_or_else(|| group.published.count("problems") as u64 + 1);
    let tests = before
        .and_then(|before| before["test_data_count"].as_u64())
        .unwrap_or(0)
        .max(facts.tests as u64);
    let limit_ms = u64::try_from(facts.limits.cpu.as_millis()).unwrap_or(u64::MAX);
    let data = json!({
        "id": id,
        "label": label(ordinal),
        "name": facts.title,
        "ordinal": ordinal,
        "time_limit": seconds(limit_ms),
        "memory_limit": facts.limits.memory_bytes.div_ceil(MIB),
        "output_limit": facts.limits.output_bytes.div_ceil(MIB),
        "code_limit": course.source_bytes_max.div_ceil(KIB),
        "test_data_count": tests,
    });
    group.once("problems", Some(&id), data);
}

fn submission(group: &mut Group<'_>, event: &FeedEvent, start_ms: i64) {
    let id = event.submission.id.0.to_string();
    let data = json!({
        "id": id,
        "language_id": identifier(event.submission.language.as_str()),
        "problem_id": identifier(event.submission.problem.as_str()),
        "team_id": identifier(event.submission.student.as_str()),
        "time": time(event.ms),
        "contest_time": relative(event.ms - start_ms),
        // The language's own: nobody is asked for one.
        "entry_point": null,
        // No archives of programs lie beside the feed.
        "files": [],
    });
    group.published.received(event.submission.id.0);
    group.push(SUBMISSIONS, Some(id), data);
}

fn judgement(
    group: &mut Group<'_>,
    event: &FeedEvent,
    reader: &Reader,
    course: &Course,
    start_ms: i64,
) -> Result<(), ExportError> {
    let history = reader.history(event.submission.id)?;
    let Some(at) = history
        .iter()
        .rposition(|row| row.change.published.judged_ms == event.ms)
    else {
        return Ok(());
    };
    let now = &history[at];
    let is_last = at + 1 == history.len();
    let document = if is_last {
        document(reader, event, now.change.published.verdict)?
    } else {
        // The tests of a verdict that has been replaced since are not known any more.
        None
    };
    problem(group, event, course, document.as_ref());
    if let Some(before) = at.checked_sub(1).map(|at| &history[at]) {
        // It stays as it was told, but is not current any more.
        let longest = group.published.run_time(before.id);
        push_judgement(group, event, before, start_ms, false, longest);
    }
    let longest_ms = document.as_ref().and_then(|document| {
        let tests = document.tests.iter();
        tests.map(|test| test.cpu_ms).max()
    });
    let longest = longest_ms.map(seconds);
    push_judgement(group, event, now, start_ms, true, longest);
    for (id, run) in document
        .iter()
        .flat_map(|document| runs(document, now, start_ms))
    {
        group.push("runs", Some(id), run);
    }
    Ok(())
}

/// The report of a submission, where it still says what the event said.
fn document(
    reader: &Reader,
    event: &FeedEvent,
    verdict: Verdict,
) -> Result<Option<Document>, ExportError> {
    let kept = reader.document(event.submission.id)?;
    let document = kept.and_then(|(_, text)| Document::from_json(&text).ok());
    Ok(document.filter(|document| document.verdict == verdict))
}

fn push_judgement(
    group: &mut Group<'_>,
    event: &FeedEvent,
    row: &ChangeRow,
    start_ms: i64,
    is_current: bool,
    max_run_time: Option<f64>,
) {
    let published = &row.change.published;
    let Some(kind) = judgement_type(published.verdict, published.cause.as_ref()) else {
        return;
    };
    let id = row.id.to_string();
    let (moment, since) = (
        time(published.judged_ms),
        relative(published.judged_ms - start_ms),
    );
    // When it began is not kept: a judgement is told when it is made.
    let mut data = json!({
        "id": id,
        "submission_id": event.submission.id.0.to_string(),
        "judgement_type_id": kind,
        "current": is_current,
        "start_time": moment,
        "start_contest_time": since,
        "end_time": moment,
        "end_contest_time": since,
    });
    if let Some(seconds) = max_run_time {
        data["max_run_time"] = seconds.into();
    }
    group.published.judged(row.id, &data);
    group.push(JUDGEMENTS, Some(id), data);
}

/// One run a test; those that were not run have none.
fn runs<'a>(
    document: &'a Document,
    judgement: &'a ChangeRow,
    start_ms: i64,
) -> impl Iterator<Item = (String, Value)> + 'a {
    let judged_ms = judgement.change.published.judged_ms;
    (1_u64..)
        .zip(&document.tests)
        .filter_map(move |(ordinal, test)| {
            let kind = judgement_type(test.verdict, test.cause.as_ref())?;
            let id = format!("{}-{ordinal}", judgement.id);
            let data = json!({
                "id": id,
                "judgement_id": judgement.id.to_string(),
                "ordinal": ordinal,
                "judgement_type_id": kind,
                "time": time(judged_ms),
                "contest_time": relative(judged_ms - start_ms),
                "run_time": seconds(test.cpu_ms),
            });
            Some((id, data))
        })
}
