//! The store as the place where a worker keeps its facts.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use crate::domain::{Digest, Fault, RunFacts};
use crate::judge::{FactStore, KnownBuild, RunKey};
use crate::sandbox::AppFile;
use crate::store::{
    self, BuildOutcome, BuildRecord, Manifest, ManifestFile, Reader, RunRecord, StoreError,
    Unawaited, Writer,
};
use crate::toolchain::{Artifact, Build};
use crate::util::clock::now_ms;
use crate::util::crash::point;
use crate::util::hash::digest;

/// The store, seen by one worker for one submission.
pub struct StoreFacts<'a> {
    writer: Writer,
    reader: &'a Reader,
    /// What became of the runs, which are kept without waiting for the disk.
    pub told: Unawaited,
    /// The files of the build that was looked up last, for when a run asks for them.
    manifest: RefCell<Option<(Digest, Manifest)>>,
}

impl<'a> StoreFacts<'a> {
    /// Nothing was looked up or kept yet.
    pub fn new(writer: Writer, reader: &'a Reader) -> Self {
        Self {
            writer,
            reader,
            told: Unawaited::default(),
            manifest: RefCell::default(),
        }
    }
}

fn fault(step: &str) -> impl Fn(StoreError) -> Fault + '_ {
    move |error| error.into_fault(step)
}

/// The files of a build; `None` where one of them is not in the store, so that the program is built again.
fn files(reader: &Reader, manifest: &Manifest) -> Result<Option<Vec<AppFile>>, StoreError> {
    let mut files = Vec::new();
    for file in &manifest.files {
        let Some(bytes) = reader.blob(&file.digest)? else {
            return Ok(None);
        };
        files.push(AppFile {
            name: file.name.clone(),
            bytes,
            executable: file.executable,
        });
    }
    Ok(Some(files))
}

/// A build as the store knows it.
pub fn stored_build(reader: &Reader, key: Digest) -> Result<Option<KnownBuild>, Fault> {
    Ok(known_build(reader, key)?.map(|(build, _)| build))
}

/// The same, with its files where there are any.
fn known_build(
    reader: &Reader,
    key: Digest,
) -> Result<Option<(KnownBuild, Option<Manifest>)>, Fault> {
    let record = reader.build(&key).map_err(fault("look up the build"))?;
    Ok(record.map(|record| {
        let (result, manifest) = match record.outcome {
            BuildOutcome::Built(manifest) => (Ok(()), Some(manifest)),
            BuildOutcome::Failed(cause) => (Err(cause), None),
        };
        let words = record.words;
        (KnownBuild { result, words }, manifest)
    }))
}

/// A program as the store has it.
pub fn stored_artifact(reader: &Reader, key: Digest) -> Result<Option<Artifact>, Fault> {
    match known_build(reader, key)? {
        Some((_, Some(manifest))) => program(reader, manifest),
        Some((_, None)) | None => Ok(None),
    }
}

fn program(reader: &Reader, manifest: Manifest) -> Result<Option<Artifact>, Fault> {
    let files = files(reader, &manifest).map_err(fault("look up the program"))?;
    Ok(files.map(|files| Artifact {
        files,
        main: manifest.main_class,
    }))
}

/// What the store keeps of what a run printed.
pub fn stored_print(reader: &Reader, key: RunKey) -> Result<Option<Arc<[u8]>>, Fault> {
    reader
        .printed(&stored_key(key))
        .map_err(fault("look up what was printed"))
}

fn stored_key(key: RunKey) -> store::RunKey {
    store::RunKey {
        artifact: key.artifact,
        input: key.input,
        policy: key.policy,
    }
}

impl FactStore for StoreFacts<'_> {
    fn build(&self, key: Digest) -> Result<Option<KnownBuild>, Fault> {
        let (build, manifest) = known_build(self.reader, key)?.unzip();
        self.manifest
            .replace(manifest.flatten().map(|manifest| (key, manifest)));
        Ok(build)
    }

    fn artifact(&self, key: Digest) -> Result<Option<Artifact>, Fault> {
        match self.manifest.take() {
            Some((known, manifest)) if known == key => program(self.reader, manifest),
            _ => stored_artifact(self.reader, key),
        }
    }

    fn keep_build(&self, key: Digest, version: &str, build: &Build) -> Result<(), Fault> {
        let (outcome, files) = match &build.result {
            Err(cause) => (BuildOutcome::Failed(cause.clone()), Vec::new()),
            Ok(artifact) => {
                let manifest = Manifest {
                    files: artifact
                        .files
                        .iter()
                        .map(|file| ManifestFile {
                            name: file.name.clone(),
                            digest: digest(&file.bytes),
                            executable: file.executable,
                        })
                        .collect(),
                    main_class: artifact.main.clone(),
                };
                let files = artifact
                    .files
                    .iter()
                    .map(|file| Arc::clone(&file.bytes))
                    .collect();
                (BuildOutcome::Built(manifest), files)
            }
        };
        let record = BuildRecord {
            key,
            outcome,
            words: build.words.clone(),
            cpu: build.cpu,
            language_version: version.to_owned(),
            built_ms: now_ms(),
        };
        point("built");
        self.writer
            .put_build(record, files)
            .map_err(fault("keep the build"))?;
        point("build kept");
        Ok(())
    }

    fn runs(&self, artifact: Digest, policy: Digest) -> Result<HashMap<Digest, RunFacts>, Fault> {
        self.reader
            .runs_for(&artifact, &policy)
            .map_err(fault("look up runs"))
    }

    fn output(&self, digest: Digest) -> Result<Option<Arc<[u8]>>, Fault> {
        self.reader
            .output(&digest)
            .map_err(fault("look up an output"))
    }

    fn printed(&self, key: RunKey) -> Result<Option<Arc<[u8]>>, Fault> {
        stored_print(self.reader, key)
    }

    fn keep_run(&self, key: RunKey, facts: &RunFacts) -> Result<(), Fault> {
        let record = RunRecord {
            key: stored_key(key),
            facts: facts.clone(),
            measured_ms: now_ms(),
        };
        point("run measured");
        self.writer.put_run_later(record, &self.told);
        point("run handed over");
        match self.told.failure() {
            // Nothing is measured any more that cannot be kept.
            Some(failure) => Err(failure.clone().into_fault("keep the run")),
            None => Ok(()),
        }
    }

    fn answer(&self, key: Digest) -> Result<Option<Arc<[u8]>>, Fault> {
        self.reader.answer(&key).map_err(fault("look up an answer"))
    }

    fn keep_answer(&self, key: Digest, answer: &Arc<[u8]>) -> Result<(), Fault> {
        self.writer
            .put_answer(key, Arc::clone(answer), now_ms())
            .map_err(fault("keep an answer"))
    }
}
