//! Bytes by their digests on the server, for workers to fetch: what an order names, put there by
//! the daemon before the order goes out.
//!
//! The stream may lose anything at any time: its oldest messages when it is full, all of them when
//! somebody empties the server. A worker that misses bytes says so, and they are put there again.
//! So nothing reads the stream's state, and nothing is acknowledged or consumed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_nats::jetstream::context::{PublishError, PublishErrorKind};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};
use async_nats::{Client, Request, RequestErrorKind, StatusCode, jetstream};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::subjects::{self, Name};
use super::wire::{MESSAGE_BYTES_MAX, PART_BYTES};
use crate::domain::{Digest, Fault};
use crate::util::hash::digest;
use crate::util::sync::lock;

/// The server forgets bytes of this age: a day's work is rarely about older tests, and what is
/// needed again is put there again.
const AGE_MAX: Duration = Duration::from_hours(24);
/// Digests of which it is remembered that they are there. Where there are more, all of them are
/// forgotten: that costs sending some of them again.
const DIGESTS_MAX: usize = 100_000;
/// Blobs that are on their way at a time.
const BLOBS_AT_ONCE: usize = 16;
/// Parts of one that are on their way at a time. The library hangs with more than 5,000
/// acknowledgements that nobody awaits.
const PARTS_AT_ONCE: usize = 8;
/// How long the server may take to keep or to find a part.
const PATIENCE: Duration = Duration::from_secs(5);

/// The daemon's end.
pub struct Blobs {
    context: jetstream::Context,
    course: Name,
    keep_bytes: u64,
    /// What is believed to be there, since when: bytes that many orders name are sent once. Whoever
    /// misses something says so.
    known: Mutex<HashMap<Digest, Instant>>,
    /// Whoever puts something there; others may be about to put the same.
    turn: tokio::sync::Mutex<()>,
}

impl Blobs {
    /// Talks to the server through this connection.
    pub fn new(client: &Client, course: &Name, keep_bytes: u64) -> Self {
        let mut context = jetstream::new(client.clone());
        context.set_timeout(PATIENCE);
        Self {
            context,
            course: course.clone(),
            keep_bytes,
            known: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
        }
    }

    /// Makes the stream, or changes it to what it should be. It may have lost everything.
    pub async fn open(&self) -> Result<(), Fault> {
        lock(&self.known).clear();
        let wanted = Config {
            name: subjects::stream(&self.course),
            subjects: vec![subjects::all_blobs(&self.course)],
            retention: RetentionPolicy::Limits,
            storage: StorageType::File,
            discard: DiscardPolicy::Old,
            max_bytes: i64::try_from(self.keep_bytes).unwrap_or(i64::MAX),
            max_age: AGE_MAX,
            // Bytes that are put there once more take the place of the same bytes.
            max_messages_per_subject: 1,
            max_message_size: i32::try_from(MESSAGE_BYTES_MAX).unwrap_or(i32::MAX),
            num_replicas: 1,
            allow_direct: true,
            ..Config::default()
        };
        let made = self.context.create_or_update_stream(wanted).await;
        made.map(drop)
            .map_err(|error| fault(format!("the server cannot keep bytes for workers: {error}")))
    }

    fn is_known(&self, digest: &Digest) -> bool {
        let since = lock(&self.known).get(digest).copied();
        since.is_some_and(|since| since.elapsed() < AGE_MAX / 2)
    }

    /// Those that were not put there lately.
    pub fn missing(&self, wanted: &[&Digest]) -> Vec<Digest> {
        let wanted = wanted.iter().filter(|digest| !self.is_known(digest));
        wanted.map(|digest| **digest).collect()
    }

