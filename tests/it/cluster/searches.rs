//! Searches in idle time, whose runs are measured on other machines.

use super::server::Server;
use super::stage::{Worker, course, home, status};
use crate::place::{Place, shipped, wait_until};
use crate::programs;

/// A course without workers of its own that searches in idle time.
fn searching(url: &str, name: &str, settings: &str) -> Place {
    course(url, name)
        .with_problem("thegame")
        .with_searches(settings)
}

/// One of thegame's example submissions.
fn hand_in(place: &Place, student: &str, example: &str) {
    let text = shipped(&format!("problems/thegame/submissions/{example}"));
    place.write(&format!("submissions/{student}/thegame.c"), text);
}

#[test]
fn other_machines_search_until_any_course_has_something_to_judge() {
    let Some(server) = Server::start() else {
        return;
    };
    let searching = searching(&server.url(), "algo", "cpu_s = 5.0\nhacks_cpu_s = 3600");
    let busy = course(&server.url(), "data");
    hand_in(&searching, "ada", "wrong_answer/swapped_coordinates.c");
    let home = home();
    let worker = Worker::start(&server.url(), "lab-1", &home);
    let mut command = searching.command(&["serve"]);
    command.env("RUST_LOG", "verdictd::daemon::search=info");
    let daemon = Place::started(command);
    let other = busy.daemon();
    assert_eq!(searching.wait_for("ada/thegame/1"), "WA");
    let report = searching.path("reports/ada/thegame/1.txt");
    wait_until("the smallest input", || {
        let text = std::fs::read_to_string(&report).unwrap_or_default();
        text.contains("The smallest input found on which it fails: 3 cells")
    });
    // Now a search that does not end by itself.
    let begun = |times: usize| {
        wait_until("a search without an end", || {
            let said = daemon.said();
            let begun = said.iter().filter(|line| line.contains("search begins"));
            begun.count() >= times
        });
    };
    hand_in(&searching, "bo", "accepted/requeue.c");
    assert_eq!(searching.wait_for("bo/thegame/1"), "AC");
    begun(2);
    // The only place of the only worker is free at once for either course.
    busy.write("submissions/cy/sum.py", programs::PYTHON);
    assert_eq!(busy.wait_for("cy/sum/1"), "AC");
    searching.write("submissions/dee/sum.py", programs::PYTHON);
    assert_eq!(searching.wait_for("dee/sum/1"), "AC");
    let status = status(&searching, &[]);
    assert!(!status.contains("lost"), "{status}");
    assert_eq!(daemon.stop().code, Some(0));
    assert_eq!(other.stop().code, Some(0));
    for course in ["algo", "data"] {
        let mut orders = worker.events("done").into_iter();
        assert!(orders.any(|order| order["course"] == course), "{course}");
    }
    worker.signal("TERM");
    assert_eq!(worker.ended(), Some(0));
}
