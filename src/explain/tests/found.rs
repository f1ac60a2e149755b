//! What is said once more is known: of a case that was run alone, and of what a search has found.

use std::sync::Arc;

use super::{CURLING, THE_GAME, built_in, explained, package};
use crate::compare::Mode;
use crate::domain::{Complaint, Fault, FaultKind, Strategy, Verdict};
use crate::explain::findings::counterexample;
use crate::explain::search::{Found, Inputs, Smallest};
use crate::explain::{can_search, settle};
use crate::judge::samples;
use crate::package::{
    NoOracle, Oracle, Package, PackageProgram, Protocol, Reference, Trouble, Validator,
};

#[test]
fn a_case_that_was_run_alone_says_what_came_of_it() {
    let curling = built_in("curling", Mode::Tokens, CURLING);
    let if_alone = "If your program answers that rightly";
    let alone = "Your program answers it rightly as a test of its own";
    // What was printed, whether that case was seen to fail alone, and what is said of it. Nothing
    // comes before the first case, so there is nothing to be settled.
    for (printed, fails_alone, said) in [
        (&b"1\n7\n1\n"[..], None, if_alone),
        (b"1\n7\n1\n", Some(true), ""),
        (b"1\n7\n1\n", Some(false), alone),
        (b"7\n1\n1\n", Some(true), ""),
        (b"7\n1\n1\n", Some(false), ""),
    ] {
        let before = explained(&curling, Verdict::WrongAnswer, printed);
        let mut part = before.clone();
        if let Some(fails_alone) = fails_alone {
            settle(&mut part, fails_alone);
            settle(&mut part, fails_alone);
        }
        let words = std::mem::replace(&mut part.words, before.words.clone());
        assert_eq!(part, before, "nothing but the words depends on it");
        assert!(words.starts_with("The first difference is in line"));
        assert!(words.trim() == words && !words.contains("  "), "{words}");
        for known in [if_alone, alone] {
            assert_eq!(words.contains(known), known == said, "{words}");
        }
    }
}

/// A package whose answers are stored, or come from a program of its own.
pub fn own(has_reference: bool, has_validator: bool) -> Package {
    let program = || samples::checked(Vec::new(), "").checker.unwrap().program;
    let mut package = package(Reference::Stored, Mode::Tokens, "3\n", "3\n");
    if has_reference {
        package.reference = Reference::Program(program());
    }
    package.validators.extend(has_validator.then(|| Validator {
        program: program(),
        protocol: Protocol::Icpc,
        arguments: Vec::new(),
    }));
    package
}

/// The programs of a package, which may be asked so often before they are cancelled: letters and
/// digits are valid, and `7` cannot be answered.
pub struct Plain {
    pub left: usize,
}

impl Oracle for Plain {
    fn validate(&mut self, _: &Validator, input: &Arc<[u8]>) -> Result<(), Trouble> {
        let cancelled = || Fault::new("run", "not wanted").of_kind(FaultKind::Cancelled);
        self.left = self.left.checked_sub(1).ok_or_else(cancelled)?;
        let is_valid = !input.is_empty() && input.iter().all(u8::is_ascii_alphanumeric);
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

pub fn inputs<'i>(package: &'i Package, oracle: &'i mut dyn Oracle) -> Inputs<'i> {
    Inputs { package, oracle }
}

fn no() -> Trouble {
    Complaint::new("valid.py", "no").into()
}

#[test]
fn other_inputs_are_tried_where_something_says_which_are_valid_and_answers_them() {
    for (package, can, refused) in [
        (built_in("curling", Mode::Tokens, CURLING), true, "1 1\n"),
        (own(true, true), true, "?"),
        (own(true, true), true, "7"),
        (own(true, false), false, "12"),
        (own(false, true), false, "12"),
        (own(false, false), false, "12"),
    ] {
        assert_eq!(can_search(&package), can);
        let mut plain = Plain { left: usize::MAX };
        let mut inputs = inputs(&package, &mut plain);
        let mut answer = |input: &str| inputs.expected(&Arc::from(input.as_bytes())).unwrap();
        assert_eq!(answer(refused), None, "{refused}");
        let is_own = can && package.task().is_none();
        if is_own {
            assert_eq!(*answer("12").unwrap(), *b"12");
        }
        assert_eq!(!inputs.simpler(b"12\n34\n").is_empty(), is_own);
    }
    // A fault of these programs is no answer.
    let package = own(true, true);
    let mut no_oracle = NoOracle;
    let mut inputs = inputs(&package, &mut no_oracle);
    assert!(inputs.expected(&Arc::from(&b"1"[..])).is_err());
}

#[test]
fn what_was_found_is_kept_as_people_read_it() {
    let found = |strategy, input: &str| Found {
        input: Arc::from(input.as_bytes()),
        expected: Arc::from(&b"1\n"[..]),
        verdict: Verdict::WrongAnswer,
        printed: Arc::from(&b"<b>\xff\x1b[2J\n"[..]),
        strategy,
    };
    for (strategy, word) in [
        (Strategy::Prefix, "prefix"),
        (Strategy::Family("random".into()), "family random"),
        (Strategy::Other, "a counterexample of another program"),
    ] {
        let kept = counterexample(&Smallest::of(found(strategy, "x"), None), None);
        assert_eq!(kept.found_by.to_string(), word);
        assert_eq!((kept.cells, kept.cases, &kept.witness), (None, 1, &None));
        assert_eq!((&*kept.input, &*kept.expected), ("x", "1\n"));
        assert!(kept.printed.starts_with("<b>"), "{}", kept.printed);
        assert!(!kept.printed.contains('\x1b'), "{}", kept.printed);
    }
    for (slug, input, cells) in [("curling", CURLING, 7), ("thegame", THE_GAME, 5)] {
        let package = built_in(slug, Mode::Tokens, input);
        let smallest = Smallest::of(found(Strategy::Test, input), package.task());
        let kept = counterexample(&smallest, package.task());
        assert_eq!((kept.cells, kept.cases), (Some(cells), 3), "{slug}");
        assert!(kept.witness.is_some(), "{slug}");
        // What is shown is what another program can be tried on.
        assert_eq!(kept.input, input);
        let bytes = smallest.progress.bytes();
        assert_eq!(bytes, input.len() + 2 + b"<b>\xff\x1b[2J\n".len());
    }
}
