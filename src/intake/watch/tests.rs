//! The watch against invented events, and against a real folder.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use notify::event::{
    AccessKind, AccessMode, CreateKind, DataChange, Event, EventKind, Flag, ModifyKind, RemoveKind,
    RenameMode,
};

use super::{Changes, Hint, Watch, WatchState, note};

/// Far longer than anything takes, so that a broken watch ends the test.
const PATIENCE: Duration = Duration::from_secs(30);

fn noted(kind: EventKind, path: &str) -> (bool, Changes) {
    let mut changes = Changes::default();
    let event = Event::new(kind).add_path(Path::new("/s").join(path));
    let means = note(&mut changes, Path::new("/s"), Ok(event));
    (means, changes)
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
        let (means, changes) = noted(kind, "alpha/x.cpp");
        assert!(means && !changes.scan && changes.lost.is_empty());
        assert_eq!(changes.names.get(OsStr::new("alpha/x.cpp")), Some(&hint));
    }
    for (kind, path) in [
        (
            EventKind::Access(AccessKind::Open(AccessMode::Any)),
            "alpha",
        ),
        (
            EventKind::Modify(ModifyKind::Data(DataChange::Any)),
            "alpha/x.cpp",
        ),
        (close, "alpha/.x.cpp.swp"),
        (to, ".git/x"),
    ] {
        let (means, changes) = noted(kind, path);
        assert!(
            !means && !changes.scan && changes.names.is_empty(),
            "{path}"
        );
    }
}

#[test]
fn losses_and_overflow_ask_for_a_scan() {
    let (_, changes) = noted(EventKind::Remove(RemoveKind::Folder), "alpha");
    assert!(changes.lost.contains(OsStr::new("alpha")));
    let (_, changes) = noted(EventKind::Remove(RemoveKind::Folder), "");
    assert!(changes.root_lost && changes.scan);
    let mut changes = Changes::default();
    let rescan = Event::new(EventKind::Other).set_flag(Flag::Rescan);
    assert!(note(&mut changes, Path::new("/s"), Ok(rescan)));
    assert!(changes.scan && changes.overflow);
    let mut changes = Changes::default();
    assert!(note(
        &mut changes,
        Path::new("/s"),
        Err(notify::Error::generic("x"))
    ));
    assert!(changes.scan && !changes.overflow);
}

fn create(changes: &mut Changes, path: &str) {
    let event =
        Event::new(EventKind::Create(CreateKind::File)).add_path(Path::new("/s").join(path));
    note(changes, Path::new("/s"), Ok(event));
}

#[test]
fn what_is_heard_is_bounded_and_nobody_takes_anothers_share() {
    let mut changes = Changes::default();
    for number in 0..2 * super::CHANGED_SHARE_MAX {
        for name in ["alpha/", "beta_", ""] {
            create(&mut changes, &format!("{name}{number}"));
        }
    }
    assert_eq!(changes.names.len(), 3 * super::CHANGED_SHARE_MAX);
    assert!(changes.scan);
    for name in ["chi/x.cpp", "delta_x.cpp"] {
        create(&mut changes, name);
        assert!(changes.names.contains_key(OsStr::new(name)), "{name}");
    }
    for number in 0..2 * super::CHANGED_MAX {
        create(&mut changes, &format!("s{number}/x.cpp"));
    }
    assert_eq!(changes.names.len(), super::CHANGED_MAX);
}

fn identity(path: &Path) -> (u64, u64) {
    let stat = rustix::fs::stat(path).unwrap();
    (stat.st_dev, stat.st_ino)
}

/// Collects what is changes until it satisfies the condition.
fn hear_until(
    watch: &mut Watch,
    wakes: &mpsc::Receiver<()>,
    mut enough: impl FnMut(&Changes) -> bool,
) {
    loop {
        wakes.recv_timeout(PATIENCE).unwrap();
        if enough(&watch.changes()) {
            return;
        }
    }
}

#[test]
fn a_real_folder_is_heard() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("submissions");
    let (sender, wakes) = mpsc::channel();
    let mut watch = Watch::new(&root, Box::new(move || sender.send(()).unwrap()));
    watch.arm();
    assert_eq!(
        watch.state(),
        &WatchState::Waiting,
        "there is nothing to watch yet"
    );

    fs::create_dir_all(root.join("alpha")).unwrap();
    watch.arm();
    assert_eq!(watch.state(), &WatchState::Watching);
    let alpha = identity(&root.join("alpha")).1;
    let folders = || std::iter::once((OsStr::new("alpha"), alpha));
    assert!(watch.cover(identity(&root), folders()), "newly watched");
    assert!(!watch.cover(identity(&root), folders()), "already watched");

    fs::write(root.join("alpha/x.cpp"), "x").unwrap();
    hear_until(&mut watch, &wakes, |changes| {
        changes.names.get(OsStr::new("alpha/x.cpp")) == Some(&Hint::Closed)
    });
    fs::rename(root.join("alpha/x.cpp"), root.join("beta_x.cpp")).unwrap();
    hear_until(&mut watch, &wakes, |changes| {
        changes.names.get(OsStr::new("beta_x.cpp")) == Some(&Hint::RenamedIn)
    });

    // The root is removed and made again: the watch notices and can be armed again.
    fs::remove_dir_all(&root).unwrap();
    hear_until(&mut watch, &wakes, |changes| changes.root_lost);
    assert_eq!(watch.state(), &WatchState::Waiting);
    fs::create_dir(&root).unwrap();
    watch.arm();
    fs::write(root.join("chi_x.cpp"), "x").unwrap();
    hear_until(&mut watch, &wakes, |changes| {
        changes.names.contains_key(OsStr::new("chi_x.cpp"))
    });
    // And one that was swapped unnoticed is found by its identity.
    assert!(watch.cover((0, 0), std::iter::empty()));
    assert_eq!(watch.state(), &WatchState::Waiting);
}
