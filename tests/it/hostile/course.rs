//! The suite's problems, and a daemon of its own for them, inside a cage.

use std::collections::BTreeMap;
use std::fs;
use std::io::BufRead as _;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use super::cage::Cage;
use super::program::Program;
use crate::place::{Place, binary, copy_program};
use crate::power::disk::files_below;
use crate::shortage::give;

/// The suite's languages; the others need not be tried.
pub const LANGUAGES: [&str; 6] = ["c", "cpp", "python3", "java", "javascript", "pascal"];
/// The ordinary user of the tests: `nobody`.
pub const ORDINARY: u32 = 65_534;
/// The length of the large input, which most programs leave in the pipe.
const LARGE_INPUT_BYTES: usize = 1024 * 1024;
/// Where system-wide compilers are; an ordinary user cannot see those in another user's home
/// folder.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The problems and their limits on time and processes. All have the same limits on memory and
/// output.
pub const PROBLEMS: [(&str, &str); 5] = [
    // Wall-clock time is practically unlimited: on a busy machine a program gets little CPU time in
    // a long time. No program for this problem computes until its time is over, so the limit may be
    // high for slow machines.
    ("tight", "cpu_s = 2.0\nwall_s = 60.0\nprocesses = 48"),
    // For programs that compute for ever: more would show nothing more.
    ("endless", "cpu_s = 0.1\nwall_s = 60.0\nprocesses = 48"),
    // For programs that only wait: the lowest wall-clock limit allowed.
    ("brief", "cpu_s = 0.6\nprocesses = 48"),
    // Java and Node start slowly, and need threads of their own.
    ("roomy", "cpu_s = 3.0\nwall_s = 60.0\nprocesses = 96"),
    ("files", "cpu_s = 2.0\nwall_s = 60.0\nprocesses = 48"),
];

/// The beginning of a line of /etc/passwd and of /etc/shadow, which no report may contain.
const SECRET: &str = "root:";

/// The files of submissions and of problems.
type Inputs = [BTreeMap<String, Vec<u8>>; 2];

/// Whether the files that follow a verdict must all be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pages {
    AreThere,
    MayFollow,
}

/// A place with the suite's problems.
pub struct Course {
    pub place: Place,
    pub cage: Option<Cage>,
    owner: Option<u32>,
    /// The rest of config.toml.
    languages: String,
}

impl Course {
    /// A place with these rules of judging.
    pub fn new(rules: &str) -> Self {
        let place = Place::new().only(&LANGUAGES);
        fs::remove_dir_all(place.path("problems/sum")).unwrap();
        let course = Self {
            languages: place.read("config.toml"),
            place,
            cage: Cage::make(None),
            owner: None,
        };
        course.judge_by(rules);
        course
    }

    /// Writes config.toml with these rules of judging.
    pub fn judge_by(&self, rules: &str) {
        self.limit_builds(rules, "5.0");
    }

    /// Does so with a limit on the seconds of a build: the lowest is 1.0.
    pub fn limit_builds(&self, rules: &str, cpu_s: &str) {
        let build = format!("[build]\ncpu_s = {cpu_s}\nmemory_mib = 512");
        let languages = &self.languages;
        let config = format!("[judge]\n{rules}\n{build}\n{languages}");
        self.place.write("config.toml", config);
    }

    /// Adds the problems, all with the same tests.
    pub fn with_problems(self, tests: &[(&str, String)]) -> Self {
        for (slug, limits) in PROBLEMS {
            let more = "memory_mib = 64\noutput_mib = 1\n[compare]\nmode = \"lines\"\n\
                [disclosure]\nsecret = \"full\"\n";
            let files = ["", "io = \"stdio-or-files\"\n"][usize::from(slug == "files")];
            let manifest = format!("title = \"{slug}\"\n{files}[limits]\n{limits}\n{more}");
            let file = format!("problems/{slug}/problem.toml");
            self.place.write(&file, manifest);
            for (name, input) in tests {
                self.write_test(slug, name, input);
            }
        }
        self
    }

    /// A test whose input begins with two numbers.
    pub fn write_test(&self, slug: &str, name: &str, input: &str) {
        let numbers = input.split_whitespace().take(2);
        let sum: i64 = numbers.map(|word| word.parse::<i64>().unwrap()).sum();
        self.place.add_test(slug, name, input, &format!("{sum}\n"));
    }

    /// Submits every program.
    pub fn hand_in(&self, programs: &[Program]) {
        for program in programs {
            let (name, problem) = (&program.name, &program.problem);
            let file = format!("submissions/{name}/{problem}.{}", program.extension);
            self.place.write(&file, &program.source);
        }
    }

    /// Gives everything to an ordinary user, who will run the daemon, with a binary that this user
    /// can read. Without groups the cage still exists, but this user may change nothing in it.
    pub fn for_an_ordinary_user(mut self, with_groups: bool) -> Self {
        self.owner = Some(ORDINARY);
        if with_groups {
            self.cage = Cage::make(Some(ORDINARY));
        }
        copy_program(binary(), &self.place.path("verdictd"));
        self
    }

