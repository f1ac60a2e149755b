//! Packages of the format `2025-09`, and of its draft.

use std::time::Duration;

use super::{Place, remarks, told};
use crate::compare::{Flags, Mode, Tolerance};
use crate::domain::{LanguageId, Multipliers, Verdict};
use crate::package::{Package, Trouble};
use crate::util::samples::{judged, test};

const YAML: &str = "problem_format_version: 2025-09\nname: Sum\n";
const POINTS: &str = "problem_format_version: 2025-09\nname: Sum\ntype: scoring\n";

/// A package with a secret test, these lines in problem.yaml, and these files.
fn load(yaml: &str, files: &[(&str, &str)]) -> Result<Package, Trouble> {
    let place = Place::new(files);
    if !files.iter().any(|(name, _)| *name == "problem.yaml") {
        place.write("problem.yaml", yaml);
    }
    place.load()
}

/// What stands in problem.yaml below the name, a file, its text, and words of what breaks the
/// package.
#[rustfmt::skip]
const BROKEN: [(&str, &str, &str, &str); 28] = [
    ("type: submit-answer", "", "", "problem.yaml:3:7: `type: submit-answer`: problems in which an output"),
    ("type: [pass-fail, scoring]", "", "", "`type: pass-fail scoring`: only one of these words"),
    ("type: {a: b}", "", "", "`type` cannot be a list, and cannot hold keys"),
    ("type: [[a]]", "", "", "`type` has to be a list of texts"),
    ("type: [passfail]", "", "", "`type` cannot be `passfail`"),
    ("type: [interactive, multi-pass]", "", "", "there is no output validator; problem.yaml asks for one"),
    ("constants: {n: {tex: 5}}", "", "", "problem.yaml:3:16: the constant `n` has no `value`"),
    ("constants: {n: [5]}", "", "", "`constants.n.value` cannot be a list"),
    ("validation: custom", "", "", "`validation` is a key of the format legacy"),
    ("validator_flags: case_sensitive", "", "", "`validator_flags` is a key of the format legacy"),
    ("limits:\n  time_multipliers: 3", "", "", "`limits.time_multipliers` has to hold keys"),
    ("limits:\n  time_multipliers: {ac_to_time_limit: x}", "", "", "`limits.ac_to_time_limit` cannot be `x`"),
    ("", "output_validators/v.py", "", "output_validators: in this version of the format its name is output_validator; rename it"),
    ("", "output_validator/run", "", "output_validator: the output validator cannot be used: it is built or started by a script"),
    ("", "output_validator/a/run", "", "output_validator/a: the output validator cannot be used: it is built or started by a script"),
    ("", "data/testdata.yaml", "a: b", "testdata.yaml: it is not read: in this version its name is test_group.yaml; rename it"),
    ("", "data/secret/1.yaml", "args: [x]", "1.yaml:1:7: `args`: tests that give arguments to programs"),
    ("", "data/secret/1.yaml", "output_validator_args: case_sensitive", "has to be a list of texts; write each of them for itself"),
    ("", "data/secret/1.yaml", "input_validator_args: {a: [b]}", "input validators that are told different things"),
    ("", "data/secret/test_group.yaml", "output_validator_args: [x]", "has no flag `x`"),
    ("", "data/secret/test_group.yaml", "static_validation_score: 5", "validators of sources are not supported"),
    ("", "data/secret/1.files/x", "", "1.files: tests that give files to programs"),
    ("", "submissions/submissions.yaml", "a: {permitted: [OK]}", "submissions.yaml:1:16: `permitted` cannot be `OK`"),
    ("", "submissions/submissions.yaml", "a: {score: [1, 2, 3]}", "`score` cannot be `1`"),
    ("", "submissions/submissions.yaml", "'{a': {}", "`{a` is no pattern"),
    ("", "submissions/submissions.yaml", "a/**: {}", "`a/**` is no pattern"),
    ("", "submissions/submissions.yaml", "a: 5", "`a` has to hold keys of its own"),
    ("", "problem.yaml", "problem_format_version: 2023-07-draft\nvalidation: custom\n", "a key of the format legacy"),
];

