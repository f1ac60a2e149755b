//! Orders and facts: that they survive being sent, name nobody, and lose nothing however they are
//! cut.

use std::sync::Arc;

use proptest::prelude::*;

use super::samples::{
    Blobs, built, case, checked, exited, facts, limits, package, ran, rules, sum, test, toolchain,
};
use crate::compare::tests::{icpc, mode as near};
use crate::compare::{Mode, WrongLayout};
use crate::domain::{Cause, Digest, End, Fault, Judgement, RunFacts, Verdict};
use crate::judge::archive::Memory;
use crate::judge::case::{Case, Facts, recall};
use crate::judge::fold::fold;
use crate::judge::measure::Station;
use crate::judge::order::{
    Bytes, Ended, Fact, Flow, JudgeWork, ORDER_VERSION, Order, STEPS_MAX, Sink, Step, Work,
    Worker as _,
};
use crate::judge::plan::{Cost, cost, plan};
use crate::judge::settle::compare_bytes;
use crate::judge::{Rules, keys};
use crate::package::{Io, Package, Protocol};
use crate::sandbox::{Job, Outcome, Room, Runner};
use crate::util::hash::digest;
use crate::util::tests::trials::trials;

/// The bytes of a package and of a program.
fn blobs(package: &Package) -> Blobs {
    let (checker, tests) = (package.checker.iter(), package.tests.iter());
    let checker = checker.map(|checker| &*checker.program.source);
    let tests: Vec<_> = tests.map(|test| test.read().unwrap()).collect();
    let tests = tests.iter().flatten().map(|bytes| &**bytes);
    Blobs::of(tests.chain(checker).chain([&b"print(3)"[..]]))
}

/// Takes so many facts, and keeps them.
struct Taken<'m> {
    facts: Vec<Fact>,
    most: usize,
    memory: &'m Memory,
}

impl Sink for Taken<'_> {
    fn fact(&mut self, fact: &Fact, bytes: Bytes<'_>) -> Result<Flow, Fault> {
        if self.facts.len() == self.most {
            return Err(Fault::new("take a fact", "the connection is gone"));
        }
        self.facts.push(fact.clone());
        (&mut &*self.memory).fact(fact, bytes)
    }
}

/// What a program prints on each test, and what the checker says of each output.
#[derive(Debug, Clone)]
pub struct Script {
    pub prints: Vec<&'static str>,
    pub is_slow: Vec<bool>,
}

impl Script {
    /// One that is never slow.
    pub fn of(prints: Vec<&'static str>) -> Self {
        let is_slow = vec![false; prints.len()];
        Self { prints, is_slow }
    }
}

/// A sandbox that answers each job by what it is given.
struct Scripted<'s> {
    script: &'s Script,
    package: &'s Package,
}

impl Runner for Scripted<'_> {
    fn enter(&mut self, _: &Room) -> Result<(), Fault> {
        Ok(())
    }

    fn run(&mut self, job: &Job) -> Result<Outcome, Fault> {
        if job.files.iter().any(|file| file.name.starts_with("case/")) {
            return Ok(exited(if &*job.stdin == b"3\n" { 42 } else { 43 }, ""));
        }
        let mut tests = self.package.tests.iter();
        let place = tests.position(|test| test.input.read().unwrap() == job.stdin);
        let mut outcome = Outcome::printed(place.map_or("", |test| self.script.prints[test]));
        if place.is_some_and(|test| self.script.is_slow[test]) {
            outcome.cpu = limits().cpu * 11 / 10;
        }
        Ok(outcome)
    }
}

/// Does an order with these programs, and learns from it.
fn learn(known: &mut Facts, order: &Order, package: &Package, script: &Script) -> Vec<Fact> {
    let (_, facts) = done(order, package, script, &Memory::default(), usize::MAX);
    for fact in &facts {
        known.learn(fact);
    }
    facts
}

