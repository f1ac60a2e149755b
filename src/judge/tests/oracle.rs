//! What the programs of packages are asked, what their ends mean, and what is remembered of that.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::grade::{Course, build as built, stopped};
use super::samples::{checked, exited, package, sum, test};
use crate::config;
use crate::domain::{Complaint, End, Rounds, Verdict};
use crate::judge::Grader;
use crate::package::{
    Case, Checker, Oracle as _, Package, PackageProgram, Protocol, Test, Trouble, Validator,
};
use crate::sandbox::Outcome;
use crate::toolchain::Toolchain;
use crate::util::MIB;

fn bytes(text: &str) -> Arc<[u8]> {
    Arc::from(text.as_bytes())
}

/// A program of a package; it is Python to the toolchain, whatever it says.
fn program(source: &str) -> PackageProgram {
    checked(Vec::new(), source).checker.unwrap().program
}

/// What a program said; nothing of ours has failed.
fn said<T>(result: Result<T, Trouble>) -> Result<T, Complaint> {
    result.map_err(|trouble| match trouble {
        Trouble::Theirs(complaint) => complaint,
        Trouble::Ours(fault) => panic!("{fault}"),
    })
}

#[test]
fn a_valid_input_is_remembered_and_a_refused_one_is_asked_about_again() {
    let course = Course::new();
    let validator = Validator {
        program: program("validate"),
        protocol: Protocol::Icpc,
        arguments: Vec::new(),
    };
    let ask = |script: Vec<Outcome>, input: &str| -> Result<(), Complaint> {
        said(course.ask(script, |oracle| oracle.validate(&validator, &bytes(input))))
    };
    assert_eq!(ask(vec![built(), exited(42, "")], "1\n"), Ok(()));
    assert_eq!(&*course.runner.jobs()[1].stdin, b"1\n");
    assert_eq!(ask(vec![], "1\n"), Ok(()));
    let complaint = ask(vec![exited(43, "line 2: no")], "2\n").unwrap_err();
    assert_eq!(complaint.place, Some((2, Some(1))));
    assert_eq!(complaint.reason, "line 2: no");
    assert_eq!(ask(vec![exited(42, "")], "2\n"), Ok(()));
}

#[test]
fn a_reference_that_ends_badly_gives_no_answer() {
    let answer_bytes = usize::try_from(package(Vec::new()).limits.output_bytes).unwrap();
    let printed = |length: usize| Outcome::printed(vec![b'7'; length]);
    let mut crashed = Outcome::printed("3\n");
    crashed.end = End::Signalled(11);
    for (outcome, complaint) in [
        (Outcome::printed("3\n"), None),
        (printed(answer_bytes), None),
        (printed(answer_bytes + 1), Some("printed more than")),
        (exited(1, "ValueError"), Some("ValueError")),
        (crashed, Some("SIGSEGV")),
        (stopped(2_000), Some("too long")),
    ] {
        let course = Course::new();
        let printed = outcome.stdout.clone();
        let answer = course.ask([built(), outcome], |oracle| {
            let input = bytes("1\n");
            oracle.answer(&package(Vec::new()), &program("solve"), &input)
        });
        match (said(answer), complaint) {
            (Ok(answer), None) => assert_eq!(*answer, printed[..]),
            (Err(error), Some(words)) => assert!(error.reason.contains(words), "{error:?}"),
            (answer, expected) => panic!("{answer:?}, {expected:?}"),
        }
    }
}

#[test]
fn a_reference_has_five_times_the_time_and_twice_the_memory_and_is_asked_once() {
    let course = Course::new();
    let sum = package(Vec::new());
    for script in [vec![built(), Outcome::printed("3\n")], vec![]] {
        let answer = course.ask(script, |oracle| {
            oracle.answer(&sum, &program("solve"), &bytes("1\n"))
        });
        assert_eq!(*answer.unwrap(), *b"3\n");
    }
    let job = course.last_job();
    assert_eq!(&*job.stdin, b"1\n");
    assert_eq!(job.caps.cpu, sum.limits.cpu * 5);
    assert!(job.caps.wall >= job.caps.cpu * 2, "{:?}", job.caps);
    let memory_bytes = sum.limits.memory_bytes * 2 + course.extra_bytes();
    assert_eq!(job.caps.memory_bytes, memory_bytes);
}

