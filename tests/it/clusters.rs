//! `verdictd clusters`: programs that fail in the same way.

use serde_json::Value;

use crate::place::{Place, wait_until};
use crate::reasons::changed;

/// What `clusters --json` prints.
fn objects(place: &Place, slug: &str) -> Vec<Value> {
    let output = place.run(&["clusters", slug, "--json"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

/// The members of each group.
fn members(groups: &[Value]) -> Vec<Vec<String>> {
    let of_group = |group: &Value| {
        let members = group["members"].as_array().unwrap().iter();
        let student = |member: &Value| member["student"].as_str().unwrap().to_owned();
        let mut members: Vec<String> = members.map(student).collect();
        members.sort();
        members
    };
    groups.iter().map(of_group).collect()
}

#[test]
fn programs_with_the_same_wrong_answers_are_one_group() {
    let place = Place::new().with_problem("curling");
    let right = "curling/submissions/accepted/dfs.py";
    let one_more = "'\\n'.join(str(int(x) + 1) for x in w) + '\\n'";
    let never = "'\\n'.join('0' if x == '-1' else x for x in w) + '\\n'";
    for (student, words) in [
        ("ada", never),
        ("bo", one_more),
        ("cy", never),
        ("dee", one_more),
        ("eve", one_more),
        ("zoe", "t"),
    ] {
        let program = format!("{}\n# {student}\n", changed(right, words));
        place.write(&format!("submissions/{student}/curling.py"), program);
    }
    place.serve_once();
    let groups = objects(&place, "curling");
    assert_eq!(
        members(&groups),
        [vec!["bo", "dee", "eve"], vec!["ada", "cy"]],
        "{groups:#?}"
    );
    // One more is wrong on the smallest board that there is, and there the others are right.
    assert_eq!(groups[0]["fails_on"], groups[0]["differs_from_next_on"]);
    assert_eq!(groups[0]["fails_on"]["expected"], "1\n");
    assert_eq!(groups[0]["fails_on"]["printed"], "2\n");
    assert_eq!(groups[1]["fails_on"]["expected"], "-1\n");
    assert_eq!(groups[1]["fails_on"]["printed"], "0\n");
    assert!(groups[1]["differs_from_next_on"].is_null());

    let output = place.run(&["clusters", "curling"]);
    let text = String::from_utf8(output.stdout).unwrap();
    for words in [
        "Group 1: 3 programs: bo #1 (WA)",
        "Group 2: 2 programs",
        "Expected:",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let output = place.run(&["clusters", "curlin"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("curling"), "{text}");
}

#[test]
fn layout_that_does_not_count_and_numbers_of_cases_make_no_group() {
    let place = Place::new().only(&["python3"]).with_problem("thegame");
    let tenfold = "t.replace(' segments', '0 segments')";
    for (student, words) in [
        ("ada", tenfold.to_owned()),
        ("bo", format!("{tenfold}.replace('\\n', '  \\n')")),
        ("cy", format!("{tenfold}.rstrip()")),
        // Right on every board alone.
        ("dee", "__import__('re').sub('#[0-9]+', '#1', t)".to_owned()),
    ] {
        let program = changed("thegame/submissions/accepted/slides.py", &words);
        place.write(&format!("submissions/{student}/thegame.py"), program);
    }
    let verdicts = place.serve_once();
    assert!(
        verdicts.values().all(|verdict| verdict == "WA"),
        "{verdicts:?}"
    );
    let groups = objects(&place, "thegame");
    assert_eq!(
        members(&groups),
        [vec!["ada", "bo", "cy"], vec!["dee"]],
        "{groups:#?}"
    );
    let text = |group: usize, what: &str| groups[group]["fails_on"][what].as_str().unwrap();
    assert!(text(0, "printed").starts_with("Board #1:"), "{groups:#?}");
    assert!(text(0, "expected").starts_with("Board #1:"), "{groups:#?}");
    assert!(text(1, "expected").contains("Board #2:"), "{groups:#?}");
}

#[test]
fn what_idle_searches_have_found_stands_for_a_group() {
    let place = Place::new()
        .only(&["python3"])
        .with_problem("curling")
        .with_searches("cpu_s = 3.0\nhacks_cpu_s = 0");
    // Right on all small boards: seven throws take more room.
    let six_at_most = "'\\n'.join('6' if int(x) > 6 else x for x in w) + '\\n'";
    let program = changed("curling/submissions/accepted/dfs.py", six_at_most);
    place.write("submissions/ada/curling.py", program);
    let daemon = place.daemon();
    let mut found = Value::Null;
    wait_until("an explanation", || {
        let report = place.read("reports/ada/curling/1.json");
        let report: Value = serde_json::from_str(&report).unwrap();
        found = report["explanation"]["counterexample"].clone();
        found.is_object()
    });
    daemon.stop();
    let groups = objects(&place, "curling");
    assert_eq!(groups[0]["fails_on"]["input"], found["input"], "{found:#}");
    assert_eq!(groups[0]["fails_on"]["printed"], "6\n", "{found:#}");
}

#[test]
fn programs_that_do_not_come_to_their_end_are_grouped_by_how() {
    let place = Place::new().only(&["python3"]);
    let settings = place.read("problems/sum/problem.toml");
    let settings = settings.replace("cpu_s = 1.0", "cpu_s = 0.3");
    place.write("problems/sum/problem.toml", settings);
    for (student, program) in [
        ("ada", "while True:\n    pass\n"),
        ("bo", "1 / 0\n"),
        ("cy", "print(3)\n1 / 0\n"),
        ("dee", "while True:\n    1\n"),
        ("eve", "raise SystemExit(7)\n"),
    ] {
        place.write(&format!("submissions/{student}/sum.py"), program);
    }
    place.serve_once();
    let groups = objects(&place, "sum");
    assert_eq!(
        members(&groups),
        [vec!["bo", "cy", "eve"], vec!["ada", "dee"]],
        "{groups:#?}"
    );
    for (group, verdict) in groups.iter().zip(["RE", "TLE"]) {
        assert_eq!(group["members"][0]["verdict"], verdict);
        assert_eq!(group["fails_on"]["test"], "sample/1");
        assert_eq!(group["fails_on"]["input"], "1 2\n");
    }
    let output = place.run(&["clusters", "sum"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("on which they fail (sample/1):"), "{text}");
}

#[test]
fn long_inputs_are_whole_for_programs_and_cut_for_people() {
    let place = Place::new().only(&["python3"]);
    let long = format!("1 2{}\n", " ".repeat(10_000));
    place.write("problems/sum/data/sample/1.in", &long);
    place.write("submissions/ada/sum.py", "print(7)\n");
    place.serve_once();
    let groups = objects(&place, "sum");
    assert_eq!(groups[0]["fails_on"]["input"], long.as_str());
    let output = place.run(&["clusters", "sum"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.len() < 8_000 && text.contains("    …\n"), "{text}");
}

#[test]
fn what_cannot_be_grouped_has_its_exit_code() {
    let place = Place::new().only(&["python3"]);
    let output = place.run(&["clusters", "sum"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("no daemon has run here yet"), "{said}");
    place.write("submissions/ada/sum.py", "print(7)\n");
    place.serve_once();

    let settings = place.read("problems/sum/problem.toml");
    place.write("problems/sum/problem.toml", "title = 7\n");
    assert_eq!(place.run(&["clusters", "sum"]).status.code(), Some(2));
    place.write("problems/sum/problem.toml", settings);

    let place = place.only(&[]);
    let output = place.run(&["clusters", "sum", "--json"]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let fault: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&fault["student"], &fault["attempt"]),
        (&"ada".into(), &1.into())
    );
    assert!(fault["fault"].is_string(), "{fault}");
    let output = place.run(&["clusters", "sum"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("not judged  ada #1: "), "{text}");
}
