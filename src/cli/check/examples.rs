//! The example submissions of a package: each is judged and must get the verdict that its folder
//! promises, and the points that it promises itself. How their times compare with the limit.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::finding::{Check, Untried};
use crate::cli::prelude::{NoPiece, Piece, Recalled, Session};
use crate::domain::Verdict::{
    self, Accepted, CompileError, MemoryLimit, OutputLimit, PresentationError, RuntimeError,
    TimeLimit, WrongAnswer,
};
use crate::domain::{Judgement, LanguageId, Score, Student};
use crate::judge::Judged;
use crate::package::{Format, Package};
use crate::util::archive::shown;
use crate::util::order::natural_files;
use crate::util::text::contains;

/// Example submissions of one folder.
const EXAMPLES_MAX: usize = 1_000;
/// The folder of programs that have to be accepted.
const ACCEPTED: &str = "accepted";
/// The folder of programs that get some of the points.
const PARTIAL: &str = "partially_accepted";
/// The folder of programs that have to be too slow.
const TOO_SLOW: &str = "time_limit_exceeded";
const REJECTED: &[Verdict] = &[
    WrongAnswer,
    PresentationError,
    OutputLimit,
    TimeLimit,
    RuntimeError,
    MemoryLimit,
    CompileError,
];
/// The folders of example submissions and the verdicts that each promises.
const EXPECTATIONS: [(&str, &[Verdict]); 7] = [
    (ACCEPTED, &[Accepted]),
    (PARTIAL, REJECTED),
    (
        "wrong_answer",
        &[WrongAnswer, PresentationError, OutputLimit],
    ),
    (TOO_SLOW, &[TimeLimit]),
    ("run_time_error", &[RuntimeError, MemoryLimit]),
    ("compile_error", &[CompileError]),
    // As in the ICPC's format: any verdict will do, as long as it is not accepted with all points.
    ("rejected", REJECTED),
];
/// How an example promises its points, anywhere in its source.
const EXPECTED_SCORE: &str = "@EXPECTED_SCORE@:";
/// Up to this many percent of the limit, an accepted example leaves room for a program that is
/// written less well, and for a slower machine.
const ROOM_PERCENT: u32 = 50;

const PYTHON_2: &str = "it is written in Python 2, which no language here is";
/// What Python 3 says of a program that prints as Python 2 does.
const STATEMENT: &[u8] = b"Missing parentheses in call to 'print'";
const NOTHING_EXPECTED: &str = "neither its folder nor submissions.yaml says what is expected";
/// How an example of a Kattis package names the verdicts that it may get, in a folder that promises
/// nothing.
const EXPECTED_RESULTS: &str = "@EXPECTED_RESULTS@:";
/// What `DOMjudge` calls them.
const RESULTS: [(&str, &[Verdict]); 9] = [
    ("CORRECT", &[Accepted]),
    ("WRONG-ANSWER", &[WrongAnswer, PresentationError]),
    ("NO-OUTPUT", &[WrongAnswer]),
    ("TIMELIMIT", &[TimeLimit]),
    ("TIME-LIMIT", &[TimeLimit]),
    ("RUN-ERROR", &[RuntimeError, MemoryLimit]),
    ("MEMORY-LIMIT", &[MemoryLimit, RuntimeError]),
    ("OUTPUT-LIMIT", &[OutputLimit]),
    ("COMPILER-ERROR", &[CompileError]),
];

/// An example submission, and what it promises.
struct Example {
    folder: String,
    /// Its folder and file.
    name: String,
    verdicts: Vec<Verdict>,
}

impl Example {
    fn is_as_promised(&self, package: &Package, judgement: &Judgement) -> bool {
        let (verdict, score) = (judgement.verdict, judgement.score);
        if package.accepts_in_part() && score.got > 0 {
            return self.folder == PARTIAL || self.verdicts.contains(&Accepted);
        }
        // A checker may accept an output and give it a part of the points.
        let is_part = verdict == Accepted && !score.is_full();
        self.verdicts.contains(&verdict) || (is_part && self.verdicts == REJECTED)
    }
}

