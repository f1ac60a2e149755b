//! The tests of a package: which files they are, and their answers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use super::bytes::TestBytes;
use super::contents::{Package, Test};
use super::error::Trouble;
use super::kattis::mode_of;
use super::oracle::{Case, Oracle};
use super::outline::Found;
use super::program::{Reference, Validator};
use crate::compare::{Outcome, compare};
use crate::domain::bounds::TEST_FILE_BYTES_MAX;
use crate::domain::{Compared, Complaint, TestRef, Verdict};
use crate::problems::{InputError, Normalisation};
use crate::util::files::read_regular;
use crate::util::hash::digest;

const NO_REASON: &str = "it gives no reason";

/// Reads one test of a package. Its answer is in the second file, if that is there. A fault names
/// the file, its line and its column.
pub(super) fn read_test(
    package: &Package,
    found: &Found,
    answer_file: &Path,
    oracle: &mut dyn Oracle,
) -> Result<Test, Trouble> {
    let file = found.file.as_path();
    let stem = file
        .file_stem()
        .and_then(|stem| stem.to_str())
        .ok_or_else(|| Trouble::file(file, "the test's name is not UTF-8; rename it"))?;
    let raw = read(file)?;
    let in_file = digest(&raw);
    let arguments = found.arguments.as_deref();
    let (input, notes) = valid_input(package, file, raw, arguments, oracle)?;
    let told = found.told.as_ref();
    let (expected, is_stored) = expected_of(package, (file, answer_file), (&input, told), oracle)?;
    let digests = (digest(&input), digest(&expected));
    let is_file = (digests.0 == in_file).then_some(file);
    Ok(Test {
        name: TestRef {
            name: format!("{}/{stem}", found.folder),
            kind: found.kind,
            group: found.group,
            input: digests.0,
            expected: digests.1,
            told: found.told.clone(),
        },
        file: file.to_owned(),
        input: TestBytes::of(input, digests.0, is_file),
        expected: TestBytes::of(expected, digests.1, is_stored.then_some(answer_file)),
        notes,
    })
}

/// The bytes of a test, or of another file of a package.
pub(super) fn read(file: &Path) -> Result<Vec<u8>, Trouble> {
    read_regular(file, TEST_FILE_BYTES_MAX).map_err(|error| Trouble::unread(file, error))
}

/// Why the input in a file, or the output beside it, is refused; none if it is accepted. The error:
/// it could not be tried.
pub fn refusal(
    package: &Package,
    found: &Found,
    oracle: &mut dyn Oracle,
) -> Result<Option<String>, Trouble> {
    let (file, told) = (found.file.as_path(), found.told.as_ref());
    let raw = read(file)?;
    let input = match valid_input(package, file, raw, found.arguments.as_deref(), oracle) {
        Err(Trouble::Theirs(refused)) if found.is_input() => return Ok(Some(refused.reason)),
        valid => valid?.0,
    };
    if found.is_input() {
        return Ok(None);
    }
    let answer_file = file.with_extension("ans");
    let (answer, _) = expected_of(package, (file, &answer_file), (&input, told), oracle)?;
    let output_file = file.with_extension("out");
    let case = Case {
        input: &input,
        answer: &answer,
        output: &Arc::from(read(&output_file)?),
        told,
    };
    if let Some(said) = said_of(package, &output_file, &case, oracle)? {
        let words = said.words.or(said.judge_message);
        let words = words.unwrap_or_else(|| NO_REASON.to_owned());
        return Ok((said.verdict != Verdict::Accepted).then_some(words));
    }
    let mode = told.map_or(Ok(package.mode), |flags| mode_of(flags));
    let mode = mode.map_err(|(reason, help)| Complaint::new(file, reason).with_help(help))?;
    Ok(match compare(&answer, case.output, &mode) {
        Outcome::Same => None,
        Outcome::Layout(found) | Outcome::Different(found) => {
            Some(format!("it differs from the answer in line {}", found.line))
        }
    })
}

/// A reference solver that panics is a bug of ours, which costs this input and never the daemon.
pub(super) fn unless_it_panics<T>(file: &Path, work: impl FnOnce() -> T) -> Result<T, Trouble> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        Trouble::file(
            file,
            "the reference solver failed on it, which is a bug in verdictd: please report this input; \
             until it is fixed take the file out of the package",
        )
    })
}