    /// The daemon's command, inside the cage, as the place's owner.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let scratch = self.place.path("tmp");
        fs::create_dir_all(&scratch).unwrap();
        let enter =
            "for door in $DOORS; do echo $$ > $door || exit 99; done; unset DOORS; exec \"$@\"";
        let doors = self.cage.as_ref().map(Cage::doors);
        let mut command = Command::new("sh");
        command
            .args(["-c", enter, "sh"])
            .env("DOORS", doors.unwrap_or_default())
            .env("TMPDIR", &scratch)
            .env_remove("RUST_LOG")
            .current_dir(self.place.path(""))
            .stdin(Stdio::null());
        if let Some(owner) = self.owner {
            give(&self.place.path(""), owner);
            let user = owner.to_string();
            command.args([
                "setpriv",
                "--reuid",
                &user,
                "--regid",
                &user,
                "--clear-groups",
            ]);
            command.env("PATH", PATH).arg(self.place.path("verdictd"));
        } else {
            command.arg(binary());
        }
        let config = self.place.path("config.toml");
        command.arg("--config").arg(config).args(arguments);
        command
    }

    /// Judges what is there and exits; returns the daemon's output and exit status.
    pub fn judge_once(&self) -> Output {
        crate::place::output(&mut self.command(&["serve", "--once"]))
    }

    /// The staff's report of a program's first attempt, with what the sandbox enforced.
    pub fn report(&self, program: &Program) -> Option<Value> {
        self.report_in("staff", program)
    }

    fn report_in(&self, folder: &str, program: &Program) -> Option<Value> {
        let file = format!("{folder}/{}/{}/1.json", program.name, program.problem);
        let bytes = fs::read(self.place.path(&file)).ok()?;
        let text = String::from_utf8(bytes).unwrap_or_else(|error| panic!("{file}: {error}"));
        Some(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}")))
    }

    /// The names of programs whose verdicts cannot be tested here.
    pub fn let_go<'a>(&self, programs: &'a [Program]) -> Vec<&'a str> {
        let is_let_go = |program: &&Program| {
            let report = self.report(program);
            report.is_some_and(|report| program.is_let_go(&report))
        };
        let let_go = programs.iter().filter(is_let_go);
        let_go.map(|program| program.name.as_str()).collect()
    }

    /// Every report is the expected one, and there are no faults.
    pub fn assert_reports(&self, programs: &[Program], pages: Pages) {
        let wrong = |program: &Program| {
            let Some(report) = self.report(program) else {
                return Some(format!("{}: no report", program.name));
            };
            program.wrong(&report).or_else(|| {
                // The student's report says the same, and was there before the verdict was announced.
                let own = self.report_in("reports", program)?;
                let is_same = own["verdict"] == report["verdict"];
                (!is_same).then(|| format!("{}: {} for its student", program.name, own["verdict"]))
            })
        };
        let wrong: Vec<String> = programs.iter().filter_map(wrong).collect();
        let (count, all, wrong) = (wrong.len(), programs.len(), wrong.join("\n"));
        assert!(count == 0, "{count} of {all} reports are wrong:\n{wrong}");
        let status = crate::place::output(&mut self.command(&["status", "--json"]));
        let status: Value = serde_json::from_slice(&status.stdout).unwrap();
        assert_eq!(status["faults"], 0, "{status}");
        assert_eq!(status["rejected"], 0, "{status}");
        for program in programs {
            for kind in ["txt", "json", "html", "gradescope.json"] {
                let file = format!("reports/{}/{}/1.{kind}", program.name, program.problem);
                // Pages follow the verdict. A daemon with `--once` writes them before it exits.
                let Ok(bytes) = fs::read(self.place.path(&file)) else {
                    assert!(pages == Pages::MayFollow, "{file} is missing");
                    continue;
                };
                let is_command = |line: &String| {
                    let mut bytes = line.bytes();
                    // A tab in a page is harmless.
                    bytes.any(|byte| is_control(byte) && !(kind == "html" && byte == b'\t'))
                };
                let lines = bytes.lines().map(Result::unwrap_or_default);
                let said: Vec<_> = lines.filter(is_command).collect();
                assert!(said.is_empty(), "{file} commands a terminal: {said:?}");
                let is_secret = |part: &[u8]| part == SECRET.as_bytes();
                let tells = bytes.windows(SECRET.len()).any(is_secret);
                assert!(!tells, "{file} tells a secret of this machine");
            }
        }
    }

    /// The daemon has left nothing in its own folders, and the submissions and problems are
    /// unchanged.
    pub fn assert_clean(&self, handed_in: &Inputs) {
        if let Some(cage) = &self.cage {
            cage.assert_empty();
        }
        let scratch = files_below(&self.place.path("tmp"));
        assert!(scratch.is_empty(), "{:?}", scratch.keys());
        let is_as_before = self.inputs() == *handed_in;
        assert!(is_as_before, "submissions or problems changed");
    }

    /// The submissions and problems.
    pub fn inputs(&self) -> Inputs {
        ["submissions", "problems"].map(|folder| files_below(&self.place.path(folder)))
    }
}

/// The tests of a whole round: two small ones, so that the second meets whatever the first left
/// behind, and a large one.
pub fn whole_tests() -> Vec<(&'static str, String)> {
    let large = format!("5 6\n{}", "1234567\n".repeat(LARGE_INPUT_BYTES / 8));
    let [first, second] = ["1 2\n", "10 -4\n"].map(str::to_owned);
    vec![
        ("sample/1", first),
        ("secret/1", second),
        ("secret/2", large),
    ]
}

/// Whether a terminal would interpret this byte as a control.
pub fn is_control(byte: u8) -> bool {
    byte.is_ascii_control() && byte != b'\n'
}
