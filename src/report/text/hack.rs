//! The text that lies beside a hack: whether it is a test, and whose programs failed on it.

use jiff::tz::TimeZone;

use super::page::{Page, WIDTH};
use crate::domain::{Submission, Verdict};
use crate::report::units::{SENTENCE_CHARACTERS_MAX, line, milliseconds};
use crate::util::clock::zone_text;
use crate::util::columns::{columns, padded};

/// Submissions that are listed by name, of those that fell and of those that stood.
const LISTED_MAX: usize = 1_000;

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
    /// Submissions that were accepted before and fail now.
    pub fell: Listed<Fallen>,
    /// Submissions that were accepted before and still are.
    pub stood: Listed<Submission>,
    /// Submissions that were accepted before and fail on a test before this one, so that they were
    /// not run on it.
    pub before_it: Listed<Fallen>,
}

/// Things of which the first [`LISTED_MAX`] are listed, and how many there are.
#[derive(Debug, Clone)]
pub struct Listed<T> {
    pub first: Vec<T>,
    pub count: usize,
}

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Self {
            first: Vec::new(),
            count: 0,
        }
    }
}

impl<T> Listed<T> {
    pub fn push(&mut self, thing: T) {
        self.count += 1;
        if self.first.len() < LISTED_MAX {
            self.first.push(thing);
        }
    }
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
    /// One line: what happened to it.
    pub fn headline(&self) -> String {
        let Self {
            name,
            file_name,
            problem,
            ..
        } = self;
        if self.held_back {
            return format!("{file_name} is held back: it is not one of the tests of {problem}");
        }
        if self.refused.is_some() {
            return format!("{file_name} is not one of the tests of {problem}");
        }
        let before_it = match self.before_it.count {
            0 => String::new(),
            count => format!(", {count} failed on a test before it"),
        };
        let took = self.took_ms.map(milliseconds);
        let took = took.map_or_else(String::new, |took| format!("; judged in {took}"));
        let waiting = match self.waiting {
            0 => String::new(),
            count => format!("; {count} not judged on it yet"),
        };
        let (fell, stood) = (self.fell.count, self.stood.count);
        format!("{name} of {problem}: {fell} failed, {stood} passed{before_it}{took}{waiting}")
    }

    /// The whole text.
    pub fn to_text(&self, zone: &TimeZone) -> String {
        let short = |text: &str| line(text, SENTENCE_CHARACTERS_MAX);
        let mut page = Page::default();
        page.title(&short(&self.headline()));
        page.labelled("file", 6, &short(&self.file_name));
        if let Some(note) = &self.note {
            page.labelled("note", 6, &short(note));
        }
        page.labelled("seen", 6, &zone_text(self.seen_ms, zone));
        if let Some(reason) = &self.refused {
            page.heading("Why");
            page.prose(&short(reason));
            page.heading("What to do");
            page.prose(if self.held_back { HELD_BACK } else { REFUSED });
            if self.held_back {
                let (problem, file) = (short(&self.problem), short(&self.file_name));
                page.line(&format!("  verdictd hack add --force {problem} {file}"));
            }
            return page.0;
        }
        fallen(&mut page, "Accepted before, and failed", &self.fell);
        if self.before_it.count > 0 {
            let title = "Accepted before, and not run on it because a test before it fails";
            fallen(&mut page, title, &self.before_it);
        }
        page.heading(&format!(
            "Accepted before, and passed: {}",
            self.stood.count
        ));
        let names = self.stood.first.iter();
        let names: Vec<String> = names
            .map(|submission| short(&name_of(submission)))
            .collect();
        if !names.is_empty() {
            page.prose(&names.join(", "));
        }
        more(&mut page, &self.stood);
        page.heading("To take it back");
        page.prose("Delete the input: every verdict goes back to what it was without it, and nothing has to be run for that.");
        page.0
    }
}

/// What an instructor can do about an input that is valid, and fails a program that must pass.
const HELD_BACK: &str = "No submission is judged on it. A test that fails a program which must be accepted would also fail students who did nothing wrong: \
     most likely it is too large or does not fit the problem, or the example is wrong. \
     Change it and it is checked again, or delete it. To make it a test anyway:";
/// And about one that is not valid.
const REFUSED: &str =
    "Fix the file and it is checked again, or delete it. Until then no submission is judged on it.";

fn fallen(page: &mut Page, title: &str, listed: &Listed<Fallen>) {
    page.heading(&format!("{title}: {}", listed.count));
    let names = listed
        .first
        .iter()
        .map(|fallen| name_of(&fallen.submission));
    let names: Vec<String> = names.collect();
    let widths = names.iter().map(|name| columns(name));
    let width = widths.max().unwrap_or(0).min(WIDTH / 3);
    for (fallen, name) in listed.first.iter().zip(&names) {
        let name = padded(&line(name, WIDTH / 3), width);
        let label = format!("{name}  {:<3}", fallen.verdict.code());
        let how = line(&fallen.how, SENTENCE_CHARACTERS_MAX);
        page.labelled(&label, width + 5, &how);
    }
    more(page, listed);
}

/// Everybody's are for the same problem.
fn name_of(submission: &Submission) -> String {
    format!("{} #{}", submission.student, submission.attempt)
}

fn more<T>(page: &mut Page, listed: &Listed<T>) {
    let more = listed.count - listed.first.len();
    if more > 0 {
        page.prose(&format!("... and {more} more"));
    }
}
