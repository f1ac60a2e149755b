//! `verdictd explain PROGRAM…`: the smallest input on which a program fails, searched for now. What
//! comes of it is not kept.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use serde::Serialize;

use super::judge::{Unjudged, piece};
use super::prelude::{
    CliError, Exit, Out, Piece, Progress, Recalled, Session, WorkerSlot, store_if_any,
    submission_named,
};
use crate::domain::{
    Counterexample, Explanation, Fault, Judgement, ProblemSlug, Strategy, Verdict,
};
use crate::explain::{self, Attacked, Budget, OTHERS_MAX};
use crate::package::Oracle;
use crate::store::Reader;
use crate::util::clock::as_ms;
use crate::util::files::replace_unsynced;
use crate::util::words::amount;
use crate::view::{Page, Show, code};
use crate::{problems, report};

/// Show the smallest input on which a program fails
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
    /// Print one JSON object per program, each on its own line
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
    session.side_by_side(
        Recalled::OfThisCommand,
        pieces.len(),
        |slot, at| {
            let piece = pieces[at].as_ref();
            let piece = piece.map_err(|reason| Unjudged::Rejected(reason.clone()))?;
            let explained = explain(slot, piece, &|| progress.run());
            progress.program();
            explained.map_err(|fault| Unjudged::Fault(fault.to_string()))
        },
        |at, result| {
            let outcome = Outcome::of(&arguments.programs[at], &result);
            exit = exit.max(outcome.exit());
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
    let package = session.sound_package(&slug)?;
    let package = package.ok_or_else(|| format!("there is no problem `{slug}` any more"))?;
    Ok(Piece::of(found, package))
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
    slot: &mut WorkerSlot<'_>,
    piece: &Piece,
    watch: &(dyn Fn() + Sync),
) -> Result<Explained, Fault> {
    let session = slot.session;
    let settings = &session.config.explain;
    slot.with_program(piece, watch, |program| {
        let judged = program.judged()?;
        let (mut explanation, mut attacked) = (None, None);
        if judged.judgement.verdict != Verdict::Accepted {
            let budget = Budget {
                cpu: settings.cpu,
                ..Budget::default()
            };
            let explain =
                |oracle: &mut dyn Oracle| explain::explain(program, &judged, budget, None, oracle);
            explanation = session.with_oracle(explain)?.map(|why| why.explanation);
        } else if !settings.hacks_cpu.is_zero() {
            let others = others(session, &piece.submission.problem);
            attacked = Some(session.attack(program, settings.hacks_cpu, others)?);
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

/// Bytes and lines of an input or output that are shown in full on a terminal.
const SHOWN_BYTES_MAX: usize = 4 * 1024;
const SHOWN_LINES_MAX: usize = 50;

/// Why nothing but the tests was tried.
const ONLY_TESTS: &str = "Other inputs were not tried: that takes a `validator`, which says which are valid, and a \
     `reference`, which answers them, in the problem.";

/// What is known of a program in the end.
pub struct Explained {
    pub judgement: Judgement,
    pub explanation: Option<Explanation>,
    /// Where it is accepted: what came of trying to break it.
    pub attacked: Option<Attacked>,
    /// Whether other inputs than the tests can be tried.
    pub can_search: bool,
    pub runs: u64,
    pub cpu: Duration,
}

impl Explained {
    /// The input on which it fails, and with which verdict.
    pub fn counterexample(&self) -> Option<(&Counterexample, Verdict)> {
        let of_failure = self.explanation.as_ref();
        let of_failure = of_failure.and_then(|known| known.counterexample.as_ref());
        let broken = self.attacked.as_ref().and_then(|it| it.broken.as_ref());
        of_failure
            .map(|found| (found, self.judgement.verdict))
            .or_else(|| broken.map(|broken| (&broken.evidence, broken.verdict)))
    }
}

/// A program, and what came of it.
#[derive(Serialize)]
pub struct Outcome<'a> {
    file: String,
    verdict: Option<Verdict>,
    #[serde(flatten)]
    explanation: Explanation,
    #[serde(skip_serializing_if = "Option::is_none")]
    hack_search: Option<HackSearch>,
    #[serde(flatten)]
    why: Option<&'a Unjudged>,
    #[serde(skip)]
    explained: Option<&'a Explained>,
}

/// What came of trying to break an accepted program.
#[derive(Serialize)]
struct HackSearch {
    inputs: usize,
    verdict: Option<Verdict>,
}

impl<'a> Outcome<'a> {
    pub fn of(program: &Path, result: &'a Result<Explained, Unjudged>) -> Self {
        let explained = result.as_ref().ok();
        let mut explanation = explained.and_then(|one| one.explanation.clone());
        let attacked = explained.and_then(|one| one.attacked.as_ref().map(|it| (one, it)));
        let hack_search = attacked.map(|(explained, attacked)| {
            let broken = attacked.broken.as_ref();
            let explanation = explanation.get_or_insert_default();
            explanation.counterexample = broken.map(|broken| broken.evidence.clone());
            explanation.runs = explained.runs;
            explanation.cpu_ms = as_ms(explained.cpu);
            HackSearch {
                inputs: attacked.inputs,
                verdict: broken.map(|broken| broken.verdict),
            }
        });
        Self {
            file: program.display().to_string(),
            verdict: explained.map(|explained| explained.judgement.verdict),
            explanation: explanation.unwrap_or_default(),
            hack_search,
            why: result.as_ref().err(),
            explained,
        }
    }

    pub fn exit(&self) -> Exit {
        match (self.why, self.verdict) {
            (Some(why), _) => why.exit(),
            (None, Some(Verdict::Accepted)) if self.explanation.counterexample.is_none() => {
                Exit::Good
            }
            (None, _) => Exit::No,
        }
    }
}

impl Show for Outcome<'_> {
    fn show(&self, page: &mut Page) {
        if let Some(why) = self.why {
            return why.show(&self.file, page);
        }
        if let Some(explained) = self.explained {
            show(&self.file, explained, page);
        }
    }
}

fn show(file: &str, explained: &Explained, page: &mut Page) {
    let judgement = &explained.judgement;
    let verdict = judgement.verdict;
    let on = judgement
        .first_failing
        .map(|at| format!(": {} on {}", verdict.words(), judgement.tests[at].test.name));
    page.tagged(code(verdict), format!("{file}{}", on.unwrap_or_default()));
    if let Some(explanation) = &explained.explanation {
        for reason in &explanation.causes {
            page.line(format!("     {} ({})", reason.summary, reason.evidence));
        }
        if let Some(growth) = &explanation.growth {
            page.line(format!("     {}", growth.summary));
        }
    } else if explained.attacked.is_none() {
        if verdict == Verdict::CompileError {
            page.line("     It was not built; `verdictd judge` shows what the compiler says.");
        }
        return;
    }
    if let Some(attacked) = &explained.attacked {
        show_attacked(attacked, explained.can_search, page);
    }
    if let Some((found, verdict)) = explained.counterexample() {
        show_counterexample(found, verdict, page);
        if found.found_by == Strategy::Test && !explained.can_search {
            page.line(format!("     {ONLY_TESTS}"));
        }
    }
    page.line(format!(
        "     {}, {:.1} s of CPU time.",
        amount(usize::try_from(explained.runs).unwrap_or(usize::MAX), "run"),
        explained.cpu.as_secs_f64()
    ));
    page.line("");
}

/// What came of trying to break an accepted program.
fn show_attacked(attacked: &Attacked, can_search: bool, page: &mut Page) {
    let inputs = amount(attacked.inputs, "further input");
    page.line(match &attacked.broken {
        None if !can_search => format!("     It passes every test. {ONLY_TESTS}"),
        None => format!("     It passes every test, and all of {inputs}."),
        Some(broken) => format!(
            "     It passes every test, and fails on one of {inputs}: {}. As a file in the problem's `hacks` folder, this input is a test for everybody.",
            broken.verdict.words()
        ),
    });
}

fn show_counterexample(found: &Counterexample, verdict: Verdict, page: &mut Page) {
    let input = format!("Input of {}", report::size_of(found));
    for (title, text) in [
        (input.as_str(), Some(&found.input)),
        ("Expected", Some(&found.expected)),
        ("Printed", Some(&found.printed)),
        ("Why that is right", found.witness.as_ref()),
    ] {
        if let Some(text) = text {
            page.line(format!("     {title}:"));
            barred(text, page);
        }
    }
    page.line(format!("     {}", report::how_found(found, verdict)));
}

/// A text, with a bar before each line: what is white space in it can be seen so.
fn barred(text: &str, page: &mut Page) {
    let shown = &text[..text.floor_char_boundary(SHOWN_BYTES_MAX)];
    let lines: Vec<&str> = shown.lines().take(SHOWN_LINES_MAX).collect();
    for line in &lines {
        page.text("       | ", format!("{line}\n"));
    }
    if shown.is_empty() {
        page.line("       (nothing)");
    } else if shown.len() < text.len() || lines.len() < shown.lines().count() {
        let [lines, bytes] = [
            amount(text.lines().count(), "line"),
            amount(text.len(), "byte"),
        ];
        page.line(format!(
            "       … ({lines}, {bytes} in all; --json has them)"
        ));
    }
}
