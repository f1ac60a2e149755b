//! Hacks on which an accepted example of the package fails, through the real daemon: held back,
//! reported, remembered, forced.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;

use crate::hacks::{FRAGILE, listed, wait_state};
use crate::place::{Place, output, wait_until};
use crate::programs;
use crate::skips::skipped;
use crate::store::{Made, assert_only_new};

/// A package with an accepted example that is right, but exceeds the limit of a second if the sum
/// is large.
fn with_example() -> Place {
    let place = Place::new().only(&["python3"]);
    place.write(
        "problems/sum/submissions/accepted/slow.py",
        "import time\na, b = map(int, input().split())\n\
         while a + b > 10**12 and time.process_time() < 60:\n    pass\nprint(a + b)\n",
    );
    place
}

#[test]
fn a_hack_on_which_an_accepted_example_fails_is_held_back_until_it_is_forced() {
    let place = with_example();
    place.write("submissions/alpha/sum.py", FRAGILE);
    place.write("submissions/beta/sum.py", programs::PYTHON);
    place.serve_once();
    let before = Made::so_far(&place);
    let daemon = place.daemon();
    place.write("heavy.in", "7 1000000000000\n");
    place.write("heavy.txt", "1000000000007\n");
    let added = place.run(&["hack", "add", "sum", "heavy.in", "--answer", "heavy.txt"]);
    let said = String::from_utf8_lossy(&added.stdout).into_owned();
    assert_eq!(added.status.code(), Some(1), "{added:?}");
    for words in [
        "heavy.in is held back",
        "submissions/accepted/slow.py, which has to be accepted, fails on it: TLE",
        "1.00 s are allowed",
        "verdictd hack add --force sum heavy.in",
    ] {
        let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(words), "{words}: {said}");
    }
    let hack = listed(&place, "hack/heavy");
    assert_eq!(hack["state"], "held back");
    assert!(
        hack["reason"].as_str().unwrap().contains("slow.py"),
        "{hack}"
    );
    assert_eq!(
        place.read("problems/sum/hacks/heavy.in.result"),
        said[said.find('\n').unwrap() + 1..]
    );
    let log = place.read("staff/verdicts.log");
    assert!(
        log.contains("held back  \"submissions/accepted/slow.py"),
        "{log}"
    );
    assert_eq!(
        place.verdicts()["alpha/sum/1"],
        "AC",
        "nobody is judged on it"
    );
    daemon.stop();

    // The answer is remembered: another start runs no example and reports nothing twice.
    assert_only_new(&place, &before, 1, 1, "the example alone was run");
    let asked = Made::so_far(&place);
    place.serve_once();
    assert_eq!(Made::so_far(&place), asked);
    assert_eq!(place.read("staff/verdicts.log"), log);

    let daemon = place.daemon();
    let forced = place.run(&["hack", "add", "--force", "sum", "heavy"]);
    let said = String::from_utf8_lossy(&forced.stdout).into_owned();
    assert_eq!(forced.status.code(), Some(0), "{forced:?}");
    assert!(said.contains("1 failed, 1 passed"), "{said}");
    assert_eq!(place.verdicts()["alpha/sum/1"], "WA");
    let again = place.run(&["hack", "add", "--force", "sum", "heavy"]);
    let said = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(said.contains("one of the tests already"), "{said}");
    // Without the `.force` file it is held back again.
    fs::remove_file(place.path("problems/sum/hacks/heavy.force")).unwrap();
    wait_state(&place, "hack/heavy", "held back");
    wait_until("alpha's old verdict", || {
        place.verdicts()["alpha/sum/1"] == "AC"
    });
    let removed = place.run(&["hack", "remove", "sum", "heavy"]);
    assert_eq!(removed.status.code(), Some(0), "{removed:?}");
    daemon.stop();
}

#[test]
fn a_hack_that_the_examples_pass_joins_and_a_later_example_does_not_undo_that() {
    let place = with_example();
    place.write("submissions/alpha/sum.py", FRAGILE);
    place.serve_once();
    place.write("problems/sum/hacks/evil.ans", "15\n");
    place.write("problems/sum/hacks/evil.in", "7 8\n");
    place.write("problems/sum/hacks/own.ans", "1000000000001\n");
    place.write("problems/sum/hacks/own.force", "");
    place.write("problems/sum/hacks/own.in", "1 1000000000000\n");
    assert_eq!(place.serve_once()["alpha/sum/1"], "WA");
    for name in ["hack/evil", "hack/own"] {
        assert_eq!(listed(&place, name)["state"], "judged", "{name}");
    }
    place.write("problems/sum/submissions/accepted/wrong.py", FRAGILE);
    place.serve_once();
    assert_eq!(listed(&place, "hack/evil")["state"], "judged");
    // For a new hack the new example counts.
    place.write("problems/sum/hacks/new.ans", "16\n");
    place.write("problems/sum/hacks/new.in", "7 9\n");
    place.serve_once();
    let hack = listed(&place, "hack/new");
    assert_eq!(hack["state"], "held back");
    let reason = hack["reason"].as_str().unwrap();
    assert!(
        reason.contains("accepted/wrong.py")
            && reason.contains("WA, line 1, column 1: expected 16, got oops"),
        "{reason}"
    );
}

#[test]
fn a_daemon_killed_while_examples_run_holds_back_the_same_hacks() {
    if !cfg!(debug_assertions) {
        skipped("a release build cannot be killed while examples are asked");
        return;
    }
    let place = with_example();
    place.write("submissions/alpha/sum.py", FRAGILE);
    place.serve_once();
    // A different hack for each kill; the example is built once, for the first.
    let points = [
        "build kept",
        "run measured",
        "example answered",
        "hack recorded",
    ];
    for (number, point) in points.iter().enumerate() {
        let name = format!("problems/sum/hacks/heavy{number}");
        let sum = 1_000_000_000_007_usize + number;
        place.write(&format!("{name}.ans"), format!("{sum}\n"));
        place.write(&format!("{name}.in"), format!("7 {}\n", sum - 7));
        let mut command = place.command(&["serve", "--once"]);
        let killed = output(command.env("VERDICTD_CRASH_AT", point));
        assert_eq!(
            killed.status.signal(),
            Some(9),
            "{point} was reached: {killed:?}"
        );
    }
    let verdicts = place.serve_once();
    assert_eq!(verdicts["alpha/sum/1"], "AC", "nobody is judged on them");
    for (number, point) in points.iter().enumerate() {
        let hack = listed(&place, &format!("hack/heavy{number}"));
        assert_eq!(hack["state"], "held back", "{point}: {hack}");
        let result = place.read(&format!("problems/sum/hacks/heavy{number}.in.result"));
        assert!(result.contains("is held back"), "{point}: {result}");
    }
    let log = place.read("staff/verdicts.jsonl");
    let told = log.matches("\"state\":\"held back\"").count();
    assert_eq!(told, points.len(), "{log}");
}

#[test]
fn submissions_are_judged_while_the_examples_run() {
    let place = with_example();
    let daemon = place.daemon();
    place.write("problems/sum/hacks/heavy.ans", "1000000000007\n");
    place.write("problems/sum/hacks/heavy.in", "7 1000000000000\n");
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    // The verdict does not wait for the hack, and nobody is judged on it.
    assert_eq!(place.wait_for("alpha/sum/1"), "AC");
    wait_state(&place, "hack/heavy", "held back");
    assert_eq!(place.verdicts()["alpha/sum/1"], "AC");
    daemon.stop();
}
