//! `verdictd explain FILE…`: the smallest input on which a program fails, searched for now, without
//! the daemon and its store.

mod measure;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};

use super::exit::Exit;
use super::judge::{piece, worse};
use super::out::{Out, Style};
use super::session::{Piece, Session, read_config, worker_count};
use crate::domain::{Fault, Judgement, Verdict};
use crate::explain::search::{Budget, BuiltIn, Failed, Inputs, Smallest, Way, smallest};
use crate::judge::Judged;
use crate::package::Reference;
use crate::util::excerpt::{spelled, visible_line};
use crate::util::pool::side_by_side;
use crate::util::words::amount;
use measure::{ByPrograms, Measured};

/// Bytes of an input or output that are shown in full on a terminal.
const SHOWN_BYTES_MAX: usize = 4 * 1024;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The programs, named STUDENT/PROBLEM.EXT or `STUDENT_PROBLEM.EXT` unless --problem is given.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The problem that all files are for.
    #[arg(long)]
    problem: Option<String>,
    /// One JSON object per file, each on its own line.
    #[arg(long)]
    json: bool,
}

/// What is known of a program in the end.
struct Explained {
    judgement: Judgement,
    counterexample: Option<Smallest>,
}

/// A file that was not judged, and whether that is its own fault.
enum Unexplained {
    Rejected(String),
    Fault(String),
}

pub fn run(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let session = Session::new(read_config(config_file)?)?;
    let files = arguments.files.iter();
    let pieces: Vec<Result<Piece, String>> = files
        .map(|file| piece(file, arguments.problem.as_deref(), &session))
        .collect();
    let progress = Progress::new(pieces.len());
    let mut exit = Exit::Good;
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
            let file = &arguments.files[at];
            progress.hidden(|| {
                if arguments.json {
                    out.json(&object(file, &result));
                } else {
                    show(file, &result, out);
                }
                out.flush();
            });
        },
    );
    Ok(exit)
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

/// Judges a program, and searches for the smallest input on which it fails in the same way.
fn explain(
    session: &Session,
    piece: &Piece,
    number: usize,
    watch: &(dyn Fn() + Sync),
) -> Result<Explained, Fault> {
    let mut runner = session.sandbox.runner(number)?;
    let mut program = Measured::new(session, piece, runner.as_mut(), watch);
    let Judged {
        judgement, printed, ..
    } = program.judge()?;
    let failing = judgement.first_failing.map(|at| &judgement.tests[at]);
    let failing = failing.and_then(|result| {
        let mut tests = piece.package.tests.iter();
        tests.find(|test| test.name.name == result.test.name)
    });
    let Some(test) = failing else {
        return Ok(Explained {
            judgement,
            counterexample: None,
        });
    };
    let failed = Failed {
        verdict: judgement.verdict,
        input: &test.input,
        expected: &test.expected,
        printed: &printed.unwrap_or_default(),
        mode: &piece.package.mode,
    };
    let found = with_inputs(session, piece, |inputs, budget| {
        smallest(&failed, inputs, &mut program, budget)
    })?;
    Ok(Explained {
        judgement,
        counterexample: Some(found),
    })
}

/// Does something with the inputs of a package, and with what a search among them may use: nothing
/// where nobody says what is valid and what is right.
fn with_inputs<T>(
    session: &Session,
    piece: &Piece,
    work: impl FnOnce(&mut dyn Inputs, Budget) -> T,
) -> T {
    let package = &piece.package;
    if let Some(task) = package.task() {
        return work(&mut BuiltIn(task), Budget::default());
    }
    match (&package.validator, &package.reference) {
        (Some(validator), Reference::Program(reference)) => session.with_oracle(|oracle| {
            let mut inputs = ByPrograms {
                oracle,
                package,
                validator,
                reference,
            };
            work(&mut inputs, Budget::default())
        }),
        _ => work(
            &mut Unknown,
            Budget {
                runs: 0,
                ..Budget::default()
            },
        ),
    }
}

