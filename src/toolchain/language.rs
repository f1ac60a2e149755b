//! A language of the table, and what is known of its compiler on this machine.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use super::resolve::{Missing, Resolved};
use crate::config::LanguageSpec;
use crate::domain::{Fault, LanguageId};
use crate::util::sync::lock;

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
        lock(&self.health).trouble.take()
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
