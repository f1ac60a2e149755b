//! Where an order's bytes come from: what the place has in memory, the worker's disk, the server,
//! and at last the daemon, which puts them on the server again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::link::{Link, Taken};
use crate::cluster::blobs;
use crate::cluster::wire::{Answer, Said};
use crate::domain::bounds::ARTIFACT_BYTES_MAX;
use crate::domain::{Compared, Digest, Fault};
use crate::judge::order::Source;
use crate::util::sync::lock;

/// Bytes that a place keeps in memory for its next orders.
const KEPT_BYTES_MAX: usize = 64 * 1024 * 1024;
/// How often bytes are asked for that the server lacks. It may lose them again at once.
const TRIES: u32 = 5;

/// Bytes in memory, each once: the sandbox knows an input that it has laid out by its address.
#[derive(Default)]
pub struct Kept(Mutex<HashMap<Digest, Arc<[u8]>>>);

impl Kept {
    /// Keeps bytes. Where there are too many, all others go: what is needed is on the disk.
    fn add(&self, digest: Digest, bytes: &Arc<[u8]>) {
        let mut kept = lock(&self.0);
        let held: usize = kept.values().map(|bytes| bytes.len()).sum();
        if held + bytes.len() > KEPT_BYTES_MAX {
            kept.clear();
        }
        kept.insert(digest, Arc::clone(bytes));
    }
}

/// Where the bytes of an order come from.
pub struct Fetch<'a> {
    pub link: &'a Link,
    pub taken: &'a Taken,
    pub kept: &'a Kept,
}

fn fault(reason: impl ToString) -> Fault {
    Fault::new("fetch what an order needs", reason)
}

impl Fetch<'_> {
    async fn of_server(&self, wanted: &Digest) -> Result<Option<Vec<u8>>, Fault> {
        let (link, taken) = (self.link, self.taken);
        let mut last = String::new();
        for _ in 0..TRIES {
            match blobs::get(&link.client, &taken.course, wanted, ARTIFACT_BYTES_MAX).await {
                Ok(Some(bytes)) => return Ok(Some(bytes)),
                Ok(None) => "the server loses what is put there".clone_into(&mut last),
                Err(fault) => last = fault.reason,
            }
            match link.say(taken, &Said::Want(*wanted), &[]).await {
                Ok(Answer::Gone) => return Ok(None),
                Ok(Answer::Stop) => return Err(fault("the order was cancelled")),
                Ok(_) => {}
                Err(fault) => last = fault.reason,
            }
            if taken.is_dropped() {
                break;
            }
        }
        Err(fault(last))
    }
}

impl Source for Fetch<'_> {
    fn blob(&self, wanted: &Digest) -> Result<Option<Arc<[u8]>>, Fault> {
        if let Some(bytes) = lock(&self.kept.0).get(wanted) {
            return Ok(Some(Arc::clone(bytes)));
        }
        let cache = self.link.cache.as_ref();
        let bytes = if let Some(bytes) = cache.and_then(|cache| cache.get(wanted)) {
            bytes
        } else {
            let Some(bytes) = self.link.block(self.of_server(wanted))? else {
                return Ok(None);
            };
            self.link.keep(wanted, &bytes);
            bytes
        };
        let bytes: Arc<[u8]> = bytes.into();
        self.kept.add(*wanted, &bytes);
        Ok(Some(bytes))
    }

    /// What nobody answers is asked of the checker again: that costs work and nothing else.
    fn comparison(&self, question: &Digest) -> Result<Option<Compared>, Fault> {
        let said = Said::Question(*question);
        let asked = self.link.say(self.taken, &said, &[]);
        match self.link.block(asked) {
            Ok(Answer::Before(said)) => Ok(said),
            _ => Ok(None),
        }
    }
}
