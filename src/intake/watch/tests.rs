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

use super::{Heard, Hint, Watch, WatchState, note};

/// Far longer than anything takes, so that a broken watch ends the test.
const PATIENCE: Duration = Duration::from_secs(30);

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
        let (means, heard) = noted(kind, "alpha/x.cpp");
        assert!(means && !heard.scan && heard.lost.is_empty());
        assert_eq!(heard.changed.get(OsStr::new("alpha/x.cpp")), Some(&hint));
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
        let (means, heard) = noted(kind, path);
        assert!(!means && !heard.scan && heard.changed.is_empty(), "{path}");
    }
}

#[test]
fn losses_and_overflow_ask_for_a_scan() {
    let (_, heard) = noted(EventKind::Remove(RemoveKind::Folder), "alpha");
    assert!(heard.lost.contains(OsStr::new("alpha")));
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

fn create(heard: &mut Heard, path: &str) {
    let event =
        Event::new(EventKind::Create(CreateKind::File)).add_path(Path::new("/s").join(path));
    note(heard, Path::new("/s"), Ok(event));
}

#[test]
fn what_is_heard_is_bounded_and_nobody_takes_anothers_share() {
    let mut heard = Heard::default();
    for number in 0..2 * super::CHANGED_SHARE_MAX {
        for name in ["alpha/", "beta_", ""] {
            create(&mut heard, &format!("{name}{number}"));
        }
    }
    assert_eq!(heard.changed.len(), 3 * super::CHANGED_SHARE_MAX);
    assert!(heard.scan);
    for name in ["chi/x.cpp", "delta_x.cpp"] {
        create(&mut heard, name);
        assert!(heard.changed.contains_key(OsStr::new(name)), "{name}");
    }
    for number in 0..2 * super::CHANGED_MAX {
        create(&mut heard, &format!("s{number}/x.cpp"));
    }
    assert_eq!(heard.changed.len(), super::CHANGED_MAX);
}

fn identity(path: &Path) -> (u64, u64) {
    let stat = rustix::fs::stat(path).unwrap();
    (stat.st_dev, stat.st_ino)
}

/// Collects what is heard until it satisfies the condition.
fn hear_until(
    watch: &mut Watch,
    wakes: &mpsc::Receiver<()>,
    mut enough: impl FnMut(&Heard) -> bool,
) {
    loop {
        wakes.recv_timeout(PATIENCE).unwrap();
        if enough(&watch.heard()) {
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
    hear_until(&mut watch, &wakes, |heard| {
        heard.changed.get(OsStr::new("alpha/x.cpp")) == Some(&Hint::Closed)
    });
    fs::rename(root.join("alpha/x.cpp"), root.join("beta_x.cpp")).unwrap();
    hear_until(&mut watch, &wakes, |heard| {
        heard.changed.get(OsStr::new("beta_x.cpp")) == Some(&Hint::RenamedIn)
    });

    // The root is removed and made again: the watch notices and can be armed again.
    fs::remove_dir_all(&root).unwrap();
    hear_until(&mut watch, &wakes, |heard| heard.root_lost);
    assert_eq!(watch.state(), &WatchState::Waiting);
    fs::create_dir(&root).unwrap();
    watch.arm();
    fs::write(root.join("chi_x.cpp"), "x").unwrap();
    hear_until(&mut watch, &wakes, |heard| {
        heard.changed.contains_key(OsStr::new("chi_x.cpp"))
    });
    // And one that was swapped unnoticed is found by its identity.
    assert!(watch.cover((0, 0), std::iter::empty()));
    assert_eq!(watch.state(), &WatchState::Waiting);
}
