//! `verdictd clusters`: programs that fail in the same way.

use serde_json::Value;

use crate::place::Place;
use crate::reasons::changed;

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
    let place = Place::new().only(&["lua"]).with_problem("curling");
    let one_more = "table.concat(each(function(i) return w[i] + 1 end), '\\n'), '\\n'";
    let never = "(t:gsub('-1', '0'))";
    for (student, words) in [
        ("ada", never),
        ("bo", one_more),
        ("cy", never),
        ("dee", one_more),
        ("eve", one_more),
        ("zoe", "t"),
    ] {
        let program = changed("curling/submissions/accepted/dfs.lua", words);
        let name = format!("submissions/{student}/curling.lua");
        place.write(&name, format!("{program}\n-- {student}\n"));
    }
    place.serve_once();
    let groups = place.objects("clusters curling --json");
    let expected = [vec!["bo", "dee", "eve"], vec!["ada", "cy"]];
    assert_eq!(members(&groups), expected, "{groups:#?}");
    // One more is wrong on the smallest board that there is, and there the others are right.
    assert_eq!(groups[0]["fails_on"], groups[0]["differs_from_next_on"]);
    assert!(groups[1]["differs_from_next_on"].is_null());
    for (group, expected, printed) in [(0, "1\n", "2\n"), (1, "-1\n", "0\n")] {
        assert_eq!(groups[group]["fails_on"]["expected"], expected);
        assert_eq!(groups[group]["fails_on"]["printed"], printed);
    }
    let shown = ["Group 1: 3 programs: bo #1 (WA)|Group 2: 2 programs|Expected:"];
    place.says(0, "clusters curling", &shown);
    place.says(2, "clusters curlin", &["curling"]);
}

#[test]
fn other_ends_long_inputs_and_faults_are_grouped_and_told() {
    let place = Place::new().only(&["lua"]);
    place.says(0, "clusters sum", &["no daemon has run here yet"]);
    place.limit_cpu("sum", "0.3");
    let long = format!("1 2{}\n", " ".repeat(10_000));
    place.write("problems/sum/data/sample/1.in", &long);
    for (student, program) in [
        ("ada", "while true do end\n"),
        ("bo", "error('no')\n"),
        ("cy", "print(3)\nerror('no')\n"),
        ("dee", "while true do local x = 1 end\n"),
        ("eve", "os.exit(7)\n"),
    ] {
        place.write(&format!("submissions/{student}/sum.lua"), program);
    }
    place.serve_once();
    let groups = place.objects("clusters sum --json");
    let expected = [vec!["bo", "cy", "eve"], vec!["ada", "dee"]];
    assert_eq!(members(&groups), expected, "{groups:#?}");
    for (group, verdict) in groups.iter().zip(["RE", "TLE"]) {
        assert_eq!(group["members"][0]["verdict"], verdict);
        assert_eq!(group["fails_on"]["test"], "sample/1");
        // Whole for programs, and cut for people.
        assert_eq!(group["fails_on"]["input"], long.as_str());
    }
    let shown = ["on which they fail (sample/1):", "    …\n"];
    let text = place.says(0, "clusters sum", &shown);
    assert!(text.len() < 16_000, "{text}");
    let place = place.only(&[]);
    place.says(3, "clusters sum", &["not judged  ada #1: "]);
    let fault = &place.objects("clusters sum --json")[0];
    let whose = (&fault["student"], &fault["attempt"]);
    assert_eq!(whose, (&"ada".into(), &1.into()));
    assert!(fault["fault"].is_string(), "{fault}");
}
