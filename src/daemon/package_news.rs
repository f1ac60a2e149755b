//! The news of packages: kept in the store for whoever looks on, also after a sudden end,
//! and told on the terminal and in the logs.

use std::collections::BTreeMap;

use super::notice::PackageNews;
use super::packages::{Changes, Packages};
use super::shared::Shared;
use crate::domain::ProblemSlug;
use crate::package::{Loaded, Trouble};
use crate::report::{Entry, PackageEntry, PackageState};
use crate::store::{PackageChange, PackageRow, StoreError};
use crate::util::clock::now_ms;
use crate::util::crash::point;
use crate::util::words::amount;

/// Brings the store's table of packages in line with what was read; what people should hear of it.
pub fn record(
    shared: &Shared,
    packages: &Packages,
    changes: &Changes,
) -> Result<Vec<PackageNews>, StoreError> {
    let rows = shared.store.reader()?.packages()?.into_iter();
    let before: BTreeMap<_, _> = rows.map(|row| (row.problem.clone(), row)).collect();
    let library = packages.library();
    let ms = now_ms();
    let (mut told, mut writes) = (Vec::new(), Vec::new());
    for (slug, loaded) in library.iter() {
        let before_row = before.get(slug);
        let Some((state, words, reason)) = news_of(slug, loaded, before_row, changes) else {
            continue;
        };
        let was_broken = before_row.and_then(|row| row.broken.as_deref());
        let broken = loaded.as_ref().err().map(Trouble::in_one_line);
        // Where the store has never seen a package, they are not new, the store is.
        let is_quiet = before.is_empty() && state == PackageState::Added;
        // What was told on the terminal once more: the logs have it.
        let is_known = broken.is_some() && was_broken == broken.as_deref();
        if !is_known {
            writes.push(PackageChange {
                problem: slug.clone(),
                row: Some(PackageRow {
                    problem: slug.clone(),
                    is_ours: loaded.as_ref().is_err_and(Trouble::is_ours),
                    fingerprint: packages.fingerprint(slug),
                    since_ms: before_row
                        .filter(|_| was_broken.is_some() && broken.is_some())
                        .map_or(ms, |row| row.since_ms),
                    broken,
                }),
                event_json: (!is_quiet).then(|| event(slug, state, reason.clone())),
                ms,
            });
        }
        if !is_quiet {
            told.push(PackageNews::of(slug, state, words, reason));
        }
    }
    for slug in before.keys().filter(|slug| !library.contains_key(slug)) {
        let words = format!("{slug}: removed; what was judged for it stays as it is");
        writes.push(PackageChange {
            problem: slug.clone(),
            row: None,
            event_json: Some(event(slug, PackageState::Removed, None)),
            ms,
        });
        told.push(PackageNews::of(slug, PackageState::Removed, words, None));
    }
    if !writes.is_empty() {
        shared.store.writer().put_packages(writes)?;
        point("packages recorded");
        shared.tell_news(0);
    }
    Ok(told)
}

/// A change as the logs have it.
fn event(slug: &ProblemSlug, state: PackageState, reason: Option<String>) -> String {
    let entry = PackageEntry {
        problem: slug.to_string(),
        state,
        reason,
    };
    Entry::Package(entry).to_json()
}

/// The state of a package that is there, in words, and the reason; none where it is as it was: how
/// a sound one has changed, the verdicts' history tells.
fn news_of(
    slug: &ProblemSlug,
    loaded: &Loaded,
    before: Option<&PackageRow>,
    changes: &Changes,
) -> Option<(PackageState, String, Option<String>)> {
    let renamed = changes.renamed.get(slug);
    Some(match loaded {
        Err(trouble) => {
            changes.slugs.get(slug)?;
            let words = broken_words(slug, trouble);
            (PackageState::Broken, words, Some(trouble.in_one_line()))
        }
        Ok(package) => {
            let tests = amount(package.tests.len(), "test");
            match (before, renamed) {
                (Some(row), _) if row.broken.is_some() => {
                    let words =
                        format!("{slug}: repaired, {tests}; whatever waited for it is judged");
                    (PackageState::Repaired, words, None)
                }
                (_, Some(words)) => {
                    let reason = Some(words.clone());
                    (PackageState::Renamed, format!("{slug}: {words}"), reason)
                }
                (None, None) => (PackageState::Added, format!("{slug}: added, {tests}"), None),
                (Some(_), None) => return None,
            }
        }
    })
}

fn broken_words(slug: &ProblemSlug, error: &Trouble) -> String {
    let state = if error.is_ours() {
        "could not be read"
    } else {
        "is broken"
    };
    format!("{slug} {state}, nobody is graded on it: {error}")
}
