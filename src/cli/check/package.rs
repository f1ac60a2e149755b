//! What `check` finds in a package before anything of it is judged: tests and their answers, ways to
//! spoil an input, groups.

use std::fs;
use std::path::Path;

use super::finding::Check;
use crate::domain::{LanguageId, Scoring, TestKind};
use crate::package::{DEFAULT_FOLDER, Format, Hack, Package, Remark, Test};
use crate::problems::{self, Task};
use crate::toolchain::Toolchain;
use crate::util::words::hint;

/// A way to spoil an input that may well leave a valid one.
pub const DROPPED: &str = "a line dropped";
/// Mutations tried on each test input.
const MUTATIONS_OF_ONE_TEST_MAX: usize = 40;
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
pub enum Outcome {
    Refused,
    /// It is the same input once it is normalised.
    Harmless,
    /// It is refused, or read as some valid input.
    Stable,
}

/// Ways to spoil a valid input.
pub fn mutants(input: &[u8]) -> Vec<(&'static str, Outcome, Vec<u8>)> {
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
        mutants.push((DROPPED, Stable, without));
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
    for test in &package.tests {
        let input = match test.input.read() {
            Ok(input) => input,
            Err(fault) => {
                complaints.push(fault.to_string());
                continue;
            }
        };
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
    for (place, group) in package.groups.iter().enumerate() {
        let of_group = |test: &&Test| test.name.group == Some(place);
        let tests = package.tests.iter().filter(of_group).count() as u64;
        let (name, of) = (&group.name, u64::from(group.points));
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
    let points = package.groups.points();
    let takes_least = package.groups.takes_least();
    let least = if takes_least {
        ", those of the group with the least"
    } else {
        ""
    };
    let check = Check {
        summary: Some(format!("{points} points{least}: {}", parts.join(" · "))),
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
