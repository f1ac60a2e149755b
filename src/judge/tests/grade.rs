//! What is built and run for each change, counted: only what is missing.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::samples::{exited, limits, package, rules, source, test, toolchain};
use crate::domain::{Fault, FaultKind, LanguageId, Stop, Verdict};
use crate::judge::order::{Bytes, Fact, Flow, Sink};
use crate::judge::{Grader, Judged, Memory, Progress, Rules, SandboxOracle, Station, judge};
use crate::package::Package;
use crate::sandbox::Outcome;
use crate::sandbox::scripted::Scripted;
use crate::toolchain::Toolchain;

/// One submission that is judged again and again on the same facts.
pub struct Course {
    pub toolchain: Toolchain,
    facts: Memory,
    pub runner: Scripted,
    pub rules: Rules,
    pub source: Arc<[u8]>,
    /// The progress that was reported.
    told: Mutex<Vec<Progress>>,
}

impl Course {
    pub fn new() -> Self {
        Self {
            toolchain: toolchain(),
            facts: Memory::default(),
            runner: Scripted::default(),
            rules: rules(),
            source: Arc::from(*b"print(3)"),
            told: Mutex::default(),
        }
    }

    /// Judges with these answers of the sandbox, and no others.
    pub fn judge(
        &self,
        package: &Package,
        answers: impl IntoIterator<Item = Outcome>,
    ) -> Result<Judged, Fault> {
        let language = self
            .toolchain
            .language(&LanguageId::new("python3").unwrap())
            .unwrap();
        let source = source(&self.source);
        self.with_grader(answers, |mut grader| {
            judge(&mut grader, &source, language, "3", package)
        })
    }

