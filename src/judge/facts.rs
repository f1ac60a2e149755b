//! Where facts are kept while judging: the store, or the memory of one command.

use std::collections::HashMap;
use std::sync::Mutex;

use crate::domain::{Digest, Fault, RunFacts};
use crate::toolchain::Build;

/// Keeps facts under their keys.
pub trait FactStore {
    /// A known build.
    fn build(&self, key: Digest) -> Result<Option<Build>, Fault>;
    /// Keeps a build.
    fn keep_build(&self, key: Digest, build: &Build) -> Result<(), Fault>;
    /// Known runs, one place a key.
    fn runs(&self, keys: &[Digest]) -> Result<Vec<Option<RunFacts>>, Fault>;
    /// Keeps a run.
    fn keep_run(&self, key: Digest, facts: &RunFacts) -> Result<(), Fault>;
}

/// Facts of one command, forgotten at its end.
#[derive(Default)]
pub struct MemoryFacts {
    builds: Mutex<HashMap<Digest, Build>>,
    runs: Mutex<HashMap<Digest, RunFacts>>,
}

fn poisoned<T>(_: std::sync::PoisonError<T>) -> Fault {
    Fault::new("look up facts", "another worker failed while it held them")
}

impl FactStore for MemoryFacts {
    fn build(&self, key: Digest) -> Result<Option<Build>, Fault> {
        Ok(self.builds.lock().map_err(poisoned)?.get(&key).cloned())
    }

    fn keep_build(&self, key: Digest, build: &Build) -> Result<(), Fault> {
        let mut builds = self.builds.lock().map_err(poisoned)?;
        builds.insert(key, build.clone());
        Ok(())
    }

    fn runs(&self, keys: &[Digest]) -> Result<Vec<Option<RunFacts>>, Fault> {
        let runs = self.runs.lock().map_err(poisoned)?;
        Ok(keys.iter().map(|key| runs.get(key).cloned()).collect())
    }

    fn keep_run(&self, key: Digest, facts: &RunFacts) -> Result<(), Fault> {
        let mut runs = self.runs.lock().map_err(poisoned)?;
        runs.insert(key, facts.clone());
        Ok(())
    }
}
