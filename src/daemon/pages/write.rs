//! What the pages thread writes: pages in batches, overviews at their pace, and the store's word
//! that they are there.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::super::message::Message;
use super::super::rebuild::source;
use super::super::shared::{LogError, file_fault};
use super::thread::{MADE_MARK, Made, OVERVIEWS_MARK, Pages};
use crate::domain::{Fault, SubmissionId};
use crate::exports::ExportError;
use crate::overview::pages::{Overview, files_of, is_gone};
use crate::report::{Audience, Document, Rendered, Report};
use crate::store::{Due, Reader, Unawaited};
use crate::util::clock::thread_cpu;
use crate::util::crash::point;
use crate::util::files::{is_same, replace_unsynced};
use crate::util::sync::read;

/// Judgements whose pages are brought to the disk together.
const BATCH: u32 = 32;
/// How long after a batch the next one is still gathered.
const GATHER: Duration = Duration::from_millis(100);
/// How many times as much time as a batch took of a core is rested after it while somebody waits
/// for a verdict, as between overviews:
/// where verdicts come thick and fast, their pages leave the cores to the next ones.
const REST: u32 = 99;
/// After this time it is tried again to write what could not be written.
const RETRY: Duration = Duration::from_secs(30);
/// Judgements whose pages cannot be written that are remembered; with more of them all others wait
/// too.
const FAILED_MAX: usize = 1_000;
/// The least time between two remarks in the store that all overviews are there: each brings them
/// to the disk.
const REMARK: Duration = Duration::from_secs(10);

impl Pages {
    /// Writes the next pages; says when there may be more.
    pub(super) fn write_pages(
        &mut self,
        reader: &Reader,
        is_draining: bool,
    ) -> Result<Option<Duration>, LogError> {
        let pause = self.next_batch.saturating_duration_since(Instant::now());
        if !is_draining && !pause.is_zero() {
            return Ok(Some(pause));
        }
        let due = self.due(reader)?;
        if due.is_empty() {
            self.owed.pages = false;
            return Ok(None);
        }
        let begun = thread_cpu();
        let rendered: Vec<(Due, Result<Option<Rendered>, Fault>)> = due
            .into_iter()
            .map(|due| (due, guarded(|| self.render(reader, due.submission))))
            .collect();
        let pages: Vec<&Rendered> = rendered
            .iter()
            .filter_map(|(_, page)| page.as_ref().ok()?.as_ref())
            .collect();
        let results = self.shared.reports.write_all(&pages);
        point("pages written");
        let written = self.kept(rendered, results);
        tracing::info!(pages = written.len(), "pages written");
        let marked: Vec<_> = written
            .iter()
            .map(|due| (due.submission, due.event))
            .collect();
        match self.shared.store.writer().mark_paged(written) {
            Ok(()) => point("pages marked"),
            Err(error) => {
                self.failed.extend(marked);
                self.try_later(error.into_fault("mark the pages as written"));
            }
        }
        if is_draining {
            return Ok(Some(Duration::ZERO));
        }
        let is_wanted = !self.shared.activity.is_idle();
        let rest = if is_wanted { REST } else { 0 };
        let rest = GATHER.max(thread_cpu().saturating_sub(begun) * rest);
        self.next_batch = Instant::now() + rest;
        Ok(Some(rest))
    }

    /// The judgements whose pages are to be written next.
    fn due(&self, reader: &Reader) -> Result<Vec<Due>, LogError> {
        if self.failed.len() >= FAILED_MAX {
            return Ok(Vec::new());
        }
        let failed = u32::try_from(self.failed.len()).unwrap_or(u32::MAX);
        let mut due = reader.pages_due(BATCH.saturating_add(failed))?;
        due.retain(|due| self.failed.get(&due.submission) != Some(&due.event));
        due.truncate(BATCH as usize);
        Ok(due)
    }

    fn render(&self, reader: &Reader, id: SubmissionId) -> Result<Option<Rendered>, LogError> {
        let Some((_, text)) = reader.document(id)? else {
            return Ok(None);
        };
        let rendered = self.shared.reports.render_late(&Report {
            document: &Document::from_json(&text)?,
            source: &source(reader, id)?,
        })?;
        Ok(Some(rendered))
    }

    /// Those whose pages are on the disk now; the others are tried again later.
    fn kept(
        &mut self,
        rendered: Vec<(Due, Result<Option<Rendered>, Fault>)>,
        results: Vec<std::io::Result<()>>,
    ) -> Vec<Due> {
        let mut results = results.into_iter();
        let mut written = Vec::new();
        for (due, page) in rendered {
            let result = page.and_then(|page| match page.and_then(|_| results.next()) {
                Some(Err(error)) => Err(file_fault("write a page", &error)),
                // Also where there is nothing to show.
                Some(Ok(())) | None => Ok(()),
            });
            match result {
                Ok(()) => written.push(due),
                Err(fault) => {
                    self.failed.insert(due.submission, due.event);
                    self.try_later(fault);
                }
            }
        }
        written
    }

