//! Keeps the packages as they are on disk: reads again what has changed, says what is broken. Their
//! news are kept in the store for whoever looks on, also after a sudden end, and told on the
//! terminal and in the logs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::notice::PackageNews;
use super::shared::Shared;
use crate::config::Config;
use crate::domain::bounds::{FAULT_TRIES_MAX, PROBLEMS_MAX};
use crate::domain::{Because, Digest, Limits, ProblemSlug};
use crate::package::{self, Hack, HackOutcome, Library, Loaded, Oracle, Package, Remark, Trouble};
use crate::report::{Entry, PackageEntry, PackageState};
use crate::store::{PackageChange, PackageRow, StoreError};
use crate::util::clock::{Backoff, now_ms};
use crate::util::crash::point;
use crate::util::hash::Key;
use crate::util::words::amount;

/// When a package is read again that a fault of ours kept from being read.
const RETRY: Backoff = Backoff {
    first: Duration::from_secs(5),
    factor: 4,
    longest: Duration::MAX,
};

/// The packages and what they looked like when they were read.
pub struct Packages {
    folder: PathBuf,
    defaults: Limits,
    known: BTreeMap<ProblemSlug, Known>,
    library: Arc<Library>,
    /// Digests of the tests of packages that are gone: one of the same tests is the same package.
    gone: BTreeMap<ProblemSlug, Digest>,
    /// Warnings that hold, each told once; and those of the last look, which may be of files that
    /// are still being copied.
    warned: BTreeSet<PackageNews>,
    maybe: BTreeSet<PackageNews>,
}

/// What is remembered of one package.
#[derive(Default)]
struct Known {
    /// What its files looked like when it was read; none where it is to be read again.
    read: Option<Digest>,
    /// The same at the last look, if it has changed: one that still changes is being written.
    settling: Option<Digest>,
    /// The package as it was when it last was sound, to tell what has changed.
    sound: Option<Arc<Package>>,
    /// How often a fault of ours kept it from being read, and when to try again.
    retry: Option<(u32, Instant)>,
}

impl Known {
    fn is_due(&self) -> bool {
        self.retry
            .is_some_and(|(tries, at)| tries < FAULT_TRIES_MAX && Instant::now() >= at)
    }

    /// A package that a fault of ours kept from being read, or one of its hacks from being tried,
    /// is read again a few times, after growing pauses.
    fn plan_retry(&mut self, loaded: &Loaded) {
        let is_untried = |hack: &Hack| matches!(hack.outcome, HackOutcome::Untried(_));
        let is_ours = match loaded {
            Ok(package) => package.hacks.iter().any(is_untried),
            Err(trouble) => trouble.is_ours(),
        };
        self.retry = is_ours.then(|| {
            let tries = self.retry.map_or(0, |(tries, _)| tries) + 1;
            (tries, Instant::now() + RETRY.after(tries))
        });
    }
}

/// What a look has found.
#[derive(Default)]
pub struct Changes {
    /// Packages that were read again, or are gone, and what has changed in each.
    pub slugs: BTreeMap<ProblemSlug, Arc<str>>,
    /// Packages that have another name, and what they were called.
    pub renamed: BTreeMap<ProblemSlug, String>,
    /// What people should hear that breaks nothing.
    pub warnings: Vec<PackageNews>,
}

impl Changes {
    /// Whether nothing has changed.
    pub fn is_empty(&self) -> bool {
        self.slugs.is_empty() && self.warnings.is_empty()
    }

    /// Adds what a later look has found.
    pub fn add(&mut self, later: Self) {
        self.warnings.extend(later.warnings);
        self.renamed.extend(later.renamed);
        for (slug, what) in later.slugs {
            let both = match self.slugs.get(&slug) {
                Some(before) if *before != what => Arc::from(format!("{before}; {what}")),
                _ => what,
            };
            self.slugs.insert(slug, both);
        }
    }
}

impl Packages {
    /// Reads all packages.
    pub fn open(config: &Config, oracle: &mut dyn Oracle) -> (Self, Changes) {
        let mut packages = Self {
            folder: config.folders.problems.clone(),
            defaults: config.limits.clone(),
            known: BTreeMap::new(),
            library: Arc::default(),
            gone: BTreeMap::new(),
            warned: BTreeSet::new(),
            maybe: BTreeSet::new(),
        };
        package::sweep(&packages.folder);
        let changes = packages.look(false, oracle);
        (packages, changes)
    }

    /// All packages, broken ones included.
    pub fn library(&self) -> &Arc<Library> {
        &self.library
    }

    /// What a package's files looked like when it was read.
    pub fn fingerprint(&self, slug: &ProblemSlug) -> Digest {
        let read = self.known.get(slug).and_then(|known| known.read);
        read.unwrap_or_else(|| package::look(&self.folder, slug).fingerprint)
    }

