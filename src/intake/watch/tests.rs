//! The watch against invented events, and against a real folder.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use notify::event::{
    AccessKind, AccessMode, CreateKind, DataChange, Event, EventKind, Flag, ModifyKind, RemoveKind,
    RenameMode,
};

use super::{Notes, Watch, note};

/// Far longer than anything takes, so that a broken watch ends the test.
const PATIENCE: Duration = Duration::from_secs(30);

/// Notes of a watch that covers one folder, after one event.
fn noted(event: notify::Result<Event>) -> Notes {
    let mut notes = Notes {
        covered: [(OsString::from("alpha"), 1)].into(),
        ..Notes::default()
    };
    note(&mut notes, Path::new("/s"), event);
    notes
}

#[test]
fn what_may_have_changed_a_file_is_a_change() {
    let close = EventKind::Access(AccessKind::Close(AccessMode::Write));
    let open = EventKind::Access(AccessKind::Open(AccessMode::Any));
    let write = EventKind::Modify(ModifyKind::Data(DataChange::Any));
    let rename = |mode| EventKind::Modify(ModifyKind::Name(mode));
    let (to, from) = (rename(RenameMode::To), rename(RenameMode::From));
    let [remove, remove_folder] = [RemoveKind::File, RemoveKind::Folder].map(EventKind::Remove);
    let create = EventKind::Create(CreateKind::File);
    // Whether something has changed, whether the folder is still covered, and whether the root is
    // lost.
    for (kind, path, expected) in [
        (close, "alpha/x.cpp", (true, true, false)),
        (to, "alpha/x.cpp", (true, true, false)),
        (create, "x.cpp", (true, true, false)),
        (remove, "alpha/x.cpp", (true, true, false)),
        (remove_folder, "alpha", (true, false, false)),
        (from, "alpha", (true, false, false)),
        (to, "alpha", (true, true, false)),
        (remove_folder, "", (true, true, true)),
        (open, "alpha", (false, true, false)),
        (write, "alpha/x.cpp", (false, true, false)),
        (close, "alpha/.x.cpp.swp", (false, true, false)),
        (to, ".git/x", (false, true, false)),
    ] {
        let notes = noted(Ok(Event::new(kind).add_path(Path::new("/s").join(path))));
        let is_covered = !notes.covered.is_empty();
        let found = (notes.is_changed, is_covered, notes.is_root_lost);
        assert_eq!(found, expected, "{kind:?} {path}");
    }
    let missed = Event::new(EventKind::Other).set_flag(Flag::Rescan);
    assert!(noted(Ok(missed)).is_changed);
    assert!(noted(Err(notify::Error::generic("x"))).is_changed);
}

fn identity(path: &Path) -> (u64, u64) {
    let stat = rustix::fs::stat(path).unwrap();
    (stat.st_dev, stat.st_ino)
}

#[test]
fn a_real_folder_is_heard() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("submissions");
    let (sender, wakes) = mpsc::channel();
    let mut watch = Watch::new(&root, Box::new(move || sender.send(()).unwrap()));
    let hear = |watch: &mut Watch| {
        wakes.recv_timeout(PATIENCE).unwrap();
        assert!(watch.is_changed());
        // Whatever else there is to it comes at once.
        while wakes.recv_timeout(Duration::from_millis(50)).is_ok() {
            watch.is_changed();
        }
        assert!(!watch.is_changed());
    };
    watch.arm();
    assert!(!watch.is_whole(), "there is nothing to watch yet");

    fs::create_dir_all(root.join("alpha")).unwrap();
    watch.arm();
    assert!(watch.is_whole());
    let folders = || [(OsString::from("alpha"), identity(&root.join("alpha")).1)];
    assert!(watch.cover(identity(&root), &folders()), "newly watched");
    assert!(!watch.cover(identity(&root), &folders()), "already watched");
    fs::write(root.join("alpha/x.cpp"), "x").unwrap();
    hear(&mut watch);
    fs::rename(root.join("alpha/x.cpp"), root.join("beta_x.cpp")).unwrap();
    hear(&mut watch);
    // A folder that is made anew is watched anew, also where it has the same inode.
    fs::remove_dir_all(root.join("alpha")).unwrap();
    fs::create_dir(root.join("alpha")).unwrap();
    hear(&mut watch);
    assert!(watch.cover(identity(&root), &folders()), "newly watched");
    fs::write(root.join("alpha/x.cpp"), "x").unwrap();
    hear(&mut watch);

    // The root is removed and made again: the watch notices and can be armed again.
    fs::remove_dir_all(&root).unwrap();
    hear(&mut watch);
    assert!(!watch.is_whole());
    fs::create_dir(&root).unwrap();
    watch.arm();
    fs::write(root.join("chi_x.cpp"), "x").unwrap();
    hear(&mut watch);
    // And one that was swapped unnoticed is found by its identity.
    assert!(watch.cover((0, 0), &[]));
    assert!(!watch.is_whole());
}
