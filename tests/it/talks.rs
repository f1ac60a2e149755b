//! Interactive and multi-pass problems: who is judged by what, and what reports show of a talk.

use serde_json::Value;

use crate::package_programs::judge;
use crate::place::{Place, assert_has, flat, shipped, wait_until};
use crate::store::count;

/// A program of a package.
fn source(name: &str) -> String {
    shipped(&format!("tests/packages/{name}"))
}

/// Programs that talk, and what becomes of them.
#[rustfmt::skip]
const TALKS: [(&str, &str, &str, &str); 9] = [
    ("flood", "import os\nwhile True: os.write(1, b'1\\n' * 10000)\n", "WA", "The interactor ended first: it had refused"),
    ("never_reads", "import os\nos.close(0)\nfor _ in range(9): os.write(1, b'1\\n')\n", "WA", "The program ended first, and the interactor refused"),
    ("half", "input()\nprint(5, end='', flush=True)\ninput()\n", "TLE", "Both waited for each other"),
    ("early", "input()\n", "WA", "The program ended first, and the interactor refused"),
    ("crash", "input()\nprint(2, flush=True)\nraise SystemExit(7)\n", "RE", "The program ended with exit code 7, before the interactor"),
    ("told", "input()\nwhile True:\n    print(2, flush=True)\n    assert input() != 'wrong'\n", "WA", "what the program said. What the program did after that"),
    ("fork", "import os, time\nif os.fork() == 0: time.sleep(100)\ninput()\nos.write(1, b'x\\n')\nos._exit(0)\n", "WA", "refused"),
    ("output", "import os\ninput()\nos.write(1, b' ' * (1 << 25))\n", "OLE", "it printed too much"),
    ("after", "", "RE", "The program ended with exit code 3, before the interactor"),
];

#[test]
fn programs_talk_with_the_one_of_the_problem_and_reports_show_what_was_said() {
    let place = Place::new().only(&["python3"]).with_package("guessing");
    let right = source("guessing/submissions/accepted/halves.py");
    place.write("submissions/ada/guessing.py", &right);
    for (student, program, ..) in TALKS {
        place.write(&format!("submissions/{student}/guessing.py"), program);
    }
    let after = source("guessing/submissions/run_time_error/fails_after_all.py");
    place.write("submissions/after/guessing.py", after);
    let verdicts = place.serve_once();
    assert_eq!(verdicts["ada/guessing/1"], "AC", "{verdicts:?}");
    for (student, _, verdict, words) in TALKS {
        let found = &verdicts[&format!("{student}/guessing/1")];
        assert_eq!(found, verdict, "{student}: {verdicts:?}");
        // The sample is shown to everybody.
        let text = flat(&place.read(&format!("reports/{student}/guessing/1.txt")));
        assert_has(&text, &[words]);
    }
    // Measured again, each is worth the same.
    for student in ["ada", "told"] {
        let replay = &place.objects(&format!("replay {student}/guessing --json"))[0];
        assert_eq!(replay["agree"], true, "{replay:#}");
        assert_eq!(replay["tests"][0]["agrees"], true, "{replay:#}");
    }
    let told = |file: &str| place.read(&file.replace('*', "told/guessing"));
    let text = told("reports/*/1.txt");
    assert_has(&text, &["  < 10\n  > 2\n  < higher\n  > 2\n|  < wrong\n"]);
    assert!(!text.contains("For the judges"), "{text}");
    assert_has(&told("staff/*/1.txt"), &["too many guesses"]);
    let turn = "<span class=\"unseen\">&gt; </span>2</p>";
    assert_has(&told("reports/*/1.html"), &[turn, "</span>higher</p>"]);
    // One conversation is one run. Nothing is run again for what was said, but it is for another
    // answer, which the problem's program may have looked at.
    let runs = count(&place, "runs");
    place.serve_once();
    assert_eq!(count(&place, "runs"), runs);
    place.write("problems/guessing/data/secret/1.ans", "1\n");
    assert_eq!(place.serve_once()["ada/guessing/1"], "AC");
    assert!(count(&place, "runs") > runs);
}

