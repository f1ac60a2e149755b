//! What the feed tells of one event after another.

use super::objects::{
    Line, Object, Problem, fixed_lines, identifier, judgement_type, label, relative, time,
};
use super::told::Told;
use crate::domain::{ProblemSlug, Submission};
use crate::exports::{Course, ExportError};
use crate::overview::Grading;
use crate::report::Document;
use crate::store::{ChangeRow, EventKind, FeedEvent, Reader};
use crate::util::clock::{as_ms, as_seconds};
use crate::util::{KIB, MIB};

/// The lines of some events.
pub struct Page<'a> {
    pub reader: &'a Reader,
    pub course: &'a Course,
    /// What it hides is not in the feed yet.
    pub grading: &'a Grading,
    pub told: &'a mut Told,
    /// Whether the course was looked through for what has changed.
    pub has_course: bool,
    pub lines: Vec<Line>,
}

impl Page<'_> {
    /// Adds the lines of an event, of which the last one has the event's number as its token.
    pub fn event(&mut self, event: &FeedEvent) -> Result<(), ExportError> {
        let submission = &event.submission;
        // A verdict is of a problem that had opened.
        if event.kind == EventKind::Received && self.grading.hides(&submission.problem) {
            return Ok(());
        }
        let before = self.lines.len();
        let start_ms = *self.told.start_ms.get_or_insert(event.ms);
        self.references(submission, start_ms);
        // What was handed in before its problem opened was not told then.
        if !self.told.submissions.contains(&submission.id.0) {
            self.problem(&submission.problem, 0);
            self.tell(Object::Submissions {
                id: submission.id.0.to_string(),
                language_id: identifier(submission.language.as_str()),
                problem_id: identifier(submission.problem.as_str()),
                team_id: identifier(submission.student.as_str()),
                time: time(submission.received_ms),
                contest_time: relative(submission.received_ms - start_ms),
                entry_point: (),
                files: [],
            });
        }
        if event.kind == EventKind::Verdict {
            self.judgements(event, start_ms)?;
        }
        if let Some(last) = self.lines[before..].last_mut() {
            last.token = Some(event.event.to_string());
        }
        Ok(())
    }

    fn tell(&mut self, object: Object<'_>) {
        let line = serde_json::to_value(object).and_then(serde_json::from_value);
        let mut line: Line = line.expect("every object has a type and data");
        line.id = line.data["id"].as_str().map(str::to_owned);
        self.tell_line(line);
    }

    /// Adds an object, unless it was told as it is.
    fn tell_line(&mut self, line: Line) {
        if self.told.remember(&line) {
            self.lines.push(line);
        }
    }

    /// Everything that a submission refers to.
    fn references(&mut self, submission: &Submission, start_ms: i64) {
        if !self.has_course {
            self.whole_course(start_ms);
            self.has_course = true;
        }
        // A language that is not taught any more.
        let name = submission.language.as_str();
        if !self.told.has_language(&identifier(name)) {
            self.language(name, name, &[]);
        }
        let student = submission.student.as_str();
        self.tell(Object::Teams {
            id: identifier(student),
            name: student,
            label: student,
        });
    }

    fn whole_course(&mut self, start_ms: i64) {
        let mut fixed = fixed_lines(start_ms);
        let state = fixed.next_back();
        fixed.for_each(|line| self.tell_line(line));
        for language in &self.course.languages {
            self.language(language.id.as_str(), &language.name, &language.extensions);
        }
        for facts in &self.course.problems {
            if !self.grading.hides(&facts.slug) {
                self.problem(&facts.slug, 0);
            }
        }
        if let Some(state) = state {
            self.tell_line(state);
        }
    }

    fn language(&mut self, id: &str, name: &str, extensions: &[String]) {
        self.tell(Object::Languages {
            id: identifier(id),
            name,
            entry_point_required: false,
            extensions,
        });
    }

    /// A problem, which has had at least so many tests. One that has no package now is as it was
    /// told last.
    fn problem(&mut self, slug: &ProblemSlug, tests: usize) {
        let id = identifier(slug.as_str());
        let facts = self.course.problems.iter().find(|one| one.slug == *slug);
        let told = self.told.problems.get(&id);
        // A problem keeps its place, and runs of tests that are gone keep theirs.
        let ordinal = told.map_or(self.told.problems.len() as u64 + 1, |told| told.ordinal);
        let most = facts.map_or(tests, |facts| facts.tests.max(tests)) as u64;
        let test_data_count = told.map_or(most, |told| told.test_data_count.max(most));
        let limits = facts.map_or(&self.course.limits, |facts| &facts.limits);
        let problem = match (facts, told) {
            (None, Some(told)) => Problem {
                test_data_count,
                ..told.clone()
            },
            _ => Problem {
                id,
                label: label(ordinal),
                name: facts.map_or(slug.to_string(), |facts| facts.shown.title.clone()),
                ordinal,
                time_limit: as_seconds(as_ms(limits.cpu)),
                memory_limit: limits.memory_bytes.div_ceil(MIB),
                output_limit: limits.output_bytes.div_ceil(MIB),
                code_limit: self.course.source_bytes_max.div_ceil(KIB),
                test_data_count,
            },
        };
        self.tell(Object::Problems(problem));
    }

    /// A verdict, the one that it replaces, and one run a test; tests that were not run have none.
    fn judgements(&mut self, event: &FeedEvent, start_ms: i64) -> Result<(), ExportError> {
        let history = self.reader.history(event.submission.id)?;
        let of_event = |row: &ChangeRow| row.event == event.event;
        let Some(at) = history.iter().position(of_event) else {
            return Ok(());
        };
        let now = &history[at];
        // The tests of a verdict that has been replaced since are not known any more.
        let kept = if at + 1 == history.len() {
            self.reader.document(event.submission.id)?
        } else {
            None
        };
        // Only a report that still says what the event said.
        let document = kept
            .and_then(|(_, text)| Document::from_json(&text).ok())
            .filter(|document| document.verdict == now.change.published.verdict);
        let tests = document.map_or_else(Vec::new, |document| document.tests);
        self.problem(&event.submission.problem, tests.len());
        if let Some(before) = at.checked_sub(1).map(|at| &history[at]) {
            // It stays as it was told, but is not current any more.
            let longest = self.told.run_times.get(&before.id).copied();
            self.judgement(before, start_ms, false, longest);
        }
        let longest_ms = tests.iter().map(|test| test.cpu_ms).max();
        self.judgement(now, start_ms, true, longest_ms.map(as_seconds));
        for (ordinal, test) in (1..).zip(&tests) {
            if let Some(judgement_type_id) = judgement_type(test.verdict, test.cause.as_ref()) {
                let judged_ms = now.change.published.judged_ms;
                self.tell(Object::Runs {
                    id: format!("{}-{ordinal}", now.id),
                    judgement_id: now.id.to_string(),
                    ordinal,
                    judgement_type_id,
                    time: time(judged_ms),
                    contest_time: relative(judged_ms - start_ms),
                    run_time: as_seconds(test.cpu_ms),
                });
            }
        }
        Ok(())
    }

    fn judgement(&mut self, row: &ChangeRow, start_ms: i64, current: bool, longest: Option<f64>) {
        let published = &row.change.published;
        let kind = judgement_type(published.verdict, published.cause.as_ref());
        let Some(judgement_type_id) = kind else {
            return;
        };
        let moment = &time(published.judged_ms);
        let since = &relative(published.judged_ms - start_ms);
        self.tell(Object::Judgements {
            id: row.id.to_string(),
            submission_id: row.submission.id.0.to_string(),
            judgement_type_id,
            current,
            start_time: moment,
            start_contest_time: since,
            end_time: moment,
            end_contest_time: since,
            max_run_time: longest,
        });
    }
}