#[test]
fn what_is_wrong_or_not_supported_breaks_the_package_where_it_stands() {
    for (yaml, file, text, words) in BROKEN {
        let yaml = format!("{YAML}{yaml}\n");
        let files = [(file, text)];
        let error = load(&yaml, &files[usize::from(file.is_empty())..]).err();
        let error = error.unwrap_or_else(|| panic!("{yaml} {file}: {text}"));
        assert!(error.in_one_line().contains(words), "{text}: {error}");
    }
}

#[test]
fn what_problem_yaml_says_is_understood() {
    let yaml = "problem_format_version: 2025-09\nname: {de: Summe, en: Sum}\ntype: [pass-fail]\n\
        uuid: 1\nversion: 123456789012345678901234567890123\nembargo_until: 2030-01-01\nkeywords: [a]\nlanguages: all\nallow_file_writing: true\n\
        credits: {authors: [Ada <a@b.c>, {name: Bob}], testers: Cyd}\nsource: [{name: A, url: b}, B]\n\
        license: cc by\nlimits: {time_limit: 2, memory: 64, time_multipliers: {time_limit_to_tle: 4}}\n";
    let of_test = "hint: h\ndescription: d\nfull_feedback: true\n";
    let extra = [
        ("data/sample/1.in.statement", ""),
        ("data/sample/1.interaction", ""),
        ("data/sample/1.in.download", ""),
        ("data/invalid_output/1.in", ""),
        ("data/secret/1.yaml", of_test),
        ("statement/problem.en.md", "Add *these*."),
        ("answer_validators/x.py", ""),
        ("output_validator/.gitkeep", ""),
        ("data/testdata.yaml", "# nothing\n"),
    ];
    let package = load(yaml, &extra).unwrap();
    assert_eq!(package.title, "Sum");
    let sources = ["A, B", "by Ada <a@b.c>, Bob", "license: cc by"];
    assert_eq!(package.sources, sources);
    assert_eq!(package.limits.cpu, Duration::from_secs(2));
    let (accepted, too_slow) = (2.0, 4.0);
    assert_eq!(package.multipliers, Multipliers { accepted, too_slow });
    assert_eq!(package.tests.len(), 1);
    assert_eq!(package.mode, Mode::Icpc(Flags::default()));
    assert!(
        package
            .statement
            .as_ref()
            .unwrap()
            .contains("<em>these</em>")
    );
    let said = remarks(&package);
    let is_alone = package.remarks.len() == 1;
    assert!(
        is_alone && said.contains("its name is test_group.yaml"),
        "{said}"
    );
    let said = remarks(&load(&format!("{YAML}languages: [c]\nautor: x\n"), &[]).unwrap());
    assert!(said.contains("`languages` is not used") && said.contains("`autor` is not known"));
}

#[test]
fn samples_stand_where_the_statement_wants_them_or_at_its_end() {
    let text = "One:\n\n{{nextsample}}\n\nThen:\n\n{{remainingsamples}}\n\nEnd.";
    let files = [
        ("data/sample/2.in", "<b>"),
        ("data/sample/2.ans", "2"),
        ("data/sample/3.in", "hidden"),
        ("data/sample/3.in.statement", "shown"),
        ("data/sample/3.ans", "3"),
        ("data/sample/4.in", &*"x".repeat(5000)),
        ("data/sample/4.ans", "4"),
        ("statement/problem.en.md", text),
    ];
    let order = |html: &str, words: &str| {
        let at = words.split(' ').map(|word| html.find(word).unwrap());
        assert!(at.is_sorted(), "{html}");
    };
    let html = load(YAML, &files).unwrap().statement.unwrap();
    order(&html, "One Input &#60;b&#62; Then shown … End");
    assert!(!html.contains("hidden"));
    let files = [files[0], files[1], ("problem_statement/problem.tex", "Add")];
    let html = load("name: sum\n", &files).unwrap().statement.unwrap();
    order(&html, "Add Input &#60;b&#62; Output");
    // Where programs talk, the test is nobody's to read.
    let talk = ("data/sample/2.interaction", "<7\n>8");
    let files = [
        files[0],
        files[1],
        files[2],
        talk,
        ("output_validators/v.py", ""),
    ];
    let html = load("name: sum\nvalidation: custom interactive\n", &files);
    let html = html.unwrap().statement.unwrap();
    order(&html, "Add reads &#60;7");
    assert!(!html.contains("&#60;b"));
}

