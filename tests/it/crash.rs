//! The daemon is killed at every step of its life and at random moments; afterwards its results are
//! those of an undisturbed one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rand::{Rng as _, SeedableRng as _};
use serde_json::Value;

use crate::hostile::traces::Traces;
use crate::place::{
    CRASH_AT, Place, assert_has, comes_true, no_named_steps, output, rounds, wait_until,
};
use crate::power::disk::files_below;
use crate::programs;
use crate::quiet;
use crate::sandbox::life::groups;

/// Every step that the daemon names; with `:N`, the kill comes the Nth time that the step is
/// reached.
const POINTS: &str = "packages recorded|file copied|file copied:3|submission stored|\
    submission stored:2|file remembered|file remembered:2|rejection stored|note written|built|\
    run measured|run measured:4|folded|published|scratch written|one format written|\
    report written|one log appended|logs appended|marked|pages written|pages marked|\
    pages marked:2|overview written|overview written:3|overviews marked|feed appended";
/// How often a point is tried to be reached.
const REACHED_TRIES: usize = 5;
/// Kills at random moments in total, spread evenly over the three phases.
const KILLS: (usize, usize) = (18, 480);
/// State folders that the kills are spread over, in parallel.
const PLACES: usize = 2;
/// How long a daemon lives at most after the phase has begun, in milliseconds.
const LIFE_MS_MAX: u64 = 400;

/// When the time until a random kill starts to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// At its first instruction: the kill mostly comes while it starts.
    Start,
    /// When it is ready: the kill comes while it receives, builds and runs.
    Ready,
    /// At its first verdict: the kill comes while it publishes and writes pages.
    Verdict,
}

fn place() -> Place {
    Place::new().only(&["c", "lua"])
}

/// The files of one batch: cheap, no two alike, most verdicts, and a file that is not a submission.
fn files(batch: &str) -> Vec<(String, String)> {
    let wrong_c =
        "#include <stdio.h>\nint main(void){int a,b;scanf(\"%d %d\",&a,&b);printf(\"%d\\n\",a+b);}";
    [
        ("a", "sum.c", format!("{}// {batch}\n", programs::C)),
        ("b", "sum.lua", format!("{}-- {batch}\n", programs::LUA)),
        ("c", "sum.lua", format!("print(7)  -- {batch}\n")),
        ("d", "sum.lua", format!("os.exit(3)  -- {batch}\n")),
        ("e", "sum.lua", format!("print(  -- {batch}\n")),
        ("f", "sum.c", format!("{wrong_c}// {batch}\n")),
        ("g", "sum.docx", format!("{batch}\n")),
    ]
    .map(|(student, name, text)| (format!("submissions/{batch}{student}/{name}"), text))
    .into()
}

fn drop_batch(place: &Place, batch: &str, kinds: &str) {
    for ((name, text), kind) in files(batch).into_iter().zip('a'..) {
        if kinds.contains(kind) {
            place.write(&name, text);
        }
    }
}

/// Drops two or three files of a batch; a program is compiled only in every tenth one.
fn drop_some(place: &Place, batch: usize) {
    let all = files(&format!("r{batch}"));
    let is_tenth = batch.is_multiple_of(10);
    let begin = if is_tenth { 0 } else { 1 + batch % 3 };
    for (name, text) in all.into_iter().skip(begin).take(2) {
        place.write(&name, text);
    }
}

/// What staff and students can see, without measurements and times.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    counts: Value,
    reports: BTreeMap<String, String>,
    /// What only staff see, except the logs.
    staff: BTreeMap<String, String>,
    lines: Vec<String>,
}

impl Outcome {
    pub fn of(place: &Place) -> Self {
        let status = place.status();
        let counts = "received judged waiting rejected faults verdicts".split(' ');
        let lines = place.logged().into_iter();
        let mut lines: Vec<String> = lines.map(|line| unmeasured(&line).to_string()).collect();
        lines.sort();
        Self {
            counts: counts.map(|key| status[key].clone()).collect(),
            reports: told(&place.path("reports")),
            staff: told(&place.path("staff")),
            lines,
        }
    }
}

