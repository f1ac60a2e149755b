//! How fast this machine measures. Other machines are compared with it, so a poor measurement keeps
//! them from work: the first is made before anything else runs, and while a machine is refused for
//! its speed alone, the places measure again between two orders, however much waits.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::places::Pool;
use crate::util::calibrate::Pace;
use crate::util::sync::lock;

/// The machine's speed is measured again this often, as far as a place is free.
const PAUSE: Duration = Duration::from_secs(30);
/// The same while another machine is refused for its speed alone.
const REFUSING_PAUSE: Duration = Duration::from_secs(3);
/// After so many of these measurements the machines are as unlike as they seem.
const REFUSING_MAX: usize = 20;
/// A refusal is repeated more often than this for as long as it holds.
const REFUSAL: Duration = Duration::from_secs(5);

/// This machine's speed, for all who measure it.
#[derive(Default)]
pub struct Reference {
    held: Mutex<Held>,
    refused: Mutex<Option<Instant>>,
}

#[derive(Default)]
struct Held {
    pace: Pace,
    last: Option<Instant>,
    /// Measurements since a machine is refused.
    refusing: usize,
}

impl Reference {
    /// A machine is refused for its speed alone.
    pub fn refuses(&self) {
        *lock(&self.refused) = Some(Instant::now());
    }

    /// Whether one is refused for it now.
    pub fn is_refusing(&self) -> bool {
        let last = *lock(&self.refused);
        last.is_some_and(|last| last.elapsed() < REFUSAL)
    }

    /// Measures where that is due and nobody else does. Only for somebody on whose core nothing else
    /// runs.
    pub fn measure_if_due(&self, pool: &Pool) {
        let Ok(mut held) = self.held.try_lock() else {
            return;
        };
        let is_refusing = self.is_refusing();
        let pause = if is_refusing && held.refusing < REFUSING_MAX {
            REFUSING_PAUSE
        } else {
            PAUSE
        };
        if held.last.is_some_and(|last| last.elapsed() < pause) {
            return;
        }
        held.refusing = if is_refusing { held.refusing + 1 } else { 0 };
        pool.set_reference(held.pace.measure());
        held.last = Some(Instant::now());
    }
}