/// Whether each has its verdict, and how their times compare with the limit.
pub fn examples(session: &Session, package: &Arc<Package>) -> [Check; 2] {
    let (mut examples, mut untried, mut complaints) = (Vec::new(), Vec::new(), Vec::new());
    for folder in folders(package) {
        for (name, piece) in pieces(session, package, &folder) {
            let promised = |piece: &Piece| match &package.expected {
                None => promise(has_parts(package), &folder, &shown(&piece.source)),
                Some(expected) if expected.is_about(&name) => Ok(Vec::new()),
                Some(_) => Err(NOTHING_EXPECTED.to_owned()),
            };
            match piece.map(|piece| (promised(&piece), piece)) {
                Ok((Ok(verdicts), piece)) => {
                    let folder = folder.clone();
                    let example = Example {
                        folder,
                        name,
                        verdicts,
                    };
                    examples.push((piece, example));
                }
                Ok((Err(reason), _)) => untried.push(Untried { name, reason }),
                Err(NoPiece::Rejected(reason)) if package.format == Format::Own => {
                    complaints.push(format!("{name}: {reason}"));
                }
                Err(NoPiece::Rejected(reason) | NoPiece::NotHere(reason)) => {
                    untried.push(Untried { name, reason });
                }
            }
        }
    }
    if !examples.iter().any(|(_, one)| one.folder == ACCEPTED) {
        complaints.push(none_accepted(&untried).to_owned());
    }
    let (mut times, left) = (Times::default(), untried.len());
    session.judge_all(
        &examples,
        Recalled::OfThisCommand,
        |piece, example, result| {
            let wrong = match result {
                Err(fault) => Some(format!("not judged: {fault}")),
                Ok(judged) if is_python_2(package, &judged) => {
                    let (name, reason) = (example.name.clone(), PYTHON_2.to_owned());
                    return untried.push(Untried { name, reason });
                }
                Ok(judged) => {
                    let wrong = wrong(package, (piece, example), &judged);
                    if wrong.is_none() {
                        times.add(example, &piece.submission.language, &judged);
                    }
                    wrong
                }
            };
            complaints.extend(wrong.map(|wrong| format!("{}: {wrong}", example.name)));
        },
    );
    let count = examples.len() + left - untried.len();
    let check = Check::new("example submissions", count, complaints);
    let times = times.check(package.limits.cpu);
    [Check { untried, ..check }, times]
}

/// What is wrong with what an example came to.
fn wrong(
    package: &Package,
    (piece, example): (&Piece, &Example),
    judged: &Judged,
) -> Option<String> {
    let judgement = &judged.judgement;
    if let Some(expected) = &package.expected {
        return expected.complaint(&example.name, judgement);
    }
    let score = judgement.score;
    if example.is_as_promised(package, judgement) {
        let source = shown(&piece.source);
        let is_whole = example.folder == ACCEPTED && !package.accepts_in_part();
        let wrong = wrong_score(score, (example.folder == PARTIAL, is_whole), &source);
        return wrong.filter(|_| has_parts(package));
    }
    if package.accepts_in_part() && score.got > 0 {
        return Some(format!("{score} points, with which it counts as accepted"));
    }
    Some(unexpected(judged))
}

/// The folders of example submissions: in a Kattis package there may be any.
fn folders(package: &Package) -> Vec<String> {
    let known = EXPECTATIONS.map(|(folder, _)| folder.to_owned());
    if package.format == Format::Own {
        return known.to_vec();
    }
    let entries = fs::read_dir(package.folder.join("submissions"));
    let entries = entries.into_iter().flatten().take(EXAMPLES_MAX);
    let mut folders: Vec<String> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir())
        .map(|path| file_name(&path))
        .collect();
    folders.sort();
    folders
}

/// Whether programs may be accepted in part. A package of our own that only promises it is wrong.
fn has_parts(package: &Package) -> bool {
    package.format == Format::Own || !package.groups.is_empty()
}

/// The verdicts that an example may get; the error: why it is not tried.
fn promise(has_parts: bool, folder: &str, source: &[u8]) -> Result<Vec<Verdict>, String> {
    if folder == PARTIAL && !has_parts {
        return Err("a package without points accepts no program in part".to_owned());
    }
    let mut known = EXPECTATIONS.iter();
    if let Some((_, verdicts)) = known.find(|(known, _)| *known == folder) {
        return Ok(verdicts.to_vec());
    }
    let source = String::from_utf8_lossy(source);
    let Some((_, rest)) = source.split_once(EXPECTED_RESULTS) else {
        return Err(format!(
            "neither its folder nor `{EXPECTED_RESULTS}` in it says what is expected"
        ));
    };
    let line = rest.lines().next().unwrap_or_default();
    let mut verdicts = Vec::new();
    for word in line.split([',', ' ', '\t']).filter(|word| !word.is_empty()) {
        let mut results = RESULTS.iter();
        let result = results.find(|(name, _)| word.eq_ignore_ascii_case(name));
        let Some((_, of_word)) = result else {
            // What follows is the end of a comment.
            break;
        };
        verdicts.extend_from_slice(of_word);
    }
    if verdicts.is_empty() {
        return Err(format!("no verdict follows `{EXPECTED_RESULTS}` in it"));
    }
    Ok(verdicts)
}

