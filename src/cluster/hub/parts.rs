//! Bytes that come in parts, ahead of the fact that names them.

use std::collections::HashMap;
use std::sync::Arc;

use crate::domain::Digest;
use crate::domain::bounds::ARTIFACT_BYTES_MAX;
use crate::util::hash::digest;

/// Files that one fact may name.
const FILES_MAX: usize = 1_024;
/// Bytes of all orders together that wait for their facts.
pub const HELD_BYTES_MAX: usize = 512 * 1024 * 1024;

/// The bytes of one order that wait for the fact that names them.
#[derive(Default)]
pub struct Parts(HashMap<Digest, Pending>);

enum Pending {
    Growing(Vec<u8>),
    Whole(Arc<[u8]>),
}

/// What came of a part.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece {
    /// It is the next one.
    Taken,
    /// It was there already.
    Again,
    /// Too much is held now: it may come again later.
    Later,
    /// It does not fit to the others, or is too much.
    Wrong,
}

impl Pending {
    fn len(&self) -> usize {
        match self {
            Self::Growing(bytes) => bytes.len(),
            Self::Whole(bytes) => bytes.len(),
        }
    }
}

impl Parts {
    /// Adds a part that begins `at` of bytes that are `of` long, where there is room for so many.
    pub fn add(&mut self, name: &Digest, at: u64, of: u64, part: &[u8], room: usize) -> Piece {
        let is_known = self.0.contains_key(name);
        let known = self.0.get(name).map_or(0, Pending::len);
        let end = at.saturating_add(part.len() as u64);
        if end <= known as u64 && is_known {
            return Piece::Again;
        }
        let fits = at == known as u64
            && end <= of
            && of <= ARTIFACT_BYTES_MAX
            && !part.is_empty()
            && (is_known || self.0.len() < FILES_MAX);
        if !fits {
            return Piece::Wrong;
        }
        if part.len() > room {
            return Piece::Later;
        }
        let pending = self
            .0
            .entry(*name)
            .or_insert_with(|| Pending::Growing(Vec::new()));
        let Pending::Growing(bytes) = pending else {
            return Piece::Wrong;
        };
        bytes.extend_from_slice(part);
        if end == of {
            if digest(bytes) != *name {
                return Piece::Wrong;
            }
            *pending = Pending::Whole(Arc::from(std::mem::take(bytes)));
        }
        Piece::Taken
    }

    /// Those that have come as a whole.
    pub fn whole(&self) -> HashMap<Digest, Arc<[u8]>> {
        let whole = |(name, pending): (&Digest, &Pending)| match pending {
            Pending::Whole(bytes) => Some((*name, Arc::clone(bytes))),
            Pending::Growing(_) => None,
        };
        self.0.iter().filter_map(whole).collect()
    }

    /// Forgets some; says how many bytes they had.
    pub fn forget(&mut self, named: &[Digest]) -> usize {
        let gone = named.iter().filter_map(|name| self.0.remove(name));
        gone.map(|pending| pending.len()).sum()
    }

    /// Bytes that are held.
    pub fn held(&self) -> usize {
        self.0.values().map(Pending::len).sum()
    }
}
