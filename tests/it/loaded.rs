//! The same programs, once on a core of their own and once on a core with other work:
//! the same verdicts, which are known in advance.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use crate::busy::{Busy, pinned};
use crate::place::{Place, output, rounds};
use crate::programs;

/// Uses this many milliseconds of CPU time, including its start, and then answers.
const TAKES: &str = "import time\nwhile time.process_time() < MS / 1000: pass\n\
    a, b = map(int, input().split())\nprint(a + b)\n";

/// The time limit of the problem, in milliseconds.
const LIMIT_MS: u32 = 200;

/// Programs, by student, and the verdict that each must get on any machine.
fn known() -> Vec<(&'static str, String, &'static str)> {
    let takes = |percent: u32| TAKES.replace("MS", &(LIMIT_MS * percent / 100).to_string());
    vec![
        ("right", programs::PYTHON.to_owned(), "AC"),
        // A program that ends below the limit passes, however near it is.
        ("near", takes(75), "AC"),
        // From double the limit on, no program is put off until the machine is quieter.
        ("slow", takes(250), "TLE"),
        ("wrong", "print(7)\n".to_owned(), "WA"),
        ("ends", "import sys\nsys.exit(3)\n".to_owned(), "RE"),
        (
            "large",
            "kept = []\nwhile True: kept.append(bytearray(1 << 20))\n".to_owned(),
            "MLE",
        ),
    ]
}

/// Judges all of them, with a command modified in this way.
fn judged(like: impl Fn(Command) -> Command) -> (Place, BTreeMap<String, String>) {
    let place = Place::new().only(&["python3"]);
    place.limit_cpu("sum", &(f64::from(LIMIT_MS) / 1000.0).to_string());
    // One test is enough, and slow programs stay slow on a busy machine.
    for name in ["secret/1", "secret/2"] {
        for ending in ["in", "ans"] {
            fs::remove_file(place.path(&format!("problems/sum/data/{name}.{ending}"))).unwrap();
        }
    }
    for (student, program, _) in known() {
        place.write(&format!("submissions/{student}/sum.py"), program);
    }
    let ended = output(&mut like(place.command(&["serve", "--once"])));
    assert_eq!(ended.status.code(), Some(0), "everybody has a verdict");
    let verdicts = place.verdicts();
    (place, verdicts)
}

#[test]
fn a_busy_machine_changes_no_verdict() {
    let expected: BTreeMap<String, String> = known()
        .into_iter()
        .map(|(student, _, verdict)| (format!("{student}/sum/1"), verdict.to_owned()))
        .collect();
    for round in 0..rounds(1, 50) {
        assert_eq!(judged(|command| command).1, expected, "idle, round {round}");
        let busy = Busy::core();
        let (place, verdicts) = judged(|command| pinned(&command));
        drop(busy);
        assert_eq!(verdicts, expected, "loaded, round {round}");
        // The load was there: repeated runs were kept waiting.
        let test = &place.json("staff/slow/sum/1.json")["tests"][0];
        assert!(test["busy"].as_u64() > Some(0), "{test:#}");
    }
}
