//! What `check` finds in a package before anything of it is judged: tests and their answers, inputs
//! that must be refused, groups, and the package's own programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::finding::Check;
use crate::domain::{LanguageId, Scoring, TestKind, Verdict};
use crate::package::{
    self, Case, Checker, DEFAULT_FOLDER, Format, Hack, Oracle, Package, Remark, Test, Trouble,
    Validator,
};
use crate::problems::{self, INPUT_BYTES_MAX, Task};
use crate::toolchain::Toolchain;
use crate::util::files::read_regular;
use crate::util::words::hint;

/// Mutations tried on each test input.
const MUTATIONS_OF_ONE_TEST_MAX: usize = 40;
/// Inputs of which a validator must refuse at least one.
const BAD_INPUTS: [&[u8]; 4] = [b"", b"no such input\n", b"\0\xFF", b"-1\n-1\n"];
/// Outputs about which a checker must have an opinion, and which cannot all be right.
const BAD_OUTPUTS: [&[u8]; 3] = [b"", b"no such output\n", b"\0\xFF"];
/// Tests on which a checker is asked about them.
const CHECKER_TESTS_MAX: usize = 10;
/// Files and folders of a package that are counted.
const COUNTED_MAX: usize = 10_000;

/// Reading the package has validated every test and compared every stored answer; what is left is
/// what it forgave.
pub fn tests(package: &Package) -> Check {
    let mut complaints = Vec::new();
    for test in package.tests.iter().filter(|test| !test.notes.is_empty()) {
        let notes: Vec<&str> = test.notes.iter().map(|note| note.words()).collect();
        complaints.push(format!(
            "{}: not in its normal form: {}",
            test.file.display(),
            notes.join("; ")
        ));
    }
    let mut twins = Vec::new();
    for (index, test) in package.tests.iter().enumerate() {
        let mut before = package.tests[..index].iter();
        if let Some(twin) = before.find(|other| package.are_twins(&other.name, &test.name))
            && !is_same_file(&test.file, &twin.file)
        {
            let (name, twin) = (&test.name.name, &twin.name.name);
            twins.push(format!("{name}: the same input as {twin}"));
        }
    }
    let mut warnings = Vec::new();
    match package.format {
        Format::Own => complaints.extend(twins),
        // There the tests of one folder are often those of another as well.
        Format::Kattis => warnings.extend(twins),
    }
    complaints.extend(package.hacks.iter().filter_map(Hack::complaint));
    let count = package.tests.len();
    Check::new("tests valid, answers right", count, complaints).with_warnings(warnings)
}

/// Whether one leads to the other, or both to a third: a test that is meant to be there twice.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let real = |file: &Path| file.canonicalize().ok();
    real(one).is_some_and(|file| real(other) == Some(file))
}

/// Reading the package has answered every test with the reference solver; the second algorithm must
/// agree.
pub fn second_opinion(package: &Package, task: &dyn Task) -> Check {
    let complaint = |test: &Test| {
        let said = match test.input.read() {
            Ok(input) => problems::disagreement(task, &input).map_err(|error| error.to_string()),
            Err(fault) => Err(fault.to_string()),
        };
        let words = said.unwrap_or_else(Some)?;
        Some(format!("{}: {words}", test.name.name))
    };
    let complaints = package.tests.iter().filter_map(complaint).collect();
    Check::new("second algorithm agrees", package.tests.len(), complaints)
}

