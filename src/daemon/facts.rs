//! The facts of an order on their way to the store: they are committed together with the judgement,
//! or when another order follows.

use std::sync::Arc;

use crate::domain::{Digest, Fault};
use crate::judge::comparison_bytes;
use crate::judge::order::{Blob, Bytes, Fact, Flow, Sink};
use crate::store::{NewFacts, RunRecord, Writer};
use crate::util::clock::now_ms;
use crate::util::crash::point;

/// Gathers the facts of one judgement.
pub struct FactSink {
    writer: Writer,
    new: NewFacts,
    /// What is kept of the outputs of these runs.
    outputs: Vec<Blob>,
    /// Whether each is committed at once.
    at_once: bool,
}

impl FactSink {
    /// None yet, of a judgement of this source.
    pub fn of_source(writer: Writer, source: Digest) -> Self {
        Self {
            writer,
            new: NewFacts::about(Some(source)),
            outputs: Vec::new(),
            at_once: false,
        }
    }

    /// Each is committed at once: a package's program is asked about one thing after the other.
    pub fn at_once(writer: Writer) -> Self {
        Self {
            writer,
            new: NewFacts::default(),
            outputs: Vec::new(),
            at_once: true,
        }
    }

    /// Those that are not in the store yet.
    pub fn rest(self) -> NewFacts {
        self.new
    }

    /// Commits those that are not in the store yet.
    pub fn commit(&mut self) -> Result<(), Fault> {
        if !self.new.is_empty() {
            self.writer.put_facts(self.new.take())?;
            self.outputs.clear();
            point("facts kept");
        }
        Ok(())
    }

    fn add(&mut self, fact: &Fact, bytes: Bytes<'_>) -> Result<(), Fault> {
        match fact {
            Fact::Built { key, build } => {
                self.new
                    .built(*key, build.clone(), bytes.to_vec(), now_ms());
            }
            Fact::Ran { key, facts } => {
                self.outputs.extend(bytes.iter().cloned());
                self.new.ran(RunRecord {
                    key: *key,
                    facts: Arc::clone(facts),
                    kept: bytes.first().map(|(_, kept)| Arc::clone(kept)),
                    measured_ms: now_ms(),
                });
            }
            Fact::Compared { question, .. } => {
                if let Some(said) = comparison_bytes(fact)? {
                    self.new.opinion(*question, said, now_ms());
                }
            }
            Fact::Answered { question, .. } => {
                if let [(_, answer)] = bytes {
                    self.new.answered(*question, Arc::clone(answer), now_ms());
                }
            }
            Fact::Called(_) | Fact::Lost(_) => {}
        }
        Ok(())
    }
}

impl Sink for FactSink {
    fn order_follows(&mut self) -> Result<(), Fault> {
        self.commit()
    }

    fn held(&self, digest: &Digest) -> Option<Arc<[u8]>> {
        let held = self.outputs.iter().find(|(other, _)| other == digest);
        held.map(|(_, bytes)| Arc::clone(bytes))
    }

    fn fact(&mut self, fact: &Fact, bytes: Bytes<'_>) -> Result<Flow, Fault> {
        match fact {
            Fact::Built { .. } => point("built"),
            Fact::Ran { .. } => point("run measured"),
            _ => {}
        }
        if fact.is_kept() {
            self.add(fact, bytes)?;
        }
        if self.at_once || self.new.is_large() {
            self.commit()?;
        }
        Ok(Flow::Continue)
    }
}
