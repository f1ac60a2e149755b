//! Hacks that are there: finding one by its name, and showing what it did.

use std::ffi::OsStr;

use jiff::tz::TimeZone;
use serde::Serialize;

use crate::domain::{Attempt, ProblemSlug, Student, Verdict};
use crate::package::{FORCE_ENDING, Hack, Package};
use crate::report::HackReport;
use crate::store::HackRow;
use crate::util::clock::zone_text;
use crate::view::{Page, Show, Style, Utc, code};

/// Endings of the files that may lie beside a hack's input and belong to it.
pub(super) const BESIDE: [&str; 3] = ["note", "ans", FORCE_ENDING];

/// A hack of a package by its name, with or without `hack/`, or by its file's name.
pub(super) fn hack_named<'p>(package: &'p Package, name: &str) -> Option<&'p Hack> {
    let wanted = name.trim_start_matches("hack/");
    package.hacks.iter().find(|hack| {
        let file = hack.file.file_name().and_then(OsStr::to_str);
        hack.name == format!("hack/{wanted}") || file == Some(wanted)
    })
}

/// A hack, and what it did.
#[derive(Serialize)]
pub(super) struct HackStatus {
    problem: ProblemSlug,
    name: String,
    file: String,
    state: &'static str,
    reason: Option<String>,
    note: Option<String>,
    seen: Utc,
    took_ms: Option<u64>,
    withdrawn: Option<Utc>,
    fell_count: usize,
    stood_count: usize,
    failed_before_it_count: usize,
    waiting: usize,
    fell: Vec<Fell>,
    stood: Vec<Stood>,
    #[serde(skip)]
    style: Style,
    /// What happened to it, in a line.
    #[serde(skip)]
    headline: String,
    /// The same at length, where that is wanted.
    #[serde(skip)]
    pub told: Option<String>,
}

/// A submission that was accepted before a hack, and fails on it.
#[derive(Serialize)]
struct Fell {
    student: Student,
    attempt: Attempt,
    verdict: Verdict,
    how: String,
}

/// A submission that was accepted before a hack, and still is.
#[derive(Serialize)]
struct Stood {
    student: Student,
    attempt: Attempt,
}

impl HackStatus {
    pub fn of(row: HackRow, report: HackReport, zone: &TimeZone) -> Self {
        let (style, state) = state(&row);
        let headline = if row.withdrawn_ms.is_some() {
            format!("{} of {}", row.name, row.problem)
        } else {
            report.headline()
        };
        let reason = row.refused.as_ref().map(|reason| format!(": {reason}"));
        let seen = format!("  {}", zone_text(row.seen_ms, zone));
        let note = row.note.as_ref().map(|note| format!("  \"{note}\""));
        let parts = [Some(headline), reason, Some(seen), note];
        let fell = report.fell.first.into_iter().map(|fallen| Fell {
            student: fallen.submission.student,
            attempt: fallen.submission.attempt,
            verdict: fallen.verdict,
            how: fallen.how,
        });
        let stood = report.stood.first.into_iter().map(|submission| Stood {
            student: submission.student,
            attempt: submission.attempt,
        });
        Self {
            problem: row.problem,
            name: row.name,
            file: row.file_name,
            state,
            reason: row.refused,
            note: row.note,
            seen: Utc(row.seen_ms),
            took_ms: report.took_ms,
            withdrawn: row.withdrawn_ms.map(Utc),
            fell_count: report.fell.count,
            stood_count: report.stood.count,
            failed_before_it_count: report.before_it.count,
            waiting: report.waiting,
            fell: fell.collect(),
            stood: stood.collect(),
            style,
            headline: parts.into_iter().flatten().collect(),
            told: None,
        }
    }
}

impl Show for HackStatus {
    /// One line, and one for each submission that failed on it.
    fn show(&self, page: &mut Page) {
        if let Some(told) = &self.told {
            return page.text("", told);
        }
        let word = self.style.on(format!("{:<9}", self.state));
        page.tagged(word, &self.headline);
        for fallen in self.fell.iter().filter(|_| self.withdrawn.is_none()) {
            let how = format!("  {} #{}: {}", fallen.student, fallen.attempt, fallen.how);
            page.spans(["           ".into(), code(fallen.verdict), how.into()]);
        }
    }
}

fn state(row: &HackRow) -> (Style, &'static str) {
    if row.withdrawn_ms.is_some() {
        (Style::Dim, "withdrawn")
    } else if row.held_back {
        (Style::Warn, "held back")
    } else if row.refused.is_some() {
        (Style::Bad, "refused")
    } else if row.finished_ms.is_some() {
        (Style::Good, "judged")
    } else {
        (Style::Warn, "joined")
    }
}
