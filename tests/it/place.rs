//! A test's own folder: config.toml, problems, submissions, and the real binary to run.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::{CommandExt, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

pub use crate::process::{Daemon, Watchdog, copy_program, output};
use crate::quiet;
use crate::skips::{note, skipped};

/// Names the step at which a process of a debug build is killed.
pub const CRASH_AT: &str = "VERDICTD_CRASH_AT";

/// How long a test waits for a state before it fails.
pub const PATIENCE: Duration = Duration::from_mins(5);

/// No dashboard unless the test is about it, because daemons of many tests run at once.
const NO_DASHBOARD: &str = "[web]\nenabled = false\n";

/// Tests put files in place in one step, so there is nothing to wait for.
const SETTLED_SOON: &str = "[intake]\nsettle_ms = 10\n";

/// The table of built-in languages.
const LANGUAGES: &str = include_str!("../../src/config/languages.toml");

/// No searches in idle time: tests have better things to do with the cores.
const NO_SEARCH: &str = "[explain]\nidle = false\n";

/// The configuration of every place.
fn quick_config() -> String {
    format!("{SETTLED_SOON}{NO_DASHBOARD}{NO_SEARCH}")
}

/// The password of the staff's dashboard.
const TOKEN: &str = "correct-horse-battery-staple";

/// The header with which a browser of the staff shows it.
pub fn bearer() -> String {
    format!("Authorization: Bearer {TOKEN}\r\n")
}

/// How often something is repeated: `quick` times in an ordinary run, `soak` times in `make soak`.
pub fn rounds(quick: usize, soak: usize) -> usize {
    if is_soak() { soak } else { quick }
}

/// Whether this run may take hours: `make soak`.
pub fn is_soak() -> bool {
    std::env::var_os("SOAK").is_some_and(|value| value == "1")
}

/// Notes what only `make soak` tries, because getting it would take longer than every other test.
pub fn left_to_soak(what: &str) {
    if is_soak() {
        skipped(what);
    } else {
        note(&format!("{what} (`make soak` tries it)"));
    }
}

/// Whether this is a release build, which cannot be killed at a named step; notes that.
pub fn no_named_steps() -> bool {
    if !cfg!(debug_assertions) {
        skipped("a release build cannot be killed at a named step");
    }
    !cfg!(debug_assertions)
}

/// The built binary.
pub fn binary() -> &'static str {
    env!("CARGO_BIN_EXE_verdictd")
}

