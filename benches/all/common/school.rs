//! A folder with problems, and a store full of judged submissions.

use std::fs;
use std::path::PathBuf;

use super::only_c;

/// Problems among which the submissions are spread.
pub const PROBLEMS: usize = 20;
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
        school.write("config.toml", only_c());
        for problem in 0..PROBLEMS {
            let own = format!("problems/p{problem:02}");
            school.write(
                &format!("{own}/problem.toml"),
                b"title = \"Curling\"\nreference = \"curling\"\n",
            );
            school.write(&format!("{own}/hacks/.keep"), b"");
            for test in 0..TESTS {
                let name = format!("{own}/data/secret/{test:02}.in");
                school.write(&name, board(test));
            }
        }
        school
    }

    /// Writes a file, with its folders.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        super::write(&self.folder.join(name), bytes);
    }

    /// Puts judged submissions into its store. The students' files are gone.
    pub fn fill(&self, submissions: usize, of_one_problem: usize) {
        let config = self.folder.join("config.toml");
        verdictd::bench::fill(&config, submissions, of_one_problem).expect("the store is filled");
    }
}

/// A board of its own for each number.
pub fn board(number: usize) -> Vec<u8> {
    let width = 4 + number;
    let zeros = "0 ".repeat(width - 2);
    format!("{width} 1\n2 {zeros}3\n0 0\n").into_bytes()
}
