//! Whose file is looked at next: students take turns, however many files one of them has. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::sync::Arc;

/// Files that are due, by whose they are. In its turn each is given the one that has been due for
/// longest.
#[derive(Debug, Default)]
pub struct Turns {
    /// No set is empty.
    waiting: BTreeMap<Arc<str>, BTreeSet<(u64, Arc<OsStr>)>>,
    /// Whose turn it was last.
    last: Option<Arc<str>>,
}

impl Turns {
    /// A file waits for its turn, since this moment.
    pub fn add(&mut self, whose: &Arc<str>, due_ms: u64, path: Arc<OsStr>) {
        let files = self.waiting.entry(Arc::clone(whose)).or_default();
        files.insert((due_ms, path));
    }

    /// The file waits no more.
    pub fn remove(&mut self, whose: &Arc<str>, due_ms: u64, path: Arc<OsStr>) {
        let Some(files) = self.waiting.get_mut(whose) else {
            return;
        };
        files.remove(&(due_ms, path));
        if files.is_empty() {
            self.waiting.remove(whose);
        }
    }

    /// The next file in turn. It waits until it is removed.
    pub fn next(&mut self) -> Option<Arc<OsStr>> {
        use std::ops::Bound::{Excluded, Unbounded};
        let after = self.last.take().and_then(|last| {
            let mut after = self.waiting.range((Excluded(last), Unbounded));
            after.next()
        });
        let (whose, files) = after.or_else(|| self.waiting.first_key_value())?;
        self.last = Some(Arc::clone(whose));
        files.first().map(|(_, path)| Arc::clone(path))
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

    use super::Turns;

    #[test]
    fn each_has_a_turn_before_anybody_has_another() {
        let mut turns = Turns::default();
        let files = [
            ("a", 1, "a1"),
            ("a", 2, "a2"),
            ("a", 3, "a3"),
            ("b", 9, "b9"),
            ("c", 8, "c8"),
            ("c", 5, "c5"),
            ("bb", 10, "bb10"),
        ];
        for (whose, due_ms, path) in &files[..6] {
            turns.add(&Arc::from(*whose), *due_ms, Arc::from(OsStr::new(path)));
        }
        let mut order = Vec::new();
        while let Some(path) = turns.next() {
            let (whose, due_ms, _) = files.iter().find(|(.., name)| *name == &*path).unwrap();
            turns.remove(&Arc::from(*whose), *due_ms, Arc::clone(&path));
            order.push(path.to_str().unwrap().to_owned());
            if order.len() == 2 {
                // Who comes later is not behind those who have had a turn already.
                turns.add(&Arc::from("bb"), 10, Arc::from(OsStr::new("bb10")));
            }
        }
        assert_eq!(order, ["a1", "b9", "bb10", "c5", "a2", "c8", "a3"]);
        assert!(turns.is_empty());
    }
}