#[test]
fn a_program_of_the_problem_that_fails_in_a_talk_is_nobodys_verdict() {
    let place = Place::new().only(&["python3"]).with_package("guessing");
    let right = source("guessing/submissions/accepted/halves.py");
    let wrong = "input()\nprint(-1, flush=True)\ninput()\n";
    for (student, program) in [("ada", &*right), ("bob", wrong)] {
        place.write(&format!("submissions/{student}/guessing.py"), program);
    }
    let words = [
        "output_validators/play.py of guessing on sample/1",
        "exit code 3 in place of 42 for right and 43 for wrong",
    ];
    let daemon = place.daemon();
    assert_eq!(place.wait_for("ada/guessing/1"), "AC");
    wait_until("the fault to be told", || {
        let status = place.status().to_string();
        words.iter().all(|words| status.contains(words))
    });
    assert_eq!(daemon.stop().code, Some(0));
    assert!(!place.verdicts().contains_key("bob/guessing/1"));
    let object = judge(&place, "guessing", wrong);
    assert_has(object["fault"].as_str().unwrap(), &words);
    // A hack needs an answer, for nobody can give one.
    place.write("evil.in", "9 9\n");
    let none = "no answer is stored, and none can be made";
    place.says(1, "hack add guessing evil.in", &[none]);
    place.write("evil.ans", "");
    place.edit(
        "problems/guessing/output_validators/play.py",
        "turns = 0\n",
        "turns = 0\nif 'nobody' in open(sys.argv[2]).read():\n    end(43, 'nobody is right')\n",
    );
    place.says(0, "hack add guessing evil.in --answer evil.ans", &["added"]);
    // One program is not judged for the fault above.
    place.run(&["serve", "--once"]);
    let hack = |place: &Place| judge(place, "guessing", &right)["tests"][4]["name"].clone();
    assert_eq!(hack(&place), "hack/evil");
    // Who vouches for it has been told the answer: with another one they are asked again.
    place.write("problems/guessing/hacks/evil.ans", "nobody\n");
    place.run(&["serve", "--once"]);
    assert_eq!(hack(&place), Value::Null);
}

#[test]
fn a_program_is_run_once_a_pass_and_what_was_asked_for_is_its_next_input() {
    let place = both_packages();
    place.says(0, "check hiding guessing", &["in up to 2 passes"]);
    let forgets = source("hiding/submissions/wrong_answer/forgets.py").replace('5', "6");
    let object = judge(&place, "hiding", &forgets);
    let said = &object["tests"][0]["checker"];
    assert_eq!(said, "another number", "{object:#}");
    place.write("submissions/ada/hiding.py", forgets);
    place.serve_once();
    let text = place.read("reports/ada/hiding/1.txt");
    let told = ["  -- pass 1\n  < hide 5\n  > x\n  -- pass 2\n  < find x\n  > 6\n|In pass 2:"];
    assert_has(&text, &told);
    // It asks for a third pass.
    let validator = "problems/hiding/output_validator/judge.py";
    place.edit(validator, "sys.exit(42 if right else 43)", "sys.exit(42)");
    let endless = "print('forever' if input().startswith('hide') else 5)\n";
    let object = judge(&place, "hiding", endless);
    let words = ["it asks for more than the 2 passes there may be"];
    assert_has(object["fault"].as_str().unwrap(), &words);
}

fn both_packages() -> Place {
    let place = Place::new().only(&["python3"]);
    place.with_package("hiding").with_package("guessing")
}

