//! What has become of packages: kept in the store for whoever looks on, also after a sudden end,
//! and
//! told on the terminal and in the logs.

use std::collections::BTreeMap;

use super::notice::PackageNews;
use super::packages::{Changes, Packages};
use super::shared::Shared;
use crate::domain::ProblemSlug;
use crate::package::{Loaded, PackageError};
use crate::report::{Entry, PackageEntry, PackageState};
use crate::store::{PackageChange, PackageRow, StoreError};
use crate::util::clock::now_ms;
use crate::util::crash::point;
use crate::util::words::amount;

/// What is known, and what has become of it.
struct Record<'a> {
    packages: &'a Packages,
    changes: &'a Changes,
    before: BTreeMap<ProblemSlug, PackageRow>,
    /// Whether the store has never seen a package: then they are not new, the store is.
    is_first: bool,
    now_ms: i64,
    writes: Vec<PackageChange>,
    told: Vec<PackageNews>,
}

/// Brings the store's table of packages in line with what was read; what people should hear of it.
pub fn record(
    shared: &Shared,
    packages: &Packages,
    changes: &Changes,
) -> Result<Vec<PackageNews>, StoreError> {
    let before: BTreeMap<_, _> = shared
        .store
        .reader()?
        .packages()?
        .into_iter()
        .map(|row| (row.problem.clone(), row))
        .collect();
    let mut record = Record {
        packages,
        changes,
        is_first: before.is_empty(),
        before,
        now_ms: now_ms(),
        writes: Vec::new(),
        told: Vec::new(),
    };
    for (slug, loaded) in packages.library().iter() {
        record.look_at(slug, loaded);
    }
    record.look_for_gone();
    if !record.writes.is_empty() {
        shared.store.writer().put_packages(record.writes)?;
        point("packages recorded");
    }
    Ok(record.told)
}

impl Record<'_> {
    fn look_at(&mut self, slug: &ProblemSlug, loaded: &Loaded) {
        let before = self.before.get(slug);
        let was_broken = before.and_then(|row| row.broken.as_deref());
        let is_ours = loaded.as_ref().is_err_and(|error| error.ours);
        let broken = loaded.as_ref().err().map(PackageError::in_one_line);
        let renamed = self.changes.renamed.get(slug).cloned();
        let (state, words, reason) = match loaded {
            Err(error) if self.changes.slugs.contains_key(slug) => {
                let words = broken_words(slug, error);
                (PackageState::Broken, words, broken.clone())
            }
            Ok(package) if was_broken.is_some() => {
                let tests = amount(package.tests.len(), "test");
                let words = format!("{slug}: repaired, {tests}; whatever waited for it is judged");
                (PackageState::Repaired, words, None)
            }
            Ok(_) if renamed.is_some() => {
                let words = renamed.clone().unwrap_or_default();
                (PackageState::Renamed, format!("{slug}: {words}"), renamed)
            }
            Ok(package) if before.is_none() => {
                let tests = amount(package.tests.len(), "test");
                (PackageState::Added, format!("{slug}: added, {tests}"), None)
            }
            // It is as it was; how a sound one has changed, the verdicts' history tells.
            Ok(_) | Err(_) => return,
        };
        let is_quiet = self.is_first && state == PackageState::Added;
        let is_known = before.is_some() && was_broken == broken.as_deref();
        let event = PackageEntry {
            problem: slug.to_string(),
            state,
            reason: reason.clone(),
        };
        if !is_quiet {
            self.told.push(PackageNews::of(slug, state, words, reason));
        }
        if is_known && state == PackageState::Broken {
            // It was told on the terminal once more; the logs have it.
            return;
        }
        let since_ms = before
            .filter(|_| was_broken.is_some() && broken.is_some())
            .map_or(self.now_ms, |row| row.since_ms);
        self.writes.push(PackageChange {
            problem: slug.clone(),
            row: Some(PackageRow {
                problem: slug.clone(),
                broken,
                is_ours,
                fingerprint: self.packages.fingerprint(slug),
                since_ms,
            }),
            event_json: (!is_quiet).then(|| Entry::Package(event).to_json()),
            ms: self.now_ms,
        });
    }

    fn look_for_gone(&mut self) {
        let library = self.packages.library();
        let gone = self
            .before
            .keys()
            .filter(|slug| !library.contains_key(slug));
        for slug in gone {
            let entry = PackageEntry {
                problem: slug.to_string(),
                state: PackageState::Removed,
                reason: None,
            };
            let words = format!("{slug}: removed; what was judged for it stays as it is");
            let told = PackageNews::of(slug, PackageState::Removed, words, None);
            self.told.push(told);
            self.writes.push(PackageChange {
                problem: slug.clone(),
                row: None,
                event_json: Some(Entry::Package(entry).to_json()),
                ms: self.now_ms,
            });
        }
    }
}

fn broken_words(slug: &ProblemSlug, error: &PackageError) -> String {
    let state = if error.ours {
        "could not be read"
    } else {
        "is broken"
    };
    format!("{slug} {state}, nobody is graded on it: {error}")
}