#[test]
fn constants_stand_everywhere_but_in_tests() {
    let yaml = format!("{YAML}constants:\n  n: 5\n  k: {{value: 1e3, tex: 10^3}}\n");
    let text = "{{n}} {{k.tex}} {{k.value}} {{m}} {{k.m}} \\constant{k}";
    let filled = "5 10^3 1e3 {{m}} {{k.m}} 1e3";
    let tolerance = "output_validator_args: [float_tolerance, {{k}}]";
    let files = [
        ("statement/problem.en.tex", text),
        ("input_validators/v.py", text),
        ("input_validators/v.h", text),
        ("include/c/part.h", text),
        ("submissions/accepted/a/main.py", text),
        ("data/secret/test_group.yaml", tolerance),
        ("data/secret/1.in", text),
    ];
    let package = load(&yaml, &files).unwrap();
    assert!(package.statement.as_ref().unwrap().contains(filled));
    let validator = &package.validators[0].program;
    for bytes in [&validator.source, &validator.headers[0].1] {
        assert_eq!(&**bytes, filled.as_bytes());
    }
    let included = package.included.of(&LanguageId::new("c").unwrap()).files;
    assert_eq!(&*included[0].1, filled.as_bytes());
    let example = package.reference.program().unwrap();
    let zip = String::from_utf8_lossy(&example.source);
    assert!(zip.contains(filled), "{zip}");
    let (absolute, relative) = (1e3, 1e3);
    let tolerance = Some(Tolerance { absolute, relative });
    let flags = Flags {
        tolerance,
        ..Flags::default()
    };
    assert_eq!(package.mode, Mode::Icpc(flags));
    assert_eq!(&*package.tests[0].input.read().unwrap(), text.as_bytes());
}

#[test]
fn each_test_is_told_what_its_own_file_or_the_nearest_folder_says() {
    let own = "output_validator_args: [own, 1e-6]\ninput_validator_args: [i]\n";
    let all = "output_validator_args: [of, all]\n";
    let files = [
        ("output_validator/check.cpp", ""),
        ("output_validator/check.h", ""),
        ("input_validators/v.py", ""),
        ("data/secret/2.in", ""),
        ("data/secret/2.ans", ""),
        ("data/secret/2.yaml", own),
        ("data/secret/test_group.yaml", all),
    ];
    let package = load(YAML, &files).unwrap();
    let checker = package.checker.as_ref().unwrap();
    let headers = checker.program.headers.len();
    assert_eq!(headers, 1, "its folder is the program");
    assert_eq!(checker.arguments, ["of", "all"]);
    assert_eq!(told(&package), [None, Some("own 1e-6".to_owned())]);
    assert!(package.knows_only_its_tests());
    // Tests that are told different things are different tests.
    let mut twin = package.tests[0].name.clone();
    twin.told = package.tests[1].name.told.clone();
    assert!(!package.are_twins(&package.tests[0].name, &twin));
}

/// What `test_group.yaml` says in `data/secret`, in `a` with two tests and in `b` with one below it
/// in a folder, and in `data/sample`.
fn groups(secret: &str, a: &str, b: &str) -> Result<Package, Trouble> {
    let place = Place::new(&[("problem.yaml", POINTS)]);
    let place = place.with_tests("sample/1 secret/a/1 secret/a/2 secret/b/c/1");
    for (folder, text) in [("secret", secret), ("secret/a", a), ("secret/b", b)] {
        if text != "-" {
            place.write(&format!("data/{folder}/test_group.yaml"), text);
        }
    }
    place.load()
}

