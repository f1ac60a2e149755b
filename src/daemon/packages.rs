//! Keeps the packages as they are on disk: reads again what has changed, says what is broken.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::config::{Config, LimitDefaults};
use crate::domain::bounds::FAULT_TRIES_MAX;
use crate::domain::{Digest, ProblemSlug};
use crate::package::{self, Fate, Library, Loaded, Oracle, Package, PackageError};

/// The pause before a package that a fault of ours kept from being read is read again; each further one is four times as long.
const RETRY_PAUSE: Duration = Duration::from_secs(5);

/// The packages and what they looked like when they were read.
pub struct Packages {
    folder: PathBuf,
    defaults: LimitDefaults,
    seen: BTreeMap<ProblemSlug, Digest>,
    /// What changed packages looked like at the last look: one that still changes is being written.
    settling: BTreeMap<ProblemSlug, Digest>,
    library: Arc<Library>,
    /// Each package as it was when it last was sound, to tell what has changed.
    sound: BTreeMap<ProblemSlug, Arc<Package>>,
    /// Packages that a fault of ours kept from being read: how often, and when to try again.
    untried: BTreeMap<ProblemSlug, (u32, Instant)>,
}

/// What a look has found.
#[derive(Default)]
pub struct Changes {
    /// Packages that were read again, or are gone, and what has changed in each.
    pub slugs: BTreeMap<ProblemSlug, Arc<str>>,
    /// What people should hear: broken packages and warnings.
    pub words: Vec<String>,
}

impl Packages {
    /// Reads all packages.
    pub fn open(config: &Config, oracle: &mut dyn Oracle) -> (Self, Changes) {
        let mut packages = Self {
            folder: config.folders.problems.clone(),
            defaults: config.limits.clone(),
            seen: BTreeMap::new(),
            settling: BTreeMap::new(),
            library: Arc::new(Library::new()),
            sound: BTreeMap::new(),
            untried: BTreeMap::new(),
        };
        let changes = packages.look_at_once(oracle);
        (packages, changes)
    }

    /// All packages, broken ones included.
    pub fn library(&self) -> &Arc<Library> {
        &self.library
    }

    /// Takes other default limits; the next look reads everything again.
    pub fn set_defaults(&mut self, defaults: &LimitDefaults) {
        if self.defaults != *defaults {
            self.defaults = defaults.clone();
            self.seen.clear();
        }
    }

    /// What was a fault of ours is worth another try: a setting may have been its cause.
    pub fn forget_faults(&mut self) {
        for slug in std::mem::take(&mut self.untried).into_keys() {
            self.seen.remove(&slug);
        }
    }

    /// The languages are others: the programs of packages are built again.
    pub fn forget_programs(&mut self) {
        let library = &self.library;
        let has_programs = |slug: &ProblemSlug| match library.get(slug) {
            Some(Ok(package)) => package.programs().next().is_some(),
            Some(Err(_)) | None => true,
        };
        self.seen.retain(|slug, _| !has_programs(slug));
    }

    fn is_due(&self, slug: &ProblemSlug) -> bool {
        self.untried
            .get(slug)
            .is_some_and(|(tries, at)| *tries < FAULT_TRIES_MAX && Instant::now() >= *at)
    }

    /// A package that a fault of ours kept from being read, or one of its hacks from being tried, is read again a few times, after growing pauses.
    fn plan_retry(&mut self, slug: &ProblemSlug, loaded: &Loaded) {
        let is_untried = match loaded {
            Ok(package) => package
                .hacks
                .iter()
                .any(|hack| matches!(hack.fate, Fate::Untried(_))),
            Err(error) => error.ours,
        };
        if !is_untried {
            self.untried.remove(slug);
            return;
        }
        let tries = self.untried.get(slug).map_or(0, |(tries, _)| *tries) + 1;
        let pause = RETRY_PAUSE * 4_u32.saturating_pow(tries - 1);
        self.untried
            .insert(slug.clone(), (tries, Instant::now() + pause));
    }

    /// Reads what has changed and has come to rest since the last look.
    pub fn look(&mut self, oracle: &mut dyn Oracle) -> Changes {
        self.read_changed(true, oracle)
    }

    /// Reads what has changed, at rest or not.
    pub fn look_at_once(&mut self, oracle: &mut dyn Oracle) -> Changes {
        self.read_changed(false, oracle)
    }

    fn read_changed(&mut self, at_rest: bool, oracle: &mut dyn Oracle) -> Changes {
        let mut changes = Changes {
            slugs: BTreeMap::new(),
            words: Vec::new(),
        };
        let slugs = match package::slugs(&self.folder) {
            Ok(slugs) => slugs,
            Err(error) => {
                // The folder may be away for a moment; what was read stays.
                changes.words.push(error.to_string());
                return changes;
            }
        };
        let mut library = Library::clone(&self.library);
        let gone: Vec<ProblemSlug> = library
            .keys()
            .filter(|slug| !slugs.contains(slug))
            .cloned()
            .collect();
        for slug in gone {
            library.remove(&slug);
            self.seen.remove(&slug);
            self.sound.remove(&slug);
            self.untried.remove(&slug);
            changes.words.push(format!("{slug}: the package is gone"));
            changes.slugs.insert(slug, Arc::from("the package is gone"));
        }
        for slug in slugs {
            let print = package::fingerprint(&self.folder, &slug);
            let due = self.is_due(&slug);
            if self.seen.get(&slug) == Some(&print) && !due {
                continue;
            }
            let rests = self.settling.insert(slug.clone(), print) == Some(print);
            if at_rest && !rests && !due {
                continue;
            }
            self.settling.remove(&slug);
            let loaded = package::load(&self.folder, &slug, &self.defaults, oracle).map(Arc::new);
            if let Err(error) = &loaded {
                changes.words.push(broken_words(&slug, error));
            }
            self.plan_retry(&slug, &loaded);
            let what = match (self.sound.get(&slug), &loaded) {
                (Some(old), Ok(new)) => package::difference(old, new),
                _ => "the package changed".to_owned(),
            };
            if let Ok(package) = &loaded {
                self.sound.insert(slug.clone(), Arc::clone(package));
            }
            self.seen.insert(slug.clone(), print);
            library.insert(slug.clone(), loaded);
            changes.slugs.insert(slug, Arc::from(what));
        }
        if !changes.slugs.is_empty() {
            self.library = Arc::new(library);
        }
        changes
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