/// The repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file of the repository.
pub fn shipped(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The languages that are built in.
pub fn language_keys() -> Vec<String> {
    let table: toml::Table = LANGUAGES.parse().unwrap();
    let languages = table["languages"].as_table().unwrap();
    languages.keys().cloned().collect()
}

/// The tables of config.toml that turn off every language but these.
pub fn turned_off_but(languages: &[&str]) -> String {
    let mut off = language_keys();
    off.retain(|key| !languages.contains(&key.as_str()));
    let table = |key| format!("[languages.{key}]\noffer = false\n");
    off.iter().map(table).collect()
}

/// The key of the built-in language that has a file's ending.
pub fn language_of(file: &str) -> String {
    let table: toml::Table = LANGUAGES.parse().unwrap();
    let ending = Path::new(file).extension().unwrap().to_str().unwrap();
    let mut languages = table["languages"].as_table().unwrap().iter();
    let language = languages.find(|(_, language)| {
        let endings = language["extensions"].as_array().unwrap();
        endings.iter().any(|known| known.as_str() == Some(ending))
    });
    language.unwrap().0.clone()
}

/// A folder with a configuration, empty submissions and its own problems.
pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    /// A place with one tiny problem, `sum`, and only languages that are quick to try.
    pub fn new() -> Self {
        quiet::share();
        let place = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        place.write("config.toml", quick_config());
        fs::create_dir(place.path("submissions")).unwrap();
        place.sum_problem();
        place
    }

    /// Turns off every language but these, so that a daemon starts quickly.
    pub fn only(self, languages: &[&str]) -> Self {
        self.write("config.toml", quick_config() + &turned_off_but(languages));
        self
    }

    /// Adds a dashboard at free ports, with these additional settings.
    pub fn with_dashboard(self, settings: &str) -> Self {
        let ports = "[web]\nstudents = \"127.0.0.1:0\"\nstaff = \"127.0.0.1:0\"\n";
        let text = self.read("config.toml");
        let table = format!("{ports}{settings}\n");
        self.write("config.toml", text.replace(NO_DASHBOARD, &table));
        self
    }

    /// Adds a dashboard with one for staff, who need [`TOKEN`].
    pub fn with_staff(self, settings: &str) -> Self {
        let place = self.with_dashboard(&format!("staff_token_file = \"token\"\n{settings}"));
        place.write("token", TOKEN);
        fs::set_permissions(place.path("token"), fs::Permissions::from_mode(0o600)).unwrap();
        place
    }

    /// Has the daemon search in idle time, with these additional settings.
    pub fn with_searches(self, settings: &str) -> Self {
        let text = self.read("config.toml");
        let table = format!("[explain]\n{settings}\n");
        self.write("config.toml", text.replace(NO_SEARCH, &table));
        self
    }

    /// Adds a roster: lines of `student,last_name,first_name`.
    pub fn with_roster(self, people: &str) -> Self {
        self.configure("[overview]\nroster = \"roster.csv\"\n");
        let roster = format!("student,last_name,first_name\n{people}");
        self.write("roster.csv", roster);
        self
    }

    /// A copy in another folder, where every inode and every time differs.
    pub fn copy(&self) -> Self {
        let copy = Self::new();
        copy_tree(&self.path(""), &copy.path(""));
        copy
    }

    /// Copies a problem of this repository.
    pub fn with_problem(self, slug: &str) -> Self {
        self.with_copy_of(&format!("problems/{slug}"))
    }

    /// Copies a problem of the tests' own.
    pub fn with_fixture(self, slug: &str) -> Self {
        self.with_copy_of(&format!("tests/fixtures/{slug}"))
    }

    /// The same of `tests/packages`, which are in other systems' formats.
    pub fn with_package(self, slug: &str) -> Self {
        self.with_copy_of(&format!("tests/packages/{slug}"))
    }

    fn with_copy_of(self, problem: &str) -> Self {
        let slug = Path::new(problem).file_name().unwrap();
        copy_tree(&root().join(problem), &self.path("problems").join(slug));
        self
    }

    /// Adds thegame with one of its samples, which lets wrong programs pass, and these tables.
    pub fn add_game(&self, slug: &str, tables: &str) {
        for ending in ["in", "ans"] {
            let text = shipped(&format!("problems/thegame/data/sample/1.{ending}"));
            self.write(&format!("problems/{slug}/data/sample/1.{ending}"), text);
        }
        let manifest = format!("title = \"Game\"\nreference = \"thegame\"\n{tables}");
        self.write(&format!("problems/{slug}/problem.toml"), manifest);
    }

    /// Copies one test of `sum` to another problem.
    pub fn copy_sum(&self, slug: &str) {
        for name in ["problem.toml", "data/secret/1.in", "data/secret/1.ans"] {
            let text = self.read(&format!("problems/sum/{name}"));
            self.write(&format!("problems/{slug}/{name}"), text);
        }
    }

    /// Adds a hack to `sum`: the answer first, because the problem has no reference solver.
    pub fn add_hack(&self, name: &str, input: &str, answer: &str) {
        self.write(&format!("problems/sum/hacks/{name}.ans"), answer);
        self.write(&format!("problems/sum/hacks/{name}.in"), input);
    }

    /// Adds tables to config.toml.
    pub fn configure(&self, tables: &str) {
        let config = self.read("config.toml");
        self.write("config.toml", format!("{config}\n{tables}"));
    }

    /// Replaces a text that is in a file.
    pub fn edit(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{name} has no {from:?}: {text}");
        self.write(name, text.replace(from, to));
    }

    /// Gives a problem another limit of CPU time, in seconds.
    pub fn limit_cpu(&self, slug: &str, seconds: &str) {
        let manifest = format!("problems/{slug}/problem.toml");
        let text = self.read(&manifest);
        let mut lines = text.lines();
        let limit = lines.find(|line| line.starts_with("cpu_s = "));
        let limit = limit.expect("the problem has a limit");
        self.edit(&manifest, limit, &format!("cpu_s = {seconds}"));
    }

    fn sum_problem(&self) {
        let limits = "[limits]\ncpu_s = 1.0\nmemory_mib = 64\n";
        let manifest = format!("title = \"Sum\"\n{limits}[compare]\nmode = \"lines\"\n");
        self.write("problems/sum/problem.toml", manifest);
        for (name, input, answer) in [
            ("sample/1", "1 2\n", "3\n"),
            ("secret/1", "10 -4\n", "6\n"),
            ("secret/2", "1000000000 2000000000\n", "3000000000\n"),
        ] {
            self.add_test("sum", name, input, answer);
        }
    }

    /// Adds a test to a problem.
    pub fn add_test(&self, slug: &str, name: &str, input: &str, answer: &str) {
        self.write(&format!("problems/{slug}/data/{name}.in"), input);
        self.write(&format!("problems/{slug}/data/{name}.ans"), answer);
    }

    /// A path below the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file, with its folders, in one step: no test is about a file that is still empty.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut file = tempfile::NamedTempFile::new_in(self.folder.path()).unwrap();
        file.write_all(text.as_ref()).unwrap();
        // The permissions of a file written in place: readable by others, or those it already had.
        let mode = fs::metadata(&path).map_or_else(
            |_| fs::Permissions::from_mode(0o644),
            |known| known.permissions(),
        );
        file.as_file().set_permissions(mode).unwrap();
        file.persist(path).unwrap();
    }

    /// Reads a file. What a daemon writes after the verdict, such as pages, or after a hack's is
    /// waited for.
    pub fn read(&self, name: &str) -> String {
        let path = self.path(name);
        let is_later = |part: &str| ["staff", "reports", "result"].contains(&part);
        if name.split(['/', '.']).any(is_later) {
            wait_until(name, || path.exists());
        }
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The binary with this place's configuration.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command
            .arg("--config")
            .arg(self.path("config.toml"))
            .args(arguments)
            .current_dir(self.folder.path())
            .env_remove("RUST_LOG")
            .stdin(Stdio::null());
        command
    }

    /// Runs the binary to its end.
    pub fn run(&self, arguments: &[&str]) -> Output {
        output(&mut self.command(arguments))
    }

    /// Runs a command line, asserts its exit code and that it says these words, and returns all
    /// that it says.
    #[track_caller]
    pub fn says(&self, code: i32, line: &str, words: &[&str]) -> String {
        let arguments: Vec<&str> = line.split_whitespace().collect();
        said(&self.run(&arguments), code, words)
    }

    /// The JSON objects that a command line prints.
    pub fn objects(&self, line: &str) -> Vec<Value> {
        objects(&self.run(&line.split_whitespace().collect::<Vec<_>>()))
    }

    /// What `status --json` prints.
    pub fn status(&self) -> Value {
        self.objects("status --json").remove(0)
    }

    /// Reads a file with one JSON value.
    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// Runs a command line that is killed at a step which the daemon names.
    #[track_caller]
    pub fn kill_at(&self, point: &str, line: &str) {
        let arguments: Vec<&str> = line.split_whitespace().collect();
        let killed = output(self.command(&arguments).env(CRASH_AT, point));
        let signal = killed.status.signal();
        assert_eq!(signal, Some(9), "{point} was reached: {killed:?}");
    }

    /// Judges what is there and exits; returns the verdicts by `student/problem/attempt`.
    pub fn serve_once(&self) -> BTreeMap<String, String> {
        let output = self.run(&["serve", "--once", "--json"]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{said}");
        self.verdicts()
    }

    /// The lines of verdicts.jsonl so far.
    pub fn logged(&self) -> Vec<Value> {
        let log = fs::read_to_string(self.path("staff/verdicts.jsonl")).unwrap_or_default();
        // A line without its end is still being written.
        let whole = log.split_inclusive('\n');
        let whole = whole.filter(|line| line.ends_with('\n'));
        let value = |line| serde_json::from_str(line).unwrap();
        whole.map(value).collect()
    }

    /// The verdicts in verdicts.jsonl, the last one of each attempt.
    pub fn verdicts(&self) -> BTreeMap<String, String> {
        let of_attempt = |line: Value| {
            let verdict = line["verdict"].as_str()?.to_owned();
            let [student, problem] = ["student", "problem"].map(|key| line[key].as_str().unwrap());
            Some((format!("{student}/{problem}/{}", line["attempt"]), verdict))
        };
        self.logged().into_iter().filter_map(of_attempt).collect()
    }

    /// Starts the daemon in the background.
    pub fn daemon(&self) -> Daemon {
        Self::started(self.command(&["serve"]))
    }

    /// Starts the daemon as a terminal does, as the leader of a process group.
    pub fn daemon_in_its_own_group(&self) -> Daemon {
        let mut command = self.command(&["serve"]);
        command.process_group(0);
        Self::started(command)
    }

    /// Starts this daemon and waits until it is ready.
    pub fn started(command: Command) -> Daemon {
        Daemon::start(command)
    }

    /// Starts a daemon that is killed at a step which it names.
    pub fn daemon_to_kill_at(&self, point: &str) -> Daemon {
        let mut command = self.command(&["serve"]);
        command.env(CRASH_AT, point);
        Daemon::start(command)
    }

    /// Waits until a file has all of these words, which are parted by `|`.
    pub fn shows(&self, file: &str, words: &str) {
        let has = || words.split('|').all(|word| self.read(file).contains(word));
        wait_until(&format!("{words} in {file}"), has);
    }

    /// Waits until an attempt has this verdict, after another one.
    pub fn becomes(&self, attempt: &str, verdict: &str) {
        wait_until(&format!("{verdict} of {attempt}"), || {
            self.verdicts().get(attempt).map(String::as_str) == Some(verdict)
        });
    }

    /// Waits for the verdict of `student/problem/attempt`.
    pub fn wait_for(&self, attempt: &str) -> String {
        let mut verdict = None;
        wait_until(&format!("the verdict of {attempt}"), || {
            verdict = self.verdicts().remove(attempt);
            verdict.is_some()
        });
        verdict.unwrap_or_default()
    }
}