#[test]
fn groups_bring_the_points_that_the_format_gives() {
    let all = |points: u32| format!("max_score: {points}\n");
    let sum = "max_score: 60\nscore_aggregation: sum\n";
    let needs = "max_score: 40\nrequire_pass: [sample, secret/a]\n";
    let min = "max_score: 40\nscore_aggregation: min\n";
    let pass_fail = "score_aggregation: pass-fail\n";
    let least = "score_aggregation: min\nmax_score: 7\n";
    let sample = "require_pass: sample\n";
    let with_sample = "sample 0 all [] 1|a 60 all [] 2|b 40 all [0, 1] 1";
    // Each group's name, points, scoring, needs and number of tests.
    for (secret, a, b, expected) in [
        // A hundred points cannot be divided among three tests.
        ("max_score: 99\n", "-", "-", "secret 99 sum [] 3"),
        (pass_fail, "-", "-", "secret 100 all [] 3"),
        (least, "-", "-", "secret 7 all [] 3"),
        ("-", &all(60), &all(40), "a 60 all [] 2|b 40 all [] 1"),
        ("-", sum, min, "a 60 sum [] 2|b 40 all [] 1"),
        ("score_aggregation: min\n", &all(60), needs, with_sample),
        ("max_score: unbounded\n", &all(60), needs, with_sample),
        (
            pass_fail,
            sample,
            "",
            "sample 0 all [] 1|secret 100 all [0] 3",
        ),
    ] {
        let package = groups(secret, a, b).unwrap();
        let found: Vec<_> = (0..)
            .zip(package.groups.iter())
            .map(|(place, group)| {
                let tests = package.tests.iter();
                let count = tests.filter(|test| test.name.group == Some(place)).count();
                let (name, points, needs) = (&group.name, group.points, &group.needs);
                format!("{name} {points} {} {needs:?} {count}", group.scoring.word())
            })
            .collect();
        assert_eq!(found.join("|"), expected);
        let takes_least = secret.contains("min") && a != "-";
        assert_eq!(package.groups.takes_least(), takes_least);
        assert!(!package.accepts_in_part());
    }
}

#[test]
fn points_that_mean_something_else_break_the_package() {
    #[rustfmt::skip]
    let refused = [
        ("-", "-", "-", "100 points cannot be divided among 3 tests"),
        ("max_score: 10.5\n", "-", "-", "`max_score` cannot be `10.5`"),
        ("max_score: unbounded\n", "-", "-", "no `max_score` and so the points that an output validator gives"),
        ("max_score: 0\n", "-", "-", "bring 0 points"),
        ("score_aggregation: max\n", "-", "-", "it is pass-fail, sum or min"),
        ("-", "max_score: 50\n", "-", "1.in: it is in no group, while other folders"),
        ("-", "max_score: 50\n", "", "b/test_group.yaml: it has no tests, or no `max_score`"),
        ("-", "max_score: 61\n", "max_score: 40\n", "secret: its 2 groups bring 101 points"),
        ("score_aggregation: min\n", "max_score: 50\n", "max_score: 0\n", "b/test_group.yaml: where the group with the least points counts"),
        ("score_aggregation: pass-fail\n", "score_aggregation: sum\n", "", "a/test_group.yaml: this `score_aggregation` of several groups"),
        ("-", "max_score: 50\nscore_aggregation: sum\n", "max_score: 50\nrequire_pass: secret/a\n", "`require_pass: secret/a` is no group before it"),
        ("-", "max_score: 50\nrequire_pass: secret/b\n", "max_score: 50\n", "`require_pass: secret/b` is no group before it"),
        ("-", "max_score: 50\nrequire_pass: b\n", "max_score: 50\n", "name it as in `secret/group1`"),
    ];
    for (secret, a, b, words) in refused {
        let what = [secret, a, b];
        let said = groups(secret, a, b).err();
        let said = said.unwrap_or_else(|| panic!("{what:?}")).in_one_line();
        assert!(said.contains(words), "{what:?}: {said}");
    }
    // An output validator may give points, but not where a group is passed or failed.
    for (yaml, is_pass_fail) in [("sum", false), ("pass-fail", true)] {
        let yaml = format!("score_aggregation: {yaml}\n");
        let group = ("data/secret/test_group.yaml", yaml.as_str());
        let package = load(POINTS, &[("output_validator/v.py", ""), group]).unwrap();
        let groups = package.groups.iter().map(|group| group.is_pass_fail);
        assert_eq!(groups.collect::<Vec<_>>(), [is_pass_fail], "{yaml}");
        assert!(package.checker.unwrap().gives.is_some());
    }
}

