//! Programs come from a platform and grades go back to it, on the real binary; and who is who on the
//! way: spellings of the roster's names, strangers, and names that the roster gains.

use std::fs;
use std::io::Read as _;

use crate::place::{Place, wait_until};
use crate::programs::PYTHON;
use crate::web::client::{addresses, get};

/// Canvas's own export is the roster.
const GRADEBOOK: &str = "Student,ID,SIS User ID,SIS Login ID,Section,Sum (4711)\r\n    Points Possible,,,,,10.00\r\n\"Lovelace, Ada\",71,1001,ada,CS 1,\r\n\"O'Brien, Bo\",72,1002,bo,CS 1,3\r\n\"Cy, Cyd\",73,1003,cy,CS 1,7\r\n\"Student, Test\",74,,,CS 1,\r\n";
const WORKSHEET: &str = "Identifier,\"Full name\",\"Email address\",Status,Grade,\"Maximum Grade\",\"Grade can be changed\",\"Last modified (submission)\",\"Last modified (grade)\",\"Feedback comments\"\r\n\"Participant 657737\",\"Ada Lovelace\",ada@x.edu,Submitted,,10.00,Yes,\"Saturday, 3 October 2026, 11:00 PM\",-,\r\n\"Participant 657738\",\"Bo O'Brien\",bo@x.edu,Submitted,3.00,10.00,Yes,\"Sunday, 4 October 2026, 11:00 PM\",-,\r\n\"Participant 657739\",\"Cyd Cy\",cy@x.edu,\"No submission\",,10.00,Yes,-,-,\"<p>mine</p>\"\r\n";
const COURSE: &str = "time_zone = \"Europe/Oslo\"\n[[assignments]]\nname = \"a1\"\ndue = \"2026-10-03T23:59:00\"\nlate = [{ until = \"+2d\", percent = 80 }]\npoints = { sum = 10 }\n";

fn course(unknown: &str) -> Place {
    let place = Place::new().only(&["python3"]);
    let config = place.read("config.toml");
    let table =
        format!("\n[overview]\nroster = \"gradebook.csv\"\nunknown_students = \"{unknown}\"\n");
    place.write("config.toml", config + &table);
    place.write("gradebook.csv", GRADEBOOK);
    place
}

