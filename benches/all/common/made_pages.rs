//! Every page of a store, made once.

use std::path::Path;
use std::time::{Duration, Instant};

use verdictd::internals::{
    Audience, Document, Overview, Reader, Report, Reports, Scoreboard, SubmissionId, all_of,
    files_of, load_config, render_page,
};

/// Judgements read from the store at a time.
const PAGE: u32 = 500;

/// The total cost of some files.
#[derive(Debug, Default)]
pub struct MadePages {
    /// How many there are.
    pub files: u64,
    /// The time to make them.
    pub making: Duration,
}

/// All pages of a store.
#[derive(Debug, Default)]
pub struct AllPages {
    /// The judgements' pages, in the staff's version.
    pub judgements: MadePages,
    /// The time to read and parse the documents that they show.
    pub reading: Duration,
    /// The overviews of problems and students.
    pub overviews: MadePages,
    /// The course's own.
    pub course: MadePages,
}

impl MadePages {
    fn add<T: Into<Vec<String>>>(
        &mut self,
        make: impl FnOnce() -> Result<T, String>,
    ) -> Result<(), String> {
        let begin = Instant::now();
        let texts: Vec<String> = make()?.into();
        self.making += begin.elapsed();
        if texts.iter().any(String::is_empty) {
            return Err("a page is empty".to_owned());
        }
        self.files += texts.len() as u64;
        Ok(())
    }
}

/// Makes every page of a store.
pub fn make_pages(config_file: &Path) -> Result<AllPages, String> {
    let config = load_config(config_file).map_err(|error| error.to_string())?;
    let reader = Reader::open(&config.folders.state).map_err(|error| error.to_string())?;
    let reports = Reports::new(&config.folders.reports, &config.folders.staff);
    let mut all = AllPages::default();
    let mut after = SubmissionId(0);
    loop {
        let rows = reader
            .judgements_after(after, PAGE)
            .map_err(|error| error.to_string())?;
        let Some(last) = rows.last() else { break };
        after = last.submission;
        for row in &rows {
            all.judgements
                .add(|| Ok([page(&reader, row.submission)?]))?;
            let begin = Instant::now();
            document(&reader, row.submission)?;
            all.reading += begin.elapsed();
        }
    }
    let board = Scoreboard::load(&reader).map_err(|error| error.to_string())?;
    for overview in all_of(&board) {
        let made = match overview {
            Overview::Course => &mut all.course,
            _ => &mut all.overviews,
        };
        made.add(|| {
            let files = files_of(&overview, &reports, &board, &reader)
                .map_err(|error| error.to_string())?;
            Ok(files.into_iter().map(|(_, text)| text).collect::<Vec<_>>())
        })?;
    }
    Ok(all)
}

fn document(reader: &Reader, id: SubmissionId) -> Result<Document, String> {
    let kept = reader.document(id).map_err(|error| error.to_string())?;
    let (_, text) = kept.ok_or("a judgement has no document")?;
    Document::from_json(&text).map_err(|error| error.to_string())
}

fn page(reader: &Reader, id: SubmissionId) -> Result<String, String> {
    let submission = reader.submission(id).map_err(|error| error.to_string())?;
    let (_, source) = submission.ok_or("a judgement has no submission")?;
    let report = Report {
        document: &document(reader, id)?,
        source: &source.bytes,
    };
    Ok(render_page(&report, Audience::Staff))
}