#[test]
fn what_a_checker_says_is_remembered_and_that_it_fails_is_not() {
    let course = Course::new();
    let checker = checked(Vec::new(), "check").checker.unwrap();
    let ask = |script: Vec<Outcome>, output: &str| {
        let case = Case {
            input: &bytes("1\n"),
            answer: &bytes("2\n"),
            output: &bytes(output),
            told: None,
        };
        said(course.ask(script, |oracle| oracle.check(&checker, &case)))
            .map(|compared| compared.verdict)
    };
    assert!(ask(vec![built(), exited(1, "")], "3\n").is_err());
    let (wrong, right) = (Verdict::WrongAnswer, Verdict::Accepted);
    for (code, output, verdict) in [(43, "3\n", wrong), (42, "4\n", right)] {
        assert_eq!(ask(vec![exited(code, "")], output), Ok(verdict));
        assert_eq!(ask(vec![], output), Ok(verdict));
    }
    // A student who prints the same is asked about nobody again.
    let mut sum = checked(vec![test("1\n", "2\n")], "check");
    sum.checker = Some(checker);
    let script = [built(), Outcome::printed("3\n")];
    assert_eq!(course.says(&sum, script), "WA 1 1 0");
}

#[test]
fn a_checker_is_asked_as_its_protocol_says() {
    use Protocol::{Icpc, Testlib};
    for (protocol, arguments, flags, stdin) in [
        (Icpc, ["input", "answer", ""], &["x", "1"][..], "the output"),
        (Testlib, ["input", "output", "answer"], &[], ""),
    ] {
        let course = Course::new();
        let checker = Checker {
            protocol,
            program: program("check"),
            arguments: flags.iter().map(|&flag| flag.to_owned()).collect(),
            rounds: Rounds::default(),
            gives: None,
            judge: None,
        };
        let job = |script: Vec<Outcome>, output: &str| {
            let case = Case {
                input: &bytes("the input"),
                answer: &bytes("the answer"),
                output: &bytes(output),
                told: None,
            };
            let _ = said(course.ask(script, |oracle| oracle.check(&checker, &case)));
            course.last_job()
        };
        let asked = job(vec![built(), exited(43, "")], "the output");
        let paths = arguments.map(|name| match name {
            "" => "/box/".to_owned(),
            name => format!("/box/case/{name}"),
        });
        let told = [&paths[..], &checker.arguments].concat();
        assert!(asked.argv.ends_with(&told));
        assert_eq!(*asked.stdin, *stdin.as_bytes());
        for (file, name) in asked.files.iter().zip(["input", "answer", "output"]) {
            assert_eq!(file.name, format!("case/{name}"));
            assert_eq!(*file.bytes, *format!("the {name}").as_bytes());
        }
        assert_eq!(asked.files.len(), 3);
        // Whatever it is given has room beside its own.
        let longer = job(vec![exited(43, "")], &"7".repeat(1_010));
        assert_eq!(longer.disk_bytes, asked.disk_bytes + 1_000);
        assert_eq!(longer.caps.memory_bytes, asked.caps.memory_bytes + 1_000);
        let own = 1_024 * MIB + course.extra_bytes();
        assert_eq!(asked.caps.memory_bytes, own + 29);
    }
}

/// A package with two tests, in a folder with these accepted examples.
fn with_examples(folder: &tempfile::TempDir, examples: &[(&str, &str)]) -> Package {
    let accepted = folder.path().join("submissions/accepted");
    fs::create_dir_all(&accepted).unwrap();
    for (name, source) in examples {
        fs::write(accepted.join(name), source).unwrap();
    }
    let examples = examples.iter().map(|(name, _)| accepted.join(name));
    Package {
        folder: folder.path().to_owned(),
        examples: examples.collect(),
        ..sum(2)
    }
}

