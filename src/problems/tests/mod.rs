//! What a problem is made of, and that the built-in ones have all of it.

mod inputs;
mod parsing;
mod pictures;
pub mod reading;
mod validators;

use super::problem::first_difference;
use super::*;

/// The least that is a problem: a number, and its double.
struct Double;

impl Problem for Double {
    type Instance = u32;

    const SLUG: &'static str = "double";

    fn parse(&self, input: &[u8]) -> Result<Parsed<u32>, InputError> {
        let number = String::from_utf8_lossy(input).trim().parse().ok();
        let input = number.ok_or_else(|| InputError {
            line: 1,
            column: 1,
            reason: "not a number".to_owned(),
        })?;
        let notes = Vec::new();
        Ok(Parsed { input, notes })
    }
    fn render(&self, number: &u32) -> Vec<u8> {
        format!("{number}\n").into_bytes()
    }
    fn answer(&self, number: &u32) -> Vec<u8> {
        format!("{}\n", u64::from(*number) * 2).into_bytes()
    }
    fn generate(&self, family: &str, seed: u64) -> Option<u32> {
        (family == "random").then(|| u32::try_from(seed % 1000).unwrap_or_default())
    }
}

#[test]
fn four_methods_make_a_problem_and_what_it_does_without_is_said() {
    let task: &dyn Task = &Double;
    let input = task.generate(task.families()[0].name, 21).unwrap();
    assert_eq!(task.validate(b"21").unwrap().input, input);
    assert_eq!(task.answer(&input).unwrap(), b"42\n");
    assert_eq!(disagreement(task, &input), Ok(None));
    assert_eq!(task.case_at(&input, 1), Ok(None));
    assert_eq!(task.draw(&input, Some(b"41\n"), "page"), Ok(Vec::new()));
    let missing = missing(task, &[&input]).unwrap();
    assert_eq!(missing.len(), 5, "{missing:?}");
}

#[test]
fn the_shipped_problems_do_without_nothing() {
    for task in ALL {
        let input = task.generate(task.families()[0].name, 1).unwrap();
        let none: [&str; 0] = [];
        assert_eq!(missing(task, &[&input]).unwrap(), none, "{}", task.slug());
    }
}

#[test]
fn small_inputs_are_valid_each_once_and_can_be_joined_and_shortened() {
    for (task, cells, count, also) in [
        // A board is at least two wide.
        (ALL[0], 2, 2, 0),
        (ALL[0], 3, 12, 0),
        (ALL[0], 4, 2 * 12 * 4, 0),
        // The second query is any pair of the two, three or four cards.
        (ALL[1], 2, 4, 4 * 2),
        (ALL[1], 4, 3 * 12 * 4, 3 * 12 * (2 + 2 * 6 + 12)),
        // A board one cell wide has no spaces.
        (ALL[2], 2, 2, 1),
        // Of the five ways to colour three cells, three end in another colour than the first.
        (ALL[2], 3, 6, 3),
    ] {
        let slug = task.slug();
        let inputs: Vec<Vec<u8>> = task.small(cells).expect("few cells").collect();
        assert_eq!(inputs.len(), count, "{slug} {cells}");
        let distinct: std::collections::HashSet<&Vec<u8>> = inputs.iter().collect();
        assert_eq!(distinct.len(), count, "{slug} {cells}");
        for input in &inputs {
            assert_eq!(task.validate(input).unwrap().input, *input);
            assert_eq!(task.cells(input), Ok(Some(cells)), "{slug}");
            assert_eq!(task.cases(input).unwrap().len(), 1);
        }
        let joined = task.joined(&inputs[..2]).unwrap();
        assert_eq!(joined.is_some(), slug != "regions");
        if let Some(joined) = joined {
            assert_eq!(task.cases(&joined).unwrap().len(), 2);
            assert_eq!(task.prefix(&joined, 1).unwrap().as_ref(), Some(&inputs[0]));
            assert_eq!(task.prefix(&joined, 3).unwrap(), None);
        }
        assert!(task.small(100).is_none());
        let more: Vec<Vec<u8>> = task.also_small(cells).collect();
        assert_eq!(more.len(), also, "{slug} {cells}");
        for input in more {
            assert_eq!(task.validate(&input).unwrap().input, input);
            assert_eq!(task.cells(&input), Ok(Some(cells)), "{slug}");
            assert!(!inputs.contains(&input));
        }
        for input in task.carrying(cells) {
            assert_eq!(task.validate(&input).unwrap().input, input);
            assert_eq!(task.cells(&input), Ok(Some(cells)), "{slug}");
            assert!(task.cases(&input).unwrap().len() > 1, "{slug}");
        }
    }
}

#[test]
fn the_first_line_that_differs_is_named() {
    for (reference, second, line, said) in [
        ("1\n-1\n4\n", "1\n10\n4\n", "`-1`", "`10`"),
        ("1\n", "1", "``", "nothing"),
    ] {
        let words = first_difference(reference.as_bytes(), second.as_bytes());
        let expected = format!(
            "line 2 of the answer is {line} by the reference solver and {said} by the second algorithm"
        );
        assert_eq!(words, Some(expected));
    }
    assert_eq!(first_difference(b"1\n-1\n", b"1\n-1\n"), None);
}
