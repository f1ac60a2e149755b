//! What the programs of packages answered: how it is written and read.

use std::sync::Arc;

use rusqlite::Connection;

use super::blobs::{BLOBS, put_blob};
use super::writer::execute;
use super::{Reader, StoreError, Unawaited, Writer};
use crate::domain::Digest;
use crate::util::hash;

impl Writer {
    /// Remembers an answer, in place of an earlier one to the same question.
    pub fn put_answer(
        &self,
        key: Digest,
        answer: Arc<[u8]>,
        answered_ms: i64,
    ) -> Result<(), StoreError> {
        self.call(move |connection| put_answer(connection, &key, &answer, answered_ms, None))
    }

    /// The same without waiting for the commit, for opinions, of which there is one for each run;
    /// `source` is the student's program that was run.
    pub fn put_answer_later(
        &self,
        key: Digest,
        answer: Arc<[u8]>,
        answered_ms: i64,
        source: Option<Digest>,
        failure: &Unawaited,
    ) {
        self.call_later(failure, move |connection| {
            put_answer(connection, &key, &answer, answered_ms, source.as_ref())
        });
    }
}

fn put_answer(
    connection: &Connection,
    key: &Digest,
    answer: &[u8],
    answered_ms: i64,
    source: Option<&Digest>,
) -> rusqlite::Result<()> {
    let digest = hash::digest(answer);
    put_blob(connection, BLOBS, &digest, answer)?;
    let put =
        "INSERT OR REPLACE INTO answers (key, answer, answered_ms, source) VALUES (?1, ?2, ?3, ?4)";
    execute(connection, put, (key, digest, answered_ms, source)).map(drop)
}

impl Reader {
    /// The answer to a question that was asked before.
    pub fn answer(&self, key: &Digest) -> Result<Option<Arc<[u8]>>, StoreError> {
        self.row(
            "SELECT bytes FROM answers JOIN blobs ON blobs.digest = answers.answer WHERE key = ?1",
            [key],
            |row| Ok(row.get_ref(0)?.as_blob()?.into()),
        )
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::domain::Digest;
    use crate::store::Store;

    #[test]
    fn an_answer_is_kept_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let (writer, key) = (store.writer(), Digest([1; 32]));
        let read = || store.reader().unwrap().answer(&key).unwrap();
        assert_eq!(read(), None);
        for answer in [&b"3\n"[..], b"", b"4\n"] {
            writer.put_answer(key, Arc::from(answer), 1).unwrap();
            assert_eq!(read().as_deref(), Some(answer));
        }
        let other = store.reader().unwrap().answer(&Digest([2; 32]));
        assert_eq!(other.unwrap(), None);
    }
}
