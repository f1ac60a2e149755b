//! Memory of a group: its bound, how much was in use, and whether the bound had a process killed.

use std::cmp::Ordering;
use std::fs::File;
use std::sync::Arc;

use super::folder::{Folder, read_keyed, read_number, write_again};
use crate::domain::Fault;

/// Memory that earlier jobs left charged to a group, page cache and kernel objects, beyond what
/// init has.
/// Where it is more the next job gets a fresh group, in a fresh room: it goes away at a time that
/// nobody knows, and would then be the job's to use, or to answer for.
const LEFTOVER_BYTES_MAX: u64 = 1024 * 1024;
/// The same for a job with a large cap: this part of it. Jobs that follow each other fast leave
/// what the kernel frees only some milliseconds later.
const LEFTOVER_PART: u64 = 64;
/// How far the bound of a group may lie above the job's cap and what was there before it; below
/// this it is not set anew.
const BOUND_SLACK_BYTES: u64 = 256 * 1024;
/// How far below the cap the peak may be when the cap was reached: the kernel charges in batches
/// and in huge pages.
const REACHED_SLACK_BYTES: u64 = 4 * 1024 * 1024;

/// What the files of a group are called.
pub struct Names {
    current: &'static str,
    peak: &'static str,
    bound: &'static str,
    /// Counts the processes that were killed.
    events: &'static str,
    /// A 0 here keeps the group from swapping.
    swap: &'static str,
    /// Makes the kernel take back what nobody needs.
    reclaim: &'static str,
}

pub const UNIFIED: Names = Names {
    current: "memory.current",
    peak: "memory.peak",
    bound: "memory.max",
    events: "memory.events",
    swap: "memory.swap.max",
    reclaim: "memory.reclaim",
};

pub const SEPARATE: Names = Names {
    current: "memory.usage_in_bytes",
    peak: "memory.max_usage_in_bytes",
    bound: "memory.limit_in_bytes",
    events: "memory.oom_control",
    swap: "memory.swappiness",
    reclaim: "memory.force_empty",
};

/// Version 1 has it, but not on every kernel.
const BOUND_WITH_SWAP: &str = "memory.memsw.limit_in_bytes";
/// Version 2 has it, since Linux 5.2.
const OWN_EVENTS: &str = "memory.events.local";

pub struct Memory {
    folder: Arc<Folder>,
    names: &'static Names,
    current: File,
    peak: Option<Peak>,
    events: File,
    own_events: Option<File>,
    /// Of memory alone, then with swap. The second may never be the lower one.
    bounds: Vec<File>,
    /// The bound in force.
    bound_bytes: u64,
    /// The least that was charged before a job: init's own.
    floor_bytes: u64,
    kills_before: u64,
    reached_before: u64,
}

/// The most memory in use at one time.
struct Peak {
    file: File,
    /// With version 2 it is counted anew only since Linux 6.12, from each write, for the descriptor
    /// that was written to.
    can_reset: bool,
}

impl Peak {
    /// `None` with version 2 before Linux 5.19.
    fn open(folder: &Folder, names: &Names) -> Option<Self> {
        let path = folder.path.join(names.peak);
        let writable = File::options().read(true).write(true).open(&path);
        // Root may open it for writing where a write has no meaning, which only a write tells.
        let can_reset = writable
            .as_ref()
            .is_ok_and(|file| write_again(file, "0").is_ok());
        let file = writable.or_else(|_| File::open(&path)).ok()?;
        Some(Self { file, can_reset })
    }
}

/// Whether the kernel keeps the peak of a group, and whether it can begin anew.
pub fn peak_of(folder: &Folder, names: &Names) -> (bool, bool) {
    let peak = Peak::open(folder, names);
    (peak.is_some(), peak.is_some_and(|peak| peak.can_reset))
}

impl Memory {
    pub fn make(
        folder: Arc<Folder>,
        names: &'static Names,
        end_together: bool,
    ) -> Result<Self, Fault> {
        folder.write_if_there(names.swap, "0");
        if end_together {
            // So that none of a job's processes waits for one that was killed.
            folder.write_if_there("memory.oom.group", "1");
        }
        let bound = folder.open(names.bound, true)?;
        let with_swap = folder.open(BOUND_WITH_SWAP, true).ok();
        Ok(Self {
            current: folder.open(names.current, false)?,
            peak: Peak::open(&folder, names),
            events: folder.open(names.events, false)?,
            own_events: folder.open(OWN_EVENTS, false).ok(),
            bounds: [bound].into_iter().chain(with_swap).collect(),
            bound_bytes: u64::MAX,
            floor_bytes: u64::MAX,
            kills_before: 0,
            reached_before: 0,
            folder,
            names,
        })
    }