/// Does an order with these programs, and takes so many facts.
fn done(
    order: &Order,
    package: &Package,
    script: &Script,
    memory: &Memory,
    most: usize,
) -> (Result<Ended, Fault>, Vec<Fact>) {
    let toolchain = toolchain();
    let mut runner = Scripted { script, package };
    let mut station = Station::new(&mut runner, &toolchain, Arc::from("here"));
    let mut taken = Taken {
        facts: Vec::new(),
        most,
        memory,
    };
    let ended = station.measure(order, &blobs(package), &mut taken);
    (ended, taken.facts)
}

fn sent<T: serde::Serialize + serde::de::DeserializeOwned>(thing: &T) -> T {
    serde_json::from_slice(&serde_json::to_vec(thing).unwrap()).unwrap()
}

pub fn with_case<T>(package: &Package, rules: &Rules, work: impl FnOnce(&Case<'_>) -> T) -> T {
    let toolchain = toolchain();
    work(&case(package, &toolchain, rules))
}

#[test]
fn numbers_of_a_mode_are_sent_to_the_last_bit() {
    for number in [0.1, 1.0 / 3.0, f64::MIN_POSITIVE, 123_456.789_012_345_67] {
        let mode = near(number, number / 7.0);
        assert_eq!(sent(&mode), mode);
        let key = |mode: &Mode| keys::mode(mode, WrongLayout::Wrong);
        assert_eq!(key(&sent(&mode)), key(&mode));
    }
}

#[test]
fn an_input_that_is_there_twice_is_run_once() {
    let script = Script::of(vec!["3\n"; 2]);
    let mut package = sum(2);
    package.tests[1].name.input = package.tests[0].name.input;
    package.tests[1].input = package.tests[0].input.clone();
    with_case(&package, &rules(), |case| {
        let mut known = Facts::default();
        let order = plan(case, &known).unwrap();
        let facts = learn(&mut known, &order, &package, &script);
        assert_eq!(runs(&facts), 1);
        assert_eq!(plan(case, &known), None);
        let judgement = fold(case, &known);
        assert_eq!(judgement.verdict, Verdict::Accepted);
        assert_eq!(judgement.tests.len(), 2);
    });
}

#[test]
fn an_order_has_a_bound_and_the_rest_is_the_next_one() {
    let script = Script::of(vec!["3\n"; 2 * STEPS_MAX + 1]);
    let package = sum(2 * STEPS_MAX + 1);
    with_case(&package, &rules(), |case| {
        let mut known = Facts::default();
        let mut steps = Vec::new();
        while let Some(order) = plan(case, &known) {
            assert!(serde_json::to_vec(&order).unwrap().len() < 256 * 1024);
            learn(&mut known, &order, &package, &script);
            steps.push(work_of(order).steps.len());
        }
        assert_eq!(steps, [STEPS_MAX, STEPS_MAX, 1]);
        assert_eq!(fold(case, &known).verdict, Verdict::Accepted);
    });
}

fn work_of(order: Order) -> JudgeWork {
    match order.work {
        Work::Judge(work) => work,
        other @ Work::Call { .. } => panic!("{other:?}"),
    }
}

pub fn runs(facts: &[Fact]) -> usize {
    let runs = facts.iter().filter(|fact| matches!(fact, Fact::Ran { .. }));
    runs.count()
}

#[test]
fn a_worker_of_another_shape_refuses() {
    let package = sum(1);
    let mut order = with_case(&package, &rules(), |case| plan(case, &Facts::default())).unwrap();
    order.version = ORDER_VERSION + 1;
    let silent = Script::of(vec![""]);
    let (refused, facts) = done(&order, &package, &silent, &Memory::default(), 9);
    assert!(refused.is_err() && facts.is_empty());
}

#[test]
fn nothing_is_run_where_only_a_checker_has_to_be_asked() {
    let package = checked(vec![test("secret/1", "3\n")], "check");
    with_case(&package, &rules(), |case| {
        let mut known = Facts::default();
        known.learn(&built(case));
        known.learn(&ran(case, &package.tests[0], &facts("4\n")));
        let order = plan(case, &known).unwrap();
        // Where the output's bytes are gone, the program has to print them again.
        let silent = Script::of(vec![""]);
        let (ended, lost) = done(&order, &package, &silent, &Memory::default(), 9);
        assert_eq!(ended, Ok(Ended::Lost));
        assert_eq!(lost, [Fact::Lost(digest(b"4\n"))]);
        let JudgeWork { program, steps, .. } = work_of(order);
        assert_eq!(program, None);
        assert!(matches!(steps[..], [Step::Ask { .. }]), "{steps:?}");
        known.learn(&lost[0]);
        let JudgeWork { program, steps, .. } = work_of(plan(case, &known).unwrap());
        assert!(program.is_some());
        let is_run_anew = matches!(steps[..], [Step::Run { before: None, .. }]);
        assert!(is_run_anew, "{steps:?}");
    });
}

#[test]
fn what_a_judgement_takes_is_what_is_missing() {
    let tests: Vec<_> = ["a", "b"].map(|name| test(name, "3\n")).into();
    for (package, checks) in [(package(tests.clone()), 0), (checked(tests, "check"), 2)] {
        with_case(&package, &rules(), |case| {
            let takes = |known: &Facts, builds, runs, checks| {
                let expected = Cost {
                    builds,
                    runs,
                    checks,
                };
                assert_eq!(cost(case, known), expected);
            };
            let [mut known, mut failed] = [(); 2].map(|()| Facts::default());
            takes(&known, 1, 2, checks);
            known.learn(&built(case));
            takes(&known, 0, 2, checks);
            known.learn(&ran(case, &package.tests[0], &facts("4\n")));
            takes(&known, 0, 1, checks);
            let mut build = built(case);
            if let Fact::Built { build, .. } = &mut build {
                build.result = Err(Cause::Compiler);
            }
            failed.learn(&build);
            takes(&failed, 0, 0, 0);
        });
    }
}

/// The first step towards a judgement, said in the plainest way: the yardstick for orders.
fn first_step(case: &Case<'_>, known: &Facts) -> Option<usize> {
    for (index, result) in fold(case, known).tests.iter().enumerate() {
        match result.said.verdict {
            Verdict::Skipped => return Some(index),
            Verdict::Accepted => {}
            _ if case.rules.stop_at_first_failure => return None,
            _ => {}
        }
    }
    None
}

fn run_of(kind: u8) -> Option<RunFacts> {
    let mut run = facts(if kind == 1 { "4\n" } else { "3\n" });
    match kind {
        0 => return None,
        2 => run.end = End::Exited(1),
        3 => run.caps.processes = 1,
        4 => run.output.kept = None,
        _ => {}
    }
    Some(run)
}

proptest! {
    #![proptest_config(trials(64))]

    #[test]
    fn the_first_step_is_what_is_missing_first(
        kinds in prop::collection::vec(0_u8..6, 1..6),
        stop in any::<bool>(),
    ) {
        let package = sum(kinds.len());
        let rules = Rules { stop_at_first_failure: stop, ..rules() };
        with_case(&package, &rules, |case| {
            let mut known = Facts::default();
            known.learn(&built(case));
            for (test, kind) in package.tests.iter().zip(&kinds) {
                let Some(run) = run_of(*kind) else { continue };
                known.learn(&ran(case, test, &run));
                known.learn(&Fact::Compared {
                    question: case.question(&test.name, &run.output.digest),
                    compared: compare_bytes(&package.mode, package.wrong_layout, b"3\n", b"4\n"),
                    is_unique: false,
                });
            }
            let first = plan(case, &known).map(|order| work_of(order).steps[0].test().index);
            assert_eq!(first, first_step(case, &known));
        });
    }

    #[test]
    fn cut_after_any_fact_the_rest_is_done_and_nothing_twice(
        prints in prop::collection::vec(prop_oneof![Just("3\n"), Just("4\n"), Just("")], 1..5),
        slow in prop::collection::vec(any::<bool>(), 5),
        stop in any::<bool>(),
        with_checker in any::<bool>(),
        cut in 0_usize..12,
    ) {
        let script = Script { is_slow: slow, prints };
        let mut package = sum(script.prints.len());
        if with_checker {
            package.checker = checked(Vec::new(), "check").checker;
        }
        let rules = Rules { stop_at_first_failure: stop, ..rules() };
        with_case(&package, &rules, |case| {
            let (whole, all) = judged(case, &package, &script, &Memory::default(), usize::MAX);
            let memory = Memory::default();
            let (_, before) = judged(case, &package, &script, &memory, cut);
            let (again, after) = judged(case, &package, &script, &memory, usize::MAX);
            assert_eq!(again.unwrap(), whole.unwrap());
            assert!(runs(&before) + runs(&after) <= runs(&all) + 1);
        });
    }
}

/// Brings a case to its judgement from what the memory knows, and gives the facts that were new.
pub fn judged(
    case: &Case<'_>,
    package: &Package,
    script: &Script,
    memory: &Memory,
    most: usize,
) -> (Option<Judgement>, Vec<Fact>) {
    let mut known = recall(memory, case).unwrap();
    let mut all = Vec::new();
    while let Some(order) = plan(case, &known) {
        let (ended, facts) = done(&order, package, script, memory, most - all.len().min(most));
        for fact in &facts {
            known.learn(fact);
        }
        all.extend(facts);
        if ended.is_err() {
            return (None, all);
        }
    }
    (Some(fold(case, &known)), all)
}

#[test]
fn keys_are_made_of_bytes_that_do_not_change_by_themselves() {
    let one = Digest([1; 32]);
    let float = near(1e-6, 1e-9);
    let mut rules = rules();
    rules.repeat_near_limit = false;
    rules.policy = one;
    let tokens = keys::mode(&Mode::Tokens, WrongLayout::Presentation);
    let flags = icpc(false, false, Some((1e-6, 1e-9)));
    assert_eq!(sent(&flags), flags);
    let told = ["least".to_owned(), "2".to_owned()];
    let validity = keys::validity(&one, (Protocol::Icpc, &[]), &one, &one);
    let keys = [
        ("mode", tokens),
        ("float", keys::mode(&float, WrongLayout::Wrong)),
        ("checker", keys::checker(Protocol::Testlib, &one, &[])),
        ("flags", keys::mode(&flags, WrongLayout::Wrong)),
        ("told", keys::checker(Protocol::Icpc, &one, &told)),
        ("opinion", keys::comparison(&one, &one, &one, &one)),
        ("validity", validity),
        ("answer", keys::answer(&one, &one, &one)),
        ("policy", keys::run_policy(Io::StdioOrFiles, 1, &one)),
        ("limits", keys::limits(&limits())),
        ("fold", keys::fold(&one, &one, &rules)),
        ("package", sum(2).judging_digest()),
    ];
    let lines = keys.map(|(name, key)| format!("{name} {}", key.short()));
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn an_order_and_its_facts_as_they_are_sent() {
    let script = Script::of(vec!["4\n"]);
    let package = checked(vec![test("secret/1", "3\n")], "check");
    let order = with_case(&package, &rules(), |case| plan(case, &Facts::default()));
    let order = order.unwrap();
    let (ended, facts) = done(&order, &package, &script, &Memory::default(), usize::MAX);
    assert_eq!(ended, Ok(Ended::Done));
    let all = (order, facts);
    assert_eq!(sent(&all), all);
    let text = serde_json::to_string_pretty(&all).unwrap();
    for hidden in ["/usr", "/bin", env!("CARGO_MANIFEST_DIR")] {
        assert!(!text.contains(hidden), "a place of this machine: {text}");
    }
    insta::assert_snapshot!(text);
}
