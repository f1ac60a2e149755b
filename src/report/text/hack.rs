//! The text that lies beside a hack: whether it is a test, and whose programs failed on it.

use jiff::tz::TimeZone;

use super::page::{Page, WIDTH};
use crate::domain::{Submission, Verdict};
use crate::report::units::{SENTENCE_CHARACTERS_MAX, line, milliseconds};
use crate::util::clock::zone_text;
use crate::util::columns::{columns, padded, wrapped};

/// Submissions that are listed by name, of those that fell and of those that stood.
pub const LISTED_MAX: usize = 1_000;

/// A hack and what it did.
#[derive(Debug, Clone, Default)]
pub struct HackReport {
    pub problem: String,
    /// The test's name: `hack/evil`.
    pub name: String,
    pub file_name: String,
    /// What the instructor says of it.
    pub note: Option<String>,
    /// Why it is not one of the tests; `None` where it is.
    pub refused: Option<String>,
    /// Whether it would be one if the instructor insisted.
    pub held_back: bool,
    /// When it was seen, in milliseconds since 1970 UTC.
    pub seen_ms: i64,
    /// How long it took until every earlier submission was judged on it; `None` while some are not.
    pub took_ms: Option<u64>,
    /// Submissions that still wait for their verdict.
    pub waiting: usize,
    /// Submissions that were accepted before and fail now, the first [`LISTED_MAX`].
    pub fell: Vec<Fallen>,
    /// How many those are.
    pub fell_count: usize,
    /// Submissions that were accepted before and still are, the first [`LISTED_MAX`].
    pub stood: Vec<Submission>,
    /// How many those are.
    pub stood_count: usize,
    /// Submissions that were accepted before and fail on a test before this one, so that they were
    /// not run on it, the first [`LISTED_MAX`].
    pub before_it: Vec<Fallen>,
    /// How many those are.
    pub before_it_count: usize,
}

/// A submission that was accepted before a hack.
#[derive(Debug, Clone)]
pub struct Fallen {
    pub submission: Submission,
    /// Its verdict now.
    pub verdict: Verdict,
    /// The first difference or the cause, in words.
    pub how: String,
}

impl HackReport {
    /// One line: what became of it.
    pub fn headline(&self) -> String {
        if self.held_back {
            return format!(
                "{} is held back: it is not one of the tests of {}",
                self.file_name, self.problem
            );
        }
        if self.refused.is_some() {
            return format!(
                "{} is not one of the tests of {}",
                self.file_name, self.problem
            );
        }
        let before_it = match self.before_it_count {
            0 => String::new(),
            count => format!(", {count} failed on a test before it"),
        };
        let took = self.took_ms.map(milliseconds);
        let took = took.map_or_else(String::new, |took| format!("; judged in {took}"));
        let waiting = match self.waiting {
            0 => String::new(),
            count => format!("; {count} not judged on it yet"),
        };
        let still = [before_it, took, waiting].concat();
        format!(
            "{} of {}: {} failed, {} passed{still}",
            self.name, self.problem, self.fell_count, self.stood_count
        )
    }

    /// The whole text.
    pub fn to_text(&self, zone: &TimeZone) -> String {
        let mut page = Page::default();
        let headline = line(&self.headline(), SENTENCE_CHARACTERS_MAX);
        for part in wrapped(&headline, WIDTH) {
            page.line(&part);
        }
        page.line(&"=".repeat(columns(&headline).min(WIDTH)));
        page.labelled("file", 6, &line(&self.file_name, SENTENCE_CHARACTERS_MAX));
        if let Some(note) = &self.note {
            page.labelled("note", 6, &line(note, SENTENCE_CHARACTERS_MAX));
        }
        page.labelled("seen", 6, &zone_text(self.seen_ms, zone));
        if let Some(reason) = &self.refused {
            page.heading("Why");
            page.prose(&line(reason, SENTENCE_CHARACTERS_MAX));
            page.heading("What to do");
            if self.held_back {
                page.prose(
                    "No submission is judged on it. A test that fails a program which must be accepted would also fail students who did nothing wrong: \
                     most likely it is too large or does not fit the problem, or the example is wrong. \
                     Change it and it is checked again, or delete it. To make it a test anyway:",
                );
                page.line(&format!(
                    "  verdictd hack add --force {} {}",
                    line(&self.problem, SENTENCE_CHARACTERS_MAX),
                    line(&self.file_name, SENTENCE_CHARACTERS_MAX)
                ));
            } else {
                page.prose("Fix the file and it is checked again, or delete it. Until then no submission is judged on it.");
            }
            return page.0;
        }
        let fell = format!("Accepted before, and failed: {}", self.fell_count);
        fallen(&mut page, &fell, &self.fell, self.fell_count);
        if self.before_it_count > 0 {
            let title = format!(
                "Accepted before, and not run on it because a test before it fails: {}",
                self.before_it_count
            );
            fallen(&mut page, &title, &self.before_it, self.before_it_count);
        }
        self.standing(&mut page);
        page.heading("To take it back");
        page.prose("Delete the input: every verdict goes back to what it was without it, and nothing has to be run for that.");
        page.0
    }

    fn standing(&self, page: &mut Page) {
        page.heading(&format!(
            "Accepted before, and passed: {}",
            self.stood_count
        ));
        let names: Vec<String> = self
            .stood
            .iter()
            .map(|submission| line(&name_of(submission), SENTENCE_CHARACTERS_MAX))
            .collect();
        if !names.is_empty() {
            page.prose(&names.join(", "));
        }
        more(page, self.stood_count, self.stood.len());
    }
}

fn fallen(page: &mut Page, title: &str, listed: &[Fallen], all: usize) {
    page.heading(title);
    let names: Vec<String> = listed
        .iter()
        .map(|fallen| name_of(&fallen.submission))
        .collect();
    let widths = names.iter().map(|name| columns(name));
    let width = widths.max().unwrap_or(0).min(WIDTH / 3);
    for (fallen, name) in listed.iter().zip(&names) {
        let name = padded(&line(name, WIDTH / 3), width);
        let label = format!("{name}  {:<3}", fallen.verdict.code());
        page.labelled(
            &label,
            width + 5,
            &line(&fallen.how, SENTENCE_CHARACTERS_MAX),
        );
    }
    more(page, all, listed.len());
}

/// Everybody's are for the same problem.
fn name_of(submission: &Submission) -> String {
    format!("{} #{}", submission.student, submission.attempt)
}

fn more(page: &mut Page, all: usize, shown: usize) {
    if all > shown {
        page.prose(&format!("... and {} more", all - shown));
    }
}
