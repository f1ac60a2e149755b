//! A folder with problems, and a store full of judged submissions.

use std::fs;
use std::path::{Path, PathBuf};

use super::copies::{Copies, first};
use super::{Daemon, JUDGED, only_c};

/// Problems among which the submissions are spread.
pub const PROBLEMS: usize = 20;
/// Tests of each problem.
pub const TESTS: usize = 10;

/// A folder with problems.
pub struct School {
    /// Its path.
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

    /// Has the daemon judge one submission of each problem, and puts copies of these into its
    /// store, each as if it were another student's: the first problem has so many of all, the
    /// others share the rest. The students' files are deleted.
    pub fn fill(&self, submissions: usize, of_one_problem: usize) {
        let others = submissions.saturating_sub(of_one_problem).min(PROBLEMS - 1);
        let judged = 1 + others;
        self.judge(judged);
        let mut copies = Copies::open(&self.folder);
        for number in judged..submissions {
            let problem = match number.checked_sub(judged + of_one_problem - 1) {
                None => 0,
                Some(later) => 1 + later % others,
            };
            copies.add(problem, number);
            for folder in ["reports", "staff"] {
                let page = format!("{folder}/student{number}/index.html");
                self.write(&page, b"");
            }
        }
        copies.finish();
    }

    /// Judges one accepted submission for each of the first problems, each by another student.
    fn judge(&self, problems: usize) {
        let accepted = "problems/curling/submissions/accepted/deepening.c";
        let program = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(accepted));
        let program = program.expect("an accepted program");
        for problem in 0..problems {
            let file = format!("submissions/{}/p{problem:02}.c", first(problem));
            self.write(&file, &program);
        }
        let daemon = Daemon::start(&self.folder);
        for _ in 0..problems {
            daemon.says(JUDGED);
        }
        daemon.finish();
        fs::remove_dir_all(self.folder.join("submissions")).expect("the students' files");
        fs::create_dir(self.folder.join("submissions")).expect("a folder");
        // The files that follow a verdict exist, but are empty.
        for folder in ["reports", "staff"] {
            empty_pages(&self.folder.join(folder));
        }
    }
}

/// A board of its own for each number.
pub fn board(number: usize) -> Vec<u8> {
    let width = 4 + number;
    let zeros = "0 ".repeat(width - 2);
    format!("{width} 1\n2 {zeros}3\n0 0\n").into_bytes()
}

/// Empties the pages of a folder, but keeps the files.
fn empty_pages(folder: &Path) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            empty_pages(&path);
        } else if !path
            .extension()
            .is_some_and(|end| end == "log" || end == "jsonl")
        {
            fs::write(&path, b"").expect("a page");
        }
    }
}
