//! How an order comes by its programs: fetched where they are built, else built.

use std::sync::Arc;

use super::station::{Built, Measuring};
use crate::domain::{Build, Cause, Fault, FileRef, Manifest};
use crate::judge::order::{Blob, Fact, Program, Progress};
use crate::sandbox::AppFile;
use crate::toolchain::{Artifact, Language};
use crate::util::hash::digest;

/// What came of a build.
pub(super) enum BuildOutcome {
    Built(Arc<Built>),
    /// It cannot be built: the cause, and the compiler's words.
    Failed(Cause, Vec<u8>),
}

impl<'s> Measuring<'_, 's> {
    /// Has a program brought here, or built.
    pub(super) fn program(
        &mut self,
        program: &Program,
        of_student: bool,
    ) -> Result<BuildOutcome, Fault> {
        let mut here = self.station.built.iter();
        if let Some(built) = here.find(|built| built.key == program.key) {
            return Ok(BuildOutcome::Built(Arc::clone(built)));
        }
        let fetched = match &program.built {
            Some(manifest) => self.files(&manifest.files)?.map(|files| Artifact {
                files,
                main: manifest.main.clone(),
            }),
            None => None,
        };
        if let Some(artifact) = fetched {
            return Ok(self.kept(program, artifact));
        }
        if of_student {
            self.sink.begins(Progress::Building);
        }
        self.make(program)
    }

    /// The program, which is here from now on.
    fn kept(&mut self, program: &Program, artifact: Artifact) -> BuildOutcome {
        let built = Arc::new(Built {
            key: program.key,
            artifact,
        });
        self.station.built.push(Arc::clone(&built));
        BuildOutcome::Built(built)
    }

    /// The files of a program; none where one of them is gone.
    fn files(&self, files: &[FileRef]) -> Result<Option<Vec<AppFile>>, Fault> {
        let mut fetched = Vec::with_capacity(files.len());
        for file in files {
            let Some(bytes) = self.source.blob(&file.digest)? else {
                return Ok(None);
            };
            fetched.push(AppFile {
                name: file.name.clone(),
                bytes,
                executable: file.executable,
            });
        }
        Ok(Some(fetched))
    }

    /// The language of a program, as this machine has it.
    pub(super) fn language(&self, program: &Program) -> Result<&'s Language, Fault> {
        let toolchain = self.station.toolchain;
        let id = program.language.as_ref();
        id.and_then(|id| toolchain.language(id)).ok_or_else(|| {
            Fault::new(
                "find the language",
                format!("of `{}` there is none here", program.name),
            )
        })
    }

    fn make(&mut self, program: &Program) -> Result<BuildOutcome, Fault> {
        let name = &program.name;
        let source = self.needed(&program.source, name)?;
        let mut headers = Vec::with_capacity(program.headers.len());
        for file in &program.headers {
            headers.push(AppFile {
                name: file.name.clone(),
                bytes: self.needed(&file.digest, name)?,
                executable: false,
            });
        }
        let limits = &self.order.build;
        let toolchain = self.station.toolchain;
        let language = self.language(program)?;
        self.station.room = None;
        let runner = &mut *self.station.runner;
        let made = toolchain.build(
            runner,
            language,
            (name.as_str(), &*source),
            &headers,
            limits,
        )?;
        if made.result.is_err() {
            toolchain.confirm(runner, language, (name, &source), &made, limits)?;
        }
        let (manifest, bytes) = match &made.result {
            Ok(artifact) => {
                let (manifest, bytes) = listed(artifact);
                (Ok(manifest), bytes)
            }
            Err(cause) => (Err(cause.clone()), Vec::new()),
        };
        let build = Build {
            result: manifest,
            words: made.words.clone(),
            cpu: made.cpu,
            language_version: program.version.clone(),
        };
        let fact = Fact::Built {
            key: program.key,
            build,
        };
        self.tell(&fact, &bytes)?;
        Ok(match made.result {
            Ok(artifact) => self.kept(program, artifact),
            Err(cause) => BuildOutcome::Failed(cause, made.words),
        })
    }
}

/// The files of a program by their digests, and their bytes.
fn listed(artifact: &Artifact) -> (Manifest, Vec<Blob>) {
    let mut manifest = Manifest {
        files: Vec::with_capacity(artifact.files.len()),
        main: artifact.main.clone(),
    };
    let mut bytes = Vec::with_capacity(artifact.files.len());
    for file in &artifact.files {
        let digest = digest(&file.bytes);
        manifest.files.push(FileRef {
            name: file.name.clone(),
            digest,
            executable: file.executable,
        });
        bytes.push((digest, Arc::clone(&file.bytes)));
    }
    (manifest, bytes)
}
