//! Whether a package's own programs do their work: what they must refuse and what they must accept,
//! as the package says it, and what is bad whatever it says.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::finding::Check;
use super::package::{DROPPED, mutants};
use crate::domain::Verdict;
use crate::package::{self, Case, Checker, Found, Oracle, Package, Test, Trouble, Validator};
use crate::util::text::contains;

/// Inputs of which a validator must refuse at least one.
const BAD_INPUTS: [&[u8]; 4] = [b"", b"no such input\n", b"\0\xFF", b"-1\n-1\n"];
/// What the ICPC's checkers call the pictures that they make.
const PICTURES: [&[u8]; 2] = [b"judgeimage", b"teamimage"];
/// Tests whose inputs are spoilt for the validators, and the largest of these inputs in bytes.
const SPOILT_TESTS_MAX: usize = 3;
const SPOILT_BYTES_MAX: usize = 64 * 1024;
/// Tests on which a checker is asked about bad outputs, and the longest of these in bytes.
const CHECKER_TESTS_MAX: usize = 10;
const HUGE_BYTES: usize = 1024 * 1024;

/// The inputs of `data/invalid_input` must be refused, by the built-in problem or by the package's
/// validators.
pub fn invalid_inputs(package: &Package, oracle: &mut dyn Oracle) -> Check {
    as_promised("invalid inputs refused", package, Found::is_input, oracle)
}

/// What lies in `data/invalid_output` must be refused, what lies in `data/valid_output` or beside a
/// test must be accepted, by the package's checker or by the comparison.
pub fn outputs(package: &Package, oracle: &mut dyn Oracle) -> Option<Check> {
    let what = "outputs refused, or accepted";
    let is_output = |found: &Found| !found.is_input();
    if !package.validation_data.iter().any(is_output) {
        return None;
    }
    if package.talks() {
        let words = "not tried: nobody can ask a program about an output with which others talk";
        return Some(Check::new(what, 0, Vec::new()).with_warnings(vec![words.to_owned()]));
    }
    Some(as_promised(what, package, is_output, oracle))
}

fn as_promised(
    what: &'static str,
    package: &Package,
    is_meant: impl Fn(&Found) -> bool,
    oracle: &mut dyn Oracle,
) -> Check {
    let found = package.validation_data.iter();
    let found: Vec<&Found> = found.filter(|one| is_meant(one)).collect();
    let complaint = |found: &&Found| {
        let ending = if found.is_input() { "in" } else { "out" };
        let file = found.file.with_extension(ending);
        match (package::refusal(package, found, oracle), found.is_invalid()) {
            (Err(error), _) => Some(error.to_string()),
            (Ok(None), true) => Some(format!("{}: is not refused", file.display())),
            (Ok(Some(why)), false) => Some(format!("{}: is refused: {why}", file.display())),
            (Ok(_), _) => None,
        }
    };
    let complaints = found.iter().filter_map(complaint).collect();
    Check::new(what, found.len(), complaints)
}

/// Reading the package has built its programs and tried them on every test; here validators and
/// checker meet what is bad.
pub fn programs(package: &Package, oracle: &mut dyn Oracle) -> Check {
    let (mut complaints, mut warnings) = (Vec::new(), Vec::new());
    for validator in &package.validators {
        complaints.extend(refuses_something(validator, oracle).err());
    }
    if complaints.is_empty() && !package.validators.is_empty() {
        match let_pass(package, oracle) {
            Ok(warning) => warnings.extend(warning),
            Err(fault) => complaints.push(fault),
        }
    }
    for program in package.checker.iter().flat_map(Checker::programs) {
        if PICTURES.iter().any(|name| contains(&program.source, name)) {
            warnings.push(format!(
                "{}: the pictures that it makes are not kept",
                program.path
            ));
        }
    }
    // One that takes part in the runs meets what is bad in the examples.
    if let Some(checker) = package.checker.as_ref().filter(|_| !package.talks()) {
        match accepted_kinds(package, checker, oracle) {
            Ok(accepted) => warnings.extend(accepted),
            Err(failed) => complaints.push(failed),
        }
    }
    let count = package.programs().count();
    Check::new("programs do their work", count, complaints).with_warnings(warnings)
}