fn vouch(course: &Course, package: &Package, script: Vec<Outcome>) -> Result<Vec<String>, String> {
    vouch_for(course, package, script, &test("hack/evil", "3\n"))
}

fn vouch_for(
    course: &Course,
    package: &Package,
    script: Vec<Outcome>,
    test: &Test,
) -> Result<Vec<String>, String> {
    let asked = course.ask(script, |oracle| oracle.vouch(package, test));
    said(asked).map_err(|complaint| complaint.reason)
}

#[test]
fn a_hack_joins_when_every_example_passes_it_that_can_be_built_here() {
    let folder = tempfile::tempdir().unwrap();
    let mut course = Course::new();
    let table = "[languages.ruby]\nrun = [\"no-such-ruby\"]\ninstall = \"go and get it\"\n";
    let config = config::parse(table, Path::new("config.toml")).unwrap();
    course.toolchain = Toolchain::of(&config);
    let right = Outcome::printed("3\n");
    let names = ["a.py", "b.py", "bad.py", "c.what", "e.rb"];
    let package = with_examples(&folder, &names.map(|name| (name, name)));
    // One cannot be built: the compiler works, so it is the program, and nothing is said.
    let no = exited(1, "SyntaxError");
    let script = vec![built(), right.clone(), built(), right, no, built()];
    let untried = vouch(&course, &package, script).unwrap();
    assert_eq!(untried.len(), 1, "{untried:?}");
    for words in ["submissions/accepted/e.rb: Ruby ", "go and get it"] {
        assert!(untried[0].contains(words), "{words}: {untried:?}");
    }
    // Each was built and run on the hack, and on no other test.
    let jobs = course.runner.jobs();
    assert_eq!((jobs.len(), &*jobs[1].stdin), (6, &b"hack/evil"[..]));
    // That stands, also when an example is added.
    let package = with_examples(&folder, &[("d.py", "d")]);
    assert_eq!(vouch(&course, &package, vec![]), Ok(untried));
    // With another answer it does not.
    let other = test("hack/evil", "4\n");
    let script = vec![built(), Outcome::printed("3\n")];
    let reason = vouch_for(&course, &package, script, &other).unwrap_err();
    assert!(reason.contains("expected 4, got 3"), "{reason}");
    // What an upgrade says stands for any answer.
    let passed = crate::judge::passed_key(&package.slug, &other.name.input);
    let keep = |mut grader: Grader<'_>| grader.keep_answer(passed, &Arc::from([]));
    course.with_grader(vec![], keep).unwrap();
    assert_eq!(vouch_for(&course, &package, vec![], &other), Ok(vec![]));
}

#[test]
fn a_hack_on_which_an_example_fails_is_held_back_with_the_reason() {
    let mut too_large = Outcome::printed("3\n");
    too_large.memory_exceeded = true;
    let (wrong, slow) = (Outcome::printed("4\n"), [2_000, 2_500].map(stopped));
    let over = "TLE, 2.50 s of CPU time, and 2.00 s are allowed";
    for (script, words) in [
        (vec![wrong], "WA, line 1, column 1: expected 3, got 4"),
        (slow.into(), over),
        (vec![exited(3, "")], "RE, it ended with exit code 3"),
        (vec![too_large], "MLE, memory limit exceeded"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let course = Course::new();
        let package = with_examples(&folder, &[("a.py", "a"), ("b.py", "b")]);
        let right = Outcome::printed("3\n");
        let script = [vec![built(), right, built()], script].concat();
        let reason = vouch(&course, &package, script).unwrap_err();
        let named = "submissions/accepted/b.py, which has to be accepted, fails on it: ";
        assert_eq!(reason, format!("{named}{words}"));
        // It is not run again to say the same, and the next example is not asked.
        with_examples(&folder, &[("c.py", "c")]);
        assert_eq!(vouch(&course, &package, vec![]), Err(reason));
    }
}
