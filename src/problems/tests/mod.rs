//! What a problem is made of, and that the built-in ones have all of it.

mod pictures;

use super::task::first_difference;
use super::*;

/// The least that is a problem: a number, and its double.
struct Double;

impl Problem for Double {
    type Instance = u32;

    const SLUG: &'static str = "double";

    fn parse(&self, input: &[u8]) -> Result<Parsed<u32>, InputError> {
        let number = std::str::from_utf8(input)
            .ok()
            .and_then(|text| text.trim().parse().ok());
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
fn the_first_line_that_differs_is_named() {
    assert_eq!(first_difference(b"1\n-1\n", b"1\n-1\n"), None);
    let words = first_difference(b"1\n-1\n4\n", b"1\n10\n4\n").unwrap();
    assert_eq!(
        words,
        "line 2 of the answer is `-1` by the reference solver and `10` by the second algorithm"
    );
    let words = first_difference(b"1\n", b"1").unwrap();
    assert_eq!(
        words,
        "line 2 of the answer is `` by the reference solver and nothing by the second algorithm"
    );
}
