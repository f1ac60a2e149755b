//! Hacks through the real daemon: whose programs fail, that only the new test is run, that removing
//! a hack runs nothing.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;

use serde_json::Value;

use crate::place::{Place, output, wait_until};
use crate::programs;
use crate::skips::skipped;
use crate::store::{Made, assert_only_new, hack_state};

/// Right, except on one input that no test of the problem has.
pub const FRAGILE: &str = "a, b = map(int, input().split())\nprint('oops' if a == 7 else a + b)\n";

/// A hack's entry in `hack list --json`.
pub fn listed(place: &Place, name: &str) -> Value {
    let output = place.run(&["hack", "list", "--all", "--json"]);
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .rfind(|hack| hack["name"] == name)
        .unwrap_or(Value::Null)
}

/// Waits until a hack is in this state; returns its entry in `hack list`.
pub fn wait_state(place: &Place, name: &str, state: &str) -> Value {
    wait_until(&format!("{name} to be {state}"), || {
        hack_state(place, name).as_deref() == Some(state)
    });
    let hack = listed(place, name);
    assert_eq!(hack["state"], state, "{hack}");
    hack
}

#[test]
fn a_hack_counts_for_every_earlier_submission_and_is_removed_without_a_run() {
    let place = Place::new().only(&["python3"]);
    place.write("submissions/alpha/sum.py", FRAGILE);
    place.write("submissions/beta/sum.py", programs::PYTHON);
    place.write("submissions/gamma/sum.py", "print(7)\n");
    assert_eq!(place.serve_once()["alpha/sum/1"], "AC");
    let before = Made::so_far(&place);

    let daemon = place.daemon();
    // The answer first: the problem has no reference solver.
    place.write("problems/sum/hacks/evil.ans", "15\n");
    place.write("problems/sum/hacks/evil.note", "seven breaks it");
    place.write("problems/sum/hacks/evil.in", "7 8\n");
    let hack = wait_state(&place, "hack/evil", "judged");
    assert_eq!(hack["fell"][0]["student"], "alpha");
    assert_eq!(hack["fell"][0]["verdict"], "WA");
    assert_eq!(hack["stood"][0]["student"], "beta");
    assert_eq!(
        (&hack["fell_count"], &hack["stood_count"]),
        (&1.into(), &1.into())
    );
    assert_eq!(hack["note"], "seven breaks it");
    let verdicts = place.verdicts();
    for (attempt, verdict) in [
        ("alpha/sum/1", "WA"),
        ("beta/sum/1", "AC"),
        ("gamma/sum/1", "WA"),
    ] {
        assert_eq!(verdicts[attempt], verdict, "{attempt}");
    }
    // Gamma had failed before, so only two programs ran, and only on the new test.
    assert_only_new(&place, &before, 2, 0, "two runs on the new test");
    let judged = Made::so_far(&place);
    let result = place.read("problems/sum/hacks/evil.in.result");
    for words in [
        "1 failed, 1 passed",
        "alpha #1",
        "expected 15, got oops",
        "beta #1",
        "seven breaks it",
    ] {
        assert!(result.contains(words), "{words}: {result}");
    }
    let log = place.read("staff/verdicts.log");
    assert!(
        log.contains("was AC  because \"hack/evil joined\""),
        "{log}"
    );

    fs::remove_file(place.path("problems/sum/hacks/evil.in")).unwrap();
    wait_until("alpha's old verdict", || {
        place.verdicts()["alpha/sum/1"] == "AC"
    });
    assert_only_new(&place, &judged, 0, 0, "nothing is run for that");
    assert_eq!(listed(&place, "hack/evil")["state"], "withdrawn");
    assert!(!place.path("problems/sum/hacks/evil.in.result").exists());
    assert_eq!(daemon.stop().code, Some(0));

    let report = place.run(&["report", "alpha", "sum"]);
    let report = String::from_utf8(report.stdout).unwrap();
    for because in [
        "the test hack/evil was added",
        "the test hack/evil was removed",
    ] {
        assert!(report.contains(because), "{report}");
    }
}

#[test]
fn two_simultaneous_hacks_and_one_dropped_while_no_daemon_ran_are_all_kept() {
    let place = Place::new().only(&["python3"]);
    place.write("submissions/alpha/sum.py", FRAGILE);
    place.write("submissions/beta/sum.py", programs::PYTHON);
    place.serve_once();
    place.write("problems/sum/hacks/away.ans", "3\n");
    place.write("problems/sum/hacks/away.in", "3 0\n");
    let daemon = place.daemon();
    for (name, input, answer) in [("one", "7 1\n", "8\n"), ("two", "7 2\n", "9\n")] {
        place.write(&format!("problems/sum/hacks/{name}.ans"), answer);
        place.write(&format!("problems/sum/hacks/{name}.in"), input);
    }
    for name in ["hack/away", "hack/one", "hack/two"] {
        let hack = wait_state(&place, name, "judged");
        let stood: Vec<&Value> = hack["stood"]
            .as_array()
            .unwrap()
            .iter()
            .map(|who| &who["student"])
            .collect();
        assert!(stood.contains(&&"beta".into()), "{hack}");
    }
    assert_eq!(place.verdicts()["alpha/sum/1"], "WA");
    assert_eq!(place.verdicts()["beta/sum/1"], "AC");
    daemon.stop();
    let report: Value = serde_json::from_str(&place.read("staff/beta/sum/1.json")).unwrap();
    assert_eq!(report["tests"].as_array().unwrap().len(), 6);
}

