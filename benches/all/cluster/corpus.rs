//! Submissions judged by two remote workers and by the daemon's own two places.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::NAME;
use super::server::Server;
use super::stage::{Measures, Stage};
use crate::common::{
    Daemon, JUDGED, Row, Size, board, field, figure, ms, only_c, say, store, write,
};
use verdictd::internals::{Toolchain, load_config};

/// Submissions of a round.
const SUBMISSIONS: usize = 100;
const SUBMISSIONS_SMALL: usize = 4;
/// Rounds; the pair with the median ratio counts. All submissions together get the hack.
const ROUNDS: usize = 5;
/// Tests of the problem.
const TESTS: usize = 20;
const TESTS_SMALL: usize = 3;
/// The target: 0.92 of the throughput.
const RATIO_MAX: f64 = 1.0 / 0.92;

pub fn rows(size: Size) -> Vec<Row> {
    let submissions = size.pick(SUBMISSIONS, SUBMISSIONS_SMALL);
    let tests = size.pick(TESTS, TESTS_SMALL);
    let server = Server::start();
    let [own, remote] = [Measures::Daemon, Measures::Workers].map(|who| Course::new(who, tests));
    let mut pairs = Vec::new();
    for round in 0..size.pick(ROUNDS, 1) {
        let [own, remote] = [&own, &remote].map(|course| course.round(&server, round, submissions));
        if size == Size::Full {
            let [own, remote] = [own, remote].map(ms);
            say(&format!(
                "round {round}: {remote:.0} ms by workers, {own:.0} ms by the daemon"
            ));
        }
        pairs.push((remote, own));
    }
    let ratio = |pair: &(Duration, Duration)| pair.0.as_secs_f64() / pair.1.as_secs_f64();
    pairs.sort_by(|one, other| ratio(one).total_cmp(&ratio(other)));
    let (wall, alone) = pairs[pairs.len() / 2];
    let all = (submissions * pairs.len()) as u64;
    let (builds, runs) = remote.hack(&server, all);
    assert_eq!((builds, runs), (0, all), "for a hack");
    vec![
        Row::new(NAME, "two-workers", ms(wall), "ms")
            .over(ms(alone))
            .ratio_at_most(RATIO_MAX),
        Row::new(NAME, "hack-runs", figure(runs), "")
            .over(figure(all))
            .ratio_at_most(1.0),
        Row::new(NAME, "hack-builds", figure(builds), "").at_most(0.0),
    ]
}

/// A folder with one problem.
struct Course {
    folder: PathBuf,
    who: Measures,
    tests: usize,
    _guard: tempfile::TempDir,
}

impl Course {
    fn new(who: Measures, tests: usize) -> Self {
        let guard = tempfile::tempdir().expect("a scratch folder");
        let folder = guard.path().to_owned();
        let manifest = "title = \"Curling\"\nreference = \"curling\"\n";
        write(&folder.join("problems/curling/problem.toml"), manifest);
        write(&folder.join("problems/curling/hacks/.keep"), "");
        fs::create_dir(folder.join("submissions")).expect("a folder");
        for test in 0..tests {
            let name = format!("problems/curling/data/secret/{test:02}.in");
            write(&folder.join(name), input(test));
        }
        Self {
            folder,
            who,
            tests,
            _guard: guard,
        }
    }

    /// From the first of new submissions that is judged to the last one.
    fn round(&self, server: &Server, round: usize, submissions: usize) -> Duration {
        let stage = Stage::start(&self.folder, &only_c(), server, self.who);
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let source = root.join("problems/curling/submissions/accepted/deepening.c");
        let source = fs::read_to_string(source).expect("an accepted program");
        for number in 0..submissions {
            // Another text, another artifact: no program shares its facts with another one.
            let own =
                format!("static const int volatile own = {round} * 1000 + {number};\n{source}");
            let name = format!("submissions/s{round}-{number}/curling.c");
            write(&self.folder.join(name), own);
        }
        let (judged, builds, runs) = judged(&stage.daemon, submissions);
        assert_eq!(builds, submissions as u64, "each program is built");
        assert_eq!(runs, (submissions * self.tests) as u64, "on each test");
        stage.end();
        let all = BTreeMap::from([("AC".to_owned(), (submissions * (round + 1)) as u64)]);
        assert_eq!(crate::common::verdicts(&self.folder), all);
        judged[judged.len() - 1].duration_since(judged[0])
    }

    /// Builds and runs that a hack causes.
    fn hack(&self, server: &Server, all: u64) -> (u64, u64) {
        let stage = Stage::start(&self.folder, &only_c(), server, self.who);
        let hack = self.folder.join("problems/curling/hacks/evil.in");
        write(&hack, input(self.tests));
        let submissions = usize::try_from(all).expect("a small number");
        let (_, builds, runs) = judged(&stage.daemon, submissions);
        stage.end();
        (builds, runs)
    }
}