/// An input in its normal form and what had to be normalised, if the built-in problem and the
/// validator let it pass, which may be told something of its own. `file` is for the words alone.
pub fn valid_input(
    package: &Package,
    file: &Path,
    raw: Vec<u8>,
    arguments: Option<&[String]>,
    oracle: &mut dyn Oracle,
) -> Result<(Arc<[u8]>, Vec<Normalisation>), Trouble> {
    let (input, notes) = match package.task() {
        Some(task) => {
            let valid = task
                .validate(&raw)
                .map_err(|fault| at_place(file, &fault))?;
            (Arc::from(valid.input), valid.notes)
        }
        None => (Arc::from(raw), Vec::new()),
    };
    let said = validate(package, &input, arguments, oracle);
    heard(file, said, "the validator refuses it")?;
    Ok((input, notes))
}

/// Whether all validators let an input pass when they get these arguments; where none are given,
/// when they get those for some test.
pub fn validate(
    package: &Package,
    input: &Arc<[u8]>,
    arguments: Option<&[String]>,
    oracle: &mut dyn Oracle,
) -> Result<(), Trouble> {
    let others = package.other_arguments.iter().map(|others| Some(&**others));
    let others = others.filter(|_| arguments.is_none());
    let mut refused = None;
    for arguments in std::iter::once(arguments).chain(others) {
        let mut validators = package.validators.iter();
        let said = validators.try_for_each(|validator| match arguments {
            Some(arguments) if arguments != validator.arguments => {
                let arguments = arguments.to_vec();
                let told = Validator {
                    arguments,
                    ..validator.clone()
                };
                oracle.validate(&told, input)
            }
            _ => oracle.validate(validator, input),
        });
        match said {
            Err(Trouble::Theirs(why)) => refused = refused.or(Some(why)),
            said => return said,
        }
    }
    refused.map_or(Ok(()), |why| Err(why.into()))
}

/// What a built-in problem does not accept.
fn at_place(file: &Path, error: &InputError) -> Trouble {
    let complaint = Complaint::new(file, &error.reason);
    complaint.at(error.line, error.column).into()
}

/// What an oracle said of a file, in the words of this layer.
fn heard<T>(file: &Path, said: Result<T, Trouble>, what: &str) -> Result<T, Trouble> {
    said.map_err(|trouble| match trouble {
        Trouble::Ours(fault) => Trouble::fault(file, &fault),
        Trouble::Theirs(complaint) => Trouble::Theirs(Complaint {
            place: complaint.place,
            ..Complaint::new(file, format!("{what}: {}", without_place(&complaint)))
        }),
    })
}

/// The words of a complaint without the place with which they begin: whoever shows them says it.
fn without_place(complaint: &Complaint) -> &str {
    let words = complaint.reason.as_str();
    let Some((line, Some(column))) = complaint.place else {
        return words;
    };
    let place = format!("line {line}, column {column}");
    let Some(rest) = words
        .get(..place.len())
        .filter(|begin| begin.eq_ignore_ascii_case(&place))
        .and_then(|begin| words.get(begin.len()..))
    else {
        return words;
    };
    // Another column begins with the same digits.
    let is_whole = !rest.starts_with(|next: char| next.is_ascii_digit());
    let rest = rest.trim_start_matches([':', ',', '-', ' ']);
    if is_whole && !rest.is_empty() {
        rest
    } else {
        words
    }
}