fn well(place: &Place, arguments: &[&str]) -> String {
    let output = place.run(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn grades_and_reports_go_back_to_moodle_and_canvas() {
    let place = course("accept");
    place.write("course.toml", COURSE);
    place.write("w.csv", WORKSHEET);
    let file = |name: &str| format!("in/{name}_assignsubmission_file/sum.py");
    place.write(&file("Ada Lovelace_657737"), PYTHON);
    place.write(&file("Bo OBrien_657738"), format!("# bo\n{PYTHON}"));
    well(&place, &["import", "--worksheet", "w.csv", "in"]);
    // Nobody's folder has to be spelled as the roster has it.
    place.write("submissions/STRANGER/sum.py", "print(3)\n");
    let verdicts = place.serve_once();
    assert_eq!(verdicts["ada/sum/1"], "AC");
    assert_eq!(verdicts["bo/sum/1"], "AC");
    let said = well(&place, &["export", "moodle", "--worksheet", "w.csv"]);
    assert!(
        said.contains(
            "2 rows filled
"
        ),
        "{said}"
    );
    assert!(
        said.contains("judged, but not in the file: STRANGER"),
        "{said}"
    );
    let filled = place.read("staff/exports/moodle/w.csv");
    let lines = |text: &str| {
        text.split("\r\n")
            .map(str::to_owned)
            .collect::<Vec<String>>()
    };
    let (before, after) = (lines(WORKSHEET), lines(&filled));
    assert_eq!(
        (&after[0], &after[3], &after[4]),
        (&before[0], &before[3], &before[4])
    );
    assert!(after[1].contains(",10.00,10.00,"), "{}", after[1]);
    assert!(
        after[2].contains(",8.00,10.00,") && after[2].contains("23 h 1 min late: counts 80 %"),
        "{}",
        after[2]
    );
    let zip = fs::File::open(place.path("staff/exports/moodle/feedback.zip")).unwrap();
    let mut zip = zip::ZipArchive::new(zip).unwrap();
    let mut names: Vec<String> = (0..zip.len())
        .map(|index| zip.by_index(index).unwrap().name().unwrap().into_owned())
        .collect();
    names.sort();
    let report = |number| format!("Feedback_{number}_assignfeedback_file/sum.html");
    assert_eq!(names, [report(657_737), report(657_738)]);
    let mut html = String::new();
    zip.by_name(&report(657_737))
        .unwrap()
        .read_to_string(&mut html)
        .unwrap();
    assert_eq!(html, place.read("reports/ada/sum/1.html"));
    canvas_gets_its_column(&place);
    what_does_not_fit_is_refused(&place);
}

fn canvas_gets_its_column(place: &Place) {
    well(
        place,
        &[
            "export",
            "canvas",
            "--gradebook",
            "gradebook.csv",
            "--column",
            "Sum",
            "--out",
            "back",
        ],
    );
    assert_eq!(
        place.read("back/gradebook.csv"),
        "Student,ID,SIS User ID,SIS Login ID,Section,Sum (4711)\r\n    Points Possible,,,,,10.00\r\n\"Lovelace, Ada\",71,1001,ada,CS 1,10\r\n\"O'Brien, Bo\",72,1002,bo,CS 1,8\r\n"
    );
}

fn what_does_not_fit_is_refused(place: &Place) {
    for (arguments, words) in [
        (
            &["--gradebook", "gradebook.csv", "--column", "Sun"][..],
            "gradebook.csv:1: no column that can be filled is called \"Sun\" (did you mean \"Sum\"?)",
        ),
        (
            &["--gradebook", "small.csv", "--column", "Sum"],
            "small.csv:3: ada has 10 points, and the maximum here is 5",
        ),
        (
            &[
                "--gradebook",
                "gradebook.csv",
                "--column",
                "Sum",
                "--out",
                ".",
            ],
            "would replace this one",
        ),
        (
            &[
                "--gradebook",
                "gradebook.csv",
                "--column",
                "Sum",
                "--assignment",
                "a2",
            ],
            "there is no assignment \"a2\"; the assignments are a1",
        ),
    ] {
        place.write("small.csv", GRADEBOOK.replace("10.00", "5.00"));
        let output = place.run(&[&["export", "canvas"], arguments].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(words), "{said}");
    }
    assert_eq!(place.read("gradebook.csv"), GRADEBOOK);
}

#[test]
fn strangers_are_rejected_until_the_roster_has_their_name() {
    let place = course("reject");
    place.write("submissions/Ada/sum.py", PYTHON);
    place.write("submissions/1002_sum.py", PYTHON);
    place.write("submissions/bob/sum.py", PYTHON);
    let daemon = place.daemon();
    // A spelling in another case and a number that the roster has are the roster's people.
    assert_eq!(place.wait_for("ada/sum/1"), "AC");
    assert_eq!(place.wait_for("bo/sum/1"), "AC");
    let note = place.path("reports/bob/rejected/sum.py.note.txt");
    wait_until("the note on the stranger's file", || note.exists());
    let said = fs::read_to_string(&note).unwrap();
    assert!(said.contains("bob is not on the roster"), "{said}");
    assert!(said.contains("did you mean bo?"), "{said}");
    place.write(
        "gradebook.csv",
        format!("{GRADEBOOK}\"New, Bob\",75,1005,bob,CS 1,\r\n"),
    );
    assert_eq!(place.wait_for("bob/sum/1"), "AC");
    wait_until("the note to go", || !note.exists());
    assert_eq!(daemon.stop().code, Some(0));
}

#[test]
fn strangers_are_judged_and_count_once_the_roster_has_their_name() {
    let place = course("").with_dashboard("");
    let config = place.read("config.toml");
    place.write(
        "config.toml",
        config.replace("unknown_students = \"\"\n", ""),
    );
    place.write("submissions/adda/sum.py", PYTHON);
    place.write("submissions/ada/sum.py", PYTHON);
    let daemon = place.daemon();
    let (to, _) = addresses(&daemon);
    assert_eq!(place.wait_for("adda/sum/1"), "AC");
    assert_eq!(place.wait_for("ada/sum/1"), "AC");
    assert!(!place.read("reports/adda/sum/1.txt").is_empty());
    let board = || ["/", "/projector", "/problems/sum"].map(|page| get(to, page).body);
    let is_on = |pages: &[String], name: &str| {
        let link = format!("/students/{name}\"");
        pages.iter().all(|page| page.contains(&link))
    };
    wait_until("the board", || is_on(&board(), "ada"));
    let pages = board().concat() + &place.read("staff/gradebook.csv");
    assert!(!pages.contains("adda"), "{pages}");
    assert_eq!(get(to, "/students/adda").status, 404);
    let status = || String::from_utf8(place.run(&["status"]).stdout).unwrap();
    let said = status();
    assert!(said.contains("not on the roster  adda"), "{said}");
    place.write(
        "gradebook.csv",
        format!("{GRADEBOOK}\"New, Ada\",75,1005,adda,CS 1,\r\n"),
    );
    wait_until("the stranger on the board", || is_on(&board(), "adda"));
    wait_until("the stranger in the grade book", || {
        place.read("staff/gradebook.csv").contains("\"adda\"")
    });
    assert!(!status().contains("not on the roster"));
    let said = daemon.stop().said.join("\n");
    let remark = "adda is not on the roster (did you mean ada?)";
    assert!(said.contains(remark), "{said}");
}
