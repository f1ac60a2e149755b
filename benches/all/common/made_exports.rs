//! A course's exports, made from a store.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use csv::{ReaderBuilder, Terminator, WriterBuilder};

use verdictd::internals::{
    Course, Document, EXPORTS, Feed, Grading, Material, NoOracle, Reader, Scoreboard, SubmissionId,
    Toolchain, load_all, load_config,
};

/// Judgements and events read from the store at a time.
const PAGE: u32 = 200;

/// One export.
#[derive(Debug)]
pub struct MadeExport {
    /// The whole file.
    pub text: String,
    /// The time to make it.
    pub making: Duration,
    /// The time for the least that any implementation has to do.
    pub least: Duration,
}

/// Makes the grade book, results.xml and the event feed of a store.
pub fn make_exports(config_file: &Path) -> Result<[MadeExport; 3], String> {
    let words = |error: &dyn std::error::Error| error.to_string();
    let config = load_config(config_file).map_err(|error| words(&error))?;
    let library = load_all(&config.folders.problems, &config.limits, &mut NoOracle)
        .map_err(|error| words(&error))?;
    let toolchain = Toolchain::of(&config);
    let course = Course::new(&config, &library, &toolchain);
    let reader = Reader::open(&config.folders.state).map_err(|error| words(&error))?;
    let board = Scoreboard::load(&reader).map_err(|error| words(&error))?;
    Ok([
        book(&board, &course, &reader)?,
        all_results(&board, &course, &reader)?,
        feed(&course, &reader)?,
    ])
}

fn export(
    at: usize,
    board: &Scoreboard,
    course: &Course,
    reader: &Reader,
) -> Result<String, String> {
    let material = Material {
        board,
        course,
        reader,
        must_end: &|| false,
    };
    let mut bytes = Vec::new();
    (EXPORTS[at].make)(&material, &mut bytes).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| error.to_string())
}

/// Least: the same cells written by the CSV library alone.
fn book(board: &Scoreboard, course: &Course, reader: &Reader) -> Result<MadeExport, String> {
    let began = Instant::now();
    let text = export(0, board, course, reader)?;
    let making = began.elapsed();
    let plain = text.trim_start_matches('\u{feff}');
    let cells: Vec<csv::StringRecord> = ReaderBuilder::new()
        .has_headers(false)
        .from_reader(plain.as_bytes())
        .into_records()
        .collect::<Result<_, _>>()
        .map_err(|error| error.to_string())?;
    let began = Instant::now();
    let mut writer = WriterBuilder::new()
        .quote_style(csv::QuoteStyle::NonNumeric)
        .terminator(Terminator::CRLF)
        .from_writer(Vec::new());
    for row in &cells {
        writer
            .write_record(row)
            .map_err(|error| error.to_string())?;
    }
    let written = writer.into_inner().map_err(|error| error.to_string())?;
    let least = began.elapsed();
    if written != plain.as_bytes() {
        return Err("the CSV library alone writes something else".to_owned());
    }
    Ok(MadeExport {
        text,
        making,
        least,
    })
}

/// Least: the same reports read from the store.
fn all_results(board: &Scoreboard, course: &Course, reader: &Reader) -> Result<MadeExport, String> {
    let began = Instant::now();
    let text = export(1, board, course, reader)?;
    let making = began.elapsed();
    let began = Instant::now();
    let mut after = SubmissionId(0);
    loop {
        let rows = reader
            .judgements_after(after, PAGE)
            .map_err(|error| error.to_string())?;
        let Some(last) = rows.last() else { break };
        after = last.submission;
        for row in &rows {
            read(reader, row.submission)?;
        }
    }
    Ok(MadeExport {
        text,
        making,
        least: began.elapsed(),
    })
}

fn read(reader: &Reader, id: SubmissionId) -> Result<Document, String> {
    let kept = reader.document(id).map_err(|error| error.to_string())?;
    let (_, text) = kept.ok_or("a judgement has no report")?;
    Document::from_json(&text).map_err(|error| error.to_string())
}

/// Least: the same events read from the store.
fn feed(course: &Course, reader: &Reader) -> Result<MadeExport, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut feed = Feed::new(folder.path());
    let grading = Arc::new(Grading::without_files(course.source.counts));
    let began = Instant::now();
    while feed
        .catch_up(reader, course, &grading)
        .map_err(|error| error.to_string())?
    {}
    let making = began.elapsed();
    let began = Instant::now();
    let mut after = 0;
    loop {
        let events = reader
            .feed_events_after(after, PAGE)
            .map_err(|error| error.to_string())?;
        let Some(last) = events.last() else { break };
        after = last.event;
    }
    let least = began.elapsed();
    let text = std::fs::read_to_string(feed.path()).map_err(|error| error.to_string())?;
    Ok(MadeExport {
        text,
        making,
        least,
    })
}