/// The expected output: the stored answer, or else the reference's; and whether it is what the file
/// has. Where there are both, they must agree.
fn expected_of(
    package: &Package,
    (file, answer_file): (&Path, &Path),
    (input, told): (&Arc<[u8]>, Option<&Vec<String>>),
    oracle: &mut dyn Oracle,
) -> Result<(Arc<[u8]>, bool), Trouble> {
    let stored: Option<Arc<[u8]>> = match read_regular(answer_file, TEST_FILE_BYTES_MAX) {
        Ok(bytes) => Some(Arc::from(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(Trouble::unread(answer_file, error)),
    };
    // An example only answers what nobody else has answered.
    let answer = match (&package.reference, &stored) {
        (Reference::Example(_), Some(_)) => None,
        _ => answer_of(package, file, input, oracle)?,
    };
    let Some(answer) = answer else {
        let stored = stored.ok_or_else(|| {
            let words = if package.talks() {
                "no answer is stored, and none can be made in a problem whose programs talk with one of the \
                 package; write what that one needs into a file of the same name that ends in .ans"
            } else {
                "there is no reference solver and no stored answer; add a file of the same name that ends in .ans"
            };
            Trouble::file(file, words)
        })?;
        // A stored answer need not be an output. A checker that fails on it will fail on students'
        // outputs too.
        let case = Case {
            input,
            answer: &stored,
            output: &stored,
            told,
        };
        said_of(package, file, &case, oracle)?;
        return Ok((stored, true));
    };
    if package.checker.is_some() && !package.talks() {
        let is_stored = stored.is_some();
        let expected = stored.unwrap_or_else(|| Arc::clone(&answer));
        let case = Case {
            input,
            answer: &expected,
            output: &answer,
            told,
        };
        accepted(package, file, &case, oracle)?;
        return Ok((expected, is_stored));
    }
    if let Some(stored) = &stored
        && let Some(line) = disagreement(package, stored, &answer)
    {
        let reason = "the stored answer is not what the reference solver says; delete the file or fix the test";
        return Err(Complaint::new(answer_file, reason).at(line, 1).into());
    }
    let is_stored = stored.is_some_and(|stored| stored == answer);
    Ok((answer, is_stored))
}

/// Whether the package's checker, if it has one, accepts an output of ours.
pub(super) fn accepted(
    package: &Package,
    file: &Path,
    case: &Case<'_>,
    oracle: &mut dyn Oracle,
) -> Result<(), Trouble> {
    let Some(compared) = said_of(package, file, case, oracle)? else {
        return Ok(());
    };
    if compared.verdict == Verdict::Accepted {
        return Ok(());
    }
    let words = compared.words.as_deref().unwrap_or(NO_REASON);
    let words = format!("the checker does not accept what the reference solver says: {words}");
    Err(Trouble::file(file, words))
}

/// What the package's checker, if it has one, says of an output. One that fails breaks the
/// package.
pub(super) fn said_of(
    package: &Package,
    file: &Path,
    case: &Case<'_>,
    oracle: &mut dyn Oracle,
) -> Result<Option<Compared>, Trouble> {
    // One that takes part in the runs has nothing to say of an output.
    let Some(checker) = package.checker.as_ref().filter(|_| !package.talks()) else {
        return Ok(None);
    };
    heard(file, oracle.check(checker, case), "the checker failed").map(Some)
}

/// What the reference says, if there is one.
pub fn answer_of(
    package: &Package,
    file: &Path,
    input: &Arc<[u8]>,
    oracle: &mut dyn Oracle,
) -> Result<Option<Arc<[u8]>>, Trouble> {
    match &package.reference {
        Reference::Stored => Ok(None),
        Reference::BuiltIn(task) => unless_it_panics(file, || task.answer(input))?
            .map(|answer| Some(Arc::from(answer)))
            .map_err(|fault| at_place(file, &fault)),
        Reference::Program(program) | Reference::Example(program) => {
            let said = oracle.answer(package, program, input);
            heard(file, said, "the reference has no answer to it").map(Some)
        }
    }
}

/// The line where a stored answer and the reference's part. A built-in problem's is its own to the
/// byte; a program may print it in any way that a student may.
fn disagreement(package: &Package, stored: &[u8], answer: &[u8]) -> Option<usize> {
    if package.task().is_none() {
        return match compare(answer, stored, &package.mode) {
            Outcome::Same => None,
            Outcome::Layout(found) | Outcome::Different(found) => Some(found.line),
        };
    }
    let same = answer
        .split(|&byte| byte == b'\n')
        .zip(stored.split(|&byte| byte == b'\n'))
        .take_while(|(right, kept)| right == kept)
        .count();
    (stored != answer).then_some(same + 1)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::unless_it_panics;

    #[test]
    fn a_solver_that_fails_costs_its_input_only() {
        let file = Path::new("problems/x/data/secret/1.in");
        assert_eq!(unless_it_panics(file, || 7), Ok(7));
        let failed = unless_it_panics(file, || panic!("index out of bounds"));
        let said = failed.map(|()| 0).unwrap_err().to_string();
        let words = "secret/1.in: the reference solver failed";
        assert!(said.contains(words), "{said}");
    }
}
