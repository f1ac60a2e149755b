//! Runs a program of a package: a reference, a validator, a checker. In the sandbox like everything
//! else, each in a room of its own.

use std::sync::Arc;

use super::program::BuildOutcome;
use super::station::{Built, Measuring};
use crate::domain::bounds::STDERR_KEPT_BYTES_MAX;
use crate::domain::{Digest, Fault, Limits};
use crate::judge::order::{CallEnd, CallOutcome, CallRun, Helper};
use crate::judge::outcome::{DISK_BYTES, room_of};
use crate::sandbox::{AppFile, Collect, Job, Outcome};
use crate::toolchain::Start;

impl Measuring<'_, '_> {
    /// Has a program of a package built and run. Bytes that are `at_hand` need not be fetched.
    pub(super) fn call(
        &mut self,
        helper: &Helper,
        run: Option<&CallRun>,
        at_hand: Option<(&Digest, &Arc<[u8]>)>,
    ) -> Result<CallOutcome, Fault> {
        let path = &helper.path;
        let language = self.language(&helper.program)?;
        let known = self.station.toolchain.identify(language.id());
        known.map_err(|missing| {
            Fault::new(format!("find {} for `{path}`", language.name()), missing)
        })?;
        let built = match self.program(&helper.program, false)? {
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
        let files = run.files.iter().map(|file| {
            Ok(AppFile {
                name: file.name.clone(),
                bytes: fetch(&file.digest)?,
                executable: false,
            })
        });
        let files = files.collect::<Result<Vec<AppFile>, Fault>>()?;
        let toolchain = self.station.toolchain;
        let start = toolchain.start(language, &built.artifact, run.caps.memory_bytes)?;
        self.enter(&built, &start)?;
        let outcome = self.station.runner.run(&job(start, run, stdin, files))?;
        Ok(CallOutcome::Ran(CallEnd::from(outcome)))
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

fn job(start: Start, run: &CallRun, stdin: Arc<[u8]>, files: Vec<AppFile>) -> Job {
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
