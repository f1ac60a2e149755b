//! `verdictd judge FILE…`: judges files now, without the daemon and its store.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::prelude::{Exit, Out, Piece, Recalled, Session, known, unknown_problem};
use crate::config::Config;
use crate::domain::{
    Cause, Judgement, LanguageId, ProblemSlug, Student, Submission, TestResult, Verdict,
};
use crate::explain;
use crate::intake::{Known, Reading, read_name};
use crate::judge::Judged;
use crate::report::{Context, Document, document, render_findings};
use crate::util::archive::ZIP;
use crate::util::clock::now_ms;
use crate::view::{Page, Show, Style, code};

/// The student of a program whose name and folder do not tell.
const NOBODY: &str = "-";

/// Judge files now, without the daemon and its store
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
    /// Print one JSON object per file, each on its own line
    #[arg(long)]
    json: bool,
}

/// Why a program was not judged.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Unjudged {
    /// It is no program that can be judged here.
    Rejected(String),
    /// Something failed on this side.
    Fault(String),
}

impl Unjudged {
    pub fn exit(&self) -> Exit {
        match self {
            Self::Rejected(_) => Exit::Usage,
            Self::Fault(_) => Exit::Fault,
        }
    }

    pub fn show(&self, file: &str, page: &mut Page) {
        let (word, reason) = match self {
            Self::Rejected(reason) => (Style::Warn.on("rejected"), reason),
            Self::Fault(reason) => (Style::Bad.on("not judged"), reason),
        };
        page.tagged(word, format!("{file}: {reason}"));
    }
}

pub fn run(arguments: &Arguments, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    out.as_json(arguments.json);
    let mut config = config.clone();
    config.judge.stop_at_first_failure &= !arguments.all_tests;
    let session = Session::new(config)?;
    let files = arguments.files.iter();
    let pieces: Vec<Result<Piece, String>> = files
        .map(|file| piece(file, arguments.problem.as_deref(), &session))
        .collect();
    let mut exit = Exit::Good;
    session.side_by_side(
        Recalled::OfThisCommand,
        pieces.len(),
        |slot, at| {
            let piece = pieces[at].as_ref();
            let piece = piece.map_err(|reason| Unjudged::Rejected(reason.clone()))?;
            let judged = slot.judge(piece);
            let judged = judged.map_err(|fault| Unjudged::Fault(fault.to_string()))?;
            Ok((document_of(piece, &judged, &session), judged.judgement))
        },
        |at, result| {
            let piece = pieces[at].as_ref().ok();
            let submission = piece.map(|piece| &piece.submission);
            let judged = JudgedFile::of(&arguments.files[at], submission, result);
            exit = exit.max(judged.exit());
            out.show(&judged);
            out.flush();
        },
    );
    Ok(exit)
}

/// A file as a program to judge, or why it is none.
pub fn piece(file: &Path, problem: Option<&str>, session: &Session) -> Result<Piece, String> {
    std::fs::metadata(file).map_err(|error| error.to_string())?;
    // A folder is handed in as the zip that it makes.
    let handed_in = if file.is_dir() {
        &file.with_added_extension(ZIP)
    } else {
        file
    };
    let (student, slug, extension) = match problem {
        Some(problem) => meaning_for(handed_in, problem, session)?,
        None => meaning_by_name(handed_in, &known(&session.slugs, &session.toolchain))?,
    };
    let problems = &session.config.folders.problems;
    let package = session.sound_package(&slug)?;
    let package =
        package.ok_or_else(|| unknown_problem(slug.as_str(), &session.slugs, problems))?;
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
    let slug = session.problem_named(problem);
    let slug = slug.map_err(|error| error.to_string())?;
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
    Ok((student, slug, extension.to_owned()))
}

/// The name says everything, by the rules of the submissions folder.
fn meaning_by_name(file: &Path, known: &Known) -> Result<(Student, ProblemSlug, String), String> {
    let name = file.file_name().ok_or("it has no file name")?;
    let folder = file.parent().and_then(Path::file_name);
    let in_folder = folder.map(|folder| Path::new(folder).join(name));
    let alone = Path::new(name).to_owned();
    let mut reasons = Vec::new();
    for path in in_folder.into_iter().chain([alone]) {
        match read_name(path.as_os_str(), known) {
            Reading::Named(named) => return Ok((named.student, named.problem, named.extension)),
            Reading::Ignored(why) => reasons.push(format!("its name is {}", why.words())),
            Reading::Refused(_, refusal) => reasons.push(refusal.to_string()),
        }
    }
    let reason = reasons.into_iter().next().unwrap_or_default();
    Err(format!("{reason}; or give --problem"))
}

