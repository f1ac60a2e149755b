//! Facts for a look ahead: what the store knows is read, what is measured now is kept in memory and forgotten. The store stays as it is.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::sync::Arc;

use super::store_facts::{stored_artifact, stored_build, stored_print};
use crate::domain::{Digest, Fault, RunFacts};
use crate::judge::{FactStore, KnownBuild, MemoryFacts, RunKey};
use crate::store::Reader;
use crate::toolchain::{Artifact, Build};

/// The store below, memory above it. For one submission, so that what is in memory stays small.
pub struct Overlay<'a, M = MemoryFacts> {
    /// What is known.
    reader: &'a Reader,
    /// What is measured now.
    memory: M,
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
}

impl<'a> Overlay<'a, &'a MemoryFacts> {
    /// Above the store lies what a command has measured already.
    pub fn above(reader: &'a Reader, memory: &'a MemoryFacts) -> Self {
        Self {
            reader,
            memory,
            recall_runs: true,
        }
    }
}

impl<M: Borrow<MemoryFacts>> Overlay<'_, M> {
    /// What was measured now.
    pub fn measured(
        &self,
        artifact: Digest,
        policy: Digest,
    ) -> Result<HashMap<Digest, RunFacts>, Fault> {
        self.memory.borrow().runs(artifact, policy)
    }
}

impl<M: Borrow<MemoryFacts>> FactStore for Overlay<'_, M> {
    fn build(&self, key: Digest) -> Result<Option<KnownBuild>, Fault> {
        match self.memory.borrow().build(key)? {
            Some(build) => Ok(Some(build)),
            None => stored_build(self.reader, key),
        }
    }

    fn artifact(&self, key: Digest) -> Result<Option<Artifact>, Fault> {
        match self.memory.borrow().artifact(key)? {
            Some(artifact) => Ok(Some(artifact)),
            None => stored_artifact(self.reader, key),
        }
    }

    fn keep_build(&self, key: Digest, version: &str, build: &Build) -> Result<(), Fault> {
        self.memory.borrow().keep_build(key, version, build)
    }

    fn runs(&self, artifact: Digest, policy: Digest) -> Result<HashMap<Digest, RunFacts>, Fault> {
        if !self.recall_runs {
            return self.memory.borrow().runs(artifact, policy);
        }
        let mut known = self
            .reader
            .runs_for(&artifact, &policy)
            .map_err(|error| Fault::new("look up runs", error))?;
        known.extend(self.memory.borrow().runs(artifact, policy)?);
        Ok(known)
    }

    fn printed(&self, key: RunKey) -> Result<Option<Arc<[u8]>>, Fault> {
        match self.memory.borrow().printed(key)? {
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
        self.memory.borrow().keep_run(key, facts)
    }

    fn answer(&self, key: Digest) -> Result<Option<Arc<[u8]>>, Fault> {
        match self.memory.borrow().answer(key)? {
            Some(answer) => Ok(Some(answer)),
            None => self
                .reader
                .answer(&key)
                .map_err(|error| Fault::new("look up an answer", error)),
        }
    }

    fn keep_answer(&self, key: Digest, answer: &Arc<[u8]>) -> Result<(), Fault> {
        self.memory.borrow().keep_answer(key, answer)
    }
}
