//! What people see of workers: who is there, what came of their orders, and why one is not used.

use serde_json::Value;

use super::proxy::Proxy;
use super::server::Server;
use super::stage::{self, Worker, course, home};
use crate::place::{Place, assert_has, wait_until};
use crate::programs;
use crate::web::client::{get, watched};

fn status(place: &Place) -> Value {
    serde_json::from_str(&stage::status(place, &["--json"])).unwrap()
}

fn machine(place: &Place, name: &str) -> Value {
    let machines = status(place)["cluster"]["machines"].take();
    let mut machines = machines.as_array().into_iter().flatten();
    let machine = machines.find(|machine| machine["name"] == name);
    machine.cloned().unwrap_or(Value::Null)
}

/// Both workers joined, and one of them is used.
fn assert_joined(said: &str) {
    // It may join while the daemon is still looking at its own languages.
    let is_used = ["joined", "is used now"]
        .map(|how| format!("machine: lab-1 {how}: 1 place for c, python3"))
        .iter()
        .any(|words| said.contains(words));
    assert!(is_used, "{said}");
    assert_has(said, &["machine: lab-2 joined and is not used: "]);
}

#[test]
fn people_see_who_measures_and_why_a_machine_does_not() {
    let Some(server) = Server::new() else { return };
    let place = course(&server.url(), "algo").with_dashboard("");
    let (daemon, to) = watched(&place);
    assert_eq!(get(to, "/healthz").status, 200);
    place.write("submissions/ada/sum.py", programs::PYTHON);
    wait_until("`status` says that nobody can measure", || {
        let trouble = status(&place)["trouble"].to_string();
        trouble.contains("none is there")
    });
    wait_until("no good health", || get(to, "/healthz").status == 503);
    let machine = |name| machine(&place, name);

    let (proxy, boastful) = (Proxy::to(server.port()), home());
    proxy.change(|state| state.boasts = true);
    let boaster = Worker::start(&proxy.url(), "lab-0", &boastful);
    let is_refused = || {
        let machine = machine("lab-0");
        machine["state"] == "unused" && machine["why_not"].to_string().contains("it says: a piece")
    };
    wait_until("its word that it is slower than it says", is_refused);

    let (good, other) = (home(), home());
    let config = other.read("config.toml");
    let differs = "[languages.c]\nbuild = [[\"gcc\", \"-o\", \"main\", \"{source}\"]]\n\
                   [languages.python3]\nenv = { OTHER = \"1\" }\n";
    other.write("config.toml", format!("{config}{differs}"));
    let start = |name, home| Worker::start(&server.url(), name, home);
    let _workers = [start("lab-1", &good), start("lab-2", &other)];
    assert_eq!(place.wait_for("ada/sum/1"), "AC");
    wait_until("good health", || get(to, "/healthz").status == 200);
    assert_eq!(status(&place)["trouble"].to_string(), "[]");
    wait_until("`status --json` says what lab-1 has done", || {
        let machine = machine("lab-1");
        machine["state"] == "idle" && machine["done"].as_u64() > Some(0)
    });
    wait_until("`status --json` says why lab-2 is not used", || {
        let machine = machine("lab-2");
        let why_not = machine["why_not"].to_string();
        let mut all = "C17|Python 3|table in config.toml differs".split('|');
        machine["state"] == "unused" && all.all(|words| why_not.contains(words))
    });
    let told = "connected to|`algo`|lab-0  not used: it is not as fast as it says|lab-1|\
        lab-2  not used: ";
    assert_has(&stage::status(&place, &[]), &[told]);
    let report = place.json("staff/ada/sum/1.json");
    let machine = report["provenance"]["machine"].as_str().unwrap();
    assert!(machine.starts_with("lab-1"), "{machine}");
    assert!(is_refused() && boaster.done() == 0);
    let said = format!("{:?}", daemon.stop().said);
    assert_joined(&said);
    assert!(!place.path("state/machines.json").exists());
}

#[test]
fn languages_that_were_tried_and_have_not_changed_are_believed() {
    let Some(server) = Server::new() else { return };
    let (place, home) = (course(&server.url(), "algo"), home());
    let _daemon = place.daemon();
    let start = || Worker::start(&server.url(), "lab-1", &home);
    let mut worker = start();
    let is_ready = || !worker.events("ready").is_empty();
    wait_until("a worker that is ready", is_ready);
    worker.kill();
    // Nobody would find this out by trying.
    let kept = home.read("cache/languages.json");
    let other = kept.replace("Python 3", "Monty 3");
    assert_ne!(kept, other);
    home.write("cache/languages.json", other);
    let mut worker = start();
    wait_until("what was kept", || {
        let mut reasons = worker.events("why-not").into_iter();
        reasons.any(|note| note.to_string().contains("Monty 3"))
    });
    worker.kill();
    // What it was tried with is not what there is now.
    let config = home.read("config.toml");
    home.write("config.toml", config + "[build]\ncpu_s = 61.0\n");
    let worker = start();
    wait_until("what there is", || {
        !worker.events("ready").is_empty() && !home.read("cache/languages.json").contains("Monty 3")
    });
}
