//! Where orders can be measured: what is known of a place, and of all those that are there.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::sync::Arc;

use crate::domain::{Digest, LanguageId};

/// Files of built programs that a worker is believed to have. Its cache may forget some of them:
/// that costs moving them once more.
const FILES_MAX: usize = 8_192;

/// A place that does one order at a time. All places of a worker are alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The worker's name, for people. No two that are there have the same one.
    pub worker: Arc<str>,
    /// One life of the worker: after a restart it is another one.
    pub life: Arc<str>,
    /// The machine, in the words that facts name it with.
    pub machine: Arc<str>,
    /// The languages that are the same there as here; `None` for all.
    pub languages: Option<BTreeSet<LanguageId>>,
    /// Whether it is in this process, where all bytes are at hand.
    pub is_local: bool,
}

impl Place {
    /// A place of the daemon itself.
    pub fn local(machine: &Arc<str>) -> Self {
        Self {
            worker: Arc::from("local"),
            life: Arc::from(""),
            machine: Arc::clone(machine),
            languages: None,
            is_local: true,
        }
    }

    /// Whether it is a place of the same life of a worker.
    pub fn is_of(&self, other: &Self) -> bool {
        self.worker == other.worker && self.life == other.life
    }
}

/// A worker that is there.
#[derive(Debug)]
pub(super) struct Present {
    pub place: Arc<Place>,
    /// How many such places it has.
    pub places: usize,
    /// The files of built programs that it has.
    files: Files,
}

/// The latest files, so many at most.
#[derive(Debug, Default)]
struct Files {
    known: HashSet<Digest>,
    in_turn: VecDeque<Digest>,
}

impl Present {
    pub fn new(place: Place, places: usize) -> Self {
        Self {
            place: Arc::new(place),
            places,
            files: Files::default(),
        }
    }

    /// It has these files from now on.
    pub fn note(&mut self, files: impl IntoIterator<Item = Digest>) {
        if self.place.is_local {
            return;
        }
        let Files { known, in_turn } = &mut self.files;
        for file in files {
            if known.insert(file) {
                in_turn.push_back(file);
            }
            if in_turn.len() > FILES_MAX
                && let Some(oldest) = in_turn.pop_front()
            {
                known.remove(&oldest);
            }
        }
    }

    pub fn has(&self, file: &Digest) -> bool {
        self.place.is_local || self.files.known.contains(file)
    }
}
