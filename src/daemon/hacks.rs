//! Hacks while the daemon runs: what the packages have is recorded in the store, and results are
//! written.

use std::path::PathBuf;

use jiff::tz::TimeZone;

use super::shared::Shared;
use crate::domain::ProblemSlug;
use crate::hack::{self, HackError};
use crate::package::{HACKS_FOLDER, Hack, HackOutcome, Library, Package};
use crate::report::{Entry, HackReport, HackState};
use crate::store::{HackRow, NewHack, StoreError};
use crate::util::clock::now_ms;
use crate::util::crash::point;
use crate::util::disk::full_disks;
use crate::util::excerpt::visible_line;
use crate::util::files::is_no_room;
use crate::util::sync::read;

/// What the recording of a package's hacks has brought.
#[derive(Default)]
pub struct Recorded {
    /// Every hack that is one of the tests and has no result yet.
    pub open: Vec<HackRow>,
    /// What people should hear.
    pub words: Vec<String>,
    /// What is wrong with verdictd itself, or the disk.
    pub faults: Vec<String>,
    /// What became of the files beside the hacks.
    pub results: Vec<ResultFile>,
}

/// The file beside a hack that tells its result.
pub struct ResultFile {
    /// The hack's own file.
    pub hack: PathBuf,
    /// What is still to be written there.
    unwritten: Option<HackReport>,
    /// On whose clock its times are.
    zone: TimeZone,
}

impl ResultFile {
    /// Writes a result, or keeps it for later; the error says why it is kept.
    fn write(shared: &Shared, hack: PathBuf, report: HackReport) -> (Self, Option<String>) {
        let zone = read(&shared.board).grading().zone().clone();
        let error = hack::write_result(&hack, &report, &zone).err();
        let unwritten = error.is_some().then_some(report);
        let reason = error.map(|error| {
            let full = hack.parent().filter(|_| is_no_room(&error));
            full.and_then(|folder| full_disks([folder])).map_or_else(
                || error.to_string(),
                |full| format!("{full}; it follows when there is room"),
            )
        });
        let result = Self {
            hack,
            unwritten,
            zone,
        };
        (result, reason)
    }

    /// Whether there is something to write, and the hack is not known to be gone.
    pub fn is_behind(&self) -> bool {
        self.unwritten.is_some() && !self.hack.try_exists().is_ok_and(|there| !there)
    }

    /// Tries again to write it.
    pub fn catch_up(&mut self) {
        if let Some(report) = &self.unwritten
            && hack::write_result(&self.hack, report, &self.zone).is_ok()
        {
            self.unwritten = None;
        }
    }
}

/// What people are told of a hack.
pub struct Announcement {
    /// For people.
    pub words: String,
    /// The file beside it.
    pub result: ResultFile,
}

/// Brings the store's hacks in line with what the packages have, before anything is planned with
/// them.
/// What was recorded already is left as it is, so after a failure all of it may be done again.
pub fn record<'a>(
    shared: &Shared,
    library: &Library,
    slugs: impl Iterator<Item = &'a ProblemSlug>,
) -> Result<Recorded, StoreError> {
    let mut recorded = Recorded::default();
    for slug in slugs {
        if let Some(Ok(package)) = library.get(slug) {
            record_package(shared, package, &mut recorded)?;
        }
    }
    recorded.open = unfinished(shared)?;
    Ok(recorded)
}

/// Hacks that are in force, and on which not every earlier submission is known to be judged.
fn unfinished(shared: &Shared) -> Result<Vec<HackRow>, StoreError> {
    let mut rows = shared.store.reader()?.open_hacks(None)?;
    rows.retain(|row| row.refused.is_none() && row.finished_ms.is_none());
    Ok(rows)
}

fn record_package(
    shared: &Shared,
    package: &Package,
    recorded: &mut Recorded,
) -> Result<(), StoreError> {
    let known = shared.store.reader()?.open_hacks(Some(&package.slug))?;
    let same = |row: &HackRow, hack: &Hack| {
        row.file_name == file_name(hack)
            && row.name == hack.name
            && row.digest == hack.digest
            && row.refused.as_deref() == hack.refusal()
    };
    let here = |row: &HackRow| package.hacks.iter().any(|hack| same(row, hack));
    for row in known.iter().filter(|row| !here(row)) {
        withdraw(shared, package, row, recorded)?;
    }
    for hack in &package.hacks {
        if !known.iter().any(|row| same(row, hack)) {
            add(shared, package, hack, recorded)?;
        }
    }
    Ok(())
}

fn file_name(hack: &Hack) -> String {
    let name = hack.file.file_name().unwrap_or_default();
    visible_line(&name.to_string_lossy())
}

