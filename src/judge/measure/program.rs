//! Where programs are run, and how an order comes by them: fetched where they are built, else
//! built; and how those of packages are run.

use std::sync::Arc;

use crate::domain::bounds::STDERR_KEPT_BYTES_MAX;
use crate::domain::{Build, Cause, Digest, Fault, FileRef, Limits, Manifest};
use crate::judge::order::{
    Blob, Bytes, CallEnd, CallOutcome, CallRun, Fact, Flow, Helper, Order, Program, Progress, Sink,
    Source,
};
use crate::judge::outcome::{DISK_BYTES, room_of};
use crate::sandbox::{AppFile, Collect, Job, Outcome, Runner};
use crate::toolchain::{Artifact, Language, Start, Toolchain};
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
            fetched.push(app_file(file, bytes));
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
            headers.push(app_file(file, self.needed(&file.digest, name)?));
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

fn app_file(file: &FileRef, bytes: Arc<[u8]>) -> AppFile {
    AppFile {
        name: file.name.clone(),
        bytes,
        executable: file.executable,
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

/// A program that is here.
#[derive(Debug)]
pub(super) struct Built {
    pub key: Digest,
    pub artifact: Artifact,
}

/// A place where programs are run: one sandbox, and what has been brought there.
pub struct Station<'a> {
    pub(super) runner: &'a mut dyn Runner,
    pub(super) toolchain: &'a Toolchain,
    /// Noted with whatever is measured here.
    pub(super) machine: Arc<str>,
    /// The key of the program in whose room the runner is. After a fault nobody knows.
    pub(super) room: Option<Digest>,
    /// The same of the runner's partner.
    pub(super) partners_room: Option<Digest>,
    /// Programs that were fetched or built here.
    pub(super) built: Vec<Arc<Built>>,
}

impl<'a> Station<'a> {
    /// A sandbox that nobody else uses meanwhile. It may be one [on
    /// demand](crate::sandbox::SandboxRunner).
    pub fn new(runner: &'a mut dyn Runner, toolchain: &'a Toolchain, machine: Arc<str>) -> Self {
        Self {
            runner,
            toolchain,
            machine,
            room: None,
            partners_room: None,
            built: Vec::new(),
        }
    }
}

/// An order that is being done.
pub(super) struct Measuring<'m, 's> {
    pub order: &'m Order,
    pub station: &'m mut Station<'s>,
    pub source: &'m dyn Source,
    pub sink: &'m mut dyn Sink,
    /// Whether the sink wants no more.
    pub stopped: bool,
}

impl Measuring<'_, '_> {
    pub fn tell(&mut self, fact: &Fact, bytes: Bytes<'_>) -> Result<(), Fault> {
        self.stopped |= self.sink.fact(fact, bytes)? == Flow::Stop;
        Ok(())
    }

    /// Bytes that come with the order.
    pub fn needed(&self, digest: &Digest, of: &str) -> Result<Arc<[u8]>, Fault> {
        self.source
            .blob(digest)?
            .ok_or_else(|| Fault::new(format!("fetch what {of} needs"), "its bytes are gone"))
    }

    /// Has a program of a package built and run, in the sandbox like everything else, each in a room
    /// of its own. Bytes that are `at_hand` need not be fetched.
    pub(super) fn call(
        &mut self,
        helper: &Helper,
        run: Option<&CallRun>,
        at_hand: Option<(&Digest, &Arc<[u8]>)>,
    ) -> Result<CallOutcome, Fault> {
        let path = &helper.path;
        let built = match self.helper(helper)? {
            BuildOutcome::Built(built) => built,
            BuildOutcome::Failed(cause, words) => return Ok(CallOutcome::NotBuilt(cause, words)),
        };
        let Some(run) = run else {
            return Ok(CallOutcome::Built);
        };
        let fetch = |digest: &Digest| match at_hand {
            Some((known, bytes)) if known == digest => Ok(Arc::clone(bytes)),
            _ => self.needed(digest, path),
        };
        let stdin = match &run.stdin {
            Some(digest) => fetch(digest)?,
            None => Arc::from([]),
        };
        let files = run.files.iter();
        let files = files.map(|file| Ok(app_file(file, fetch(&file.digest)?)));
        let files = files.collect::<Result<Vec<AppFile>, Fault>>()?;
        let start = self.start_of(helper, &built, run)?;
        self.enter(&built, &start)?;
        let outcome = self.station.runner.run(&job(start, run, stdin, files))?;
        Ok(CallOutcome::Ran(CallEnd::from(outcome)))
    }

    /// Has a program of a package brought here, or built.
    pub(super) fn helper(&mut self, helper: &Helper) -> Result<BuildOutcome, Fault> {
        let language = self.language(&helper.program)?;
        let known = self.station.toolchain.identify(language.id());
        known.map_err(|missing| {
            let step = format!("find {} for `{}`", language.name(), helper.path);
            Fault::new(step, missing)
        })?;
        self.program(&helper.program, false)
    }

    /// How a program of a package is started.
    pub(super) fn start_of(
        &self,
        helper: &Helper,
        built: &Built,
        run: &CallRun,
    ) -> Result<Start, Fault> {
        let language = self.language(&helper.program)?;
        let toolchain = self.station.toolchain;
        toolchain.start(language, &built.artifact, run.caps.memory_bytes)
    }

    /// Makes the room of the runner's partner that of a program.
    pub(super) fn enter_partners(&mut self, built: &Built, start: &Start) -> Result<(), Fault> {
        if self.station.partners_room != Some(built.key) {
            self.station.partners_room = None;
            let room = room_of(&built.artifact, start);
            self.station.runner.partner()?.enter(&room)?;
            self.station.partners_room = Some(built.key);
        }
        Ok(())
    }

    /// Makes the room that of a program.
    pub(super) fn enter(&mut self, built: &Built, start: &Start) -> Result<(), Fault> {
        if self.station.room != Some(built.key) {
            self.station.room = None;
            let room = room_of(&built.artifact, start);
            self.station.runner.enter(&room)?;
            self.station.room = Some(built.key);
        }
        Ok(())
    }
}

/// A run of a program of a package.
pub(super) fn job(start: Start, run: &CallRun, stdin: Arc<[u8]>, files: Vec<AppFile>) -> Job {
    // Files in the working folder count as memory.
    let given: u64 = files.iter().map(|file| file.bytes.len() as u64).sum();
    Job {
        argv: [start.argv, run.arguments.clone()].concat(),
        env: start.env,
        stdin,
        files,
        collect: if run.collect.is_empty() {
            Collect::Nothing
        } else {
            Collect::Named {
                names: run.collect.clone(),
                bytes_max: run.collect_bytes_max,
            }
        },
        caps: Limits {
            memory_bytes: run.caps.memory_bytes + start.memory_extra_bytes + given,
            ..run.caps.clone()
        },
        stderr_bytes_max: STDERR_KEPT_BYTES_MAX,
        disk_bytes: DISK_BYTES + given + run.collect_bytes_max,
        stack_bytes: start.stack_bytes,
        alone: false,
    }
}

impl From<Outcome> for CallEnd {
    fn from(outcome: Outcome) -> Self {
        let files = outcome.files.into_iter();
        Self {
            end: outcome.end,
            stop: outcome.stop,
            memory_exceeded: outcome.memory_exceeded,
            stdout: outcome.stdout,
            stderr: outcome.stderr,
            files: files.map(|file| (file.name, file.bytes.to_vec())).collect(),
        }
    }
}