/// A test of its own for each number: boards are at most 20 wide, so later ones have several.
fn input(number: usize) -> Vec<u8> {
    const WIDTHS: usize = 10;
    let end = b"0 0\n";
    let board = board(number % WIDTHS);
    let one = board.strip_suffix(end).expect("its end");
    let mut input = one.repeat(number / WIDTHS + 1);
    input.extend(end);
    input
}

/// Waits until so many submissions are judged and in the store; returns when each was judged, and all
/// builds and runs.
fn judged(daemon: &Daemon, submissions: usize) -> (Vec<Instant>, u64, u64) {
    let (mut judged, mut builds, mut runs) = (Vec::new(), 0, 0);
    while judged.len() < submissions {
        let (at, line) = daemon.next_line();
        assert!(
            !line.contains("fault") && !line.contains("broken"),
            "{line}"
        );
        if line.contains(JUDGED) {
            judged.push(at);
            builds += field(&line, "builds").expect("a number of builds");
            runs += field(&line, "runs").expect("a number of runs");
        }
    }
    (judged, builds, runs)
}

/// The shipped problems and their examples, judged by both.
pub fn verdicts_rows(size: Size) -> Vec<Row> {
    let server = Server::start();
    // Without a table of languages all of them are offered.
    let languages = size.pick("[web]\nstudents = \"127.0.0.1:0\"\n".to_owned(), only_c());
    let [own, remote] = [Measures::Daemon, Measures::Workers].map(|who| {
        let guard = tempfile::tempdir().expect("a scratch folder");
        write(&guard.path().join("config.toml"), &languages);
        let config = load_config(&guard.path().join("config.toml")).expect("a configuration");
        let examples = examples(guard.path(), size, &Toolchain::of(&config));
        let stage = Stage::start(guard.path(), &languages, &server, who);
        judged(&stage.daemon, examples);
        stage.end();
        verdicts_of(guard.path())
    });
    assert_eq!(own.len(), remote.len(), "all are judged");
    let differ = own
        .iter()
        .filter(|(attempt, verdict)| remote.get(*attempt) != Some(verdict));
    for (attempt, verdict) in differ.clone() {
        say(&format!(
            "{attempt}: {verdict} and {:?}",
            remote.get(attempt)
        ));
    }
    let count = differ.count() as u64;
    say(&format!("{} examples were judged twice", own.len()));
    vec![Row::new(NAME, "verdicts", figure(count), "").at_most(0.0)]
}

/// Copies the problems, and hands every example in as somebody's submission; returns how many. One
/// whose language is not here would be rejected, and is left out.
fn examples(folder: &Path, size: Size, toolchain: &Toolchain) -> usize {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("problems");
    let mut count = 0;
    for problem in fs::read_dir(&root).expect("the problems") {
        let problem = problem.expect("a problem").path();
        let name = problem.file_name().expect("a name").to_owned();
        let name = name.to_string_lossy();
        let Ok(kinds) = fs::read_dir(problem.join("submissions")) else {
            continue;
        };
        copy(&problem, &folder.join("problems").join(&*name));
        for kind in kinds {
            for example in fs::read_dir(kind.expect("a kind").path()).expect("examples") {
                let example = example.expect("an example").path();
                let ending = example.extension().expect("an ending").to_string_lossy();
                let language = toolchain.language_of(&ending);
                let is_here =
                    language.is_some_and(|language| toolchain.identify(language.id()).is_ok());
                if !is_here || (size == Size::Small && ending != "c") {
                    continue;
                }
                let student = example.file_name().expect("a name").to_string_lossy();
                let student = student.replace('.', "-");
                let to = format!("submissions/{student}-{count}/{name}.{ending}");
                write(&folder.join(to), fs::read(&example).expect("an example"));
                count += 1;
            }
        }
    }
    assert!(count > 0, "there are examples");
    count
}

/// Copies a problem without its examples.
fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name");
        if path.is_file() {
            write(&to.join(name), fs::read(&path).expect("a file"));
        } else if name != "submissions" {
            copy(&path, &to.join(name));
        }
    }
}

/// The verdicts in the store of a folder.
fn verdicts_of(folder: &Path) -> BTreeMap<String, String> {
    let store = store(folder);
    let mut statement = store
        .prepare(
            "SELECT student || '/' || problem, verdict FROM judgements
             JOIN submissions ON submissions.id = submission_id",
        )
        .expect("the store's tables");
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    rows.expect("verdicts")
        .collect::<Result<_, _>>()
        .expect("verdicts")
}
