//! `verdictd explain PROGRAM…`: the smallest input on which a program fails, searched for now. What
//! comes of it is not kept.

mod explained;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;

use explained::{Explained, Outcome};

use super::exit::{CliError, Exit};
use super::judge::{Unjudged, piece, worse};
use super::measured::{Runs, with_program};
use super::names::submission_named;
use super::out::Out;
use super::progress::Progress;
use super::session::{Piece, Session, store_if_any};
use crate::domain::{Fault, ProblemSlug, Verdict};
use crate::explain::{self, Budget, Inputs, OTHERS_MAX, Scope};
use crate::package::Oracle;
use crate::problems;
use crate::store::Reader;
use crate::util::files::replace_unsynced;
use crate::util::pool::side_by_side;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The programs: files named STUDENT/PROBLEM.EXT or `STUDENT_PROBLEM.EXT` (any name with
    /// --problem), or submissions: a number, STUDENT/PROBLEM for the latest attempt, or
    /// STUDENT/PROBLEM/ATTEMPT.
    #[arg(required = true, value_name = "SUBMISSION|FILE")]
    programs: Vec<PathBuf>,
    /// The problem that all files are for.
    #[arg(long)]
    problem: Option<String>,
    /// Draw the input that is found, and how its answer is reached, for one program.
    #[arg(long, value_name = "FILE.svg")]
    draw: Option<PathBuf>,
    /// One JSON object per program, each on its own line.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    if arguments.draw.is_some() && arguments.programs.len() > 1 {
        return Err(CliError::usage(
            "--draw draws the input for one program; name one",
        ));
    }
    out.as_json(arguments.json);
    let session = Session::open(config_file)?;
    let programs = arguments.programs.iter();
    let pieces = programs.map(|program| named(program, arguments.problem.as_deref(), &session));
    let pieces: Vec<Result<Piece, String>> = pieces.collect();
    let progress = Progress::new(pieces.len(), "explained");
    let mut exit = Exit::Good;
    let mut drawn = Ok(());
    side_by_side(
        session.config.judge.workers.count(),
        pieces.len(),
        |number| number,
        |number, at| {
            let piece = pieces[at].as_ref();
            let piece = piece.map_err(|reason| Unjudged::Rejected(reason.clone()))?;
            let explained = explain(&session, piece, *number, &|| progress.run());
            progress.program();
            explained.map_err(|fault| Unjudged::Fault(fault.to_string()))
        },
        |at, result| {
            let outcome = Outcome::of(&arguments.programs[at], &result);
            exit = worse(exit, outcome.exit());
            progress.hidden(|| {
                out.show(&outcome);
                if let (Some(svg), Ok(explained), Ok(piece)) =
                    (&arguments.draw, &result, &pieces[at])
                {
                    drawn = draw(explained, piece, svg, out);
                }
                out.flush();
            });
        },
    );
    drawn?;
    Ok(exit)
}

/// The program that a person means: a file, or else a submission.
fn named(program: &Path, problem: Option<&str>, session: &Session) -> Result<Piece, String> {
    let name = program.to_str().filter(|_| !program.is_file());
    let is_submission = |name: &&str| {
        name.parse::<i64>().is_ok() || name.contains('/') && program.extension().is_none()
    };
    let Some(name) = name.filter(is_submission) else {
        return piece(program, problem, session);
    };
    let reader = Reader::open(&session.config.folders.state).map_err(|error| error.to_string())?;
    let found = submission_named(name, &reader).map_err(|error| format!("{error:#}"))?;
    let slug = found.0.problem.clone();
    if problem.is_some_and(|problem| !slug.matches(problem)) {
        return Err(format!("this submission is for {slug}"));
    }
    match session.package(&slug) {
        Some(Ok(package)) => Ok(Piece::of(found, package)),
        Some(Err(error)) => Err(format!("the package is broken: {error}")),
        None => Err(format!("there is no problem `{slug}` any more")),
    }
}

/// Writes the picture of what was found.
fn draw(explained: &Explained, piece: &Piece, file: &Path, out: &mut Out) -> anyhow::Result<()> {
    let Some(((found, _), task)) = explained.counterexample().zip(piece.package.task()) else {
        out.note("nothing was found that can be drawn");
        return Ok(());
    };
    let printed = Some(found.printed.as_bytes());
    let pictures = task.draw(found.input.as_bytes(), printed, "counterexample")?;
    if pictures.is_empty() {
        out.note("nothing was found that can be drawn");
        return Ok(());
    }
    let title = format!("{}, counterexample", task.slug());
    let drawing = problems::stacked(&title, &pictures);
    replace_unsynced(file, drawing.as_bytes()).with_context(|| format!("write {}", file.display()))
}

/// Judges a program, and finds out why it fails, or whether it can be broken.
fn explain(
    session: &Session,
    piece: &Piece,
    number: usize,
    watch: &(dyn Fn() + Sync),
) -> Result<Explained, Fault> {
    let settings = &session.config.explain;
    let budget = |cpu| Budget {
        cpu,
        ..Budget::default()
    };
    let runs = Runs {
        number,
        store: None,
        watch,
    };
    with_program(session, piece, &runs, |program| {
        let judged = program.judged()?;
        let (mut explanation, mut attacked) = (None, None);
        if judged.judgement.verdict != Verdict::Accepted {
            let budget = budget(settings.cpu);
            let explain =
                |oracle: &mut dyn Oracle| explain::explain(program, &judged, budget, None, oracle);
            explanation = session.with_oracle(explain)?.map(|why| why.explanation);
        } else if !settings.hacks_cpu.is_zero() {
            let budget = budget(settings.hacks_cpu);
            let others = others(session, &piece.submission.problem);
            let attack = |oracle: &mut dyn Oracle| {
                let package = program.about.package;
                let inputs = Inputs { package, oracle };
                explain::attack(program, inputs, budget, others, Scope::Everything)
            };
            attacked = Some(session.with_oracle(attack)?);
        }
        Ok(Explained {
            judgement: judged.judgement,
            explanation,
            attacked,
            can_search: explain::can_search(&piece.package),
            runs: program.runs as u64,
            cpu: program.spent,
        })
    })
}

/// Inputs on which other programs of this course fail, as far as they are known.
fn others(session: &Session, problem: &ProblemSlug) -> Vec<Vec<u8>> {
    let reader = store_if_any(&session.config).ok().flatten();
    let others = reader.and_then(|reader| reader.latest_counterexamples(problem, OTHERS_MAX).ok());
    let others = others.unwrap_or_default().into_iter();
    others.map(|other| other.input.into_bytes()).collect()
}
