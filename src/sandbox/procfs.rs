//! What `/proc` tells of processes: a thread's time on a core and its waiting for one, and to a
//! room's
//! init what all processes of the room use. There are no more of them than the cap of a job allows.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::util::clock::as_ns;

/// A thread's time so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ThreadTime {
    /// CPU time.
    pub ran: Duration,
    /// How long it was ready to run and had no core.
    pub waited: Duration,
}

impl ThreadTime {
    /// Of the thread with this folder in `/proc`; nothing where the kernel does not say.
    pub fn of(thread: &Path) -> Self {
        let text = fs::read_to_string(thread.join("schedstat"));
        Self::parse(&text.unwrap_or_default())
    }

    /// Of the thread that asks.
    pub fn of_this_thread() -> Self {
        Self::of(Path::new("/proc/thread-self"))
    }

    /// Both.
    pub fn whole(self) -> Duration {
        self.ran + self.waited
    }

    /// The first two numbers of a schedstat file.
    fn parse(text: &str) -> Self {
        let words = text.split_ascii_whitespace();
        let mut numbers = words.map_while(|word| word.parse().ok());
        let mut next = || Duration::from_nanos(numbers.next().unwrap_or(0));
        Self {
            ran: next(),
            waited: next(),
        }
    }
}

/// The folders of all processes of the namespace but this one.
fn processes() -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter(|entry| {
            let name = entry.file_name();
            name != "1"
                && name
                    .as_encoded_bytes()
                    .first()
                    .is_some_and(u8::is_ascii_digit)
        })
        .map(|entry| entry.path())
}

/// What all other processes of the namespace use now, by `/proc`; with `exact`, pages that they
/// share are counted once.
pub fn usage(exact: bool) -> (Duration, u64) {
    let mut ticks = 0;
    let mut bytes = 0;
    let page_bytes = rustix::param::page_size() as u64;
    for process in processes() {
        // The name of the program stands in parentheses and may hold anything; numbers follow the
        // last one.
        let Ok(text) = fs::read(process.join("stat")) else {
            continue;
        };
        let text = String::from_utf8_lossy(&text);
        let Some((_, numbers)) = text.rsplit_once(')') else {
            continue;
        };
        let field = |index: usize| {
            numbers
                .split_ascii_whitespace()
                .nth(index)
                .and_then(|number| number.parse::<u64>().ok())
                .unwrap_or(0)
        };
        ticks += (11..=14).map(field).sum::<u64>();
        let share = exact.then(|| share_of(&process)).flatten();
        bytes += share.unwrap_or_else(|| field(21) * page_bytes);
    }
    let per_second = rustix::param::clock_ticks_per_second().max(1);
    (
        Duration::from_nanos(ticks.saturating_mul(1_000_000_000 / per_second)),
        bytes,
    )
}

/// A process's memory, its share of what it shares with others; none where that may not be read.
fn share_of(process: &Path) -> Option<u64> {
    let text = fs::read_to_string(process.join("smaps_rollup")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

/// CPU time and time spent waiting for a processor, together, of the thread for which that is the
/// most, in nanoseconds.
///
/// While a thread waits, either another one of the job runs or the machine is busy with other
/// things.
/// So at least this, less the CPU time of the whole job, is the machine's doing: exactly, where the
/// job is one thread.
pub fn longest_thread() -> u64 {
    let threads = processes()
        .filter_map(|process| fs::read_dir(process.join("task")).ok())
        .flat_map(Iterator::flatten);
    let times = threads.map(|thread| ThreadTime::of(&thread.path()).whole());
    times.max().map_or(0, as_ns)
}
