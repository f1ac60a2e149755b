//! The machine of a worker: what measures there, and what it says that it is.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::cluster::wire::About as Words;
use crate::domain::{Digest, Fault};
use crate::sandbox::Runner;
use crate::toolchain::Toolchain;
use crate::util::calibrate::Pace;
use crate::util::sync::lock;

/// How often it is measured anew how fast the machine is.
const PACE_PAUSE: Duration = Duration::from_mins(2);

/// What measures.
pub struct Machine {
    /// The languages.
    pub toolchain: Arc<Toolchain>,
    /// Digest of what the sandbox enforces.
    pub sandbox: Digest,
    /// Makes a sandbox for the place of this number.
    pub runner: MakeRunner,
    /// The machine, as reports name it: see [`machine_of`](crate::cluster::about::machine_of).
    pub words: Arc<str>,
}

/// Makes a sandbox.
pub type MakeRunner = Box<dyn Fn(usize) -> Result<Box<dyn Runner>, Fault> + Send + Sync>;

/// What a worker says that it is.
pub struct About(Mutex<Said>);

struct Said {
    words: Words,
    /// Rises with each change.
    version: u64,
    pace: Pace,
    looked: Instant,
}

impl About {
    /// What was found out at the start.
    pub fn new(words: Words, pace: Pace) -> Self {
        Self(Mutex::new(Said {
            words,
            version: 1,
            pace,
            looked: Instant::now(),
        }))
    }

    /// What it is now, and which version of that.
    pub fn now(&self) -> (Words, u64) {
        let said = lock(&self.0);
        (said.words.clone(), said.version)
    }

    /// Measures anew how fast the machine is, if that is due.
    pub fn look_again(&self) {
        let mut pace = {
            let mut said = lock(&self.0);
            if said.looked.elapsed() < PACE_PAUSE {
                return;
            }
            said.looked = Instant::now();
            said.pace.clone()
        };
        let speed = pace.measure();
        let mut said = lock(&self.0);
        said.pace = pace;
        if said.words.speed != speed {
            said.words.speed = speed;
            said.version += 1;
        }
    }
}
