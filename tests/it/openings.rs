//! Problems that open later, and assignments that have closed, on the real binary.

use std::fs;

use crate::place::{Place, assert_has, wait_until};
use crate::programs::LUA;
use crate::web::client::{get, shows, watched};

/// A moment that never comes, and one that is long gone.
const LATER: &str = "2999-12-10 08:00";
const LONG_AGO: &str = "2020-01-01 08:00";

/// A course with the problems `sum`, which is open, and `quiz` and `oral`.
fn course() -> Place {
    let place = Place::new().only(&["lua"]).with_roster("ada,A,Ada\n");
    place.copy_sum("quiz");
    place.copy_sum("oral");
    opens_at(&place, LATER);
    place
}

fn opens_at(place: &Place, opens: &str) {
    let course = format!(
        "[[assignments]]\nname = \"week\"\npoints = {{ sum = 10 }}\n\
         [[assignments]]\nname = \"exam\"\nopens = \"{opens}\"\npoints = {{ quiz = 10 }}\n\
         [[assignments]]\nname = \"talk\"\nopens = \"{opens}\"\nearly = \"reject\"\npoints = {{ oral = 5 }}\n"
    );
    place.write("course.toml", course);
}

#[test]
fn a_problem_that_opens_later_is_neither_shown_nor_judged_before() {
    let place = course().with_dashboard("");
    for file in ["quiz", "oral", "sum", "qiuz"] {
        place.write(&format!("submissions/ada/{file}.lua"), LUA);
    }
    let links = place.says(0, "links --csv", &[]);
    let (daemon, to) = watched(&place);
    let link = links.lines().find(|line| line.contains("ada")).unwrap();
    let own = &link[link.find("/me/").unwrap()..].trim_matches(['"', ',']);
    let own = own.trim_end_matches('/');
    assert_eq!(place.wait_for("ada/sum/1"), "AC");
    let note = |file: &str| {
        let path = place.path(&format!("reports/ada/rejected/{file}.note.txt"));
        fs::read_to_string(path).unwrap_or_default()
    };
    let are_there = || !note("qiuz.lua").is_empty() && !note("oral.lua").is_empty();
    wait_until("the notes", are_there);
    let early = "nothing is accepted here before 2999-12-10 08:00";
    assert_has(&note("oral.lua"), &[early]);
    let home = format!("{own}/");
    shows(to, &home, "problem-sum");
    place.shows("staff/event-feed.ndjson", "judgements");
    for page in ["/", "/projector", "/students/ada", &home, "/metrics"] {
        let text = get(to, page).body;
        assert!(!text.contains("quiz"), "{page}: {text}");
    }
    for page in ["problems/quiz", "reports/quiz/1.html"] {
        assert_eq!(get(to, &format!("{own}/{page}")).status, 404, "{page}");
    }
    assert_eq!(get(to, "/problems/quiz").status, 404);
    for file in ["staff/event-feed.ndjson", "reports/ada/index.html"] {
        assert!(!place.read(file).contains("quiz"), "{file}");
    }
    assert!(!note("qiuz.lua").contains("quiz"), "{}", note("qiuz.lua"));
    let held = "quiz: 1 program waits until it opens at 2999-12-10 08:00 UTC";
    place.says(0, "status", &[held]);
    place.shows("staff/index.html", held);
    assert!(!place.verdicts().contains_key("ada/quiz/1"));
    place.says(0, "rejudge --dry-run --problem quiz", &["ada/quiz #1"]);

    // Nothing but the time has anything judged: it opens in a moment.
    let soon = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(2);
    opens_at(&place, &soon.strftime("%Y-%m-%d %H:%M:%S").to_string());
    assert_eq!(place.wait_for("ada/quiz/1"), "AC");
    assert_eq!(place.wait_for("ada/oral/1"), "AC");
    wait_until("the problem on the pages", || {
        let shown = ["/", "/projector", &home].map(|page| get(to, page).body.contains("quiz"));
        shown == [true; 3] && note("qiuz.lua").contains("did you mean quiz.lua?")
    });
    place.shows("staff/event-feed.ndjson", "\"problem_id\":\"quiz\"");
    wait_until("the points", || {
        let book = place.read("staff/gradebook.csv");
        book.lines().any(|line| line.ends_with("25,25"))
    });
    assert_eq!(daemon.stop().code, Some(0));
}

#[test]
fn what_comes_after_the_close_is_kept_and_judged_only_if_somebody_asks() {
    let place = course();
    let course = |closes: &str| {
        format!(
            "extensions = \"extensions.csv\"\n[[assignments]]\nname = \"week\"\n\
             due = \"{LONG_AGO}\"\ncloses = \"{closes}\"\npoints = {{ sum = 10 }}\n"
        )
    };
    let extensions = "student,assignment,due\n";
    place.write("course.toml", course(LONG_AGO));
    place.write("extensions.csv", extensions);
    for student in ["ada", "bo", "cy"] {
        place.write(&format!("submissions/{student}/sum.lua"), LUA);
    }
    assert!(place.serve_once().is_empty());
    let late = "sum: 3 programs came after it had closed and are not judged";
    place.says(0, "status", &[late]);
    place.says(0, "rejudge", &["rejudge --late"]);
    assert!(place.verdicts().is_empty());
    // Only what is asked for.
    place.says(0, "rejudge --late --student ada", &[]);
    let judged: Vec<String> = place.verdicts().into_keys().collect();
    assert_eq!(judged, ["ada/sum/1"]);
    // An extension moves the end for its student.
    let daemon = place.daemon();
    place.write("extensions.csv", format!("{extensions}bo,week,{LATER}\n"));
    assert_eq!(place.wait_for("bo/sum/1"), "AC");
    assert!(!place.verdicts().contains_key("cy/sum/1"));
    // As does another course.toml, for everybody.
    place.write("course.toml", course(LATER));
    assert_eq!(place.wait_for("cy/sum/1"), "AC");
    assert_eq!(daemon.stop().code, Some(0));
}
