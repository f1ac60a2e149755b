//! Where messages go. A credential allows subjects, so the names of course and worker stand in them,
//! each as a token of its own.
//!
//! | subject | from | to | what |
//! |---|---|---|---|
//! | `verdictd.course.COURSE` | daemon | every worker | [`News`](super::wire::News), every few seconds and when work waits |
//! | `verdictd.from.WORKER.COURSE.KIND` | worker | that daemon | a request; the answer goes to the worker's own inbox |
//! | `verdictd.blob.COURSE.NAME.N` | daemon | the server keeps it | the N-th part of bytes that an order names, sealed with their digest |
//!
//! A worker publishes only below `verdictd.from.WORKER`, reads news, and fetches parts of bytes with
//! the server's direct get. To find and to read them it has to know the digest: it sees nothing that
//! no order has named to it.

pub use crate::domain::ServerName as Name;
use crate::domain::{Digest, words};

words! {
    /// What a worker says to a daemon.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Kind by token {
        /// Here it is, and this is what it does: [`Heartbeat`](super::wire::Heartbeat).
        Here = "here",
        /// A place is free: [`Take`](super::wire::Take).
        Take = "take",
        /// Something about an order: [`Head`](super::wire::Head) and [`Said`](super::wire::Said).
        Order = "order",
        /// Work that proves its speed: [`Proving`](super::wire::Proving).
        Prove = "prove",
    }
}

/// News of every course.
pub const ALL_NEWS: &str = "verdictd.course.*";

/// News of a course.
pub fn news(course: &Name) -> String {
    format!("verdictd.course.{course}")
}

/// The course of a subject below [`ALL_NEWS`].
pub fn course_of_news(subject: &str) -> Option<Name> {
    Name::new(subject.strip_prefix("verdictd.course.")?)
}

/// A request of a worker.
pub fn request(worker: &Name, course: &Name, kind: Kind) -> String {
    format!("verdictd.from.{worker}.{course}.{}", kind.token())
}

/// The requests of a worker to a course.
pub fn requests_between(worker: &Name, course: &Name) -> String {
    format!("verdictd.from.{worker}.{course}.*")
}

/// The requests of all workers to a course.
pub fn all_requests(course: &Name) -> String {
    format!("verdictd.from.*.{course}.*")
}

/// The requests that a worker may make: what its credential allows.
pub fn requests_of(worker: &Name) -> String {
    format!("verdictd.from.{worker}.*.*")
}

/// Who asks for what, of a subject of a request.
pub fn parse_request(subject: &str) -> Option<(Name, Kind)> {
    let mut tokens = subject.strip_prefix("verdictd.from.")?.split('.');
    let (worker, _course, kind) = (tokens.next()?, tokens.next()?, tokens.next()?);
    let kind = kind.parse().ok()?;
    tokens
        .next()
        .is_none()
        .then(|| Some((Name::new(worker)?, kind)))?
}

/// The server's stream that keeps a course's bytes.
pub fn stream(course: &Name) -> String {
    format!("VERDICTD_{course}")
}

/// Everything that the stream of a course keeps.
pub fn all_blobs(course: &Name) -> String {
    format!("verdictd.blob.{course}.>")
}

/// One part of bytes.
pub fn blob(course: &Name, digest: &Digest, part: u64) -> String {
    format!("verdictd.blob.{course}.{}.{part}", sealed_name(digest))
}

/// Where the server answers with the last message of a subject, to whoever knows the subject.
pub fn direct_get(course: &Name, subject: &str) -> String {
    format!("$JS.API.DIRECT.GET.{}.{subject}", stream(course))
}

/// The direct gets of everything that the stream of a course keeps.
pub fn gets_of_blobs(course: &Name) -> String {
    direct_get(course, &all_blobs(course))
}

/// What a worker's credential allows of direct gets: those of bytes.
pub const ALL_DIRECT_GETS: &str = "$JS.API.DIRECT.GET.*.verdictd.blob.>";

/// Answers to a worker or a daemon go below this subject, and to nobody else.
pub fn inbox(name: &Name) -> String {
    format!("_INBOX_{name}")
}

/// How the subjects begin under which the server passes answers to another account on.
const PASSED_ON: &str = "_R_.";

/// Whether an answer to this subject reaches the worker and nobody else.
pub fn is_answer_to(worker: &Name, reply: &str) -> bool {
    let own = reply.strip_prefix(&inbox(worker));
    own.is_some_and(|rest| rest.starts_with('.')) || reply.starts_with(PASSED_ON)
}

/// Changed together with how bytes are sealed.
const NAME: &str = "verdictd 2026-11 name of bytes on a server";
const KEY: &str = "verdictd 2026-11 key of bytes on a server";
/// Bytes of the key's stream at a time.
const CHUNK: usize = 64 * 1024;

/// What stands in the subject in place of the digest: what the server keeps can be found and read
/// only with its digest.
///
/// A worker may ask the server for any subject below those of its courses, and for `*` in place of a
/// digest as well: the server then answers with the newest bytes, whatever they are. So the digest is
/// the key: it names bytes by another digest that is made from it, and they are encrypted with what
/// is made from it. The same key is never used for two texts, because it is the digest of the text;
/// whether somebody changed them, the digest tells.
fn sealed_name(digest: &Digest) -> Digest {
    Digest(blake3::derive_key(NAME, &digest.0))
}

/// Encrypts bytes with their digest, or decrypts them.
pub fn apply_seal(digest: &Digest, bytes: &mut [u8]) {
    let mut key = blake3::Hasher::new_derive_key(KEY);
    key.update(&digest.0);
    let mut stream = key.finalize_xof();
    let mut pad = vec![0; CHUNK.min(bytes.len())];
    for chunk in bytes.chunks_mut(CHUNK) {
        let pad = &mut pad[..chunk.len()];
        stream.fill(pad);
        for (byte, pad) in chunk.iter_mut().zip(pad) {
            *byte ^= *pad;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{apply_seal, sealed_name};
    use crate::util::hash::digest;

    #[test]
    fn only_the_digest_opens_what_it_sealed() {
        for length in [0, 1, 65_535, 65_536, 200_000] {
            let text: Vec<u8> = (0..=250).cycle().take(length).collect();
            let key = digest(&text);
            let mut bytes = text.clone();
            apply_seal(&key, &mut bytes);
            assert!(length < 2 || bytes != text, "{length}");
            let mut other = bytes.clone();
            apply_seal(&sealed_name(&key), &mut other);
            // The name in the subject is not the key.
            assert!(length < 2 || other != text);
            apply_seal(&key, &mut bytes);
            assert_eq!(bytes, text);
        }
    }
}