/// Inputs of which nobody says whether they are valid, or what is right for them.
struct Unknown;

impl Inputs for Unknown {
    fn expected(&mut self, _: &Arc<[u8]>) -> Result<Option<Arc<[u8]>>, Fault> {
        Ok(None)
    }

    fn simpler(&self, _: &[u8]) -> Vec<Vec<u8>> {
        Vec::new()
    }
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
        Ok(explained) => json!({
            "verdict": explained.judgement.verdict.code(),
            "counterexample": explained.counterexample.as_ref().map(counterexample),
        }),
        Err(Unexplained::Rejected(reason)) => {
            json!({"verdict": null, "counterexample": null, "rejected": reason})
        }
        Err(Unexplained::Fault(reason)) => {
            json!({"verdict": null, "counterexample": null, "fault": reason})
        }
    };
    object["file"] = file.display().to_string().into();
    object["causes"] = json!([]);
    object["growth"] = Value::Null;
    object
}

fn counterexample(smallest: &Smallest) -> Value {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let found = &smallest.found;
    json!({
        "input": text(&found.input),
        "expected": text(&found.expected),
        "printed": text(&found.printed),
        "cells": smallest.cells,
        "cases": smallest.cases,
        "found_by": code(found.way),
        "is_least": smallest.is_least,
        "runs": smallest.runs,
        "cpu_ms": u64::try_from(smallest.spent.as_millis()).unwrap_or(u64::MAX),
    })
}

fn code(way: Way) -> String {
    match way {
        Way::Test => "test".to_owned(),
        Way::Cut => "cut".to_owned(),
        Way::Prefix => "prefix".to_owned(),
        Way::Enumeration => "enumeration".to_owned(),
        Way::Shrink => "shrink".to_owned(),
        Way::Family(name) => format!("family {name}"),
    }
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
    let Some(smallest) = &explained.counterexample else {
        return;
    };
    let found = &smallest.found;
    let size = match smallest.cells {
        Some(cells) => amount(cells, "cell"),
        None => amount(found.input.len(), "byte"),
    };
    out.line(&format!("     Input of {size}:"));
    indented(&found.input, out);
    out.line("     Expected:");
    indented(&found.expected, out);
    out.line("     Printed:");
    indented(&found.printed, out);
    out.line(&format!("     {}", how(smallest)));
    out.line("");
}

/// How it was found, and what that says of it.
fn how(smallest: &Smallest) -> String {
    let way = match smallest.found.way {
        Way::Test => "This is the failing test itself; nothing smaller was found.".to_owned(),
        Way::Cut => "The failing case of the test, alone.".to_owned(),
        Way::Prefix => "The test up to its failing case.".to_owned(),
        Way::Enumeration => "Found among all small inputs.".to_owned(),
        Way::Shrink => "Made simpler from the failing test.".to_owned(),
        Way::Family(name) => format!("Made simpler from an input of the family {name}."),
    };
    let mut words = vec![way];
    if smallest.cases > 1 {
        words.push(
            "The last case is answered rightly alone: the program carries state over from the cases before it."
                .to_owned(),
        );
    } else if smallest.is_least {
        words.push("It passes on every input with fewer cells that was listed.".to_owned());
    }
    words.push(format!(
        "{}, {:.1} s of CPU time.",
        amount(smallest.runs, "run"),
        smallest.spent.as_secs_f64()
    ));
    words.join(" ")
}

fn indented(bytes: &[u8], out: &mut Out) {
    let shown = &bytes[..bytes.len().min(SHOWN_BYTES_MAX)];
    for line in spelled(shown).lines() {
        out.line(&format!("       {line}"));
    }
    if shown.is_empty() {
        out.line("       (nothing)");
    } else if shown.len() < bytes.len() {
        out.line(&format!(
            "       … ({} in all)",
            amount(bytes.len(), "byte")
        ));
    }
}
