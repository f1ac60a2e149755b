//! What problem.yaml and the files beside it may say, and what becomes of it.

mod latest;

use std::fs;
use std::time::Duration;

use crate::compare::Mode;
use crate::domain::{Multipliers, ProblemSlug, Scoring, TestKind};
use crate::package::{Gives, NoOracle, Package, Protocol, Trouble, TrustingOracle, look};
use crate::util::MIB;
use crate::util::samples::run;

struct Place(tempfile::TempDir);

impl Place {
    /// A package with a secret test, and these files.
    fn new(files: &[(&str, &str)]) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        place.write("problem.yaml", "");
        place.write("data/secret/1.in", "1\n");
        place.write("data/secret/1.ans", "1\n");
        for (name, text) in files {
            place.write(name, text);
        }
        place
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.0.path().join("sum").join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// A test with these bytes as its input and its answer.
    fn test(&self, name: &str, text: &str) {
        self.write(&format!("data/{name}.in"), text);
        self.write(&format!("data/{name}.ans"), text);
    }

    /// Other tests in place of the one that is there.
    fn with_tests(self, names: &str) -> Self {
        fs::remove_dir_all(self.0.path().join("sum/data/secret")).unwrap();
        names.split(' ').for_each(|name| self.test(name, name));
        self
    }

    fn load(&self) -> Result<Package, Trouble> {
        let slug = ProblemSlug::new("sum").unwrap();
        look(self.0.path(), &slug).load(&run().caps, &mut TrustingOracle)
    }
}

/// The output validator's arguments for each test, where they are not those for all.
fn told(package: &Package) -> Vec<Option<String>> {
    let tests = package.tests.iter();
    let told = tests.map(|test| Some(test.name.told.as_ref()?.join(" ")));
    told.collect()
}

fn remarks(package: &Package) -> String {
    let remarks = package.remarks.iter().map(ToString::to_string);
    remarks.collect::<Vec<_>>().join("\n")
}

/// A file, its text, and words of what breaks the package.
#[rustfmt::skip]
const BROKEN: [(&str, &str, &str); 36] = [
    ("problem.yaml", "name: [", "problem.yaml:1:"),
    ("problem.yaml", "- a\n", "problem.yaml:1:1: there are no keys in this file"),
    ("problem.yaml", "name: A\ntype: scoring\n", "sum/data: the groups of `data/secret` do not count independently"),
    ("problem.yaml", "type: scoring\ngrading:\n  objective: min\n", "problem.yaml:3:14: `objective: min`: problems in which the fewest"),
    ("problem.yaml", "type: [pass-fail, interactive]", "problem.yaml:1:7: `type` cannot be a list"),
    ("problem.yaml", "validation: [custom]", "`validation` cannot be a list"),
    ("problem.yaml", "validation: default custom", "`validation: default custom`: only one of these words"),
    ("problem.yaml", "type: pass-fail scoring", "`type: pass-fail scoring`: only one of these words"),
    ("problem.yaml", "type: scoring\ngrading:\n  accept_score: 5\n", "problem.yaml:3:17: `grading.accept_score` is not supported"),
    ("problem.yaml", "type: scoring interactive\ngrading:\n  accept_score: 5\n", "problem.yaml:3:17: `grading.accept_score` is not supported"),
    ("problem.yaml", "validation: custom interactive", "there is no output validator"),
    ("problem.yaml", "type: pasfail", "`type` cannot be `pasfail`; it is pass-fail or scoring"),
    ("problem.yaml", "validation: custom multi-pass\nlimits:\n  validation_passes: 1", "`limits.validation_passes` cannot be `1`"),
    ("problem.yaml", "validation: custom score", "output_validators: there is no output validator"),
    ("problem.yaml", "validation: other", "it is default or custom"),
    ("problem.yaml", "validation: custom", "output_validators: there is no output validator"),
    ("problem.yaml", "problem_format_version: 2031-01", "packages of the format `2031-01` are not read; legacy"),
    ("problem.yaml", "validator_flags: float_tolerance", "is followed by nothing"),
    ("problem.yaml", "validator_flags: case_insensitive", "has no flag `case_insensitive`"),
    ("problem.yaml", "validator_flags: [float_tolerance, 1]", "problem.yaml:1:18: `validator_flags` cannot be a list"),
    ("problem.yaml", "validation: {custom: 1}", "`validation` cannot be a list, and cannot hold keys"),
    ("problem.yaml", "limits:\n  memory: [1]", "`limits.memory` cannot be a list"),
    ("data/testdata.yaml", "input_validator_flags: {a: b}", "testdata.yaml:1:24: `input_validator_flags` cannot"),
    ("problem.yaml", "limits: 5", "`limits` has to hold keys of its own"),
    ("problem.yaml", "limits:\n  memory: much", "problem.yaml:2:11: `limits.memory` cannot be `much`; it is a number from 4"),
    ("problem.yaml", "limits:\n  memory: -1", "cannot be `-1`"),
    ("problem.yaml", "limits:\n  time_limit: 0", "cannot be `0`"),
    (".timelimit", "five\n", ".timelimit:1: the time limit cannot be `five`; it is a number of seconds"),
    ("domjudge-problem.ini", "name = x\ntimelimit = 1e9\n", "domjudge-problem.ini:2: the time limit cannot be `1e9`"),
    ("domjudge-problem.ini", "special_run = runner\n", "domjudge-problem.ini:1: `special_run = runner`"),
    ("domjudge-problem.ini", "special_compare = cmp\n", "names a program that is not in the package"),
    ("include/cpp/x y.h", "", "with what people hand in has a plain name"),
    ("data/testdata.yaml", "grading: custom", "testdata.yaml:1:10: graders of packages are not run"),
    ("data/secret/testdata.yaml", "grader_flags: first_error accept_if_any_accepted", "accepts programs that fail a test"),
    ("data/secret/a/2.in", "", "no stored answer"),
    ("data/secret/testdata.yaml", "output_validator_flags: x", "has no flag `x`"),
];

