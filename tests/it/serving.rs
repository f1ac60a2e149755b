//! The daemon through the real binary: files dropped, restarts, kills, reloads, rejections,
//! reports.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::Value;

use crate::place::{Place, rounds, wait_until};
use crate::programs;
use crate::store::count;

#[test]
fn once_judges_what_is_there_and_writes_every_report() {
    let place = Place::new().only(&["python3", "c"]);
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    place.write("submissions/студент/SUM.c", programs::C);
    place.write("submissions/beta_sum.py", "print(7)\n");
    let verdicts = place.serve_once();
    let expected: BTreeMap<String, String> = [
        ("alpha/sum/1", "AC"),
        ("студент/sum/1", "AC"),
        ("beta/sum/1", "WA"),
    ]
    .map(|(attempt, verdict)| (attempt.to_owned(), verdict.to_owned()))
    .into();
    assert_eq!(verdicts, expected);
    let report: Value = serde_json::from_str(&place.read("staff/beta/sum/1.json")).unwrap();
    assert_eq!(report["version"], 1);
    assert_eq!(report["verdict"], "WA");
    assert_eq!(report["first_failing_test"], "sample/1");
    assert_eq!(report["tests"][0]["difference"]["expected"], "3");
    assert_eq!(report["tests"][0]["difference"]["got"], "7");
    let text = place.read("reports/beta/sum/1.txt");
    assert!(
        text.contains("wrong answer") && text.contains("sample/1"),
        "{text}"
    );
    assert_eq!(place.read("staff/verdicts.log").lines().count(), 3);
}

#[test]
fn a_dropped_file_is_judged_and_a_new_version_is_a_new_attempt() {
    let place = Place::new().only(&["python3"]);
    let daemon = place.daemon();
    place.write("submissions/alpha/sum.py", "print(7)\n");
    assert_eq!(place.wait_for("alpha/sum/1"), "WA");
    // As editors do: a new file, moved over the old one.
    place.write("submissions/alpha/.sum.py.swp", "unfinished");
    place.write("elsewhere.py", programs::PYTHON);
    fs::rename(
        place.path("elsewhere.py"),
        place.path("submissions/alpha/sum.py"),
    )
    .unwrap();
    assert_eq!(place.wait_for("alpha/sum/2"), "AC");
    // The same bytes again are nothing new.
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    place.write("submissions/omega_sum.py", programs::PYTHON);
    assert_eq!(place.wait_for("omega/sum/1"), "AC");
    let ended = daemon.stop();
    assert_eq!(ended.code, Some(0), "{:?}", ended.said);
    let shown: Vec<&str> = ended
        .lines
        .iter()
        .filter_map(|line| line.split_whitespace().nth(1))
        .collect();
    assert_eq!(shown, ["WA", "AC", "AC"], "a row a verdict, in order");
    assert_eq!(place.verdicts().len(), 3);
}

