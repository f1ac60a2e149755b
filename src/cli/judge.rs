//! `verdictd judge FILE…`: judges files now, without the daemon and its store.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};

use super::names::unknown_problem;
use super::out::Style;
use super::session::{Piece, Recalled, Session};
use super::{Exit, Out};
use crate::domain::{
    Cause, Fault, ProblemSlug, SourceFile, Student, Submission, SubmissionId, Verdict,
};
use crate::explain;
use crate::intake::{Known, Reading, read_name};
use crate::judge::Judged;
use crate::package::Package;
use crate::report::{Context, Document, document, render_findings};
use crate::util::clock::now_ms;
use crate::util::excerpt::visible_line;
use crate::util::files::read_regular;
use crate::util::hash::digest;

/// Whose a program is when nothing tells.
const NOBODY: &str = "-";

/// Arguments of `judge`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The programs, each named STUDENT/PROBLEM.EXT or `STUDENT_PROBLEM.EXT` unless --problem is given.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The problem that all files are for.
    #[arg(long)]
    problem: Option<String>,
    /// Run the remaining tests after a failure too.
    #[arg(long)]
    all_tests: bool,
    /// Build and run the programs in workers that this shell command starts, one for each program
    /// that is judged at the same time:
    /// `ssh lab-07 verdictd worker --stdio`.
    #[arg(long, value_name = "COMMAND")]
    worker: Option<String>,
    /// One JSON object per file, each on a line.
    #[arg(long)]
    json: bool,
}

/// What became of a file before it was judged.
enum Taken {
    /// It is the piece with this index.
    Piece(usize),
    /// It is not a program that can be judged, for this reason.
    Rejected(String),
}

/// Runs the command.
pub fn run(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let session = Session::open(config_file)?.measured_by(arguments.worker.clone());
    let mut pieces = Vec::new();
    let mut taken = Vec::new();
    for file in &arguments.files {
        taken.push(match take(file, arguments, &session) {
            Ok(piece) => {
                pieces.push(piece);
                Taken::Piece(pieces.len() - 1)
            }
            Err(reason) => Taken::Rejected(reason),
        });
    }
    let stop = session.config.judge.stop_at_first_failure && !arguments.all_tests;
    let mut worst = Worst::default();
    let mut files = arguments.files.iter().zip(&taken).peekable();
    // Results come in the order of the pieces, so the rejected files between them are shown on the way.
    let mut show_rejected = |upto: Option<usize>, out: &mut Out, worst: &mut Worst| {
        while let Some((file, taken)) = files.peek() {
            match taken {
                Taken::Rejected(reason) => {
                    worst.rejected = true;
                    rejected(file, reason, arguments.json, out);
                }
                Taken::Piece(index) if Some(*index) == upto => {
                    files.next();
                    return;
                }
                Taken::Piece(_) => return,
            }
            files.next();
        }
    };
    session.judge_all(&pieces, Recalled::OfThisCommand, stop, |index, result| {
        show_rejected(Some(index), out, &mut worst);
        let piece = &pieces[index];
        let file = path_of(&arguments.files, &taken, index);
        match &result {
            Err(_) => worst.fault = true,
            Ok(judged) if judged.judgement.verdict != Verdict::Accepted => worst.no = true,
            Ok(_) => {}
        }
        if arguments.json {
            out.json(&object(file, piece, &result, &session, stop));
        } else {
            show(file, piece, &result, &session, stop, out);
        }
        out.flush();
    });
    show_rejected(None, out, &mut worst);
    Ok(worst.exit())
}

/// What the exit code is made of.
#[derive(Default)]
struct Worst {
    no: bool,
    rejected: bool,
    fault: bool,
}

impl Worst {
    fn exit(&self) -> Exit {
        if self.fault {
            Exit::Fault
        } else if self.rejected {
            Exit::Usage
        } else if self.no {
            Exit::No
        } else {
            Exit::Good
        }
    }
}

fn path_of<'a>(files: &'a [PathBuf], taken: &[Taken], index: usize) -> &'a Path {
    let at = taken
        .iter()
        .position(|taken| matches!(taken, Taken::Piece(piece) if *piece == index));
    files
        .get(at.unwrap_or(0))
        .map_or(Path::new(""), PathBuf::as_path)
}