#[test]
fn what_is_wrong_or_not_supported_breaks_the_package_where_it_stands() {
    for (file, text, words) in BROKEN {
        let error = Place::new(&[(file, text)]).load().err();
        let error = error.unwrap_or_else(|| panic!("{file}: {text}"));
        assert!(error.in_one_line().contains(words), "{text}: {error}");
        assert!(!error.is_ours());
    }
}

/// A file, its text, and words of what is remarked; empty for nothing beside the time limit.
#[rustfmt::skip]
const REMARKED: [(&str, &str, &str); 20] = [
    ("problem.yaml", "autor: x", "the key `autor` is not known; did you mean `author`?"),
    ("problem.yaml", "limits:\n  memori: 5", "the key `limits.memori` is not known"),
    ("problem.yaml", "limits:\n  code: 5", "`limits.code` is not used: the course's own counts"),
    ("problem.yaml", "limits:\n  time_multiplier: 5\nkeywords: a b\nsource:\n", ""),
    ("problem.yaml", "type: pass-fail\nvalidation: default\nproblem_format_version: legacy-icpc", ""),
    ("input_validators/x.viva", "", "x.viva: this input validator is not used: it is written in Viva"),
    ("input_validators/x.viva", "", "hacks are taken as they are"),
    ("static_validator/x.py", "", "static_validator: it is not used: no program says anything of sources"),
    ("output_visualizer/x.py", "", "output_visualizer: it is not used: its pictures are not made"),
    ("input_visualizer/README.md", "", "input_visualizer: it is not used: its pictures are not made"),
    ("input_validators/x/build", "", "no scripts of packages are run"),
    ("output_validators/x.py", "", "output_validators: it is not used: problem.yaml does not say `validation: custom`"),
    ("output_validator/x.py", "", "output_validator: it is not used: problem.yaml does not say `validation: custom`"),
    ("input_validator/x.py", "", "the folders are input_validators and output_validators"),
    ("graders/x.py", "", "graders of packages are not run"),
    ("data/2.in", "", "it is not run"),
    ("data/secrets/2.in", "", "did you mean `secret`?"),
    ("data/testdata.yaml", "grader_flags: ignore_sample", "has to pass the samples too"),
    ("data/testdata.yaml", "range: 0 10", "`range` has no effect in a package without points"),
    ("data/testdata.yaml", "", ""),
];

#[test]
fn what_has_no_effect_is_remarked() {
    for (file, text, words) in REMARKED {
        let package = Place::new(&[(file, text)]).load().unwrap();
        let said = remarks(&package);
        assert!(said.contains("it has no time limit"), "{said}");
        assert!(said.contains(words), "{file}: {text}: {said}");
        let is_alone = package.remarks.len() == 1;
        assert_eq!(words.is_empty(), is_alone, "{file}: {text}: {said}");
    }
}

