//! Other machines, and how fast this one measures, with which they are compared.
//!
//! It is looked at them now and then: what is announced, what pages show, and the file that
//! `status` reads. A poor measurement of this machine keeps others from work: the first is made
//! before anything else runs, and while a machine is refused for its speed alone, the places
//! measure again between two orders, however much waits.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::activity::Activity;
use super::notice::Notice;
use crate::places::{MachinesFile, OtherMachines, Pool, changes};
use crate::util::calibrate::Pace;
use crate::util::sync::lock;

/// The file is written this often at most.
const FILE_PAUSE: Duration = Duration::from_secs(2);

/// What was told and written last.
pub struct MachinesWatch {
    file: MachinesFile,
    told: Option<Arc<OtherMachines>>,
    written: Option<(Instant, Arc<OtherMachines>)>,
    is_warned: bool,
}

impl MachinesWatch {
    /// Nothing was told yet.
    pub fn new(state: &Path) -> Self {
        Self {
            file: MachinesFile::new(state),
            told: None,
            written: None,
            is_warned: false,
        }
    }

    /// Looks at the machines; says what is news of them.
    pub fn look(&mut self, pool: &Pool, activity: &Activity) -> Vec<Notice> {
        let Some(shown) = pool.machines() else {
            return Vec::new();
        };
        if self.told.as_deref() == Some(&shown) {
            self.write();
            return Vec::new();
        }
        let shown = Arc::new(shown);
        let news = changes(self.told.as_deref(), &shown);
        let mut notices: Vec<Notice> = news.into_iter().map(Notice::Machine).collect();
        notices.push(Notice::Machines(Arc::clone(&shown)));
        activity.show(Arc::clone(&shown));
        self.told = Some(shown);
        self.write();
        notices
    }

    fn write(&mut self) {
        let Some(told) = &self.told else { return };
        if let Some((when, written)) = &self.written
            && (when.elapsed() < FILE_PAUSE || Arc::ptr_eq(written, told))
        {
            return;
        }
        match self.file.write(told) {
            Ok(()) => self.is_warned = false,
            // On a full disk nothing else can be written either, and that is announced.
            Err(error) if !self.is_warned => {
                tracing::warn!(%error, "status cannot show other machines");
                self.is_warned = true;
            }
            Err(_) => {}
        }
        self.written = Some((Instant::now(), Arc::clone(told)));
    }
}

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
