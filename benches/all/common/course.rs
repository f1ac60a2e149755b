//! A course that a bench makes, and what is in its store afterwards.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, Row};

use super::Daemon;

/// A folder with a course.
pub struct Course {
    pub folder: PathBuf,
    _guard: tempfile::TempDir,
}

impl Course {
    /// A course with this configuration, in which nobody has submitted anything.
    pub fn new(config: &str) -> Self {
        let guard = tempfile::tempdir().expect("a scratch folder");
        let course = Self {
            folder: guard.path().to_owned(),
            _guard: guard,
        };
        fs::create_dir(course.folder.join("submissions")).expect("a folder");
        course.write("config.toml", config);
        course
    }

    /// Writes a file, with its folders.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }

    /// Adds a problem that is solved as `curling` is, with so many tests.
    pub fn add_problem(&self, slug: &str, tests: usize) {
        let folder = format!("problems/{slug}");
        let manifest = "title = \"Curling\"\nreference = \"curling\"\n";
        self.write(&format!("{folder}/problem.toml"), manifest);
        self.write(&format!("{folder}/hacks/.keep"), "");
        for test in 0..tests {
            self.write(&format!("{folder}/data/secret/{test:02}.in"), board(test));
        }
    }

    /// Submits an accepted program. With another number it is another text, and so another artifact:
    /// no program shares its facts with another one.
    pub fn submit(&self, student: &str, slug: &str, number: usize) {
        let own = format!("static const int volatile own = {number};\n");
        let file = format!("submissions/{student}/{slug}.c");
        self.write(&file, own + &accepted_program());
    }

    /// Starts its daemon.
    pub fn start(&self) -> Daemon {
        Daemon::start(&self.folder)
    }

    /// The rows of a query of its store.
    pub fn query<T>(&self, query: &str, map: impl Fn(&Row<'_>) -> rusqlite::Result<T>) -> Vec<T> {
        let file = self.folder.join("state/verdictd.db");
        let store = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY);
        let store = store.expect("the store opens");
        let mut statement = store.prepare(query).expect("the store's tables");
        let rows = statement.query_map([], map).expect("rows");
        rows.collect::<Result<_, _>>().expect("rows")
    }

    /// Asserts that so many programs are accepted, and so many wrong.
    pub fn assert_verdicts(&self, accepted: usize, wrong: usize) {
        let query = "SELECT verdict, count(*) FROM judgements GROUP BY verdict";
        let found = self.query(query, |row| Ok((row.get(0)?, row.get(1)?)));
        let found: BTreeMap<String, usize> = found.into_iter().collect();
        let mut expected = BTreeMap::from([("AC".to_owned(), accepted), ("WA".to_owned(), wrong)]);
        expected.retain(|_, count| *count > 0);
        assert_eq!(found, expected);
    }
}

/// An accepted program for `curling`, in C.
pub fn accepted_program() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join("problems/curling/submissions/accepted/deepening.c");
    fs::read_to_string(file).expect("an accepted program")
}

/// A configuration that offers only C, so that the daemon starts quickly, and searches nothing. It
/// ends in the table of the dashboard, which has a free port.
pub fn only_c() -> String {
    let others = include_str!("../../../src/config/languages.toml").lines();
    let others = others.filter(|line| line.starts_with("[languages.") && *line != "[languages.c]");
    let offered = others.fold(String::new(), |all, line| all + line + "\noffer = false\n");
    offered + "[explain]\nidle = false\n[web]\nstudents = \"127.0.0.1:0\"\n"
}

/// A test of its own for each number: rows with the stone at one end, the goal at the other, and a
/// block between. From 20 on there are at least three, all of them wide.
pub fn board(number: usize) -> Vec<u8> {
    let width = 4 + number % 16;
    let blocked = |left: usize| {
        let mut row = vec!["0"; width];
        (row[0], row[width - 1]) = ("2", "3");
        row[1 + (left - 1) % (width - 2)] = "1";
        format!("{width} 1\n{}\n", row.join(" "))
    };
    let boards: String = (1..=number / 16 + 2).map(blocked).collect();
    format!("{boards}0 0\n").into_bytes()
}
