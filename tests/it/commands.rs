//! The smaller commands: their exit codes and their output.

use serde_json::Value;

use crate::busy::pinned;
use crate::place::{Place, assert_has, output, said};
use crate::schemas::timing_follows;

#[test]
fn inputs_of_built_in_problems_are_generated_validated_and_solved() {
    let place = Place::new();
    for problem in ["curling", "thegame", "regions"] {
        let families = place.says(0, &format!("generate {problem} --list"), &[]);
        // The problems' own tests generate and solve every family; this is about the commands.
        let family = families.split_whitespace().next().unwrap();
        let generate = format!("generate {problem} --family {family} --seed 7");
        let made = place.says(0, &generate, &[]);
        assert_eq!(made, place.says(0, &generate, &[]), "{family} is stable");
        place.write("made.in", &made);
        let valid = format!("validate {problem} made.in");
        place.says(0, &valid, &["made.in: valid\n"]);
        let solve = format!("solve {problem} --witness --check made.in");
        place.says(0, &solve, &["the second algorithm agrees"]);
    }
    place.write("good.in", "2 1\n3 2\n0 0\n");
    place.write("crlf.in", "2 1\r\n2 3  \r\n0 0");
    place.write("bad.in", "2 1\n2 X\n0 0\n");
    for (line, code, words) in [
        ("validate curling crlf.in", 0, "valid after normalising: "),
        ("validate curling bad.in", 1, "bad.in:2:3: refused: "),
        ("validate curling missing.in", 2, "missing.in"),
        ("solve curling --witness good.in", 0, "1 throw"),
        ("solve curling bad.in", 1, "bad.in:2:"),
    ] {
        place.says(code, line, &[words]);
    }
    let object = &place.objects("validate curling --json bad.in")[0];
    assert_eq!((&object["line"], &object["column"]), (&2.into(), &3.into()));
}

#[test]
fn doctor_lists_protections_and_languages() {
    let place = Place::new().only(&["python3"]);
    let object = &place.objects("doctor --json")[0];
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
    let place = place.with_dashboard("url = \"https://grader.example\"");
    let told = [
        "TO FIX IT",
        "Anyone who opens https://grader.example can read the names and verdicts of all students",
        "reports are read at personal links alone",
        "There are no staff pages",
    ];
    let output = place.run(&["doctor"]);
    said(&output, 0, &told);
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
    let advice = found["advice"].to_string();
    assert_has(&advice, &["asks for 3 workers"]);

    place.write("config.toml", config);
    let parts = [
        "what to trust",
        "is measured again",
        "recommended workers = ",
    ];
    let words = place.says(0, "doctor --timing", &parts);
    assert!(!words.contains("config.toml asks for"), "{words}");
}