fn add(
    shared: &Shared,
    package: &Package,
    hack: &Hack,
    recorded: &mut Recorded,
) -> Result<(), StoreError> {
    let report = HackReport {
        problem: package.slug.to_string(),
        name: hack.name.clone(),
        file_name: file_name(hack),
        note: hack.note.clone(),
        refused: hack.refusal().map(str::to_owned),
        held_back: hack.held_back(),
        seen_ms: now_ms(),
        ..HackReport::default()
    };
    let state = if hack.joined() {
        HackState::Joined
    } else if hack.held_back() {
        HackState::HeldBack
    } else {
        HackState::Refused
    };
    // Before the row, so that a sudden end between the two leaves the row to be made, and the
    // result with it.
    if !hack.joined() {
        write(shared, hack.file.clone(), report.clone(), recorded);
    }
    shared.store.writer().put_hack(NewHack {
        problem: package.slug.clone(),
        name: report.name.clone(),
        file_name: report.file_name.clone(),
        digest: hack.digest,
        note: report.note.clone(),
        refused: report.refused.clone(),
        held_back: report.held_back,
        seen_ms: report.seen_ms,
        event_json: Entry::of_hack(&report, state).to_json(),
    })?;
    point("hack recorded");
    match &hack.outcome {
        HackOutcome::Joined { undone, untried } => {
            let undone: Vec<String> = undone.iter().map(ToString::to_string).collect();
            let undone = match undone.as_slice() {
                [] => String::new(),
                undone => format!(" ({})", undone.join("; ")),
            };
            recorded.words.push(format!(
                "{} of {} joined the tests{undone}",
                hack.name, package.slug
            ));
            let untried = untried.iter();
            recorded.words.extend(untried.map(|example| {
                format!(
                    "{} of {}: not tried on it: {example}",
                    hack.name, package.slug
                )
            }));
        }
        HackOutcome::Refused(reason) => {
            recorded
                .words
                .push(format!("{}: refused: {reason}", hack.file.display()));
        }
        HackOutcome::HeldBack(reason) | HackOutcome::Untried(reason) => {
            recorded
                .words
                .push(format!("{}: held back: {reason}", hack.file.display()));
        }
        HackOutcome::Disagreement(reason) => {
            recorded
                .faults
                .push(format!("{}: {reason}", hack.file.display()));
        }
    }
    Ok(())
}

fn write(shared: &Shared, hack: PathBuf, report: HackReport, recorded: &mut Recorded) {
    let (result, error) = ResultFile::write(shared, hack, report);
    if let Some(error) = error {
        recorded.faults.push(format!(
            "{}: its result could not be written beside it: {error}",
            result.hack.display()
        ));
    }
    recorded.results.push(result);
}

fn withdraw(
    shared: &Shared,
    package: &Package,
    row: &HackRow,
    recorded: &mut Recorded,
) -> Result<(), StoreError> {
    let reader = shared.store.reader()?;
    let event = match hack::report(&reader, row) {
        Ok(report) => Entry::of_hack(&report, HackState::Withdrawn).to_json(),
        Err(HackError::Store(error)) => return Err(error),
        Err(HackError::Document(error)) => {
            recorded.faults.push(error.to_string());
            return Ok(());
        }
    };
    let file = package.folder.join(HACKS_FOLDER).join(&row.file_name);
    if let Err(error) = hack::remove_result(&file) {
        recorded.faults.push(format!(
            "{}: its result could not be removed: {error}",
            file.display()
        ));
    }
    point("hack result removed");
    recorded.results.push(ResultFile {
        hack: file,
        unwritten: None,
        zone: TimeZone::UTC,
    });
    shared
        .store
        .writer()
        .withdraw_hack(row.id, now_ms(), event)?;
    point("hack withdrawn");
    if row.refused.is_none() {
        recorded
            .words
            .push(format!("{} of {} is withdrawn", row.name, package.slug));
    }
    Ok(())
}

/// A hack is judged: its result is written, and remembered.
pub fn finish(
    shared: &Shared,
    package: &Package,
    row: &HackRow,
) -> Result<Option<Announcement>, HackError> {
    let reader = shared.store.reader()?;
    if !reader.open_hacks(Some(&row.problem))?.contains(row) {
        // Taken back meanwhile, or told already.
        return Ok(None);
    }
    let done = HackRow {
        finished_ms: Some(now_ms()),
        ..row.clone()
    };
    let report = hack::report(&reader, &done)?;
    let event = Entry::of_hack(&report, HackState::Judged).to_json();
    let finished = done.finished_ms.unwrap_or_default();
    // The result first: once the store says that the hack is judged, nobody writes it again.
    let told = tell(shared, package, row, report);
    point("hack result written");
    shared.store.writer().finish_hack(row.id, finished, event)?;
    point("hack judged");
    Ok(Some(told))
}

fn tell(shared: &Shared, package: &Package, row: &HackRow, report: HackReport) -> Announcement {
    let mut words = report.headline();
    let (result, error) = ResultFile::write(shared, file_of(package, row), report);
    if let Some(error) = error {
        words = format!("{words} (the result could not be written beside it: {error})");
    }
    Announcement { words, result }
}

/// The hack's file, whatever its name looks like.
fn file_of(package: &Package, row: &HackRow) -> PathBuf {
    let same = |hack: &&Hack| hack.name == row.name && hack.digest == row.digest;
    package.hacks.iter().find(same).map_or_else(
        || package.folder.join(HACKS_FOLDER).join(&row.file_name),
        |hack| hack.file.clone(),
    )
}
