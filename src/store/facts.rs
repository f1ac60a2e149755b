//! What was built and what was measured: how it is written and read.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::blobs::{BLOBS, put_blob};
use super::columns::{micros, size, unsigned};
use super::writer::execute;
use super::{Reader, StoreError, Unawaited, Writer};
use crate::domain::{
    Build, Caps, Cause, Digest, End, FileRef, Manifest, Output, RunFacts, RunKey, Stop,
};
use crate::util::hash::Key;

/// A run to remember.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRecord {
    pub key: RunKey,
    pub facts: RunFacts,
    /// What is kept of its output, unless the store has it already.
    pub kept: Option<Arc<[u8]>>,
    pub measured_ms: i64,
}

impl Writer {
    /// Remembers a build. `files` are the bytes of the manifest's files, in any order; ones that
    /// are known already may be left out. `source` is the student's program that it is for.
    pub fn put_build(
        &self,
        key: Digest,
        build: Build,
        files: Vec<(Digest, Arc<[u8]>)>,
        source: Option<Digest>,
        built_ms: i64,
    ) -> Result<(), StoreError> {
        self.call(move |connection| {
            put_build(connection, &key, &build, &files, source.as_ref(), built_ms)
        })
    }

    /// Remembers a run, in place of what was measured under other caps, without waiting for the
    /// commit.
    pub fn put_run_later(&self, run: RunRecord, failure: &Unawaited) {
        self.call_later(failure, move |connection| put_run(connection, &run));
    }

    /// The same, after the commit.
    #[cfg(test)]
    pub fn put_run(&self, run: RunRecord) -> Result<(), StoreError> {
        self.call(move |connection| put_run(connection, &run))
    }
}

/// A run's key as one digest.
fn row_key(key: &RunKey) -> Digest {
    Key::new("run")
        .part(&key.build.0)
        .part(&key.input.0)
        .part(&key.policy.0)
        .finish()
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
    let manifest = build.result.as_ref().ok();
    execute(
        connection,
        "INSERT OR REPLACE INTO builds
             (key, failed, main_class, language_version, cpu_us, built_ms, words, source)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            key,
            build.result.as_ref().err(),
            manifest.and_then(|manifest| manifest.main.as_ref()),
            build.language_version,
            micros(build.cpu),
            built_ms,
            build.words,
            source
        ],
    )?;
    execute(
        connection,
        "DELETE FROM build_files WHERE build_key = ?1",
        [key],
    )?;
    let mut statement = connection.prepare_cached(
        "INSERT INTO build_files (build_key, name, digest, executable) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for file in manifest.iter().flat_map(|manifest| &manifest.files) {
        statement.execute(params![key, file.name, file.digest, file.executable])?;
    }
    Ok(())
}

fn put_run(connection: &Connection, run: &RunRecord) -> rusqlite::Result<()> {
    let (key, facts) = (&run.key, &run.facts);
    if let (Some(digest), Some(bytes)) = (&facts.output.kept, &run.kept) {
        put_blob(connection, BLOBS, digest, bytes)?;
    }
    let (end_kind, end_value) = match facts.end {
        End::Exited(code) => ("exit", code),
        End::Signalled(number) => ("signal", number),
    };
    let stop = facts.stop.map(|stop| match stop {
        Stop::Cpu => "cpu",
        Stop::Wall => "wall",
        Stop::Output => "output",
    });
    let caps = &facts.caps;
    // A store knows a handful of machines; runs only refer to them.
    let machine = "INSERT OR IGNORE INTO machines (name) VALUES (?1)";
    execute(connection, machine, [&facts.machine])?;
    execute(
        connection,
        "INSERT OR REPLACE INTO runs
             (key, artifact_key, input_digest, policy_digest, end_kind, end_value, stop,
              memory_exceeded, cpu_us, wall_us, memory_bytes, output_digest, output_bytes,
              output_kept, output_file, cap_cpu_us, cap_wall_us, cap_memory_bytes,
              cap_output_bytes, cap_processes, cap_open_files, measured_ms, stderr,
              measurements, machine_id, busy, waited_us)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17,
                 ?18, ?19, ?20, ?21, ?22, ?23, ?24,
                 (SELECT id FROM machines WHERE name = ?25), ?26, ?27)",
        params![
            row_key(key),
            key.build,
            key.input,
            key.policy,
            end_kind,
            end_value,
            stop,
            facts.memory_exceeded,
            micros(facts.cpu),
            micros(facts.wall),
            size(facts.memory_bytes),
            facts.output.digest,
            size(facts.output.len_bytes),
            facts.output.kept,
            facts.output.file,
            micros(caps.cpu),
            micros(caps.wall),
            size(caps.memory_bytes),
            size(caps.output_bytes),
            caps.processes,
            caps.open_files,
            run.measured_ms,
            facts.stderr,
            facts.measurements,
            facts.machine,
            facts.busy,
            micros(facts.waited)
        ],
    )
    .map(drop)
}