#[test]
fn a_file_that_is_not_a_submission_is_rejected_with_a_reason_and_stops_nothing() {
    let place = Place::new().only(&["python3"]);
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    place.write("submissions/alpha/summ.py", programs::PYTHON);
    place.write("submissions/alpha/sum.docx", "x");
    place.write("submissions/beta/sum.py", "");
    place.write("submissions/gamma/sum.py", vec![b'#'; 257 * 1024]);
    fs::create_dir_all(place.path("submissions/delta/sum.py")).unwrap();
    fs::create_dir_all(place.path("submissions/epsilon")).unwrap();
    symlink("/etc/passwd", place.path("submissions/epsilon/sum.py")).unwrap();
    symlink("alpha", place.path("submissions/theta")).unwrap();
    fs::create_dir_all(place.path("submissions/zeta")).unwrap();
    let fifo = Command::new("mkfifo")
        .arg(place.path("submissions/zeta/sum.py"))
        .status()
        .unwrap();
    assert!(fifo.success());
    fs::create_dir_all(place.path("submissions/eta")).unwrap();
    fs::hard_link(
        place.path("submissions/alpha/summ.py"),
        place.path("submissions/eta/sum.py"),
    )
    .unwrap();
    let verdicts = place.serve_once();
    assert_eq!(verdicts.len(), 1, "{verdicts:?}");
    for (file, word) in [
        ("reports/alpha/rejected/sum.docx", "docx"),
        ("reports/beta/rejected/sum.py", "empty"),
        ("reports/gamma/rejected/sum.py", "256 KiB"),
        ("reports/delta/rejected/sum.py", "folder"),
        ("reports/epsilon/rejected/sum.py", "symbolic link"),
        ("reports/zeta/rejected/sum.py", "pipe"),
        ("reports/eta/rejected/sum.py", "hard link"),
        ("staff/rejected/theta", "symbolic link"),
    ] {
        let text = place.read(&format!("{file}.note.txt"));
        assert!(text.contains(word), "{file}: {text}");
        assert!(!text.contains("root:"), "{file}: {text}");
    }
    // Once fixed, it is judged, and the note disappears.
    place.write("submissions/beta/sum.py", programs::PYTHON);
    assert_eq!(place.serve_once()["beta/sum/1"], "AC");
    assert!(!place.path("reports/beta/rejected/sum.py.note.txt").exists());
}

#[test]
fn a_name_does_nothing_to_the_terminal_that_shows_it() {
    let place = Place::new().only(&["python3"]);
    let name = "submissions/alpha/su\x1b[2Jm\nAC\u{202e}.py";
    place.write(name, programs::PYTHON);
    for arguments in [&["serve", "--once"][..], &["judge", name]] {
        let output = place.run(arguments);
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        let said = said.concat();
        assert!(said.contains("su\\u{1b}[2Jm\\nAC\\u{202e}"), "{said:?}");
        assert!(!said.contains(['\x1b', '\u{202e}']), "{said:?}");
        assert!(!said.lines().any(|line| line.starts_with("AC")), "{said:?}");
    }
}

#[test]
fn a_name_is_harmless_to_other_programs_too() {
    let place = Place::new().only(&["python3"]);
    place.write("submissions/alpha/su\x1bm\u{202e}.py", programs::PYTHON);
    let output = place.run(&["serve", "--once", "--json"]);
    let said = String::from_utf8(output.stdout).unwrap();
    let lines = said.lines().map(|line| serde_json::from_str(line).unwrap());
    let told: Vec<Value> = lines
        .filter(|line: &Value| line["kind"] == "rejection")
        .collect();
    assert_eq!(told.len(), 1, "{said}");
    for key in ["path", "reason"] {
        let text = told[0][key].as_str().unwrap();
        assert!(text.contains("su\\u{1b}m\\u{202e}"), "{key}: {text:?}");
        assert!(!text.contains(['\x1b', '\u{202e}']), "{key}: {text:?}");
    }
}

#[test]
fn a_restart_continues_and_repeats_nothing() {
    let place = Place::new().only(&["python3"]);
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    place.serve_once();
    let log = place.read("staff/verdicts.log");
    place.serve_once();
    assert_eq!(place.read("staff/verdicts.log"), log);
    // A new test is all that is missing.
    place.write("problems/sum/data/secret/3.in", "5 5\n");
    place.write("problems/sum/data/secret/3.ans", "11\n");
    assert_eq!(place.serve_once()["alpha/sum/1"], "WA");
    fs::remove_file(place.path("problems/sum/data/secret/3.in")).unwrap();
    assert_eq!(place.serve_once()["alpha/sum/1"], "AC");
}

