//! Problems whose reference, validator and checker are programs of the package:
//! `tests/fixtures/anyorder`.

use serde_json::Value;

use crate::place::{Place, assert_has, objects, shipped, wait_until};

/// Prints the numbers in an order in which none is the double of the one before it.
const SLUG: &str = "anyorder";
const CHECKER: &str = "problems/anyorder/output_validator/check.py";
const REFERENCE: &str = "problems/anyorder/submissions/accepted/sorted.py";

fn place() -> Place {
    Place::new().only(&["python3"]).with_fixture(SLUG)
}

fn source(name: &str) -> String {
    shipped(&format!("tests/fixtures/{SLUG}/{name}"))
}

/// What `judge --json` prints for a program.
pub fn judge(place: &Place, problem: &str, program: &str) -> Value {
    place.write("program.py", program);
    let line = ["judge", "--json", "--all-tests", "--problem", problem];
    objects(&place.run(&[&line[..], &["program.py"]].concat())).remove(0)
}

#[test]
fn the_package_passes_check_and_its_programs_are_tried() {
    let place = place().only(&["python3", "c", "cpp"]);
    place.says(0, "check anyorder", &[]);
    let rows = place.objects("check --json anyorder");
    let expected = [
        ("tests valid, answers right", 3),
        ("nothing is left unread", 3),
        ("invalid inputs refused", 3),
        ("programs do their work", 3),
        ("example submissions", 3),
        ("time against the limit", 2),
    ];
    assert_eq!(rows.len(), expected.len());
    for (row, (check, least)) in rows.iter().zip(expected) {
        assert_eq!(row["check"], check);
        assert_eq!(row["holds"], true, "{row:#}");
        assert!(row["count"].as_u64() >= Some(least), "{row:#}");
    }
}

#[test]
fn a_checker_and_a_validator_that_accept_everything_do_not_pass_check() {
    let place = place();
    let everything = "import sys\nsys.exit(42)\n";
    place.write(CHECKER, everything);
    let validator = "problems/anyorder/input_validators/validate.py";
    place.write(validator, everything);
    let words = "the checker accepts everything|the validator refuses nothing|\
        zero.in: is not refused|wrong_answer/as_read.py: accepted";
    place.says(1, "check anyorder", &[words]);
    // A checker that fails is a fault and no verdict.
    let failing = "import sys\nsys.exit(42 if sys.stdin.read().split() else 1)\n";
    place.write(CHECKER, failing);
    place.says(1, "check anyorder", &["the checker fails on sample/1"]);
    let object = judge(&place, SLUG, "input()\n");
    assert_eq!(object["verdict"], Value::Null, "{object:#}");
    let words = ["checker of anyorder", "exit code 1 in place of 42"];
    assert_has(object["fault"].as_str().unwrap(), &words);
}

#[test]
fn a_stored_answer_beside_a_reference_must_agree() {
    let place = place();
    let program = source("submissions/accepted/odd_last.py");
    // The stored answer, which this checker ignores.
    place.write("problems/anyorder/data/secret/1.ans", "anything\n");
    let object = judge(&place, SLUG, &program);
    assert_eq!(object["verdict"], "AC", "{object:#}");
    // Without a checker there is one right output, in any layout.
    let line = "checker = \"output_validator/check.py\"\n";
    place.edit("problems/anyorder/problem.toml", line, "");
    let object = judge(&place, SLUG, &program);
    let reason = object["rejected"].as_str().unwrap();
    assert_has(reason, &["secret/1.ans:1:1: the stored answer"]);
    place.write("problems/anyorder/data/secret/1.ans", "7\n5 3\n1");
    let object = judge(&place, SLUG, &program);
    assert_eq!(object["verdict"], "WA", "{object:#}");
}

#[test]
fn validate_and_solve_use_the_packages_programs() {
    let place = place();
    place.write("good.in", "2\n4 8\n");
    place.write("bad.in", "2\n4 4\n");
    place.says(0, "validate anyorder good.in", &["good.in: valid\n"]);
    let words = ["bad.in:2:1: refused: ", "the numbers must be different"];
    place.says(1, "validate anyorder bad.in", &words);
    assert_eq!(place.says(0, "solve anyorder good.in", &[]), "8 4\n");
    let unsolved = place.run(&["solve", SLUG, "bad.in"]);
    assert_eq!(unsolved.status.code(), Some(1));
    assert!(unsolved.stdout.is_empty());
    place.says(2, "solve anyorder --witness good.in", &[]);
    // It has no validator.
    place.says(2, "validate sum good.in", &[]);
}

