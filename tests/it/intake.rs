//! Intake through the real binary: unchanged bytes, rejected files and
//! where they are shown, spellings of names.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::place::{Place, rounds, wait_until};
use crate::programs;
use crate::store::count;
use crate::web::client::{addresses, get};

/// Files that one student drops at once.
const JUNK: (usize, usize) = (4_000, 20_000);
/// Rejected files of one student that are named.
const NAMED_MAX: usize = 100;

fn status(place: &Place) -> Value {
    serde_json::from_slice(&place.run(&["status", "--json"]).stdout).unwrap()
}

/// Gives a file another time, as `touch` does.
fn touch(place: &Place, name: &str, ahead_s: u64) {
    let file = fs::File::options()
        .append(true)
        .open(place.path(name))
        .unwrap();
    let moment = SystemTime::now() + Duration::from_secs(ahead_s);
    file.set_modified(moment).unwrap();
}

fn names(place: &Place, folder: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir(place.path(folder)) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Two files of one student for one problem and language: attempt 1 is wrong, attempt 2 is right.
const TWO: [&str; 2] = ["submissions/alpha/sum.py", "submissions/alpha_sum.py"];

fn place_with_two() -> (Place, BTreeMap<String, String>) {
    let place = Place::new().only(&["python3"]);
    place.write(TWO[0], "print(7)\n");
    place.serve_once();
    place.write(TWO[1], programs::PYTHON);
    let verdicts = place.serve_once();
    let expected = [("alpha/sum/1", "WA"), ("alpha/sum/2", "AC")];
    let expected = expected.map(|(attempt, verdict)| (attempt.to_owned(), verdict.to_owned()));
    assert_eq!(verdicts, expected.into());
    (place, verdicts)
}

#[test]
fn touched_files_are_no_new_attempts_even_if_a_student_has_two() {
    let (place, verdicts) = place_with_two();
    for (round, name) in [TWO[0], TWO[1], TWO[0]].into_iter().enumerate() {
        touch(&place, name, 100 * (round as u64 + 1));
        assert_eq!(place.serve_once(), verdicts, "{name}");
    }
    // The same while it runs: only what comes after them is judged.
    let daemon = place.daemon();
    touch(&place, TWO[0], 1_000);
    touch(&place, TWO[1], 2_000);
    place.write("submissions/omega/sum.py", programs::PYTHON);
    assert_eq!(place.wait_for("omega/sum/1"), "AC");
    assert_eq!(daemon.stop().code, Some(0));
    assert_eq!(place.serve_once().len(), verdicts.len() + 1);
    assert_eq!(status(&place)["received"], 3);
    // A file that is changed, and changed back, is a new attempt.
    place.write(TWO[0], "print(8)\n");
    place.serve_once();
    place.write(TWO[0], "print(7)\n");
    let verdicts = place.serve_once();
    assert_eq!(verdicts["alpha/sum/4"], "WA");
    assert_eq!(verdicts.len(), 5);
}

#[test]
fn a_course_that_was_copied_or_restored_has_no_new_attempts() {
    let (place, verdicts) = place_with_two();
    // In another folder every inode and every time differs.
    let copy = Place::new();
    for name in ["submissions", "state", "problems", "config.toml"] {
        let copied = Command::new("cp")
            .arg("-r")
            .arg(place.path(name))
            .arg(copy.path("."))
            .status()
            .unwrap();
        assert!(copied.success(), "{name}");
    }
    copy.serve_once();
    assert_eq!(status(&copy)["received"], 2);
    // All files gone, and put back from a backup after a start without them.
    let kept = TWO.map(|name| (name, place.read(name)));
    fs::remove_dir_all(place.path("submissions")).unwrap();
    fs::create_dir(place.path("submissions")).unwrap();
    assert_eq!(place.serve_once(), verdicts);
    for (name, text) in kept {
        place.write(name, text);
        assert_eq!(place.serve_once(), verdicts, "{name}");
    }
    assert_eq!(status(&place)["received"], 2);
    // Another spelling of the latest attempt's name is nothing new either.
    place.write("submissions/alpha/SUM (1).py", programs::PYTHON);
    assert_eq!(place.serve_once(), verdicts);
}

#[test]
fn thousands_of_rejected_files_delay_nobody_and_leave_little_behind() {
    let place = Place::new().only(&["python3"]);
    let junk = rounds(JUNK.0, JUNK.1);
    for number in 0..junk {
        place.write(&format!("submissions/alpha/{number}.xyz"), "x");
    }
    place.write("submissions/zeta/sum.py", programs::PYTHON);
    let output = place.run(&["serve", "--once", "--json"]);
    let lines = String::from_utf8(output.stdout).unwrap();
    let kinds: Vec<String> = lines
        .lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            line["kind"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(
        kinds[0], "received",
        "before the first rejection: {kinds:?}"
    );
    assert_eq!(place.verdicts()["zeta/sum/1"], "AC");
    // The first ones have notes and lines in the log; the others are counted.
    assert_eq!(status(&place)["rejected"], junk);
    let rejections = kinds.iter().filter(|kind| *kind == "rejection").count();
    assert_eq!(rejections, NAMED_MAX + 1);
    let not_named = format!("And {} more", junk - NAMED_MAX);
    let log = place.read("staff/verdicts.log");
    assert_eq!(log.lines().count(), NAMED_MAX + 2);
    for folder in ["reports/alpha/rejected", "staff/alpha/rejected"] {
        assert_eq!(names(&place, folder).len(), NAMED_MAX + 1);
        let more = place.read(&format!("{folder}/and-more.txt"));
        assert!(more.contains(&not_named), "{more}");
    }
    let page = place.read("reports/alpha/index.html");
    assert!(page.contains(&format!("Not accepted as submissions ({junk})")));
    assert!(page.contains(&format!("{not_named}.")));
    // Notes disappear with the files, whether or not the daemon runs.
    let daemon = place.daemon();
    for number in 0..junk / 2 {
        fs::remove_file(place.path(&format!("submissions/alpha/{number}.xyz"))).unwrap();
    }
    wait_until("half of them", || count(&place, "rejections") == junk / 2);
    assert_eq!(status(&place)["rejected"], junk / 2);
    wait_until("the notes of others", || {
        let notes = names(&place, "reports/alpha/rejected");
        notes.len() == NAMED_MAX + 1 && notes.contains(&format!("{}.xyz.note.txt", junk / 2))
    });
    assert_eq!(daemon.stop().code, Some(0));
    fs::remove_dir_all(place.path("submissions/alpha")).unwrap();
    place.serve_once();
    assert_eq!(status(&place)["rejected"], 0);
    for folder in ["reports", "staff"] {
        let left = names(&place, folder);
        assert!(!left.contains(&"alpha".to_owned()), "{folder}: {left:?}");
    }
    assert_eq!(
        place.read("staff/verdicts.log").lines().count(),
        log.lines().count()
    );
}

#[test]
fn attempts_that_are_found_together_are_numbered_in_the_order_in_which_they_were_made() {
    let place = Place::new().only(&["python3"]);
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    place.write("submissions/alpha/sum (1).py", "print(7)\n");
    let verdicts = place.serve_once();
    assert_eq!(verdicts["alpha/sum/1"], "AC");
    assert_eq!(verdicts["alpha/sum/2"], "WA");
}

#[test]
fn a_rejected_file_is_shown_where_people_look_until_it_is_gone() {
    let token = "correct-horse-battery";
    let place = Place::new()
        .only(&["python3"])
        .with_dashboard("staff_token_file = \"token\"");
    place.write("token", token);
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    fs::set_permissions(place.path("token"), private).unwrap();
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    place.write("submissions/alpha/sum.zip", "x");
    place.write("submissions/beta/<b>.docx", "x");
    place.write("submissions/notes.xyz", "x");
    let daemon = place.daemon();
    place.wait_for("alpha/sum/1");
    let (students, staff) = addresses(&daemon);
    let welcome = get(staff.unwrap(), &format!("/?token={token}"));
    let cookie = welcome
        .header("set-cookie")
        .split(';')
        .next()
        .unwrap()
        .to_owned();
    let for_staff = |target: &str| {
        let header = format!("Cookie: {cookie}\r\n");
        crate::web::client::get_with(staff.unwrap(), target, &header).body
    };
    let title = "Not accepted as submissions";
    let shows = |page: &str, words: &[&str]| words.iter().all(|words| page.contains(words));
    // A student's pages, even if there is no submission.
    let (alpha, beta) = (
        &[title, "sum.zip", "is an archive"],
        &[title, "&#60;b&#62;.docx"],
    );
    for folder in ["reports", "staff"] {
        wait_until("the pages of the students", || {
            let page = |student: &str| {
                let path = place.path(&format!("{folder}/{student}/index.html"));
                fs::read_to_string(path).unwrap_or_default()
            };
            shows(&page("alpha"), alpha) && shows(&page("beta"), beta)
        });
    }
    wait_until("the dashboard", || {
        shows(&get(students, "/students/alpha").body, alpha)
            && shows(&get(students, "/students/beta").body, beta)
            && shows(&for_staff("/students/beta"), beta)
    });
    // The staff's overview of all students, and files that belong to no student; students do not
    // see other students' files.
    let everybody = &[title, "(3)", "alpha", "beta", "notes.xyz"];
    wait_until("the overviews", || {
        shows(&for_staff("/"), everybody) && shows(&place.read("staff/index.html"), everybody)
    });
    assert!(!get(students, "/").body.contains(title));
    assert_eq!(get(students, "/students/gamma").status, 404);
    let said = |arguments: &[&str]| String::from_utf8(place.run(arguments).stdout).unwrap();
    assert!(shows(
        &said(&["report", "alpha"]),
        &[title, "sum.zip", "is an archive"]
    ));
    assert!(shows(&said(&["report", "beta"]), &[title, "<b>.docx"]));
    assert!(shows(
        &said(&["status"]),
        &["3 rejected", "notes.xyz: ", "sum.zip: "]
    ));
    let listed = status(&place)["rejections"].as_array().unwrap().len();
    assert_eq!(listed, 3);
    assert!(
        place
            .path("reports/alpha/rejected/sum.zip.note.txt")
            .exists()
    );
}

#[test]
fn notes_on_a_rejected_file_disappear_with_it() {
    let place = Place::new().only(&["python3"]).with_dashboard("");
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    place.write("submissions/alpha/sum.zip", "x");
    place.write("submissions/beta/sum.docx", "x");
    place.write("submissions/gamma.py", "x");
    let daemon = place.daemon();
    let (students, _) = addresses(&daemon);
    let title = "Not accepted as submissions";
    wait_until("everything to be said", || {
        place.path("staff/alpha/rejected/sum.zip.note.txt").exists()
            && place.path("staff/rejected/gamma.py.note.txt").exists()
            && names(&place, "reports/alpha").contains(&"index.html".to_owned())
            && names(&place, "reports/beta").contains(&"index.html".to_owned())
            && get(students, "/students/beta").status == 200
    });
    fs::remove_file(place.path("submissions/beta/sum.docx")).unwrap();
    fs::remove_file(place.path("submissions/alpha/sum.zip")).unwrap();
    wait_until("all of it to go", || {
        !place.path("reports/beta").exists()
            && !place.path("staff/beta").exists()
            && !place.path("reports/alpha/rejected").exists()
            && !place.read("reports/alpha/index.html").contains(title)
            && get(students, "/students/beta").status == 404
    });
    assert_eq!(daemon.stop().code, Some(0));
    assert_eq!(status(&place)["rejected"], 1);
    // A file that belongs to no student, deleted while no daemon runs.
    fs::remove_file(place.path("submissions/gamma.py")).unwrap();
    place.serve_once();
    assert_eq!(status(&place)["rejected"], 0);
    assert!(!place.path("staff/rejected").exists());
    assert!(!place.read("staff/index.html").contains(title));
}

#[test]
fn an_unchanged_rejected_file_is_logged_once() {
    let place = Place::new().only(&["python3"]);
    for number in 0..5 {
        place.write(&format!("submissions/alpha/other{number}.py"), "x");
    }
    place.serve_once();
    let told = || {
        let log = place.read("staff/verdicts.log");
        let lines = log.lines().filter(|line| line.contains("rejected: "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let log = told();
    assert_eq!(log.len(), 5);
    // A new problem makes the reason longer, and touching changes the time: neither is logged
    // again.
    for problem in ["second", "third"] {
        for name in ["problem.toml", "data/sample/1.in", "data/sample/1.ans"] {
            let text = place.read(&format!("problems/sum/{name}"));
            place.write(&format!("problems/{problem}/{name}"), text);
        }
        touch(&place, "submissions/alpha/other1.py", 100);
        place.serve_once();
        assert_eq!(status(&place)["rejected"], 5);
        let note = place.read("reports/alpha/rejected/other1.py.note.txt");
        assert!(note.contains(problem), "the reason is up to date: {note}");
    }
    assert_eq!(told(), log);
    // Another reason is logged again; and a file that is fixed is received.
    place.write("submissions/alpha/second.py", "");
    fs::remove_file(place.path("submissions/alpha/other0.py")).unwrap();
    place.serve_once();
    assert_eq!(status(&place)["rejected"], 5);
    assert_eq!(told().len(), 6);
    place.write("submissions/alpha/second.py", programs::PYTHON);
    assert_eq!(place.serve_once()["alpha/second/1"], "AC");
    assert_eq!(status(&place)["rejected"], 4);
    let notes = names(&place, "reports/alpha/rejected");
    assert_eq!(notes.len(), 4, "{notes:?}");
}

#[test]
fn every_spelling_of_a_students_name_is_one_student() {
    let place = Place::new().only(&["python3"]);
    for (number, file) in [
        "S1004 /sum.py",
        "S1004/sum.py",
        "J\u{f6}rg/sum.py",
        "Jo\u{308}rg/sum.py",
        "Jo\u{308}rg_sum.py",
        "J\u{f6}rg/x.xyz",
        "Jo\u{308}rg/x.xyz",
    ]
    .into_iter()
    .enumerate()
    {
        let program = format!("{}# {number}\n", programs::PYTHON);
        place.write(&format!("submissions/{file}"), program);
    }
    let verdicts = place.serve_once();
    let students: Vec<&str> = verdicts.keys().map(String::as_str).collect();
    assert_eq!(
        students,
        [
            "J\u{f6}rg/sum/1",
            "J\u{f6}rg/sum/2",
            "J\u{f6}rg/sum/3",
            "S1004/sum/1",
            "S1004/sum/2"
        ]
    );
    // Two folders have a file of the same name: each has a note.
    assert_eq!(names(&place, "reports/J\u{f6}rg/rejected").len(), 2);
    let book = place.read("staff/gradebook.csv");
    assert_eq!(book.lines().count(), 3, "{book}");
    for spelling in ["Jo\u{308}rg", " J\u{f6}rg "] {
        let report = place.run(&["report", spelling]);
        assert_eq!(report.status.code(), Some(0), "{spelling:?}");
    }
}

#[test]
fn files_that_config_toml_ignores_are_not_rejected() {
    let place = Place::new().only(&["python3"]);
    for file in ["README.md", "notes.md", "Makefile", "1.in"] {
        place.write(&format!("submissions/alpha/{file}"), "x");
    }
    place.write("submissions/alpha/sum-1.py", programs::PYTHON);
    fs::create_dir_all(place.path("submissions/beta~")).unwrap();
    assert_eq!(place.serve_once()["alpha/sum/1"], "AC");
    let rejections = &status(&place)["rejections"];
    assert_eq!(rejections.as_array().unwrap().len(), 1, "{rejections}");
    assert_eq!(rejections[0]["path"], "beta~");
    let config = place.read("config.toml");
    place.write(
        "config.toml",
        config.replace("[intake]\n", "[intake]\nignore = [\"*.md\"]\n"),
    );
    place.serve_once();
    assert_eq!(status(&place)["rejected"], 3);
    place.write("config.toml", config);
    place.serve_once();
    assert_eq!(status(&place)["rejected"], 1);
    assert_eq!(place.verdicts().len(), 1);
}