    /// The languages are others: the programs of packages are built again, and what was a fault of
    /// ours is worth another try.
    pub fn forget_programs(&mut self) {
        for (slug, known) in &mut self.known {
            let is_faulty = known.retry.take().is_some();
            let package = self
                .library
                .get(slug)
                .and_then(|loaded| loaded.as_ref().ok());
            if is_faulty || package.is_none_or(|package| package.programs().next().is_some()) {
                known.read = None;
            }
        }
    }

    /// Reads what has changed since the last look; with `at_rest` only what changes no more.
    pub fn look(&mut self, at_rest: bool, oracle: &mut dyn Oracle) -> Changes {
        let mut changes = Changes::default();
        let (slugs, strangers) = match package::survey(&self.folder) {
            Ok(listed) => listed,
            Err(error) => {
                // The folder may be away for a moment; what was read stays.
                let news = PackageNews::warning(None, error.to_string());
                if self.warned.insert(news.clone()) {
                    changes.warnings.push(news);
                }
                return changes;
            }
        };
        let mut library = Library::clone(&self.library);
        self.leave_out_gone(&slugs, &mut library, &mut changes);
        for slug in slugs {
            let seen = package::look(&self.folder, &slug);
            let print = seen.fingerprint;
            let known = self.known.entry(slug.clone()).or_default();
            let is_due = known.is_due();
            if known.read == Some(print) && !is_due {
                continue;
            }
            let rests = known.settling.replace(print) == Some(print);
            if at_rest && !rests && !is_due {
                continue;
            }
            known.settling = None;
            known.read = Some(print);
            let loaded = seen.load(&self.defaults, oracle).map(Arc::new);
            known.plan_retry(&loaded);
            let what = match (&known.sound, &loaded) {
                (Some(old), Ok(new)) => package::difference(old, new),
                _ => Because::Package.words().to_owned(),
            };
            if let Ok(package) = &loaded {
                let before = known.sound.replace(Arc::clone(package));
                let other_name = self.other_name(before.as_deref(), package);
                changes
                    .renamed
                    .extend(other_name.map(|words| (slug.clone(), words)));
            }
            library.insert(slug.clone(), loaded);
            changes.slugs.insert(slug, Arc::from(what));
        }
        if !changes.slugs.is_empty() {
            self.library = Arc::new(library);
        }
        let warnings = self.new_warnings(&strangers, at_rest);
        changes.warnings.extend(warnings);
        changes
    }

    fn leave_out_gone(
        &mut self,
        slugs: &[ProblemSlug],
        library: &mut Library,
        changes: &mut Changes,
    ) {
        let is_gone = |slug: &ProblemSlug, _: &mut Known| !slugs.contains(slug);
        for (slug, known) in self.known.extract_if(.., is_gone) {
            package::sweep(&self.folder);
            if let Some(package) = known.sound {
                if self.gone.len() >= PROBLEMS_MAX {
                    self.gone.clear();
                }
                self.gone.insert(slug.clone(), tests_digest(&package));
            }
            if library.remove(&slug).is_some() {
                changes.slugs.insert(slug, Arc::from("the package is gone"));
            }
        }
    }

    /// What a package was called until now, where it was called otherwise.
    fn other_name(&mut self, before: Option<&Package>, package: &Package) -> Option<String> {
        if let Some(before) = before {
            let is_other = before.title != package.title;
            return is_other.then(|| format!("its title is now {}", package.title));
        }
        let wanted = tests_digest(package);
        let mut gone = self.gone.iter();
        let old = gone.find(|(_, old)| **old == wanted)?.0.clone();
        self.gone.remove(&old);
        Some(format!("it was called {old} until now"))
    }

    /// Warnings that were not told yet. Each must hold at two looks, unless everything is to be at
    /// rest: what is being copied looks strange for a moment.
    fn new_warnings(&mut self, strangers: &[Remark], at_rest: bool) -> Vec<PackageNews> {
        let sound = self.library.values().flatten();
        let remarks = sound.flat_map(|package| {
            let slug = &package.slug;
            let news =
                |remark: &Remark| PackageNews::warning(Some(slug.clone()), remark.to_string());
            package.remarks.iter().map(news).collect::<Vec<_>>()
        });
        let strangers = strangers.iter();
        let strangers = strangers.map(|remark| PackageNews::warning(None, remark.to_string()));
        let now: BTreeSet<PackageNews> = remarks.chain(strangers).collect();
        let held = |news: &&PackageNews| !at_rest || self.maybe.contains(*news);
        let told: Vec<PackageNews> = now
            .iter()
            .filter(held)
            .filter(|news| !self.warned.contains(*news))
            .cloned()
            .collect();
        // What does not hold any more is told again when it comes back.
        self.warned.retain(|news| now.contains(news));
        self.warned.extend(told.iter().cloned());
        self.maybe = now;
        told
    }
}

fn tests_digest(package: &Package) -> Digest {
    let tests = package.tests.iter();
    tests
        .fold(Key::new("tests"), |key, test| {
            let name = &test.name;
            key.part(name.name.as_bytes())
                .part(&name.input.0)
                .part(&name.expected.0)
        })
        .finish()
}

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
