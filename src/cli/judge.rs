//! `verdictd judge FILE…`: judges files now, without the daemon and its store.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use super::exit::Exit;
use super::names::unknown_problem;
use super::out::{Out, Style};
use super::session::{Piece, Session, read_config, worker_count};
use super::slot::{Recalled, WorkerSlot};
use crate::domain::{Cause, ProblemSlug, Student, Verdict};
use crate::explain;
use crate::intake::{Known, Reading, read_name};
use crate::judge::Judged;
use crate::report::{Context, Document, document, render_findings};
use crate::util::clock::now_ms;
use crate::util::excerpt::visible_line;
use crate::util::pool::side_by_side;

/// The student of a program whose name and folder do not tell.
const NOBODY: &str = "-";

#[derive(Debug, Args)]
pub struct Arguments {
    /// The programs, named STUDENT/PROBLEM.EXT or `STUDENT_PROBLEM.EXT` unless --problem is given.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The problem that all files are for.
    #[arg(long)]
    problem: Option<String>,
    /// Run the remaining tests after a failure too.
    #[arg(long)]
    all_tests: bool,
    /// One JSON object per file, each on its own line.
    #[arg(long)]
    json: bool,
}

/// A file that was not judged.
enum Unjudged {
    Rejected(String),
    Fault(String),
}

pub fn run(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let mut config = read_config(config_file)?;
    config.judge.stop_at_first_failure &= !arguments.all_tests;
    let session = Session::new(config)?;
    let files = arguments.files.iter();
    let pieces: Vec<Result<Piece, String>> = files
        .map(|file| piece(file, arguments.problem.as_deref(), &session))
        .collect();
    let mut exit = Exit::Good;
    side_by_side(
        worker_count(&session.config),
        pieces.len(),
        |number| WorkerSlot::new(&session, number, Recalled::OfThisCommand),
        |slot, at| {
            let piece = pieces[at].as_ref();
            let piece = piece.map_err(|reason| Unjudged::Rejected(reason.clone()))?;
            let judged = slot.judge(piece);
            judged
                .map(|judged| (piece, judged))
                .map_err(|fault| Unjudged::Fault(fault.to_string()))
        },
        |at, result| {
            exit = worse(exit, exit_of(&result));
            let file = &arguments.files[at];
            if arguments.json {
                out.json(&object(file, pieces[at].as_ref().ok(), &result, &session));
            } else {
                show(file, &result, &session, out);
            }
            out.flush();
        },
    );
    Ok(exit)
}

fn exit_of(result: &Result<(&Piece, Judged), Unjudged>) -> Exit {
    match result {
        Err(Unjudged::Fault(_)) => Exit::Fault,
        Err(Unjudged::Rejected(_)) => Exit::Usage,
        Ok((_, judged)) if judged.judgement.verdict != Verdict::Accepted => Exit::No,
        Ok(_) => Exit::Good,
    }
}

/// Of several programs the worst counts; the codes 0 to 3 are in that order.
pub fn worse(one: Exit, other: Exit) -> Exit {
    std::cmp::max_by_key(one, other, |exit| exit.code())
}

/// A file as a program to judge, or why it is none.
pub fn piece(file: &Path, problem: Option<&str>, session: &Session) -> Result<Piece, String> {
    std::fs::metadata(file).map_err(|error| error.to_string())?;
    let (student, slug, extension) = match problem {
        Some(problem) => meaning_for(file, problem, session)?,
        None => meaning_by_name(file, &session.known())?,
    };
    let package = match session.package(&slug) {
        Some(Ok(package)) => package,
        Some(Err(error)) => return Err(format!("the package is broken: {error}")),
        None => {
            let folder = &session.config.folders.problems;
            return Err(unknown_problem(slug.as_str(), &session.slugs, folder));
        }
    };
    let piece = session.piece(file, &extension, student, package)?;
    if piece.source.bytes.iter().all(u8::is_ascii_whitespace) {
        return Err("it is empty".to_owned());
    }
    Ok(piece)
}

