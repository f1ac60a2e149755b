//! Keeps the packages as they are on disk: reads again what has changed, says what is broken.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::config::{Config, LimitDefaults};
use crate::domain::{Digest, ProblemSlug};
use crate::package::{self, Library, Package, PackageError};

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
    pub fn open(config: &Config) -> (Self, Changes) {
        let mut packages = Self {
            folder: config.folders.problems.clone(),
            defaults: config.limits.clone(),
            seen: BTreeMap::new(),
            settling: BTreeMap::new(),
            library: Arc::new(Library::new()),
            sound: BTreeMap::new(),
        };
        let changes = packages.look_at_once();
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

    /// Reads what has changed and has come to rest since the last look.
    pub fn look(&mut self) -> Changes {
        self.read_changed(true)
    }

    /// Reads what has changed, at rest or not.
    pub fn look_at_once(&mut self) -> Changes {
        self.read_changed(false)
    }

    fn read_changed(&mut self, at_rest: bool) -> Changes {
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
            changes.words.push(format!("{slug}: the package is gone"));
            changes.slugs.insert(slug, Arc::from("the package is gone"));
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
            let loaded = package::load(&self.folder, &slug, &self.defaults).map(Arc::new);
            if let Err(error) = &loaded {
                changes.words.push(broken_words(&slug, error));
            }
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
    format!("{slug} is broken, nobody is graded on it: {error}")
}
