//! The daemon through the real binary: files dropped, restarts, reloads, rejections, reports.

use std::fs;
use std::os::unix::fs::symlink;

use crate::place::{Place, assert_has, wait_until};
use crate::programs;
use crate::store::count;

#[test]
fn a_dropped_file_is_judged_and_a_new_version_is_a_new_attempt() {
    let place = Place::new().only(&["lua"]);
    let daemon = place.daemon();
    place.write("submissions/alpha/sum.lua", "print(7)\n");
    assert_eq!(place.wait_for("alpha/sum/1"), "WA");
    // As editors do: a new file, moved over the old one.
    place.write("submissions/alpha/.sum.lua.swp", "unfinished");
    place.write("elsewhere.lua", programs::LUA);
    let [from, to] = ["elsewhere.lua", "submissions/alpha/sum.lua"].map(|name| place.path(name));
    fs::rename(from, to).unwrap();
    assert_eq!(place.wait_for("alpha/sum/2"), "AC");
    // The same bytes again are nothing new.
    place.write("submissions/alpha/sum.lua", programs::LUA);
    place.write("submissions/omega_sum.lua", programs::LUA);
    assert_eq!(place.wait_for("omega/sum/1"), "AC");
    let ended = daemon.stop();
    assert_eq!(ended.code, Some(0), "{:?}", ended.said);
    let words = |line: &'_ String| line.split_whitespace().nth(1).map(str::to_owned);
    let shown: Vec<String> = ended.lines.iter().filter_map(words).collect();
    assert_eq!(shown, ["WA", "AC", "AC"], "a row a verdict, in order");
    assert_eq!(place.verdicts().len(), 3);
}

#[test]
fn a_restart_repeats_nothing_and_reports_are_rebuilt_from_the_store() {
    let place = Place::new().only(&["lua"]);
    place.write("submissions/alpha/sum.lua", programs::LUA);
    place.write("submissions/beta/sum.lua", "print(1)\n");
    place.serve_once();
    let files = "staff/verdicts.log|staff/verdicts.jsonl|staff/gradebook.csv|staff/results.xml|\
        staff/event-feed.ndjson|staff/alpha/sum/1.json|reports/alpha/sum/1.json|\
        reports/beta/sum/1.txt|reports/beta/sum/1.html";
    let there = || -> Vec<String> { files.split('|').map(|file| place.read(file)).collect() };
    let before = there();
    place.serve_once();
    assert_eq!(there(), before);
    fs::remove_dir_all(place.path("reports")).unwrap();
    fs::remove_dir_all(place.path("staff")).unwrap();
    place.says(0, "report --rebuild", &[]);
    assert_eq!(there(), before);
    // A start writes the pages again that are gone.
    let pages = ["reports/alpha/index.html", "staff/problems/sum.html"];
    let texts = pages.map(|page| place.read(page));
    for page in pages {
        fs::remove_file(place.path(page)).unwrap();
    }
    place.serve_once();
    assert_eq!(pages.map(|page| place.read(page)), texts);
    // A new test is all that is missing.
    place.add_test("sum", "secret/3", "5 5\n", "11\n");
    assert_eq!(place.serve_once()["alpha/sum/1"], "WA");
    fs::remove_file(place.path("problems/sum/data/secret/3.in")).unwrap();
    assert_eq!(place.serve_once()["alpha/sum/1"], "AC");
}

#[test]
fn a_reload_refuses_a_broken_file_and_keeps_the_old_one() {
    let place = Place::new().only(&["lua"]);
    let good = place.read("config.toml");
    let daemon = place.daemon();
    place.write("config.toml", "[limits]\ncpu_s = \"two\"\n");
    daemon.signal("HUP");
    place.write("submissions/alpha/sum.lua", programs::LUA);
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
    place.write("submissions/delta/sum.lua", programs::LUA);
    assert_eq!(place.wait_for("delta/sum/1"), "AC");
    // Now a good one: a file rejected because its language was off is received.
    place.write("config.toml", good);
    place.edit("config.toml", "[languages.perl]\noffer = false\n", "");
    daemon.signal("HUP");
    place.write("submissions/gamma/sum.pl", "print 3;");
    assert_eq!(place.wait_for("gamma/sum/1"), "WA");
    assert_has(&daemon.stop().said.join("\n"), &["config.toml", "cpu_s"]);
}

#[test]
fn a_broken_package_grades_nobody_until_it_is_fixed() {
    let place = Place::new().only(&["lua"]);
    place.write("submissions/alpha/sum.lua", programs::LUA);
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
fn a_signal_to_the_whole_group_still_lets_the_program_finish() {
    let place = Place::new().only(&["python3"]);
    let slow = format!("import time\ntime.sleep(1)\n{}", programs::PYTHON);
    place.write("submissions/alpha/sum.py", slow);
    let daemon = place.daemon_in_its_own_group();
    let is_received = || count(&place, "submissions") == 1;
    wait_until("the program to be received", is_received);
    daemon.signal_group("INT");
    let ended = daemon.ended();
    assert_eq!(ended.code, Some(0));
    let said = ended.said.join("\n");
    assert!(!said.contains("fault"), "{said}");
}