    /// Puts the cap in force, and begins to count. False where too much is left in it.
    pub fn begin(&mut self, cap_bytes: u64) -> Result<bool, Fault> {
        let before_bytes = read_number(&self.current)?;
        self.floor_bytes = self.floor_bytes.min(before_bytes);
        let leftover_max = LEFTOVER_BYTES_MAX.max(cap_bytes / LEFTOVER_PART);
        if before_bytes > self.floor_bytes + leftover_max {
            return Ok(false);
        }
        self.set(bound_of(cap_bytes, before_bytes, self.bound_bytes))?;
        if let Some(peak) = self.peak.as_ref().filter(|peak| peak.can_reset) {
            write_again(&peak.file, "0")?;
        }
        self.kills_before = self.kills()?;
        self.reached_before = self.reached()?.unwrap_or(0);
        Ok(true)
    }

    fn set(&mut self, bytes: u64) -> Result<(), Fault> {
        let text = bytes.to_string();
        let write = |file: &File| write_again(file, &text);
        match bytes.cmp(&self.bound_bytes) {
            Ordering::Less => self.bounds.iter().try_for_each(write)?,
            Ordering::Equal => {}
            Ordering::Greater => self.bounds.iter().rev().try_for_each(write)?,
        }
        self.bound_bytes = bytes;
        Ok(())
    }

    fn kills(&self) -> Result<u64, Fault> {
        read_keyed(&self.events, &["oom_kill"])
    }

    /// How often the group itself stood at its bound; `None` where the kernel does not count that
    /// apart from what happened above it.
    fn reached(&self) -> Result<Option<u64>, Fault> {
        let own = self.own_events.as_ref();
        own.map(|file| read_keyed(file, &["oom", "max"]))
            .transpose()
    }

    /// What the job had at most, and whether the bound had a process killed.
    pub fn finish(&self) -> Result<(Option<u64>, bool), Fault> {
        let peak = self.peak.as_ref();
        let peak_bytes = peak.map(|peak| read_number(&peak.file)).transpose()?;
        let is_killed = self.kills()? > self.kills_before;
        let is_reached = match (self.reached()?, peak_bytes) {
            (Some(count), _) => count > self.reached_before,
            (None, Some(bytes)) => bytes + REACHED_SLACK_BYTES >= self.bound_bytes,
            (None, None) => true,
        };
        if is_killed && !is_reached {
            return Err(Fault::new(
                "run the program",
                "the machine, not the program, ran out of memory",
            ));
        }
        let used_bytes = peak_bytes.map(|bytes| bytes.saturating_sub(self.floor_bytes));
        Ok((used_bytes, is_killed))
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let left_bytes = read_number(&self.current).unwrap_or(0);
        if left_bytes > LEFTOVER_BYTES_MAX {
            // Cached pages would otherwise keep the group in the kernel's memory after its folder
            // is gone.
            self.folder
                .write_if_there(self.names.reclaim, &left_bytes.to_string());
        }
    }
}

/// The bound that gives a job its cap on top of what is charged already; `now` where that is near
/// enough.
fn bound_of(cap_bytes: u64, before_bytes: u64, now_bytes: u64) -> u64 {
    let least = cap_bytes.saturating_add(before_bytes);
    if (least..=least.saturating_add(BOUND_SLACK_BYTES)).contains(&now_bytes) {
        now_bytes
    } else {
        least.saturating_add(BOUND_SLACK_BYTES / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::{BOUND_SLACK_BYTES, bound_of};

    #[test]
    fn a_bound_is_never_below_the_cap_and_kept_while_it_is_near_enough() {
        let least = (1 << 26) + 500;
        let most = least + BOUND_SLACK_BYTES;
        for now in [0, least - 1, least, most, most + 1] {
            let bound = bound_of(1 << 26, 500, now);
            assert!((least..=most).contains(&bound), "{now}: {bound}");
            assert_eq!(bound == now, (least..=most).contains(&now), "{now}");
        }
    }
}
