//! What was built, measured and answered, and the bytes that it names: how it is written and read.
//!
//! A fact is one value in a column, in the encoding of [`postcard`]; beside it stand only the
//! columns that a query looks at. The encoding has no names of fields in it: a change of [`Build`]
//! or [`RunFacts`] is another layout of the facts, see [`super::schema`].

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::types::Type;
use rusqlite::{Connection, MAIN_DB, OptionalExtension as _, Row};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::row::put;
use super::writer::execute;
use super::{Reader, StoreError, Writer};
use crate::domain::{Build, Digest, RunFacts, RunKey};
use crate::util::hash;

/// A run to remember.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRecord {
    pub key: RunKey,
    pub facts: Arc<RunFacts>,
    /// What is kept of its output, unless the store has it already.
    pub kept: Option<Arc<[u8]>>,
    pub measured_ms: i64,
}

/// Writes one fact.
type Put = Box<dyn Fn(&Connection) -> rusqlite::Result<()> + Send>;

/// Facts of one piece of work that are not in the store yet, in the order in which they came. They
/// are kept together with its judgement, or before it where they have become many bytes.
#[derive(Default)]
pub struct NewFacts {
    /// The student's program that was judged, with which its facts are forgotten.
    source: Option<Digest>,
    facts: Vec<Put>,
    bytes: usize,
}

impl NewFacts {
    /// Bytes that wait to be kept at one time.
    const BYTES_MAX: usize = 4 * 1024 * 1024;

    /// No fact yet. `source` is the student's program that is judged, where it is one.
    pub fn about(source: Option<Digest>) -> Self {
        Self {
            source,
            ..Self::default()
        }
    }

    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    /// Whether they are to be kept at once, with [`Writer::put_facts`]: they have become many
    /// bytes.
    pub fn is_large(&self) -> bool {
        self.bytes >= Self::BYTES_MAX
    }

    /// Takes them out, so that others can be gathered while these are kept.
    #[must_use]
    pub fn take(&mut self) -> Self {
        std::mem::replace(self, Self::about(self.source))
    }

    /// What came of a build. `files` are the bytes of the manifest's files, in any order; ones that
    /// are known already may be left out.
    pub fn built(
        &mut self,
        key: Digest,
        build: Build,
        files: Vec<(Digest, Arc<[u8]>)>,
        built_ms: i64,
    ) {
        let source = self.source;
        let bytes = files.iter().map(|(_, bytes)| bytes.len()).sum();
        self.add(bytes, move |connection| {
            put_build(connection, &key, &build, &files, source.as_ref(), built_ms)
        });
    }

    /// A run, in place of what was measured under other caps.
    pub fn ran(&mut self, run: RunRecord) {
        let kept = run.kept.as_ref().map_or(0, |kept| kept.len());
        let bytes = kept + run.facts.stderr.len();
        self.add(bytes, move |connection| put_run(connection, &run));
    }

    /// What a program of the package answered, in place of an earlier answer to the same question.
    pub fn answered(&mut self, question: Digest, answer: Arc<[u8]>, answered_ms: i64) {
        self.add(answer.len(), move |connection| {
            put_answer(connection, &question, &answer, answered_ms, None)
        });
    }

    /// What a program of the package said of the student's output.
    pub fn opinion(&mut self, question: Digest, said: Arc<[u8]>, said_ms: i64) {
        let source = self.source;
        self.add(said.len(), move |connection| {
            put_answer(connection, &question, &said, said_ms, source.as_ref())
        });
    }

    fn add(
        &mut self,
        bytes: usize,
        put: impl Fn(&Connection) -> rusqlite::Result<()> + Send + 'static,
    ) {
        self.bytes += bytes;
        self.facts.push(Box::new(put));
    }

    pub(super) fn put(&self, connection: &Connection) -> rusqlite::Result<()> {
        self.facts.iter().try_for_each(|put| put(connection))
    }
}

impl Writer {
    /// Remembers facts, all in one commit.
    pub fn put_facts(&self, facts: NewFacts) -> Result<(), StoreError> {
        self.call(move |connection| facts.put(connection))
    }

    /// Remembers an answer, in place of an earlier one to the same question.
    pub fn put_answer(
        &self,
        key: Digest,
        answer: Arc<[u8]>,
        answered_ms: i64,
    ) -> Result<(), StoreError> {
        self.call(move |connection| put_answer(connection, &key, &answer, answered_ms, None))
    }
}

fn encoded<T: Serialize>(fact: &T) -> rusqlite::Result<Vec<u8>> {
    postcard::to_allocvec(fact)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

fn decoded<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    postcard::from_bytes(row.get_ref(column)?.as_blob()?).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Blob, error.into())
    })
}

fn put_build(
    connection: &Connection,
    key: &Digest,
    build: &Build,
    files: &[(Digest, Arc<[u8]>)],
    source: Option<&Digest>,
    built_ms: i64,
) -> rusqlite::Result<()> {
    for (digest, bytes) in files {
        put_blob(connection, BLOBS, digest, bytes)?;
    }
    put(
        connection,
        "INSERT OR REPLACE INTO builds",
        &[
            ("key", key),
            ("built_ms", &built_ms),
            ("source", &source),
            ("facts", &encoded(build)?),
        ],
    )?;
    let forget = "DELETE FROM build_files WHERE build_key = ?1";
    execute(connection, forget, [key])?;
    let name = "INSERT OR IGNORE INTO build_files (build_key, digest) VALUES (?1, ?2)";
    let mut named = build.result.iter().flat_map(|manifest| &manifest.files);
    named.try_for_each(|file| execute(connection, name, (key, file.digest)).map(drop))
}

