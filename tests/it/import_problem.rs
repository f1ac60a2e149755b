//! Packages of other systems, written as ours by `verdictd import-problem` and then checked.

use std::os::unix::fs::symlink;

use crate::import::zipped;
use crate::place::{Place, assert_has, shipped};
use crate::programs::LUA;

/// A package of Polygon with scripts: the second test is what `gen` prints.
const POLYGON: &str = "tests/packages/polygon.xml";
const GENERATOR: &str = "#include <stdio.h>\nint main(int n, char **a) { return n == 3 ? printf(\"%s %s\\n\", a[1], a[2]) < 0 : 1; }\n";
const VALIDATOR: &str = "#include \"testlib.h\"\nint main(void) { long long a, b; int c; return scanf(\"%lld %lld\", &a, &b) == 2 && scanf(\" %c\", (char *)&c) != 1 ? 0 : 3; }\n";
/// Says ok where the outputs begin with the same number.
const CHECKER: &str = "#include \"testlib.h\"\n// quitp(0.5) where they nearly do.\nint main(int n, char **a) { long long x, y; FILE *f = fopen(a[2], \"r\"), *g = fopen(a[3], \"r\"); return n > 3 && f && g && fscanf(f, \"%lld\", &x) == 1 && fscanf(g, \"%lld\", &y) == 1 && x == y ? 0 : 1; }\n";

const DMOJ: &str = "archive: data.zip\nchecker: {name: floats, args: {precision: 3}}\nunbuffered: true\nwall_time_factor: 2\n\
    pretest_test_cases: []\ntest_cases:\n- {in: a.in, out: a.out, points: 0}\n- {in: b.in, out: b.out, points: &five 5}\n- {in: c.in, out: c.out, points: *five}\n\
    - batched: [{in: a.in, out: a.out}, {in: c.in, out: c.out}]\n  points: 90\n";

const FPS: &str = "tests/packages/fps.xml";

fn place() -> Place {
    Place::new().only(&["c", "lua", "python3"])
}

/// The package of Polygon, with this checker of testlib.
fn polygon(place: &Place, checker: &str) {
    let manifest = shipped(POLYGON).replace("CHECKER", checker);
    place.write("p/problem.xml", manifest);
    let minus = "local a, b = io.read('n', 'n')\nprint(a - b)\n";
    for (file, text) in [
        ("tests/01", "1 2\r\n"),
        ("tests/01.a", "3\r\n"),
        ("tests/03", "40 2\n"),
        ("tests/04", "7 7\n"),
        ("files/two words.txt", "Add.\n"),
        ("files/tests/01", "1 2\n"),
        ("files/tests/02", "1 x\n"),
        ("statements/english/problem.tex", "Add two numbers.\n"),
        ("statements/.pdf/english/problem.pdf", "%PDF-1.4\n"),
        ("files/testlib.h", "#include <stdio.h>\n"),
        ("files/gen.c", GENERATOR),
        ("files/val.c", VALIDATOR),
        ("files/check.c", CHECKER),
        ("solutions/main.lua", LUA),
        ("solutions/minus.lua", minus),
        ("solutions/slow.lua", LUA),
    ] {
        place.write(&format!("p/{file}"), text);
    }
}

/// Asserts that a package is refused with these words.
#[track_caller]
fn refused(place: &Place, line: &str, words: &[&str]) {
    place.says(2, &format!("import-problem {line}"), words);
}

