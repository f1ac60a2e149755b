//! What was built and what was measured: how it is written and read.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::columns::{micros, size, unsigned};
use super::commands::put_blob;
use super::compared;
use super::record::{BuildOutcome, BuildRecord, Manifest, ManifestFile, RunKey, RunRecord};
use super::{Reader, StoreError};
use crate::domain::bounds::{OUTPUT_HEAD_BYTES_MAX, OUTPUT_KEPT_WHOLE_BYTES_MAX};
use crate::domain::{Caps, Cause, Digest, End, Output, RunFacts, Stop};
use crate::util::hash;

pub(super) fn put_build(
    connection: &Connection,
    build: &BuildRecord,
    files: &[Arc<[u8]>],
) -> rusqlite::Result<()> {
    for bytes in files {
        put_blob(connection, &hash::digest(bytes), bytes)?;
    }
    let (failed, manifest) = match &build.outcome {
        BuildOutcome::Built(manifest) => (None, Some(manifest)),
        BuildOutcome::Failed(cause) => (Some(cause), None),
    };
    connection
        .prepare_cached(
            "INSERT INTO builds (key, failed, main_class, language_version, cpu_us, built_ms, words)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (key) DO UPDATE SET
                 failed = excluded.failed, main_class = excluded.main_class,
                 language_version = excluded.language_version, cpu_us = excluded.cpu_us,
                 built_ms = excluded.built_ms, words = excluded.words",
        )?
        .execute(params![
            build.key,
            failed,
            manifest.and_then(|manifest| manifest.main_class.as_ref()),
            build.language_version,
            micros(build.cpu),
            build.built_ms,
            build.words
        ])?;
    connection
        .prepare_cached("DELETE FROM build_files WHERE build_key = ?1")?
        .execute([build.key])?;
    let mut statement = connection.prepare_cached(
        "INSERT INTO build_files (build_key, name, digest, executable) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for file in manifest.iter().flat_map(|manifest| &manifest.files) {
        statement.execute(params![build.key, file.name, file.digest, file.executable])?;
    }
    Ok(())
}

/// What is kept of an output: all of it where it is short, else its beginning.
fn kept(output: &Output) -> Option<&[u8]> {
    let bytes = output.kept.as_deref()?;
    let whole = output.whole().is_some() && bytes.len() <= OUTPUT_KEPT_WHOLE_BYTES_MAX;
    Some(if whole {
        bytes
    } else {
        &bytes[..bytes.len().min(OUTPUT_HEAD_BYTES_MAX)]
    })
}

/// Keeps a run, or what is known of it anew.
const KEEP_RUN: &str = "INSERT INTO runs
                 (key, artifact_key, input_digest, policy_digest, end_kind, end_value, stop,
                  memory_exceeded, cpu_us, wall_us, memory_bytes, output_digest, output_bytes,
                  output_kept, output_file, cap_cpu_us, cap_wall_us, cap_memory_bytes,
                  cap_output_bytes, cap_processes, cap_open_files, measured_ms, stderr, compared,
                  measurements, machine_id, busy, waited_us)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17,
                     ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25,
                     (SELECT id FROM machines WHERE name = ?26), ?27, ?28)
             ON CONFLICT (key) DO UPDATE SET
                 end_kind = excluded.end_kind, end_value = excluded.end_value,
                 stop = excluded.stop, memory_exceeded = excluded.memory_exceeded,
                 cpu_us = excluded.cpu_us, wall_us = excluded.wall_us,
                 memory_bytes = excluded.memory_bytes,
                 -- Known facts come back without their bytes: the row keeps those that it has.
                 output_kept = coalesce(excluded.output_kept,
                     iif(output_digest = excluded.output_digest, output_kept, NULL)),
                 output_digest = excluded.output_digest, output_bytes = excluded.output_bytes,
                 output_file = excluded.output_file, cap_cpu_us = excluded.cap_cpu_us,
                 cap_wall_us = excluded.cap_wall_us,
                 cap_memory_bytes = excluded.cap_memory_bytes,
                 cap_output_bytes = excluded.cap_output_bytes,
                 cap_processes = excluded.cap_processes,
                 cap_open_files = excluded.cap_open_files, measured_ms = excluded.measured_ms,
                 stderr = excluded.stderr, compared = excluded.compared,
                 measurements = excluded.measurements, machine_id = excluded.machine_id,
                busy = excluded.busy, waited_us = excluded.waited_us";

