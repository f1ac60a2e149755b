//! What becomes of submissions while the machine is short of something: they are tried every few
//! seconds, and nothing
//! is counted as a try, for as long as that can pass by itself.
//!
//! One submission alone may be what the machine is short for, so it stops nobody else. When a
//! second one meets the
//! shortage with none judged in between, all wait, and one after the other tries.

use crate::domain::SubmissionId;

/// The pause after the first try that met a shortage, in milliseconds; it doubles up to the
/// longest.
const PAUSE_MS: i64 = 1_000;
const PAUSE_MS_MAX: i64 = 4_000;
/// Tries of one submission that meet a shortage, some quarter of an hour; each further one counts
/// like any fault.
pub const TRIES_MAX: u32 = 225;
/// Where somebody waits for the end of all work, they wait for this many: most of a minute.
pub const ONCE_TRIES_MAX: u32 = 15;

/// The pause after so many of them.
pub fn pause_ms(tries: u32) -> i64 {
    (PAUSE_MS << tries.clamp(1, 8).saturating_sub(1)).min(PAUSE_MS_MAX)
}

/// The shortage that was met since a submission was last judged.
#[derive(Debug, Default)]
pub struct Shortages {
    last: Option<SubmissionId>,
    /// Tries since a second submission met it too.
    everybody: u32,
    next_ms: i64,
}

impl Shortages {
    /// Whether all wait for it to pass.
    pub fn all_wait(&self) -> bool {
        self.everybody > 0
    }

    /// Whether all wait, and it is time that one of them tries.
    pub fn are_due(&self, now_ms: i64) -> bool {
        self.all_wait() && self.next_ms <= now_ms
    }

    /// Something was judged; whether all were waiting for that.
    pub fn end(&mut self) -> bool {
        std::mem::take(self).all_wait()
    }

    /// A submission met it.
    pub fn note(&mut self, id: SubmissionId, now_ms: i64) {
        let another = self.last.is_some_and(|last| last != id);
        if another || self.all_wait() {
            self.everybody += 1;
            self.next_ms = now_ms + pause_ms(self.everybody);
        }
        self.last = Some(id);
    }
}