/// The problem is given; the student is what comes before it in the name, or the folder.
fn meaning_for(
    file: &Path,
    problem: &str,
    session: &Session,
) -> Result<(Student, ProblemSlug, String), String> {
    let stem = file.file_stem().and_then(OsStr::to_str);
    let stem = stem.ok_or("its name is not UTF-8")?;
    let extension = file.extension().and_then(OsStr::to_str);
    let extension = extension.ok_or("its name has no extension, so its language is unknown")?;
    let (slugs, problems) = (&session.slugs, &session.config.folders.problems);
    let slug = slugs.iter().find(|slug| slug.matches(problem));
    let slug = slug.ok_or_else(|| unknown_problem(problem, slugs, problems))?;
    let mut splits = stem.match_indices('_').map(|(at, _)| stem.split_at(at));
    let named = splits.find(|(_, rest)| slug.matches(&rest[1..]));
    let folder = file
        .parent()
        .and_then(Path::file_name)
        .and_then(OsStr::to_str);
    let student = named
        .map(|(student, _)| student)
        .or(folder)
        .and_then(|name| Student::spelled(name).ok())
        .map_or_else(|| Student::new(NOBODY), Ok)
        .map_err(|error| error.to_string())?;
    Ok((student, slug.clone(), extension.to_owned()))
}

/// The name says everything, by the rules of the submissions folder.
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

/// The report document with what a caller asks for first at the top.
fn object(
    file: &Path,
    piece: Option<&Piece>,
    result: &Result<(&Piece, Judged), Unjudged>,
    session: &Session,
) -> Value {
    let mut object = match result {
        Ok((piece, judged)) => json!(document_of(piece, judged, session)),
        Err(why) => {
            let (key, reason) = match why {
                Unjudged::Rejected(reason) => ("rejected", reason),
                Unjudged::Fault(reason) => ("fault", reason),
            };
            json!({"verdict": null, key: reason, "first_failing_test": null, "tests": []})
        }
    };
    let submission = piece.map(|piece| &piece.submission);
    object["file"] = file.display().to_string().into();
    object["student"] = submission.map(|one| one.student.as_str()).into();
    object["problem"] = submission.map(|one| one.problem.as_str()).into();
    object["language"] = submission.map(|one| one.language.as_str()).into();
    object
}

fn document_of(piece: &Piece, judged: &Judged, session: &Session) -> Document {
    let printed = judged.printed.as_deref();
    document(
        &piece.submission,
        &judged.judgement,
        &Context {
            source: &piece.source,
            disclosures: piece.package.disclosures,
            case: explain::case(&piece.package, &judged.judgement, printed).as_ref(),
            explanation: None,
            provenance: session.provenance(piece, judged).as_ref(),
            limits: &judged.limits,
            time_factor: judged.time_factor,
            language_version: &session
                .version(&piece.submission.language)
                .unwrap_or_default(),
            how_built: &session.how_built(piece),
            title: &piece.package.title,
            io: piece.package.io,
            history: &[],
            protections: session.sandbox.protections(),
            notes: &[],
            judged_ms: now_ms(),
        },
    )
}

/// One line with the verdict; of a program that is not accepted also what its report says of the
/// reasons.
fn show(
    file: &Path,
    result: &Result<(&Piece, Judged), Unjudged>,
    session: &Session,
    out: &mut Out,
) {
    let name = visible_line(&file.display().to_string());
    let (piece, judged) = match result {
        Ok(judged) => judged,
        Err(Unjudged::Rejected(reason)) => {
            let text = format!("{name}: {}", visible_line(reason));
            return out.tagged(Style::Warn, "rejected", &text);
        }
        Err(Unjudged::Fault(reason)) => {
            let text = format!("{name}: {}", visible_line(reason));
            return out.tagged(Style::Bad, "not judged", &text);
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
    let cpu = judgement
        .tests
        .iter()
        .map(|test| test.cpu.as_millis())
        .max();
    let memory = judgement.tests.iter().map(|test| test.memory_bytes).max();
    let points = judgement.score.shown();
    let points = points.map(|score| format!("{score} points · "));
    let text = format!(
        "{name}  {} · {} · {}{}/{} tests{not_run} · {} ms · {} KiB",
        piece.submission.problem,
        piece.submission.language,
        points.unwrap_or_default(),
        count(Verdict::Accepted),
        judgement.tests.len(),
        cpu.unwrap_or(0),
        memory.unwrap_or(0) / 1024,
    );
    let code = format!("{:<3}", judgement.verdict.code());
    out.tagged(Style::of(judgement.verdict), &code, &text);
    if judgement.verdict == Verdict::Accepted {
        return;
    }
    if let Some(cause) = judgement.cause.as_ref().map(Cause::words) {
        out.line(&format!("     {}: {cause}", judgement.verdict.words()));
    }
    for line in render_findings(&document_of(piece, judged, session)).lines() {
        out.line(&format!("     {line}"));
    }
    out.line("");
}
