//! The hostile suite: every program of `tests/programs/` gets its report from the real daemon, and
//! leaves nothing behind.

mod cage;
mod course;
mod program;
mod rounds;
pub mod traces;

use std::collections::BTreeMap;
use std::process::Output;

use course::{Course, Pages, is_control, whole_tests};
use program::Program;
use traces::Traces;

use crate::place::{is_soak, wait_until};
use crate::skips::skipped;

/// Many workers, because many programs only wait. No repeats of runs over the time limit, which wait
/// until nothing else runs: in an ordinary run other tests have them.
const RULES: &str = "workers = 12\nrepeat_near_limit = false";
const RULES_IN_SOAK: &str = "workers = 6";

/// The programs whose compilers are installed.
fn programs() -> Vec<Program> {
    let tools = [
        ("c", "gcc"),
        ("cpp", "g++"),
        ("py", "python3"),
        ("java", "javac"),
        ("js", "node"),
        ("pas", "fpc"),
    ];
    let is_missing = |(extension, tool): &(&str, &str)| {
        let is_missing = crate::process::program(tool).is_none();
        if is_missing {
            skipped(&format!(
                "{tool} is not installed: no .{extension} was tried"
            ));
        }
        is_missing
    };
    let missing = tools.into_iter().filter(is_missing);
    let missing: Vec<&str> = missing.map(|(extension, _)| extension).collect();
    let mut programs = program::all();
    programs.retain(|program| !missing.contains(&program.extension.as_str()));
    assert!(programs.len() > 50, "the suite is there");
    programs
}

/// Programs whose verdicts need a control group.
const TOLD_BY_GROUPS: &str =
    "fallocate|files-in-memory|large-file|memfd|page-tables|unreaped-children";

/// The program that is about this architecture only.
const TOLD_BY_X86_64: &str = "old-calls";

/// Judges what is there. A program near its limit waits for a quiet core, which other tests may keep
/// busy for a while; nothing else may be left over.
fn judged(course: &Course) -> Output {
    let mut ended = course.judge_once();
    wait_until("a quiet core for every program", || {
        let said = String::from_utf8_lossy(&ended.stderr);
        let mut faults = said.lines().filter(|line| line.contains("fault:"));
        if faults.clone().next().is_none() {
            return true;
        }
        let is_busy = |fault: &str| BUSY.iter().any(|words| fault.contains(words));
        assert!(faults.all(is_busy), "{said}");
        ended = course.judge_once();
        false
    });
    ended
}

/// What a fault says that is nobody's but the machine's.
const BUSY: [&str; 2] = [
    "measure the program on a quiet core",
    "the machine is too busy",
];

/// Judges all of them once and checks everything afterwards.
fn judge_all(course: &Course, programs: &[Program], has_groups: bool) {
    if course.cage.is_none() {
        skipped("no control groups can be made here: left processes are not looked for");
    }
    let before = Traces::now();
    course.hand_in(programs);
    let handed_in = course.inputs();
    let ended = judged(course);
    course.assert_reports(programs, Pages::AreThere);
    let mut let_go = Vec::new();
    if !has_groups {
        let_go.extend(TOLD_BY_GROUPS.split('|'));
    }
    if !cfg!(target_arch = "x86_64") && programs.iter().any(|one| one.name == TOLD_BY_X86_64) {
        let_go.push(TOLD_BY_X86_64);
    }
    let_go.sort_unstable();
    assert_eq!(course.let_go(programs), let_go, "nobody else is let go");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(0), "{said}");
    assert!(!said.contains("fault:"), "{said}");
    let holds = !ended.stdout.iter().any(|&byte| is_control(byte));
    assert!(holds, "no program speaks to the terminal");
    course.assert_clean(&handed_in);
    Traces::now().assert_none_since(&before);
}

/// In an ordinary run, of each folder the first few, and everything that leaves something behind,
/// uses up what there is a number of, or is told by a protection.
fn keep_some_of_each(programs: &mut Vec<Program>, of_each: usize) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    programs.retain(|program| {
        let count = seen.entry(format!("{:?}", program.expected)).or_default();
        *count += 1;
        is_soak() || *count <= of_each || program.leaves_something() || !program.needs.is_empty()
    });
}

/// Every program gets the report that its folder names, and one of each folder again in each of many
/// rounds.
pub fn every_program() {
    let (exhausting, mut others): (Vec<_>, Vec<_>) = programs()
        .into_iter()
        .partition(Program::exhausts_its_compiler);
    let course = Course::new(RULES).with_problems(&whole_tests());
    course.limit_builds(RULES, "1.0");
    judge_all(&course, &exhausting, course.cage.is_some());

    let rules = if is_soak() { RULES_IN_SOAK } else { RULES };
    let course = Course::new(rules).with_problems(&whole_tests());
    judge_all(&course, &others, course.cage.is_some());
    keep_some_of_each(&mut others, 1);
    rounds::are_right_and_leak_nothing(&course, others);
}

/// A daemon of an ordinary user gives the same reports, with control groups and without.
pub fn as_an_ordinary_user() {
    // For an ordinary user the test above was the same.
    if !rustix::process::geteuid().is_root() {
        skipped("not root: no daemon of another user was tried");
        return;
    }
    let mut programs = programs();
    // The compiler's room is the same for every user.
    programs.retain(|program| is_soak() || !program.exhausts_its_compiler());
    // The second test meets what the first one left.
    let tests = &whole_tests()[1..];
    let course = Course::new(RULES).with_problems(tests);
    let course = course.for_an_ordinary_user(true);
    // Java and Node, which take long to start, are tried below where something is counted.
    let is_slow = |program: &&Program| ["java", "js"].contains(&program.extension.as_str());
    let quick = programs.iter().filter(|one| is_soak() || !is_slow(one));
    // What is tried without harm is everybody's affair; how a program is stopped, a few show.
    let (mut quick, mut stopped): (Vec<Program>, Vec<Program>) = quick
        .cloned()
        .partition(|one: &Program| one.is_expected("AC", None));
    keep_some_of_each(&mut stopped, 4);
    quick.append(&mut stopped);
    judge_all(&course, &quick, course.cage.is_some());
    if course.cage.is_some() {
        let report = course.report(&quick[0]).unwrap();
        for protection in report["protections"].as_array().unwrap() {
            assert_eq!(protection["hold"], "on", "{protection}");
        }
    }

    // The other protections are the same, with the same code.
    programs.retain(|program| is_soak() || program.is_about_accounting());
    keep_some_of_each(&mut programs, 1);
    assert!(programs.len() > 20, "{}", programs.len());
    let weak = "[sandbox]\nallow_missing = [\"memory\", \"processes\", \"cpu\"]";
    let course = Course::new(&format!("{RULES}\n{weak}")).with_problems(tests);
    judge_all(&course.for_an_ordinary_user(false), &programs, false);
}
