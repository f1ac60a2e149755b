//! The logs never miss a verdict and never have one twice, whatever happens to the files.

use std::fs;
use std::io::Write;
use std::path::Path;

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
    let is_json = file.extension().is_some_and(|ending| ending == "jsonl");
    text.lines()
        .map(|line| {
            if is_json {
                let value: serde_json::Value = serde_json::from_str(line).unwrap();
                return value["event"].as_i64().unwrap();
            }
            let number = line.split_whitespace().nth(1).unwrap();
            number.strip_prefix('#').unwrap().parse().unwrap()
        })
        .collect()
}

const NAMES: [&str; 2] = ["verdicts.log", "verdicts.jsonl"];

#[test]
fn a_crash_at_any_byte_is_repaired() {
    let folder = tempfile::tempdir().unwrap();
    Logs::open(folder.path(), 0)
        .unwrap()
        .append(&lines(1..=3))
        .unwrap();
    let whole: Vec<Vec<u8>> = NAMES
        .map(|name| fs::read(folder.path().join(name)).unwrap())
        .into();
    let longest = whole.iter().map(Vec::len).max().unwrap();
    for cut in (0..=longest).step_by(7) {
        // The two files are cut at different places.
        for (index, name) in NAMES.iter().enumerate() {
            let kept = cut.saturating_sub(index * 50).min(whole[index].len());
            fs::write(folder.path().join(name), &whole[index][..kept]).unwrap();
        }
        let mut logs = Logs::open(folder.path(), 0).unwrap();
        logs.append(&lines(logs.reached() + 1..=5)).unwrap();
        assert_eq!(logs.reached(), 5);
        for name in NAMES {
            assert_eq!(
                events(&folder.path().join(name)),
                [1, 2, 3, 4, 5],
                "cut at {cut}"
            );
        }
    }
}

#[test]
fn rotation_by_rename() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let mut logs = Logs::open(folder.path(), 0).unwrap();
    logs.append(&lines(1..=2)).unwrap();
    fs::rename(file("verdicts.log"), file("verdicts.log.1")).unwrap();
    logs.append(&lines(1..=3)).unwrap();
    logs.append(&[]).unwrap();
    assert_eq!(events(&file("verdicts.log.1")), [1, 2]);
    assert_eq!(events(&file("verdicts.log")), [3]);
    assert_eq!(events(&file("verdicts.jsonl")), [1, 2, 3]);
    // Moved away while nothing runs: the store's mark says how far it was.
    fs::rename(file("verdicts.log"), file("verdicts.log.2")).unwrap();
    let mut logs = Logs::open(folder.path(), 3).unwrap();
    logs.append(&lines(1..=4)).unwrap();
    assert_eq!(events(&file("verdicts.log")), [4]);
    assert_eq!(events(&file("verdicts.jsonl")), [1, 2, 3, 4]);
}

#[test]
fn a_line_that_is_not_ours_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("verdicts.log");
    Logs::open(folder.path(), 0)
        .unwrap()
        .append(&lines(1..=2))
        .unwrap();
    let mut by_hand = fs::OpenOptions::new().append(true).open(&file).unwrap();
    by_hand.write_all(b"\xff noted by hand\n").unwrap();
    let mut logs = Logs::open(folder.path(), 0).unwrap();
    logs.append(&lines(1..=3)).unwrap();
    let text = String::from_utf8_lossy(&fs::read(&file).unwrap()).into_owned();
    assert_eq!(text.lines().count(), 4);
}

#[test]
fn rebuilt_while_the_daemon_appends() {
    let folder = tempfile::tempdir().unwrap();
    let mut logs = Logs::open(folder.path(), 0).unwrap();
    logs.append(&lines(1..=2)).unwrap();
    fs::write(folder.path().join("verdicts.jsonl"), "nonsense").unwrap();
    let mut rebuilt = Logs::anew(folder.path()).unwrap();
    for events in [1..=2, 3..=4, 5..=5] {
        rebuilt.append(&lines(events)).unwrap();
    }
    log::replace(folder.path()).unwrap();
    for name in NAMES {
        assert_eq!(events(&folder.path().join(name)), [1, 2, 3, 4, 5]);
    }
    // The daemon's own files were replaced below it; it believes what is there now.
    logs.append(&lines(3..=6)).unwrap();
    for name in NAMES {
        assert_eq!(events(&folder.path().join(name)), [1, 2, 3, 4, 5, 6]);
    }
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 2, "no scratch file is left");
}