#[test]
fn a_package_of_polygon_is_written_with_the_tests_that_its_generators_make() {
    let place = place();
    polygon(&place, "wcmp");
    let slow = "p/solutions/slow.lua: what it promises cannot be tried, or its language is not known: `time-limit-exceeded-or-accepted`";
    let words = "problems/two-numbers, 4 tests|verdictd check two-numbers|p/problem.xml: the test set `pretests`: a package has one|p/: lines of tests end in LF here|p/solutions/gone.lua: it is not in the package";
    let unused =
        "p/problem.xml: not taken over: 1 test of the checker, or valid ones of the validator";
    place.says(0, "import-problem p", &[words, unused, slow]);
    let manifest = place.read("problems/two-numbers/problem.toml");
    let manifest: toml::Table = manifest.parse().unwrap();
    let expected = "title = 'Two numbers'\nreference = 'submissions/accepted/main.lua'\nvalidator = 'input_validators/val.c'\n\
        sources = ['https://example.org/two-numbers']\nprotocol = 'testlib'\nlimits = { cpu_s = 1.5, memory_mib = 64 }\ncompare = { mode = 'tokens' }\n\
        [[groups]]\nname = '0'\npoints = 0\nscore = 'all'\nneeds = []\n[[groups]]\nname = '1'\npoints = 10\nscore = 'sum'\nneeds = ['0']\n\
        [[groups]]\nname = '1-2'\npoints = 30\nscore = 'sum'\nneeds = ['0']\n\
        [[groups]]\nname = '2'\npoints = 60\nscore = 'all'\nneeds = ['1', '1-2']\n";
    assert_eq!(manifest, expected.parse().unwrap());
    let made = place.read("problems/two-numbers/data/secret/1/02.in");
    assert_eq!(made, "5 -3\n");
    let given = place.read("problems/two-numbers/attachments/two words.txt");
    assert_eq!(given, "Add.\n");
    let invalid = place.read("problems/two-numbers/data/invalid_input/02.in");
    assert_eq!(invalid, "1 x\n");
    let groups = "100 points: 0 0 (1 tests, all) · 1 10 (1 tests, sum) · 1-2 30 (1 tests, sum) · 2 60 (1 tests, all)";
    place.says(0, "check two-numbers", &[groups]);
    let words = ["two-numbers is there already; take another name with --name"];
    refused(&place, "p", &words);
    place.write("problems/full.kpp", "");
    refused(&place, "p --name full", &["full.kpp is there already"]);
    // A checker that compares as no mode of ours does is taken over, with testlib.h beside it.
    polygon(&place, "yesno");
    let written = place.objects("import-problem --json p --name other");
    assert_eq!(written[0]["next"], "verdictd check other");
    let manifest = place.read("problems/other/problem.toml");
    let checker = "checker = \"output_validator/check.c\"|gives = \"points\"";
    assert_has(&manifest, &[checker]);
    assert!(place.path("problems/other/statement/problem.pdf").exists());
    place.says(0, "check other", &[]);
    // An interactor is taken over with the checker of what it writes; no program answers alone.
    let talks = "<interactor><source path=\"files/val.c\"/></interactor><validators>";
    place.edit("p/problem.xml", "<validators>", talks);
    refused(&place, "p --name talks", &["nor a main solution that"]);
    for number in 2..5 {
        place.write(&format!("p/tests/0{number}.a"), "1\n");
    }
    place.says(0, "import-problem p --name talks", &[]);
    let words = "checker = \"output_validator/check.c\"|interactor = \"interactor/val.c\"";
    assert_has(&place.read("problems/talks/problem.toml"), &[words]);
}

/// The tests of a package of DMOJ.
#[rustfmt::skip]
const SUMS: [(&str, &str); 6] = [
    ("a.in", "1 2\n"), ("a.out", "3\n"), ("b.in", "2 2\n"), ("b.out", "4\n"), ("c.in", "3 2\n"), ("c.out", "5\n"),
];

#[test]
fn a_package_of_dmoj_is_written_with_its_points_and_its_archive() {
    let place = place();
    place.write("sums/init.yml", DMOJ);
    place.write("sums/data.zip", zipped(&SUMS));
    place.write("sums/main.lua", LUA);
    let said = place.says(
        0,
        "import-problem sums/init.yml",
        &["problems/sums, 5 tests"],
    );
    let words = "limits are not in it|keys without a counterpart: wall_time_factor|no statement that can be shown|nothing here reads these: main.lua";
    assert_has(&said, &[words]);
    place.write("problems/sums/submissions/accepted/main.lua", LUA);
    let groups = "100 points: pretest-1 0 (1 tests, all) · part 10 (2 tests, sum) · batch-1 90 (2 tests, all)";
    let tolerance = "numbers with a tolerance of 1e-3 absolute or 1e-3 relative";
    place.says(0, "check sums", &[groups, tolerance]);
}