#[test]
fn titles_and_limits_come_from_where_they_are_first_found() {
    let tex = ("problem_statement/problem.tex", "\\problemname{In LaTeX}");
    let ini = "; name = No\nname = 'In the ini'\ntimelimit = 3\n";
    let ini = ("domjudge-problem.ini", ini);
    let both = "name: {sv: Svenska, en: English}\nlimits: {time_limit: 0.5}";
    let of_course = run().caps.cpu.as_secs_f64();
    for (files, title, seconds) in [
        (&[][..], "sum", of_course),
        (&[("problem.yaml", "name: 007 \n")], "007", of_course),
        (&[tex, (".timelimit", "4\n")], "In LaTeX", 4.0),
        (&[tex, ini, (".timelimit", "4")], "In the ini", 3.0),
        (&[("problem.yaml", both)], "English", 0.5),
    ] {
        let package = Place::new(files).load().unwrap();
        let found = (&*package.title, package.limits.cpu);
        assert_eq!(found, (title, Duration::from_secs_f64(seconds)));
    }
    let package = Place::new(&[]).load().unwrap();
    assert_eq!(package.limits.memory_bytes, 2048 * MIB);
    let limits = "limits:\n  memory: 64\n  output: 3\n";
    let package = Place::new(&[("problem.yaml", limits)]).load().unwrap();
    assert_eq!(package.limits.memory_bytes, 64 * MIB);
    assert_eq!(package.limits.output_bytes, 3 * MIB);
}

#[test]
fn a_problem_toml_beside_it_is_read_instead() {
    let place = Place::new(&[("problem.yaml", "type: scoring")]);
    place.write("problem.toml", "title = \"Own\"\n");
    assert_eq!(place.load().unwrap().title, "Own");
    // DOMjudge's file is enough.
    let place = Place::new(&[("domjudge-problem.ini", "name = A\ntimelimit = 2\n")]);
    fs::remove_file(place.0.path().join("sum/problem.yaml")).unwrap();
    assert_eq!(place.load().unwrap().title, "A");
}

#[test]
fn tests_come_in_the_order_of_their_paths_and_flags_from_the_folder_above() {
    let place = Place::new(&[
        ("input_validators/v.py", ""),
        ("data/secret/1/testdata.yaml", "on_reject: continue\n"),
    ]);
    let ordered = "sample/b secret/1 secret/1/y/z secret/1-a/x secret/10 secret/9";
    ordered
        .split(' ')
        .rev()
        .for_each(|name| place.test(name, ""));
    place.write("data/secret/testdata.yaml", "input_validator_flags: a b\n");
    let package = place.load().unwrap();
    let names: Vec<&str> = package.tests.iter().map(|test| &*test.name.name).collect();
    assert_eq!(names.join(" "), ordered);
    assert_eq!(package.tests[0].name.kind, TestKind::Sample);
    assert_eq!(package.validators[0].arguments, ["a", "b"]);
    let icpc = Mode::Icpc(crate::compare::Flags::default());
    assert_eq!(package.mode, icpc);
}

#[test]
fn an_output_validator_is_found_and_told_its_flags() {
    let yaml = "validation: custom\nvalidator_flags: a  b\n";
    let place = Place::new(&[
        ("problem.yaml", yaml),
        ("output_validators/check/testlib.h", ""),
        ("output_validators/check/check.cpp.bin", ""),
        ("data/testdata.yaml", "output_validator_flags: c"),
    ]);
    let includes = "#include \"testlib.h\"";
    place.write("output_validators/check/check.cpp", includes);
    let checker = place.load().unwrap().checker.unwrap();
    assert_eq!(checker.protocol, Protocol::Icpc, "whatever it includes");
    assert_eq!(checker.arguments, ["a", "b", "c"]);
    assert_eq!(checker.program.headers[0].0, "testlib.h");
    place.test("secret/a/2", "");
    for (file, words) in [
        ("two.py", "there are several output validators"),
        ("check/b.cpp", "it has several sources (b.cpp, check.cpp)"),
        ("check/run", "a script of its own, `run`"),
    ] {
        let file = format!("output_validators/{file}");
        place.write(&file, "output_validator_flags: d");
        let error = place.load().err().unwrap_or_else(|| panic!("{file}"));
        assert!(error.to_string().contains(words), "{file}: {error}");
        fs::remove_file(place.0.path().join("sum").join(file)).unwrap();
    }
    // What it is told may be another thing in each folder; a comparison cannot be.
    let flags = |text| place.write("data/secret/a/testdata.yaml", text);
    flags("output_validator_flags: d");
    let package = place.load().unwrap();
    assert_eq!(told(&package), [None, Some("a b d".to_owned())]);
    flags("output_validator_flags: c");
    let same = place.load().unwrap();
    assert_eq!(same.tests[1].name.told, None);
    assert_ne!(same.judging_digest(), package.judging_digest());
    place.write("problem.yaml", "");
    flags("output_validator_flags: case_sensitive");
    place.write("data/testdata.yaml", "");
    let error = place.load().err().unwrap().to_string();
    let words = "outputs would be compared in another way";
    assert!(error.contains(words), "{error}");
}

