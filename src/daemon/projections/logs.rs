//! The logs, and the line that announces a verdict once it is on the disk.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use tokio::sync::mpsc::Sender;

use super::files::{Files, file_fault};
use super::{About, PAGE, Projection};
use crate::daemon::notice::{Line, Notice};
use crate::daemon::shared::Shared;
use crate::domain::{Fault, Verdict};
use crate::report::{self, Audience, Document, LogLine, Reports, TestReport};
use crate::store::{ChangeRow, Event, EventKind, Reader};
use crate::util::files::put_aside;

/// verdicts.log and verdicts.jsonl. Their own last lines say how far they are.
pub struct Logs {
    folder: PathBuf,
    /// Whether they are new ones, which are to [take the place](report::log::replace) of those that
    /// are there.
    pub is_anew: bool,
    open: Option<report::Logs>,
}

impl Logs {
    /// Nothing is opened yet.
    pub fn new(reports: &Reports) -> Self {
        Self {
            folder: reports.folder(Audience::Staff).to_owned(),
            is_anew: false,
            open: None,
        }
    }

    fn open(&self, last_event: i64, saved: i64) -> std::io::Result<report::Logs> {
        if self.is_anew {
            return report::Logs::anew(&self.folder);
        }
        let opened = report::Logs::open(&self.folder, saved)?;
        if opened.reached() <= last_event {
            return Ok(opened);
        }
        // These logs tell of another store, from before the state folder was replaced: they are put
        // aside, not continued.
        drop(opened);
        for name in ["verdicts.log", "verdicts.jsonl"] {
            put_aside(&self.folder.join(name))?;
        }
        report::Logs::open(&self.folder, 0)
    }
}

pub(super) const LOGS: About = About::new("log", EventKind::OF_LOGS, "logs appended");

impl Projection for Logs {
    fn begin(&mut self, reader: &Reader, saved: i64) -> Result<i64, Fault> {
        let opened = self.open(reader.last_event()?, saved);
        let opened = opened.map_err(|error| file_fault("open the logs", &error))?;
        let reached = opened.reached();
        self.open = Some(opened);
        Ok(reached)
    }

    fn is_ordered(&self) -> bool {
        true
    }

    fn apply(&mut self, _: &Reader, events: &[Event], _: &mut Files<'_>) -> Result<(), Fault> {
        let lines = events.iter().map(line).collect::<Result<Vec<_>, _>>()?;
        let Some(logs) = &mut self.open else {
            return Ok(());
        };
        let appended = logs.append(&lines);
        appended.map_err(|error| file_fault("write the logs", &error))
    }
}

/// What the logs tell of an event.
fn line(event: &Event) -> Result<LogLine, Fault> {
    LogLine::of_event(event.id, event.ms, &event.json)
        .map_err(|error| Fault::new("read an event in the store", error))
}

/// Announces verdicts.
pub struct Announcer {
    shared: Arc<Shared>,
    notices: Sender<Notice>,
}

impl Announcer {
    /// Announces to these notices.
    pub fn new(shared: &Arc<Shared>, notices: Sender<Notice>) -> Self {
        Self {
            shared: Arc::clone(shared),
            notices,
        }
    }

    /// Announces the verdicts up to an event, whose reports and log lines are on the disk.
    pub fn tell(&mut self, reader: &Reader, until: i64) -> Result<(), Fault> {
        let announced = &self.shared.announced;
        loop {
            let after = announced.load(Relaxed);
            if after >= until {
                return Ok(());
            }
            let changes = reader.verdicts_after(after, PAGE)?;
            let is_full = changes.len() == PAGE as usize;
            let last = changes.last().filter(|_| is_full).map(|last| last.event);
            for change in changes.into_iter().filter(|change| change.event <= until) {
                let notice = Notice::Judged(shown(reader, change)?);
                // Where nobody listens any more, the daemon is ending at once.
                let _ = self.notices.blocking_send(notice);
            }
            announced.store(last.map_or(until, |last| last.min(until)), Relaxed);
        }
    }
}

/// A verdict as one line shows it.
fn shown(reader: &Reader, change: ChangeRow) -> Result<Line, Fault> {
    let document = reader.document(change.submission.id)?;
    let document = document.and_then(|(_, text)| Document::from_json(&text).ok());
    let tests = document.map(|document| document.tests).unwrap_or_default();
    let most = |of: fn(&TestReport) -> u64| tests.iter().map(of).max().unwrap_or(0);
    let passed = tests
        .iter()
        .filter(|test| test.verdict == Verdict::Accepted);
    Ok(Line {
        passed: passed.count(),
        tests: tests.len(),
        cpu_ms: most(|test| test.cpu_ms),
        memory_kib: most(|test| test.memory_kib),
        submission: change.submission,
        published: change.change.published,
    })
}
