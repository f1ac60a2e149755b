//! What `check` finds in a package's tests without running anything: normal forms, twins, the
//! second algorithm, and inputs that are nearly valid.

use super::row::Row;
use crate::domain::TestKind;
use crate::package::{Hack, Package, Test};
use crate::problems::{self, Task};

/// Mutations tried on each test input.
const MUTATIONS_OF_ONE_TEST_MAX: usize = 40;

/// Reading the package has validated every test and compared every stored answer; what is left is
/// what it forgave.
pub(super) fn tests(package: &Package) -> Row {
    let mut complaints = Vec::new();
    for test in package.tests.iter().filter(|test| !test.notes.is_empty()) {
        let notes: Vec<String> = test.notes.iter().map(ToString::to_string).collect();
        complaints.push(format!(
            "{}: not in its normal form: {}",
            test.file.display(),
            notes.join("; ")
        ));
    }
    for (index, test) in package.tests.iter().enumerate() {
        let mut before = package.tests[..index].iter();
        if let Some(twin) = before.find(|other| other.name.input == test.name.input) {
            complaints.push(format!(
                "{}: the same input as {}",
                test.name.name, twin.name.name
            ));
        }
    }
    complaints.extend(package.hacks.iter().filter_map(Hack::complaint));
    Row::new(
        "tests valid, answers right",
        package.tests.len(),
        complaints,
    )
}

/// Reading the package has answered every test with the reference solver; the second algorithm must
/// agree.
pub(super) fn second_opinion(package: &Package, task: &dyn Task) -> Row {
    let complaint = |test: &Test| match problems::disagreement(task, &test.input) {
        Ok(difference) => Some(format!("{}: {}", test.name.name, difference?)),
        Err(error) => Some(format!("{}: {error}", test.name.name)),
    };
    let complaints = package.tests.iter().filter_map(complaint).collect();
    Row::new("second algorithm agrees", package.tests.len(), complaints)
}

/// What a built-in problem could have and does without: not a fault, but worth a thought.
pub(super) fn missing(package: &Package, task: &dyn Task) -> Row {
    let is_sample = |test: &&Test| test.name.kind == TestKind::Sample;
    let samples = package.tests.iter().filter(is_sample);
    let samples: Vec<&[u8]> = samples.map(|test| &*test.input).collect();
    let mut row = Row::new("parts of the problem", samples.len(), Vec::new());
    match problems::missing(task, &samples) {
        Ok(missing) => row.warnings = missing.into_iter().map(str::to_owned).collect(),
        Err(error) => row.complaints.push(error.to_string()),
    }
    row
}

/// What a spoilt input may come to.
#[derive(Clone, Copy, PartialEq)]
enum Outcome {
    Refused,
    /// It is the same input once it is normalised.
    Harmless,
    /// It is refused, or read as some valid input.
    Stable,
}

/// Ways to spoil a valid input.
fn mutants(input: &[u8]) -> Vec<(&'static str, Outcome, Vec<u8>)> {
    use Outcome::{Harmless, Refused, Stable};
    let before = |text: &[u8]| [text, input].concat();
    let after = |text: &[u8]| [input, text].concat();
    let mut mutants = vec![
        ("text after the end", Refused, after(b"1\n")),
        ("a word after the end", Refused, after(b"end\n")),
        ("a byte order mark", Refused, before(b"\xEF\xBB\xBF")),
        ("an empty line first", Stable, before(b"\n")),
        ("a space first", Stable, before(b" ")),
        ("CRLF", Harmless, with_line_ends(input, b"\r\n")),
        (
            "spaces at line ends",
            Harmless,
            with_line_ends(input, b"  \n"),
        ),
        ("doubled line feeds", Stable, with_line_ends(input, b"\n\n")),
        ("empty lines at the end", Harmless, after(b"\n\n")),
        ("nothing", Refused, Vec::new()),
    ];
    if let [rest @ .., b'\n'] = input {
        mutants.push(("no final line feed", Harmless, rest.to_vec()));
    }
    if let Some(digit) = input.iter().position(u8::is_ascii_digit) {
        let with = |sign: &[u8]| [&input[..digit], sign, &input[digit..]].concat();
        mutants.push(("a leading zero", Stable, with(b"0")));
        mutants.push(("a plus sign", Refused, with(b"+")));
        mutants.push(("a minus sign", Refused, with(b"-")));
    }
    let lines: Vec<&[u8]> = input.split_inclusive(|&byte| byte == b'\n').collect();
    let left = MUTATIONS_OF_ONE_TEST_MAX.saturating_sub(mutants.len()) / 2;
    let step = (lines.len() / left.max(1)).max(1);
    for at in (0..lines.len()).step_by(step).take(left) {
        let (before, after) = (lines[..at].concat(), lines[at + 1..].concat());
        let without = [before.as_slice(), &after].concat();
        mutants.push(("a line dropped", Stable, without));
        let spoiled = [before.as_slice(), b"#", lines[at], &after].concat();
        mutants.push(("a strange character", Refused, spoiled));
    }
    mutants
}

fn with_line_ends(input: &[u8], end: &[u8]) -> Vec<u8> {
    let lines: Vec<&[u8]> = input.split(|&byte| byte == b'\n').collect();
    lines.join(end)
}

/// A mutant is refused, or it is read as some valid input whose normal form is stable.
pub(super) fn mutations(package: &Package, task: &dyn Task) -> Row {
    let mut row = Row::new("mutations refused or normalised", 0, Vec::new());
    for test in &package.tests {
        for (what, expected, mutant) in mutants(&test.input) {
            row.count += 1;
            let Ok(valid) = task.validate(&mutant) else {
                continue;
            };
            let mut complain = |words: &str| {
                row.complaints
                    .push(format!("{}: {what}{words}", test.name.name));
            };
            if expected == Outcome::Harmless && valid.input != *test.input {
                complain(" changes the input");
            }
            let again = task.validate(&valid.input);
            if !again.is_ok_and(|again| again.input == valid.input && again.notes.is_empty()) {
                complain(": no stable normal form");
            }
            if expected == Outcome::Refused {
                complain(" is not refused");
            }
        }
    }
    row
}
