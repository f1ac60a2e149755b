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
use crate::util::calibrate::Chain;
use crate::util::files::read_bounded;

/// The hidden first argument. The second is how often the work is done.
const ARGUMENT: &str = "__doctor-load";
/// The binary's name in its room.
const NAME: &str = "verdictd";
/// This binary, in bytes.
const BINARY_BYTES_MAX: u64 = 512 * 1024 * 1024;
/// Where the work begins.
const SEED: u64 = 1;

/// Does the work and prints its sum, where this process was started for that.
pub fn reenter() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    arguments.next().filter(|first| first == ARGUMENT)?;
    let rounds = arguments
        .next()
        .and_then(|rounds| rounds.to_str()?.parse().ok());
    let sum = Chain::default().run(SEED, rounds.unwrap_or(0));
    Some(match writeln!(io::stdout(), "{sum}") {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    })
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

/// The work, so often.
pub fn job(rounds: u32, alone: bool) -> Job {
    let cpu = Duration::from_secs(5);
    Job {
        argv: vec![
            format!("{APP_FOLDER}/{NAME}"),
            ARGUMENT.to_owned(),
            rounds.to_string(),
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
