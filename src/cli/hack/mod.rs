//! `verdictd hack add|list|remove|accept|reject`: inputs that join a problem's tests while it is in
//! use.
//!
//! The folder `hacks/` of the package is the truth: these commands put files there and take them
//! away, and a running daemon does the rest.

mod add;
mod known;
mod proposed;

use anyhow::Context as _;
use clap::{Args, Subcommand};

use super::prelude::{CliError, Exit, Out, Session, problem_of_course, store_or_note, zone};
use crate::config::Config;
use crate::hack;
use crate::package::Hack;
use crate::store::{ProposalState, is_running};
use crate::util::crash::point;
use crate::util::files;
use crate::view::Style;
use known::{BESIDE, HackStatus, hack_named};
use proposed::{Decision, Proposal};

/// Hacks that a list shows.
const LISTED_MAX: u32 = 1_000;

/// Add tests to a problem in use, see who fails them, remove them
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Check an input and add it to a problem's tests; earlier submissions are run on this test only
    Add(add::Arguments),
    /// List hacks, and whose programs failed on them
    List(List),
    /// Add a hack that the daemon found by itself to its problem's tests
    Accept(Decision),
    /// Drop a hack that the daemon found by itself
    Reject(Decision),
    /// Remove a hack; verdicts go back to what they were without it
    Remove(Remove),
}

#[derive(Debug, Args)]
struct List {
    /// Only the hacks of this problem.
    problem: Option<String>,
    /// Show removed hacks too.
    #[arg(long)]
    all: bool,
    /// Show what the daemon found by itself in place of these: inputs that break accepted programs.
    #[arg(long, conflicts_with = "all")]
    proposed: bool,
    /// Print one JSON object per hack
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

pub fn run(arguments: &Arguments, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    match &arguments.action {
        Action::Add(arguments) => add::run(arguments, config, out),
        Action::List(arguments) => list(arguments, config, out),
        Action::Accept(decision) => decision.decide(ProposalState::Accepted, config, out),
        Action::Reject(decision) => decision.decide(ProposalState::Rejected, config, out),
        Action::Remove(arguments) => remove(arguments, config, out),
    }
}

fn list(arguments: &List, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    out.as_json(arguments.json);
    let slug = match arguments.problem.as_deref() {
        // The store is enough then: the folder of problems may be away.
        None => None,
        named => problem_of_course(named, config)?,
    };
    let (slug, zone) = (slug.as_ref(), zone(config));
    let Some(reader) = store_or_note(config, out)? else {
        return Ok(Exit::Good);
    };
    if arguments.proposed {
        let rows = reader.proposals(slug)?;
        if rows.is_empty() {
            out.print(|page| page.note("no hacks are proposed"));
        }
        for row in rows {
            out.show(&Proposal::of(row, &reader, &zone)?);
        }
        return Ok(Exit::Good);
    }
    let rows = if arguments.all {
        reader.latest_hacks(slug, LISTED_MAX)?
    } else {
        reader.open_hacks(slug)?
    };
    if rows.is_empty() {
        out.print(|page| page.note("there are no hacks"));
    }
    for row in rows {
        let report = hack::report(&reader, &row)?;
        out.show(&HackStatus::of(row, report, &zone));
    }
    Ok(Exit::Good)
}

fn remove(arguments: &Remove, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    let (package, _) = Session::only_for_programs(&arguments.problem, config)?;
    let Some(hack) = hack_named(&package, &arguments.name) else {
        let known: Vec<&str> = package.hacks.iter().map(|hack| &*hack.name).collect();
        let known = known.join(", ");
        return Err(CliError::usage(format!(
            "{} has no hack `{}`; it has {}",
            package.slug,
            arguments.name.trim_start_matches("hack/"),
            if known.is_empty() { "none" } else { &known }
        )));
    };
    remove_files(hack)?;
    let file = hack.file.display().to_string();
    out.print(|page| page.tagged(Style::Good.on("removed"), file));
    if !is_running(&config.folders.state) {
        out.note("no daemon is running; when it is started, the verdicts go back to what they were without this hack");
    }
    Ok(Exit::Good)
}

/// The input first: from then on it is not a test, whatever happens to the rest.
fn remove_files(hack: &Hack) -> anyhow::Result<()> {
    std::fs::remove_file(&hack.file).with_context(|| format!("remove {}", hack.file.display()))?;
    point("hack's input removed");
    for ending in BESIDE {
        let file = hack.file.with_extension(ending);
        files::remove(&file).with_context(|| format!("remove {}", file.display()))?;
    }
    point("hack's other files removed");
    hack::remove_result(&hack.file).with_context(|| format!("remove the result of {}", hack.name))
}