#[test]
fn a_problem_toml_names_an_interactor_and_passes() {
    let place = both_packages();
    let toml = "title = \"Guess\"\ninteractor = \"output_validators/play.py\"\n";
    place.write("problems/guessing/problem.toml", toml);
    let toml = "title = \"Hide\"\nchecker = \"output_validator/judge.py\"\npasses = 2\n";
    place.write("problems/hiding/problem.toml", toml);
    for (program, verdict) in [
        ("guessing/submissions/accepted/halves.py", "AC"),
        ("guessing/submissions/wrong_answer/leaves_early.py", "WA"),
        ("guessing/submissions/run_time_error/fails.py", "RE"),
        ("hiding/submissions/accepted/letters.py", "AC"),
        ("hiding/submissions/wrong_answer/forgets.py", "WA"),
    ] {
        let (problem, _) = program.split_once('/').unwrap();
        let object = judge(&place, problem, &source(program));
        assert_eq!(object["verdict"], verdict, "{program}: {object:#}");
    }
    // One that asks for passes, or judges alone, speaks as the ICPC's do.
    let judge = "problems/hiding/output_validator/judge.py";
    place.write(judge, format!("# testlib.h\n{}", place.read(judge)));
    place.says(1, "check hiding", &["2:11|speak as the ICPC's do"]);
    let two = "checker = \"output_validators/play.py\"\ninteractor = ";
    place.edit("problems/guessing/problem.toml", "interactor = ", two);
    place.says(1, "check guessing", &["2:11|in the ICPC's way"]);
}

#[test]
fn what_an_interactor_of_testlib_writes_is_judged_by_the_checker() {
    let place = Place::new().only(&["python3"]).with_package("asking");
    place.says(0, "check asking", &["sums.py judges what that writes"]);
    let tells = |what: &str| format!("input()\nprint({what}, flush=True)\n");
    #[rustfmt::skip]
    let asked = [
        ("AC", source("asking/submissions/accepted/adds.py"), "ok 1 sums"),
        ("WA", tells("4"), "wrong answer sum 1 is 3 and not 4"),
        ("WA", tells("'x'"), "wrong output format 'x'"),
        ("", tells("99"), "interactor/ask.py of asking|exit code 3|FAIL the jury has no opinion of 99"),
        ("", tells("77"), "the checker of asking|exit code 3|FAIL the jury has no opinion of 77"),
    ];
    for (verdict, program, words) in asked {
        let object = judge(&place, "asking", &program);
        let found = object["verdict"].as_str().unwrap_or("");
        assert_eq!(found, verdict, "{object:#}");
        assert_has(&object.to_string(), &[words]);
    }
    // Without the checker it is another problem. A report says who refused.
    let wrong = source("asking/submissions/wrong_answer/subtracts.py");
    place.write("submissions/ada/asking.py", wrong);
    assert_eq!(place.serve_once()["ada/asking/1"], "WA");
    let words = "The program ended, and what the interactor wrote of it was refused.";
    assert_has(&flat(&place.read("reports/ada/asking/1.txt")), &[words]);
    let toml = "problems/asking/problem.toml";
    place.edit(toml, "checker = ", "sources = []\n# ");
    assert_eq!(place.serve_once()["ada/asking/1"], "AC");
    // Whoever fails after all gets none of the points that it gives.
    let points = "gives = \"points\"\n[[groups]]\nname = \"g\"\npoints = 9\n";
    place.write(toml, place.read(toml) + points);
    place.add_test("asking", "secret/g/1", "1 2\n", "3\n");
    let interactor = "problems/asking/interactor/ask.py";
    place.edit(interactor, "end(0, ", "end(7, \"points 4\") # ");
    let ended = "run_time_error/fails_after_all";
    for (name, verdict) in [("accepted/adds", "AC"), (ended, "RE")] {
        let program = source(&format!("asking/submissions/{name}.py"));
        assert_eq!(judge(&place, "asking", &program)["verdict"], verdict);
    }
    // Of one that has a part of them, `rejected` is true too.
    let adds = source("asking/submissions/accepted/adds.py");
    place.write("problems/asking/submissions/rejected/it.py", adds);
    let text = place.says(1, "check asking", &["accepted/adds.py: 4/9 points"]);
    assert!(!text.contains("rejected/it.py"), "{text}");
}
