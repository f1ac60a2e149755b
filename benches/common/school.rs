//! A folder with problems, and a store full of judged submissions.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::daemon::only_c;

/// Problems among which the submissions are spread.
const PROBLEMS: usize = 20;
/// Tests of each problem.
pub const TESTS: usize = 10;

/// A folder with problems.
pub struct School {
    /// Where it lies.
    pub folder: PathBuf,
    _guard: tempfile::TempDir,
}

impl School {
    /// An empty submissions folder and some problems.
    pub fn new() -> Self {
        let guard = tempfile::tempdir().expect("a scratch folder");
        let school = Self {
            folder: guard.path().to_owned(),
            _guard: guard,
        };
        fs::create_dir(school.folder.join("submissions")).expect("a folder");
        school.write("config.toml", only_c().as_bytes());
        for problem in 0..PROBLEMS {
            let own = format!("problems/p{problem:02}");
            school.write(
                &format!("{own}/problem.toml"),
                b"title = \"Curling\"\nreference = \"curling\"\n",
            );
            school.write(&format!("{own}/hacks/.keep"), b"");
            for test in 0..TESTS {
                let name = format!("{own}/data/secret/{test:02}.in");
                school.write(&name, &board(test));
            }
        }
        school
    }

    /// Writes a file, with its folders.
    pub fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }

    /// Puts judged submissions into its store; the length of a report document. With files the students' files are there too.
    pub fn fill(&self, submissions: usize, of_one_problem: usize, with_files: bool) -> usize {
        let mut file = |path: &str, source: &[u8]| {
            let path = self.folder.join("submissions").join(path);
            if with_files {
                fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
                fs::write(&path, source).expect("a file");
            }
            mark(&path)
        };
        let config = self.folder.join("config.toml");
        verdictd::bench::fill(&config, submissions, of_one_problem, &mut file)
            .expect("the store is filled")
    }
}

/// What the store remembers of a file: size, times, inode, and that it was taken.
fn mark(path: &Path) -> Vec<u8> {
    let numbers = match fs::metadata(path) {
        Err(_) => [1; 5],
        Ok(facts) => [
            facts.len(),
            nanoseconds(facts.mtime(), facts.mtime_nsec()),
            nanoseconds(facts.ctime(), facts.ctime_nsec()),
            facts.ino(),
            0,
        ],
    };
    let mut bytes: Vec<u8> = numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    bytes.push(0);
    bytes
}

fn nanoseconds(seconds: i64, rest: i64) -> u64 {
    seconds
        .wrapping_mul(1_000_000_000)
        .wrapping_add(rest)
        .cast_unsigned()
}

/// A board of its own for each number.
pub fn board(number: usize) -> Vec<u8> {
    let width = 4 + number;
    let zeros = "0 ".repeat(width - 2);
    format!("{width} 1\n2 {zeros}3\n0 0\n").into_bytes()
}