pub(super) fn put_run(connection: &Connection, run: &RunRecord) -> rusqlite::Result<()> {
    let (key, facts) = (&run.key, &run.facts);
    let kept = match kept(&facts.output) {
        Some(bytes) => {
            let digest = hash::digest(bytes);
            put_blob(connection, &digest, bytes)?;
            Some(digest)
        }
        None => None,
    };
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
    put_machine(connection, facts.machine.as_deref())?;
    connection
        .prepare_cached(KEEP_RUN)?
        .execute(params![
            key.digest(),
            key.artifact,
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
            kept,
            facts.output.file,
            micros(caps.cpu),
            micros(caps.wall),
            size(caps.memory_bytes),
            size(caps.output_bytes),
            caps.processes,
            caps.open_files,
            run.measured_ms,
            facts.stderr,
            facts
                .compared
                .as_ref()
                .map(compared::to_column)
                .transpose()?,
            facts.measurements,
            facts.machine,
            facts.busy,
            micros(facts.waited)
        ])
        .map(drop)
}

/// A store knows a handful of machines; runs only refer to them.
fn put_machine(connection: &Connection, name: Option<&str>) -> rusqlite::Result<()> {
    let Some(name) = name else { return Ok(()) };
    connection
        .prepare_cached("INSERT OR IGNORE INTO machines (name) VALUES (?1)")?
        .execute([name])
        .map(drop)
}

/// What [`facts`] reads.
const FACTS: &str = "input_digest, end_kind, end_value, stop, memory_exceeded, cpu_us, wall_us, \
    memory_bytes, output_digest, output_bytes, output_file, cap_cpu_us, cap_wall_us, \
    cap_memory_bytes, cap_output_bytes, cap_processes, cap_open_files, stderr, compared, measurements, \
    (SELECT name FROM machines WHERE id = machine_id), busy, waited_us";

impl Reader {
    /// A build; the bytes of its files are blobs.
    pub fn build(&self, key: &Digest) -> Result<Option<BuildRecord>, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached(
                    "SELECT failed, main_class, language_version, cpu_us, built_ms, words
                     FROM builds WHERE key = ?1",
                )?
                .query_row([key], |row| {
                    let outcome = match row.get::<_, Option<Cause>>(0)? {
                        Some(cause) => BuildOutcome::Failed(cause),
                        None => BuildOutcome::Built(Manifest {
                            files: files(connection, key)?,
                            main_class: row.get(1)?,
                        }),
                    };
                    Ok(BuildRecord {
                        key: *key,
                        outcome,
                        words: row.get(5)?,
                        cpu: duration(row, 3)?,
                        language_version: row.get(2)?,
                        built_ms: row.get(4)?,
                    })
                })
                .optional()
        })
    }

    /// All runs of a built program under a policy, by the digest of the input, without the bytes that they printed.
    pub fn runs_for(
        &self,
        artifact: &Digest,
        policy: &Digest,
    ) -> Result<HashMap<Digest, RunFacts>, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached(&format!(
                    "SELECT {FACTS} FROM runs WHERE artifact_key = ?1 AND policy_digest = ?2"
                ))?
                .query_map(params![artifact, policy], facts)?
                .collect()
        })
    }

    /// What is kept of what a run printed: all of it where that is short, else its beginning.
    pub fn printed(&self, run: &RunKey) -> Result<Option<Arc<[u8]>>, StoreError> {
        let kept: Option<Digest> = self.ask(|connection| {
            connection
                .prepare_cached("SELECT output_kept FROM runs WHERE key = ?1")?
                .query_row([run.digest()], |row| row.get(0))
                .optional()
                .map(Option::flatten)
        })?;
        match kept {
            Some(digest) => self.blob(&digest),
            None => Ok(None),
        }
    }

    /// An output by its digest, where it was short enough to be kept whole.
    pub fn output(&self, digest: &Digest) -> Result<Option<Arc<[u8]>>, StoreError> {
        self.blob(digest)
    }
}

fn files(connection: &Connection, build: &Digest) -> rusqlite::Result<Vec<ManifestFile>> {
    connection
        .prepare_cached(
            "SELECT name, digest, executable FROM build_files WHERE build_key = ?1 ORDER BY name",
        )?
        .query_map([build], |row| {
            Ok(ManifestFile {
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
        kept: None,
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
        compared: row
            .get::<_, Option<String>>(18)?
            .map(|text| compared::of_column(18, &text))
            .transpose()?,
        caps,
        machine: row.get::<_, Option<String>>(20)?.map(Arc::from),
    };
    Ok((row.get(0)?, facts))
}
