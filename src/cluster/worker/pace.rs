//! A worker's speed is measured again now and then by a place that has nothing to do.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::link::Link;
use crate::cluster::wire::About;
use crate::util::calibrate::Pace;

/// Pause between two measurements.
const PAUSE: Duration = Duration::from_mins(1);
/// The same while a course gives this worker no orders: perhaps it measured in a busy moment.
const REFUSED_PAUSE: Duration = Duration::from_secs(3);

/// The speed, for all places together.
pub struct Speedometer(Mutex<(Pace, Instant)>);

impl Speedometer {
    /// It was measured just now.
    pub fn new(pace: Pace) -> Self {
        Self(Mutex::new((pace, Instant::now())))
    }

    /// Measures again where that is due and no other place does.
    pub fn measure_if_due(&self, link: &Link) {
        let Ok(mut held) = self.0.try_lock() else {
            return;
        };
        let is_refused = link.is_refused();
        if held.1.elapsed() < if is_refused { REFUSED_PAUSE } else { PAUSE } {
            return;
        }
        let speed = held.0.measure();
        held.1 = Instant::now();
        let about = link.about();
        if about.speed != speed {
            link.set_about(About {
                speed,
                ..About::clone(&about)
            });
        }
    }
}