#[test]
fn checkers_and_interactors_of_dmoj_are_named_that_have_no_counterpart() {
    let place = place();
    place.write("sums/data.zip", zipped(&SUMS));
    let floats = "{name: floats, args: {precision: 3}}";
    #[rustfmt::skip]
    let without = [
        ("easy", floats, "easy", "the checker `easy` has no counterpart; write output_validator/checker.cpp"),
        ("own", "points: 90", "points: 90\n  checker: sorted", "single tests have checkers of their own"),
        ("filter", floats, "{name: rstripped, args: {filter_new_line: true}}", "the checker `rstripped` has no counterpart"),
        ("talks", "2\npretest_test_cases: []", "2\ninteractive: {}\npretest_test_cases: [{in: a.in, out: none}]", "judges and interactors of DMOJ are not supported"),
    ];
    for (name, from, to, words) in without {
        place.write("sums/init.yml", DMOJ.replace(from, to));
        let missing = format!("missing  sums/init.yml: {words}");
        let line = format!("import-problem sums --name {name}");
        place.says(1, &line, &[&missing]);
        place.says(1, &format!("check {name}"), &["No such file"]);
    }
}

/// Pretests are conditions; line ends are made the same there, unless bytes count.
#[test]
fn pretests_line_ends_and_what_is_refused_are_as_in_dmoj() {
    let place = place();
    let floats = "{name: floats, args: {precision: 3}}";
    let case = "cases: [{in: a.in, out: a.out, output_limit_length: 9}]";
    let pretest = DMOJ.replace("cases: []", case);
    place.write("sums/init.yml", pretest.replace(floats, "identical"));
    let ends = SUMS.map(|(name, text)| (name.to_owned(), text.replace('\n', "\r\n9")));
    place.write("sums/data.zip", zipped(&ends));
    let words = ["without a counterpart: output_limit_length, wall_time_factor"];
    place.says(0, "import-problem sums --name pretests", &words);
    let manifest = place.read("problems/pretests/problem.toml");
    assert_has(&manifest, &["needs = [\"pretest-1\", \"pretest-2\"]"]);
    let made = place.read("problems/pretests/data/secret/pretest-1/1.in");
    assert_eq!(made, "1 2\n9\n");
    place.write("sums/init.yml", format!("binary_data: True\n{DMOJ}"));
    place.says(0, "import-problem sums --name bytes", &[]);
    let made = place.read("problems/bytes/data/secret/part/2.in");
    assert_eq!(made, "2 2\r\n9");
    #[rustfmt::skip]
    let refusals = [
        ("b.out", "none.out", "it is not in the package"),
        ("archive", "signature_grader: {}\narchive", "compiled with"),
        ("in: c.in", "generator_args: [1]", "made when they are judged"),
    ];
    for (from, to, words) in refusals {
        place.write("sums/init.yml", DMOJ.replace(from, to));
        refused(&place, "sums --name refused", &[words]);
    }
    assert!(!place.path("problems/refused").exists());
}

