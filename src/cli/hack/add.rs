//! `verdictd hack add`: checks an input, puts it into `hacks/`, and waits for the daemon's result.
//!
//! Whether the package's accepted examples pass it is for the daemon to say: it has the cores to
//! measure on, and remembers the answer.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use clap::Args;
use serde::Serialize;

use super::known::{BESIDE, HackStatus, hack_named};
use crate::cli::prelude::{CliError, Exit, Out, Session, store_if_any, wait_for, zone};
use crate::config::Config;
use crate::domain::ProblemSlug;
use crate::domain::bounds::{HACK_FILE_BYTES_MAX, HACK_NOTE_BYTES_MAX, TEST_FILE_BYTES_MAX};
use crate::hack;
use crate::package::{FORCE_ENDING, Hack, NoOracle, Package, Reference, Trouble};
use crate::store::{HackRow, Reader, is_running};
use crate::util::excerpt::visible_line;
use crate::util::files::{create_new, read_regular};
use crate::util::words::shell_word;
use crate::view::{Page, Show, Style};

/// How long it waits for the daemon's result.
const PATIENCE: Duration = Duration::from_mins(1);
/// Numbers that are tried behind a name that is taken.
const NAMES_TRIED_MAX: u32 = 10_000;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The problem's folder name.
    pub(super) problem: String,
    /// The input file; with `--force` also the name of a hack that is held back.
    pub(super) file: PathBuf,
    /// A note to keep with the test; by default the content of the file with the ending .note.
    #[arg(long, value_name = "TEXT")]
    pub(super) note: Option<String>,
    /// The answer, for a problem without a reference; by default the file with the ending .ans.
    #[arg(long, value_name = "FILE")]
    pub(super) answer: Option<PathBuf>,
    /// Make it a test even if an accepted example of the package fails on it.
    #[arg(long)]
    pub(super) force: bool,
    /// Do not wait for a running daemon to judge the earlier submissions.
    #[arg(long)]
    pub(super) no_wait: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
}

pub fn run(arguments: &Arguments, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    out.as_json(arguments.json);
    let (package, session) = Session::only_for_programs(&arguments.problem, config)?;
    let follow = Follow {
        config,
        problem: &package.slug,
        before: last_row(config, &package.slug)?,
        no_wait: arguments.no_wait,
    };
    if arguments.force
        && let Some(hack) = existing(&package, &arguments.file)
    {
        if let Some(reason) = not_held_back(config, &package.slug, hack)? {
            out.note(&visible_line(&reason));
            return Ok(Exit::No);
        }
        force(hack)?;
        announce("forced", &hack.file, "", out);
        return follow.result(&hack.file, out);
    }
    match put(arguments, &package, session.as_ref(), out)? {
        Ok(file) => follow.result(&file, out),
        Err(reason) => {
            out.show(&Refused {
                file: arguments.file.display().to_string(),
                state: "refused",
                reason,
                note: note_of(arguments)?,
                arguments,
            });
            Ok(Exit::No)
        }
    }
}

/// Checks an input and puts it into `hacks/`, or says why it cannot be a test.
pub(super) fn put(
    arguments: &Arguments,
    package: &Package,
    session: Option<&Session>,
    out: &mut Out,
) -> anyhow::Result<Result<PathBuf, String>> {
    let bytes = read_regular(&arguments.file, HACK_FILE_BYTES_MAX)
        .map_err(|error| CliError::usage(format!("{}: {error}", arguments.file.display())))?;
    let note = note_of(arguments)?;
    let beside = arguments.file.with_extension("ans");
    let answer = arguments.answer.as_ref().unwrap_or(&beside);
    let candidate = match session {
        Some(session) => {
            session.with_oracle(|oracle| package.candidate(&arguments.file, answer, oracle))
        }
        None => package.candidate(&arguments.file, answer, &mut NoOracle),
    };
    let notes = match candidate {
        Ok(notes) => notes,
        Err(Trouble::Theirs(complaint)) => return Ok(Err(complaint.reason)),
        Err(Trouble::Ours(fault)) => return Err(anyhow!("{fault}")),
    };
    let stored = match package.reference {
        Reference::Stored => true,
        Reference::Program(_) | Reference::Example(_) => answer.exists(),
        Reference::BuiltIn(_) => false,
    };
    // The input last: it is what the daemon waits for.
    let mut parts = Vec::new();
    if !note.is_empty() {
        parts.push(("note", note.as_bytes().to_vec()));
    }
    if stored || arguments.answer.is_some() {
        let bytes = read_regular(answer, TEST_FILE_BYTES_MAX)
            .map_err(|error| CliError::usage(format!("{}: {error}", answer.display())))?;
        parts.push(("ans", bytes));
    }
    if arguments.force {
        parts.push((FORCE_ENDING, Vec::new()));
    }
    parts.push(("in", bytes));
    let file = place(package, &arguments.file, &parts)?;
    let undone: Vec<&str> = notes.iter().map(|note| note.words()).collect();
    let undone = match undone.as_slice() {
        [] => String::new(),
        undone => format!(" ({})", undone.join("; ")),
    };
    announce("added", &file, &undone, out);
    Ok(Ok(file))
}