/// What came of a file.
#[derive(Serialize)]
struct JudgedFile<'a> {
    file: String,
    student: Option<&'a Student>,
    problem: Option<&'a ProblemSlug>,
    language: Option<&'a LanguageId>,
    #[serde(flatten)]
    outcome: Outcome,
}

/// The report document, or what a caller asks for first in one.
#[derive(Serialize)]
#[serde(untagged)]
enum Outcome {
    Judged {
        #[serde(flatten)]
        document: Box<Document>,
        #[serde(skip)]
        judgement: Judgement,
    },
    Unjudged {
        verdict: Option<Verdict>,
        first_failing_test: Option<String>,
        tests: [(); 0],
        #[serde(flatten)]
        why: Unjudged,
    },
}

impl<'a> JudgedFile<'a> {
    fn of(
        file: &Path,
        submission: Option<&'a Submission>,
        result: Result<(Document, Judgement), Unjudged>,
    ) -> Self {
        Self {
            file: file.display().to_string(),
            student: submission.map(|one| &one.student),
            problem: submission.map(|one| &one.problem),
            language: submission.map(|one| &one.language),
            outcome: match result {
                Ok((document, judgement)) => Outcome::Judged {
                    document: Box::new(document),
                    judgement,
                },
                Err(why) => Outcome::Unjudged {
                    verdict: None,
                    first_failing_test: None,
                    tests: [],
                    why,
                },
            },
        }
    }

    fn exit(&self) -> Exit {
        match &self.outcome {
            Outcome::Unjudged { why, .. } => why.exit(),
            Outcome::Judged { judgement, .. } => {
                Exit::No.only_if(judgement.verdict != Verdict::Accepted)
            }
        }
    }
}

impl Show for JudgedFile<'_> {
    /// One line with the verdict; of a program that is not accepted also what its report says of
    /// the reasons.
    fn show(&self, page: &mut Page) {
        let (document, judgement) = match &self.outcome {
            Outcome::Unjudged { why, .. } => return why.show(&self.file, page),
            Outcome::Judged {
                document,
                judgement,
            } => (document, judgement),
        };
        let count = |verdict| {
            let tests = judgement.tests.iter();
            tests.filter(|test| test.said.verdict == verdict).count()
        };
        let not_run = match count(Verdict::Skipped) {
            0 => String::new(),
            count => format!(" ({count} not run)"),
        };
        let tests = || judgement.tests.iter();
        let cpu = tests().map(|test| test.cpu().as_millis()).max();
        let memory = tests().map(TestResult::memory_bytes).max();
        let points = judgement.score.shown();
        let points = points.map(|score| format!("{score} points · "));
        let text = format!(
            "{}  {} · {} · {}{}/{} tests{not_run} · {} ms · {} KiB",
            self.file,
            self.problem.map_or("", ProblemSlug::as_str),
            self.language.map_or("", LanguageId::as_str),
            points.unwrap_or_default(),
            count(Verdict::Accepted),
            judgement.tests.len(),
            cpu.unwrap_or(0),
            memory.unwrap_or(0) / 1024,
        );
        page.tagged(code(judgement.verdict), text);
        if judgement.verdict == Verdict::Accepted {
            return;
        }
        if let Some(cause) = judgement.cause.as_ref().map(Cause::words) {
            page.line(format!("     {}: {cause}", judgement.verdict.words()));
        }
        page.text("     ", render_findings(document));
        page.line("");
    }
}

fn document_of(piece: &Piece, judged: &Judged, session: &Session) -> Document {
    let printed = judged.printed.as_deref();
    let version = session.language(piece).map(|(_, version)| version);
    document(
        &piece.submission,
        &judged.judgement,
        &Context {
            source: &piece.source,
            disclosures: piece.package.disclosures,
            case: explain::case(&piece.package, &judged.judgement, printed).as_ref(),
            provenance: session.provenance(piece, judged).as_ref(),
            limits: &judged.limits,
            time_factor: judged.time_factor,
            language_version: &version.unwrap_or_default(),
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
