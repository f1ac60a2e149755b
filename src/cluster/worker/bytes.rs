//! Where an order's bytes come from at a worker: what its place has in memory, then its disk, then
//! the server, and last the daemon, which puts them on the server again. Wherever they come from,
//! they are known by what they are.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use tokio::runtime::Handle;

use super::cache::Cache;
use super::link::{Link, Out};
use super::notice::Notice;
use crate::cluster::blobs::get;
use crate::cluster::subjects::Kind;
use crate::cluster::wire::{self, Answer, Found, Question, Want};
use crate::domain::bounds::ARTIFACT_BYTES_MAX;
use crate::domain::{Compared, Digest, Fault};
use crate::judge::order::Source;

/// Bytes that a place keeps in memory for its next order.
const KEPT_BYTES_MAX: usize = 64 * 1024 * 1024;
/// How often the daemon puts the same bytes on the server for one order.
const WANTS_MAX: usize = 5;

/// What a place has in memory: the same allocation for the same digest.
#[derive(Default)]
pub struct Kept {
    blobs: HashMap<Digest, Arc<[u8]>>,
    bytes: usize,
}

impl Kept {
    fn add(&mut self, digest: Digest, bytes: &Arc<[u8]>) {
        if self.bytes + bytes.len() > KEPT_BYTES_MAX {
            self.blobs.clear();
            self.bytes = 0;
        }
        if bytes.len() <= KEPT_BYTES_MAX && self.blobs.insert(digest, Arc::clone(bytes)).is_none() {
            self.bytes += bytes.len();
        }
    }
}

/// Where the bytes of one order come from.
pub struct FromAfar<'a> {
    /// The connection.
    pub link: &'a Link,
    /// Drives it.
    pub runtime: &'a Handle,
    /// The worker's disk.
    pub cache: Option<&'a Cache>,
    /// The place's memory.
    pub kept: &'a RefCell<Kept>,
    /// The order.
    pub out: &'a Out,
}

impl FromAfar<'_> {
    /// Keeps bytes that another order may name.
    pub fn keep(&self, digest: &Digest, bytes: &Arc<[u8]>) {
        self.kept.borrow_mut().add(*digest, bytes);
        let kept = self.cache.map_or(Ok(()), |cache| cache.put(digest, bytes));
        if let Err(error) = kept {
            (self.link.say)(Notice::Slower(format!(
                "bytes are not kept on this machine's disk, and are fetched again with each order: {error}"
            )));
        }
    }

    async fn fetch(&self, wanted: &Digest) -> Result<Option<Vec<u8>>, Fault> {
        let fault =
            |reason: &dyn ToString| Fault::new("fetch what an order needs", reason.to_string());
        let want = Want {
            worker: self.link.life.clone(),
            order: self.out.id.clone(),
            digest: *wanted,
        };
        let want = wire::write(&want, &[]).map_err(|error| fault(&error))?;
        for _ in 0..WANTS_MAX {
            if self.out.is_dropped() {
                return Err(fault(&"nobody waits for this order any more"));
            }
            let course = &self.out.course;
            match get(&self.link.client, course, wanted, ARTIFACT_BYTES_MAX).await {
                Ok(Some(bytes)) => return Ok(Some(bytes)),
                Ok(None) => {}
                Err(error) => tracing::debug!(%error, "bytes on the server"),
            }
            let found = self.link.about(self.out, Kind::Want, &want).await;
            match found.map_err(|error| fault(&error))? {
                Found::There => {}
                Found::Gone => return Ok(None),
                Found::Stop => self.out.drop_it(),
            }
        }
        Err(fault(&"the server loses them as soon as they are there"))
    }
}

impl Source for FromAfar<'_> {
    fn blob(&self, wanted: &Digest) -> Result<Option<Arc<[u8]>>, Fault> {
        if let Some(bytes) = self.kept.borrow().blobs.get(wanted) {
            return Ok(Some(Arc::clone(bytes)));
        }
        if let Some(bytes) = self.cache.and_then(|cache| cache.get(wanted)) {
            let bytes = Arc::from(bytes);
            self.kept.borrow_mut().add(*wanted, &bytes);
            return Ok(Some(bytes));
        }
        let Some(bytes) = self.runtime.block_on(self.fetch(wanted))? else {
            return Ok(None);
        };
        let bytes = Arc::from(bytes);
        self.keep(wanted, &bytes);
        Ok(Some(bytes))
    }

    fn opinion(&self, question: &Digest) -> Result<Option<Compared>, Fault> {
        let asked = Question {
            worker: self.link.life.clone(),
            order: self.out.id.clone(),
            question: *question,
        };
        let asked = wire::write(&asked, &[]).map_err(|error| Fault::new("ask", error))?;
        let answer = self.link.about(self.out, Kind::Question, &asked);
        let answer: Result<Answer, _> = self.runtime.block_on(answer);
        // Where nobody answers, the checker says it again.
        Ok(answer.ok().and_then(|answer| answer.said))
    }
}
