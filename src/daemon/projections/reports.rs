//! The files about single submissions: the student's report and text at once, pages and the staff's
//! files after them; and the notes on rejected files.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;

use super::files::{Files, file_fault};
use super::{About, Cursor, Projection};
use crate::domain::{Fault, SubmissionId};
use crate::explain::settle;
use crate::overview::Grading;
use crate::report::{Document, Moment, Report, reported};
use crate::store::{Event, EventKind, Reader};
use crate::util::archive::shown;

/// A report, and the submission's program.
pub type CurrentReport = (Document, Arc<[u8]>);

/// A submission's report as it is now: the judgement's document, what was found out about it since,
/// and the time. `None` where there is no document.
pub fn current_report(
    reader: &Reader,
    id: SubmissionId,
    grading: &Grading,
) -> Result<Option<CurrentReport>, Fault> {
    let (Some((fold, text)), Some((submission, source))) =
        (reader.document(id)?, reader.submission(id)?)
    else {
        return Ok(None);
    };
    let mut document = Document::from_json(&text)
        .map_err(|error| Fault::new("read a report in the store", error))?;
    // The course's clock as it is now, not as it was when the verdict was reached.
    document.time_zone = grading.zone_name();
    if let Some(found) = reader.finding(id, fold)? {
        let rules = &grading.rules;
        let window = rules.window(&submission.student, &submission.problem);
        let is_over = window.is_over(Timestamp::now());
        let when = document.disclosure.counterexample;
        let is_shown = when.is_now(submission.attempt, is_over);
        document.explanation = Some(reported(&found, is_shown));
        if let (Some(case), Some(fails_alone)) = (&mut document.case, found.fails_alone) {
            settle(case, fails_alone);
        }
    }
    Ok(Some((document, shown(&source))))
}

/// The submissions that events are about.
fn submissions(events: &[Event]) -> BTreeSet<SubmissionId> {
    events.iter().filter_map(|event| event.submission).collect()
}

/// What its student reads first.
pub(super) fn reports() -> Cursor {
    files("reports", "report written", &[Moment::AtOnce])
}

/// Pages, and the staff's files.
pub(super) fn pages() -> Cursor {
    files("pages", "pages written", &[Moment::Later])
}

/// Both together, where nobody waits for the first.
pub(super) fn reports_and_pages() -> Cursor {
    let moments = &[Moment::AtOnce, Moment::Later];
    files("reports", "reports rebuilt", moments)
}

fn files(mark: &'static str, step: &'static str, moments: &'static [Moment]) -> Cursor {
    let about = About::new(mark, EventKind::OF_REPORTS, step);
    Cursor::new(about, SubmissionFiles(moments))
}

/// Files about single submissions, of these moments.
struct SubmissionFiles(&'static [Moment]);

impl Projection for SubmissionFiles {
    fn apply(
        &mut self,
        reader: &Reader,
        events: &[Event],
        out: &mut Files<'_>,
    ) -> Result<(), Fault> {
        let grading = out.grading();
        for id in submissions(events) {
            let Some((document, source)) = current_report(reader, id, &grading)? else {
                continue;
            };
            let report = Report {
                document: &document,
                source: &source,
            };
            for moment in self.0 {
                out.put_all(out.reports.render(&report, *moment));
            }
        }
        Ok(())
    }
}

/// The notes on rejected files, each of which goes with its file.
pub struct Notes;

pub(super) const NOTES: About = About::new("notes", &[EventKind::Rejections], "note written");

impl Projection for Notes {
    fn apply(
        &mut self,
        reader: &Reader,
        events: &[Event],
        out: &mut Files<'_>,
    ) -> Result<(), Fault> {
        let grading = out.grading();
        let students: BTreeSet<_> = events.iter().map(Event::student).collect();
        out.note_written();
        for student in students {
            let outstanding = reader.outstanding(student.as_ref())?;
            let (named, more) = (&outstanding.named, outstanding.more);
            let zone = grading.zone();
            let put = out.reports.put_notes(student.as_ref(), named, more, zone);
            put.map_err(|error| file_fault("write the note on a rejected file", &error))?;
        }
        Ok(())
    }
}
