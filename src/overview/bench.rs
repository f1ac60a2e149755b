//! What `cargo bench --bench pages` drives: every page of a store is made and written once.

use std::path::Path;
use std::time::{Duration, Instant};

use super::pages::{Overview, View, all_of, files_of};
use super::{Board, Counts};
use crate::config;
use crate::domain::SubmissionId;
use crate::report::{Audience, Document, Report, Reports, html};
use crate::store::Reader;
use crate::util::files::replace_unsynced;

/// Judgements read from the store at a time.
const PAGE: u32 = 500;

/// What some files cost together.
#[derive(Debug, Default)]
pub struct MadePages {
    /// How many there are.
    pub files: u64,
    /// The time of making them.
    pub making: Duration,
    /// The time of writing as many bytes to as many files.
    pub writing: Duration,
}

impl MadePages {
    fn add(&mut self, target: &Path, make: impl FnOnce() -> Vec<String>) -> Result<(), String> {
        let begin = Instant::now();
        let texts = make();
        self.making += begin.elapsed();
        for text in texts {
            let begin = Instant::now();
            replace_unsynced(target, text.as_bytes()).map_err(|error| error.to_string())?;
            self.writing += begin.elapsed();
            self.files += 1;
        }
        Ok(())
    }
}

/// Makes every page of a store: those of the judgements, the overviews but the course's, the course's.
pub fn make_pages(config_file: &Path) -> Result<[MadePages; 3], String> {
    let config = config::load(config_file).map_err(|error| error.to_string())?;
    let reader = Reader::open(&config.folders.state).map_err(|error| error.to_string())?;
    let reports = Reports::new(&config.folders.reports, &config.folders.staff);
    let target = config.folders.staff.join("bench.scratch");
    let [mut pages, mut overviews, mut course] = <[MadePages; 3]>::default();
    let mut after = SubmissionId(0);
    loop {
        let rows = reader.judgements_after(after, PAGE).unwrap_or_default();
        let Some(last) = rows.last() else { break };
        after = last.submission;
        for row in &rows {
            pages.add(&target, || {
                page(&reader, row.submission).into_iter().collect()
            })?;
        }
    }
    let board = Board::load(&reader).map_err(|error| error.to_string())?;
    let view = View {
        board: &board,
        reader: &reader,
        reports: &reports,
        counts: Counts::default(),
    };
    for overview in all_of(&board) {
        let made = match overview {
            Overview::Course => &mut course,
            _ => &mut overviews,
        };
        made.add(&target, || {
            let files = files_of(&overview, &view).unwrap_or_default();
            files.into_iter().map(|(_, text)| text).collect()
        })?;
    }
    Ok([pages, overviews, course])
}

fn page(reader: &Reader, id: SubmissionId) -> Option<String> {
    let (_, text) = reader.document(id).ok()??;
    let document = Document::from_json(&text).ok()?;
    let submission = reader.submission(id).ok()??;
    let source = &submission.source;
    let report = Report {
        document: &document,
        source,
    };
    Some(html::render(&report, Audience::Staff))
}
