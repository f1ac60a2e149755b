//! Intake through the real binary: unchanged bytes, rejected files and
//! where they are shown, spellings of names.

use std::fs;
use std::time::{Duration, SystemTime};

use crate::place::{Place, assert_has, bearer, rounds, wait_until};
use crate::programs;
use crate::store::count;
use crate::web::client::{addresses, get, get_with, shows};

/// Files that one student drops at once.
const JUNK: (usize, usize) = (2_000, 20_000);
/// Rejected files of one student that are named.
const NAMED_MAX: usize = 100;

/// Gives a file another time, as `touch` does.
fn touch(place: &Place, name: &str, ahead_s: u64) {
    let file = fs::File::options().append(true).open(place.path(name));
    let moment = SystemTime::now() + Duration::from_secs(ahead_s);
    file.unwrap().set_modified(moment).unwrap();
}

fn names(place: &Place, folder: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir(place.path(folder)) else {
        return Vec::new();
    };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// Two files of one student for one problem and language: attempt 1 is wrong, attempt 2 is right.
const TWO: [&str; 2] = ["submissions/alpha/sum.lua", "submissions/alpha_sum.lua"];

#[test]
fn files_that_are_touched_copied_or_restored_are_no_new_attempts_even_if_a_student_has_two() {
    let place = Place::new().only(&["lua"]);
    place.write(TWO[0], "print(7)\n");
    place.serve_once();
    place.write(TWO[1], programs::LUA);
    let verdicts = place.serve_once();
    assert_eq!(verdicts.values().collect::<Vec<_>>(), ["WA", "AC"]);
    for (round, name) in [TWO[0], TWO[1], TWO[0]].into_iter().enumerate() {
        touch(&place, name, 100 * (round as u64 + 1));
        assert_eq!(place.serve_once(), verdicts, "{name}");
    }
    let copy = place.copy();
    copy.serve_once();
    assert_eq!(copy.status()["received"], 2);
    // All files gone, and put back from a backup after a start without them.
    let kept = TWO.map(|name| (name, place.read(name)));
    fs::remove_dir_all(place.path("submissions")).unwrap();
    fs::create_dir(place.path("submissions")).unwrap();
    assert_eq!(place.serve_once(), verdicts);
    for (name, text) in kept {
        place.write(name, text);
        assert_eq!(place.serve_once(), verdicts, "{name}");
    }
    // Another spelling of the latest attempt's name is nothing new either, and while a daemon runs,
    // only what comes after touched files is judged.
    place.write("submissions/alpha/SUM (1).lua", programs::LUA);
    let daemon = place.daemon();
    touch(&place, TWO[0], 1_000);
    touch(&place, TWO[1], 2_000);
    place.write("submissions/omega/sum.lua", programs::LUA);
    assert_eq!(place.wait_for("omega/sum/1"), "AC");
    assert_eq!(daemon.stop().code, Some(0));
    assert_eq!(place.serve_once().len(), verdicts.len() + 1);
    assert_eq!(place.status()["received"], 3);
    // A file that is changed, and changed back, is a new attempt.
    place.write(TWO[0], "print(8)\n");
    place.serve_once();
    place.write(TWO[0], "print(7)\n");
    let verdicts = place.serve_once();
    assert_eq!(verdicts["alpha/sum/4"], "WA");
    assert_eq!(verdicts.len(), 5);
}

#[test]
fn thousands_of_rejected_files_delay_nobody_and_leave_little_behind() {
    let place = Place::new().only(&["lua"]);
    let junk = rounds(JUNK.0, JUNK.1);
    for number in 0..junk {
        place.write(&format!("submissions/alpha/{number}.xyz"), "x");
    }
    place.write("submissions/zeta/sum.lua", programs::LUA);
    let lines = place.objects("serve --once --json");
    let first = &lines[0]["kind"];
    assert_eq!(first, "received", "before the first rejection");
    assert_eq!(place.verdicts()["zeta/sum/1"], "AC");
    // The first ones have notes and lines in the log; the others are counted.
    assert_eq!(place.status()["rejected"], junk);
    let rejections = lines.iter().filter(|line| line["kind"] == "rejection");
    assert_eq!(rejections.count(), NAMED_MAX + 1);
    let not_named = format!("And {} more", junk - NAMED_MAX);
    let log = place.read("staff/verdicts.log");
    assert_eq!(log.lines().count(), NAMED_MAX + 2);
    for folder in ["reports/alpha/rejected", "staff/alpha/rejected"] {
        assert_eq!(names(&place, folder).len(), NAMED_MAX + 1);
        let more = place.read(&format!("{folder}/and-more.txt"));
        let underlined = format!("{not_named}\n{}\n", "=".repeat(not_named.len()));
        assert_has(&more, &[&underlined]);
    }
    let page = place.read("reports/alpha/index.html");
    let heading = format!("Not accepted as submissions ({junk})");
    assert_has(&page, &[&heading, &format!("{not_named}.")]);
    // Notes disappear with the files, whether or not the daemon runs.
    let daemon = place.daemon();
    for number in 0..junk / 2 {
        fs::remove_file(place.path(&format!("submissions/alpha/{number}.xyz"))).unwrap();
    }
    wait_until("half of them", || count(&place, "rejections") == junk / 2);
    assert_eq!(place.status()["rejected"], junk / 2);
    wait_until("the notes of others", || {
        let notes = names(&place, "reports/alpha/rejected");
        notes.len() == NAMED_MAX + 1 && notes.contains(&format!("{}.xyz.note.txt", junk / 2))
    });
    assert_eq!(daemon.stop().code, Some(0));
    fs::remove_dir_all(place.path("submissions/alpha")).unwrap();
    place.serve_once();
    assert_eq!(place.status()["rejected"], 0);
    for folder in ["reports", "staff"] {
        let left = names(&place, folder);
        assert!(!left.contains(&"alpha".to_owned()), "{folder}: {left:?}");
    }
    assert_eq!(place.read("staff/verdicts.log"), log);
}

#[test]
fn a_rejected_file_is_shown_where_people_look_until_it_is_gone() {
    let place = Place::new().only(&["lua"]).with_staff("");
    place.write("submissions/alpha/sum.lua", programs::LUA);
    place.write("submissions/alpha/sum.rar", "x");
    place.write("submissions/beta/<b>.docx", "x");
    place.write("submissions/notes.xyz", "x");
    let daemon = place.daemon();
    place.wait_for("alpha/sum/1");
    let (students, staff) = addresses(&daemon);
    let for_staff = |target: &str| get_with(staff.unwrap(), target, &bearer()).body;
    let title = "Not accepted as submissions";
    // A student's pages, even if there is no submission.
    let (of_alpha, of_beta) = (["sum.rar", "is an archive"], "&#60;b&#62;.docx");
    for (student, words) in [("alpha", &of_alpha[..]), ("beta", &[of_beta])] {
        for words in [&[title], words].concat() {
            place.shows(&format!("reports/{student}/index.html"), words);
            place.shows(&format!("staff/{student}/index.html"), words);
            shows(students, &format!("/students/{student}"), words);
            let of_staff = || for_staff(&format!("/students/{student}")).contains(words);
            wait_until("the staff's dashboard", of_staff);
        }
    }
    // The staff's overview of all students, and files that belong to no student; students do not
    // see other students' files.
    for words in [title, "(3)", "alpha", "beta", "notes.xyz"] {
        place.shows("staff/index.html", words);
        wait_until(words, || for_staff("/").contains(words));
    }
    assert!(!get(students, "/").body.contains(title));
    assert_eq!(get(students, "/students/gamma").status, 404);
    place.says(0, "report alpha", &[title, "sum.rar", "is an archive"]);
    place.says(0, "report beta", &[title, "<b>.docx"]);
    place.says(0, "status", &["3 rejected", "notes.xyz: ", "sum.rar: "]);
    assert_eq!(place.status()["rejections"].as_array().unwrap().len(), 3);
    place.read("reports/alpha/rejected/sum.rar.note.txt");
    place.read("staff/rejected/notes.xyz.note.txt");

    fs::remove_file(place.path("submissions/beta/<b>.docx")).unwrap();
    fs::remove_file(place.path("submissions/alpha/sum.rar")).unwrap();
    for gone in ["reports/beta", "staff/beta", "reports/alpha/rejected"] {
        wait_until("all of it to go", || !place.path(gone).exists());
    }
    let is_told = || place.read("reports/alpha/index.html").contains(title);
    let is_nobody = || get(students, "/students/beta").status == 404;
    wait_until("nothing to be told", || !is_told() && is_nobody());
    assert_eq!(daemon.stop().code, Some(0));
    assert_eq!(place.status()["rejected"], 1);
}

#[test]
fn files_whose_events_were_dropped_are_found() {
    let bound = "/proc/sys/fs/inotify/max_queued_events";
    let most: usize = fs::read_to_string(bound).unwrap().trim().parse().unwrap();
    let place = Place::new().only(&["lua"]);
    // Only events make it scan: the next periodic scan is far away.
    place.edit("config.toml", "settle_ms", "rescan_s = 3600\nsettle_ms");
    place.write("submissions/s0/sum.lua", "");
    let daemon = place.daemon();
    // While stopped it reads no events, and the kernel drops those beyond its bound.
    daemon.signal("STOP");
    let stat = format!("/proc/{}/stat", daemon.pid());
    let stat = || fs::read_to_string(&stat).unwrap();
    wait_until("the daemon to be stopped", || stat().contains(") T "));
    let noise = place.path("submissions/s0/.noise");
    for _ in 0..=most / 2 {
        // Each is several events: created, closed, removed.
        fs::write(&noise, "x").unwrap();
        fs::remove_file(&noise).unwrap();
    }
    for number in 1..20 {
        place.write(&format!("submissions/s{number}/sum.lua"), programs::LUA);
    }
    place.write("submissions/s0/sum.lua", "print(7)\n");
    daemon.signal("CONT");
    for number in 1..20 {
        assert_eq!(place.wait_for(&format!("s{number}/sum/1")), "AC");
    }
    assert_eq!(place.wait_for("s0/sum/1"), "WA");
    assert_eq!(daemon.stop().code, Some(0));
}