#[test]
fn a_package_that_needs_no_program_is_read_without_a_sandbox() {
    let place = Place::new(&[]);
    let slug = ProblemSlug::new("sum").unwrap();
    let seen = look(place.0.path(), &slug);
    let mut before = seen.fingerprint;
    assert!(seen.load(&run().caps, &mut NoOracle).is_ok());
    let talk = "data/sample/1.interaction";
    let grading = ("data/secret/testdata.yaml", "on_reject: break\n");
    for (file, text) in [grading, (talk, "<1"), (talk, "<22")] {
        place.write(file, text);
        let now = look(place.0.path(), &slug).fingerprint;
        assert_ne!(now, before, "{file}");
        before = now;
    }
}

/// A package with points: what its folders say, by the names of the folders below `data`.
fn with_points(folders: &[(&str, &str)]) -> Result<Package, Trouble> {
    let place = Place::new(&[("problem.yaml", "type: scoring\nvalidation: default\n")]);
    let place = place.with_tests("sample/1 secret/a/1 secret/a/2 secret/b/1");
    for (folder, text) in folders {
        place.write(&format!("data/{folder}/testdata.yaml"), text);
    }
    place.load()
}

#[rustfmt::skip]
const DATA: (&str, &str) = ("", "on_reject: continue\nrange: 0 100\ngrader_flags: ignore_sample\n");
const SECRET: (&str, &str) = (
    "secret",
    "grader_flags: first_error accept_if_any_accepted\n",
);
#[rustfmt::skip]
const A: (&str, &str) = ("secret/a", "on_reject: break\naccept_score: 30\nrange: 0 30\ngrader_flags: min\n");
#[rustfmt::skip]
const B: (&str, &str) = ("secret/b", "accept_score: 70.0\ngrader_flags: min first_error\n");

#[test]
fn a_time_limit_is_computed_by_the_multipliers_of_the_package() {
    let own = "limits:\n  time_multiplier: 7\n  time_safety_margin: 3.5\n";
    for (text, accepted, too_slow) in [("", 5.0, 2.0), (own, 7.0, 3.5)] {
        let package = Place::new(&[("problem.yaml", text)]).load().unwrap();
        let expected = Multipliers { accepted, too_slow };
        assert_eq!(package.multipliers, expected);
    }
}

#[test]
fn each_folder_of_a_package_with_points_is_a_group() {
    let package = with_points(&[DATA, SECRET, A, B]).unwrap();
    let groups = package.groups.iter();
    let groups: Vec<_> = groups.map(|group| (&*group.name, group.points)).collect();
    assert_eq!(groups, [("a", 30), ("b", 70)]);
    let names = package.tests.iter().map(|test| &test.name);
    let tests: Vec<_> = names.map(|name| (&*name.name, name.group)).collect();
    let of_a = [("secret/a/1", Some(0)), ("secret/a/2", Some(0))];
    let of_none = [("sample/1", None)];
    assert_eq!(
        tests,
        [&of_none[..], &of_a, &[("secret/b/1", Some(1))]].concat()
    );
    // Where the samples themselves say that they bring nothing, nobody has to ignore them.
    let without = ("sample", "accept_score: 0\ngrader_flags: first_error\n");
    let open = ("", "on_reject: continue\n");
    assert!(with_points(&[open, without, SECRET, A, B]).is_ok());
    // Where each test brings points, and counts although another one is failed, they are summed.
    let sum = "accept_score: 15\ngrader_flags: sum accept_if_any_accepted\non_reject: continue\n";
    let summed = with_points(&[DATA, SECRET, ("secret/a", sum)]).unwrap();
    let groups = summed.groups.iter();
    let groups: Vec<(u32, Scoring)> = groups.map(|group| (group.points, group.scoring)).collect();
    assert_eq!(groups, [(30, Scoring::Sum), (1, Scoring::Sum)]);
}

