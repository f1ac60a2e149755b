//! `verdictd explain PROGRAM…`: the smallest input on which a program fails, searched for now. What
//! comes of it is not kept.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};

use super::exit::{CliError, Exit};
use super::judge::{piece, worse};
use super::names::submission_named;
use super::out::{Out, Style};
use super::session::{Piece, Session, read_config, worker_count};
use crate::domain::{Counterexample, Explanation, Fault, Judgement, Verdict};
use crate::explain::{self, About, Budget, Measured, Place};
use crate::judge::Station;
use crate::problems::{self, plot};
use crate::store::Reader;
use crate::util::excerpt::visible_line;
use crate::util::files::replace_unsynced;
use crate::util::pool::side_by_side;
use crate::util::words::amount;

/// Bytes of an input or output that are shown in full on a terminal.
const SHOWN_BYTES_MAX: usize = 4 * 1024;

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

/// What is known of a program in the end.
struct Explained {
    judgement: Judgement,
    explanation: Option<Explanation>,
}

/// A file that was not judged, and whether that is its own fault.
enum Unexplained {
    Rejected(String),
    Fault(String),
}

pub fn run(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    if arguments.draw.is_some() && arguments.programs.len() > 1 {
        return Err(CliError::usage(
            "--draw draws the input for one program; name one",
        ));
    }
    let session = Session::new(read_config(config_file)?)?;
    let programs = arguments.programs.iter();
    let pieces = programs.map(|program| named(program, arguments.problem.as_deref(), &session));
    let pieces: Vec<Result<Piece, String>> = pieces.collect();
    let progress = Progress::new(pieces.len());
    let mut exit = Exit::Good;
    let mut drawn = Ok(());
    side_by_side(
        worker_count(&session.config),
        pieces.len(),
        |number| number,
        |number, at| {
            let piece = pieces[at].as_ref();
            let piece = piece.map_err(|reason| Unexplained::Rejected(reason.clone()))?;
            let explained = explain(&session, piece, *number, &|| progress.run());
            progress.program();
            explained.map_err(|fault| Unexplained::Fault(fault.to_string()))
        },
        |at, result| {
            exit = worse(exit, exit_of(&result));
            let file = &arguments.programs[at];
            progress.hidden(|| {
                if arguments.json {
                    out.json(&object(file, &result));
                } else {
                    show(file, &result, out);
                }
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
    let (submission, source) =
        submission_named(name, &reader).map_err(|error| format!("{error:#}"))?;
    match session.package(&submission.problem) {
        Some(Ok(package)) => Ok(Piece {
            submission,
            source,
            package,
        }),
        Some(Err(error)) => Err(format!("the package is broken: {error}")),
        None => Err(format!(
            "there is no problem `{}` any more",
            submission.problem
        )),
    }
}

/// Writes the picture of what was found.
fn draw(explained: &Explained, piece: &Piece, file: &Path, out: &mut Out) -> anyhow::Result<()> {
    let explanation = explained.explanation.as_ref();
    let found = explanation.and_then(|explanation| explanation.counterexample.as_ref());
    let Some((found, task)) = found.zip(piece.package.task()) else {
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

/// How far it is, on a terminal.
struct Progress {
    bar: ProgressBar,
    programs: usize,
    done: AtomicUsize,
    runs: AtomicUsize,
}

impl Progress {
    fn new(programs: usize) -> Self {
        let target = if std::io::stderr().is_terminal() {
            ProgressDrawTarget::stderr_with_hz(5)
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        let style = ProgressStyle::with_template("{spinner} {wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        Self {
            bar,
            programs,
            done: AtomicUsize::new(0),
            runs: AtomicUsize::new(0),
        }
    }

    fn run(&self) {
        self.runs.fetch_add(1, Ordering::Relaxed);
        self.say();
    }

    fn program(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
        self.say();
    }

    fn say(&self) {
        let done = self.done.load(Ordering::Relaxed);
        let runs = amount(self.runs.load(Ordering::Relaxed), "run");
        let of = self.programs;
        self.bar
            .set_message(format!("{done} of {of} explained, {runs}"));
        self.bar.tick();
    }

    /// Does something while nothing of it is on the screen.
    fn hidden(&self, work: impl FnOnce()) {
        self.bar.suspend(work);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Judges a program, and finds out why it fails.
fn explain(
    session: &Session,
    piece: &Piece,
    number: usize,
    watch: &(dyn Fn() + Sync),
) -> Result<Explained, Fault> {
    let (language, version) = session
        .language(piece)
        .map_err(|why| Fault::new("find the language", why))?;
    let mut runner = session.sandbox.runner(number)?;
    let machine = Arc::clone(&session.machine);
    let mut station = Station::new(runner.as_mut(), &session.toolchain, machine);
    let about = About {
        source: &piece.source,
        language,
        version: &version,
        toolchain: &session.toolchain,
        package: &piece.package,
    };
    let place = Place {
        worker: &mut station,
        store: None,
        rules: session.rules(),
    };
    let mut program = Measured::new(about, place, Budget::default(), watch);
    let judged = program.judged()?;
    let explanation =
        session.with_oracle(|oracle| explain::explain(&mut program, &judged, oracle))?;
    Ok(Explained {
        judgement: judged.judgement,
        explanation,
    })
}

fn exit_of(result: &Result<Explained, Unexplained>) -> Exit {
    match result {
        Err(Unexplained::Fault(_)) => Exit::Fault,
        Err(Unexplained::Rejected(_)) => Exit::Usage,
        Ok(explained) if explained.judgement.verdict != Verdict::Accepted => Exit::No,
        Ok(_) => Exit::Good,
    }
}

fn object(file: &Path, result: &Result<Explained, Unexplained>) -> Value {
    let mut object = match result {
        Ok(Explained {
            judgement,
            explanation,
        }) => {
            let explanation = explanation.clone().unwrap_or_default();
            let mut object = json!(explanation);
            object["verdict"] = judgement.verdict.code().into();
            if let Some(growth) = &explanation.growth {
                object["growth"]["plot"] = plot(growth, "growth").svg.into();
            }
            object
        }
        Err(why) => {
            let mut object = json!(Explanation::default());
            object["verdict"] = Value::Null;
            let (key, reason) = match why {
                Unexplained::Rejected(reason) => ("rejected", reason),
                Unexplained::Fault(reason) => ("fault", reason),
            };
            object[key] = reason.as_str().into();
            object
        }
    };
    object["file"] = file.display().to_string().into();
    object
}

fn show(file: &Path, result: &Result<Explained, Unexplained>, out: &mut Out) {
    let name = visible_line(&file.display().to_string());
    let explained = match result {
        Ok(explained) => explained,
        Err(Unexplained::Rejected(reason)) => {
            let text = format!("{name}: {}", visible_line(reason));
            return out.tagged(Style::Warn, "rejected", &text);
        }
        Err(Unexplained::Fault(reason)) => {
            let text = format!("{name}: {}", visible_line(reason));
            return out.tagged(Style::Bad, "not judged", &text);
        }
    };
    let judgement = &explained.judgement;
    let verdict = judgement.verdict;
    let on = judgement
        .first_failing
        .map(|at| format!(": {} on {}", verdict.words(), judgement.tests[at].test.name));
    let text = format!("{name}{}", on.unwrap_or_default());
    out.tagged(Style::of(verdict), &format!("{:<3}", verdict.code()), &text);
    let Some(explanation) = &explained.explanation else {
        return;
    };
    for reason in &explanation.causes {
        out.line(&format!("     {} ({})", reason.summary, reason.evidence));
    }
    if let Some(growth) = &explanation.growth {
        out.line(&format!("     {}", growth.summary));
    }
    if let Some(found) = &explanation.counterexample {
        show_counterexample(found, verdict, out);
    }
    out.line(&format!(
        "     {}, {:.1} s of CPU time.",
        amount(to_usize(explanation.runs), "run"),
        Duration::from_millis(explanation.cpu_ms).as_secs_f64()
    ));
    out.line("");
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn show_counterexample(found: &Counterexample, verdict: Verdict, out: &mut Out) {
    let size = match found.cells {
        Some(cells) => amount(to_usize(cells), "cell"),
        None => amount(found.input.len(), "byte"),
    };
    out.line(&format!("     Input of {size}:"));
    indented(&found.input, out);
    out.line("     Expected:");
    indented(&found.expected, out);
    out.line("     Printed:");
    indented(&found.printed, out);
    if let Some(witness) = &found.witness {
        out.line("     Why that is right:");
        indented(witness, out);
    }
    out.line(&format!("     {}", how(found, verdict)));
}

/// How it was found, and what that says of it.
fn how(found: &Counterexample, verdict: Verdict) -> String {
    let way = match found.found_by.as_str() {
        "test" => "This is the failing test itself; nothing smaller was found.".to_owned(),
        "cut" => "The failing case of the test, alone.".to_owned(),
        "prefix" => "The test up to its failing case.".to_owned(),
        "enumeration" => "Found among all small inputs.".to_owned(),
        "shrink" => "Made simpler from the failing test.".to_owned(),
        family => format!("Made simpler from an input of the {family}."),
    };
    let is_limit = matches!(
        verdict,
        Verdict::TimeLimit | Verdict::MemoryLimit | Verdict::OutputLimit
    );
    if found.cases > 1 && is_limit {
        return format!("{way} Its cases are too much together.");
    }
    if found.cases > 1 {
        return format!(
            "{way} The last case is answered rightly alone: the program carries state over from the cases before it."
        );
    }
    if found.is_least {
        return format!("{way} It passes on every input with fewer cells that was listed.");
    }
    way
}

fn indented(text: &str, out: &mut Out) {
    let shown = &text[..text.floor_char_boundary(SHOWN_BYTES_MAX)];
    for line in shown.lines() {
        out.line(&format!("       {line}"));
    }
    if shown.is_empty() {
        out.line("       (nothing)");
    } else if shown.len() < text.len() {
        out.line(&format!("       … ({} in all)", amount(text.len(), "byte")));
    }
}
