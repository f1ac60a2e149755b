//! What people see of workers: who is there, what came of their orders, and why one is not used.

use serde_json::Value;

use super::server::Server;
use super::stage::{Start, course, home};
use crate::place::wait_until;
use crate::programs;

#[test]
fn people_see_who_measures_and_why_a_machine_does_not() {
    let Some(server) = Server::start("") else {
        return;
    };
    let place = course(&server.url(), "algo");
    let daemon = place.daemon();
    place.write("submissions/ada/sum.py", programs::PYTHON);
    let (good, other) = (home(), home());
    let config = other.read("config.toml");
    let differs = "[languages.c]\nbuild = [[\"gcc\", \"-o\", \"main\", \"{source}\"]]\n\
                   [languages.python3]\nenv = { OTHER = \"1\" }\n";
    other.write("config.toml", format!("{config}{differs}"));
    let start = |name, home: &crate::place::Place| {
        Start {
            url: &server.url(),
            name,
            home: &home.path(""),
            credentials: None,
            dies_at: None,
        }
        .start()
    };
    let _workers = [start("lab-1", &good), start("lab-2", &other)];
    assert_eq!(place.wait_for("ada/sum/1"), "AC");
    let machine = |name: &str| {
        let status = place.run(&["status", "--json"]).stdout;
        let status: Value = serde_json::from_slice(&status).unwrap();
        let machines = status["cluster"]["machines"].as_array();
        let machines = machines.into_iter().flatten();
        let mut machines = machines.filter(|machine| machine["name"] == name);
        machines.next().cloned().unwrap_or(Value::Null)
    };
    wait_until("`status --json` says what lab-1 has done", || {
        let machine = machine("lab-1");
        machine["state"] == "idle" && machine["done"].as_u64() > Some(0)
    });
    wait_until("`status --json` says why lab-2 is not used", || {
        let machine = machine("lab-2");
        let why_not = machine["why_not"].to_string();
        machine["state"] == "unused"
            && ["C17", "Python 3", "table in config.toml differs"]
                .iter()
                .all(|words| why_not.contains(words))
    });
    let shown = String::from_utf8(place.run(&["status"]).stdout).unwrap();
    for words in ["connected to", "`algo`", "lab-1", "lab-2  not used: "] {
        assert!(shown.contains(words), "{shown}");
    }
    let report = place.read("staff/ada/sum/1.json");
    let report: Value = serde_json::from_str(&report).unwrap();
    let machine = report["provenance"]["machine"].as_str().unwrap();
    assert!(machine.starts_with("lab-1"), "{machine}");
    let ended = daemon.stop();
    let said = format!("{:?}", ended.said);
    // It may join while the daemon is still looking at its own languages.
    let is_used = ["joined", "is used now"]
        .map(|how| format!("machine: lab-1 {how}: 1 place for c, python3"))
        .iter()
        .any(|words| said.contains(words));
    assert!(is_used, "{said}");
    assert!(
        said.contains("machine: lab-2 joined and is not used: "),
        "{said}"
    );
    assert!(!place.path("state/machines.json").exists());
}
