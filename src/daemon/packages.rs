//! Keeps the packages as they are on disk: reads again what has changed, says what is broken.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use crate::config::{Config, LimitDefaults};
use crate::domain::{Digest, ProblemSlug};
use crate::package::{self, Library, Oracle, PackageError};

/// The packages and what they looked like when they were read.
pub struct Packages {
    folder: PathBuf,
    defaults: LimitDefaults,
    seen: BTreeMap<ProblemSlug, Digest>,
    /// What changed packages looked like at the last look: one that still changes is being written.
    settling: BTreeMap<ProblemSlug, Digest>,
    library: Arc<Library>,
}

/// What a look has found.
pub struct Changes {
    /// Packages that were read again, or are gone.
    pub slugs: BTreeSet<ProblemSlug>,
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
        };
        let changes = packages.look_at_once(oracle);
        (packages, changes)
    }

    /// All packages, broken ones included.
    pub fn library(&self) -> &Arc<Library> {
        &self.library
    }

    /// The broken ones.
    pub fn broken(&self) -> BTreeSet<ProblemSlug> {
        self.library
            .iter()
            .filter(|(_, loaded)| loaded.is_err())
            .map(|(slug, _)| slug.clone())
            .collect()
    }

    /// Takes other default limits; the next look reads everything again.
    pub fn set_defaults(&mut self, defaults: &LimitDefaults) {
        if self.defaults != *defaults {
            self.defaults = defaults.clone();
            self.seen.clear();
        }
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
            slugs: BTreeSet::new(),
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
            changes.words.push(format!("{slug}: the package is gone"));
            changes.slugs.insert(slug);
        }
        for slug in slugs {
            let print = package::fingerprint(&self.folder, &slug);
            if self.seen.get(&slug) == Some(&print) {
                continue;
            }
            let rests = self.settling.insert(slug.clone(), print) == Some(print);
            if at_rest && !rests {
                continue;
            }
            self.settling.remove(&slug);
            let loaded = package::load(&self.folder, &slug, &self.defaults, oracle).map(Arc::new);
            match &loaded {
                Ok(package) => changes.words.extend(package.warnings.iter().cloned()),
                Err(error) => changes.words.push(broken_words(&slug, error)),
            }
            self.seen.insert(slug.clone(), print);
            library.insert(slug.clone(), loaded);
            changes.slugs.insert(slug);
        }
        if !changes.slugs.is_empty() {
            self.library = Arc::new(library);
        }
        changes
    }
}

fn broken_words(slug: &ProblemSlug, error: &PackageError) -> String {
    format!("{slug} is broken, nobody is graded on it: {error}")
}