#[test]
fn the_draft_is_read_with_the_files_that_are_there() {
    let draft = "problem_format_version: 2023-07-draft\nname: Sum\n";
    let (flags, arguments) = (
        "output_validator_flags: case_sensitive\n",
        "output_validator_args: [case_sensitive]\n",
    );
    let old = ("data/testdata.yaml", flags);
    let new = ("data/test_group.yaml", arguments);
    for file in [old, new] {
        assert_eq!(load(draft, &[file]).unwrap().mode, Mode::Tokens, "{file:?}");
    }
    let said = load(draft, &[old, new]).err().unwrap().in_one_line();
    assert!(said.contains("its name is test_group.yaml"), "{said}");
    let mixed = ("data/testdata.yaml", arguments);
    let said = load(draft, &[mixed]).err().unwrap().in_one_line();
    let words = "`output_validator_args` is a key of test_group.yaml";
    assert!(said.contains(words), "{said}");
}

#[test]
fn examples_have_to_come_to_what_is_said_of_them() {
    let yaml = "accepted: {permitted: [AC, WA]}\nmixed/*.{py, cpp}:\n  permitted: [AC, TLE]\n  sample: {permitted: [AC]}\n  \
        secret/{a,b}*: {required: [TLE]}\nmessage/x: {message: off by one}\nrun_time_error/*:\n  authors: A\n";
    let package = load(YAML, &[("submissions/submissions.yaml", yaml)]).unwrap();
    let expected = package.expected.unwrap();
    assert!(expected.counts_every_test);
    let (ac, wa, tle) = (Verdict::Accepted, Verdict::WrongAnswer, Verdict::TimeLimit);
    let rte = Verdict::MemoryLimit;
    #[rustfmt::skip]
    let rows = [
        ("accepted/x.py", [ac, wa, ac], ""),
        ("accepted/x.py", [ac, tle, ac], "secret/a/1; `accepted` permits AC, WA"),
        ("wrong_answer/x.py", [ac, ac, ac], "no test ends with WA, as `wrong_answer` requires"),
        ("wrong_answer/x.py", [ac, wa, tle], "`wrong_answer` permits AC, WA"),
        ("brute_force/x.py", [ac, rte, tle], ""),
        ("rejected/deep/x.py", [ac, wa, Verdict::Skipped], ""),
        ("mixed/x.py", [ac, tle, ac], ""),
        ("mixed/x.cpp", [tle, tle, ac], "sample/1; `mixed/*.{py, cpp}: sample` permits AC"),
        ("mixed/x.cpp", [ac, ac, tle], "no test ends with TLE, as `mixed/*.{py, cpp}: secret/{a,b}*` requires"),
        ("message/x", [ac, ac, ac], "no judge message has `off by one`"),
    ];
    for (name, verdicts, words) in rows {
        assert!(expected.is_about(name), "{name}");
        let names = ["sample/1", "secret/a/1", "secret/z/1"].into_iter();
        let tests = names.zip(verdicts);
        let tests = tests.map(|(name, verdict)| test(name, verdict, None));
        let judgement = judged(tests.collect());
        let said = expected.complaint(name, &judgement).unwrap_or_default();
        let is_said = said.contains(words) && said.is_empty() == words.is_empty();
        assert!(is_said, "{name}: {said}");
    }
    assert!(!expected.is_about("mixed/a/x.py") && !expected.is_about("other/x.py"));
    assert!(!expected.is_right("accepted/x.py"));
    let plain = load(YAML, &[]).unwrap().expected.unwrap();
    assert!(plain.is_right("accepted/x.py") && !plain.counts_every_test);
}
