//! `verdictd strength`: which wrong programs and mutants the tests of a problem miss.

use serde_json::json;

use crate::place::{Place, objects};
use crate::programs::PYTHON;

/// A board of two cells, which hardly any wrong program fails on.
const EASY: &str = "2 1\n2 3\n0 0\n";

#[test]
fn tests_are_held_against_wrong_programs_and_bent_rules() {
    let place = Place::new();
    let package = "problems/curling";
    let manifest = "title = \"Curling <b>\"\nreference = \"curling\"\nio = \"stdio\"\n";
    place.write(&format!("{package}/problem.toml"), manifest);
    place.write(&format!("{package}/data/secret/easy.in"), EASY);
    let one = "print(1)\n";
    place.write(&format!("{package}/submissions/wrong_answer/one.py"), one);
    // Right on the only test, and as an accepted example it is attacked.
    let source = format!("{package}/submissions/accepted/one.py");
    place.write(&source, "print(1)  # one\n");
    let none = "print(-1)\n";
    place.write(&format!("{package}/submissions/wrong_answer/none.py"), none);
    let output = place.run(&["strength", "curling", "--json"]);
    assert_eq!(output.status.code(), Some(1), "something survives");
    let object = objects(&output).remove(0);
    let list = |key: &str| object[key].as_array().unwrap().clone();
    let programs = list("programs");
    let killers = |name: &str| {
        let program = programs.iter().find(|one| one["name"] == name);
        program.unwrap()["killed_by"].clone()
    };
    assert_eq!(killers("wrong_answer/one.py"), json!([]));
    assert_eq!(killers("wrong_answer/none.py"), json!(["secret/easy"]));
    assert!(list("survivors").contains(&"blocks-stay".into()));
    assert_eq!(object["hack_search"]["hits"][0]["name"], "accepted/one.py");
    // A test that is proposed does kill the survivor.
    let mutants = list("mutants");
    let mutant = mutants.iter().find(|one| one["name"] == "blocks-stay");
    let file = format!("{package}/data/secret/proposed.in");
    place.write(&file, mutant.unwrap()["missing"].as_str().unwrap());
    let object = &place.objects("strength curling --json")[0];
    let survivors = object["survivors"].as_array().unwrap();
    assert!(!survivors.contains(&"blocks-stay".into()), "{survivors:?}");
}

#[test]
fn a_fault_is_no_strength() {
    let place = Place::new().only(&["python3"]);
    for (name, program) in [
        ("accepted/right.py", PYTHON),
        ("wrong_answer/three.script", "echo 3\n"),
    ] {
        place.write(&format!("problems/sum/submissions/{name}"), program);
    }
    // A compiler that fails on everything.
    place.configure(
        "[languages.script]\nname = \"Script\"\nextensions = [\"script\"]\nsource = \"main.script\"\n\
         build = [[\"sh\", \"-c\", \"exit 1\"]]\nrun = [\"sh\", \"/app/{source}\"]\n\
         version = [\"sh\", \"-c\", \"echo 1\"]\ninstall = \"nothing\"\necho = \"cat\"\n",
    );
    let words = "1 program is not tried, because of a fault.";
    place.says(3, "strength sum", &[words]);
    let object = &place.objects("strength sum --json")[0];
    let faults = object["faults"].as_array().unwrap();
    assert_eq!(faults.len(), 1, "{object:#}");
    let fault = faults[0].as_str().unwrap();
    assert!(fault.starts_with("wrong_answer/three.script: "), "{fault}");
    assert_eq!(object["untried"], json!([]));
    assert_eq!(object["survivors"], json!([]));
}
