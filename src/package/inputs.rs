//! The tests of a package: which files they are, and their answers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{PackageError, Test};
use crate::domain::bounds::{TEST_FILE_BYTES_MAX, TESTS_MAX};
use crate::domain::{TestKind, TestRef};
use crate::problems::Task;
use crate::util::files::read_regular;
use crate::util::hash::digest;

/// The input files below a folder of the package, by name. A missing folder has none.
pub fn test_files(folder: &Path) -> Result<Vec<PathBuf>, PackageError> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(PackageError::file(folder, error)),
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry
            .map_err(|error| PackageError::file(folder, error))?
            .path();
        let hidden = path
            .file_name()
            .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if !hidden && path.extension().is_some_and(|extension| extension == "in") && path.is_file()
        {
            files.push(path);
        }
        if files.len() > TESTS_MAX {
            return Err(PackageError::file(
                folder,
                format!("more than {TESTS_MAX} tests"),
            ));
        }
    }
    files.sort();
    Ok(files)
}

/// Reads one test and its answer; a fault names the file, its line and its column.
pub fn read_test(
    file: &Path,
    kind: TestKind,
    task: Option<&dyn Task>,
) -> Result<Test, PackageError> {
    let stem = file
        .file_stem()
        .and_then(|stem| stem.to_str())
        .ok_or_else(|| PackageError::file(file, "the test's name is not UTF-8; rename it"))?;
    let raw =
        read_regular(file, TEST_FILE_BYTES_MAX).map_err(|error| PackageError::file(file, error))?;
    let (input, notes) = match task {
        Some(task) => {
            let valid = task.validate(&raw).map_err(|fault| {
                PackageError::at(file, (fault.line, fault.column), &fault.reason)
            })?;
            (valid.bytes, valid.notes)
        }
        None => (raw, Vec::new()),
    };
    let expected = expected_of(file, &input, task)?;
    Ok(Test {
        name: TestRef {
            name: format!("{}/{stem}", kind.word()),
            kind,
            input: digest(&input),
            expected: digest(&expected),
        },
        file: file.to_owned(),
        input: Arc::from(input),
        expected: Arc::from(expected),
        notes,
    })
}

/// A reference solver that panics is a bug of ours, which costs this input and never the daemon.
pub(super) fn unless_it_panics<T>(
    file: &Path,
    work: impl FnOnce() -> T,
) -> Result<T, PackageError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        PackageError::file(
            file,
            "the reference solver failed on it, which is a bug in verdictd: please report this input; \
             until it is mended take the file out of the package",
        )
    })
}

/// The reference solver's answer, which a stored one must equal; the stored one where there is no solver.
fn expected_of(
    file: &Path,
    input: &[u8],
    task: Option<&dyn Task>,
) -> Result<Vec<u8>, PackageError> {
    let answer_file = file.with_extension("ans");
    let stored = match read_regular(&answer_file, TEST_FILE_BYTES_MAX) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(PackageError::file(&answer_file, error)),
    };
    let Some(task) = task else {
        return stored.ok_or_else(|| {
            PackageError::file(
                file,
                "there is no reference solver and no stored answer; add a file of the same name that ends in .ans",
            )
        });
    };
    let answer = unless_it_panics(file, || task.answer(input))?
        .map_err(|fault| PackageError::at(file, (fault.line, fault.column), &fault.reason))?;
    if let Some(stored) = stored
        && stored != answer
    {
        let line = 1 + answer
            .split(|&byte| byte == b'\n')
            .zip(stored.split(|&byte| byte == b'\n'))
            .take_while(|(right, kept)| right == kept)
            .count();
        return Err(PackageError::at(
            &answer_file,
            (line, 1),
            "the stored answer is not what the reference solver says; delete the file or mend the test",
        ));
    }
    Ok(answer)
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
        assert!(
            said.contains("secret/1.in: the reference solver failed"),
            "{said}"
        );
    }
}
