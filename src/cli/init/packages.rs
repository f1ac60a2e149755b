//! The packages that the binary can write: the built-in problems', and an example to begin with.

use crate::problems;

/// A file: its path below the package, and what is in it.
pub type File = (&'static str, &'static [u8]);

/// The files of `problems/`, as they were when this program was built.
const BUILT_IN: &[File] = &include!(concat!(env!("OUT_DIR"), "/packages.rs"));

/// The example's.
pub const EXAMPLE: [File; 13] = [
    example!("problem.toml"),
    example!("statement.md"),
    example!("data/sample/1.in"),
    example!("data/sample/1.ans"),
    example!("data/secret/1-no-number.in"),
    example!("data/secret/2-negative.in"),
    example!("data/secret/3-large.in"),
    example!("data/invalid_input/one-number-missing.in"),
    example!("data/invalid_input/too-large.in"),
    example!("input_validators/validate.py"),
    example!("submissions/accepted/sum.py"),
    example!("submissions/wrong_answer/only_positive.py"),
    example!("submissions/time_limit_exceeded/one_by_one.py"),
];

/// A file of the example.
macro_rules! example {
    ($file:literal) => {
        (
            $file,
            include_bytes!(concat!("course/problems/sum/", $file)),
        )
    };
}
use example;

/// The files of a built-in problem's package.
pub fn built_in(slug: &str) -> impl Iterator<Item = File> {
    let files = BUILT_IN.iter();
    files.filter_map(move |(path, bytes)| {
        let path = path.strip_prefix(slug)?.strip_prefix('/')?;
        Some((path, *bytes))
    })
}

/// The names of the built-in problems.
pub fn names() -> Vec<&'static str> {
    problems::ALL.iter().map(|task| task.slug()).collect()
}
