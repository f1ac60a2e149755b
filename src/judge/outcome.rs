//! What passes between judging and the sandbox: a room and a job in, facts out.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::order::RunSpec;
use crate::domain::bounds::{
    OUTPUT_HEAD_BYTES_MAX, OUTPUT_KEPT_WHOLE_BYTES_MAX, STDERR_KEPT_BYTES_MAX,
};
use crate::domain::{End, Limits, Output, RunFacts, Stop};
use crate::package::Io;
use crate::sandbox::{AppFile, Collect, Job, Outcome, Room};
use crate::toolchain::{Artifact, Start};
use crate::util::hash::digest;
use crate::util::text::contains;

/// What the working folder may hold beside the output file, in bytes.
pub(super) const DISK_BYTES: u64 = 64 * 1024 * 1024;

/// Names of the input file of old programs.
pub(super) const INPUT_NAMES: [&str; 2] = ["INPUT.TXT", "input.txt"];
/// Names of the output file of old programs.
pub(super) const OUTPUT_NAMES: [&str; 2] = ["OUTPUT.TXT", "output.txt"];

pub(super) fn room_of(artifact: &Artifact, start: &Start) -> Room {
    Room {
        shown: start.shown.clone(),
        app: artifact.files.clone(),
    }
}

/// A run on an input.
pub(super) fn job_of(start: &Start, input: &Arc<[u8]>, caps: &Limits, io: Io) -> Job {
    let (files, collect) = match io {
        Io::Stdio => (Vec::new(), Collect::Nothing),
        Io::StdioOrFiles => (
            INPUT_NAMES
                .map(|name| AppFile {
                    name: name.to_owned(),
                    bytes: Arc::clone(input),
                    executable: false,
                })
                .to_vec(),
            Collect::Named {
                names: OUTPUT_NAMES.map(str::to_owned).to_vec(),
                bytes_max: caps.output_bytes + 1,
            },
        ),
    };
    Job {
        argv: start.argv.clone(),
        env: BTreeMap::clone(&start.env),
        stdin: Arc::clone(input),
        files,
        collect,
        caps: caps.clone(),
        stderr_bytes_max: STDERR_KEPT_BYTES_MAX,
        disk_bytes: DISK_BYTES + caps.output_bytes + 2 * input.len() as u64,
        stack_bytes: start.stack_bytes,
        alone: false,
    }
}

/// One part in so many of the problem's memory limit must have been in use before words about it
/// are believed.
const MEMORY_WORDS_SHARE: u64 = 2;

/// Whether the language's run-time system ended the program because its memory was used up.
///
/// Most programs that need too much reach the cap, and the kernel's counter says so. The words
/// count where a run-time system keeps to
/// a limit of its own, as the heaps of Java and Node, which are full before that. Anybody can print
/// them, so the counter has to agree:
/// a collector may be left with half of its heap by one request that does not fit, and a program
/// that used less than that has not used
/// its memory up, whatever it says. One that asked for gigabytes at once and was refused has used
/// nothing: that is a runtime error.
fn says_out_of_memory(start: &Start, outcome: &Outcome, limit_bytes: u64) -> bool {
    let words = &start.memory_words;
    outcome.stop.is_none()
        && outcome.end != End::Exited(0)
        && outcome.memory_bytes >= limit_bytes / MEMORY_WORDS_SHARE
        && (words.iter()).any(|words| contains(&outcome.stderr, words.as_bytes()))
}

/// The output file of a program, by name, where it wrote one; else its standard output counts.
pub(super) fn chosen_output<'f>(
    stdout: &[u8],
    files: impl Iterator<Item = (&'f str, &'f [u8])>,
) -> Option<(&'f str, &'f [u8])> {
    files
        .filter(|(_, bytes)| !bytes.is_empty() || stdout.is_empty())
        .max_by_key(|(_, bytes)| bytes.len())
}

/// What is kept of an output: all of it where it is short, else its beginning.
pub(super) fn kept_of(output: &Arc<[u8]>) -> Arc<[u8]> {
    if output.len() > OUTPUT_KEPT_WHOLE_BYTES_MAX {
        Arc::from(&output[..OUTPUT_HEAD_BYTES_MAX])
    } else {
        Arc::clone(output)
    }
}

/// The facts of a run, and the whole output.
pub(super) fn facts_of(
    outcome: Outcome,
    spec: &RunSpec,
    caps: Limits,
    start: &Start,
    machine: &Arc<str>,
) -> (RunFacts, Arc<[u8]>) {
    let files = outcome.files.iter();
    let files = files.map(|file| (&*file.name, &*file.bytes));
    let (file, bytes) = match chosen_output(&outcome.stdout, files) {
        Some((name, bytes)) => (Some(name.to_owned()), bytes),
        None => (None, &*outcome.stdout),
    };
    let bytes: Arc<[u8]> = Arc::from(bytes);
    let too_long = bytes.len() as u64 > caps.output_bytes;
    let whole = digest(&bytes);
    let kept = kept_of(&bytes);
    let facts = RunFacts {
        end: outcome.end,
        stop: if too_long {
            Some(Stop::Output)
        } else {
            outcome.stop
        },
        memory_exceeded: outcome.memory_exceeded
            || says_out_of_memory(start, &outcome, spec.advertised_memory_bytes),
        measurements: 1,
        busy: 0,
        cpu: outcome.cpu,
        wall: outcome.wall,
        waited: outcome.waited,
        memory_bytes: outcome.memory_bytes,
        output: Output {
            digest: whole,
            len_bytes: bytes.len() as u64,
            kept: Some(if kept.len() == bytes.len() {
                whole
            } else {
                digest(&kept)
            }),
            file,
        },
        stderr: outcome.stderr,
        caps,
        machine: Arc::clone(machine),
    };
    (facts, bytes)
}
