//! A fixed amount of work for the processor, to see how evenly this machine measures: this binary
//! itself, run in the sandbox under a hidden argument.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use crate::domain::{Fault, Limits};
use crate::sandbox::{APP_FOLDER, AppFile, Collect, Job, Room};
use crate::util::MIB;
use crate::util::files::read_bounded;

/// The hidden first argument. The second is the number of steps.
const ARGUMENT: &str = "__doctor-load";
/// The binary's name in its room.
const NAME: &str = "verdictd";
/// This binary, in bytes.
const BINARY_BYTES_MAX: u64 = 512 * 1024 * 1024;
/// Words that the work goes through: more than the first cache of a core holds, as in most
/// programs, and less than the second.
const WORDS: usize = 32 * 1024;

/// Does the work and prints its sum, where this process was started for that.
pub fn reenter() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    arguments.next().filter(|first| first == ARGUMENT)?;
    let steps = arguments
        .next()
        .and_then(|steps| steps.to_str()?.parse().ok());
    let sum = work(steps.unwrap_or(0));
    Some(match writeln!(io::stdout(), "{sum}") {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    })
}

/// Arithmetic and memory in equal parts, the same on every machine.
fn work(steps: u64) -> u64 {
    let mut words = vec![1u64; WORDS];
    let mut state = 1u64;
    for _ in 0..steps {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let at = usize::try_from(state >> 40).unwrap_or(0) % WORDS;
        words[at] = words[at].rotate_left(7) ^ state;
        state ^= words[at] >> 3;
    }
    words.iter().fold(state, |sum, word| sum ^ word)
}

/// The room of the work.
pub fn room() -> Result<Room, Fault> {
    let binary = read_bounded(Path::new("/proc/self/exe"), BINARY_BYTES_MAX)
        .map_err(|error| Fault::new("read this binary", error))?;
    Ok(Room {
        shown: Vec::new(),
        app: vec![AppFile {
            name: NAME.to_owned(),
            bytes: binary.into(),
            executable: true,
        }],
    })
}

/// So many steps of it.
pub fn job(steps: u64, alone: bool) -> Job {
    let cpu = Duration::from_secs(5);
    Job {
        argv: vec![
            format!("{APP_FOLDER}/{NAME}"),
            ARGUMENT.to_owned(),
            steps.to_string(),
        ],
        env: BTreeMap::new(),
        stdin: Arc::from([]),
        files: Vec::new(),
        collect: Collect::Nothing,
        caps: Limits {
            cpu,
            wall: Limits::wall_floor(cpu),
            memory_bytes: 256 * MIB,
            output_bytes: MIB,
            processes: 8,
            open_files: 64,
        },
        stderr_bytes_max: 1024,
        disk_bytes: MIB,
        stack_bytes: None,
        alone,
    }
}

#[cfg(test)]
mod tests {
    use super::work;

    #[test]
    fn the_work_is_always_the_same() {
        assert_eq!(work(10_000), work(10_000));
        assert_ne!(work(10_000), work(10_001));
    }
}