    /// Asks the oracle of package reading, with these answers of the sandbox and no others.
    pub fn ask<T>(
        &self,
        answers: impl IntoIterator<Item = Outcome>,
        question: impl FnOnce(&mut SandboxOracle<'_>) -> T,
    ) -> T {
        self.with_grader(answers, |grader| question(&mut SandboxOracle::new(grader)))
    }

    pub fn with_grader<T>(
        &self,
        answers: impl IntoIterator<Item = Outcome>,
        work: impl FnOnce(Grader<'_>) -> T,
    ) -> T {
        self.runner.push(answers.into_iter().map(Ok));
        let mut runner = self.runner.clone();
        let machine = Arc::clone(&self.rules.machine);
        let mut station = Station::new(&mut runner, &self.toolchain, machine);
        work(Grader {
            worker: &mut station,
            toolchain: &self.toolchain,
            archive: &self.facts,
            sink: &mut &*self,
            rules: self.rules.clone(),
        })
    }

    /// The progress that was reported since this was asked last.
    pub fn told(&self) -> Vec<Progress> {
        std::mem::take(&mut self.told.lock().unwrap())
    }
}

impl Sink for &Course {
    fn begins(&mut self, progress: Progress) {
        self.told.lock().unwrap().push(progress);
    }

    fn fact(&mut self, fact: &Fact, bytes: Bytes<'_>) -> Result<Flow, Fault> {
        (&mut &self.facts).fact(fact, bytes)
    }
}

pub fn said(judged: &Judged) -> (Verdict, u32, u32) {
    (judged.judgement.verdict, judged.builds, judged.runs)
}

#[test]
fn each_change_costs_only_what_is_missing() {
    let course = Course::new();
    let printed = Outcome::printed;
    let mut sum = package(vec![test("secret/1", "3\n"), test("secret/2", "3\n")]);
    // The check of the source, then one run a test.
    let first = course.judge(&sum, [printed(""), printed("3\n"), printed("3\n")]);
    assert_eq!(said(&first.unwrap()), (Verdict::Accepted, 1, 2));
    let again = course.judge(&sum, []);
    assert_eq!(said(&again.unwrap()), (Verdict::Accepted, 0, 0));
    sum.tests.push(test("hack/evil", "4\n"));
    let hacked = course.judge(&sum, [printed("3\n")]).unwrap();
    assert_eq!(said(&hacked), (Verdict::WrongAnswer, 0, 1));
    // What it printed is at hand, measured now or known before.
    assert_eq!(hacked.printed.as_deref(), Some(&b"3\n"[..]));
    let recalled = course.judge(&sum, []).unwrap();
    assert_eq!(said(&recalled), (Verdict::WrongAnswer, 0, 0));
    assert_eq!(recalled.printed, hacked.printed);
    sum.tests[2] = test("hack/evil", "3\n");
    let corrected = course.judge(&sum, []);
    assert_eq!(said(&corrected.unwrap()), (Verdict::Accepted, 0, 0));
    sum.limits.cpu = Duration::from_micros(1);
    let lowered = course.judge(&sum, []);
    assert_eq!(said(&lowered.unwrap()), (Verdict::TimeLimit, 0, 0));
    sum.limits = limits();
    sum.tests.remove(0);
    let removed = course.judge(&sum, []);
    assert_eq!(said(&removed.unwrap()), (Verdict::Accepted, 0, 0));
}

#[test]
fn a_higher_limit_runs_again_only_what_touched_the_cap() {
    let course = Course::new();
    let mut sum = package(vec![test("secret/1", "3\n"), test("secret/2", "3\n")]);
    let build = Outcome::printed("");
    let runs = [Outcome::printed("3\n"), stopped(2_000), stopped(2_500)];
    let first = course.judge(&sum, [build].into_iter().chain(runs));
    assert_eq!(said(&first.unwrap()), (Verdict::TimeLimit, 1, 3));
    sum.limits.cpu = Duration::from_secs(4);
    let raised = course.judge(&sum, [Outcome::printed("3\n")]);
    assert_eq!(said(&raised.unwrap()), (Verdict::Accepted, 0, 1));
}

#[test]
fn what_was_too_much_for_the_compiler_is_tried_again() {
    let course = Course::new();
    let sum = package(vec![test("secret/1", "3\n")]);
    let too_long = Outcome {
        stop: Some(Stop::Wall),
        ..Outcome::printed("")
    };
    let first = course.judge(&sum, [too_long, Outcome::printed("")]);
    assert_eq!(said(&first.unwrap()), (Verdict::CompileError, 1, 0));
    let second = course.judge(&sum, [Outcome::printed(""), Outcome::printed("3\n")]);
    assert_eq!(said(&second.unwrap()), (Verdict::Accepted, 1, 1));
}

#[test]
fn a_repeat_that_does_not_count_leaves_what_was_printed() {
    let course = Course::new();
    let mut sum = package(vec![test("secret/1", "4\n")]);
    // A wrong answer within the limit; then the limit falls, and the repeat takes longer.
    let first = course.judge(&sum, [Outcome::printed(""), took(1_000)]);
    assert_eq!(first.unwrap().judgement.verdict, Verdict::WrongAnswer);
    sum.limits.cpu = Duration::from_millis(900);
    let lowered = course.judge(&sum, [took(1_100), took(1_100)]).unwrap();
    assert_eq!(said(&lowered), (Verdict::TimeLimit, 0, 2));
    assert_eq!(lowered.printed.as_deref(), Some(&b"3\n"[..]));
    let known = course.judge(&sum, []).unwrap();
    assert_eq!(known.printed.as_deref(), Some(&b"3\n"[..]));
}

#[test]
fn the_machine_that_measured_is_named_and_not_the_one_that_folds() {
    let mut course = Course::new();
    let mut sum = package(vec![test("secret/1", "3\n")]);
    let first = course.judge(&sum, [Outcome::printed(""), Outcome::printed("3\n")]);
    assert_eq!(first.unwrap().machine, "here");
    course.rules.machine = Arc::from("there");
    assert_eq!(course.judge(&sum, []).unwrap().machine, "here");
    sum.tests.push(test("hack/evil", "3\n"));
    let both = course.judge(&sum, [Outcome::printed("3\n")]).unwrap();
    assert_eq!(both.machine, "here; there");
}

#[test]
fn a_compiler_that_fails_on_everything_is_a_fault_and_nothing_is_kept_of_it() {
    let course = Course::new();
    let sum = package(vec![test("secret/1", "3\n")]);
    let boom = || exited(1, "boom");
    let fault = course.judge(&sum, [boom(), boom()]).unwrap_err();
    assert!(fault.reason.contains("boom"), "{fault}");
    let fixed = course.judge(&sum, [Outcome::printed(""), Outcome::printed("3\n")]);
    assert_eq!(said(&fixed.unwrap()), (Verdict::Accepted, 1, 1));
    // Where the compiler works, it is the program.
    let other = Course::new();
    let refused = other.judge(&sum, [boom(), Outcome::printed("")]).unwrap();
    assert_eq!(said(&refused), (Verdict::CompileError, 1, 0));
}

/// A run of this length that printed the right answer.
fn took(cpu_ms: u64) -> Outcome {
    Outcome {
        cpu: Duration::from_millis(cpu_ms),
        ..Outcome::printed("3\n")
    }
}

/// A run that was stopped when it had used its CPU time.
pub fn stopped(cpu_ms: u64) -> Outcome {
    Outcome {
        stop: Some(Stop::Cpu),
        ..took(cpu_ms)
    }
}

#[test]
fn near_the_limit_the_least_of_a_few_measurements_counts() {
    use Verdict::{Accepted, TimeLimit};
    // The limit is 2 s. Each row: what is measured, the verdict, the time that counts.
    let over = || stopped(2_000);
    for (measured, verdict, cpu_ms) in [
        (vec![took(1_990)], Accepted, 1_990),
        (vec![over(), took(1_900)], Accepted, 1_900),
        (vec![over(), took(2_100), took(1_950)], Accepted, 1_950),
        (vec![over(), took(2_100), took(2_050)], TimeLimit, 2_050),
        (vec![over(), stopped(2_500)], TimeLimit, 2_500),
    ] {
        let course = Course::new();
        let sum = package(vec![test("secret/1", "3\n")]);
        let count = u32::try_from(measured.len()).unwrap();
        let script = [Outcome::printed("")].into_iter().chain(measured);
        let judged = course.judge(&sum, script).unwrap();
        assert_eq!(said(&judged), (verdict, 1, count));
        let result = &judged.judgement.tests[0];
        assert_eq!(result.run.as_ref().unwrap().measurements, count);
        assert_eq!(result.cpu(), Duration::from_millis(cpu_ms));
        // The build and the first measurement run beside others, the repeats alone and with a
        // little more time.
        let jobs = course.runner.jobs();
        let (ordinary, repeats) = jobs.split_at(2);
        assert!(ordinary.iter().all(|job| !job.alone));
        assert!(repeats.iter().all(|job| job.alone));
        assert!(repeats.iter().all(|job| job.caps.cpu > sum.limits.cpu));
        // What is known is not measured again.
        assert_eq!(said(&course.judge(&sum, []).unwrap()), (verdict, 0, 0));
    }
}

#[test]
fn what_was_measured_once_near_the_limit_is_measured_again_on_the_same_machine_or_anew() {
    for (machine, script) in [
        ("here", vec![took(1_800)]),
        ("there", vec![stopped(2_000), took(1_900)]),
    ] {
        let mut course = Course::new();
        let sum = package(vec![test("secret/1", "3\n")]);
        let cut = course.judge(&sum, [Outcome::printed(""), stopped(2_000)]);
        assert!(cut.is_err());
        course.rules.machine = Arc::from(machine);
        let runs = u32::try_from(script.len()).unwrap();
        let rest = course.judge(&sum, script).unwrap();
        assert_eq!(said(&rest), (Verdict::Accepted, 0, runs));
        let run = rest.judgement.tests[0].run.as_ref().unwrap();
        assert_eq!((run.measurements, &*rest.machine), (2, machine));
    }
}

#[test]
fn a_lower_limit_measures_again_only_what_is_near_it() {
    let course = Course::new();
    let mut sum = package(vec![test("secret/1", "3\n"), test("secret/2", "3\n")]);
    let first = course.judge(&sum, [Outcome::printed(""), took(100), took(1_050)]);
    assert_eq!(said(&first.unwrap()), (Verdict::Accepted, 1, 2));
    sum.limits.cpu = Duration::from_secs(1);
    let lowered = course.judge(&sum, [took(990)]).unwrap();
    assert_eq!(said(&lowered), (Verdict::Accepted, 0, 1));
    sum.limits.cpu = Duration::from_millis(20);
    let far = course.judge(&sum, []).unwrap();
    assert_eq!(said(&far), (Verdict::TimeLimit, 0, 0));
}

/// A measurement during which the machine kept the program waiting for a second.
fn busy(outcome: Outcome) -> Outcome {
    Outcome {
        waited: Duration::from_secs(1),
        ..outcome
    }
}

#[test]
fn on_a_busy_machine_a_program_near_the_limit_is_put_off_and_judged_when_it_is_quiet() {
    let mut course = Course::new();
    course.rules.waits_for_quiet = true;
    let sum = package(vec![test("secret/1", "3\n")]);
    let script = [Outcome::printed(""), stopped(2_000), busy(took(2_076))];
    let fault = course.judge(&sum, script).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Busy);
    assert!(fault.reason.contains("1 of 2 times"), "{fault}");
    // One repeat in one go, and what was measured is kept.
    let fault = course.judge(&sum, [busy(took(2_060))]).unwrap_err();
    assert!(fault.reason.contains("2 of 3 times"), "{fault}");
    let caps: Vec<_> = course.runner.jobs()[2..]
        .iter()
        .map(|job| job.caps.cpu.as_millis())
        .collect();
    assert_eq!(caps, [2_500, 4_400]);
    let judged = course.judge(&sum, [took(1_450)]).unwrap();
    assert_eq!(said(&judged), (Verdict::Accepted, 0, 1));
    let result = &judged.judgement.tests[0];
    let run = result.run.as_ref().unwrap();
    assert_eq!((run.measurements, run.busy), (4, 2));
    assert_eq!(result.said.judge_message, None);
}

#[test]
fn on_a_machine_that_stays_busy_a_program_over_the_limit_is_too_slow_and_the_staff_hears_why() {
    let sum = package(vec![test("secret/1", "3\n"), test("secret/2", "3\n")]);
    let repeats = |count| (0..count).map(|_| busy(took(2_060)));
    let first = || [Outcome::printed(""), stopped(2_000)].into_iter();
    // A command does not wait; the daemon has five tries.
    let command = Course::new();
    let at_once = command.judge(&sum, first().chain(repeats(5))).unwrap();
    let mut daemon = Course::new();
    daemon.rules.waits_for_quiet = true;
    assert!(daemon.judge(&sum, first().chain(repeats(1))).is_err());
    for _ in 1..4 {
        assert!(daemon.judge(&sum, repeats(1)).is_err());
    }
    let at_last = daemon.judge(&sum, repeats(1)).unwrap();
    for judged in [at_once, at_last] {
        assert_eq!(judged.judgement.verdict, Verdict::TimeLimit);
        let result = &judged.judgement.tests[0];
        let run = result.run.as_ref().unwrap();
        assert_eq!((run.measurements, run.busy), (6, 5));
        let words = result.said.judge_message.as_deref().unwrap();
        assert!(words.starts_with("measured on a busy machine"), "{words}");
        assert_eq!(judged.judgement.tests[1].said.verdict, Verdict::Skipped);
        assert_eq!(judged.printed.as_deref(), Some(&b"3\n"[..]));
    }
}

#[test]
fn every_test_that_a_busy_machine_disturbs_is_measured_again_in_one_go() {
    let mut course = Course::new();
    course.rules.stop_at_first_failure = false;
    course.rules.waits_for_quiet = true;
    let sum = package(vec![
        test("secret/1", "3\n"),
        test("secret/2", "3\n"),
        test("secret/3", "3\n"),
    ]);
    // Near, right, near; then the two again.
    let script = [
        Outcome::printed(""),
        stopped(2_000),
        took(10),
        stopped(2_000),
        busy(took(2_060)),
        busy(took(2_060)),
    ];
    assert!(course.judge(&sum, script).is_err());
    let judged = course.judge(&sum, [took(1_900), took(1_950)]).unwrap();
    assert_eq!(said(&judged), (Verdict::Accepted, 0, 2));
}

#[test]
fn a_loop_is_told_from_a_program_that_a_busy_machine_slows_down() {
    let mut course = Course::new();
    // Nobody has to wait for that.
    course.rules.waits_for_quiet = true;
    let sum = package(vec![test("secret/1", "3\n")]);
    let script = [
        Outcome::printed(""),
        stopped(2_000),
        busy(stopped(2_500)),
        busy(stopped(4_400)),
    ];
    let judged = course.judge(&sum, script).unwrap();
    assert_eq!(said(&judged), (Verdict::TimeLimit, 1, 3));
    let known = course.judge(&sum, []).unwrap();
    assert_eq!(said(&known), (Verdict::TimeLimit, 0, 0));
}
