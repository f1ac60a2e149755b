//! The store as the place where a worker keeps its facts.

use std::collections::HashMap;
use std::sync::Arc;

use crate::domain::{Digest, Fault, RunFacts};
use crate::judge::{FactStore, RunKey};
use crate::sandbox::AppFile;
use crate::store::{
    self, BuildOutcome, BuildRecord, Manifest, ManifestFile, Reader, RunRecord, StoreError, Writer,
};
use crate::toolchain::{Artifact, Build};
use crate::util::clock::now_ms;
use crate::util::crash::point;
use crate::util::hash::digest;

/// The store, seen by one worker for one submission.
pub struct StoreFacts<'a> {
    /// Writes by this.
    pub writer: Writer,
    /// Reads by this.
    pub reader: &'a Reader,
}

fn fault(step: &str) -> impl Fn(StoreError) -> Fault + '_ {
    move |error| error.into_fault(step)
}

impl StoreFacts<'_> {
    /// The files of a build; `None` where one of them is not in the store, so that the program is built again.
    fn files(&self, manifest: &Manifest) -> Result<Option<Vec<AppFile>>, StoreError> {
        let mut files = Vec::new();
        for file in &manifest.files {
            let Some(bytes) = self.reader.blob(&file.digest)? else {
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

    fn restore(&self, record: BuildRecord) -> Result<Option<Build>, StoreError> {
        let result = match record.outcome {
            BuildOutcome::Failed(cause) => Err(cause),
            BuildOutcome::Built(manifest) => match self.files(&manifest)? {
                None => return Ok(None),
                Some(files) => Ok(Artifact {
                    files,
                    main: manifest.main_class,
                }),
            },
        };
        Ok(Some(Build {
            result,
            words: record.words,
            cpu: record.cpu,
        }))
    }
}

impl FactStore for StoreFacts<'_> {
    fn build(&self, key: Digest) -> Result<Option<Build>, Fault> {
        let read = || match self.reader.build(&key)? {
            None => Ok(None),
            Some(record) => self.restore(record),
        };
        read().map_err(fault("look up the build"))
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

    fn keep_run(&self, key: RunKey, facts: &RunFacts) -> Result<(), Fault> {
        let record = RunRecord {
            key: store::RunKey {
                artifact: key.artifact,
                input: key.input,
                policy: key.policy,
            },
            facts: facts.clone(),
            measured_ms: now_ms(),
        };
        point("run measured");
        self.writer.put_run(record).map_err(fault("keep the run"))?;
        point("run kept");
        Ok(())
    }
}