/// Every file below a folder except the logs, without what differs from run to run.
fn told(folder: &Path) -> BTreeMap<String, String> {
    let is_log = |name: &str| name.starts_with("verdicts.") || name.ends_with(".ndjson");
    let mut files = tree(folder);
    for (name, text) in &mut files {
        *text = match serde_json::from_str(text) {
            _ if is_log(name) => String::new(),
            Ok(json) => unmeasured(&json).to_string(),
            Err(_) => unnumbered(text),
        };
    }
    files
}

/// A text without its numbers, most of which are times, and without the spaces that align them.
fn unnumbered(text: &str) -> String {
    let mut words = String::new();
    for character in text.chars() {
        let masked = match character {
            '0'..='9' => '#',
            space if space.is_whitespace() => ' ',
            other => other,
        };
        if !(words.ends_with(masked) && "# ".contains(masked)) {
            words.push(masked);
        }
    }
    // A measurement may be shown in another unit.
    words.replace("# MiB", "# KiB").replace("# ms", "# s")
}

/// Whether a value is a submission's row number, which depends on what was copied first.
fn is_row(key: &str, value: &Value) -> bool {
    key == "submission" && value.is_number()
}

/// Without what differs from run to run.
fn unmeasured(value: &Value) -> Value {
    let measured = |key: &str| {
        // The last two are Gradescope's: time used, in seconds and in words.
        let whole = ["id", "at", "event", "execution_time", "output"];
        let mut ends = ["_ms", "_ms_max", "_at"].iter();
        ends.any(|end| key.ends_with(end)) || whole.contains(&key) || key.contains("memory_kib")
    };
    let told = |(key, value): &(&String, &Value)| !measured(key) && !is_row(key, value);
    let field = |(key, value): (&String, &Value)| (key.clone(), unmeasured(value));
    match value {
        Value::Object(fields) => fields.iter().filter(told).map(field).collect(),
        Value::Array(values) => values.iter().map(unmeasured).collect(),
        other => other.clone(),
    }
}

/// Every file below a folder, hidden ones included, with its text.
pub fn tree(folder: &Path) -> BTreeMap<String, String> {
    let text = |(name, bytes)| (name, String::from_utf8(bytes).unwrap());
    files_below(folder).into_iter().map(text).collect()
}

/// A note without its time: a rejected file may have been looked at again after a kill.
fn unseen(text: &str) -> Vec<&str> {
    let is_moment = |line: &&str| line.trim_start().starts_with("seen ");
    text.lines().filter(|line| !is_moment(line)).collect()
}

/// Judges the rest and compares with an undisturbed daemon; the reports match the store byte for
/// byte.
pub fn assert_nothing_lost(place: &Place, undisturbed: &Place) {
    place.serve_once();
    undisturbed.serve_once();
    let (disturbed, expected) = (Outcome::of(place), Outcome::of(undisturbed));
    assert_eq!(disturbed.counts, expected.counts);
    assert_eq!(disturbed.lines, expected.lines);
    // One after the other, so that a failure names the file.
    let all: [fn(&Outcome) -> &BTreeMap<_, _>; 2] = [|one| &one.reports, |one| &one.staff];
    for files in all {
        let now = files(&disturbed);
        for (name, expected) in files(&expected) {
            assert_eq!(now.get(name), Some(expected), "{name}");
        }
    }
    assert_eq!(disturbed, expected);
    assert_eq!(disturbed.counts[2], 0, "nothing waits");
    let once: BTreeSet<&String> = disturbed.lines.iter().collect();
    assert_eq!(once.len(), disturbed.lines.len(), "no line twice");
    let trees = || ["reports", "staff"].map(|folder| tree(&place.path(folder)));
    let before = trees();
    let names = before.iter().flat_map(BTreeMap::keys);
    let hidden: Vec<_> = names.filter(|name| name.contains("/.")).collect();
    assert!(hidden.is_empty(), "scratch files are left: {hidden:?}");
    place.says(0, "report --rebuild", &[]);
    for (before, after) in before.iter().zip(trees()) {
        for (name, text) in before {
            let after = after.get(name).map(|text| unseen(text));
            assert_eq!(Some(unseen(text)), after, "{name} is what the store says");
        }
        assert_eq!(before.len(), after.len());
    }
}