fn put_run(connection: &Connection, run: &RunRecord) -> rusqlite::Result<()> {
    let (key, facts) = (&run.key, &run.facts);
    if let (Some(digest), Some(bytes)) = (&facts.output.kept, &run.kept) {
        put_blob(connection, BLOBS, digest, bytes)?;
    }
    put(
        connection,
        "INSERT OR REPLACE INTO runs",
        &[
            ("artifact_key", &key.build),
            ("policy_digest", &key.policy),
            ("input_digest", &key.input),
            ("measured_ms", &run.measured_ms),
            ("output_kept", &facts.output.kept),
            ("facts", &encoded(&**facts)?),
        ],
    )
    .map(drop)
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
    put(
        connection,
        "INSERT OR REPLACE INTO answers",
        &[
            ("key", key),
            ("answer", &digest),
            ("answered_ms", &answered_ms),
            ("source", &source),
        ],
    )
    .map(drop)
}

impl Reader {
    /// A build; the bytes of its files are blobs.
    pub fn build(&self, key: &Digest) -> Result<Option<Build>, StoreError> {
        let query = "SELECT facts FROM builds WHERE key = ?1";
        self.row(query, [key], |row| decoded(row, 0))
    }

    /// All runs of a built program under a policy, by the digest of the input.
    pub fn runs_for(
        &self,
        artifact: &Digest,
        policy: &Digest,
    ) -> Result<HashMap<Digest, Arc<RunFacts>>, StoreError> {
        let query = "SELECT input_digest, facts FROM runs
            WHERE artifact_key = ?1 AND policy_digest = ?2";
        let read = |row: &Row<'_>| Ok((row.get(0)?, Arc::new(decoded(row, 1)?)));
        Ok(self
            .rows(query, (artifact, policy), read)?
            .into_iter()
            .collect())
    }

    /// The answer to a question that was asked before.
    pub fn answer(&self, key: &Digest) -> Result<Option<Arc<[u8]>>, StoreError> {
        self.row(
            "SELECT bytes FROM answers JOIN blobs ON blobs.digest = answers.answer WHERE key = ?1",
            [key],
            |row| Ok(row.get_ref(0)?.as_blob()?.into()),
        )
    }

    /// Some of the facts' bytes, by their digest.
    pub fn blob(&self, digest: &Digest) -> Result<Option<Arc<[u8]>>, StoreError> {
        self.bytes(BLOBS, digest)
    }

    pub(super) fn bytes(
        &self,
        table: &str,
        digest: &Digest,
    ) -> Result<Option<Arc<[u8]>>, StoreError> {
        let query = format!(
            "SELECT rowid, length(bytes), CASE WHEN length(bytes) <= ?2 THEN bytes END
             FROM {table} WHERE digest = ?1"
        );
        let bytes = self.ask(|connection| {
            let mut statement = connection.prepare_cached(&query)?;
            let read = |row: &Row<'_>| match row.get_ref(2)?.as_blob_or_null()? {
                Some(bytes) => Ok(bytes.into()),
                None => long_blob(connection, table, row.get(0)?, row.get(1)?),
            };
            statement
                .query_row((digest, COLUMN_BYTES_MAX), read)
                .optional()
        })?;
        match bytes {
            // SQLite does not notice when the disk has changed bytes inside a value.
            Some(bytes) if hash::digest(&bytes) != *digest => Err(StoreError::Damaged {
                file: self.file.clone(),
                reason: format!("the bytes kept as {digest} are others"),
            }),
            bytes => Ok(bytes),
        }
    }
}

fn long_blob(
    connection: &Connection,
    table: &str,
    row: i64,
    length: u32,
) -> rusqlite::Result<Arc<[u8]>> {
    let mut bytes: Arc<[u8]> = std::iter::repeat_n(0, length as usize).collect();
    let blob = connection.blob_open(MAIN_DB, table, "bytes", row, true)?;
    // Nobody else has it yet.
    if let Some(bytes) = Arc::get_mut(&mut bytes) {
        blob.read_at_exact(bytes, 0)?;
    }
    Ok(bytes)
}

/// The table of the record, which an upgrade keeps.
pub(super) const SOURCES: &str = "sources";
/// The table of the facts.
const BLOBS: &str = "blobs";

pub(super) fn put_blob(
    connection: &Connection,
    table: &str,
    digest: &Digest,
    bytes: &[u8],
) -> rusqlite::Result<()> {
    let put = format!("INSERT INTO {table} (digest, bytes) VALUES (?1, ?2) ON CONFLICT DO NOTHING");
    execute(connection, &put, (digest, bytes)).map(drop)
}

/// What is longer, in bytes, is read straight into its place. As a column of a row, SQLite would
/// put it together in a buffer of its own first, which for a program takes twice as long.
const COLUMN_BYTES_MAX: u32 = 16 * 1024;

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use crate::util::samples::run;

    #[test]
    fn facts_are_encoded_as_this_layout_says() {
        // Where these bytes have to change, so has `FACTS_LAYOUT`.
        let facts = run();
        let bytes = super::encoded(&facts).unwrap();
        let mut hex = String::new();
        for byte in &bytes {
            write!(hex, "{byte:02x}").unwrap();
        }
        let expected = format!(
            "00000000010000a8bdf10500e8e1c40900008080c001{}2a000000020005008080808001808080084040094c696e757820362e38",
            facts.output.digest
        );
        assert_eq!(hex, expected);
    }
}
