//! What the events of the watch mean: notes of what to look at, bounded.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind, RenameMode};

use super::naming;
use super::settle::Hint;

/// Changed names kept until the next round; more than that and a scan is cheaper anyway.
const CHANGED_MAX: usize = 4_096;

/// What the watch has heard since it was last asked.
#[derive(Debug, Default)]
pub struct Heard {
    /// Everything has to be looked at.
    pub scan: bool,
    /// The kernel's queue was full.
    pub overflow: bool,
    /// Names below the root to look at.
    pub changed: BTreeMap<OsString, Hint>,
    /// The root was removed or moved.
    pub(super) root_lost: bool,
    /// Folders whose watch is gone with them.
    pub(super) lost: HashSet<OsString>,
}

/// Takes down what an event means. Tells whether it means anything.
pub fn note(heard: &mut Heard, root: &Path, event: notify::Result<notify::Event>) -> bool {
    let Ok(event) = event else {
        heard.scan = true;
        return true;
    };
    if event.need_rescan() {
        // Such an event has no paths.
        heard.scan = true;
        heard.overflow = true;
        return true;
    }
    let (hint, removed) = match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => (Hint::Closed, false),
        // Our own reading is reported too. Of writing, the end counts; what never ends is found by the timer.
        EventKind::Access(_)
        | EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Name(RenameMode::Both)) => {
            return false;
        }
        EventKind::Modify(ModifyKind::Name(RenameMode::To)) => (Hint::RenamedIn, false),
        EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)) => (Hint::None, true),
        _ => (Hint::None, false),
    };
    let mut means_anything = false;
    for path in &event.paths {
        let Ok(below) = path.strip_prefix(root) else {
            continue;
        };
        if below.as_os_str().is_empty() {
            heard.root_lost |= removed;
            heard.scan = true;
            means_anything = true;
            continue;
        }
        if below.iter().any(|name| naming::ignored(name).is_some()) {
            continue;
        }
        means_anything = true;
        let name = below.as_os_str();
        if removed && !name.as_bytes().contains(&b'/') {
            heard.lost.insert(name.to_owned());
        }
        if heard.lost.len() > CHANGED_MAX {
            // So many folders went that the whole watch is set up anew.
            heard.root_lost = true;
            heard.lost.clear();
        }
        if heard.changed.len() < CHANGED_MAX || heard.changed.contains_key(name) {
            let known = heard.changed.entry(name.to_owned()).or_default();
            *known = hint.max(*known);
        } else {
            heard.scan = true;
        }
    }
    means_anything
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::path::Path;

    use notify::event::{
        AccessKind, AccessMode, CreateKind, DataChange, Event, EventKind, Flag, ModifyKind,
        RemoveKind, RenameMode,
    };

    use super::{CHANGED_MAX, Heard, Hint, note};

    fn noted(kind: EventKind, path: &str) -> (bool, Heard) {
        let mut heard = Heard::default();
        let event = Event::new(kind).add_path(Path::new("/s").join(path));
        let means = note(&mut heard, Path::new("/s"), Ok(event));
        (means, heard)
    }

    #[test]
    fn events_become_hints() {
        let close = EventKind::Access(AccessKind::Close(AccessMode::Write));
        let to = EventKind::Modify(ModifyKind::Name(RenameMode::To));
        for (kind, hint) in [
            (close, Hint::Closed),
            (to, Hint::RenamedIn),
            (EventKind::Create(CreateKind::File), Hint::None),
            (EventKind::Remove(RemoveKind::File), Hint::None),
        ] {
            let (means, heard) = noted(kind, "anna/x.cpp");
            assert!(means && !heard.scan && heard.lost.is_empty());
            assert_eq!(heard.changed.get(OsStr::new("anna/x.cpp")), Some(&hint));
        }
        for (kind, path) in [
            (EventKind::Access(AccessKind::Open(AccessMode::Any)), "anna"),
            (
                EventKind::Modify(ModifyKind::Data(DataChange::Any)),
                "anna/x.cpp",
            ),
            (close, "anna/.x.cpp.swp"),
            (to, ".git/x"),
        ] {
            let (means, heard) = noted(kind, path);
            assert!(!means && !heard.scan && heard.changed.is_empty(), "{path}");
        }
    }

    #[test]
    fn losses_and_overflow_ask_for_a_scan() {
        let (_, heard) = noted(EventKind::Remove(RemoveKind::Folder), "anna");
        assert!(heard.lost.contains(OsStr::new("anna")));
        let (_, heard) = noted(EventKind::Remove(RemoveKind::Folder), "");
        assert!(heard.root_lost && heard.scan);
        let mut heard = Heard::default();
        let rescan = Event::new(EventKind::Other).set_flag(Flag::Rescan);
        assert!(note(&mut heard, Path::new("/s"), Ok(rescan)));
        assert!(heard.scan && heard.overflow);
        let mut heard = Heard::default();
        assert!(note(
            &mut heard,
            Path::new("/s"),
            Err(notify::Error::generic("x"))
        ));
        assert!(heard.scan && !heard.overflow);
    }

    #[test]
    fn what_is_heard_is_bounded() {
        let mut heard = Heard::default();
        for number in 0..2 * CHANGED_MAX {
            let event = Event::new(EventKind::Create(CreateKind::File))
                .add_path(Path::new("/s").join(number.to_string()));
            note(&mut heard, Path::new("/s"), Ok(event));
        }
        assert_eq!(heard.changed.len(), CHANGED_MAX);
        assert!(heard.scan);
    }
}
