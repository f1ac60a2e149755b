//! What is refused, and what cannot be looked at.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use rustix::process::{Uid, geteuid};
use rustix::thread::set_thread_res_uid;

use super::{RESCAN_MS, Rig, known, path_of, rejection, told};
use crate::intake::{Content, Scanner};
use crate::util::tests::skips::skipped;

/// Within so long a file is taken whose second name is gone.
const SOON_MS: u64 = 5_000;

#[test]
fn a_file_is_taken_soon_after_its_second_name_is_gone() {
    let mut rig = Rig::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("link");
    rig.write("alpha/curling.cpp", "x");
    fs::hard_link(rig.at("alpha/curling.cpp"), &link).unwrap();
    assert!(rig.only_reason().reason.contains("hard link"));
    fs::remove_file(link).unwrap();
    // Nothing reports what happens elsewhere, and the timer is far away.
    let gone_ms = rig.now_ms;
    let mut arrivals = Vec::new();
    while arrivals.is_empty() {
        assert!(rig.now_ms < gone_ms + SOON_MS, "only the timer finds it");
        let round = rig.intake.round(rig.now_ms);
        rig.now_ms += u64::try_from(round.next_look.as_millis()).unwrap().max(1);
        arrivals = rig.store(round);
    }
    assert_eq!(told(&arrivals), ["alpha/curling.cpp: x"]);
}

#[test]
fn a_second_name_that_somebody_else_makes_is_not_held_against_the_owner() {
    let mut rig = Rig::new();
    rig.write("alpha/curling.cpp", "x");
    assert_eq!(told(&rig.all()), ["alpha/curling.cpp: x"]);
    fs::create_dir(rig.at("beta")).unwrap();
    fs::hard_link(rig.at("alpha/curling.cpp"), rig.at("beta/curling.cpp")).unwrap();
    let refused = rig.only_reason();
    assert_eq!(refused.path, "beta/curling.cpp");
    assert!(refused.reason.contains("hard link"), "{refused:?}");
    rig.restart();
    assert_eq!(rig.all(), [], "also over a restart");
    // A new version of it is taken only without the second name.
    rig.write("alpha/curling.cpp", "xy");
    for arrival in rig.all() {
        let reason = &rejection(&arrival).reason;
        assert!(reason.contains("hard link"), "{arrival:?}");
    }
    if !geteuid().is_root() {
        skipped("not root: no second name in the folder of another account was tried");
        return;
    }
    // Where students have accounts, a file in the folder of the person whom it belongs to is
    // theirs.
    rig.write("gamma/curling.cpp", "z");
    fs::create_dir(rig.at("delta")).unwrap();
    let own = |name: &str, user| std::os::unix::fs::chown(rig.at(name), Some(user), None).unwrap();
    own("gamma", 1_001);
    own("gamma/curling.cpp", 1_001);
    own("delta", 1_002);
    fs::hard_link(rig.at("gamma/curling.cpp"), rig.at("delta/curling.cpp")).unwrap();
    let arrivals = rig.all();
    let shown = format!("{arrivals:?}");
    assert_eq!(arrivals.len(), 2, "{shown}");
    let mut arrivals = arrivals.iter();
    let taken = arrivals.find(|one| matches!(one.content, Content::Submission(..)));
    assert_eq!(taken.map(path_of).unwrap(), "gamma/curling.cpp", "{shown}");
}

#[test]
fn what_was_refused_is_looked_at_again_when_names_change() {
    let mut rig = Rig::new();
    rig.write("alpha/regions.cpp", "x");
    let reason = rig.only_reason().reason;
    assert!(reason.contains("no problem is called regions"), "{reason}");
    rig.intake.set_known(known(&["curling", "regions"]));
    assert_eq!(told(&rig.all()), ["alpha/regions.cpp: x"]);
}

#[test]
fn a_missing_root_is_told_and_nothing_is_forgotten() {
    let mut rig = Rig::new();
    rig.write("alpha/curling.cpp", "x");
    rig.all();
    let aside = tempfile::tempdir().unwrap();
    fs::rename(rig.folder.path(), aside.path().join("s")).unwrap();
    rig.scan();
    let round = rig.intake.round(rig.now_ms);
    let trouble = round.trouble.unwrap();
    let folder = rig.folder.path().display();
    let missing = format!("the submissions folder {folder} does not exist");
    assert!(trouble.reason.starts_with(&missing), "{trouble}");
    assert!(trouble.to_string().contains("mkdir -p"));
    assert!(!round.idle && round.next_look >= Duration::from_secs(1));
    fs::rename(aside.path().join("s"), rig.folder.path()).unwrap();
    assert_eq!(rig.all(), []);
    let round = rig.intake.round(rig.now_ms);
    assert_eq!((round.trouble, round.idle), (None, true));
    // An idle intake sleeps.
    assert_eq!(round.next_look, Duration::from_millis(RESCAN_MS));
}

#[test]
fn more_than_is_looked_at_is_told_until_it_is_less() {
    let mut rig = Rig::new();
    for number in 0..5 {
        rig.write(&format!("s{number}_curling.cpp"), "x");
    }
    rig.intake.scanner = Scanner::of_at_most(rig.folder.path().to_owned(), 4);
    let arrivals = rig.all();
    let root = arrivals.iter().find(|arrival| path_of(arrival) == ".");
    let rejection = rejection(root.unwrap());
    assert_eq!(rejection.student, None);
    assert!(rejection.reason.contains("the rest is not looked at"));
    assert_eq!(rig.all(), [], "told once");
    fs::remove_file(rig.at("s0_curling.cpp")).unwrap();
    rig.all();
    assert_eq!(rig.released, ["."]);
}

/// A user without any rights of its own.
const NOBODY: u32 = 65_534;

/// Checks something as a user whom permissions bind, which they do not do with root.
fn as_an_ordinary_user(check: impl FnOnce() + Send) {
    // A thread has a user of its own; the others of this process keep theirs.
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            if geteuid().is_root() {
                set_thread_res_uid(None, Uid::from_raw(NOBODY), None).unwrap();
            }
            check();
        });
        thread.join().unwrap();
    });
}

#[test]
fn a_folder_that_cannot_be_listed_is_told() {
    as_an_ordinary_user(|| {
        let mut rig = Rig::new();
        rig.write("alpha/curling.cpp", "x");
        fs::set_permissions(rig.at("alpha"), fs::Permissions::from_mode(0o0)).unwrap();
        let arrivals = rig.all();
        fs::set_permissions(rig.at("alpha"), fs::Permissions::from_mode(0o755)).unwrap();
        let [arrival] = &arrivals[..] else {
            panic!("{arrivals:?}");
        };
        assert!(rejection(arrival).reason.contains("chmod a+rx"));
        assert_eq!(told(&rig.all()), ["alpha/curling.cpp: x"]);
    });
}
