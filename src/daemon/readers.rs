//! Connections to the store that planners share. A planner reads for a moment and waits for long, and
//! each connection keeps up to 2 MiB of the store in memory: hundreds of planners need only a few.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::shared::{Shared, store_fault};
use crate::domain::{Build, Digest, Fault, RunFacts};
use crate::judge::Archive;
use crate::store::Reader;
use crate::util::sync::lock;

/// Connections at a time; whoever needs one more waits for a moment.
const READERS_MAX: usize = 8;

/// The connections.
pub struct Readers {
    shared: Arc<Shared>,
    held: Mutex<Held>,
    back: Condvar,
}

#[derive(Default)]
struct Held {
    idle: Vec<Reader>,
    /// Those that are open, in use or not.
    open: usize,
}

/// A connection in use, given back when it is dropped.
struct Lent<'r> {
    readers: &'r Readers,
    reader: Option<Reader>,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let mut held = lock(&self.readers.held);
        match self.reader.take() {
            Some(reader) => held.idle.push(reader),
            None => held.open -= 1,
        }
        drop(held);
        self.readers.back.notify_one();
    }
}

impl Readers {
    /// None is open yet.
    pub fn new(shared: &Arc<Shared>) -> Self {
        Self {
            shared: Arc::clone(shared),
            held: Mutex::default(),
            back: Condvar::new(),
        }
    }

    /// Reads something.
    pub fn read<T>(&self, work: impl FnOnce(&Reader) -> Result<T, Fault>) -> Result<T, Fault> {
        let waits = |held: &mut Held| held.idle.is_empty() && held.open == READERS_MAX;
        let held = self.back.wait_while(lock(&self.held), waits);
        let mut held = held.unwrap_or_else(PoisonError::into_inner);
        let reader = held.idle.pop();
        held.open += usize::from(reader.is_none());
        drop(held);
        let mut lent = Lent {
            readers: self,
            reader,
        };
        work(self.shared.opened(&mut lent.reader)?)
    }
}

impl Archive for Readers {
    fn build(&self, key: &Digest) -> Result<Option<Build>, Fault> {
        self.read(|reader| Archive::build(reader, key))
    }

    fn runs(&self, build: &Digest, policy: &Digest) -> Result<HashMap<Digest, RunFacts>, Fault> {
        self.read(|reader| reader.runs(build, policy))
    }

    fn answer(&self, question: &Digest) -> Result<Option<Arc<[u8]>>, Fault> {
        self.read(|reader| Archive::answer(reader, question))
    }

    fn blob(&self, digest: &Digest) -> Result<Option<Arc<[u8]>>, Fault> {
        self.read(|reader| Archive::blob(reader, digest))
    }
}

/// Waits until everything is in the store that was on its way there.
pub fn written(shared: &Shared) -> Result<(), Fault> {
    let writer = shared.store.writer();
    writer.catch_up().map_err(store_fault("keep the facts"))
}
