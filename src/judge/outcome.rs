//! What passes between judging and the sandbox: a room and a job in, facts out.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::fold::compare_bytes;
use crate::domain::bounds::{
    OUTPUT_HEAD_BYTES_MAX, OUTPUT_KEPT_WHOLE_BYTES_MAX, STDERR_KEPT_BYTES_MAX,
};
use crate::domain::{End, Limits, Output, RunFacts, Stop};
use crate::package::{Io, Package, Test};
use crate::sandbox::{AppFile, Collect, Job, Outcome, Room};
use crate::toolchain::{Artifact, Language, Start};
use crate::util::hash::digest;

/// What the working folder may hold beside the output file, in bytes.
const DISK_BYTES: u64 = 64 * 1024 * 1024;

/// Names of the input file of old programs.
const INPUT_NAMES: [&str; 2] = ["INPUT.TXT", "input.txt"];
/// Names of the output file of old programs.
const OUTPUT_NAMES: [&str; 2] = ["OUTPUT.TXT", "output.txt"];

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

/// One part in so many of the problem's memory limit must have been in use before words about it are believed.
const MEMORY_WORDS_SHARE: u64 = 2;

/// Whether the language's run-time system ended the program because its memory was used up.
///
/// Most programs that need too much reach the cap, and the kernel's counter says so. The words count where a run-time system keeps to
/// a limit of its own, as the heaps of Java and Node, which are full before that. Anybody can print them, so the counter has to agree:
/// a collector may be left with half of its heap by one request that does not fit, and a program that used less than that has not used
/// its memory up, whatever it says. One that asked for gigabytes at once and was refused has used nothing: that is a runtime error.
fn says_out_of_memory(language: &Language, outcome: &Outcome, limit_bytes: u64) -> bool {
    let words = &language.spec().memory_words;
    outcome.stop.is_none()
        && outcome.end != End::Exited(0)
        && outcome.memory_bytes >= limit_bytes / MEMORY_WORDS_SHARE
        && words.iter().any(|words| {
            !words.is_empty()
                && outcome
                    .stderr
                    .windows(words.len())
                    .any(|window| window == words.as_bytes())
        })
}

/// What a program printed: its output file where it wrote one, else its standard output.
pub(super) fn output_of(outcome: &mut Outcome) -> (Vec<u8>, Option<String>) {
    let written = outcome
        .files
        .iter()
        .filter(|file| !file.bytes.is_empty() || outcome.stdout.is_empty())
        .max_by_key(|file| file.bytes.len());
    match written {
        Some(file) => (file.bytes.to_vec(), Some(file.name.clone())),
        None => (std::mem::take(&mut outcome.stdout), None),
    }
}

/// The facts of a run, and the whole output where it is too long to be kept in them.
pub(super) fn facts_of(
    mut outcome: Outcome,
    package: &Package,
    test: &Test,
    caps: &Limits,
    language: &Language,
    machine: &Arc<str>,
) -> (RunFacts, Option<Vec<u8>>) {
    let (bytes, file) = output_of(&mut outcome);
    let too_long = bytes.len() as u64 > caps.output_bytes;
    let kept_len = if bytes.len() > OUTPUT_KEPT_WHOLE_BYTES_MAX {
        OUTPUT_HEAD_BYTES_MAX
    } else {
        bytes.len()
    };
    let long = kept_len < bytes.len();
    let facts = RunFacts {
        end: outcome.end,
        stop: if too_long {
            Some(Stop::Output)
        } else {
            outcome.stop
        },
        memory_exceeded: outcome.memory_exceeded
            || says_out_of_memory(language, &outcome, package.limits.memory_bytes),
        measurements: 1,
        busy: 0,
        cpu: outcome.cpu,
        wall: outcome.wall,
        waited: outcome.waited,
        memory_bytes: outcome.memory_bytes,
        output: Output {
            digest: digest(&bytes),
            len_bytes: bytes.len() as u64,
            kept: Some(Arc::from(&bytes[..kept_len])),
            file,
        },
        // Output that is not kept whole is compared now, while it is at hand.
        compared: (long && package.checker.is_none()).then(|| compare_bytes(package, test, &bytes)),
        stderr: outcome.stderr,
        caps: caps.clone(),
        machine: Some(Arc::clone(machine)),
    };
    (facts, long.then_some(bytes))
}