#[test]
fn where_a_validator_gives_points_a_range_says_how_many() {
    let yaml = "type: scoring\nvalidation: custom score\n";
    let place = Place::new(&[("problem.yaml", yaml), ("output_validators/v.py", "")]);
    place.write(&format!("data/{}/testdata.yaml", DATA.0), DATA.1);
    let secret = "range: 0 100\non_reject: continue\ngrader_flags: accept_if_any_accepted\n";
    place.write("data/secret/testdata.yaml", secret);
    let package = place.load().unwrap();
    assert_eq!(package.checker.unwrap().gives, Some(Gives::Points));
    // Tests in no folder are a group, but not beside others.
    let groups = package.groups.iter();
    let groups = groups.map(|group| (group.name.as_str(), group.points, group.scoring));
    assert_eq!(groups.collect::<Vec<_>>(), [("secret", 100, Scoring::Sum)]);
    place.test("secret/a/1", "2\n");
    let said = place.load().err().unwrap().in_one_line();
    assert!(said.contains("has to lie directly in a folder"), "{said}");
}

/// Of a package with points, what its folders say, and words of what is wrong with it.
type Refused = (&'static [(&'static str, &'static str)], &'static str);

#[rustfmt::skip]
const OTHER_POINTS: [Refused; 16] = [
    (&[("", "grader_flags: ignore_sample\n"), ("secret", "on_reject: continue\ngrader_flags: accept_if_any_accepted\n"), A, B], "a program that fails a sample gets no points at all"),
    (&[("", "on_reject: continue\ngrader_flags: ignore_sample accept_if_any_accepted\n"), A, B], "do not count independently"),
    (&[("", "on_reject: continue\ngrader_flags: min\n"), ("sample", "accept_score: 0\n"), SECRET, A, B], "the samples bring points"),
    (&[("", "on_reject: continue\ngrader_flags: avg\n"), ("sample", "accept_score: 0\n"), SECRET, A, B], "the samples bring points"),
    (&[DATA, SECRET, A, ("secret/b", "grader_flags: min ignore_sample\n")], "secret/b: a program can get other points"),
    (&[DATA, A, B], "do not count independently"),
    (&[DATA, ("secret", "grader_flags: accept_if_any_accepted\non_reject: break\n"), A, B], "do not count independently"),
    (&[DATA, ("secret", "grader_flags: accept_if_any_accepted min\n"), A, B], "do not count independently"),
    (&[("", "on_reject: continue\n"), SECRET, A, B], "the samples bring points"),
    (&[DATA, SECRET, A, ("secret/b", "grader_flags: sum\n")], "secret/b: a program can get other points for this group"),
    (&[DATA, SECRET, A, ("secret/b", "grader_flags: min\naccept_score: 2.5\n")], "secret/b/testdata.yaml:2:15: `accept_score: 2.5` is not a whole number"),
    (&[DATA, SECRET, A, ("secret/b", "grader_flags: min\nreject_score: 1\n")], "`reject_score: 1`: points for a failed test"),
    (&[DATA, SECRET, A, ("secret/b", "grader_flags: minimum\n")], "the default grader has no flag `minimum`"),
    (&[DATA, SECRET, A, ("secret/b", "on_reject: stop\n")], "`on_reject` cannot be `stop`; it is break or continue"),
    (&[DATA, SECRET, A, ("secret/b", "grading: custom\n")], "graders of packages are not run"),
    (&[DATA, SECRET, ("secret/a", "grader_flags: min\naccept_score: 0\n"), ("secret/b", "grader_flags: min\naccept_score: 0\n")], "no group has any points"),
];

#[test]
fn points_that_mean_something_else_break_the_package() {
    for (folders, words) in OTHER_POINTS {
        let said = with_points(folders).err().unwrap().in_one_line();
        assert!(said.contains(words), "{folders:?}: {said}");
    }
    // A test in a folder within a group.
    let place = Place::new(&[("problem.yaml", "type: scoring\n")]);
    for (folder, text) in [DATA, SECRET, A] {
        place.write(&format!("data/{folder}/testdata.yaml"), text);
    }
    place.test("secret/a/b/1", "1\n");
    let said = place.load().err().unwrap().in_one_line();
    assert!(said.contains("has to lie directly in a folder"), "{said}");
    let place = Place::new(&[("problem.yaml", "type: scoring\n")]).with_tests("sample/1");
    let said = place.load().err().unwrap().in_one_line();
    assert!(
        said.contains("data/secret: there are no tests in it"),
        "{said}"
    );
}