/// What [`facts`] reads.
const FACTS: &str = "input_digest, end_kind, end_value, stop, memory_exceeded, cpu_us, wall_us, \
    memory_bytes, output_digest, output_bytes, output_file, cap_cpu_us, cap_wall_us, \
    cap_memory_bytes, cap_output_bytes, cap_processes, cap_open_files, stderr, output_kept, \
    measurements, (SELECT name FROM machines WHERE id = machine_id), busy, waited_us";

impl Reader {
    /// A build; the bytes of its files are blobs.
    pub fn build(&self, key: &Digest) -> Result<Option<Build>, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached(
                    "SELECT failed, main_class, language_version, cpu_us, words
                     FROM builds WHERE key = ?1",
                )?
                .query_row([key], |row| {
                    let result = match row.get::<_, Option<Cause>>(0)? {
                        Some(cause) => Err(cause),
                        None => Ok(Manifest {
                            files: files(connection, key)?,
                            main: row.get(1)?,
                        }),
                    };
                    Ok(Build {
                        result,
                        words: row.get(4)?,
                        cpu: duration(row, 3)?,
                        language_version: row.get(2)?,
                    })
                })
                .optional()
        })
    }

    /// All runs of a built program under a policy, by the digest of the input.
    pub fn runs_for(
        &self,
        artifact: &Digest,
        policy: &Digest,
    ) -> Result<HashMap<Digest, RunFacts>, StoreError> {
        let query =
            format!("SELECT {FACTS} FROM runs WHERE artifact_key = ?1 AND policy_digest = ?2");
        let rows = self.rows(&query, (artifact, policy), facts)?;
        Ok(rows.into_iter().collect())
    }
}

fn files(connection: &Connection, build: &Digest) -> rusqlite::Result<Vec<FileRef>> {
    connection
        .prepare_cached(
            "SELECT name, digest, executable FROM build_files WHERE build_key = ?1 ORDER BY name",
        )?
        .query_map([build], |row| {
            Ok(FileRef {
                name: row.get(0)?,
                digest: row.get(1)?,
                executable: row.get(2)?,
            })
        })?
        .collect()
}

fn duration(row: &Row<'_>, column: usize) -> rusqlite::Result<Duration> {
    unsigned(row, column).map(Duration::from_micros)
}

fn unknown_word(column: usize, word: String) -> rusqlite::Error {
    rusqlite::Error::InvalidColumnType(column, word, Type::Text)
}

/// Reads the columns of [`FACTS`].
fn facts(row: &Row<'_>) -> rusqlite::Result<(Digest, RunFacts)> {
    let end_value = row.get(2)?;
    let end = match row.get::<_, String>(1)? {
        kind if kind == "exit" => End::Exited(end_value),
        kind if kind == "signal" => End::Signalled(end_value),
        other => return Err(unknown_word(1, other)),
    };
    let stop = match row.get::<_, Option<String>>(3)? {
        None => None,
        Some(stop) if stop == "cpu" => Some(Stop::Cpu),
        Some(stop) if stop == "wall" => Some(Stop::Wall),
        Some(stop) if stop == "output" => Some(Stop::Output),
        Some(other) => return Err(unknown_word(3, other)),
    };
    let output = Output {
        digest: row.get(8)?,
        len_bytes: unsigned(row, 9)?,
        kept: row.get(18)?,
        file: row.get(10)?,
    };
    let caps = Caps {
        cpu: duration(row, 11)?,
        wall: duration(row, 12)?,
        memory_bytes: unsigned(row, 13)?,
        output_bytes: unsigned(row, 14)?,
        processes: row.get(15)?,
        open_files: row.get(16)?,
    };
    let facts = RunFacts {
        end,
        stop,
        memory_exceeded: row.get(4)?,
        measurements: row.get(19)?,
        busy: row.get(21)?,
        cpu: duration(row, 5)?,
        wall: duration(row, 6)?,
        waited: duration(row, 22)?,
        memory_bytes: unsigned(row, 7)?,
        output,
        stderr: row.get(17)?,
        caps,
        machine: Arc::from(row.get::<_, String>(20)?),
    };
    Ok((row.get(0)?, facts))
}