    /// Puts bytes there, unless somebody has done so meanwhile.
    pub async fn put_all(&self, all: &HashMap<Digest, Arc<[u8]>>) -> Result<(), Fault> {
        if all.is_empty() {
            return Ok(());
        }
        let _turn = self.turn.lock().await;
        let missing = all.iter().filter(|(digest, _)| !self.is_known(digest));
        let puts: Vec<_> = missing
            .map(|(digest, bytes)| self.put(digest, bytes))
            .collect();
        let puts = stream::iter(puts).buffer_unordered(BLOBS_AT_ONCE);
        puts.try_collect().await
    }

    /// Puts bytes on the server, and waits until it has them. A stream that is gone is made again.
    pub async fn put(&self, digest: &Digest, bytes: &[u8]) -> Result<(), Fault> {
        let mut put = self.put_parts(digest, bytes).await;
        let kind = put.as_ref().err().map(PublishError::kind);
        if kind == Some(PublishErrorKind::StreamNotFound) {
            self.open().await?;
            put = self.put_parts(digest, bytes).await;
        }
        put.map_err(unanswered)?;
        let mut known = lock(&self.known);
        if known.len() >= DIGESTS_MAX {
            known.clear();
        }
        known.insert(*digest, Instant::now());
        Ok(())
    }

    async fn put_parts(&self, digest: &Digest, bytes: &[u8]) -> Result<(), PublishError> {
        let mut sealed = bytes.to_vec();
        subjects::apply_seal(digest, &mut sealed);
        let parts = sealed.chunks(PART_BYTES).map(<[u8]>::to_vec);
        // The last part is a short one, so that whoever fetches them knows it.
        let end = sealed.len().is_multiple_of(PART_BYTES).then(Vec::new);
        let put = |(number, part): (u64, Vec<u8>)| {
            let subject = subjects::blob(&self.course, digest, number);
            let sent = self.context.publish(subject, part.into());
            async move {
                sent.await?.await?;
                Ok::<(), PublishError>(())
            }
        };
        let all =
            stream::iter((0..).zip(parts.chain(end)).map(put)).buffer_unordered(PARTS_AT_ONCE);
        all.try_collect().await
    }
}

fn fault(reason: String) -> Fault {
    Fault::new("keep bytes for workers on the server", reason)
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` hands it over")]
fn unanswered(error: impl ToString) -> Fault {
    let error = error.to_string();
    fault(format!("the server does not answer for bytes: {error}"))
}

/// Fetches bytes of at most this length from the server; none where it does not have all of them.
pub async fn get(
    client: &Client,
    course: &Name,
    wanted: &Digest,
    bytes_max: u64,
) -> Result<Option<Vec<u8>>, Fault> {
    let wrong = |words| {
        fault(format!(
            "what the server keeps under {wanted:?} is something else: {words}"
        ))
    };
    let mut bytes = Vec::new();
    for number in 0.. {
        let subject = subjects::blob(course, wanted, number);
        let Some(part) = get_part(client, course, &subject).await? else {
            return Ok(None);
        };
        bytes.extend_from_slice(&part);
        if bytes.len() as u64 > bytes_max {
            return Err(wrong("longer than any may be"));
        }
        if part.len() < PART_BYTES {
            break;
        }
    }
    subjects::apply_seal(wanted, &mut bytes);
    if digest(&bytes) != *wanted {
        return Err(wrong("other bytes"));
    }
    Ok(Some(bytes))
}

async fn get_part(client: &Client, course: &Name, subject: &str) -> Result<Option<Vec<u8>>, Fault> {
    let subject = subjects::direct_get(course, subject);
    let request = Request::new().timeout(Some(PATIENCE));
    match client.send_request(subject, request).await {
        Ok(message) => match message.status {
            None => Ok(Some(message.payload.into())),
            Some(StatusCode::NOT_FOUND) => Ok(None),
            Some(status) => Err(unanswered(format!("status {status}"))),
        },
        Err(error) => match error.kind() {
            // Nobody answers for a stream that is gone; Debian's server says nothing at all then.
            RequestErrorKind::NoResponders | RequestErrorKind::TimedOut => Ok(None),
            _ => Err(unanswered(error)),
        },
    }
}
