//! The intake with a watch, in real time.

use std::fs;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::{known, path_of, settings};
use crate::config;
use crate::intake::Intake;

/// Far longer than anything takes, so that a broken watch ends the test.
const PATIENCE: Duration = Duration::from_secs(30);

#[test]
fn the_watch_finds_files_long_before_the_timer() {
    let folder = tempfile::tempdir().unwrap();
    let (sender, wakes) = mpsc::channel();
    let wake = Box::new(move || sender.send(()).unwrap());
    let settings = config::Intake {
        rescan: Duration::from_secs(1_000_000),
        ..settings()
    };
    let known = known(&["curling"]);
    let mut intake = Intake::new(folder.path(), settings, known, Some(wake));
    let start = Instant::now();
    let now_ms = || u64::try_from(start.elapsed().as_millis()).unwrap();
    assert!(intake.round(now_ms()).idle);
    assert!(intake.watch.as_ref().unwrap().is_whole());
    let mut wanted = vec!["beta_curling.cpp", "chi/curling.cpp", "alpha/curling.cpp"];
    while let Some(name) = wanted.pop() {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(folder.path().join(".stage"), name).unwrap();
        fs::rename(folder.path().join(".stage"), path).unwrap();
        loop {
            assert!(start.elapsed() < PATIENCE, "{name}");
            let round = intake.round(now_ms());
            let found: Vec<String> = round.arrivals.iter().map(path_of).collect();
            for arrival in round.arrivals {
                intake.taken(&arrival.path);
            }
            if found == [name] {
                break;
            }
            assert_eq!(found, [""; 0]);
            let _ = wakes.recv_timeout(round.next_look.min(PATIENCE));
        }
    }
}