#[test]
fn a_daemon_killed_at_every_step_loses_nothing() {
    if no_named_steps() {
        return;
    }
    let (place, undisturbed) = (place(), place());
    for (number, point) in POINTS.split('|').enumerate() {
        // What is written together may be written once on a busy machine, where a point is the
        // second time: then there is more to do.
        let is_reached = (0..REACHED_TRIES).any(|attempt| {
            // All kinds in the first batch; later two programs to build and run, and a file to
            // reject.
            let is_whole = number == 0 || attempt > 0;
            let kinds = if is_whole { "abcdefg" } else { "bdg" };
            let batch = format!("p{number}t{attempt}");
            drop_batch(&place, &batch, kinds);
            drop_batch(&undisturbed, &batch, kinds);
            let mut command = place.command(&["serve", "--once"]);
            output(command.env(CRASH_AT, point)).status.signal() == Some(9)
        });
        assert!(is_reached, "{point} was reached");
    }
    // A thread that fails is noticed and started again.
    for place in [&place, &undisturbed] {
        drop_batch(place, "panic", "bcg");
    }
    let mut command = place.command(&["serve", "--once"]);
    let failed = output(command.env(CRASH_AT, "panic file copied:2"));
    let told = String::from_utf8_lossy(&failed.stderr).into_owned();
    assert_has(&told, &["a bug in verdictd"]);
    assert_nothing_lost(&place, &undisturbed);
    assert_eq!(place.wait_for("panicb/sum/1"), "AC");
}

#[test]
fn a_daemon_killed_at_random_moments_under_load_loses_and_leaves_nothing() {
    quiet::share();
    let traces = Traces::now();
    let places = (0..PLACES as u64).map(|seed| std::thread::spawn(move || kill_at_random(seed)));
    let places: Vec<_> = places.collect();
    let pids = places.into_iter().flat_map(|place| place.join().unwrap());
    let pids: Vec<u32> = pids.collect();
    let left = || {
        let groups = pids.iter().filter(|pid| has_a_group(**pid)).count();
        let processes = pids.iter().filter(|pid| has_processes(**pid)).count();
        (groups, processes)
    };
    let gone = comes_true(Duration::from_secs(30), || left() == (0, 0));
    assert!(gone, "control groups and processes are left: {:?}", left());
    Traces::now().assert_none_since(&traces);
}

/// Kills the daemons of one state folder again and again, and checks the outcome; returns their
/// process ids.
fn kill_at_random(seed: u64) -> Vec<u32> {
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let (place, undisturbed) = (place(), place());
    let said = place.path("said");
    let mut pids = Vec::new();
    for number in 0..rounds(KILLS.0, KILLS.1) / PLACES {
        drop_some(&place, number);
        drop_some(&undisturbed, number);
        let known = place.logged().len();
        let mut daemon = place
            .command(&["serve"])
            // Its own group, so that its processes can be found.
            .process_group(0)
            .stdout(Stdio::null())
            .stderr(fs::File::create(&said).unwrap())
            .spawn()
            .unwrap();
        let words = || fs::read_to_string(&said).unwrap();
        match [Phase::Start, Phase::Ready, Phase::Verdict][number % 3] {
            Phase::Start => {}
            Phase::Ready => wait_until("a daemon that is ready", || words().contains("\nready:")),
            Phase::Verdict => wait_until("a verdict", || place.logged().len() > known),
        }
        let life = Duration::from_millis(random.random_range(0..LIFE_MS_MAX));
        let ended = comes_true(life, || daemon.try_wait().unwrap().is_some());
        assert!(!ended, "a daemon ended by itself: {}", words());
        daemon.kill().unwrap();
        daemon.wait().unwrap();
        pids.push(daemon.id());
    }
    assert_nothing_lost(&place, &undisturbed);
    pids
}

/// Whether a control group of this daemon is left.
fn has_a_group(pid: u32) -> bool {
    if Path::new(&format!("/proc/{pid}")).exists() {
        // The daemon was waited for, so its number is another process's by now.
        return false;
    }
    !groups(&format!("verdictd-{pid}-")).is_empty()
}

/// Whether a process of this daemon's group is left.
fn has_processes(group: u32) -> bool {
    fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        // After the name in brackets: state, parent, group.
        let after = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
        after.split(' ').nth(2) == Some(&group.to_string())
    })
}
