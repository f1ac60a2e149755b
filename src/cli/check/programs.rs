//! What `check` asks of a package's validator and checker.

use std::sync::Arc;

use super::row::Row;
use crate::domain::Verdict;
use crate::package::{self, Case, Checker, Oracle, Package, Validator};
use crate::problems::INPUT_BYTES_MAX;
use crate::util::files::read_regular;

/// Inputs of which a validator must refuse at least one.
const BAD_INPUTS: [&[u8]; 4] = [b"", b"no such input\n", b"\0\xFF", b"-1\n-1\n"];
/// Outputs about which a checker must have an opinion, and which cannot all be right.
const BAD_OUTPUTS: [&[u8]; 3] = [b"", b"no such output\n", b"\0\xFF"];
/// Tests on which a checker is asked about them.
const CHECKER_TESTS_MAX: usize = 10;

/// Every file of `data/invalid_input` must be refused, by the built-in problem or by the package's
/// validator.
pub(super) fn invalid_inputs(package: &Package, oracle: &mut dyn Oracle) -> Row {
    let mut row = Row::new("invalid inputs refused", 0, Vec::new());
    let files = package::test_files(&package.folder.join("data/invalid_input"));
    let files = files.unwrap_or_else(|error| {
        row.complaints.push(error.to_string());
        Vec::new()
    });
    row.count = files.len();
    for file in &files {
        let name = file.display();
        row.complaints
            .extend(match read_regular(file, INPUT_BYTES_MAX as u64) {
                Err(error) => Some(format!("{name}: {error}")),
                Ok(bytes) => match package::valid_input(package, file, bytes, oracle) {
                    Ok(_) => Some(format!("{name}: is not refused")),
                    Err(error) => error.ours.then(|| error.to_string()),
                },
            });
    }
    row
}

/// Reading the package has built its programs and tried them on every test; here validator and
/// checker meet what is bad.
pub(super) fn programs(package: &Package, oracle: &mut dyn Oracle) -> Row {
    let mut row = Row::new(
        "programs do their work",
        package.programs().count(),
        Vec::new(),
    );
    if let Some(validator) = &package.validator {
        row.complaints
            .extend(refuses_something(validator, oracle).err());
    }
    if let Some(checker) = &package.checker {
        row.complaints
            .extend(has_opinions(package, checker, oracle).err());
    }
    row
}

fn refuses_something(validator: &Validator, oracle: &mut dyn Oracle) -> Result<(), String> {
    for input in BAD_INPUTS {
        let verdict = oracle
            .validate(validator, &Arc::from(input))
            .map_err(|fault| fault.to_string())?;
        if verdict.is_err() {
            return Ok(());
        }
    }
    Err(format!(
        "{}: the validator refuses nothing, not even an empty input",
        validator.program.path
    ))
}

fn has_opinions(
    package: &Package,
    checker: &Checker,
    oracle: &mut dyn Oracle,
) -> Result<(), String> {
    let path = &checker.program.path;
    let mut refused = false;
    for test in package.tests.iter().take(CHECKER_TESTS_MAX) {
        for output in BAD_OUTPUTS {
            let case = Case {
                input: &test.input,
                answer: &test.expected,
                output: &Arc::from(output),
            };
            let compared = oracle
                .check(checker, &case)
                .map_err(|fault| fault.to_string())?
                .map_err(|complaint| {
                    let output = String::from_utf8_lossy(output);
                    let (test, reason) = (&test.name.name, complaint.reason);
                    format!(
                        "{path}: the checker fails on {test} with the output {output:?}: {reason}"
                    )
                })?;
            refused |= compared.verdict != Verdict::Accepted;
        }
    }
    if refused {
        return Ok(());
    }
    Err(format!(
        "{path}: the checker accepts everything, even an empty output on every test that was tried"
    ))
}
