//! The smaller commands: their exit codes and their output.

use serde_json::Value;

use crate::busy::pinned;
use crate::place::{Place, assert_has, output, said};
use crate::schemas::timing_follows;

#[test]
fn doctor_lists_protections_and_languages() {
    let object = &Place::new().only(&["python3"]).objects("doctor --json")[0];
    let of = |list: &str, key: &str, name: &str| {
        let mut items = object[list].as_array().unwrap().iter();
        items.find(|item| item[key] == name).unwrap()
    };
    assert_eq!(of("protections", "name", "network")["hold"], "on");
    let python = of("languages", "key", "python3");
    assert_eq!(python["offered"], true);
    assert_has(python["version"].as_str().unwrap(), &["Python 3"]);
    let switched_off = of("languages", "key", "perl");
    assert_eq!(switched_off["offered"], false);
    assert!(!switched_off["install"].as_str().unwrap().is_empty());
}

#[test]
fn doctor_measures_the_machine_and_says_which_times_to_trust() {
    let place = Place::new();
    let config = place.read("config.toml");
    place.write("config.toml", format!("[judge]\nworkers = 3\n{config}"));
    // Three workers on one core: more than any machine can measure side by side.
    let output = output(&mut pinned(
        &place.command(&["doctor", "--timing", "--json"]),
    ));
    said(&output, 0, &[]);
    timing_follows(&output);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    for (series, least) in [("alone", 3), ("loaded", 9)] {
        let figures = &found[series];
        assert!(figures["measurements"].as_u64() >= Some(least), "{found:#}");
        assert!(figures["p95_ms"].as_f64() >= figures["least_ms"].as_f64());
    }
    assert!(found["spread"].as_f64() >= Some(1.0), "{found:#}");
    assert_eq!(found["workers"], 3, "{found:#}");
    assert_eq!(found["recommended_workers"], 1, "{found:#}");
    assert_has(&found["advice"].to_string(), &["asks for 3 workers"]);
}