#[test]
fn killed_in_the_middle_nothing_is_lost_and_nothing_is_judged_twice() {
    let place = Place::new().only(&["python3"]);
    for number in 0..20 {
        place.write(
            &format!("submissions/s{number}/sum.py"),
            format!("{}# {number}\n", programs::PYTHON),
        );
    }
    for kill_after in [1, 5, 12] {
        let daemon = place.daemon();
        wait_until("some verdicts", || place.verdicts().len() >= kill_after);
        daemon.signal("KILL");
        assert_eq!(daemon.ended().code, None);
    }
    let verdicts = place.serve_once();
    assert_eq!(verdicts.len(), 20);
    assert!(verdicts.values().all(|verdict| verdict == "AC"));
    let log = place.read("staff/verdicts.jsonl");
    assert_eq!(log.lines().count(), 20, "no verdict twice");
    for number in 0..20 {
        assert!(place.path(&format!("reports/s{number}/sum/1.txt")).exists());
    }
}

#[test]
fn a_daemon_is_found_whatever_its_program_is_called() {
    let place = Place::new().only(&["python3"]);
    fs::copy(env!("CARGO_BIN_EXE_verdictd"), place.path("grader-2")).unwrap();
    let mut command = Command::new(place.path("grader-2"));
    command.args(place.command(&["serve"]).get_args());
    command.current_dir(place.path(""));
    let is_running = || {
        let status: Value =
            serde_json::from_slice(&place.run(&["status", "--json"]).stdout).unwrap();
        status["running"] == true
    };
    let daemon = Place::started(command);
    assert!(is_running());
    daemon.stop();
    assert!(!is_running());
}

#[test]
fn two_daemons_cannot_share_a_store() {
    let place = Place::new().only(&["python3"]);
    let daemon = place.daemon();
    let second = place.run(&["serve", "--once"]);
    assert_eq!(second.status.code(), Some(3));
    let said = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(said.contains(&daemon.pid().to_string()), "{said}");
}

#[test]
fn a_reload_refuses_a_broken_file_and_keeps_the_old_one() {
    let place = Place::new().only(&["python3"]);
    let good = place.read("config.toml");
    let daemon = place.daemon();
    place.write("config.toml", "[limits]\ncpu_s = \"two\"\n");
    daemon.signal("HUP");
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    assert_eq!(place.wait_for("alpha/sum/1"), "AC");
    // One with which nothing can be opened.
    place.write(
        "config.toml",
        format!("{good}[folders]\nsubmissions = \"nowhere\"\n"),
    );
    daemon.signal("HUP");
    wait_until("the old one to stay", || {
        let said = daemon.said().join("\n");
        said.contains("nowhere: there is no such folder")
            && said.matches("the configuration stays as it was").count() == 2
    });
    place.write("submissions/delta/sum.py", programs::PYTHON);
    assert_eq!(place.wait_for("delta/sum/1"), "AC");
    // Now a good one, with another language and another setting.
    let good = good.replace("[languages.perl]\noffer = false\n", "");
    place.write(
        "config.toml",
        format!("{good}\n[judge]\nstop_at_first_failure = false\n"),
    );
    daemon.signal("HUP");
    // A file rejected because its language was off is received now.
    place.write("submissions/gamma/sum.pl", "print 3;");
    assert_eq!(place.wait_for("gamma/sum/1"), "WA");
    place.write("submissions/beta/sum.py", "print(3)\n");
    assert_eq!(place.wait_for("beta/sum/1"), "WA");
    let ended = daemon.stop();
    let said = ended.said.join("\n");
    assert!(
        said.contains("config.toml") && said.contains("cpu_s"),
        "{said}"
    );
    let report: Value = serde_json::from_str(&place.read("staff/beta/sum/1.json")).unwrap();
    assert!(
        report["tests"]
            .as_array()
            .unwrap()
            .iter()
            .all(|test| test["verdict"] != "SK"),
        "the reload took effect"
    );
}