#[test]
fn an_invalid_hack_is_refused_with_its_position_and_breaks_nothing() {
    let place = Place::new().only(&["python3"]).with_problem("regions");
    let sample = place.read("problems/regions/data/sample/1.in");
    place.write("submissions/alpha/regions.py", "print(0)\n");
    let before = place.serve_once();
    let folder = "problems/regions/hacks";
    place.write(&format!("{folder}/letters.txt"), "2 2\n12\n1x\n");
    place.write(&format!("{folder}/twin.in"), sample.replace('\n', "\r\n"));
    place.write(&format!("{folder}/huge.in"), vec![b'1'; 17 << 20]);
    place.write(&format!("{folder}/fine.in"), "1 2\r\n12");
    place.serve_once();
    for (file, words) in [
        ("letters.txt", "line 3, column 2"),
        ("twin.in", "the same input as sample/1"),
        ("huge.in", "larger than 16384 KiB"),
    ] {
        let result = place.read(&format!("{folder}/{file}.result"));
        assert!(
            result.contains(words) && result.contains("not one of the tests"),
            "{result}"
        );
    }
    assert_eq!(listed(&place, "hack/fine")["state"], "judged");
    assert_eq!(place.verdicts(), before);
    let log = place.read("staff/verdicts.log");
    assert_eq!(log.matches("refused").count(), 3, "{log}");
    // Nothing is reported twice.
    place.serve_once();
    assert_eq!(place.read("staff/verdicts.log"), log);
}

#[test]
fn the_command_checks_adds_waits_and_removes() {
    let place = Place::new().only(&["python3"]).with_problem("regions");
    place.write("submissions/alpha/regions.py", "print(1)\n");
    place.write("bad.in", "1 1\n1\n");
    place.write("good.in", "1 3\n121\n");
    let bad = place.run(&["hack", "add", "regions", "bad.in"]);
    assert_eq!(bad.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&bad.stdout).contains("line "),
        "{bad:?}"
    );
    assert!(!place.path("problems/regions/hacks/bad.in").exists());

    let daemon = place.daemon();
    place.wait_for("alpha/regions/1");
    let same = place.run(&[
        "hack",
        "add",
        "regions",
        "problems/regions/data/sample/1.in",
    ]);
    assert!(
        String::from_utf8_lossy(&same.stdout).contains("duplicate"),
        "{same:?}"
    );
    let refused = place.run(&["hack", "add", "regions", "good.in", "--note", "six colours"]);
    assert_eq!(
        refused.status.code(),
        Some(1),
        "the corners have one colour: {refused:?}"
    );
    place.write("good.in", "2 3\n165\n432\n");
    let good = place.run(&["hack", "add", "regions", "good.in", "--note", "six colours"]);
    let said = String::from_utf8_lossy(&good.stdout);
    assert_eq!(good.status.code(), Some(0), "{good:?}");
    assert!(
        said.contains("hack/good of regions") && said.contains("six colours"),
        "{said}"
    );
    let removed = place.run(&["hack", "remove", "regions", "good"]);
    assert_eq!(removed.status.code(), Some(0), "{removed:?}");
    wait_state(&place, "hack/good", "withdrawn");
    let left: Vec<_> = fs::read_dir(place.path("problems/regions/hacks"))
        .unwrap()
        .collect();
    assert!(left.is_empty(), "{left:?}");
    let unknown = place.run(&["hack", "remove", "regions", "good"]);
    assert_eq!(unknown.status.code(), Some(2), "{unknown:?}");
    daemon.stop();
}

/// Every step in processing a hack; the daemon is killed at each, with a different hack each time.
const POINTS: [&str; 8] = [
    "hack recorded",
    "run measured",
    "folded",
    "published",
    "report written",
    "marked",
    "hack result written",
    "hack judged",
];

