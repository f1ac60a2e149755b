//! Where facts are kept while judging: the store, or the memory of one command.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::domain::{Cause, Digest, Fault, RunFacts};
use crate::toolchain::{Artifact, Build};

/// What is known of a build without the program's bytes, which only a run needs.
#[derive(Debug, Clone)]
pub struct KnownBuild {
    /// Whether there is a program, or the cause of the compile error.
    pub result: Result<(), Cause>,
    /// What the compiler printed.
    pub words: Vec<u8>,
}

/// Keeps facts under their keys.
pub trait FactStore {
    /// A known build.
    fn build(&self, key: Digest) -> Result<Option<KnownBuild>, Fault>;
    /// The program of a known build; none where its bytes are lost, so that it is built again.
    fn artifact(&self, key: Digest) -> Result<Option<Artifact>, Fault>;
    /// Keeps a build that was made by a compiler of this version.
    fn keep_build(&self, key: Digest, version: &str, build: &Build) -> Result<(), Fault>;
    /// The known runs of an artifact under a policy, by the digest of the input; the bytes that they printed may be left out.
    fn runs(&self, artifact: Digest, policy: Digest) -> Result<HashMap<Digest, RunFacts>, Fault>;
    /// An output by its digest, where it was kept whole.
    fn output(&self, digest: Digest) -> Result<Option<Arc<[u8]>>, Fault>;
    /// What is kept of what a known run printed: all of it where that is short, else its beginning.
    fn printed(&self, key: RunKey) -> Result<Option<Arc<[u8]>>, Fault>;
    /// Keeps a run.
    fn keep_run(&self, key: RunKey, facts: &RunFacts) -> Result<(), Fault>;
    /// What a program of a package once answered, by the key of the question.
    fn answer(&self, key: Digest) -> Result<Option<Arc<[u8]>>, Fault>;
    /// Keeps an answer.
    fn keep_answer(&self, key: Digest, answer: &Arc<[u8]>) -> Result<(), Fault>;
}

/// What names a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RunKey {
    /// The artifact's key.
    pub artifact: Digest,
    /// Digest of the input.
    pub input: Digest,
    /// Digest of how it is run.
    pub policy: Digest,
}

/// Facts of one command, forgotten at its end.
#[derive(Default)]
pub struct MemoryFacts {
    builds: Mutex<HashMap<Digest, Build>>,
    runs: Mutex<HashMap<RunKey, RunFacts>>,
    answers: Mutex<HashMap<Digest, Arc<[u8]>>>,
}

/// The maps are changed in one step each, so a worker that failed while it held one has left it whole.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    match mutex.lock() {
        Ok(guard) => guard,
        Err(poisoned) => poisoned.into_inner(),
    }
}

impl FactStore for MemoryFacts {
    fn build(&self, key: Digest) -> Result<Option<KnownBuild>, Fault> {
        Ok(held(&self.builds).get(&key).map(|build| KnownBuild {
            result: build.result.as_ref().map(|_| ()).map_err(Clone::clone),
            words: build.words.clone(),
        }))
    }

    fn artifact(&self, key: Digest) -> Result<Option<Artifact>, Fault> {
        let builds = held(&self.builds);
        Ok(builds.get(&key).and_then(|build| build.result.clone().ok()))
    }

    fn keep_build(&self, key: Digest, _version: &str, build: &Build) -> Result<(), Fault> {
        held(&self.builds).insert(key, build.clone());
        Ok(())
    }

    fn runs(&self, artifact: Digest, policy: Digest) -> Result<HashMap<Digest, RunFacts>, Fault> {
        Ok(held(&self.runs)
            .iter()
            .filter(|(key, _)| key.artifact == artifact && key.policy == policy)
            .map(|(key, facts)| {
                let mut facts = facts.clone();
                // As the store does it: the bytes are asked for where they are needed.
                facts.output.kept = None;
                (key.input, facts)
            })
            .collect())
    }

    fn output(&self, digest: Digest) -> Result<Option<Arc<[u8]>>, Fault> {
        let runs = held(&self.runs);
        let mut outputs = runs.values().map(|facts| &facts.output);
        let found = outputs.find(|output| output.digest == digest && output.whole().is_some());
        Ok(found.and_then(|output| output.kept.clone()))
    }

    fn printed(&self, key: RunKey) -> Result<Option<Arc<[u8]>>, Fault> {
        let runs = held(&self.runs);
        Ok(runs.get(&key).and_then(|facts| facts.output.kept.clone()))
    }

    fn keep_run(&self, key: RunKey, facts: &RunFacts) -> Result<(), Fault> {
        let mut runs = held(&self.runs);
        let mut facts = facts.clone();
        if facts.output.kept.is_none()
            && let Some(before) = runs.get(&key)
            && before.output.digest == facts.output.digest
        {
            // Known facts may come back without their bytes.
            facts.output.kept.clone_from(&before.output.kept);
        }
        runs.insert(key, facts);
        Ok(())
    }

    fn answer(&self, key: Digest) -> Result<Option<Arc<[u8]>>, Fault> {
        Ok(held(&self.answers).get(&key).cloned())
    }

    fn keep_answer(&self, key: Digest, answer: &Arc<[u8]>) -> Result<(), Fault> {
        held(&self.answers).insert(key, Arc::clone(answer));
        Ok(())
    }
}
