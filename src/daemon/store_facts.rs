//! The store as the place where a worker keeps its facts.

use crate::domain::{Digest, Fault, RunFacts};
use crate::judge::FactStore;
use crate::store::{Reader, StoreError, Writer};
use crate::toolchain::Build;

/// The store, seen by one worker for one submission.
pub struct StoreFacts {
    writer: Writer,
    reader: Reader,
}

impl StoreFacts {
    /// Reads by this reader, writes by that writer.
    pub fn new(writer: Writer, reader: Reader) -> Self {
        Self { writer, reader }
    }
}