/// The number of the latest hack that the store knows, 0 for none: the result of this one comes
/// after it.
pub(super) fn last_row(config: &Config, slug: &ProblemSlug) -> anyhow::Result<i64> {
    let Some(reader) = store_if_any(config)? else {
        return Ok(0);
    };
    let latest = reader.latest_hacks(Some(slug), 1)?;
    Ok(latest.last().map_or(0, |row| row.id))
}

/// The hack of the package that is meant by a file in its folder, or by its name.
fn existing<'a>(package: &'a Package, file: &Path) -> Option<&'a Hack> {
    if let Ok(path) = file.canonicalize() {
        let same = |hack: &&Hack| hack.file.canonicalize().is_ok_and(|other| other == path);
        return package.hacks.iter().find(same);
    }
    hack_named(package, file.to_str()?)
}

/// Why a hack cannot be forced: nothing holds it back, as far as the store knows.
fn not_held_back(
    config: &Config,
    slug: &ProblemSlug,
    hack: &Hack,
) -> anyhow::Result<Option<String>> {
    let Some(reader) = store_if_any(config)? else {
        return Ok(None);
    };
    let file = visible_line(&hack.file.file_name().unwrap_or_default().to_string_lossy());
    let rows = reader.open_hacks(Some(slug))?;
    let row = rows.into_iter().rfind(|row| row.file_name == file);
    Ok(row
        .filter(|row| !row.held_back && row.digest == hack.digest)
        .map(|row| match row.refused {
            Some(reason) => format!("{file} is refused, and cannot be forced: {reason}"),
            None => format!("{file} is one of the tests already"),
        }))
}

fn force(hack: &Hack) -> anyhow::Result<()> {
    let file = hack.file.with_extension(FORCE_ENDING);
    match create_new(&file, b"") {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(error).with_context(|| format!("write {}", file.display()))
        }
        _ => Ok(()),
    }
}

fn note_of(arguments: &Arguments) -> anyhow::Result<String> {
    let note = match &arguments.note {
        Some(note) => note.clone(),
        None => match read_regular(&arguments.file.with_extension("note"), HACK_NOTE_BYTES_MAX) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(_) => String::new(),
        },
    };
    let note = note.trim();
    if note.len() as u64 > HACK_NOTE_BYTES_MAX {
        return Err(CliError::usage(format!(
            "the note is longer than {HACK_NOTE_BYTES_MAX} bytes"
        )));
    }
    Ok(note.to_owned())
}

/// Why nothing was added.
#[derive(Serialize)]
struct Refused<'a> {
    file: String,
    state: &'static str,
    reason: String,
    note: String,
    #[serde(skip)]
    arguments: &'a Arguments,
}

impl Show for Refused<'_> {
    fn show(&self, page: &mut Page) {
        let text = format!("{}: {}", self.file, self.reason);
        page.tagged(Style::Bad.on("refused"), text);
        if self.arguments.note.is_some() {
            // Nobody is to type the note again.
            page.note(format!(
                "nothing was added. Once it is fixed: verdictd hack add {} {} --note {}",
                shell_word(&self.arguments.problem),
                shell_word(&self.file),
                shell_word(&self.note)
            ));
        }
    }
}

