//! The page that a personal link leads to, in every look, and the page for a projector.

use serde_json::json;

use super::{assert_good, drive, has_browser};
use crate::place::{Place, wait_until};
use crate::programs;
use crate::web::client::{get, watched};

/// A screen of a lecture hall.
const PROJECTOR: (u32, u32) = (1920, 1080);
const STUDENTS: usize = 80;
const PROBLEMS: usize = 12;

#[test]
fn a_students_own_pages_show_a_verdict_at_once_and_are_good_in_every_look() {
    if !has_browser() {
        return;
    }
    let student = "Maximiliane Wolfeschlegelsteinhausen";
    let place = Place::new()
        .only(&["python3"])
        .with_problem("curling")
        .with_problem("regions")
        .with_dashboard("public = \"pseudonyms\"")
        .with_roster(&format!(
            "{student},Wolfeschlegelsteinhausen,Maximiliane\nbo,,\n"
        ));
    let (_daemon, to) = watched(&place);
    let links = place.run(&["links"]);
    let links = String::from_utf8(links.stdout).unwrap();
    let link = links.lines().next().unwrap().split_once("/me/").unwrap().1;
    let home = format!("/me/{link}");
    let shows = |path: &str| json!({"url": format!("http://{to}{path}"), "selector": "td.AC", "text": "Accepted"});
    let argument = json!({
        "host": to.to_string(),
        "pages": [shows(&home), shows("/projector")],
        "drop": {
            "file": place.path(&format!("submissions/{student}/sum.py")),
            "text": programs::PYTHON,
        },
    });
    let told = drive("fresh.mjs", &argument);
    assert!(told.ends_with("done\n"), "{told}");

    for (file, text) in [("curling.py", "print(-1)\n"), ("a.exe", "x")] {
        place.write(&format!("submissions/{student}/{file}"), text);
    }
    place.write("submissions/bo/sum.py", programs::PYTHON);
    place.wait_for(&format!("{student}/curling/1"));
    let is_there = || get(to, &format!("{home}reports/curling/1")).status == 200;
    wait_until("the report", is_there);
    let pages = [
        ("own", home.as_str()),
        ("own-problem", &format!("{home}problems/curling")),
        ("own-untried", &format!("{home}problems/regions")),
        ("pseudonyms-board", "/"),
        ("pseudonyms-problem", "/problems/curling"),
    ];
    assert_good(to, &pages, json!({}));
}

#[test]
fn a_whole_course_is_on_one_screen_of_a_projector() {
    if !has_browser() {
        return;
    }
    let place = Place::new().only(&["python3"]).with_dashboard("");
    for number in 1..PROBLEMS {
        place.copy_sum(&format!("problem-number-{number}"));
    }
    for number in 0..STUDENTS {
        let problem = match number % PROBLEMS {
            0 => "sum".to_owned(),
            number => format!("problem-number-{number}"),
        };
        let source = ["print(7)\n", programs::PYTHON][usize::from(number % 3 != 0)];
        let student = format!("{number} Wolfeschlegelsteinhausen, Maximiliane");
        place.write(&format!("submissions/{student}/{problem}.py"), source);
    }
    let (_daemon, to) = watched(&place);
    wait_until("all verdicts", || {
        let page = get(to, "/projector").body;
        let count = |of: &str| page.matches(of).count();
        count("<td class=\"AC\">") + count("<td class=\"WA\">") == STUDENTS
    });
    let (width, height) = PROJECTOR;
    let site = json!({"screen": {"width": width, "height": height}});
    assert_good(to, &[("projector-80-12", "/projector")], site);
}
