//! What is built and run for each change, counted: only what is missing.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::samples::{exited, limits, package, python, rules, sum, test, toolchain};
use crate::domain::{Fault, FaultKind, Stop, Verdict};
use crate::judge::order::{Bytes, Fact, Flow, Sink};
use crate::judge::{Grader, Judged, Memory, Progress, Rules, SandboxOracle, Station, judge};
use crate::package::Package;
use crate::sandbox::scripted::Scripted;
use crate::sandbox::{Job, Outcome, Room};
use crate::toolchain::Toolchain;
use crate::util::{MIB, samples};

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
        let language = self.toolchain.language(&python()).unwrap();
        let source = samples::source("sum.py", &self.source);
        self.with_grader(answers, |mut grader| {
            judge(&mut grader, &source, language, "3", package)
        })
    }

    /// What is said of that.
    pub fn says(&self, package: &Package, answers: impl IntoIterator<Item = Outcome>) -> String {
        said(&self.judge(package, answers).unwrap())
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

    /// Memory that Python has beside every limit.
    pub fn extra_bytes(&self) -> u64 {
        let language = self.toolchain.language(&python()).unwrap();
        language.spec().memory_extra_mib * MIB
    }

    pub fn last_job(&self) -> Job {
        self.runner.jobs().pop().unwrap()
    }

    /// What was started in each room that was entered.
    pub fn rooms(&self) -> String {
        let rooms = self.runner.rooms();
        let source = |room: &Room| match room.app.first() {
            Some(file) => String::from_utf8_lossy(&file.bytes).into_owned(),
            None => "a build".to_owned(),
        };
        rooms.iter().map(source).collect::<Vec<_>>().join(", ")
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

/// The verdict, and how often something was built, run and asked of a checker.
pub fn said(judged: &Judged) -> String {
    let (verdict, took) = (judged.judgement.verdict, judged.took);
    format!("{verdict} {} {} {}", took.builds, took.runs, took.checks)
}

#[test]
fn each_change_costs_only_what_is_missing() {
    let course = Course::new();
    let printed = Outcome::printed;
    let mut sum = sum(2);
    // The check of the source, then one run a test.
    assert_eq!(course.says(&sum, prints(["", "3\n", "3\n"])), "AC 1 2 0");
    // One room for two tests.
    assert_eq!(course.rooms(), "a build, print(3)");
    assert_eq!(course.says(&sum, []), "AC 0 0 0");
    sum.tests.push(test("hack/evil", "4\n"));
    let hacked = course.judge(&sum, [printed("3\n")]).unwrap();
    assert_eq!(said(&hacked), "WA 0 1 0");
    // What it printed is at hand, measured now or known before.
    assert_eq!(hacked.printed.as_deref(), Some(&b"3\n"[..]));
    let recalled = course.judge(&sum, []).unwrap();
    assert_eq!(said(&recalled), "WA 0 0 0");
    assert_eq!(recalled.printed, hacked.printed);
    sum.tests[2] = test("hack/evil", "3\n");
    assert_eq!(course.says(&sum, []), "AC 0 0 0");
    sum.limits.cpu = Duration::from_micros(1);
    assert_eq!(course.says(&sum, []), "TLE 0 0 0");
    sum.limits = limits();
    sum.tests.remove(0);
    assert_eq!(course.says(&sum, []), "AC 0 0 0");
}

#[test]
fn a_higher_limit_runs_again_only_what_touched_the_cap() {
    let course = Course::new();
    let mut sum = sum(2);
    let script = [build(), took(1), stopped(2_000), stopped(2_500)];
    assert_eq!(course.says(&sum, script), "TLE 1 3 0");
    sum.limits.cpu = Duration::from_secs(4);
    assert_eq!(course.says(&sum, [Outcome::printed("3\n")]), "AC 0 1 0");
}

#[test]
fn what_was_too_much_for_the_compiler_is_tried_again() {
    let course = Course::new();
    let sum = sum(1);
    let mut too_long = build();
    too_long.stop = Some(Stop::Wall);
    assert_eq!(course.says(&sum, [too_long, build()]), "CE 1 0 0");
    assert_eq!(course.says(&sum, prints(["", "3\n"])), "AC 1 1 0");
}

#[test]
fn a_repeat_that_does_not_count_leaves_what_was_printed() {
    let course = Course::new();
    let mut sum = package(vec![test("secret/1", "4\n")]);
    // A wrong answer within the limit; then the limit falls, and the repeat takes longer.
    assert_eq!(course.says(&sum, [build(), took(1_000)]), "WA 1 1 0");
    sum.limits.cpu = Duration::from_millis(900);
    let lowered = course.judge(&sum, [took(1_100), took(1_100)]).unwrap();
    assert_eq!(said(&lowered), "TLE 0 2 0");
    assert_eq!(lowered.printed.as_deref(), Some(&b"3\n"[..]));
    let known = course.judge(&sum, []).unwrap();
    assert_eq!(known.printed.as_deref(), Some(&b"3\n"[..]));
}

#[test]
fn the_machine_that_measured_is_named_and_not_the_one_that_folds() {
    let mut course = Course::new();
    let mut sum = sum(1);
    let first = course.judge(&sum, [build(), Outcome::printed("3\n")]);
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
    let sum = sum(1);
    let boom = || exited(1, "boom");
    let fault = course.judge(&sum, [boom(), boom()]).unwrap_err();
    assert!(fault.reason.contains("boom"), "{fault}");
    assert_eq!(course.says(&sum, prints(["", "3\n"])), "AC 1 1 0");
    // Where the compiler works, it is the program.
    let other = Course::new();
    assert_eq!(other.says(&sum, [boom(), Outcome::printed("")]), "CE 1 0 0");
}

pub fn build() -> Outcome {
    Outcome::printed("")
}

/// Runs that print this, a build before them.
pub fn prints<const N: usize>(texts: [&str; N]) -> [Outcome; N] {
    texts.map(Outcome::printed)
}

/// A run of this length that printed the right answer.
fn took(cpu_ms: u64) -> Outcome {
    let mut took = Outcome::printed("3\n");
    took.cpu = Duration::from_millis(cpu_ms);
    took
}

/// A run that was stopped when it had used its CPU time.
pub fn stopped(cpu_ms: u64) -> Outcome {
    let mut stopped = took(cpu_ms);
    stopped.stop = Some(Stop::Cpu);
    stopped
}

#[test]
fn near_the_limit_the_least_of_a_few_measurements_counts() {
    // The limit is 2 s. Each row: what is measured, the verdict, the time that counts.
    let over = || stopped(2_000);
    for (measured, verdict, cpu_ms) in [
        (vec![took(1_990)], "AC", 1_990),
        (vec![over(), took(1_900)], "AC", 1_900),
        (vec![over(), took(2_100), took(1_950)], "AC", 1_950),
        (vec![over(), took(2_100), took(2_050)], "TLE", 2_050),
        (vec![over(), stopped(2_500)], "TLE", 2_500),
    ] {
        let (course, sum) = (Course::new(), sum(1));
        let count = u32::try_from(measured.len()).unwrap();
        let script = [build()].into_iter().chain(measured);
        let judged = course.judge(&sum, script).unwrap();
        assert_eq!(said(&judged), format!("{verdict} 1 {count} 0"));
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
        assert_eq!(course.says(&sum, []), format!("{verdict} 0 0 0"));
    }
}

#[test]
fn what_was_measured_once_near_the_limit_is_measured_again_on_the_same_machine_or_anew() {
    for (machine, script) in [
        ("here", vec![took(1_800)]),
        ("there", vec![stopped(2_000), took(1_900)]),
    ] {
        let mut course = Course::new();
        let sum = sum(1);
        assert!(course.judge(&sum, [build(), stopped(2_000)]).is_err());
        course.rules.machine = Arc::from(machine);
        let runs = script.len();
        let rest = course.judge(&sum, script).unwrap();
        assert_eq!(said(&rest), format!("AC 0 {runs} 0"));
        let run = rest.judgement.tests[0].run.as_ref().unwrap();
        assert_eq!((run.measurements, &*rest.machine), (2, machine));
    }
}

#[test]
fn a_lower_limit_measures_again_only_what_is_near_it() {
    let course = Course::new();
    let mut sum = sum(2);
    let script = [build(), took(100), took(1_050)];
    assert_eq!(course.says(&sum, script), "AC 1 2 0");
    sum.limits.cpu = Duration::from_secs(1);
    assert_eq!(course.says(&sum, [took(990)]), "AC 0 1 0");
    sum.limits.cpu = Duration::from_millis(20);
    assert_eq!(course.says(&sum, []), "TLE 0 0 0");
}

/// A measurement during which the machine kept the program waiting for a second.
fn busy(mut outcome: Outcome) -> Outcome {
    outcome.waited = Duration::from_secs(1);
    outcome
}

#[test]
fn on_a_busy_machine_a_program_near_the_limit_is_put_off_and_judged_when_it_is_quiet() {
    let mut course = Course::new();
    course.rules.waits_for_quiet = true;
    let sum = sum(1);
    let script = [build(), stopped(2_000), busy(took(2_076))];
    let fault = course.judge(&sum, script).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Busy);
    assert!(fault.reason.contains("1 of 2 times"), "{fault}");
    // One repeat in one go, and what was measured is kept.
    let fault = course.judge(&sum, [busy(took(2_060))]).unwrap_err();
    assert!(fault.reason.contains("2 of 3 times"), "{fault}");
    let jobs = course.runner.jobs();
    let caps = [2, 3].map(|job: usize| jobs[job].caps.cpu.as_millis());
    assert_eq!((caps, jobs.len()), ([2_500, 4_400], 4));
    let judged = course.judge(&sum, [took(1_450)]).unwrap();
    assert_eq!(said(&judged), "AC 0 1 0");
    let result = &judged.judgement.tests[0];
    let run = result.run.as_ref().unwrap();
    assert_eq!((run.measurements, run.busy), (4, 2));
    assert_eq!(result.said.judge_message, None);
}

#[test]
fn on_a_machine_that_stays_busy_a_program_over_the_limit_is_too_slow_and_the_staff_hears_why() {
    let sum = sum(2);
    let repeats = |count| (0..count).map(|_| busy(took(2_060)));
    let first = || [build(), stopped(2_000)].into_iter();
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
    let sum = sum(3);
    // Near, right, near; then the two again.
    let first = [build(), stopped(2_000), took(10), stopped(2_000)];
    let again = [2_060, 2_060].map(|cpu_ms| busy(took(cpu_ms)));
    assert!(course.judge(&sum, first.into_iter().chain(again)).is_err());
    assert_eq!(course.says(&sum, [took(1_900), took(1_950)]), "AC 0 2 0");
}

#[test]
fn a_loop_is_told_from_a_program_that_a_busy_machine_slows_down() {
    let mut course = Course::new();
    // Nobody has to wait for that.
    course.rules.waits_for_quiet = true;
    let sum = sum(1);
    let repeats = [2_500, 4_400].map(|cpu_ms| busy(stopped(cpu_ms)));
    let script = [build(), stopped(2_000)].into_iter().chain(repeats);
    assert_eq!(course.says(&sum, script), "TLE 1 3 0");
    assert_eq!(course.says(&sum, []), "TLE 0 0 0");
}
