//! Where facts are looked up: the store, the memory of one command, or one above the other.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};

use super::order::{Bytes, Fact, Flow, Sink};
use crate::domain::{Build, Compared, Digest, Fault, RunFacts, RunKey};
use crate::store::Reader;
use crate::util::sync::lock;

/// Runs by the digest of the input.
pub type Runs = HashMap<Digest, Arc<RunFacts>>;

/// Facts by their keys. Looking up changes nothing.
pub trait Archive {
    /// What came of a build; its files are blobs.
    fn build(&self, key: &Digest) -> Result<Option<Build>, Fault>;
    /// The runs of a build under a policy.
    fn runs(&self, build: &Digest, policy: &Digest) -> Result<Runs, Fault>;
    /// What a program of a package once answered.
    fn answer(&self, question: &Digest) -> Result<Option<Arc<[u8]>>, Fault>;
    /// Bytes by their digest.
    fn blob(&self, digest: &Digest) -> Result<Option<Arc<[u8]>>, Fault>;

    /// What a comparison once said.
    fn comparison(&self, question: &Digest) -> Result<Option<Compared>, Fault> {
        let Some(bytes) = self.answer(question)? else {
            return Ok(None);
        };
        serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|error| Fault::new("read a comparison", error))
    }
}

impl Archive for Reader {
    fn build(&self, key: &Digest) -> Result<Option<Build>, Fault> {
        Self::build(self, key).map_err(Fault::from)
    }

    fn runs(&self, build: &Digest, policy: &Digest) -> Result<Runs, Fault> {
        self.runs_for(build, policy).map_err(Fault::from)
    }

    fn answer(&self, question: &Digest) -> Result<Option<Arc<[u8]>>, Fault> {
        Self::answer(self, question).map_err(Fault::from)
    }

    fn blob(&self, digest: &Digest) -> Result<Option<Arc<[u8]>>, Fault> {
        Self::blob(self, digest).map_err(Fault::from)
    }
}

/// Facts of one command, forgotten at its end.
#[derive(Debug, Default)]
pub struct Memory(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    builds: HashMap<Digest, Build>,
    runs: HashMap<RunKey, Arc<RunFacts>>,
    answers: HashMap<Digest, Arc<[u8]>>,
    blobs: HashMap<Digest, Arc<[u8]>>,
}

impl Memory {
    /// A fact changes the maps in one step each, so a thread that failed while it held them has
    /// left them whole.
    fn held(&self) -> MutexGuard<'_, Known> {
        lock(&self.0)
    }

    /// Forgets runs and what was printed; what was built stays.
    pub fn forget_runs(&self) {
        let mut known = self.held();
        let known = &mut *known;
        known.runs.clear();
        let builds = known.builds.values();
        let files = builds.filter_map(|build| build.result.as_ref().ok());
        let kept: HashSet<Digest> = files
            .flat_map(|manifest| manifest.files.iter().map(|file| file.digest))
            .collect();
        known.blobs.retain(|digest, _| kept.contains(digest));
    }
}

impl Archive for Memory {
    fn build(&self, key: &Digest) -> Result<Option<Build>, Fault> {
        Ok(self.held().builds.get(key).cloned())
    }

    fn runs(&self, build: &Digest, policy: &Digest) -> Result<Runs, Fault> {
        let known = self.held();
        let runs = known.runs.iter();
        let wanted = runs.filter(|(key, _)| key.build == *build && key.policy == *policy);
        Ok(wanted
            .map(|(key, facts)| (key.input, Arc::clone(facts)))
            .collect())
    }

    fn answer(&self, question: &Digest) -> Result<Option<Arc<[u8]>>, Fault> {
        Ok(self.held().answers.get(question).cloned())
    }

    fn blob(&self, digest: &Digest) -> Result<Option<Arc<[u8]>>, Fault> {
        Ok(self.held().blobs.get(digest).cloned())
    }
}

impl Sink for &Memory {
    fn fact(&mut self, fact: &Fact, bytes: Bytes<'_>) -> Result<Flow, Fault> {
        if !fact.is_kept() {
            return Ok(Flow::Continue);
        }
        let comparison = comparison_bytes(fact)?;
        let mut known = self.held();
        known.blobs.extend(bytes.iter().cloned());
        match fact {
            Fact::Built { key, build } => {
                known.builds.insert(*key, build.clone());
            }
            Fact::Ran { key, facts } => {
                known.runs.insert(*key, Arc::clone(facts));
            }
            Fact::Compared { question, .. } => {
                known
                    .answers
                    .extend(comparison.map(|said| (*question, said)));
            }
            Fact::Answered { question, answer } => {
                let answer = known.blobs.get(answer).cloned();
                known
                    .answers
                    .extend(answer.map(|answer| (*question, answer)));
            }
            Fact::Called(_) | Fact::Lost(_) => {}
        }
        Ok(Flow::Continue)
    }
}

/// A comparison as an archive keeps it: an answer like others.
pub fn comparison_bytes(fact: &Fact) -> Result<Option<Arc<[u8]>>, Fault> {
    let Fact::Compared { compared, .. } = fact else {
        return Ok(None);
    };
    let bytes =
        serde_json::to_vec(compared).map_err(|error| Fault::new("keep a comparison", error))?;
    Ok(Some(Arc::from(bytes)))
}

/// What a command has measured above what the store knows. The store stays as it is.
pub struct Layered<'a> {
    /// What was measured now.
    pub memory: &'a Memory,
    /// What was known before, where there is a store.
    pub store: Option<&'a Reader>,
    /// Whether the store's runs count; without them everything is measured again.
    pub recalls_runs: bool,
}

impl Layered<'_> {
    /// What is known now, or else was before.
    fn first<T>(
        &self,
        ask: impl Fn(&dyn Archive) -> Result<Option<T>, Fault>,
    ) -> Result<Option<T>, Fault> {
        match (ask(self.memory)?, self.store) {
            (None, Some(store)) => ask(store),
            (found, _) => Ok(found),
        }
    }
}

impl Archive for Layered<'_> {
    fn build(&self, key: &Digest) -> Result<Option<Build>, Fault> {
        self.first(|archive| archive.build(key))
    }

    fn runs(&self, build: &Digest, policy: &Digest) -> Result<Runs, Fault> {
        let mut known = match self.store {
            Some(store) if self.recalls_runs => Archive::runs(store, build, policy)?,
            Some(_) | None => HashMap::new(),
        };
        known.extend(self.memory.runs(build, policy)?);
        Ok(known)
    }

    fn answer(&self, question: &Digest) -> Result<Option<Arc<[u8]>>, Fault> {
        self.first(|archive| archive.answer(question))
    }

    fn blob(&self, digest: &Digest) -> Result<Option<Arc<[u8]>>, Fault> {
        self.first(|archive| archive.blob(digest))
    }
}
