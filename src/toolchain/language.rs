//! A language of the table, and what is known of its compiler on this machine.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::resolve::{Missing, Resolved};
use crate::config::LanguageSpec;
use crate::domain::{Fault, LanguageId};

/// A language of the table.
#[derive(Debug)]
pub struct Language {
    pub(super) id: LanguageId,
    pub(super) spec: LanguageSpec,
    /// What was found when it was last looked up; a look that failed by a fault of ours leaves
    /// nothing here.
    pub(super) resolved: Mutex<Option<Result<Arc<Resolved>, Missing>>>,
    /// Whether its compiler is known to work.
    pub(super) health: Mutex<Health>,
}

impl Language {
    /// Its key.
    pub fn id(&self) -> &LanguageId {
        &self.id
    }

    /// Its name for people.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// Its extensions, in lower case, the usual one first.
    pub fn extensions(&self) -> &[String] {
        &self.spec.extensions
    }

    /// Its entry in the table.
    pub fn spec(&self) -> &LanguageSpec {
        &self.spec
    }

    /// Why its compiler does not work, since it was found out; told once.
    pub fn take_trouble(&self) -> Option<Fault> {
        held(&self.health).trouble.take()
    }
}

/// Whether a compiler works, as far as that is known.
#[derive(Debug, Default)]
pub(super) struct Health {
    /// When the latest build of the echo program that succeeded was begun.
    pub(super) built: Option<Instant>,
    /// Whether the echo program was ever built.
    pub(super) worked: bool,
    /// Why the compiler does not work, since it was last tried.
    pub(super) trouble: Option<Fault>,
}

/// What is behind a lock: each change replaces it as a whole, so a thread that failed has left it
/// whole.
pub(super) fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
