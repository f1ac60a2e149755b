//! What was put on the server lately, so that bytes which many orders name are sent once.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use tokio::sync::OnceCell;

use crate::cluster::blobs::{AGE_MAX, BlobError, Blobs};
use crate::domain::Digest;
use crate::util::sync::lock;

/// Digests that are remembered.
const DIGESTS_MAX: usize = 100_000;
/// Blobs of an order that are on their way at a time.
const AT_ONCE: usize = 16;

/// The server's bytes, and what is known of them.
pub struct Lately {
    blobs: Blobs,
    /// Bytes that are believed to be there: less than the server keeps, because other processes may
    /// put bytes there too.
    bytes_max: usize,
    age_max: Duration,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    by_digest: HashMap<Digest, Entry>,
    oldest: VecDeque<Digest>,
    bytes: usize,
}

struct Entry {
    /// Filled when the server has them. Whoever comes meanwhile waits for it.
    put: Arc<OnceCell<()>>,
    since: Instant,
    length: usize,
}

impl Lately {
    /// Nothing is known to be there.
    pub fn new(blobs: Blobs, keep_bytes: u64) -> Self {
        Self {
            blobs,
            bytes_max: usize::try_from(keep_bytes / 2).unwrap_or(usize::MAX),
            age_max: AGE_MAX / 2,
            known: Mutex::default(),
        }
    }

    /// The server may have lost everything: makes what is needed to keep bytes there.
    pub async fn begin_anew(&self) -> Result<(), BlobError> {
        *lock(&self.known) = Known::default();
        self.blobs.open().await
    }

    /// Somebody misses these bytes. Those that are on their way are not sent twice.
    pub fn forget(&self, digest: &Digest) {
        let mut known = lock(&self.known);
        let entry = known.by_digest.get(digest);
        if entry.is_some_and(|entry| entry.put.initialized()) {
            known.forget(digest);
        }
    }

    /// Puts bytes there, unless they were put there lately.
    pub async fn put(&self, digest: &Digest, bytes: &[u8]) -> Result<(), BlobError> {
        let cell = {
            let mut known = lock(&self.known);
            known.forget_old(self.age_max, self.bytes_max);
            known.entry(digest, bytes.len())
        };
        let put = cell.get_or_try_init(|| self.blobs.put(digest, bytes)).await;
        put.map(drop)
    }

    /// The same for all bytes of an order.
    pub async fn put_all(&self, all: &HashMap<Digest, Arc<[u8]>>) -> Result<(), BlobError> {
        let puts = all.iter().map(|(digest, bytes)| self.put(digest, bytes));
        let puts: Vec<_> = puts.collect();
        let puts = stream::iter(puts).buffer_unordered(AT_ONCE);
        puts.try_collect().await
    }
}

impl Known {
    fn entry(&mut self, digest: &Digest, length: usize) -> Arc<OnceCell<()>> {
        if let Some(entry) = self.by_digest.get(digest) {
            return Arc::clone(&entry.put);
        }
        let put = Arc::default();
        let entry = Entry {
            put: Arc::clone(&put),
            since: Instant::now(),
            length,
        };
        self.by_digest.insert(*digest, entry);
        self.oldest.push_back(*digest);
        self.bytes += length;
        put
    }

    fn forget(&mut self, digest: &Digest) {
        if let Some(entry) = self.by_digest.remove(digest) {
            self.bytes -= entry.length;
            self.oldest.retain(|other| other != digest);
        }
    }

    fn forget_old(&mut self, age_max: Duration, bytes_max: usize) {
        while let Some(oldest) = self.oldest.front() {
            let is_old = self
                .by_digest
                .get(oldest)
                .is_none_or(|entry| entry.since.elapsed() > age_max);
            if !is_old && self.bytes <= bytes_max && self.oldest.len() < DIGESTS_MAX {
                return;
            }
            if let Some(entry) = self
                .oldest
                .pop_front()
                .and_then(|d| self.by_digest.remove(&d))
            {
                self.bytes -= entry.length;
            }
        }
    }
}