#[test]
fn a_task_of_cms_is_written_with_its_subtasks() {
    let place = place();
    place.write("task/task.yaml", "name: plus\ntitle: \"A plus B\"\ntime_limit: 1\nmemory_limit: 64\nn_input: 3\ninfile: \"\"\noutfile: \"\"\npublic_testcases: 0\ntoken_mode: infinite\n");
    let subtasks = "# comment\n#ST: 0\n#COPY: sample.txt\n#ST: 100\n1 # small\n2\n\n";
    place.write("task/gen/GEN", subtasks);
    for (number, answer) in [(0, "1\n"), (1, "2\n"), (2, "3\n")] {
        let input = format!("{number} 1\n");
        place.write(&format!("task/input/input{number}.txt"), input);
        place.write(&format!("task/output/output{number}.txt"), answer);
    }
    place.write("task/sol/solution.lua", LUA);
    place.write("task/statement/statement.pdf", "%PDF-1.4\n");
    place.write("task/gen/valida.py", "");
    let words = "plus, 3 tests|keys without a counterpart: token_mode|line breaks count there|gen/valida.py: validators that are called in the way of CMS are not supported";
    place.says(0, "import-problem task", &[words]);
    assert_eq!(place.read("problems/plus/data/sample/0.in"), "0 1\n");
    assert!(place.path("problems/plus/statement/statement.pdf").exists());
    let groups = "100 points: subtask-1 0 (1 tests, all) · subtask-2 100 (2 tests, all)";
    place.says(0, "check plus", &[groups]);
    place.write("task/check/checker.c", CHECKER);
    let words =
        "task/check/checker.c: checkers that are called in the way of CMS are not supported";
    place.says(1, "import-problem task --name checked", &[words]);
    #[rustfmt::skip]
    let others = [
        ("n_input: 7", "gen/GEN: `n_input` of task.yaml is another number of tests"),
        ("score_type: GroupMul", "in another way than by gen/GEN"),
        ("output_only: true", "an output is handed in are not supported"),
    ];
    for (key, words) in others {
        place.write("task/task.yaml", format!("name: other\n{key}\n"));
        refused(&place, "task", &[words]);
    }
}

#[test]
fn a_free_problem_set_is_several_problems() {
    let place = place();
    place.write("set.xml", shipped(FPS));
    let words = [
        "problems/a-b, 3 tests",
        "a solution in `Basic` is not read",
        "missing  set.xml: special judges (`spj`) are not supported",
        "error: set.xml:24: 0 `test_input`, 0 `test_output`",
    ];
    refused(&place, "set.xml", &words);
    let statement = place.read("problems/a-b/statement/problem.txt");
    assert_has(&statement, &["two", "numbers, 0 < a."]);
    place.says(0, "check a-b", &[]);
    let entity = "<!DOCTYPE fps [<!ENTITY a SYSTEM \"/etc/passwd\">]><fps>&a;</fps>";
    place.write("set.xml", entity);
    refused(&place, "set.xml", &["set.xml:1:"]);
}

#[test]
fn hostile_packages_are_refused_and_leave_nothing() {
    let place = place();
    let zeros = "\0".repeat((64 << 20) + 1);
    let yaml = "test_cases:\n- {in: INPUT, out: b, points: 1}\n";
    for (input, text, words) in [
        ("a", zeros.as_str(), "larger than 65536 KiB"),
        ("../a", "1", "leads out of the archive"),
    ] {
        let manifest = yaml.replace("INPUT", input);
        let entries = [(input, text), ("b", ""), ("init.yml", &manifest)];
        place.write("hostile.zip", zipped(&entries));
        refused(&place, "hostile.zip", &[words]);
    }
    place.write("linked/init.yml", yaml.replace("INPUT", "secret"));
    place.write("linked/b", "");
    symlink("/etc/passwd", place.path("linked/secret")).unwrap();
    let words = ["linked/secret: ", "it is not a regular file"];
    refused(&place, "linked", &words);
    place.write("many/init.yml", "a: ".repeat(100_000));
    refused(&place, "many", &[]);
    polygon(&place, "wcmp");
    std::fs::remove_file(place.path("p/files/gen.c")).unwrap();
    let words = "p/tests/02: the test is not in the package|take the full package";
    refused(&place, "p", &[words]);
    place.write("two/a/init.yml", "");
    place.write("two/b/init.yml", "");
    let words = "two: there are several packages: a/, b/; name one of them";
    refused(&place, "two", &[words]);
    place.write("icpc.zip", zipped(&[("sum/problem.yaml", "name: Sum\n")]));
    let words = "it has problem.yaml; put it into the problems folder as it is";
    refused(&place, "icpc.zip", &[words]);
    let words = "it is no package of another system: it has problem.toml; put it into";
    refused(&place, "problems/sum", &[words]);
    let kept: Vec<_> = std::fs::read_dir(place.path("problems")).unwrap().collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
}