fn take(file: &Path, arguments: &Arguments, session: &Session) -> Result<Piece, String> {
    std::fs::metadata(file).map_err(|error| error.to_string())?;
    let (student, slug, extension) = meaning(file, arguments.problem.as_deref(), session)?;
    let language = session.toolchain.language_of(&extension).ok_or_else(|| {
        format!(
            "`.{extension}` belongs to no language; `verdictd doctor` lists those that there are"
        )
    })?;
    session
        .version(language.id())
        .map_err(|why| format!("{} cannot be used on this machine: {why}", language.name()))?;
    let package: Arc<Package> = match session.package(&slug) {
        Some(Ok(package)) => package,
        Some(Err(error)) => return Err(format!("the package is broken: {error}")),
        None => {
            return Err(unknown_problem(
                slug.as_str(),
                &session.slugs,
                &session.config.folders.problems,
            ));
        }
    };
    let bound = session.config.intake.source_bytes_max;
    let bytes = read_regular(file, bound).map_err(|error| match error.kind() {
        std::io::ErrorKind::FileTooLarge => format!(
            "it is larger than {} KiB, the bound of a source",
            bound / 1024
        ),
        _ => error.to_string(),
    })?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err("it is empty".to_owned());
    }
    Ok(Piece {
        submission: Submission {
            id: SubmissionId(0),
            student,
            problem: slug,
            language: language.id().clone(),
            attempt: 1,
            received_ms: now_ms(),
        },
        source: SourceFile {
            name: file
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default(),
            digest: digest(&bytes),
            bytes: Arc::from(bytes),
        },
        package,
    })
}

/// Student, problem and extension of a path.
fn meaning(
    file: &Path,
    problem: Option<&str>,
    session: &Session,
) -> Result<(Student, ProblemSlug, String), String> {
    match problem {
        Some(problem) => meaning_for(file, problem, session),
        None => meaning_by_name(file, &session.known()),
    }
}

/// The problem is given; the student is what stands before it in the name, or the folder.
fn meaning_for(
    file: &Path,
    problem: &str,
    session: &Session,
) -> Result<(Student, ProblemSlug, String), String> {
    let stem = file.file_stem().and_then(OsStr::to_str);
    let stem = stem.ok_or("its name is not UTF-8")?;
    let extension = file.extension().and_then(OsStr::to_str);
    let extension = extension.ok_or("its name has no extension, so its language is unknown")?;
    let slug = session
        .slugs
        .iter()
        .find(|slug| slug.matches(problem))
        .ok_or_else(|| {
            unknown_problem(problem, &session.slugs, &session.config.folders.problems)
        })?;
    let named = stem
        .char_indices()
        .filter(|(at, character)| *character == '_' && slug.matches(&stem[at + 1..]))
        .map(|(at, _)| &stem[..at])
        .next();
    let folder = file
        .parent()
        .and_then(Path::file_name)
        .and_then(OsStr::to_str);
    let student = named
        .or(folder)
        .and_then(|name| Student::spelled(name).ok())
        .map_or_else(|| Student::new(NOBODY), Ok)
        .map_err(|error| error.to_string())?;
    Ok((student, slug.clone(), extension.to_owned()))
}

/// The name tells everything, by the rules of the submissions folder.
fn meaning_by_name(file: &Path, known: &Known) -> Result<(Student, ProblemSlug, String), String> {
    let name = file.file_name().ok_or("it has no file name")?;
    let folder = file.parent().and_then(Path::file_name);
    let in_folder = folder.map(|folder| read_name(Path::new(folder).join(name).as_os_str(), known));
    let alone = read_name(name, known);
    let mut reasons = Vec::new();
    for reading in in_folder.into_iter().chain([alone]) {
        match reading {
            Reading::Named {
                student,
                problem,
                extension,
            } => return Ok((student, problem, extension)),
            Reading::Ignored(why) => reasons.push(format!("its name is {why}")),
            Reading::Refused { reason, .. } => reasons.push(reason.words),
        }
    }
    let reason = reasons.into_iter().next().unwrap_or_default();
    Err(format!("{reason}; or give --problem"))
}

