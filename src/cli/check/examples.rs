//! The example submissions of a package: each is judged and must get the verdict that its folder
//! promises.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::groups::{promised, wrong_score};
use super::row::Row;
use super::times::Times;
use super::untried::{Untried, is_accepted, none_accepted};
use crate::cli::session::{NoPiece, Piece, Session};
use crate::cli::slot::{Recalled, judge_all};
use crate::domain::{Student, Verdict};
use crate::judge::Judged;
use crate::package::Package;
use crate::util::order::natural_files;

/// Example submissions of one folder.
const EXAMPLES_MAX: usize = 1_000;
/// The folder of programs that get some of the points.
const PARTIAL: &str = "partially_accepted";
const REJECTED: [Verdict; 7] = [
    Verdict::WrongAnswer,
    Verdict::PresentationError,
    Verdict::OutputLimit,
    Verdict::TimeLimit,
    Verdict::RuntimeError,
    Verdict::MemoryLimit,
    Verdict::CompileError,
];
/// The folders of example submissions and the verdicts that each promises.
const EXPECTATIONS: [(&str, &[Verdict]); 7] = [
    ("accepted", &[Verdict::Accepted]),
    (PARTIAL, &REJECTED),
    (
        "wrong_answer",
        &[
            Verdict::WrongAnswer,
            Verdict::PresentationError,
            Verdict::OutputLimit,
        ],
    ),
    ("time_limit_exceeded", &[Verdict::TimeLimit]),
    (
        "run_time_error",
        &[Verdict::RuntimeError, Verdict::MemoryLimit],
    ),
    ("compile_error", &[Verdict::CompileError]),
    // As in the ICPC's format: any verdict will do, as long as it is not accepted.
    ("rejected", &REJECTED),
];

/// Two rows: whether each has its verdict, and how their times compare with the limit.
pub(super) fn examples(session: &Session, package: &Arc<Package>) -> [Row; 2] {
    let mut times = Times::new(&package.limits);
    let mut complaints = Vec::new();
    let mut untried = Untried::default();
    let mut examples = Vec::new();
    for (folder, verdicts) in EXPECTATIONS {
        for file in files(&package.folder.join("submissions").join(folder)) {
            let name = format!("{folder}/{}", file_name(&file));
            match piece(session, package, &file) {
                Ok(piece) => examples.push((piece, (name, verdicts))),
                Err(reason @ NoPiece::NotHere { .. }) => untried.add(name, reason.to_string()),
                Err(NoPiece::Rejected(reason)) => complaints.push(format!("{name}: {reason}")),
            }
        }
    }
    let has_accepted = examples.iter().any(|(_, (name, _))| is_accepted(name));
    complaints.extend(none_accepted(has_accepted, &untried));
    judge_all(
        session,
        &examples,
        Recalled::OfThisCommand,
        |piece, (name, verdicts), result| match result {
            Err(fault) => complaints.push(format!("{name}: not judged: {fault}")),
            Ok(judged) if verdicts.contains(&judged.judgement.verdict) => {
                complaints.extend(wrong_points(piece, name, &judged));
                times.add(name, &piece.submission.language, &judged);
            }
            Ok(judged) => complaints.push(format!("{name}: {}", unexpected(&judged))),
        },
    );
    let mut row = Row::new("example submissions", examples.len(), complaints);
    row.untried = untried;
    [row, times.row()]
}

fn piece(session: &Session, package: &Arc<Package>, file: &Path) -> Result<Piece, NoPiece> {
    let student = Student::new("example").map_err(|error| NoPiece::Rejected(error.to_string()))?;
    let extension = file.extension().unwrap_or_default().to_string_lossy();
    session.piece(file, &extension, student, Arc::clone(package))
}

fn wrong_points(piece: &Piece, name: &str, judged: &Judged) -> Option<String> {
    let is_partial = name.starts_with(PARTIAL);
    let wrong = match promised(&piece.source.bytes) {
        Ok(promised) => wrong_score(judged.judgement.score, is_partial, promised),
        Err(reason) => Some(reason),
    };
    wrong.map(|wrong| format!("{name}: {wrong}"))
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

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries
        .take(EXAMPLES_MAX)
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_file() && !file_name(path).starts_with('.'))
        .collect();
    files.sort_by(|one, other| natural_files(one, other));
    files
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::EXPECTATIONS;
    use crate::package::EXAMPLE_FOLDERS;

    #[test]
    fn every_folder_of_examples_has_its_expectation() {
        assert_eq!(EXPECTATIONS.map(|(folder, _)| folder), EXAMPLE_FOLDERS);
    }
}