pub(super) fn announce(what: &str, file: &Path, more: &str, out: &mut Out) {
    let file = format!("{}{more}", file.display());
    out.print(|page| page.tagged(Style::Good.on(what), file));
    out.flush();
}

/// A hack that lies in the folder; what comes of it is not known yet.
#[derive(Serialize)]
struct Added<'a> {
    file: String,
    problem: &'a ProblemSlug,
    state: &'static str,
    #[serde(skip)]
    is_running: bool,
}

impl Show for Added<'_> {
    fn show(&self, page: &mut Page) {
        if !self.is_running {
            page.note(
                "no daemon is running; when one is started, it runs the package's accepted examples on the hack, \
                 and then judges the earlier submissions on it",
            );
        }
    }
}

/// What follows once a hack lies in the folder.
pub(super) struct Follow<'a> {
    pub config: &'a Config,
    pub problem: &'a ProblemSlug,
    /// The latest hack before it, by its number.
    pub before: i64,
    pub no_wait: bool,
}

impl Follow<'_> {
    /// Waits until a running daemon has judged every earlier submission on it, and shows the result;
    /// or says what happens next.
    pub fn result(&self, file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
        let file = visible_line(&file.file_name().unwrap_or_default().to_string_lossy());
        let is_running = is_running(&self.config.folders.state);
        if !is_running || self.no_wait {
            out.show(&Added {
                file,
                problem: self.problem,
                state: "added",
                is_running,
            });
            return Ok(Exit::Good);
        }
        let reader = Reader::open(&self.config.folders.state)?;
        let is_it = |row: &HackRow| row.file_name == file && row.id > self.before;
        let is_done = |row: &HackRow| row.finished_ms.is_some() || row.refused.is_some();
        let result = wait_for(Some(PATIENCE), || {
            let rows = reader.open_hacks(Some(self.problem))?;
            Ok(rows.into_iter().rfind(is_it).filter(is_done))
        });
        let Some(row) = result? else {
            out.note("the daemon has not finished yet; `verdictd hack list` shows the result");
            return Ok(Exit::Good);
        };
        let (report, zone) = (hack::report(&reader, &row)?, zone(self.config));
        let exit = Exit::No.only_if(row.refused.is_some());
        let told = report.to_text(&zone);
        let mut status = HackStatus::of(row, report, &zone);
        status.told = Some(told);
        out.show(&status);
        Ok(exit)
    }
}

/// Puts the parts of a hack into `hacks/`, under the file's own name or that with a number behind
/// it. Nothing is overwritten, even if somebody else adds one of the same name at the same time.
/// Returns the last part's file.
fn place(package: &Package, file: &Path, parts: &[(&str, Vec<u8>)]) -> anyhow::Result<PathBuf> {
    let stem = file.file_stem().and_then(OsStr::to_str).unwrap_or("hack");
    let folder = package.hacks_folder();
    'names: for number in 1..NAMES_TRIED_MAX {
        let name = match number {
            1 => stem.to_owned(),
            number => format!("{stem}-{number}"),
        };
        let file = |ending: &str| folder.join(format!("{name}.{ending}"));
        let mut endings = ["in", "txt"].iter().chain(&BESIDE);
        if endings.any(|ending| file(ending).exists()) {
            continue;
        }
        let mut made: Vec<PathBuf> = Vec::new();
        for (ending, bytes) in parts {
            let file = file(ending);
            match create_new(&file, bytes) {
                Ok(()) => made.push(file),
                Err(error) => {
                    for file in made {
                        // Without its input it means nothing.
                        let _ = std::fs::remove_file(file);
                    }
                    if error.kind() == std::io::ErrorKind::AlreadyExists {
                        continue 'names;
                    }
                    return Err(error).with_context(|| format!("write {}", file.display()));
                }
            }
        }
        return made.pop().context("a hack has an input");
    }
    bail!("{}: too many hacks are called {stem}", folder.display())
}
