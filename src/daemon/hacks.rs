//! Hacks while the daemon runs: what the packages have is recorded in the store, and for whom each
//! hack still waits.

use std::collections::{BTreeMap, BTreeSet};

use super::queue::Waiting;
use super::shared::Shared;
use crate::domain::{ProblemSlug, SubmissionId};
use crate::hack;
use crate::package::{Hack, HackOutcome, Library, Package};
use crate::report::{Entry, HackState};
use crate::store::{HackRow, NewHack, StoreError};
use crate::util::clock::now_ms;
use crate::util::crash::point;
use crate::util::excerpt::visible_line;

/// What the recording of a package's hacks has brought.
#[derive(Default)]
pub struct Recorded {
    /// Every hack that is one of the tests and has no result yet.
    pub open: Vec<HackRow>,
    /// What people should hear.
    pub words: Vec<String>,
    /// What is wrong with verdictd itself, or the disk.
    pub faults: Vec<String>,
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
    recorded.open = shared.store.reader()?.open_hacks(None)?;
    // Those in force, on which not every earlier submission is known to be judged.
    let is_open = |row: &HackRow| row.refused.is_none() && row.finished_ms.is_none();
    recorded.open.retain(is_open);
    Ok(recorded)
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
    let state = if hack.joined() {
        HackState::Joined
    } else if hack.held_back() {
        HackState::HeldBack
    } else {
        HackState::Refused
    };
    let file_name = file_name(hack);
    let names = (&*hack.name, &*file_name);
    let event = Entry::of_hack(&package.slug, names, state, hack.refusal());
    shared.store.writer().put_hack(NewHack {
        problem: package.slug.clone(),
        name: hack.name.clone(),
        file_name,
        digest: hack.digest,
        note: hack.note.clone(),
        refused: hack.refusal().map(str::to_owned),
        held_back: hack.held_back(),
        seen_ms: now_ms(),
        event_json: event.to_json(),
    })?;
    point("hack recorded");
    shared.tell_news(0);
    let (file, words) = (hack.file.display(), &mut recorded.words);
    match &hack.outcome {
        HackOutcome::Joined { undone, untried } => {
            let undone: Vec<&str> = undone.iter().map(|note| note.words()).collect();
            let undone = match undone.as_slice() {
                [] => String::new(),
                undone => format!(" ({})", undone.join("; ")),
            };
            let named = format!("{} of {}", hack.name, package.slug);
            words.push(format!("{named} joined the tests{undone}"));
            let untried = untried.iter();
            words.extend(untried.map(|example| format!("{named}: not tried on it: {example}")));
        }
        HackOutcome::Refused(reason) => words.push(format!("{file}: refused: {reason}")),
        HackOutcome::HeldBack(reason) | HackOutcome::Untried(reason) => {
            words.push(format!("{file}: held back: {reason}"));
        }
        HackOutcome::Disagreement(reason) => recorded.faults.push(format!("{file}: {reason}")),
    }
    Ok(())
}

fn withdraw(
    shared: &Shared,
    package: &Package,
    row: &HackRow,
    recorded: &mut Recorded,
) -> Result<(), StoreError> {
    let names = (&*row.name, &*row.file_name);
    let event = Entry::of_hack(&row.problem, names, HackState::Withdrawn, None).to_json();
    let file = package.hacks_folder().join(&row.file_name);
    if let Err(error) = hack::remove_result(&file) {
        recorded.faults.push(format!(
            "{}: its result could not be removed: {error}",
            file.display()
        ));
    }
    point("hack result removed");
    let writer = shared.store.writer();
    writer.withdraw_hack(row.id, now_ms(), event)?;
    point("hack withdrawn");
    shared.tell_news(0);
    if row.refused.is_none() {
        let words = format!("{} of {} is withdrawn", row.name, package.slug);
        recorded.words.push(words);
    }
    Ok(())
}

/// Which submissions each hack still waits for.
#[derive(Default)]
pub struct Waits {
    open: BTreeMap<i64, (HackRow, BTreeSet<SubmissionId>)>,
    /// Hacks that have joined, and for which nothing is planned yet.
    unplanned: Vec<HackRow>,
}

impl Waits {
    /// These hacks have joined, and have no result yet.
    pub fn joined(&mut self, open: Vec<HackRow>) {
        self.unplanned = open;
        self.unplanned
            .retain(|row| !self.open.contains_key(&row.id));
    }

    /// Problems were planned, and this is to be judged because of a hack or whatever else changed.
    /// From here on it is known for whom a new hack waits; says for which every earlier submission is
    /// judged already.
    pub fn planned(
        &mut self,
        is_planned: impl Fn(&ProblemSlug) -> bool,
        wanted: &[Waiting],
    ) -> Vec<HackRow> {
        let planned = self
            .unplanned
            .extract_if(.., |row| is_planned(&row.problem));
        let mut judged = Vec::new();
        for row in planned {
            let left: BTreeSet<SubmissionId> = wanted
                .iter()
                .map(|waiting| &waiting.submission)
                .filter(|wanted| wanted.problem == row.problem && wanted.id <= row.last_submission)
                .map(|wanted| wanted.id)
                .collect();
            if left.is_empty() {
                judged.push(row);
                continue;
            }
            self.open.insert(row.id, (row, left));
        }
        judged
    }

    /// Only the hacks of a package that are in force are waited for any more.
    pub fn keep(&mut self, package: &Package) {
        let joined = |row: &HackRow| {
            let same = |hack: &Hack| hack.name == row.name && hack.digest == row.digest;
            package.hacks.iter().any(|hack| hack.joined() && same(hack))
        };
        self.open
            .retain(|_, (row, _)| row.problem != package.slug || joined(row));
    }

    /// A submission has its verdict; says on which hacks every earlier submission is judged now.
    pub fn judged(&mut self, id: SubmissionId) -> Vec<HackRow> {
        let over = self
            .open
            .extract_if(.., |_, (_, left)| left.remove(&id) && left.is_empty());
        over.map(|(_, (row, _))| row).collect()
    }
}
