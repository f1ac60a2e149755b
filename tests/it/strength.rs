//! `verdictd strength`: which wrong programs and bent rules the tests of a problem miss.

use serde_json::Value;

use crate::place::Place;

/// A board of two cells, which hardly any wrong program fails on.
const EASY: &str = "2 1\n2 3\n0 0\n";

#[test]
fn tests_are_held_against_wrong_programs_and_bent_rules() {
    let place = Place::new();
    let package = "problems/curling";
    place.write(
        &format!("{package}/problem.toml"),
        "title = \"Curling <b>\"\nreference = \"curling\"\nio = \"stdio\"\n",
    );
    place.write(&format!("{package}/data/secret/easy.in"), EASY);
    let one = "print(1)\n";
    place.write(&format!("{package}/submissions/wrong_answer/one.py"), one);
    // Right on the only test, and as an accepted example it is attacked.
    place.write(
        &format!("{package}/submissions/accepted/one.py"),
        "print(1)  # one\n",
    );
    let none = "print(-1)\n";
    place.write(&format!("{package}/submissions/wrong_answer/none.py"), none);
    let page = place.path("page.html").display().to_string();
    let output = place.run(&["strength", "curling", "--json", "--html", &page]);
    assert_eq!(output.status.code(), Some(1), "something survives");
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    let list = |key: &str| object[key].as_array().unwrap().clone();
    let programs = list("programs");
    let killers = |name: &str| {
        let program = programs.iter().find(|one| one["name"] == name);
        program.unwrap()["killed_by"].clone()
    };
    assert_eq!(killers("wrong_answer/one.py"), serde_json::json!([]));
    let easy = serde_json::json!(["secret/easy"]);
    assert_eq!(killers("wrong_answer/none.py"), easy);
    assert!(list("survivors").contains(&"blocks-stay".into()));
    let hit = &object["hack_search"]["hits"][0];
    assert_eq!(
        (&hit["name"], &hit["verdict"]),
        (&"accepted/one.py".into(), &"WA".into())
    );
    // A test that is proposed does kill the survivor.
    let mutants = list("mutants");
    let mutant = mutants.iter().find(|one| one["name"] == "blocks-stay");
    place.write(
        &format!("{package}/data/secret/proposed.in"),
        mutant.unwrap()["missing"].as_str().unwrap(),
    );
    let output = place.run(&["strength", "curling", "--json"]);
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    let survivors = object["survivors"].as_array().unwrap();
    assert!(!survivors.contains(&"blocks-stay".into()), "{survivors:?}");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("<svg") && page.contains("blocks-stay"));
    assert!(!page.contains("Curling <b>"), "titles are escaped");
    assert!(page.contains("1 accepted example is broken by an input that was found."));
    // The only test kills something, and there is no heading above nothing.
    assert!(page.contains("Killed by one test only"));
    assert!(!page.contains("Redundant tests"));
}

/// Programs for `sum` with a limit of half a second.
fn with_programs(programs: &[(&str, &str)]) -> Place {
    let place = Place::new().only(&["python3"]);
    let settings = place.read("problems/sum/problem.toml");
    let settings = settings.replace("cpu_s = 1.0", "cpu_s = 0.5");
    place.write("problems/sum/problem.toml", settings);
    for (name, program) in programs {
        place.write(&format!("problems/sum/submissions/{name}"), program);
    }
    place
}

const RIGHT: &str = "a, b = map(int, input().split())\nprint(a + b)\n";

/// A program that is right after so much CPU time.
fn after(seconds: &str) -> String {
    format!("import time\nwhile time.process_time() < {seconds}:\n    pass\n{RIGHT}")
}

#[test]
fn tests_that_miss_nothing_end_well_and_the_times_are_shown() {
    let place = with_programs(&[
        ("accepted/right.py", RIGHT),
        ("wrong_answer/three.py", "print(3)\n"),
        ("time_limit_exceeded/endless.py", &after("99")),
        // What does not build is no survivor.
        ("rejected/typo.py", "print(\n"),
    ]);
    let output = place.run(&["strength", "sum"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    for words in [
        "Sum: 3 tests; they kill 2 of 2 wrong or slow programs.\n",
        "These kill nothing that the tests before them do not: ",
        "not tried  rejected/typo.py: it does not build",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let row = |name: &str| {
        let line = text
            .lines()
            .find(|line| line.trim_start().starts_with(name));
        line.unwrap_or_else(|| panic!("{name}: {text}")).to_owned()
    };
    assert!(row("accepted/right.py").contains("python3"));
    assert!(row("time_limit_exceeded/endless.py").contains("2.2"));
    for words in ["survives", "too near", "fault"] {
        assert!(!text.contains(words), "{words}: {text}");
    }
}

#[test]
fn programs_too_near_to_the_limit_are_in_the_summary() {
    let place = with_programs(&[
        ("accepted/careful.py", &after("0.3")),
        ("time_limit_exceeded/hasty.py", &after("0.6")),
    ]);
    let page = place.path("page.html").display().to_string();
    let output = place.run(&["strength", "sum", "--json", "--html", &page]);
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    // Every program that should fail does.
    assert_eq!(output.status.code(), Some(0), "{object:#}");
    // The programs watch their own CPU time: no machine is too fast for them. How much more they
    // take is the machine's affair.
    for (kind, name, least) in [
        ("intended", "accepted/careful.py", 0.6),
        ("slow", "time_limit_exceeded/hasty.py", 1.2),
    ] {
        let timed = &object[kind][0];
        assert_eq!(timed["name"], name, "{object:#}");
        assert_eq!(timed["is_fine"], false, "{object:#}");
        let share = timed["share"].as_f64().unwrap();
        assert!(share >= least, "{share}: {object:#}");
    }
    let page = std::fs::read_to_string(page).unwrap();
    for words in [
        "they kill 1 of 1 wrong or slow program. ",
        "1 slow program is too near to the limit",
        "1 intended solution is too near to the limit",
        "Both cannot hold with these tests",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
}

#[test]
fn a_fault_is_no_strength() {
    let place = with_programs(&[
        ("accepted/right.py", RIGHT),
        ("wrong_answer/three.script", "echo 3\n"),
    ]);
    // A compiler that fails on everything.
    let table = format!(
        "{}[languages.script]\nname = \"Script\"\nextensions = [\"script\"]\nsource = \"main.script\"\n\
         build = [[\"sh\", \"-c\", \"exit 1\"]]\nrun = [\"sh\", \"/app/{{source}}\"]\n\
         version = [\"sh\", \"-c\", \"echo 1\"]\ninstall = \"nothing\"\necho = \"cat\"\n",
        place.read("config.toml"),
    );
    place.write("config.toml", table);
    let output = place.run(&["strength", "sum", "--json"]);
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(3), "{object:#}");
    let faults = object["faults"].as_array().unwrap();
    assert_eq!(faults.len(), 1, "{object:#}");
    assert!(
        faults[0]
            .as_str()
            .unwrap()
            .starts_with("wrong_answer/three.script: ")
    );
    assert_eq!(object["untried"], serde_json::json!([]));
    assert_eq!(object["survivors"], serde_json::json!([]));
    let output = place.run(&["strength", "sum"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("1 program is not tried, because of a fault."),
        "{text}"
    );
}