fn refuses_something(validator: &Validator, oracle: &mut dyn Oracle) -> Result<(), String> {
    for input in BAD_INPUTS {
        match oracle.validate(validator, &Arc::from(input)) {
            Ok(()) => {}
            Err(Trouble::Theirs(_)) => return Ok(()),
            Err(Trouble::Ours(fault)) => return Err(fault.to_string()),
        }
    }
    Err(format!(
        "{}: the validator refuses nothing, not even an empty input",
        validator.program.path
    ))
}

/// The ways to spoil an input that no validator has refused on any test.
fn let_pass(package: &Package, oracle: &mut dyn Oracle) -> Result<Option<String>, String> {
    let small = |test: &&Test| test.input.len_bytes() <= SPOILT_BYTES_MAX;
    let mut passed = BTreeMap::new();
    for test in package.tests.iter().filter(small).take(SPOILT_TESTS_MAX) {
        let input = test.input.read().map_err(|fault| fault.to_string())?;
        for (what, _, mutant) in mutants(&input) {
            let is_known = what == DROPPED || passed.get(what) == Some(&false);
            if is_known || *mutant == *input {
                continue;
            }
            let passes = match package::valid_input(package, &test.file, mutant, None, oracle) {
                Err(Trouble::Ours(fault)) => return Err(fault.to_string()),
                said => said.is_ok(),
            };
            passed.insert(what, passes);
        }
    }
    let passed = passed.into_iter().filter(|(_, passed)| *passed);
    let passed: Vec<&str> = passed.map(|(what, _)| what).collect();
    let words = "no validator refuses a test that is changed in one of these ways, so hacks may look like that";
    Ok((!passed.is_empty()).then(|| format!("{words}: {}", passed.join(", "))))
}

/// What each kind of bad output is, and one that is made of a test; none where the test has none.
fn bad_outputs(package: &Package, answer: &[u8]) -> [(&'static str, Option<Vec<u8>>); 6] {
    let answer = answer.trim_ascii_end();
    let mut others = package.tests.iter();
    let other = others.find_map(|test| {
        let expected = test.expected.read().ok()?;
        (expected.trim_ascii_end() != answer).then_some(expected)
    });
    let most = usize::try_from(package.limits.output_bytes).unwrap_or(HUGE_BYTES);
    let line = [answer, b"\n"].concat();
    let times = HUGE_BYTES.min(most) / line.len();
    let others = [
        Some(answer[..answer.len() / 2].to_vec()),
        Some(line.repeat(times)).filter(|_| !answer.is_empty()),
        other.map(|expected| expected.to_vec()),
    ];
    let [half, huge, other] = others.map(|output| output.filter(|output| !output.is_empty()));
    [
        ("an empty output", Some(Vec::new())),
        ("words", Some(b"no such output\n".to_vec())),
        ("bytes that are no text", Some(b"\0\xFF".to_vec())),
        ("the first half of the answer", half),
        ("the answer over and over", huge),
        ("another test's answer", other),
    ]
}

/// The kinds of bad outputs that a checker accepts on every test; the error: it accepts everything,
/// or has no opinion.
fn accepted_kinds(
    package: &Package,
    checker: &Checker,
    oracle: &mut dyn Oracle,
) -> Result<Vec<String>, String> {
    let path = &checker.program.path;
    let mut refused: BTreeMap<&str, bool> = BTreeMap::new();
    for test in package.tests.iter().take(CHECKER_TESTS_MAX) {
        let [input, answer] = test.read().map_err(|fault| fault.to_string())?;
        for (what, output) in bad_outputs(package, &answer) {
            let Some(output) = output else {
                continue;
            };
            let case = Case {
                input: &input,
                answer: &answer,
                output: &Arc::from(output),
                told: test.name.told.as_ref(),
            };
            let compared = oracle.check(checker, &case);
            let compared = compared.map_err(|trouble| match trouble {
                Trouble::Ours(fault) => fault.to_string(),
                Trouble::Theirs(complaint) => {
                    let (test, reason) = (&test.name.name, complaint.reason);
                    format!("{path}: the checker fails on {test} with {what}: {reason}")
                }
            })?;
            *refused.entry(what).or_default() |= compared.verdict != Verdict::Accepted;
        }
    }
    if !refused.values().any(|refused| *refused) {
        return Err(format!(
            "{path}: the checker accepts everything, even an empty output on every test that was tried"
        ));
    }
    let accepted = refused.iter().filter(|(_, refused)| !**refused);
    Ok(accepted
        .map(|(what, _)| format!("{path}: the checker accepts {what} on every test that was tried"))
        .collect())
}
