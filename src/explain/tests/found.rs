//! What is said once more is known: of a case that was run alone, and of what a search has found.

use std::sync::Arc;

use super::{CURLING, THE_GAME, built_in, explained, package};
use crate::compare::Mode;
use crate::domain::{Complaint, Digest, Verdict};
use crate::explain::search::{Found, Inputs, Smallest, Way};
use crate::explain::whole::counterexample;
use crate::explain::{can_search, settle};
use crate::package::{
    NoOracle, Oracle, Package, PackageProgram, Protocol, Reference, Trouble, Validator,
};

#[test]
fn a_case_that_was_run_alone_says_what_came_of_it() {
    let curling = built_in("curling", Mode::Tokens, CURLING);
    let as_test = "as a test of its own";
    // What was printed, whether that case was seen to fail alone, and what is said of it: that it
    // is shown as a test of its own, and that it is answered rightly as one.
    for (printed, fails_alone, says_if, says_that) in [
        (&b"1\n7\n1\n"[..], None, true, false),
        (b"1\n7\n1\n", Some(true), false, false),
        (b"1\n7\n1\n", Some(false), false, true),
        // Nothing comes before the first case, so there is nothing to be settled.
        (b"7\n1\n1\n", Some(true), false, false),
        (b"7\n1\n1\n", Some(false), false, false),
    ] {
        let mut part = explained(&curling, Verdict::WrongAnswer, printed);
        let before = part.clone();
        if let Some(fails_alone) = fails_alone {
            settle(&mut part, fails_alone);
            settle(&mut part, fails_alone);
        }
        let words = &part.words;
        let told = format!("{printed:?} {fails_alone:?}: {words}");
        assert!(
            words.starts_with("The first difference is in line"),
            "{told}"
        );
        assert_eq!(words.trim(), words, "{told}");
        assert!(!words.contains("  "), "{told}");
        assert_eq!(
            words.contains("If your program answers that rightly"),
            says_if,
            "{told}"
        );
        assert_eq!(
            words.contains("Your program answers it rightly"),
            says_that,
            "{told}"
        );
        assert_eq!(words.contains(as_test), says_if || says_that, "{told}");
        // Nothing but the words depends on it.
        part.words.clone_from(&before.words);
        assert_eq!(part, before);
    }
}

fn program(path: &str) -> PackageProgram {
    PackageProgram {
        path: path.to_owned(),
        file: path.into(),
        source: Arc::from(&b""[..]),
        headers: Vec::new(),
        digest: Digest([3; 32]),
    }
}

/// A package whose answers are stored, or come from a program of its own.
pub fn own(has_reference: bool, has_validator: bool) -> Package {
    let reference = if has_reference {
        Reference::Program(program("right.py"))
    } else {
        Reference::Stored
    };
    Package {
        validator: has_validator.then(|| Validator {
            program: program("valid.py"),
            protocol: Protocol::Icpc,
        }),
        ..package(reference, Mode::Tokens, "3\n", "3\n")
    }
}

/// The programs of a package: digits are valid, and `7` cannot be answered.
struct Digits;

impl Oracle for Digits {
    fn validate(&mut self, _: &Validator, input: &Arc<[u8]>) -> Result<(), Trouble> {
        let is_valid = input.iter().all(u8::is_ascii_digit);
        is_valid.then_some(()).ok_or_else(no)
    }

    fn answer(
        &mut self,
        _: &Package,
        _: &PackageProgram,
        input: &Arc<[u8]>,
    ) -> Result<Arc<[u8]>, Trouble> {
        let is_answered = input[..] != *b"7";
        is_answered.then(|| Arc::clone(input)).ok_or_else(no)
    }
}

fn no() -> Trouble {
    Complaint::new("valid.py", "no").into()
}

#[test]
fn other_inputs_are_tried_where_something_says_which_are_valid_and_answers_them() {
    let game = || built_in("curling", Mode::Tokens, CURLING);
    for (package, can, valid, invalid) in [
        (game(), true, "1 1\n2\n0 0\n", "1 1\n"),
        (own(true, true), true, "12", "x"),
        (own(true, true), true, "12", "7"),
        (own(true, false), false, "", "12"),
        (own(false, true), false, "", "12"),
        (own(false, false), false, "", "12"),
    ] {
        assert_eq!(can_search(&package), can);
        let mut oracle = Digits;
        let mut inputs = Inputs {
            package: &package,
            oracle: &mut oracle,
        };
        let mut answer = |input: &str| inputs.expected(&Arc::from(input.as_bytes())).unwrap();
        if can && package.task().is_none() {
            assert_eq!(*answer(valid).unwrap(), *valid.as_bytes());
        }
        assert_eq!(answer(invalid), None, "{invalid}");
        assert_eq!(
            !inputs.simpler(b"12\n34\n").is_empty(),
            can && package.task().is_none()
        );
    }
    // A fault of these programs is no answer.
    let package = own(true, true);
    let mut inputs = Inputs {
        package: &package,
        oracle: &mut NoOracle,
    };
    assert!(inputs.expected(&Arc::from(&b"1"[..])).is_err());
}

#[test]
fn what_was_found_is_kept_as_people_read_it() {
    let found = |way, input: &str| Found {
        input: Arc::from(input.as_bytes()),
        expected: Arc::from(&b"1\n"[..]),
        verdict: Verdict::WrongAnswer,
        printed: Arc::from(&b"<b>\xff\x1b[2J\n"[..]),
        way,
    };
    for (way, word) in [
        (Way::Test, "test"),
        (Way::Cut, "cut"),
        (Way::Prefix, "prefix"),
        (Way::Enumeration, "enumeration"),
        (Way::Shrink, "shrink"),
        (Way::Family("random"), "family random"),
        (Way::Other, "a counterexample of another program"),
        (Way::Changed, "a test that was changed"),
    ] {
        let kept = counterexample(&Smallest::of(found(way, "x"), None), None);
        assert_eq!(kept.found_by, word);
        assert_eq!((kept.cells, kept.cases, &kept.witness), (None, 1, &None));
        assert_eq!((&*kept.input, &*kept.expected), ("x", "1\n"));
        assert!(kept.printed.starts_with("<b>"), "{}", kept.printed);
        assert!(!kept.printed.contains('\x1b'), "{}", kept.printed);
    }
    for (slug, input, cells, cases) in [("curling", CURLING, 7, 3), ("thegame", THE_GAME, 5, 3)] {
        let package = built_in(slug, Mode::Tokens, input);
        let smallest = Smallest::of(found(Way::Test, input), package.task());
        let kept = counterexample(&smallest, package.task());
        assert_eq!((kept.cells, kept.cases), (Some(cells), cases), "{slug}");
        assert!(kept.witness.is_some(), "{slug}");
        // What is shown is what another program can be tried on.
        assert_eq!(kept.input, input);
        let bytes = smallest.progress.bytes();
        assert_eq!(bytes, input.len() + 2 + b"<b>\xff\x1b[2J\n".len());
    }
}