#[test]
fn a_daemon_killed_at_every_step_of_a_hack_reports_the_same_once() {
    if !cfg!(debug_assertions) {
        skipped("a release build cannot be killed at a named step of a hack");
        return;
    }
    let place = Place::new().only(&["python3"]);
    let hacks = || (1..).zip(POINTS);
    for (number, _) in hacks() {
        let fragile = FRAGILE.replace("== 7", &format!("== {number}11"));
        place.write(&format!("submissions/s{number}/sum.py"), fragile);
    }
    place.write("submissions/beta/sum.py", programs::PYTHON);
    assert!(place.serve_once().values().all(|verdict| verdict == "AC"));
    let before = Made::so_far(&place);
    let mut kept = Made::so_far(&place);
    for (number, point) in hacks() {
        let name = format!("problems/sum/hacks/h{number}");
        place.write(&format!("{name}.ans"), format!("{number}12\n"));
        place.write(&format!("{name}.in"), format!("{number}11 1\n"));
        let mut command = place.command(&["serve", "--once"]);
        let killed = output(command.env("VERDICTD_CRASH_AT", point));
        assert_eq!(
            killed.status.signal(),
            Some(9),
            "{point} was reached: {killed:?}"
        );
        // What was stored before a kill is not done again after it.
        let now = Made::so_far(&place);
        assert_eq!(now.since(&kept).again, (0, 0), "{point}");
        kept = now;
    }
    let verdicts = place.serve_once();
    assert_eq!(Made::so_far(&place).since(&kept).again, (0, 0));
    assert_eq!(verdicts["beta/sum/1"], "AC");
    // A program that has failed on one hack is not run on later ones.
    let (hacks_of_beta, hacks_of_the_others) = (POINTS.len(), (1..=POINTS.len()).sum::<usize>());
    let runs = hacks_of_beta + hacks_of_the_others;
    assert_only_new(&place, &before, runs, 0, "each program on each hack once");
    for (number, point) in hacks() {
        assert_eq!(verdicts[&format!("s{number}/sum/1")], "WA", "{point}");
        let hack = listed(&place, &format!("hack/h{number}"));
        assert_eq!(hack["state"], "judged", "{point}");
        assert_eq!(hack["fell"][0]["student"], format!("s{number}"), "{point}");
        let result = place.read(&format!("problems/sum/hacks/h{number}.in.result"));
        let others = POINTS.len() + 1 - number;
        let told = format!("1 failed, {others} passed");
        assert!(result.contains(&told), "{point}: {result}");
    }
    let log = place.read("staff/verdicts.jsonl");
    for (words, times) in [
        ("\"state\":\"joined\"", POINTS.len()),
        ("\"state\":\"judged\"", POINTS.len()),
        ("\"kind\":\"verdict\"", 1 + 2 * POINTS.len()),
    ] {
        assert_eq!(log.matches(words).count(), times, "{words}: {log}");
    }
}

#[test]
fn a_result_that_could_not_be_written_is_written_later() {
    let place = Place::new().only(&["python3"]);
    place.write("submissions/alpha/sum.py", FRAGILE);
    place.serve_once();
    let daemon = place.daemon();
    // A folder of the result's name is in the way, for a hack that is judged and one that is
    // refused.
    for name in ["evil", "twin"] {
        let in_the_way = place.path(&format!("problems/sum/hacks/{name}.in.result"));
        fs::create_dir_all(in_the_way).unwrap();
    }
    place.write("problems/sum/hacks/evil.ans", "15\n");
    place.write("problems/sum/hacks/evil.in", "7 8\n");
    wait_state(&place, "hack/evil", "judged");
    place.write("problems/sum/hacks/twin.ans", "15\n");
    place.write("problems/sum/hacks/twin.in", "7 8\n");
    wait_state(&place, "hack/twin", "refused");
    for (name, words) in [("evil", "1 failed"), ("twin", "duplicate")] {
        let file = format!("problems/sum/hacks/{name}.in.result");
        fs::remove_dir(place.path(&file)).unwrap();
        wait_until(&format!("{file} to be written"), || {
            place.path(&file).is_file() && place.read(&file).contains(words)
        });
    }
    let ended = daemon.stop();
    assert!(
        ended
            .said
            .iter()
            .any(|line| line.contains("could not be written")),
        "{:?}",
        ended.said
    );
}

#[test]
fn nobody_is_judged_without_a_test_that_cannot_be_read() {
    let place = Place::new().only(&["python3"]);
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    let test = place.path("problems/sum/data/secret/9.in");
    std::os::unix::fs::symlink("no-such-file", &test).unwrap();
    let output = place.run(&["serve", "--once"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("secret/9.in"), "{said}");
    assert!(!place.verdicts().contains_key("alpha/sum/1"));
    fs::remove_file(&test).unwrap();
    assert_eq!(place.serve_once()["alpha/sum/1"], "AC");
}

#[test]
fn a_refusal_keeps_the_note() {
    let place = Place::new().only(&["python3"]);
    place.write("evil.in", "7 8\n");
    place.write("evil.note", "seven breaks it");
    let refused = place.run(&["hack", "add", "sum", "evil.in", "--note", "it's seven"]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        said.contains("verdictd hack add sum evil.in --note 'it'\\''s seven'"),
        "{said}"
    );
    place.write("right.txt", "15\n");
    let added = place.run(&["hack", "add", "sum", "evil.in", "--answer", "right.txt"]);
    assert_eq!(added.status.code(), Some(0), "{added:?}");
    assert_eq!(
        place.read("problems/sum/hacks/evil.note"),
        "seven breaks it"
    );
    assert_eq!(place.read("problems/sum/hacks/evil.ans"), "15\n");
}