/// Asserts how a command ended and that it says these words; returns what is on both outputs.
#[track_caller]
pub fn said(output: &Output, code: i32, words: &[&str]) -> String {
    let said = [&output.stdout[..], &output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert_has(&said, words);
    said
}

/// The JSON objects on a command's output.
pub fn objects(output: &Output) -> Vec<Value> {
    let values = serde_json::Deserializer::from_slice(&output.stdout).into_iter();
    values.map(Result::unwrap).collect()
}

/// Asserts that all of these words, which may be parted by `|`, are in a text.
#[track_caller]
pub fn assert_has(text: &str, words: &[&str]) {
    for words in words.iter().flat_map(|words| words.split('|')) {
        assert!(text.contains(words), "{words:?} is not in: {text}");
    }
}

/// Prose without its line breaks.
pub fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Waits for a state, with a bound.
pub fn wait_until(what: &str, holds: impl FnMut() -> bool) {
    assert!(comes_true(PATIENCE, holds), "waited in vain for {what}");
}

/// Waits for a state; returns whether it was reached in time.
pub fn comes_true(within: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while !holds() {
        if start.elapsed() >= within {
            return false;
        }
        // Leaves the core to the daemon; the state ends the wait, not this pause.
        std::thread::park_timeout(Duration::from_millis(10));
    }
    true
}

/// Every file and folder below a folder.
pub fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            found.extend(below(&entry.path()));
        }
        found.push(entry.path());
    }
    found
}

/// Copies what is in a folder; links are copied as links.
pub fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    let mut command = Command::new("cp");
    let folders = [from, to].map(|folder| folder.join("."));
    assert!(command.arg("-r").args(folders).status().unwrap().success());
}