#[test]
fn a_testlib_checker_with_its_own_header_works() {
    let place = Place::new().only(&["python3", "cpp"]);
    let header = "#define SAY(w) std::fputs(w, stderr)\n";
    place.write("problems/sum/check/words.h", header);
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
    let manifest = "title = \"Sum\"\nchecker = \"check/check.cpp\"\nprotocol = \"testlib\"\n";
    place.write("problems/sum/problem.toml", manifest);
    for (program, verdict, words) in [
        ("print(sum(map(int, input().split())))", "AC", "ok"),
        ("print(4)", "WA", "wrong answer too far off"),
        ("print('four')", "PE", "wrong output format not a number"),
    ] {
        let object = judge(&place, "sum", program);
        assert_eq!(object["verdict"], verdict, "{object:#}");
        assert_eq!(object["tests"][0]["checker"], words, "{object:#}");
    }
    let object = judge(&place, "sum", "print(9)");
    assert_eq!(object["verdict"], Value::Null);
    let fault = object["fault"].as_str().unwrap();
    assert_has(fault, &["FAIL the jury has no opinion"]);
}

#[test]
fn the_daemon_follows_a_changed_checker_and_a_hack() {
    let place = place();
    let daemon = place.daemon();
    let right = source("submissions/accepted/odd_last.py");
    place.write("submissions/alpha/anyorder.py", right);
    // Right for up to four numbers.
    place.write(
        "submissions/beta/anyorder.py",
        "n = int(input())\nx = sorted(map(int, input().split()), reverse=n < 5)\nprint(*x)\n",
    );
    assert_eq!(place.wait_for("alpha/anyorder/1"), "AC");
    assert_eq!(place.wait_for("beta/anyorder/1"), "AC");
    place.write("problems/anyorder/hacks/evil.in", "5\n1 2 3 4 5\n");
    place.write("problems/anyorder/hacks/bad.in", "5\n1 2 3 4\n");
    place.becomes("beta/anyorder/1", "WA");
    assert_has(&place.read("reports/beta/anyorder/1.txt"), &["2 follows 1"]);
    let refused = "problems/anyorder/hacks/bad.in.result";
    wait_until("the refusal", || place.path(refused).is_file());
    assert_has(&place.read(refused), &["line 2", "4 numbers and not 5"]);
    // A checker that requires the reference's order.
    let strict = "import sys\nwith open(sys.argv[2]) as f:\n    sys.exit(42 if f.read() == sys.stdin.read() else 43)\n";
    place.write(CHECKER, strict);
    place.becomes("alpha/anyorder/1", "WA");
    place.write(CHECKER, source("output_validator/check.py"));
    place.becomes("alpha/anyorder/1", "AC");
    drop(daemon);
}

#[test]
fn nobody_is_judged_by_a_reference_that_fails() {
    let place = place();
    place.write("submissions/gamma/anyorder.py", "print(1)\n");
    for (reference, words) in [
        ("raise SystemExit(7)\n", ["sample/1.in", "exit code 7"]),
        ("print(1)\n", ["sample/1.in", "the checker does not accept"]),
        ("def\n", ["problem.toml:2:13", "cannot be built"]),
    ] {
        place.write(REFERENCE, reference);
        let said = place.says(3, "serve --once", &words);
        assert_has(&said, &["anyorder is broken"]);
        assert!(place.verdicts().is_empty());
    }
    place.write(REFERENCE, source("submissions/accepted/sorted.py"));
    assert_eq!(place.serve_once()["gamma/anyorder/1"], "WA");
}

#[test]
fn a_missing_language_of_a_package_is_a_fault_of_the_machine() {
    let place = place().only(&["c"]);
    place.write("submissions/gamma/anyorder.c", "int main() {}\n");
    place.edit(
        "config.toml",
        "[languages.python3]\noffer = false\n",
        "[languages.python3]\nbuild = []\nrun = [\"no-such-python\", \"/app/{source}\"]\nversion = [\"no-such-python\", \"--version\"]\n",
    );
    let words = ["anyorder could not be read", "no-such-python"];
    place.says(3, "serve --once", &words);
    assert!(place.verdicts().is_empty());
}
