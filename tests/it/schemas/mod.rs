//! What other programs read from the real binary, checked against schemas by independent
//! validators: reports, logs, the event feed, results.xml, Gradescope's results, and what every
//! command prints with `--json`.

mod documents;

use std::process::{Command, Output};

use crate::hacks::FRAGILE;
use crate::place::{Daemon, Place, wait_until};
use crate::power::disk::files_below;
use crate::programs;
use crate::skips::skipped;
use documents::{CLICS, Documents, GRADESCOPE, REPORT, VERDICTS, command, fixture};

/// Programs for `sum`, by expected verdict; each in a language that builds quickly.
const PROGRAMS: [(&str, &str); 8] = [
    ("AC", programs::LUA),
    ("WA", "print(7)\n"),
    (
        "PE",
        "local a, b = io.read('n', 'n')\nprint()\nprint(a + b)\n",
    ),
    ("TLE", "while true do end\n"),
    ("MLE", "kept = ('x'):rep(1 << 16):rep(1 << 12)\n"),
    ("OLE", "while true do print(('more'):rep(1000)) end\n"),
    ("RE", "io.stderr:write('no')\nos.exit(3)\n"),
    ("CE", "print(\n"),
];

/// Names that some formats must escape.
const NAMES: [&str; 3] = [
    "刘 思",
    "<b>&\"'",
    "a-name-that-is-longer-than-the-identifiers-of-the-feed-may-be",
];

/// A course in which everything happens that is ever reported.
fn course() -> Place {
    let place = Place::new().only(&["lua", "python3"]);
    let place = place.with_fixture("anyorder");
    let limits = "cpu_s = 0.2\noutput_mib = 1";
    place.edit("problems/sum/problem.toml", "cpu_s = 1.0", limits);
    let manifest = "title = \"Board\"\nreference = \"curling\"\n";
    place.write("problems/board/problem.toml", manifest);
    place.add_test("board", "sample/1", "2 1\n3 2\n0 0\n", "1\n");
    place.write("problems/torn/problem.toml", "title = 3\n");
    place.write("problems/stranger/config.yml", "archive: tests.zip\n");
    // A fault: nobody is judged with this checker.
    let program = "import sys\nsys.exit(42 if sys.stdin.read().split() else 1)\n";
    place.write("problems/anyorder/output_validator/check.py", program);
    place
}

fn hand_in(place: &Place) {
    for (verdict, program) in PROGRAMS {
        place.write(&format!("submissions/{verdict}/sum.lua"), program);
    }
    for name in NAMES {
        place.write(&format!("submissions/{name}/sum.lua"), FRAGILE);
    }
    place.write("submissions/AC/anyorder.lua", "io.read()\n");
    place.write("submissions/WA/board.lua", "print(5)\n");
    place.write("submissions/WA/what.lua", "print(5)\n");
    place.write("submissions/sum.docx", "print(5)\n");
}

#[test]
fn everything_that_other_programs_read_follows_its_schema() {
    let place = course();
    let mut documents = Documents::default();
    let daemon = Place::started(place.command(&["serve", "--json"]));
    hand_in(&place);
    while_it_runs(&place, daemon, &mut documents);
    kept_files(&place, &mut documents);
    commands(&place, &mut documents);
    if !documents.follow() {
        skipped("schemas of JSON: python3-jsonschema is not installed");
    }
    jenkins_reads(&place);
}

/// What the daemon and other commands print while it runs.
fn while_it_runs(place: &Place, daemon: Daemon, documents: &mut Documents) {
    let are_all_there = || place.verdicts().len() == PROGRAMS.len() + NAMES.len() + 1;
    wait_until("every verdict", are_all_there);
    // A second attempt, and a package that is fixed.
    place.write("submissions/WA/sum.lua", programs::LUA);
    assert_eq!(place.wait_for("WA/sum/2"), "AC");
    place.write("problems/torn/problem.toml", "title = \"Torn\"\n");
    place.add_test("torn", "sample/1", "1\n", "1\n");
    place.write("evil.in", "7 8\n");
    place.write("evil.ans", "15\n");
    let add = ["hack", "add", "sum", "evil.in", "--note", "seven", "--json"];
    documents.add_output(&command("hack"), &place.run(&add), 0);
    let again = ["hack", "add", "sum", "evil.in", "--json"];
    documents.add_output(&command("hack-add"), &place.run(&again), 1);
    documents.add_output(&command("status"), &place.run(&["status", "--json"]), 0);
    place.shows("staff/verdicts.jsonl", "\"repaired\"");
    let ended = daemon.stop();
    assert_eq!(ended.code, Some(0), "{:?}", ended.said);
    let serve = &command("serve");
    let text = ended.lines.iter().map(String::as_str);
    documents.add_lines(serve, "serve --json", text);
    let kinds: Vec<String> = documents.words(serve, "kind").into_iter().collect();
    let all = ["hack", "package", "received", "rejection", "verdict"];
    assert_eq!(kinds, all);
}

