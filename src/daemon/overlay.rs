//! Facts for a look ahead: what the store knows is read, what is measured now is kept in memory and forgotten. The store stays as it is.

use std::collections::HashMap;
use std::sync::Arc;

use super::store_facts::{stored_artifact, stored_build, stored_print};
use crate::domain::{Digest, Fault, RunFacts};
use crate::judge::{FactStore, KnownBuild, MemoryFacts, RunKey};
use crate::store::Reader;
use crate::toolchain::{Artifact, Build};

/// The store below, memory above it. For one submission, so that what is in memory stays small.
pub struct Overlay<'a> {
    /// What is known.
    reader: &'a Reader,
    /// What is measured now.
    memory: MemoryFacts,
    /// Whether known runs count; without them everything is measured again.
    recall_runs: bool,
}

impl<'a> Overlay<'a> {
    /// Nothing is measured yet.
    pub fn new(reader: &'a Reader, recall_runs: bool) -> Self {
        Self {
            reader,
            memory: MemoryFacts::default(),
            recall_runs,
        }
    }

    /// What was measured now.
    pub fn measured(
        &self,
        artifact: Digest,
        policy: Digest,
    ) -> Result<HashMap<Digest, RunFacts>, Fault> {
        self.memory.runs(artifact, policy)
    }
}

impl FactStore for Overlay<'_> {
    fn build(&self, key: Digest) -> Result<Option<KnownBuild>, Fault> {
        match self.memory.build(key)? {
            Some(build) => Ok(Some(build)),
            None => stored_build(self.reader, key),
        }
    }

    fn artifact(&self, key: Digest) -> Result<Option<Artifact>, Fault> {
        match self.memory.artifact(key)? {
            Some(artifact) => Ok(Some(artifact)),
            None => stored_artifact(self.reader, key),
        }
    }

    fn keep_build(&self, key: Digest, version: &str, build: &Build) -> Result<(), Fault> {
        self.memory.keep_build(key, version, build)
    }

    fn runs(&self, artifact: Digest, policy: Digest) -> Result<HashMap<Digest, RunFacts>, Fault> {
        if !self.recall_runs {
            return self.memory.runs(artifact, policy);
        }
        let mut known = self
            .reader
            .runs_for(&artifact, &policy)
            .map_err(|error| Fault::new("look up runs", error))?;
        known.extend(self.memory.runs(artifact, policy)?);
        Ok(known)
    }

    fn printed(&self, key: RunKey) -> Result<Option<Arc<[u8]>>, Fault> {
        match self.memory.printed(key)? {
            Some(printed) => Ok(Some(printed)),
            None if self.recall_runs => stored_print(self.reader, key),
            None => Ok(None),
        }
    }

    fn output(&self, digest: Digest) -> Result<Option<Arc<[u8]>>, Fault> {
        self.reader
            .output(&digest)
            .map_err(|error| Fault::new("look up an output", error))
    }

    fn keep_run(&self, key: RunKey, facts: &RunFacts) -> Result<(), Fault> {
        self.memory.keep_run(key, facts)
    }

    fn answer(&self, key: Digest) -> Result<Option<Arc<[u8]>>, Fault> {
        match self.memory.answer(key)? {
            Some(answer) => Ok(Some(answer)),
            None => self
                .reader
                .answer(&key)
                .map_err(|error| Fault::new("look up an answer", error)),
        }
    }

    fn keep_answer(&self, key: Digest, answer: &Arc<[u8]>) -> Result<(), Fault> {
        self.memory.keep_answer(key, answer)
    }
}
