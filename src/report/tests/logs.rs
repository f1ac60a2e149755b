//! The logs never miss a verdict and never have one twice, whatever happens to the files.

use std::fs;
use std::io::Write;
use std::path::Path;

use tempfile::TempDir;

use super::samples::{failing, line, report};
use crate::domain::Verdict;
use crate::report::{LogLine, Logs, log};

fn lines(events: std::ops::RangeInclusive<i64>) -> Vec<LogLine> {
    let document = report("alpha", &failing(Verdict::TimeLimit, None));
    events.map(|event| line(event, &document)).collect()
}

fn events(file: &Path) -> Vec<i64> {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'), "{text:?}");
    let event = |line: &str| {
        if let Ok(value) = serde_json::from_str::<serde_json::Value>(line) {
            return value["event"].as_i64().unwrap();
        }
        let number = line.split_whitespace().nth(1).unwrap();
        number.strip_prefix('#').unwrap().parse().unwrap()
    };
    text.lines().map(event).collect()
}

/// The logs in a folder that reach so far, to which these are added.
fn logged(folder: &TempDir, reached: i64, events: std::ops::RangeInclusive<i64>) -> Logs {
    let mut logs = Logs::open(folder.path(), reached).unwrap();
    logs.append(&lines(events)).unwrap();
    logs
}

/// What both files have.
fn both(folder: &TempDir) -> [Vec<i64>; 2] {
    NAMES.map(|name| events(&folder.path().join(name)))
}

const NAMES: [&str; 2] = ["verdicts.log", "verdicts.jsonl"];

#[test]
fn a_crash_at_any_byte_is_repaired() {
    let folder = tempfile::tempdir().unwrap();
    logged(&folder, 0, 1..=3);
    let whole = NAMES.map(|name| fs::read(folder.path().join(name)).unwrap());
    for cut in (0..=whole.iter().map(Vec::len).max().unwrap()).step_by(7) {
        // The two files are cut at different places.
        for (index, name) in NAMES.iter().enumerate() {
            let kept = cut.saturating_sub(index * 50).min(whole[index].len());
            fs::write(folder.path().join(name), &whole[index][..kept]).unwrap();
        }
        let mut logs = Logs::open(folder.path(), 0).unwrap();
        logs.append(&lines(logs.reached() + 1..=5)).unwrap();
        assert_eq!(logs.reached(), 5);
        assert_eq!(both(&folder), [[1, 2, 3, 4, 5]; 2], "cut at {cut}");
    }
}

#[test]
fn rotation_by_rename() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let mut logs = logged(&folder, 0, 1..=2);
    fs::rename(file("verdicts.log"), file("verdicts.log.1")).unwrap();
    logs.append(&lines(1..=3)).unwrap();
    logs.append(&[]).unwrap();
    assert_eq!(events(&file("verdicts.log.1")), [1, 2]);
    assert_eq!(both(&folder), [vec![3], vec![1, 2, 3]]);
    // Moved away while nothing runs: the store's mark says how far it was.
    fs::rename(file("verdicts.log"), file("verdicts.log.2")).unwrap();
    logged(&folder, 3, 1..=4);
    assert_eq!(both(&folder), [vec![4], vec![1, 2, 3, 4]]);
}

#[test]
fn a_line_that_is_not_ours_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("verdicts.log");
    logged(&folder, 0, 1..=2);
    let mut by_hand = fs::OpenOptions::new().append(true).open(&file).unwrap();
    by_hand.write_all(b"\xff noted by hand\n").unwrap();
    logged(&folder, 0, 1..=3);
    let text = fs::read(&file).unwrap();
    assert_eq!(String::from_utf8_lossy(&text).lines().count(), 4);
}

#[test]
fn rebuilt_while_the_daemon_appends() {
    let folder = tempfile::tempdir().unwrap();
    let mut logs = logged(&folder, 0, 1..=2);
    fs::write(folder.path().join("verdicts.jsonl"), "nonsense").unwrap();
    let mut rebuilt = Logs::anew(folder.path()).unwrap();
    for events in [1..=2, 3..=4, 5..=5] {
        rebuilt.append(&lines(events)).unwrap();
    }
    log::replace(folder.path()).unwrap();
    assert_eq!(both(&folder), [[1, 2, 3, 4, 5]; 2]);
    // The daemon's own files were replaced below it; it believes what is there now.
    logs.append(&lines(3..=6)).unwrap();
    assert_eq!(both(&folder), [[1, 2, 3, 4, 5, 6]; 2]);
    let left = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 2, "no scratch file is left");
}
