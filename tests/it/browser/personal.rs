//! The page that a personal link leads to, in every look, and the page for a projector.

use serde_json::json;

use super::{Site, assert_good, driver, has_browser};
use crate::place::{Place, output, wait_until};
use crate::programs;
use crate::web::client::{addresses, get};

/// A screen of a lecture hall.
const PROJECTOR: (u32, u32) = (1920, 1080);
const STUDENTS: usize = 80;
const PROBLEMS: usize = 12;

#[test]
fn a_students_own_pages_are_good_in_every_look() {
    if !has_browser() {
        return;
    }
    let place = Place::new()
        .only(&["python3"])
        .with_problem("curling")
        .with_problem("regions")
        .with_dashboard("public = \"pseudonyms\"")
        .with_roster(
            "Maximiliane Wolfeschlegelsteinhausen,Wolfeschlegelsteinhausen,Maximiliane\nbo,,\n",
        );
    let student = "Maximiliane Wolfeschlegelsteinhausen";
    for (file, text) in [
        ("sum.py", programs::PYTHON),
        ("curling.py", "print(-1)\n"),
        ("a.exe", "x"),
    ] {
        place.write(&format!("submissions/{student}/{file}"), text);
    }
    place.write("submissions/bo/sum.py", programs::PYTHON);
    let daemon = place.daemon();
    let (to, _) = addresses(&daemon);
    let links = place.run(&["links"]);
    let links = String::from_utf8(links.stdout).unwrap();
    let link = links.lines().next().unwrap().split_once("/me/").unwrap().1;
    let home = format!("/me/{link}");
    for problem in ["sum", "curling"] {
        place.wait_for(&format!("{student}/{problem}/1"));
    }
    wait_until("the report", || {
        get(to, &format!("{home}reports/curling/1")).status == 200
    });
    let pages = [
        ("own", home.clone()),
        ("own-problem", format!("{home}problems/curling")),
        ("own-untried", format!("{home}problems/regions")),
        ("own-report", format!("{home}reports/curling/1")),
        ("pseudonyms-board", "/".to_owned()),
        ("pseudonyms-problem", "/problems/curling".to_owned()),
    ]
    .map(|(name, path)| (name.to_owned(), format!("http://{to}{path}")));
    let host = Some(to.to_string());
    let site = Site {
        host,
        ..Site::default()
    };
    assert_good(&pages, &site);
}

#[test]
fn a_whole_course_is_on_one_screen_of_a_projector() {
    if !has_browser() {
        return;
    }
    let place = Place::new().only(&["python3"]).with_dashboard("");
    for number in 1..PROBLEMS {
        for name in ["problem.toml", "data/secret/1.in", "data/secret/1.ans"] {
            let text = place.read(&format!("problems/sum/{name}"));
            place.write(&format!("problems/problem-number-{number}/{name}"), text);
        }
    }
    for number in 0..STUDENTS {
        let problem = match number % PROBLEMS {
            0 => "sum".to_owned(),
            number => format!("problem-number-{number}"),
        };
        let source = if number % 3 == 0 {
            "print(7)\n"
        } else {
            programs::PYTHON
        };
        let student = format!("{number} Wolfeschlegelsteinhausen, Maximiliane");
        place.write(&format!("submissions/{student}/{problem}.py"), source);
    }
    let daemon = place.daemon();
    let (to, _) = addresses(&daemon);
    wait_until("all verdicts", || {
        let page = get(to, "/projector").body;
        let count = |of: &str| page.matches(of).count();
        count("<td class=\"AC\">") + count("<td class=\"WA\">") == STUDENTS
    });
    let pages = [(
        "projector-80-12".to_owned(),
        format!("http://{to}/projector"),
    )];
    let host = Some(to.to_string());
    let screen = Some(PROJECTOR);
    let site = Site {
        host,
        screen,
        token: None,
    };
    assert_good(&pages, &site);
}

#[test]
fn an_own_page_and_a_projector_show_a_verdict_without_being_loaded_again() {
    if !has_browser() {
        return;
    }
    let place = Place::new()
        .only(&["python3"])
        .with_dashboard("")
        .with_roster("ada,,\nbo,,\n");
    let daemon = place.daemon();
    let (to, _) = addresses(&daemon);
    let links = place.run(&["links"]);
    let links = String::from_utf8(links.stdout).unwrap();
    let own = links.lines().next().unwrap().split_once("/me/").unwrap().1;
    let argument = place.path("fresh.json");
    let text = json!({
        "host": to.to_string(),
        "pages": [
            {"url": format!("http://{to}/me/{own}"), "selector": "td.AC", "text": "Accepted"},
            {"url": format!("http://{to}/projector"), "selector": "td.AC", "text": "Accepted"},
        ],
        "drop": {"file": place.path("submissions/ada/sum.py"), "text": programs::PYTHON},
    });
    std::fs::write(&argument, text.to_string()).unwrap();
    let output = output(&mut driver("fresh.mjs", &argument));
    assert!(
        output.status.success() && output.stdout.ends_with(b"done\n"),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