    /// Writes the overviews whose turn it is; says when the next one's is.
    pub(super) fn write_overviews(
        &mut self,
        reader: &Reader,
        is_draining: bool,
    ) -> Option<Duration> {
        while !self.must_end() {
            let now = Instant::now();
            let next = if is_draining {
                self.schedule.next_at_once()
            } else {
                self.schedule.next(now)
            };
            let Some(overview) = next else {
                return self.schedule.pause(now);
            };
            let begun = thread_cpu();
            let written = self.write_one(&overview, reader);
            if written.is_err() && self.must_end() {
                // It stays due, and the next start makes it.
                return None;
            }
            match written {
                Ok(0) => {}
                Ok(files) => {
                    self.is_unsynced = true;
                    tracing::info!(overviews = files, "overview written");
                    point("overview written");
                }
                Err(fault) => {
                    self.behind.insert(overview.clone());
                    self.try_later(fault);
                }
            }
            if !self.behind.contains(&overview) {
                self.owed.overviews.remove(&overview);
            }
            let took = thread_cpu().saturating_sub(begun);
            self.schedule.done(overview, Instant::now(), took);
        }
        None
    }

    /// Writes what is not what it should be; says how many files.
    fn write_one(&mut self, made: &Made, reader: &Reader) -> Result<usize, Fault> {
        let (exports, reports) = (&self.exports, &self.shared.reports);
        match made {
            Made::Export(export) => {
                self.swept.sweep_once(reports.folder(Audience::Staff));
                let written = guarded(|| {
                    let board = read(&self.shared.board);
                    let must_end = || self.must_end();
                    Ok(exports.write(*export, &board, reader, reports, &must_end))
                })?;
                written.map(usize::from).map_err(|error| match error {
                    ExportError::File(error) => file_fault("write an overview", &error),
                    other => LogError::from(other).into_fault("make a page"),
                })
            }
            Made::Page(overview) => {
                let files = guarded(|| {
                    let board = read(&self.shared.board);
                    Ok(files_of(overview, reports, &board, reader)?)
                })?;
                self.forget_if_gone(overview)?;
                self.write_others(&files)
            }
        }
    }

    /// Takes away the pages of a student of whom there is nothing any more.
    fn forget_if_gone(&self, overview: &Overview) -> Result<(), Fault> {
        let Overview::Student(student) = overview else {
            return Ok(());
        };
        if !is_gone(&read(&self.shared.board), student) {
            return Ok(());
        }
        let forgotten = self.shared.reports.forget_student(student);
        forgotten.map_err(|error| file_fault("remove an overview", &error))
    }

    /// Writes the files that are not what they should be; says how many.
    fn write_others(&mut self, files: &[(PathBuf, String)]) -> Result<usize, Fault> {
        let write = |(path, text): &(PathBuf, String)| -> std::io::Result<usize> {
            if let Some(folder) = path.parent() {
                self.swept.sweep_once(folder);
            }
            if is_same(path, text.as_bytes()) {
                return Ok(0);
            }
            replace_unsynced(path, text.as_bytes())?;
            Ok(1)
        };
        let written: std::io::Result<usize> = files.iter().map(write).sum();
        written.map_err(|error| file_fault("write an overview", &error))
    }

    /// Appends to the feed what has happened; says when there is more.
    pub(super) fn write_feed(&mut self, reader: &Reader) -> Option<Duration> {
        if self.exports.is_behind || self.must_end() {
            return None;
        }
        match guarded(|| Ok(self.exports.write_feed(reader)?)) {
            Ok(has_more) => has_more.then_some(Duration::ZERO),
            Err(fault) => {
                self.exports.is_behind = true;
                self.try_later(fault);
                None
            }
        }
    }

    /// Has the store know how far the overviews are, from time to time; says when the next time is.
    pub(super) fn remark(&mut self, is_draining: bool) -> Result<Option<Duration>, LogError> {
        let reached = read(&self.shared.board).reached();
        let made = self.exports.manner();
        let is_remarked = (reached, made) == (self.remarked, self.made);
        if !self.schedule.is_empty() || !self.behind.is_empty() || is_remarked {
            return Ok(None);
        }
        let pause = self.next_remark.saturating_duration_since(Instant::now());
        if !is_draining && !pause.is_zero() {
            return Ok(Some(pause));
        }
        if self.is_unsynced {
            self.shared.reports.sync()?;
            self.is_unsynced = false;
        }
        // Nobody waits for it: where it is lost, the next start looks at more than it needs to.
        let told = Unawaited::default();
        let writer = self.shared.store.writer();
        writer.set_mark_later(MADE_MARK, made, &told);
        writer.set_mark_later(OVERVIEWS_MARK, reached, &told);
        point("overviews marked");
        self.swept.end();
        (self.remarked, self.made) = (reached, made);
        self.next_remark = Instant::now() + REMARK;
        Ok(None)
    }

    /// Something could not be written, which is tried again after a while.
    fn try_later(&mut self, fault: Fault) {
        self.retry.get_or_insert(Instant::now() + RETRY);
        self.complain(fault);
    }

    /// Says once that something does not work.
    pub(super) fn complain(&mut self, fault: Fault) {
        if self.trouble.is_some() {
            return;
        }
        tracing::warn!(%fault, "pages");
        self.trouble = Some(fault.clone());
        // When the dispatcher is gone, the end of this thread tells.
        let _ = self.messages.blocking_send(Message::PagesFault(fault));
    }
}

/// A bug in what makes one page is not to keep the others from being made.
fn guarded<T>(make: impl FnOnce() -> Result<T, LogError>) -> Result<T, Fault> {
    match catch_unwind(AssertUnwindSafe(make)) {
        Ok(made) => made.map_err(|error| error.into_fault("make a page")),
        Err(_) => Err(Fault::new(
            "make a page",
            "a bug in verdictd; see standard error",
        )),
    }
}