/// Every file in both folders that is not for people.
fn kept_files(place: &Place, documents: &mut Documents) {
    for folder in ["reports", "staff"] {
        for (name, bytes) in files_below(&place.path(folder)) {
            kept_file(&name, &String::from_utf8(bytes).unwrap(), documents);
        }
    }
    let codes = documents.words(REPORT, "verdict");
    assert_eq!(codes.len(), PROGRAMS.len(), "{codes:?}");
    let kinds: Vec<String> = documents.words(VERDICTS, "kind").into_iter().collect();
    assert_eq!(kinds, ["hack", "package", "rejection", "verdict"]);
    let types = documents.words(CLICS, "type");
    assert_eq!(types.len(), 9, "{types:?}");
}

fn kept_file(what: &str, text: &str, documents: &mut Documents) {
    let name = what.rsplit('/').next().unwrap();
    match name.split_once('.').unwrap().1 {
        "gradescope.json" => documents.add(GRADESCOPE, what, text),
        "json" => documents.add(REPORT, what, text),
        "jsonl" => documents.add_lines(VERDICTS, what, text.lines()),
        "ndjson" => documents.add_lines(CLICS, what, text.lines()),
        // Read by people; results.xml has a test of its own below.
        "html" | "txt" | "csv" | "log" | "xml" => {}
        _ if name.ends_with(".note.txt") => {}
        _ => panic!("{what}: who reads it?"),
    }
}

/// Every command that has `--json`.
fn commands(place: &Place, documents: &mut Documents) {
    let mut run = |schema: &str, code: i32, arguments: &[&str]| {
        documents.add_output(schema, &place.run(&[arguments, &["--json"]].concat()), code);
    };
    run(&command("status"), 0, &["status"]);
    run(&command("report-list"), 0, &["report"]);
    run(REPORT, 0, &["report", "WA", "board"]);
    run(&command("hack"), 0, &["hack", "list", "--all"]);
    place.write("torn.in", "1 1\nx\n0 0\n");
    place.write("blank.in", "2 1\r\n3 2\r\n0 0\r\n");
    let validate = ["validate", "curling", "torn.in", "blank.in"];
    run(&command("validate"), 1, &validate);
    place.write("big.in", "3 1\n2 0 3\n0 0\n");
    let add = ["hack", "add", "board", "big.in"];
    run(&command("hack-add"), 0, &add);
    place.write("sum.rar", "");
    let faulty = ["judge", "submissions/AC/anyorder.lua"];
    run(&command("judge"), 3, &faulty);
    let files = ["AC", "WA", "CE"].map(|name| format!("submissions/{name}/sum.lua"));
    let board = "submissions/WA/board.lua";
    let judge = ["judge", &files[0], &files[2], board, "sum.rar"];
    run(&command("judge"), 2, &judge);
    run(&command("replay"), 0, &["replay", "AC/sum/1"]);
    // A test's answer changes: right programs become wrong.
    place.write("problems/sum/data/secret/1.ans", "7\n");
    run(&command("rejudge-dry-run"), 3, &["rejudge", "--dry-run"]);
    run(&command("rejudge"), 0, &["rejudge", "--problem", "sum"]);
    run(&command("check"), 1, &["check"]);
    run(&command("doctor"), 0, &["doctor"]);
}

/// What `doctor --timing --json` has printed follows its schema.
pub fn timing_follows(output: &Output) {
    let mut documents = Documents::default();
    documents.add_output(&command("doctor-timing"), output, 0);
    if !documents.follow() {
        skipped("the schema of `doctor --timing`: python3-jsonschema is not installed");
    }
}

/// results.xml as Jenkins accepts it.
fn jenkins_reads(place: &Place) {
    let good = place.read("staff/results.xml");
    for element in ["<failure", "<error", "<skipped"] {
        assert!(good.contains(element), "{element}: {good}");
    }
    let mut xmllint = Command::new("xmllint");
    xmllint.arg("--noout").arg("--schema");
    xmllint.args([fixture("junit.xsd"), place.path("staff/results.xml")]);
    match xmllint.output() {
        Ok(output) => assert_eq!(output.status.code(), Some(0), "{output:?}"),
        Err(_) => skipped("results.xml: xmllint is not installed"),
    }
}