/// What a built-in problem could have and does without: not a fault, but worth a thought.
pub fn missing(package: &Package, task: &dyn Task) -> Check {
    let is_sample = |test: &&Test| test.name.kind == TestKind::Sample;
    let samples = package.tests.iter().filter(is_sample);
    let samples: Vec<_> = samples.filter_map(|test| test.input.read().ok()).collect();
    let samples: Vec<&[u8]> = samples.iter().map(|input| &**input).collect();
    let check = |complaints| Check::new("parts of the problem", samples.len(), complaints);
    match problems::missing(task, &samples) {
        Ok(missing) => {
            check(Vec::new()).with_warnings(missing.into_iter().map(str::to_owned).collect())
        }
        Err(error) => check(vec![error.to_string()]),
    }
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
pub fn mutations(package: &Package, task: &dyn Task) -> Check {
    let (mut count, mut complaints) = (0, Vec::new());
    let inputs = package.tests.iter();
    let inputs = inputs.filter_map(|test| Some((test, test.input.read().ok()?)));
    for (test, input) in inputs {
        for (what, expected, mutant) in mutants(&input) {
            count += 1;
            let Ok(valid) = task.validate(&mutant) else {
                continue;
            };
            let name = &test.name.name;
            let mut complain = |words: &str| complaints.push(format!("{name}: {what}{words}"));
            if expected == Outcome::Harmless && valid.input != *input {
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
    Check::new("mutations refused or normalised", count, complaints)
}

/// Every file of a package is read, or known to be harmless.
pub fn files(package: &Package) -> Check {
    let count =
        fs::read_dir(&package.folder).map_or(0, |entries| entries.take(COUNTED_MAX).count());
    let remarks: Vec<String> = package.remarks.iter().map(Remark::to_string).collect();
    let what = "nothing is left unread";
    match package.format {
        Format::Own => Check::new(what, count, remarks),
        // Such a package was not written for this program alone.
        Format::Kattis => Check::new(what, count, Vec::new()).with_warnings(remarks),
    }
}

/// The groups of a package, where it has any.
pub fn groups(package: &Package) -> Option<Check> {
    if package.groups.is_empty() {
        return None;
    }
    let mut warnings = Vec::new();
    let mut parts = Vec::new();
    let mut points = 0_u64;
    for (place, group) in package.groups.iter().enumerate() {
        let of_group = |test: &&Test| test.name.group == Some(place);
        let tests = package.tests.iter().filter(of_group).count() as u64;
        let (name, of) = (&group.name, u64::from(group.points));
        points += of;
        parts.push(format!(
            "{name} {of} ({tests} tests, {})",
            group.scoring.word()
        ));
        if group.scoring == Scoring::Sum && of % tests.max(1) != 0 {
            warnings.push(format!(
                "{of} points of {name} cannot be divided evenly among {tests} tests, and are rounded down: \
                 a multiple of {tests} makes each test worth the same"
            ));
        }
    }
    let check = Check {
        summary: Some(format!("{points} points: {}", parts.join(" · "))),
        ..Check::new("groups of tests", parts.len(), Vec::new())
    };
    Some(check.with_warnings(warnings))
}

/// What is built together with programs: for which languages, and which file calls theirs.
pub fn included(package: &Package, toolchain: &Toolchain) -> Option<Check> {
    let mut wrong = Vec::new();
    let folders = package.included.languages();
    for folder in folders.filter(|folder| *folder != DEFAULT_FOLDER) {
        let language = LanguageId::new(folder).ok();
        let language = language.and_then(|id| toolchain.language(&id));
        let Some(language) = language else {
            let known = toolchain.languages().map(|language| language.id().as_str());
            let meant = hint(folder, known);
            wrong.push(format!(
                "include/{folder}: there is no language `{folder}`{meant}"
            ));
            continue;
        };
        if language.lacks_driver(package.included.of(language.id())) {
            wrong.push(format!(
                "include/{folder}: none of its sources is called main, so functions are not called"
            ));
        }
    }
    let count = package.included.languages().count();
    let what = "include";
    let check = match package.format {
        Format::Own => Check::new(what, count, wrong),
        Format::Kattis => Check::new(what, count, Vec::new()).with_warnings(wrong),
    };
    (count > 0).then_some(check)
}

/// The languages to which problem.toml gives a time factor.
pub fn time_factors(package: &Package, toolchain: &Toolchain) -> Option<Check> {
    let factors = &package.time_factors;
    let unknown = factors.keys().filter(|id| toolchain.language(id).is_none());
    let complaints = unknown.map(|id| {
        let known = toolchain.languages().map(|language| language.id().as_str());
        let meant = hint(id.as_str(), known);
        format!("[time_factors] of problem.toml: there is no language `{id}`{meant}")
    });
    (!factors.is_empty()).then(|| Check::new("time factors", factors.len(), complaints.collect()))
}

/// Every file of `data/invalid_input` must be refused, by the built-in problem or by the package's
/// validator.
pub fn invalid_inputs(package: &Package, oracle: &mut dyn Oracle) -> Check {
    let what = "invalid inputs refused";
    let files = match package::test_files(&package.folder.join("data/invalid_input")) {
        Ok(files) => files,
        Err(error) => return Check::new(what, 0, vec![error.to_string()]),
    };
    let complaint = |file: &PathBuf| {
        let name = file.display();
        match read_regular(file, INPUT_BYTES_MAX as u64) {
            Err(error) => Some(format!("{name}: {error}")),
            Ok(bytes) => match package::valid_input(package, file, bytes, oracle) {
                Ok(_) => Some(format!("{name}: is not refused")),
                Err(error) => error.is_ours().then(|| error.to_string()),
            },
        }
    };
    let complaints = files.iter().filter_map(complaint).collect();
    Check::new(what, files.len(), complaints)
}

/// Reading the package has built its programs and tried them on every test; here validator and
/// checker meet what is bad.
pub fn programs(package: &Package, oracle: &mut dyn Oracle) -> Check {
    let validators = package.validators.iter();
    let validators = validators.map(|validator| refuses_something(validator, oracle));
    let mut complaints: Vec<String> = validators.filter_map(Result::err).collect();
    // One that takes part in the runs meets what is bad in the examples.
    let checker = package.checker.as_ref().filter(|_| !package.talks());
    complaints.extend(checker.and_then(|checker| has_opinions(package, checker, oracle).err()));
    Check::new(
        "programs do their work",
        package.programs().count(),
        complaints,
    )
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

fn has_opinions(
    package: &Package,
    checker: &Checker,
    oracle: &mut dyn Oracle,
) -> Result<(), String> {
    let path = &checker.program.path;
    let mut refused = false;
    for test in package.tests.iter().take(CHECKER_TESTS_MAX) {
        let [input, expected] = test.read().map_err(|fault| fault.to_string())?;
        for output in BAD_OUTPUTS {
            let case = Case {
                input: &input,
                answer: &expected,
                output: &Arc::from(output),
                told: test.name.told.as_ref(),
            };
            let compared = oracle
                .check(checker, &case)
                .map_err(|trouble| match trouble {
                    Trouble::Ours(fault) => fault.to_string(),
                    Trouble::Theirs(complaint) => {
                        let output = String::from_utf8_lossy(output);
                        let (test, reason) = (&test.name.name, complaint.reason);
                        format!(
                            "{path}: the checker fails on {test} with the output {output:?}: {reason}"
                        )
                    }
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
