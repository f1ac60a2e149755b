//! Problems whose reference, validator and checker are programs of the package:
//! `tests/fixtures/anyorder`.

use std::process::Output;

use serde_json::Value;

use crate::place::{Place, wait_until};

/// Prints the numbers in an order in which none is the double of the one before it.
const SLUG: &str = "anyorder";

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn place() -> Place {
    Place::new()
        .only(&["python3", "c", "cpp"])
        .with_fixture(SLUG)
}

fn source(name: &str) -> String {
    let file = format!("tests/fixtures/{SLUG}/{name}");
    std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
}

/// What `judge --json` prints for one file of this problem.
fn judge(place: &Place, file: &str) -> (Value, Output) {
    let output = place.run(&["judge", "--json", "--all-tests", "--problem", SLUG, file]);
    let object = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)));
    (object, output)
}

#[test]
fn the_package_passes_check_and_its_programs_are_tried() {
    let output = place().run(&["check", "--json", SLUG]);
    let rows: Vec<Value> = text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let checks: Vec<&str> = rows
        .iter()
        .map(|row| row["check"].as_str().unwrap())
        .collect();
    assert_eq!(
        checks,
        [
            "tests valid, answers right",
            "nothing is left unread",
            "invalid inputs refused",
            "programs do their work",
            "example submissions",
            "time against the limit"
        ]
    );
    for row in &rows {
        assert_eq!(row["holds"], true, "{row:#}");
        let least = if row["check"] == "time against the limit" {
            1
        } else {
            2
        };
        assert!(row["count"].as_u64() > Some(least), "{row:#}");
    }
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn the_checker_gives_the_verdicts_and_its_messages_are_shown() {
    let place = place();
    for (name, verdict, cause, words) in [
        ("accepted/odd_last.py", "AC", Value::Null, Value::Null),
        (
            "wrong_answer/as_read.py",
            "WA",
            "refused".into(),
            "2 follows 1".into(),
        ),
        (
            "wrong_answer/silent.py",
            "WA",
            "empty".into(),
            "0 numbers are printed, and they are not the 3 that were given".into(),
        ),
    ] {
        place.write("program.py", source(&format!("submissions/{name}")));
        let (object, _) = judge(&place, "program.py");
        assert_eq!(object["verdict"], verdict, "{object:#}");
        assert_eq!(object["cause"], cause, "{object:#}");
        assert_eq!(object["tests"][0]["checker"], words, "{object:#}");
    }
    // An output identical to the answer is checked like any other.
    place.write("program.py", source("submissions/accepted/sorted.py"));
    let (object, _) = judge(&place, "program.py");
    assert_eq!(object["verdict"], "AC");
}

#[test]
fn a_checker_that_fails_is_a_fault_and_no_verdict() {
    let place = place();
    place.write("silent.py", "input()\n");
    for (checker, words) in [
        ("sys.exit(42 if words else 1)", "exit code 1 in place of 42"),
        ("sys.exit(42 if words else 0)", "exit code 0 in place of 42"),
        (
            "os.kill(os.getpid(), 11) if not words else sys.exit(42)",
            "SIGSEGV",
        ),
        (
            "sys.exit(42 if words else print('x' * 5000000))",
            "it printed too much",
        ),
    ] {
        place.write(
            "problems/anyorder/output_validator/check.py",
            format!("import os, sys\nwords = sys.stdin.read().split()\n{checker}\n"),
        );
        let (object, output) = judge(&place, "silent.py");
        assert_eq!(object["verdict"], Value::Null, "{object:#}");
        let fault = object["fault"].as_str().unwrap();
        assert!(
            fault.contains("checker of anyorder") && fault.contains(words),
            "{fault}"
        );
        assert_eq!(output.status.code(), Some(3));
        let check = place.run(&["check", SLUG]);
        assert_eq!(check.status.code(), Some(1));
        let said = text(&check.stdout);
        assert!(said.contains("the checker fails on sample/1"), "{said}");
    }
}

#[test]
fn a_checker_and_a_validator_that_accept_everything_do_not_pass_check() {
    let place = place();
    place.write(
        "problems/anyorder/output_validator/check.py",
        "import sys\nsys.exit(42)\n",
    );
    place.write(
        "problems/anyorder/input_validators/validate.py",
        "import sys\nsys.exit(42)\n",
    );
    let said = text(&place.run(&["check", SLUG]).stdout);
    for words in [
        "the checker accepts everything",
        "the validator refuses nothing",
        "zero.in: is not refused",
        "wrong_answer/as_read.py: accepted",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn a_reference_that_fails_breaks_its_package_and_says_where() {
    let place = place();
    place.write("program.py", source("submissions/accepted/sorted.py"));
    let manifest = place.read("problems/anyorder/problem.toml");
    place.write(
        "problems/anyorder/problem.toml",
        manifest.replace("cpu_s = 2.0", "cpu_s = 0.1"),
    );
    for (reference, file, words) in [
        (
            "n = int(input())\nprint(\"4 2 1\" if n == 3 else [][9])\n",
            "secret/1.in",
            "IndexError",
        ),
        (
            "while True: pass\n",
            "sample/1.in",
            "it computed for too long",
        ),
        ("print(1)\n", "sample/1.in", "the checker does not accept"),
        ("def\n", "problem.toml:2:13", "cannot be built"),
    ] {
        place.write(
            "problems/anyorder/submissions/accepted/sorted.py",
            reference,
        );
        let (object, output) = judge(&place, "program.py");
        assert_eq!(object["verdict"], Value::Null);
        let reason = object["rejected"].as_str().unwrap();
        assert!(reason.contains("the package is broken"), "{reason}");
        assert!(reason.contains(file) && reason.contains(words), "{reason}");
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn a_stored_answer_beside_a_reference_must_agree() {
    let place = place();
    place.write("program.py", source("submissions/accepted/odd_last.py"));
    // The stored answer, which this checker ignores.
    place.write("problems/anyorder/data/secret/1.ans", "anything\n");
    let (object, _) = judge(&place, "program.py");
    assert_eq!(object["verdict"], "AC", "{object:#}");
    // Without a checker there is one right output, in any layout.
    let manifest = place.read("problems/anyorder/problem.toml");
    place.write(
        "problems/anyorder/problem.toml",
        manifest.replace("checker = \"output_validator/check.py\"\n", ""),
    );
    let (object, _) = judge(&place, "program.py");
    let reason = object["rejected"].as_str().unwrap();
    assert!(
        reason.contains("secret/1.ans:1:1: the stored answer"),
        "{reason}"
    );
    place.write("problems/anyorder/data/secret/1.ans", "7\n5 3\n1");
    let (object, _) = judge(&place, "program.py");
    assert_eq!(object["verdict"], "WA", "{object:#}");
}

#[test]
fn mistakes_in_a_manifest_are_refused_with_their_position() {
    let place = place();
    place.write("program.py", "print(1)\n");
    place.write("secret.py", "print(1)\n");
    for (manifest, place_in_file, words) in [
        (
            "reference = \"../../secret.py\"\n",
            "2:13",
            "`../../secret.py` must be a path inside",
        ),
        (
            "checker = \"check.xyz\"\n",
            "2:11",
            "`check.xyz`: No such file",
        ),
        (
            "checker = \"problem.toml\"\n",
            "2:11",
            "no language has the extension `toml`",
        ),
        (
            "protocol = \"icpc\"\n",
            "2:12",
            "`protocol` has a meaning only with",
        ),
        (
            "checker = \"output_validator/check.py\"\n[compare]\nmode = \"lines\"\n",
            "3:1",
            "`[compare]` has no meaning beside `checker`",
        ),
    ] {
        place.write(
            "problems/anyorder/problem.toml",
            format!("title = \"x\"\n{manifest}"),
        );
        let (object, _) = judge(&place, "program.py");
        let reason = object["rejected"].as_str().unwrap();
        let at = format!("problem.toml:{place_in_file}\n");
        for words in [words, &at, "^^^"] {
            assert!(reason.contains(words), "{manifest}: {reason}");
        }
    }
}

#[test]
fn validate_and_solve_use_the_packages_programs() {
    let place = place();
    place.write("good.in", "2\n4 8\n");
    place.write("bad.in", "2\n4 4\n");
    let run = |arguments: &[&str]| {
        let output = place.run(arguments);
        (text(&output.stdout), output.status.code())
    };
    assert_eq!(
        run(&["validate", SLUG, "good.in"]),
        ("good.in: valid\n".into(), Some(0))
    );
    let (said, code) = run(&["validate", SLUG, "bad.in"]);
    assert!(said.starts_with("bad.in:2:1: refused: "), "{said}");
    assert!(said.contains("the numbers must be different"), "{said}");
    assert_eq!(code, Some(1));
    assert_eq!(run(&["solve", SLUG, "good.in"]), ("8 4\n".into(), Some(0)));
    assert_eq!(run(&["solve", SLUG, "bad.in"]), (String::new(), Some(1)));
    assert_eq!(run(&["solve", SLUG, "--witness", "good.in"]).1, Some(2));
    assert_eq!(
        run(&["validate", "sum", "good.in"]).1,
        Some(2),
        "no validator"
    );
    assert_eq!(run(&["solve", "nothing", "good.in"]).1, Some(2));
}

#[test]
fn a_testlib_checker_with_its_own_header_works() {
    let place = Place::new();
    place.write(
        "problems/sum/check/words.h",
        "#define SAY(w) std::fputs(w, stderr)\n",
    );
    place.write(
        "problems/sum/check/check.cpp",
        r#"#include <cstdio>
#include <fstream>
#include "words.h"
int main(int, char **argv) {
    std::ifstream output(argv[2]), answer(argv[3]);
    long long printed, right;
    if (!(answer >> right)) return 3;
    if (!(output >> printed)) { SAY("wrong output format not a number\n"); return 2; }
    if (printed == 9) { SAY("FAIL the jury has no opinion of 9\n"); return 3; }
    if (printed != right) { SAY("wrong answer too far off\n"); return 1; }
    SAY("ok\n");
    return 0;
}
"#,
    );
    place.write(
        "problems/sum/problem.toml",
        "title = \"Sum\"\nchecker = \"check/check.cpp\"\nprotocol = \"testlib\"\n",
    );
    for (program, verdict, words) in [
        ("print(sum(map(int, input().split())))", "AC", "ok"),
        ("print(4)", "WA", "wrong answer too far off"),
        ("print('four')", "PE", "wrong output format not a number"),
    ] {
        place.write("program.py", program);
        let output = place.run(&["judge", "--json", "--problem", "sum", "program.py"]);
        let object: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(object["verdict"], verdict, "{object:#}");
        assert_eq!(object["tests"][0]["checker"], words, "{object:#}");
    }
    place.write("program.py", "print(9)");
    let output = place.run(&["judge", "--json", "--problem", "sum", "program.py"]);
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(object["verdict"], Value::Null);
    let fault = object["fault"].as_str().unwrap();
    assert!(fault.contains("FAIL the jury has no opinion"), "{fault}");
}

#[test]
fn the_daemon_follows_a_changed_checker_and_a_hack() {
    let place = place().only(&["python3"]);
    let daemon = place.daemon();
    place.write(
        "submissions/alpha/anyorder.py",
        source("submissions/accepted/odd_last.py"),
    );
    // Right for up to four numbers.
    place.write(
        "submissions/beta/anyorder.py",
        "n = int(input())\nx = sorted(map(int, input().split()), reverse=n < 5)\nprint(*x)\n",
    );
    assert_eq!(place.wait_for("alpha/anyorder/1"), "AC");
    assert_eq!(place.wait_for("beta/anyorder/1"), "AC");
    place.write("problems/anyorder/hacks/evil.in", "5\n1 2 3 4 5\n");
    place.write("problems/anyorder/hacks/bad.in", "5\n1 2 3 4\n");
    let became = |attempt: &str, verdict: &str| {
        wait_until(&format!("{verdict} of {attempt}"), || {
            place
                .verdicts()
                .get(attempt)
                .is_some_and(|now| now == verdict)
        });
    };
    became("beta/anyorder/1", "WA");
    let report = place.read("reports/beta/anyorder/1.txt");
    assert!(report.contains("2 follows 1"), "{report}");
    let refused = "problems/anyorder/hacks/bad.in.result";
    wait_until("the refusal", || place.path(refused).is_file());
    let words = place.read(refused);
    assert!(
        words.contains("line 2") && words.contains("4 numbers and not 5"),
        "{words}"
    );
    // A checker that requires the reference's order.
    let strict = "import sys\nwith open(sys.argv[2]) as f:\n    sys.exit(42 if f.read() == sys.stdin.read() else 43)\n";
    place.write("problems/anyorder/output_validator/check.py", strict);
    became("alpha/anyorder/1", "WA");
    place.write(
        "problems/anyorder/output_validator/check.py",
        source("output_validator/check.py"),
    );
    became("alpha/anyorder/1", "AC");
    drop(daemon);
}

#[test]
fn a_hack_is_validated_answered_and_checked_by_the_packages_programs() {
    let place = place();
    let add = |input: &str| {
        place.write("evil.in", input);
        let output = place.run(&["hack", "add", SLUG, "evil.in"]);
        (text(&output.stdout), output.status.code())
    };
    let (said, code) = add("2\n7\n");
    assert!(
        said.contains("line 2, column 1") && said.contains("1 numbers"),
        "{said}"
    );
    assert_eq!(code, Some(1));
    let (said, code) = add("3\n1 2 4\n");
    assert!(said.contains("the same input as sample/1"), "{said}");
    assert_eq!(code, Some(1));
    let (said, code) = add("2\n8 16\n");
    assert!(said.contains("added"), "{said}");
    assert_eq!(code, Some(0));
    place.write("program.py", source("submissions/wrong_answer/as_read.py"));
    let (object, _) = judge(&place, "program.py");
    let hack = &object["tests"][3];
    assert_eq!(
        (&hack["name"], &hack["verdict"], &hack["checker"]),
        (&"hack/evil".into(), &"WA".into(), &"16 follows 8".into())
    );
    let removed = place.run(&["hack", "remove", SLUG, "evil"]);
    assert_eq!(removed.status.code(), Some(0));
    // If the reference has no answer to it, the hack is refused, and nobody is judged on it.
    place.write(
        "problems/anyorder/submissions/accepted/sorted.py",
        "n = int(input())\nprint(*sorted(map(int, input().split()), reverse=True) if n > 2 else [][0])\n",
    );
    let (said, code) = add("2\n8 16\n");
    assert!(said.contains("the reference has no answer to it"), "{said}");
    assert_eq!(code, Some(1));
}

#[test]
fn nobody_is_judged_by_a_reference_that_fails() {
    let place = place().only(&["python3"]);
    let reference = "problems/anyorder/submissions/accepted/sorted.py";
    place.write(reference, "raise SystemExit(7)\n");
    place.write("submissions/gamma/anyorder.py", "print(1)\n");
    let output = place.run(&["serve", "--once", "--json"]);
    let said = text(&output.stderr);
    for words in ["anyorder is broken", "sample/1.in", "exit code 7"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(place.verdicts().is_empty());
    place.write(reference, source("submissions/accepted/sorted.py"));
    assert_eq!(place.serve_once()["gamma/anyorder/1"], "WA");
}

#[test]
fn a_missing_language_of_a_package_is_a_fault_of_the_machine() {
    let place = place().only(&["c"]);
    place.write("submissions/gamma/anyorder.c", "int main() {}\n");
    let config = place.read("config.toml").replace(
        "[languages.python3]\noffer = false\n",
        "[languages.python3]\nbuild = []\nrun = [\"no-such-python\", \"/app/{source}\"]\nversion = [\"no-such-python\", \"--version\"]\n",
    );
    place.write("config.toml", config);
    let output = place.run(&["serve", "--once", "--json"]);
    let said = text(&output.stderr);
    for words in ["anyorder could not be read", "no-such-python"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(place.verdicts().is_empty());
}
