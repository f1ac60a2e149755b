//! The daemon through the real binary: files dropped, restarts, reloads, rejections, reports.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use crate::place::{Daemon, Place, assert_has, objects, rounds, said, wait_until};
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
    let text = place.read("reports/beta/sum/1.txt");
    assert_has(&text, &["wrong answer", "sample/1"]);
    assert_eq!(place.read("staff/verdicts.log").lines().count(), 3);
    let status = place.status();
    assert_eq!(
        (&status["judged"], &status["verdicts"]["AC"]),
        (&3.into(), &2.into())
    );
    let shown = place.says(0, "report beta SUM", &[]);
    assert_eq!(shown, place.read("staff/beta/sum/1.txt"));
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
    let words = |line: &'_ String| line.split_whitespace().nth(1).map(str::to_owned);
    let shown: Vec<String> = ended.lines.iter().filter_map(words).collect();
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
    for folder in ["delta/sum.py", "epsilon", "zeta", "eta"] {
        fs::create_dir_all(place.path(&format!("submissions/{folder}"))).unwrap();
    }
    symlink("/etc/passwd", place.path("submissions/epsilon/sum.py")).unwrap();
    symlink("alpha", place.path("submissions/theta")).unwrap();
    let mut fifo = Command::new("mkfifo");
    fifo.arg(place.path("submissions/zeta/sum.py"));
    assert!(fifo.status().unwrap().success());
    let [linked, link] = ["alpha/summ.py", "eta/sum.py"];
    let path = |name: &str| place.path(&format!("submissions/{name}"));
    fs::hard_link(path(linked), path(link)).unwrap();
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
        assert_has(&text, &[word]);
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
    let shown = "su\\u{1b}[2Jm\\nAC\\u{202e}";
    for (code, arguments) in [(0, &["serve", "--once"][..]), (2, &["judge", name])] {
        let said = said(&place.run(arguments), code, &[shown]);
        assert!(!said.contains(['\x1b', '\u{202e}']), "{said:?}");
        assert!(!said.lines().any(|line| line.starts_with("AC")), "{said:?}");
    }
    // Nor to other programs.
    place.write("submissions/alpha/suz\x1bm\u{202e}.py", programs::PYTHON);
    let lines = objects(&place.run(&["serve", "--once", "--json"]));
    let mut told = lines.iter().filter(|line| line["kind"] == "rejection");
    let told = told.next().unwrap();
    for key in ["path", "reason"] {
        let text = told[key].as_str().unwrap();
        assert_has(text, &["suz\\u{1b}m\\u{202e}"]);
        assert!(!text.contains(['\x1b', '\u{202e}']), "{key}: {text:?}");
    }
}

#[test]
fn a_restart_repeats_nothing_and_reports_are_rebuilt_from_the_store() {
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
    let there = || files.map(|file| place.read(file));
    let before = there();
    place.serve_once();
    assert_eq!(there(), before);
    fs::remove_dir_all(place.path("reports")).unwrap();
    fs::remove_dir_all(place.path("staff")).unwrap();
    place.says(0, "report --rebuild", &[]);
    assert_eq!(there(), before);
    // A new test is all that is missing.
    place.write("problems/sum/data/secret/3.in", "5 5\n");
    place.write("problems/sum/data/secret/3.ans", "11\n");
    assert_eq!(place.serve_once()["alpha/sum/1"], "WA");
    fs::remove_file(place.path("problems/sum/data/secret/3.in")).unwrap();
    assert_eq!(place.serve_once()["alpha/sum/1"], "AC");
}

#[test]
fn a_daemon_is_found_whatever_its_program_is_called_and_has_its_store_alone() {
    let place = Place::new().only(&["python3"]);
    fs::copy(env!("CARGO_BIN_EXE_verdictd"), place.path("grader-2")).unwrap();
    let mut command = Command::new(place.path("grader-2"));
    command.args(place.command(&["serve"]).get_args());
    command.current_dir(place.path(""));
    let daemon = Daemon::start(command);
    assert_eq!(place.status()["running"], true);
    let pid = daemon.pid().to_string();
    place.says(3, "serve --once", &[&pid]);
    daemon.stop();
    assert_eq!(place.status()["running"], false);
    // A missing folder is reported with what to do.
    fs::remove_dir(place.path("submissions")).unwrap();
    place.says(2, "serve --once", &["submissions", "mkdir"]);
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
    place.write("config.toml", &good);
    place.configure("[folders]\nsubmissions = \"nowhere\"\n");
    daemon.signal("HUP");
    wait_until("the old one to stay", || {
        let said = daemon.said().join("\n");
        said.contains("nowhere: there is no such folder")
            && said.matches("the configuration stays as it was").count() == 2
    });
    place.write("submissions/delta/sum.py", programs::PYTHON);
    assert_eq!(place.wait_for("delta/sum/1"), "AC");
    // Now a good one, with another language and another setting.
    place.write("config.toml", good);
    place.edit("config.toml", "[languages.perl]\noffer = false\n", "");
    place.configure("[judge]\nstop_at_first_failure = false\n");
    daemon.signal("HUP");
    // A file rejected because its language was off is received now.
    place.write("submissions/gamma/sum.pl", "print 3;");
    assert_eq!(place.wait_for("gamma/sum/1"), "WA");
    place.write("submissions/beta/sum.py", "print(3)\n");
    assert_eq!(place.wait_for("beta/sum/1"), "WA");
    let said = daemon.stop().said.join("\n");
    assert_has(&said, &["config.toml", "cpu_s"]);
    let report = place.json("staff/beta/sum/1.json");
    let mut tests = report["tests"].as_array().unwrap().iter();
    let is_all = tests.all(|test| test["verdict"] != "SK");
    assert!(is_all, "the reload took effect");
}

#[test]
fn a_broken_package_grades_nobody_until_it_is_fixed() {
    let place = Place::new().only(&["python3"]);
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    let sound = place.read("problems/sum/problem.toml");
    place.write("problems/sum/problem.toml", "title = \n");
    place.says(3, "serve --once", &["problem.toml:1:"]);
    assert!(place.verdicts().is_empty());
    // It still waits, also because of a test that cannot be read.
    place.write("problems/sum/problem.toml", sound);
    let test = place.path("problems/sum/data/secret/9.in");
    symlink("no-such-file", &test).unwrap();
    place.says(3, "serve --once", &["secret/9.in"]);
    assert!(place.verdicts().is_empty());
    fs::remove_file(&test).unwrap();
    assert_eq!(place.serve_once()["alpha/sum/1"], "AC");
}

#[test]
fn a_drain_in_the_middle_of_many_new_folders_loses_nothing() {
    let folders = rounds(300, 5_000);
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
    let said = ended.said.join("\n");
    assert!(!said.contains("fault"), "{said}");
}