/// The example submissions in a folder, each named by its folder and file, in order.
pub fn pieces(
    session: &Session,
    package: &Arc<Package>,
    folder: &str,
) -> Vec<(String, Result<Piece, NoPiece>)> {
    let entries = fs::read_dir(package.folder.join("submissions").join(folder));
    let entries = entries.into_iter().flatten().take(EXAMPLES_MAX);
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| !file_name(path).starts_with('.'))
        .collect();
    files.sort_by(|one, other| natural_files(one, other));
    let files = files.iter();
    files
        .map(|file| {
            let name = format!("{folder}/{}", file_name(file));
            let extension = file.extension().unwrap_or_default().to_string_lossy();
            let piece = Student::new("example")
                .map_err(|error| NoPiece::Rejected(error.to_string()))
                .and_then(|student| session.piece(file, &extension, student, Arc::clone(package)));
            (name, piece)
        })
        .collect()
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// What is wrong if no program that has to be accepted can be tried: then nothing shows that the
/// tests can be passed within the limits.
fn none_accepted(untried: &[Untried]) -> &'static str {
    let is_accepted = |one: &Untried| one.name.starts_with("accepted/");
    if untried.iter().any(is_accepted) {
        "no program in submissions/accepted can be tried: this machine has none of their languages"
    } else {
        "there is no program in submissions/accepted"
    }
}

/// Whether an example of an old package is in the language that `.py` meant then.
fn is_python_2(package: &Package, judged: &Judged) -> bool {
    let words = &judged.judgement.compiler_words;
    package.format == Format::Kattis && contains(words, STATEMENT)
}

/// What happened instead.
fn unexpected(judged: &Judged) -> String {
    let judgement = &judged.judgement;
    let on = judgement
        .first_failing
        .map(|at| format!(" on {}", judgement.tests[at].test.name))
        .unwrap_or_default();
    let words = String::from_utf8_lossy(&judgement.compiler_words);
    let words = words.lines().next().unwrap_or_default();
    format!("{}{on} {words}", judgement.verdict.words())
}

/// What is wrong with the points of an example, which may promise them.
fn wrong_score(
    score: Score,
    (is_partial, is_whole): (bool, bool),
    source: &[u8],
) -> Option<String> {
    let promised = match promised(source) {
        Ok(promised) => promised,
        Err(reason) => return Some(reason),
    };
    if is_partial && score.shown().is_none() {
        return Some(
            "the problem has no groups of tests, so no program can be accepted in part".to_owned(),
        );
    }
    if let Some(promised) = promised {
        return (score.got != promised).then(|| format!("{score} points, and not {promised}"));
    }
    if is_whole && !score.is_full() {
        return Some(format!(
            "{score} points: it belongs into {PARTIAL}, or promises them"
        ));
    }
    let is_part = score.got > 0 && !score.is_full();
    (is_partial && !is_part).then(|| format!("{score} points, which is not a part of them"))
}

/// The points that a source promises; the error: what is written there is not a number.
fn promised(source: &[u8]) -> Result<Option<u32>, String> {
    let source = String::from_utf8_lossy(source);
    let Some((_, rest)) = source.split_once(EXPECTED_SCORE) else {
        return Ok(None);
    };
    let rest = rest.trim_start_matches([' ', '\t']);
    let end = rest.find(|c: char| !c.is_ascii_digit());
    let number = rest[..end.unwrap_or(rest.len())].parse();
    number.map(Some).map_err(|_| {
        format!(
            "`{EXPECTED_SCORE}` is followed by no number of points, as in `{EXPECTED_SCORE} 30`"
        )
    })
}

/// The times of a package's example submissions.
#[derive(Default)]
struct Times {
    count: usize,
    /// By language, the slowest test of an accepted example.
    slowest: BTreeMap<LanguageId, Slowest>,
    /// The least time of those that must be too slow, as a share of the limit: most are stopped a
    /// little above it.
    too_slow: Option<f64>,
}

/// A test of an accepted example.
struct Slowest {
    cpu: Duration,
    /// What its language is allowed.
    limit: Duration,
    name: String,
    test: String,
}

impl Times {
    /// Counts an example that has the verdict that it must have.
    fn add(&mut self, example: &Example, language: &LanguageId, judged: &Judged) {
        let (judgement, limit) = (&judged.judgement, judged.limits.cpu);
        let failing = judgement.first_failing.map(|at| &judgement.tests[at]);
        let slowest = judgement.tests.iter().max_by_key(|test| test.cpu());
        match (example.folder.as_str(), slowest, failing) {
            (ACCEPTED, slowest, _) => {
                self.count += 1;
                let known = self.slowest.get(language).map(|known| known.cpu);
                if let Some(test) = slowest.filter(|test| known < Some(test.cpu())) {
                    let slowest = Slowest {
                        cpu: test.cpu(),
                        limit,
                        name: example.name.clone(),
                        test: test.test.name.clone(),
                    };
                    self.slowest.insert(language.clone(), slowest);
                }
            }
            (TOO_SLOW, _, Some(failing)) => {
                self.count += 1;
                let share = failing.cpu().as_secs_f64() / limit.as_secs_f64();
                self.too_slow = Some(self.too_slow.map_or(share, |least| least.min(share)));
            }
            _ => {}
        }
    }

