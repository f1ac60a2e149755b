//! Whose file is looked at next: students take turns, however many files one of them has. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::Arc;

/// Which of an owner's files comes first: attempts are numbered in this order. Files that are found
/// in one look are due at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Age {
    pub due_ms: u64,
    /// When it was last written.
    pub mtime_ns: u64,
    /// Bytes of its name: `curling.c` comes before `curling (1).c`, and that before
    /// `curling (10).c`.
    pub name_bytes: usize,
}

/// Files that are due, by their owners. In its turn each is given the oldest one.
#[derive(Debug, Default)]
pub struct RoundRobin {
    /// No set is empty.
    waiting: BTreeMap<Arc<str>, BTreeSet<(Age, Arc<OsStr>)>>,
    /// Who had the last turn.
    last: Option<Arc<str>>,
}

impl RoundRobin {
    /// A file waits for its turn.
    pub fn add(&mut self, owner: &str, age: Age, path: Arc<OsStr>) {
        if let Some(files) = self.waiting.get_mut(owner) {
            files.insert((age, path));
        } else {
            let files = BTreeSet::from([(age, path)]);
            self.waiting.insert(Arc::from(owner), files);
        }
    }

    /// The next file in turn, which waits no more.
    pub fn pop(&mut self) -> Option<Arc<OsStr>> {
        let after = self
            .last
            .take()
            .and_then(|last| self.waiting.range((Excluded(last), Unbounded)).next());
        let (owner, _) = after.or_else(|| self.waiting.first_key_value())?;
        let owner = Arc::clone(owner);
        let files = self.waiting.get_mut(&owner)?;
        let next = files.pop_first();
        if files.is_empty() {
            self.waiting.remove(&owner);
        }
        self.last = Some(owner);
        next.map(|(_, path)| path)
    }

    /// Whether no file waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::sync::Arc;

    use super::{Age, RoundRobin};

    #[test]
    fn each_has_a_turn_before_anybody_has_another() {
        let mut files_due = RoundRobin::default();
        // The owner and when it is due, as `a1`.
        let add = |files_due: &mut RoundRobin, path: &str| {
            let (owner, due_ms) = path.split_at(1);
            let due_ms = due_ms.parse().unwrap();
            let age = Age {
                due_ms,
                mtime_ns: 100 - due_ms,
                name_bytes: 2,
            };
            files_due.add(owner, age, Arc::from(OsStr::new(path)));
        };
        for path in ["a1", "a2", "a3", "b9", "d8", "d5"] {
            add(&mut files_due, path);
        }
        let mut order = Vec::new();
        while let Some(path) = files_due.pop() {
            order.push(path.to_str().unwrap().to_owned());
            if order.len() == 2 {
                // Who comes later is not behind those who have had a turn already.
                add(&mut files_due, "c7");
            }
        }
        assert_eq!(order, ["a1", "b9", "c7", "d5", "a2", "d8", "a3"]);
        assert!(files_due.is_empty());
    }
}
