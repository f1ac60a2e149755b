//! The programs that a problem's tests are tried with: the package's examples, and programs of this
//! course that were not accepted.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cli::session::{Piece, Session, store_if_any};
use crate::domain::{Digest, LanguageId, Student, SubmissionId, Verdict};
use crate::package::Package;
use crate::strength::Kind;
use crate::util::order::natural_files;

/// Example submissions of one folder.
const EXAMPLES_MAX: usize = 200;
/// Programs of the course, the latest ones.
const REJECTED_MAX: usize = 60;
/// Submissions that are read from the store at a time.
const PAGE: u32 = 256;
/// The folders of example submissions; what does not build meets no test.
const FOLDERS: [(&str, Kind); 6] = [
    ("accepted", Kind::Intended),
    ("partially_accepted", Kind::Wrong),
    ("wrong_answer", Kind::Wrong),
    ("run_time_error", Kind::Wrong),
    ("rejected", Kind::Wrong),
    ("time_limit_exceeded", Kind::Slow),
];

/// A program, and what it is there for.
pub(super) struct Program {
    pub name: String,
    pub kind: Kind,
    pub piece: Piece,
}

impl Program {
    /// The program for another package of the same problem.
    pub fn on(&self, package: Arc<Package>) -> Piece {
        Piece {
            submission: self.piece.submission.clone(),
            source: self.piece.source.clone(),
            package,
        }
    }
}

/// The programs, and those that cannot be tried, each with its reason.
pub(super) fn programs(
    session: &Session,
    package: &Arc<Package>,
) -> anyhow::Result<(Vec<Program>, Vec<String>)> {
    let student = Student::new("example")?;
    let mut programs = Vec::new();
    let mut untried = Vec::new();
    for (folder, kind) in FOLDERS {
        for file in files(&package.folder.join("submissions").join(folder)) {
            let file_name = file.file_name().unwrap_or_default().to_string_lossy();
            let name = format!("{folder}/{file_name}");
            let extension = file.extension().unwrap_or_default().to_string_lossy();
            match session.piece(&file, &extension, student.clone(), Arc::clone(package)) {
                Ok(piece) => programs.push(Program { name, kind, piece }),
                Err(reason) => untried.push(format!("{name}: {reason}")),
            }
        }
    }
    programs.extend(rejected(session, package, &mut untried)?);
    // The same bytes may be a program in two languages.
    let mut seen: HashSet<(Digest, LanguageId)> = HashSet::new();
    programs.retain(|program| {
        let piece = &program.piece;
        seen.insert((piece.source.digest, piece.submission.language.clone()))
    });
    Ok((programs, untried))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries
        .take(EXAMPLES_MAX)
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_file())
        .filter(|path| {
            !path
                .file_name()
                .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
        })
        .collect();
    files.sort_by(|one, other| natural_files(one, other));
    files
}

/// Programs of the course that were built and not accepted, from the store. Those whose language
/// has gone since join `untried`.
fn rejected(
    session: &Session,
    package: &Arc<Package>,
    untried: &mut Vec<String>,
) -> anyhow::Result<Vec<Program>> {
    let Some(reader) = store_if_any(&session.config)? else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    let mut after = SubmissionId(0);
    loop {
        let entries = reader.entries_after(after, PAGE)?;
        let Some(last) = entries.last() else {
            break;
        };
        after = last.submission.id;
        for entry in &entries {
            let is_wrong = entry.verdict().is_some_and(|verdict| {
                !matches!(verdict, Verdict::Accepted | Verdict::CompileError)
            });
            if is_wrong && entry.submission.problem == package.slug {
                found.push(entry.submission.id);
            }
        }
    }
    let mut programs = Vec::new();
    for id in found.into_iter().rev().take(REJECTED_MAX) {
        let Some((submission, source)) = reader.submission(id)? else {
            continue;
        };
        let name = format!("{} #{}", submission.student, submission.attempt);
        let language = session.toolchain.language(&submission.language);
        if let Some(Err(reason)) = language.map(|language| session.usable(language)) {
            untried.push(format!("{name}: {reason}"));
            continue;
        }
        programs.push(Program {
            name,
            kind: Kind::Wrong,
            piece: Piece {
                submission,
                source,
                package: Arc::clone(package),
            },
        });
    }
    Ok(programs)
}
