//! Bytes by their digests on the server, for workers to fetch: what an order names, put there by the
//! daemon before the order goes out.
//!
//! The stream may lose anything at any time: its oldest messages when it is full, all of them when
//! somebody empties the server. A worker that misses bytes says so, and they are put there again. So
//! nothing reads the stream's state, and nothing is acknowledged or consumed.

use std::time::Duration;

use async_nats::jetstream::context::{CreateStreamErrorKind, PublishErrorKind};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};
use async_nats::jetstream::{self, ErrorCode};
use async_nats::{Client, HeaderMap, RequestErrorKind, StatusCode};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::seal;
use super::subjects::{self, Name};
use super::wire::{MESSAGE_BYTES_MAX, PART_BYTES};
use crate::domain::Digest;
use crate::util::hash::digest;

/// The server forgets bytes of this age: a day's work is rarely about older tests, and what is
/// needed again is put there again.
pub const AGE_MAX: Duration = Duration::from_hours(24);
/// Parts on their way at a time. The library hangs with more than 5,000 acknowledgements that
/// nobody awaits.
const PARTS_AT_ONCE: usize = 8;
/// How long the server may take to keep or to find a part.
const PATIENCE: Duration = Duration::from_secs(5);
/// A part's header with the length of the whole, so that whoever fetches it knows how many there
/// are.
const LENGTH: &str = "Verdictd-Length";

/// Why bytes could not be put on the server, or fetched from it.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// The stream cannot be made.
    #[error("the server cannot keep bytes for workers: {0}")]
    Stream(String),
    /// The server does not take or give them.
    #[error("the server does not answer for bytes: {0}")]
    Server(String),
    /// The server gives something else.
    #[error("what the server keeps under {0:?} is something else: {1}")]
    Wrong(Digest, &'static str),
}

/// The daemon's end.
pub struct Blobs {
    context: jetstream::Context,
    course: Name,
    keep_bytes: u64,
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
        }
    }

    /// Makes the stream, or changes it to what it should be.
    pub async fn open(&self) -> Result<(), BlobError> {
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
        let made = self.context.create_stream(wanted.clone()).await;
        let is_other = |kind: &CreateStreamErrorKind| {
            matches!(kind, CreateStreamErrorKind::JetStream(error)
                if error.error_code() == ErrorCode::STREAM_NAME_EXIST)
        };
        match made {
            Ok(_) => Ok(()),
            Err(error) if is_other(&error.kind()) => {
                let changed = self.context.update_stream(wanted).await;
                changed.map(drop)
            }
            Err(error) => Err(error),
        }
        .map_err(|error| BlobError::Stream(error.to_string()))
    }

    /// Puts bytes on the server, and waits until it has them. A stream that is gone is made again.
    pub async fn put(&self, digest: &Digest, bytes: &[u8]) -> Result<(), BlobError> {
        match self.put_parts(digest, bytes).await {
            Err(Missed::Stream) => {
                self.open().await?;
                let again = self.put_parts(digest, bytes).await;
                again.map_err(|missed| BlobError::Server(missed.to_string()))
            }
            put => put.map_err(|missed| BlobError::Server(missed.to_string())),
        }
    }

    async fn put_parts(&self, digest: &Digest, bytes: &[u8]) -> Result<(), Missed> {
        let mut headers = HeaderMap::new();
        headers.insert(LENGTH, bytes.len().to_string().as_str());
        let count = parts(bytes.len() as u64);
        let mut sealed = bytes.to_vec();
        seal::apply(digest, &mut sealed);
        let put = |number| {
            let subject = subjects::blob(&self.course, digest, number);
            let from = usize::try_from(number).unwrap_or(usize::MAX) * PART_BYTES;
            let part = sealed[from..bytes.len().min(from + PART_BYTES)].to_vec();
            let headers = headers.clone();
            async move {
                let sent = self
                    .context
                    .publish_with_headers(subject, headers, part.into());
                sent.await?.await?;
                Ok::<_, jetstream::context::PublishError>(())
            }
        };
        let all = stream::iter((0..count).map(put)).buffer_unordered(PARTS_AT_ONCE);
        all.try_collect::<()>()
            .await
            .map_err(|error| match error.kind() {
                PublishErrorKind::StreamNotFound => Missed::Stream,
                _ => Missed::Other(error.to_string()),
            })
    }
}

/// Why parts were not taken.
#[derive(Debug, thiserror::Error)]
enum Missed {
    #[error("the stream is gone")]
    Stream,
    #[error("{0}")]
    Other(String),
}

/// How many parts bytes of this length have; none at all are one empty part.
fn parts(length: u64) -> u64 {
    length.div_ceil(PART_BYTES as u64).max(1)
}

/// Fetches bytes of at most this length from the server; none where it does not have all of them.
pub async fn get(
    client: &Client,
    course: &Name,
    wanted: &Digest,
    bytes_max: u64,
) -> Result<Option<Vec<u8>>, BlobError> {
    let Some((length, first)) = get_part(client, course, wanted, 0).await? else {
        return Ok(None);
    };
    if length > bytes_max {
        return Err(BlobError::Wrong(*wanted, "longer than any may be"));
    }
    let mut bytes = first;
    let mut rest = stream::iter(1..parts(length))
        .map(|number| get_part(client, course, wanted, number))
        .buffered(PARTS_AT_ONCE);
    while let Some(part) = rest.next().await {
        match part? {
            // A part is bounded by the server's own bound on messages.
            Some((_, part)) if bytes.len() as u64 <= length => bytes.extend_from_slice(&part),
            Some(_) => return Err(BlobError::Wrong(*wanted, "longer than it says")),
            None => return Ok(None),
        }
    }
    seal::apply(wanted, &mut bytes);
    if digest(&bytes) != *wanted {
        return Err(BlobError::Wrong(*wanted, "other bytes"));
    }
    Ok(Some(bytes))
}

/// One part, and the length of the whole.
async fn get_part(
    client: &Client,
    course: &Name,
    wanted: &Digest,
    number: u64,
) -> Result<Option<(u64, Vec<u8>)>, BlobError> {
    let subject = subjects::direct_get(course, &subjects::blob(course, wanted, number));
    let request = async_nats::Request::new().timeout(Some(PATIENCE));
    let message = match client.send_request(subject, request).await {
        Ok(message) => message,
        // Nobody answers for a stream that is gone; Debian's server says nothing at all then.
        Err(error)
            if matches!(
                error.kind(),
                RequestErrorKind::NoResponders | RequestErrorKind::TimedOut
            ) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(BlobError::Server(error.to_string())),
    };
    match message.status {
        None => {}
        Some(StatusCode::NOT_FOUND) => return Ok(None),
        Some(status) => return Err(BlobError::Server(format!("status {status}"))),
    }
    let header = message.headers.as_ref().and_then(|all| all.get(LENGTH));
    let length = header.and_then(|length| length.as_str().parse().ok());
    match length {
        Some(length) => Ok(Some((length, message.payload.into()))),
        None => Err(BlobError::Wrong(*wanted, "no length")),
    }
}