    /// What leaves too little room is a warning: another machine may be quicker, and a package may
    /// mean it.
    fn check(&self, limit: Duration) -> Check {
        let mut parts = Vec::new();
        for (language, slowest) in &self.slowest {
            let cpu = seconds(slowest.cpu);
            // With a time factor a language has a limit of its own.
            parts.push(if slowest.limit == limit {
                format!("{language} {cpu}")
            } else {
                format!("{language} {cpu} of {}", seconds(slowest.limit))
            });
        }
        if let Some(first) = parts.first_mut() {
            let limit = seconds(limit);
            *first = format!("slowest accepted example of {limit} allowed: {first}");
        }
        parts.extend(self.too_slow.map(|times| {
            format!("those that must be too slow take at least {times:.2} × the limit")
        }));
        let near = self.slowest.values();
        let near = near.filter(|one| one.cpu > one.limit * ROOM_PERCENT / 100);
        let warnings = near.map(|Slowest { cpu, limit, name, test }| {
            format!(
                "{name} takes {} of {} on {test}: more than half of the limit, so a correct program that is written less well may fail",
                seconds(*cpu),
                seconds(*limit)
            )
        });
        Check {
            summary: Some(parts.join(" · ")).filter(|summary| !summary.is_empty()),
            ..Check::new("time against the limit", self.count, Vec::new())
        }
        .with_warnings(warnings.collect())
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::{EXPECTATIONS, promise, wrong_score};
    use crate::domain::{Score, Verdict};

    #[test]
    fn every_folder_of_examples_has_its_expectation() {
        let folders = EXPECTATIONS.map(|(folder, _)| folder);
        let table = include_str!("../../package/tree/table.toml");
        let (row, list) = (folders.join("|"), folders.join(", "));
        for cell in [
            format!("\"submissions/{row}\""),
            format!("folders are {list}\""),
            format!("{folders:?}"),
        ] {
            assert!(table.contains(&cell), "{cell}");
        }
    }

    #[test]
    fn what_is_expected_stands_in_the_folders_name_or_else_in_the_source() {
        use Verdict::{Accepted, CompileError, TimeLimit, WrongAnswer};
        for (folder, source, expected) in [
            ("accepted", "@: TIMELIMIT", Some(Accepted)),
            ("time_limit_exceeded", "", Some(TimeLimit)),
            ("mixed", "/* @: NO-OUTPUT */", Some(WrongAnswer)),
            ("mixed", "# @:timelimit\nCORRECT", Some(TimeLimit)),
            ("mixed", "@: COMPILER-ERROR, CORRECT", Some(CompileError)),
            ("mixed", "@: \nCORRECT", None),
            ("mixed", "@: GOOD, CORRECT", None),
            ("mixed", "", None),
            ("partially_accepted", "", None),
        ] {
            let source = source.replace('@', "@EXPECTED_RESULTS@");
            let promised = promise(false, folder, source.as_bytes());
            let first = promised.clone().ok().map(|verdicts| verdicts[0]);
            assert_eq!(first, expected, "{folder} {source} {promised:?}");
        }
        let two = promise(false, "mixed", b"@EXPECTED_RESULTS@: CORRECT, TIMELIMIT");
        assert_eq!(two, Ok(vec![Accepted, TimeLimit]));
        assert!(promise(true, "partially_accepted", b"").is_ok());
    }

    #[test]
    fn a_part_is_neither_nothing_nor_everything() {
        for (got, of, is_partial, source, words) in [
            (30, 100, true, "", ""),
            (0, 100, true, "", "0/100 points, which is not a part"),
            (100, 100, true, "", "not a part"),
            (0, 1, true, "", "no groups"),
            (30, 100, true, "@: 40", "points, and not 40"),
            (30, 100, false, "@: 30", ""),
            (30, 100, false, "@: all", "no number of points"),
            (0, 1, false, "", ""),
        ] {
            let source = source.replace('@', "@EXPECTED_SCORE@");
            let said = wrong_score(Score { got, of }, (is_partial, false), source.as_bytes());
            let said = said.unwrap_or_default();
            assert!(said.contains(words), "{said}");
            assert_eq!(said.is_empty(), words.is_empty(), "{said}");
        }
    }
}
