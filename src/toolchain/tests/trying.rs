//! Trying a language by its echo program, telling a broken compiler from a broken program, and what
//! people read about a build.

use std::time::Duration;

use super::{TWO_STEPS, build_limits, id, outcome, scripted, toolchain};
use crate::domain::{Cause, Stop};
use crate::sandbox::Outcome;
use crate::toolchain::{Parts, Toolchain, Unresolved};
use crate::util::samples::run;

/// The commands that config.toml shows, each under the first word of its language's name; Java's is
/// shown shortened.
#[test]
fn the_shipped_configuration_shows_how_each_language_is_built() {
    let shipped = include_str!("../../../config.toml");
    let toolchain = toolchain("");
    for language in toolchain.languages() {
        let spec = language.spec();
        if crate::toolchain::source::runs_its_source(spec) || language.id().as_str() == "java" {
            continue;
        }
        let words = spec.build[0].iter().flat_map(|word| match word.as_str() {
            "{static}" => spec.static_flags.clone(),
            "{source}" => vec![spec.source.clone()],
            _ => vec![word.clone()],
        });
        let command = words.collect::<Vec<_>>().join(" ");
        assert!(shipped.contains(&format!("{command}\n")), "{command}");
    }
}

#[test]
fn people_are_told_how_a_program_was_built() {
    let toolchain = toolchain(&format!("{TWO_STEPS}echo = \"copies\"\n"));
    let told = |key: &str, name: &str, source: &[u8]| {
        let language = toolchain.language(&id(key)).unwrap();
        let parts = Parts::alone(name, source);
        toolchain.how_built(language, "v (1) 2", &parts, &build_limits(), 64 << 20)
    };
    let two = told("two", "my sum.x", b"");
    assert_eq!(two.language, "Two (v 2)");
    assert_eq!(two.build, ["sh one 'my sum.x' 1024", "sh two"]);
    assert_eq!((two.start, two.source_name.as_str()), (None, "main.x"));
    assert_eq!(told("two", "a:3.x", b"").author_name, "main.x");
    let python = told("python3", "sum.py", b"");
    assert!(python.build.is_empty());
    assert_eq!(python.start.as_deref(), Some("python3 sum.py"));
    let java = b"public class A { public static void main(String[] a) {} }";
    let java = told("java", "sum.java", java);
    assert_eq!([java.source_name, java.author_name], ["A.java"; 2]);
    assert!(java.start.unwrap().ends_with("-DONLINE_JUDGE=true -cp . A"));
}

#[test]
fn a_language_whose_echo_is_wrong_is_not_offered() {
    let (mut wrong, mut right) = (outcome(0), outcome(0));
    wrong.stdout = b"something else".to_vec();
    right.stdout = crate::toolchain::probe::input().to_vec();
    let built = |ran: Outcome| vec![outcome(0), outcome(0), ran];
    let fails = || vec![outcome(1)];
    // Each is tried twice before it is believed.
    for (tries, begins, words) in [
        (
            [built(wrong.clone()), built(wrong)],
            "Err(Missing",
            "prints something else",
        ),
        ([outcome(1), outcome(1)].map(built), "Err(Missing", "fails"),
        ([fails(), fails()], "Err(Missing", "does not build"),
        // What failed for want of something for a moment works at the second try.
        ([fails(), built(right)], "Ok", ""),
    ] {
        let said = format!("{:?}", probe(&with_echo(), tries.concat()));
        assert!(said.starts_with(begins) && said.contains(words), "{said}");
    }
}

fn with_echo() -> Toolchain {
    toolchain(&format!("{TWO_STEPS}echo = \"copies\"\n"))
}

fn probe(toolchain: &Toolchain, outcomes: Vec<Outcome>) -> Result<String, Unresolved> {
    let mut runner = scripted(outcomes);
    toolchain.probe(&id("two"), &mut runner, &run().caps, &build_limits())
}

#[test]
fn a_language_that_could_not_be_tried_is_not_missing() {
    let mut late = outcome(0);
    late.stop = Some(Stop::Wall);
    for outcomes in [
        // A sandbox that fails: at the build, at the run, and at the second try.
        vec![],
        vec![outcome(0), outcome(0)],
        vec![outcome(1)],
        // A machine that is too busy, for the compiler and for the program.
        vec![late.clone()],
        vec![outcome(0), outcome(0), late],
    ] {
        let found = probe(&with_echo(), outcomes);
        assert!(matches!(found, Err(Unresolved::Fault(_))), "{found:?}");
    }
    // A version command that something ended; and nothing of that is remembered.
    let killed = toolchain(&TWO_STEPS.replace("echo 1.0", "kill -9 $$"));
    for found in [probe(&killed, vec![]), killed.identify(&id("two"))] {
        assert!(matches!(found, Err(Unresolved::Fault(_))), "{found:?}");
    }
}

#[test]
fn a_build_fails_only_where_the_compiler_still_works() {
    let toolchain = with_echo();
    let language = toolchain.language(&id("two")).unwrap();
    let confirm = |words: &str, outcomes: Vec<Outcome>| {
        let mut runner = scripted(outcomes);
        let failed = crate::toolchain::Build {
            result: Err(Cause::Compiler),
            words: words.into(),
            cpu: Duration::ZERO,
        };
        let source = ("a.x", b"source".as_slice());
        let told = toolchain.confirm(&mut runner, language, source, &failed, &build_limits());
        (told.map_err(|fault| fault.to_string()), runner.jobs().len())
    };
    let works = || vec![outcome(0), outcome(0)];
    let mut broken = outcome(1);
    broken.stderr = b"boom".to_vec();
    let (told, _) = confirm("main.x:3: error", vec![broken.clone()]);
    assert!(told.is_err_and(|why| why.contains("Two") && why.contains("boom")));
    assert!(language.take_trouble().is_some());
    assert!(language.take_trouble().is_none(), "told once");
    // Whoever speaks of a line of the source has just shown that it works.
    assert_eq!(confirm("main.x:3: error", works()), (Ok(()), 2));
    assert_eq!(confirm("main.x:4: error", vec![]), (Ok(()), 0));
    // Words that are not about the source are never believed without a look.
    assert_eq!(confirm("cannot execute `cc1`", works()), (Ok(()), 2));
    assert!(confirm("cannot execute `cc1`", vec![broken]).0.is_err());
    let (told, _) = confirm("main.x:4: error", vec![]);
    assert!(told.is_err(), "a fault is one");
    assert!(language.take_trouble().is_some());
}
