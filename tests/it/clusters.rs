//! `verdictd clusters`: programs that fail in the same way.

use serde_json::Value;

use crate::place::Place;
use crate::reasons::changed;

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
    let output = place.run(&["clusters", "curling", "--json"]);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let groups: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let members = |group: &Value| -> Vec<String> {
        let members = group["members"].as_array().unwrap().iter();
        let student = |member: &Value| member["student"].as_str().unwrap().to_owned();
        let mut members: Vec<String> = members.map(student).collect();
        members.sort();
        members
    };
    let all: Vec<Vec<String>> = groups.iter().map(members).collect();
    assert_eq!(all, [vec!["bo", "dee", "eve"], vec!["ada", "cy"]], "{text}");
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
