//! `verdictd hack add|list|remove`: inputs that join a problem's tests while it is in use.
//!
//! The folder `hacks/` of the package is the truth: these commands put files there and take them away, and a running daemon does the rest.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::names::problem_named;
use super::out::Style;
use super::session::{Session, read_config};
use super::{Complaint, Exit, Out};
use crate::config::Config;
use crate::domain::ProblemSlug;
use crate::domain::bounds::{HACK_FILE_BYTES_MAX, HACK_NOTE_BYTES_MAX, TEST_FILE_BYTES_MAX};
use crate::hack;
use crate::package::{self, HACKS_FOLDER, Hack, NoOracle, Package, Reference};
use crate::report::HackReport;
use crate::store::{HackRow, Reader, StoreError, is_running};
use crate::util::clock::utc_text;
use crate::util::excerpt::visible_line;
use crate::util::files::{create_new, read_regular};

/// Hacks that a list shows.
const LISTED_MAX: u32 = 1_000;
/// How long `add` waits for the daemon's result.
const PATIENCE: Duration = Duration::from_mins(1);
/// Time between two looks at the store meanwhile.
const LOOK: Duration = Duration::from_millis(200);
/// Numbers that are tried behind a name that is taken.
const NAMES_TRIED_MAX: u32 = 10_000;

/// Arguments of `hack`.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Check an input and add it to a problem's tests; every earlier submission is judged on it, and on nothing else
    Add(Add),
    /// Hacks, and who fell on them
    List(List),
    /// Take a hack back: every verdict is again as it was without it
    Remove(Remove),
}

#[derive(Debug, Args)]
struct Add {
    /// The problem's folder name.
    problem: String,
    /// The input.
    file: PathBuf,
    /// Note to keep with the test.
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// Do not wait for a running daemon to judge the earlier submissions.
    #[arg(long)]
    no_wait: bool,
    /// One JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct List {
    /// Only this problem's.
    problem: Option<String>,
    /// Withdrawn ones too.
    #[arg(long)]
    all: bool,
    /// One JSON object a hack.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct Remove {
    /// The problem's folder name.
    problem: String,
    /// The hack's name, with or without `hack/`.
    name: String,
}

/// Runs the command.
pub fn run(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let config = read_config(config_file)?;
    match &arguments.action {
        Action::Add(arguments) => add(arguments, &config, config_file, out),
        Action::List(arguments) => list(arguments, &config, out),
        Action::Remove(arguments) => remove(arguments, &config, config_file, out),
    }
}

fn slug_of(name: &str, config: &Config) -> anyhow::Result<ProblemSlug> {
    let folder = &config.folders.problems;
    let slugs = package::slugs(folder).map_err(Complaint::usage)?;
    problem_named(name, &slugs, folder)
}

/// A package, and a sandbox where it has programs of its own to run.
fn package_of(
    name: &str,
    config: &Config,
    config_file: &Path,
) -> anyhow::Result<(Arc<Package>, Option<Session>)> {
    let slug = slug_of(name, config)?;
    let folder = &config.folders.problems;
    match package::load(folder, &slug, &config.limits, &mut NoOracle) {
        Ok(package) => return Ok((Arc::new(package), None)),
        Err(error) if !error.ours => return Err(Complaint::usage(error)),
        Err(_) => {}
    }
    let session = Session::open(config_file)?;
    match session.package(&slug) {
        Some(Ok(package)) => Ok((package, Some(session))),
        Some(Err(error)) if error.ours => Err(anyhow!("{error}")),
        Some(Err(error)) => Err(Complaint::usage(error)),
        None => bail!("the package `{slug}` is gone"),
    }
}

