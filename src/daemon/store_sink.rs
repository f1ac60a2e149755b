//! Keeps the facts of an order in the store as they come.

use std::sync::Arc;

use crate::domain::{Digest, Fault, RunFacts};
use crate::judge::opinion_bytes;
use crate::judge::order::{Bytes, Fact, Go, Sink};
use crate::store::{RunRecord, StoreError, Unawaited, Writer};
use crate::util::clock::now_ms;
use crate::util::crash::point;

/// The store, written to by one worker for one submission.
pub struct StoreSink {
    writer: Writer,
    /// The student's program that is judged, with which its facts are forgotten.
    source: Option<Digest>,
    /// Whether a write failed that was not waited for.
    pub written: Unawaited,
}

impl StoreSink {
    /// Nothing was kept yet.
    pub fn new(writer: Writer, source: Option<Digest>) -> Self {
        Self {
            writer,
            source,
            written: Unawaited::default(),
        }
    }

    /// Nothing is measured any more that cannot be kept.
    fn refuse_after_failure(&self) -> Result<Go, Fault> {
        match self.written.failure() {
            Some(failure) => Err(failure.clone().into_fault("keep the run")),
            None => Ok(Go::On),
        }
    }
}

fn fault(step: &str) -> impl Fn(StoreError) -> Fault + '_ {
    move |error| error.into_fault(step)
}

impl Sink for StoreSink {
    fn fact(&mut self, fact: &Fact, bytes: Bytes<'_>) -> Result<Go, Fault> {
        if !fact.is_kept() {
            return Ok(Go::On);
        }
        match fact {
            Fact::Built { key, build } => {
                point("built");
                self.writer
                    .put_build(*key, build.clone(), bytes.to_vec(), self.source, now_ms())
                    .map_err(fault("keep the build"))?;
                point("build kept");
                Ok(Go::On)
            }
            Fact::Ran { key, facts } => {
                let record = RunRecord {
                    key: *key,
                    facts: RunFacts::clone(facts),
                    kept: bytes.first().map(|(_, kept)| Arc::clone(kept)),
                    measured_ms: now_ms(),
                };
                point("run measured");
                self.writer.put_run_later(record, &self.written);
                point("run handed over");
                self.refuse_after_failure()
            }
            Fact::Opinion { question, .. } => {
                if let Some(said) = opinion_bytes(fact)? {
                    self.writer.put_answer_later(
                        *question,
                        said,
                        now_ms(),
                        self.source,
                        &self.written,
                    );
                }
                self.refuse_after_failure()
            }
            Fact::Answered { question, .. } => {
                if let [(_, answer)] = bytes {
                    self.writer
                        .put_answer(*question, Arc::clone(answer), now_ms())
                        .map_err(fault("keep an answer"))?;
                }
                Ok(Go::On)
            }
            Fact::Refused(_) | Fact::Lost(_) => Ok(Go::On),
        }
    }
}
