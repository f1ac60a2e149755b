//! The results of hacks, beside their files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use jiff::tz::TimeZone;
use tokio::sync::mpsc::Sender;

use super::files::Files;
use super::{About, Projection};
use crate::daemon::notice::Notice;
use crate::daemon::shared::Shared;
use crate::domain::{Fault, FaultKind};
use crate::hack;
use crate::package::HACKS_FOLDER;
use crate::report::{Entry, HackEntry, HackState};
use crate::store::{Event, EventKind, HackRow, Reader};
use crate::util::clock::now_ms;
use crate::util::crash::point;
use crate::util::disk::full_disks;
use crate::util::excerpt::visible_line;
use crate::util::files::is_no_room;
use crate::util::sync::read;

/// Files of a folder of hacks that are looked at.
const FILES_MAX: usize = 10_000;

/// A result lies beside each hack that is judged, refused or held back.
pub struct HackResults {
    problems: PathBuf,
    /// Whom they are announced to; `None` where nothing is news, because all is written again.
    notices: Option<Sender<Notice>>,
    /// The last event that was announced.
    told: i64,
}

impl HackResults {
    pub fn new(problems: PathBuf, notices: Option<Sender<Notice>>) -> Self {
        Self {
            problems,
            notices,
            told: 0,
        }
    }

    /// Brings the file beside a hack up to what the store says of it.
    fn write(
        &mut self,
        reader: &Reader,
        (event, entry): (&Event, &HackEntry),
        zone: &TimeZone,
    ) -> Result<(), Fault> {
        let Some(problem) = event.problem() else {
            return Ok(());
        };
        let rows = reader.open_hacks(Some(&problem))?;
        let row = rows.iter().rfind(|row| entry.is_about(&row.file_name));
        let name = row.map_or(&entry.file, |row| &row.file_name);
        let file = file_of(&self.problems.join(problem.as_str()), name);
        let step = "write a hack's result";
        let Some(row) = row else {
            return hack::remove_result(&file).map_err(|error| Fault::new(step, error));
        };
        if row.refused.is_none() && row.finished_ms.is_none() {
            // It is being judged.
            return Ok(());
        }
        let report = hack::report(reader, row)?;
        // After an upgrade, until everything is judged again, it stays as it was.
        if self.notices.is_none() && (report.waiting > 0 || !file.exists()) {
            return Ok(());
        }
        let written = hack::write_result(&file, &report, zone).map_err(|error| {
            let full = file.parent().filter(|_| is_no_room(&error));
            full.and_then(|folder| full_disks([folder])).map_or_else(
                || error.to_string(),
                |full| format!("{full}; it follows when there is room"),
            )
        });
        if entry.state == HackState::Judged {
            let reason = written.as_ref().err();
            let reason = reason.map_or_else(String::new, |reason| {
                format!(" (the result could not be written beside it: {reason})")
            });
            self.tell(event, format!("{}{reason}", report.headline()));
        }
        let shown = file.display();
        written.map_err(|reason| {
            let words = format!("{shown}: its result could not be written beside it: {reason}");
            Fault::new(step, words)
        })
    }

    /// Tells people of an event once, however often the file is tried.
    fn tell(&mut self, event: &Event, words: String) {
        if event.id > self.told
            && let Some(notices) = &self.notices
        {
            self.told = event.id;
            // Where nobody listens any more, the daemon is ending at once.
            let _ = notices.blocking_send(Notice::Hack(words));
        }
    }
}

/// Has the store say of hacks that every earlier submission is judged on them, once the reports and
/// the logs tell of all these judgements.
pub struct JudgedHacks {
    shared: Arc<Shared>,
    problems: PathBuf,
    inbox: Receiver<HackRow>,
    waiting: Vec<HackRow>,
}

impl JudgedHacks {
    pub fn new(shared: &Arc<Shared>, problems: PathBuf, inbox: Receiver<HackRow>) -> Self {
        Self {
            shared: Arc::clone(shared),
            problems,
            inbox,
            waiting: Vec::new(),
        }
    }

    /// Takes those that are judged now.
    pub fn take(&mut self) {
        self.waiting.extend(self.inbox.try_iter());
    }

    /// Finishes those that were taken; says whether there were any.
    pub fn finish(&mut self, reader: &Reader) -> Result<bool, Fault> {
        let is_any = !self.waiting.is_empty();
        while let Some(row) = self.waiting.last() {
            let finished = self.finish_one(reader, row);
            let will_be_better = |fault: &Fault| fault.kind != FaultKind::Retry;
            if !finished.as_ref().is_err_and(will_be_better) {
                self.waiting.pop();
            }
            finished?;
        }
        Ok(is_any)
    }

    fn finish_one(&self, reader: &Reader, row: &HackRow) -> Result<(), Fault> {
        if !reader.open_hacks(Some(&row.problem))?.contains(row) {
            // Taken back meanwhile, or told already.
            return Ok(());
        }
        let finished_ms = now_ms();
        let done = HackRow {
            finished_ms: Some(finished_ms),
            ..row.clone()
        };
        let report = hack::report(reader, &done)?;
        let file = file_of(&self.problems.join(row.problem.as_str()), &row.file_name);
        let zone = read(&self.shared.board).grading().zone().clone();
        // Who hears that it is judged may look for it; whatever keeps it from being written is said
        // by the projection.
        let _ = hack::write_result(&file, &report, &zone);
        let event = Entry::of_judged_hack(&report).to_json();
        let writer = self.shared.store.writer();
        writer.finish_hack(row.id, finished_ms, event)?;
        point("hack judged");
        self.shared.tell_news(0);
        Ok(())
    }
}

/// The hack's file, whatever its name looks like.
fn file_of(package: &Path, shown: &str) -> PathBuf {
    let folder = package.join(HACKS_FOLDER);
    let files = std::fs::read_dir(&folder);
    let files = files.into_iter().flatten().flatten().take(FILES_MAX);
    files
        .map(|file| file.path())
        .find(|file| {
            let name = file.file_name().unwrap_or_default();
            visible_line(&name.to_string_lossy()) == shown
        })
        .unwrap_or_else(|| folder.join(shown))
}

pub(super) const RESULTS: About =
    About::new("hack results", &[EventKind::Hack], "hack result written");

impl Projection for HackResults {
    fn begin(&mut self, reader: &Reader, saved: i64) -> Result<i64, Fault> {
        // Where all is written again, nothing of it is news.
        self.told = if saved == 0 {
            reader.last_event()?
        } else {
            saved
        };
        Ok(saved)
    }

    fn apply(
        &mut self,
        reader: &Reader,
        events: &[Event],
        out: &mut Files<'_>,
    ) -> Result<(), Fault> {
        let grading = out.grading();
        for event in events {
            if let Ok(Entry::Hack(entry)) = Entry::from_json(&event.json) {
                self.write(reader, (event, &entry), grading.zone())?;
            }
        }
        Ok(())
    }
}
