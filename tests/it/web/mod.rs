//! The dashboard through the real binary: what it shows, to whom, and what it refuses.

pub mod client;
mod help;
mod personal;
mod refusals;
mod slow;
mod staff;

use std::collections::BTreeSet;
use std::net::{SocketAddr, TcpListener};

use scraper::{Html, Selector};

use crate::place::{Place, assert_has, wait_until};
use crate::programs;
use client::{Stream, addresses, get, watched};

/// The texts of what a selector finds on a page.
fn texts(page: &str, selector: &str) -> Vec<String> {
    Html::parse_document(page)
        .select(&Selector::parse(selector).unwrap())
        .map(|found| found.text().collect::<String>().trim().to_owned())
        .collect()
}

/// The values of an attribute on everything that a selector finds.
fn attributes(page: &str, selector: &str, name: &str) -> Vec<String> {
    Html::parse_document(page)
        .select(&Selector::parse(selector).unwrap())
        .filter_map(|found| found.attr(name).map(str::to_owned))
        .collect()
}

/// Waits until the board shows this many verdicts.
fn board_with(to: SocketAddr, verdicts: usize) -> String {
    let mut page = String::new();
    wait_until("the verdicts on the board", || {
        page = get(to, "/").body;
        texts(&page, "#latest tr").len() >= verdicts
    });
    page
}

#[test]
fn every_page_is_complete_without_scripts_and_shows_names_unchanged() {
    let place = Place::new().only(&["lua"]).with_dashboard("");
    let hostile = "<script>alert(1)<&\"' 学生";
    place.write(&format!("submissions/{hostile}/sum.lua"), programs::LUA);
    place.write("submissions/beta/sum.lua", "print(7)\n");
    let daemon = place.daemon();
    let (to, staff) = addresses(&daemon);
    assert_eq!(staff, None, "without a token there is no staff view");
    let page = board_with(to, 2);
    assert_eq!(attributes(&page, "script", "src"), ["/live.js"]);
    assert_eq!(texts(&page, "script").concat(), "");
    let rows = texts(&page, "#latest tr").join("\n");
    assert_has(&rows, &[hostile, "Accepted", "Wrong answer"]);
    let cells = texts(&page, ".matrix tbody td");
    assert_eq!(cells.len(), 2, "{cells:?}");
    assert!(texts(&page, "#now").concat().contains("Nobody waits"));
    // Each link leads to a page, and each report to its file as it is on disk.
    let mut links: BTreeSet<String> = attributes(&page, "main a", "href").into_iter().collect();
    // Two students and their reports, the problem, and the matrix alone.
    assert_eq!(links.len(), 2 + 2 + 1 + 1, "{links:?}");
    let student = links.iter().find(|link| link.starts_with("/students/%3C"));
    assert_eq!(texts(&get(to, student.unwrap()).body, "h1"), [hostile]);
    links.insert("/problems/sum".to_owned());
    let are_there = || links.iter().all(|link| get(to, link).status == 200);
    wait_until("the reports", are_there);
    let report = get(to, "/reports/beta/sum/1");
    assert_eq!(report.body, place.read("reports/beta/sum/1.html"));
    let policy = report.header("content-security-policy");
    assert_has(policy, &["sandbox"]);
    assert!(!policy.contains("script-src"), "{policy}");
    for (ending, kind) in [("txt", "text/plain"), ("json", "application/json")] {
        let file = get(to, &format!("/reports/beta/sum/1.{ending}"));
        assert!(file.header("content-type").starts_with(kind), "{file:?}");
        let expected = place.read(&format!("reports/beta/sum/1.{ending}"));
        assert_eq!(file.body, expected);
    }
    let problem = get(to, "/problems/sum").body;
    assert!(texts(&problem, ".tally").concat().contains("Accepted"));
}

#[test]
fn progress_is_told_while_a_program_runs() {
    let place = Place::new().only(&["lua"]).with_dashboard("");
    let (_daemon, to) = watched(&place);
    let mut stream = Stream::open(to, "/events", "");
    // It computes until its time limit.
    place.write("submissions/alpha/sum.lua", "while true do end\n");
    let mut runs = false;
    loop {
        stream.next_news();
        let page = get(to, "/").body;
        let now = texts(&page, "#now").concat();
        runs |= now.contains("alpha") && !texts(&page, "#now progress").is_empty();
        if texts(&page, "#latest")
            .concat()
            .contains("Time limit exceeded")
        {
            break;
        }
    }
    assert!(runs, "its bar was shown while it ran");
}

#[test]
fn a_port_in_use_stops_no_grading() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let place = Place::new().only(&["lua"]);
    let students = format!("students = \"{address}\"");
    let settings = format!("[web]\n{students}");
    place.edit("config.toml", "[web]\nenabled = false", &settings);
    let daemon = place.daemon();
    let words = [&address.to_string(), "students", "grading continues"];
    assert_has(&daemon.before.join("\n"), &words);
    place.write("submissions/alpha/sum.lua", programs::LUA);
    assert_eq!(place.wait_for("alpha/sum/1"), "AC");
}

#[test]
fn programs_read_metrics_and_health_and_a_shutdown_waits_for_no_listener() {
    let place = Place::new().only(&["lua"]).with_dashboard("");
    let (daemon, to) = watched(&place);
    place.write("submissions/alpha/sum.lua", programs::LUA);
    place.wait_for("alpha/sum/1");
    let figure = |name: &str| {
        let text = get(to, "/metrics").body;
        let found = text.lines().find_map(|line| line.strip_prefix(name));
        found.and_then(|rest| rest.trim().parse::<f64>().ok())
    };
    let is_counted = || figure("verdictd_verdicts{verdict=\"AC\"}") == Some(1.0);
    wait_until("the verdict in the figures", is_counted);
    assert_eq!(figure("verdictd_submissions_received "), Some(1.0));
    assert_eq!(figure("verdictd_listeners "), Some(0.0));
    let mut stream = Stream::open(to, "/events", "");
    assert_eq!(figure("verdictd_listeners "), Some(1.0));
    let health = get(to, "/healthz");
    assert_eq!((health.status, health.body.as_str()), (200, "ok\n"));
    let mut streams: Vec<Stream> = (0..20).map(|_| Stream::open(to, "/events", "")).collect();
    let half = client::connect(to);
    let ended = daemon.stop();
    assert_eq!(ended.code, Some(0), "{:?}", ended.said);
    for stream in streams.iter_mut().chain([&mut stream]) {
        while stream.next().is_some() {}
    }
    drop(half);
    let holds = !place.path("state/verdictd.db-wal").exists();
    assert!(holds, "the store is closed");
}