#[test]
fn a_broken_package_grades_nobody_until_it_is_fixed() {
    let place = Place::new().only(&["python3"]);
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    place.write("problems/sum/problem.toml", "title = \n");
    let output = place.run(&["serve", "--once"]);
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("problem.toml:1:"), "{said}");
    assert!(place.verdicts().is_empty());
    let again = place.run(&["serve", "--once"]);
    assert_eq!(again.status.code(), Some(3), "it still waits");
    place.write("problems/sum/problem.toml", "title = \"Sum\"\n");
    assert_eq!(place.serve_once()["alpha/sum/1"], "AC");
}

#[test]
fn a_report_that_cannot_be_written_delays_no_other_and_is_written_later() {
    let place = Place::new().only(&["python3"]);
    let students: Vec<String> = (0..10).map(|number| format!("s{number}")).collect();
    for student in &students {
        place.write(&format!("submissions/{student}/sum.py"), programs::PYTHON);
    }
    // A file where the student's folder should be.
    place.write("reports/s3", "");
    let output = place.run(&["serve", "--once"]);
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let place_of_it = place.path("reports/s3/sum").display().to_string();
    assert!(said.contains(&format!("write {place_of_it}")), "{said}");
    for student in &students {
        let report = place.path(&format!("reports/{student}/sum/1.json"));
        assert_eq!(report.exists(), student != "s3", "{student}");
    }
    fs::remove_file(place.path("reports/s3")).unwrap();
    assert_eq!(place.serve_once().len(), students.len());
    assert!(place.path("reports/s3/sum/1.json").exists());
    let log = place.read("staff/verdicts.jsonl");
    assert_eq!(log.lines().count(), students.len(), "no verdict twice");
}

#[test]
fn reports_are_rebuilt_from_the_store() {
    let place = Place::new().only(&["python3"]);
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    place.write("submissions/beta/sum.py", "print(1)\n");
    place.serve_once();
    let files = [
        "staff/verdicts.log",
        "staff/verdicts.jsonl",
        "staff/alpha/sum/1.json",
        "reports/alpha/sum/1.json",
        "reports/beta/sum/1.txt",
        "reports/beta/sum/1.html",
    ];
    let before = files.map(|file| place.read(file));
    fs::remove_dir_all(place.path("reports")).unwrap();
    fs::remove_dir_all(place.path("staff")).unwrap();
    let output = place.run(&["report", "--rebuild"]);
    assert_eq!(output.status.code(), Some(0));
    let after = files.map(|file| place.read(file));
    assert_eq!(before, after);
}

#[test]
fn a_missing_folder_is_reported_with_what_to_do() {
    let place = Place::new().only(&["python3"]);
    fs::remove_dir(place.path("submissions")).unwrap();
    let output = place.run(&["serve", "--once"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("submissions") && said.contains("mkdir"),
        "{said}"
    );
}

#[test]
fn a_drain_in_the_middle_of_many_new_folders_loses_nothing() {
    let folders = rounds(800, 5_000);
    let place = Place::new().only(&["python3"]);
    let daemon = place.daemon();
    for number in 0..folders {
        place.write(&format!("submissions/s{number}/sum.py"), programs::PYTHON);
    }
    place.wait_for("s1/sum/1");
    let ended = daemon.stop();
    assert_eq!(ended.code, Some(0), "{:?}", ended.said);
    let verdicts = place.serve_once();
    assert_eq!(verdicts.len(), folders);
    assert!(verdicts.values().all(|verdict| verdict == "AC"));
}

#[test]
fn a_signal_to_the_whole_group_still_lets_the_program_finish() {
    let place = Place::new().only(&["python3"]);
    let slow = format!("import time\ntime.sleep(1)\n{}", programs::PYTHON);
    place.write("submissions/alpha/sum.py", slow);
    let daemon = place.daemon_in_its_own_group();
    wait_until("the program to be received", || {
        count(&place, "submissions") == 1
    });
    daemon.signal_group("INT");
    let ended = daemon.ended();
    assert_eq!(ended.code, Some(0));
    assert!(
        !ended.said.iter().any(|line| line.contains("fault")),
        "{:?}",
        ended.said
    );
}
