//! What the daemon knows of a worker.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use crate::cluster::wire::{About, Beat, Id};
use crate::fleet::Counts;

/// A worker that was gone so often with orders, and has done none between, gets no more.
pub const FALLEN_MAX: usize = 3;

/// A worker as it was seen last.
pub struct Seen {
    /// Its life.
    pub life: Id,
    /// The shape of its messages.
    pub shape: u16,
    pub past: VecDeque<Id>,
    /// What it said that it is.
    pub about: Option<Arc<About>>,
    /// When it was heard last.
    pub last: Instant,
    /// Whether it has been silent for too long.
    pub is_gone: bool,
    /// What came of its orders.
    pub counts: Counts,
    /// Why it is not used any more, whatever it says.
    pub distrust: Option<String>,
    /// How often it was gone with orders since it has done one.
    pub fallen: usize,
    /// Orders in a row that never reached it.
    pub unheard: usize,
}

impl Seen {
    /// One that was not known before.
    pub fn new(beat: &Beat, now: Instant) -> Self {
        Self {
            life: beat.worker.clone(),
            shape: beat.shape,
            past: VecDeque::new(),
            about: None,
            last: now,
            is_gone: false,
            counts: Counts::default(),
            distrust: None,
            fallen: 0,
            unheard: 0,
        }
    }

    /// It is gone, and orders with it.
    pub fn falls(&mut self) {
        self.fallen += 1;
        if self.fallen >= FALLEN_MAX {
            self.distrust = Some(format!(
                "it took orders and was gone before one was done, {FALLEN_MAX} times in a row"
            ));
        }
    }
}