fn add(
    arguments: &Add,
    config: &Config,
    config_file: &Path,
    out: &mut Out,
) -> anyhow::Result<Exit> {
    let (package, session) = package_of(&arguments.problem, config, config_file)?;
    let bytes = read_regular(&arguments.file, HACK_FILE_BYTES_MAX)
        .map_err(|error| Complaint::usage(format!("{}: {error}", arguments.file.display())))?;
    let note = arguments.note.as_deref().map(str::trim).unwrap_or_default();
    if note.len() as u64 > HACK_NOTE_BYTES_MAX {
        return Err(Complaint::usage(format!(
            "the note is longer than {HACK_NOTE_BYTES_MAX} bytes"
        )));
    }
    let candidate = match &session {
        Some(session) => session.with_oracle(|oracle| package.candidate(&arguments.file, oracle)),
        None => package.candidate(&arguments.file, &mut NoOracle),
    };
    let notes = match candidate.map_err(|error| anyhow!("{error}"))? {
        Ok(notes) => notes,
        Err(reason) => {
            let file = arguments.file.display().to_string();
            if arguments.json {
                out.json(&json!({"file": file, "state": "refused", "reason": reason}));
            } else {
                let word = out.styled(Style::Bad, "refused");
                out.line(&format!(
                    "{word}  {}",
                    visible_line(&format!("{file}: {reason}"))
                ));
            }
            return Ok(Exit::No);
        }
    };
    let answer = arguments.file.with_extension("ans");
    let stored = match package.reference {
        Reference::Stored => true,
        Reference::Program(_) => answer.exists(),
        Reference::BuiltIn(_) => false,
    };
    // The input last: it is what the daemon waits for.
    let mut parts = Vec::new();
    if !note.is_empty() {
        parts.push(("note", note.as_bytes().to_vec()));
    }
    if stored {
        let bytes = read_regular(&answer, TEST_FILE_BYTES_MAX)
            .map_err(|error| Complaint::usage(format!("{}: {error}", answer.display())))?;
        parts.push(("ans", bytes));
    }
    parts.push(("in", bytes));
    let file = place(&package, &arguments.file, &parts)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let name = visible_line(&name);
    if !arguments.json {
        let undone: Vec<String> = notes.iter().map(ToString::to_string).collect();
        let undone = match undone.as_slice() {
            [] => String::new(),
            undone => format!(" ({})", undone.join("; ")),
        };
        let word = out.styled(Style::Good, "added");
        let what = visible_line(&format!("{}{undone}", file.display()));
        out.line(&format!("{word}  {what}"));
        out.flush();
    }
    let running = is_running(&config.folders.state);
    if !running || arguments.no_wait {
        if arguments.json {
            out.json(&json!({"file": name, "problem": package.slug.as_str(), "state": "added"}));
        } else if !running {
            out.note("no daemon is running; the earlier submissions are judged when it is started");
        }
        return Ok(Exit::Good);
    }
    wait(config, &package.slug, &name, arguments.json, out)
}

/// Puts the parts of a hack into `hacks/`, under the file's own name or one with a number behind it.
/// Nothing that is there is overwritten, also where somebody else adds one of the same name at this moment. Returns the last part's file.
fn place(package: &Package, file: &Path, parts: &[(&str, Vec<u8>)]) -> anyhow::Result<PathBuf> {
    let stem = file.file_stem().and_then(OsStr::to_str).unwrap_or("hack");
    let folder = package.folder.join(HACKS_FOLDER);
    for number in 1..NAMES_TRIED_MAX {
        let name = match number {
            1 => stem.to_owned(),
            number => format!("{stem}-{number}"),
        };
        let taken = |ending: &&str| folder.join(format!("{name}.{ending}")).exists();
        if ["in", "txt", "note", "ans"].iter().any(taken) {
            continue;
        }
        if let Some(file) = place_as(&folder, &name, parts)? {
            return Ok(file);
        }
    }
    bail!("{}: too many hacks are called {stem}", folder.display())
}

/// None where one of the names is taken.
fn place_as(
    folder: &Path,
    name: &str,
    parts: &[(&str, Vec<u8>)],
) -> anyhow::Result<Option<PathBuf>> {
    let mut made: Vec<PathBuf> = Vec::new();
    for (ending, bytes) in parts {
        let file = folder.join(format!("{name}.{ending}"));
        match create_new(&file, bytes) {
            Ok(()) => made.push(file),
            Err(error) => {
                for file in made {
                    // Without its input it says nothing.
                    let _ = std::fs::remove_file(file);
                }
                if error.kind() == std::io::ErrorKind::AlreadyExists {
                    return Ok(None);
                }
                return Err(error).with_context(|| format!("write {}", file.display()));
            }
        }
    }
    Ok(made.pop())
}

/// Waits until the daemon has judged every earlier submission on the hack, and shows what came of it.
fn wait(
    config: &Config,
    slug: &ProblemSlug,
    file_name: &str,
    json: bool,
    out: &mut Out,
) -> anyhow::Result<Exit> {
    let reader = Reader::open(&config.folders.state)?;
    let begin = Instant::now();
    loop {
        let rows = reader.open_hacks(Some(slug))?;
        let row = rows.iter().rev().find(|row| row.file_name == file_name);
        if let Some(row) = row
            && (row.finished_ms.is_some() || row.refused.is_some())
        {
            let report = hack::report(&reader, row)?;
            show(row, &report, json, true, out);
            return Ok(if row.refused.is_some() {
                Exit::No
            } else {
                Exit::Good
            });
        }
        if begin.elapsed() > PATIENCE {
            out.note("the daemon is still at it; `verdictd hack list` shows what comes of it");
            return Ok(Exit::Good);
        }
        std::thread::sleep(LOOK);
    }
}