fn rejected(file: &Path, reason: &str, json: bool, out: &mut Out) {
    if json {
        out.json(&json!({
            "file": file.display().to_string(), "student": null, "problem": null,
            "language": null, "verdict": null, "rejected": reason,
            "first_failing_test": null, "tests": [],
        }));
    } else {
        let word = out.styled(Style::Warn, "rejected");
        let why = visible_line(&format!("{}: {reason}", file.display()));
        out.line(&format!("{word}  {why}"));
    }
}

/// The report document with what a caller asks for first at the top.
fn object(
    file: &Path,
    piece: &Piece,
    result: &Result<Judged, Fault>,
    session: &Session,
    stop: bool,
) -> Value {
    let submission = &piece.submission;
    let mut object = match result {
        Err(fault) => json!({
            "verdict": null, "fault": fault.to_string(), "first_failing_test": null, "tests": [],
        }),
        Ok(judged) => json!(document_of(piece, judged, session, stop)),
    };
    object["file"] = file.display().to_string().into();
    object["student"] = submission.student.as_str().into();
    object["problem"] = submission.problem.as_str().into();
    object["language"] = submission.language.as_str().into();
    object
}

fn document_of(piece: &Piece, judged: &Judged, session: &Session, stop: bool) -> Document {
    let submission = &piece.submission;
    let version = session.version(&submission.language).unwrap_or_default();
    let provenance = session.provenance(piece, judged, &version, stop);
    let printed = judged.printed.as_deref();
    let case = explain::case(&piece.package, &judged.judgement, printed);
    let context = Context {
        source: &piece.source,
        disclosures: piece.package.disclosures,
        case: case.as_ref(),
        provenance: provenance.as_ref(),
        limits: &judged.limits,
        language_version: &version,
        how_built: &session.how_built(piece, &version),
        title: &piece.package.title,
        io: piece.package.io,
        history: &[],
        protections: session.sandbox.protections(),
        notes: &[],
        judged_ms: now_ms(),
    };
    document(submission, &judged.judgement, &context)
}

fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// One line with the verdict; of a program that is not accepted also what its report says of the reasons.
fn show(
    file: &Path,
    piece: &Piece,
    result: &Result<Judged, Fault>,
    session: &Session,
    stop: bool,
    out: &mut Out,
) {
    let name = visible_line(&file.display().to_string());
    let judged = match result {
        Ok(judged) => judged,
        Err(fault) => {
            let word = out.styled(Style::Bad, "not judged");
            let why = visible_line(&fault.to_string());
            out.line(&format!("{word}  {name}: {why}"));
            return;
        }
    };
    let judgement = &judged.judgement;
    let count = |verdict| {
        let tests = judgement.tests.iter();
        tests.filter(|test| test.verdict == verdict).count()
    };
    let not_run = match count(Verdict::Skipped) {
        0 => String::new(),
        count => format!(" ({count} not run)"),
    };
    let cpu = judgement.tests.iter().map(|test| millis(test.cpu)).max();
    let memory = judgement.tests.iter().map(|test| test.memory_bytes).max();
    let verdict = out.styled(
        Style::of(judgement.verdict),
        &format!("{:<3}", judgement.verdict.code()),
    );
    out.line(&format!(
        "{verdict}  {name}  {} · {} · {}/{} tests{not_run} · {} ms · {} KiB",
        piece.submission.problem,
        piece.submission.language,
        count(Verdict::Accepted),
        judgement.tests.len(),
        cpu.unwrap_or(0),
        memory.unwrap_or(0) / 1024,
    ));
    if judgement.verdict == Verdict::Accepted {
        return;
    }
    if let Some(cause) = judgement.cause.as_ref().map(Cause::words) {
        out.line(&format!("     {}: {cause}", judgement.verdict.words()));
    }
    for line in render_findings(&document_of(piece, judged, session, stop)).lines() {
        out.line(&format!("     {line}"));
    }
    out.line("");
}
