//! Orders through a pipe: `verdictd worker --stdio` measures in a process without problems,
//! submissions or a store, and the judgements are the same as when judging here.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::place::{Place, binary, output, wait_until};
use crate::programs;
use crate::skips::skipped;

/// A problem with a checker, and one without; the submissions cover every ending that an
/// order knows.
fn place() -> Place {
    let place = Place::new()
        .only(&["python3", "c", "cpp"])
        .with_fixture("anyorder");
    let right =
        fs::read_to_string(place.path("problems/anyorder/submissions/accepted/odd_last.py"));
    let as_read =
        fs::read_to_string(place.path("problems/anyorder/submissions/wrong_answer/as_read.py"));
    place.write("submissions/a/anyorder.py", right.unwrap());
    place.write("submissions/b/anyorder.py", as_read.unwrap());
    // Over the limit, and so near it that it is measured again, alone.
    place.write(
        "problems/sum/problem.toml",
        "title = \"Sum\"\n[limits]\ncpu_s = 0.3\n[compare]\nmode = \"lines\"\n",
    );
    let slow = programs::C_THAT_TAKES_MS.replace("MS", "305");
    place.write("submissions/c/sum.c", slow);
    place.write("submissions/d/sum.cpp", "int main() { return 0 }\n");
    place.write("submissions/e/sum.cpp", programs::CPP);
    place.write("submissions/f/sum.cpp", "int main() { return 3; }\n");
    place
}

/// An empty folder for a worker to run in.
fn empty() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// The command for `judge --worker`.
fn command(home: &tempfile::TempDir) -> String {
    format!(
        "cd '{}' && exec '{}' worker --stdio",
        home.path().display(),
        binary()
    )
}

fn files(place: &Place) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for student in fs::read_dir(place.path("submissions")).unwrap() {
        for file in fs::read_dir(student.unwrap().path()).unwrap() {
            found.push(file.unwrap().path());
        }
    }
    found.sort();
    found
}

/// What `judge --json` says about every file. It has no verdict for a program near its limit while
/// the machine is busy, so that file is judged again.
fn judged(place: &Place, more: &[&str]) -> Vec<Value> {
    let files = files(place);
    let mut reports = BTreeMap::new();
    wait_until("every judgement", || {
        let missing = files.iter().filter(|file| !reports.contains_key(*file));
        let missing: Vec<PathBuf> = missing.cloned().collect();
        for (file, report) in missing.iter().zip(tried(place, more, &missing)) {
            if !report["verdict"].is_null() {
                reports.insert(file.clone(), report);
            }
        }
        reports.len() == files.len()
    });
    reports.into_values().collect()
}

fn tried(place: &Place, more: &[&str], files: &[PathBuf]) -> Vec<Value> {
    let mut judge = place.command(&["judge", "--json"]);
    judge.args(more).args(files);
    let output = output(&mut judge);
    let said = String::from_utf8_lossy(&output.stderr);
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let all: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(all.len(), files.len(), "{said}");
    all
}

/// The parts of a report that do not differ from one measurement to the next.
fn essence(report: &Value) -> Value {
    let tests = report["tests"].as_array().unwrap().iter();
    let tests: Vec<Value> = tests
        .map(|test| {
            json!([
                test["name"],
                test["verdict"],
                test["cause"],
                test["checker"],
                test["difference"]
            ])
        })
        .collect();
    json!([
        report["verdict"],
        report["cause"],
        report["first_failing_test"],
        report["compiler"],
        report["provenance"]["artifact"],
        report["provenance"]["policy"],
        report["provenance"]["fold"],
        tests
    ])
}

/// A worker behind a pipe judges as the daemon does.
pub fn judges_as_the_daemon_does() {
    let place = place();
    let home = empty();
    let through = judged(&place, &["--worker", &command(&home)]);
    assert_eq!(
        fs::read_dir(home.path()).unwrap().count(),
        0,
        "it has left something"
    );
    wait_until("every verdict", || {
        place.run(&["serve", "--once"]);
        place.verdicts().len() == files(&place).len()
    });
    for (file, through) in files(&place).iter().zip(&through) {
        let name = file.with_extension("");
        let name = name
            .strip_prefix(place.path("submissions"))
            .unwrap()
            .display();
        let report = fs::read(place.path(&format!("staff/{name}/1.json"))).unwrap();
        let report: Value = serde_json::from_slice(&report).unwrap();
        assert_eq!(essence(through), essence(&report), "{name}");
    }
    let verdicts: Vec<&str> = through
        .iter()
        .map(|report| report["verdict"].as_str().unwrap())
        .collect();
    assert_eq!(verdicts, ["AC", "WA", "TLE", "CE", "AC", "RE"]);
    let near = through[2]["tests"][0]["measurements"].as_u64();
    assert!(
        near > Some(1),
        "measured again: {:#}",
        through[2]["tests"][0]
    );
}

#[test]
fn a_lost_workers_facts_are_kept_and_another_worker_does_the_rest() {
    if !cfg!(debug_assertions) {
        skipped("a release build cannot be killed at a named step");
        return;
    }
    let place = place();
    // Nothing is measured again here, so a busy machine does no harm; and there is one program for
    // each kind of work.
    for student in ["c", "d", "f"] {
        fs::remove_dir_all(place.path(&format!("submissions/{student}"))).unwrap();
    }
    let whole = judged(&place, &[]);
    for point in ["fact sent", "fact sent:3"] {
        let home = empty();
        // Only the first worker is killed there.
        let script = home.path().join("worker.sh");
        let text = format!(
            "#!/bin/sh\nif mkdir '{0}/first' 2>/dev/null; then export VERDICTD_CRASH_AT='{point}'; fi\n\
             mkdir -p '{0}/empty'; cd '{0}/empty' && exec '{1}' worker --stdio\n",
            home.path().display(),
            binary()
        );
        fs::write(&script, text).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        let cut = judged(&place, &["--worker", script.to_str().unwrap()]);
        assert!(home.path().join("first").exists());
        let essences = |all: &[Value]| all.iter().map(essence).collect::<Vec<Value>>();
        assert_eq!(essences(&cut), essences(&whole), "{point}");
    }
}

#[test]
fn a_worker_that_cannot_be_used_costs_nobody_a_verdict() {
    let place = Place::new();
    place.write("submissions/e/sum.cpp", programs::CPP);
    for worker in [
        "true",
        "exit 7",
        "echo nonsense",
        "head -c 1000000 /dev/zero",
    ] {
        let judged = tried(&place, &["--worker", worker], &files(&place));
        assert_eq!(
            judged[0]["verdict"],
            Value::Null,
            "{worker}: {:#}",
            judged[0]
        );
        assert!(judged[0]["fault"].is_string(), "{worker}: {:#}", judged[0]);
    }
}

#[test]
fn a_worker_refuses_what_it_does_not_understand() {
    let home = empty();
    for (message, words) in [
        ("nonsense\n", "talk to the other side"),
        ("{\"Go\":\"On\"}\n", "answers nothing"),
        ("{\"Order\":", "cut off"),
    ] {
        let mut worker = Command::new(binary());
        worker
            .args(["worker", "--stdio"])
            .current_dir(home.path())
            .stdin(Stdio::piped());
        let file = home.path().join("message");
        fs::write(&file, message).unwrap();
        worker.stdin(fs::File::open(&file).unwrap());
        let output = output(&mut worker);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains(words), "{message}: {said}");
    }
}