fn list(arguments: &List, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    let slug = match &arguments.problem {
        Some(name) => Some(slug_of(name, config)?),
        None => None,
    };
    let reader = match Reader::open(&config.folders.state) {
        Ok(reader) => reader,
        Err(StoreError::Missing { .. }) => {
            out.note("no daemon has run here yet");
            return Ok(Exit::Good);
        }
        Err(error) => return Err(error.into()),
    };
    let rows = if arguments.all {
        reader.latest_hacks(slug.as_ref(), LISTED_MAX)?
    } else {
        reader.open_hacks(slug.as_ref())?
    };
    for row in &rows {
        let report = hack::report(&reader, row)?;
        show(row, &report, arguments.json, false, out);
    }
    if rows.is_empty() && !arguments.json {
        out.note("there are no hacks");
    }
    Ok(Exit::Good)
}

fn show(row: &HackRow, report: &HackReport, json: bool, whole: bool, out: &mut Out) {
    if json {
        out.json(&object(row, report));
        return;
    }
    if whole {
        out.data(report.to_text().as_bytes());
        return;
    }
    let (style, word) = state(row);
    let word = out.styled(style, &format!("{word:<9}"));
    let note = row
        .note
        .as_ref()
        .map(|note| format!("  \"{note}\""))
        .unwrap_or_default();
    let reason = row
        .refused
        .as_ref()
        .map(|reason| format!(": {reason}"))
        .unwrap_or_default();
    let headline = match row.withdrawn_ms {
        Some(_) => format!("{} of {}", row.name, row.problem),
        None => report.headline(),
    };
    let line = format!("{headline}{reason}  {}{note}", utc_text(row.seen_ms));
    out.line(&format!("{word}  {}", visible_line(&line)));
    let fell = report.fell.iter().filter(|_| row.withdrawn_ms.is_none());
    for fallen in fell {
        let line = format!("{} #{}: {}", fallen.student, fallen.attempt, fallen.how);
        let code = out.styled(
            Style::of(fallen.verdict),
            &format!("{:<3}", fallen.verdict.code()),
        );
        out.line(&format!("           {code}  {}", visible_line(&line)));
    }
}

fn state(row: &HackRow) -> (Style, &'static str) {
    if row.withdrawn_ms.is_some() {
        (Style::Dim, "withdrawn")
    } else if row.refused.is_some() {
        (Style::Bad, "refused")
    } else if row.finished_ms.is_some() {
        (Style::Good, "judged")
    } else {
        (Style::Warn, "joined")
    }
}

fn object(row: &HackRow, report: &HackReport) -> Value {
    json!({
        "problem": row.problem.as_str(), "name": row.name, "file": row.file_name,
        "state": state(row).1, "reason": row.refused, "note": row.note,
        "seen": utc_text(row.seen_ms), "took_ms": report.took_ms,
        "withdrawn": row.withdrawn_ms.map(utc_text),
        "fell_count": report.fell_count, "stood_count": report.stood_count,
        "failed_before_it_count": report.before_it_count, "waiting": report.waiting,
        "fell": report.fell.iter().map(|fallen| json!({
            "student": fallen.student.as_str(), "attempt": fallen.attempt,
            "verdict": fallen.verdict.code(), "how": fallen.how,
        })).collect::<Vec<_>>(),
        "stood": report.stood.iter().map(|(student, attempt)| json!({
            "student": student.as_str(), "attempt": attempt,
        })).collect::<Vec<_>>(),
    })
}

fn remove(
    arguments: &Remove,
    config: &Config,
    config_file: &Path,
    out: &mut Out,
) -> anyhow::Result<Exit> {
    let (package, _) = package_of(&arguments.problem, config, config_file)?;
    let wanted = arguments.name.trim_start_matches("hack/");
    let hack = package.hacks.iter().find(|hack| {
        let file = hack.file.file_name().and_then(OsStr::to_str);
        hack.name == format!("hack/{wanted}") || file == Some(wanted)
    });
    let Some(hack) = hack else {
        let known: Vec<&str> = package
            .hacks
            .iter()
            .map(|hack| hack.name.as_str())
            .collect();
        return Err(Complaint::usage(format!(
            "{} has no hack `{wanted}`; it has {}",
            package.slug,
            if known.is_empty() {
                "none".to_owned()
            } else {
                known.join(", ")
            }
        )));
    };
    take_away(hack)?;
    let word = out.styled(Style::Good, "removed");
    let file = visible_line(&hack.file.display().to_string());
    out.line(&format!("{word}  {file}"));
    if !is_running(&config.folders.state) {
        out.note(
            "no daemon is running; the verdicts are as they were before it when it is started",
        );
    }
    Ok(Exit::Good)
}

/// The input first: from then on it is no test, whatever becomes of the rest.
fn take_away(hack: &Hack) -> anyhow::Result<()> {
    std::fs::remove_file(&hack.file).with_context(|| format!("remove {}", hack.file.display()))?;
    for ending in ["note", "ans"] {
        let file = hack.file.with_extension(ending);
        match std::fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("remove {}", file.display()));
            }
            _ => {}
        }
    }
    hack::remove_result(&hack.file).with_context(|| format!("remove the result of {}", hack.name))
}
