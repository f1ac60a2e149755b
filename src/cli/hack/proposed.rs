//! `verdictd hack list --proposed`, `accept` and `reject`: the hacks that the daemon found by
//! itself, and what the instructor decides about them.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::add;
use super::known::package_of;
use crate::cli::exit::{CliError, Exit};
use crate::cli::out::{Out, Style};
use crate::cli::session::{store_if_any, zone};
use crate::config::Config;
use crate::daemon::Request;
use crate::domain::ProblemSlug;
use crate::store::{ProposalRow, ProposalState, Reader, Store, is_running};
use crate::util::clock::{utc_text, zone_text};
use crate::util::crash::point;
use crate::util::excerpt::visible_line;
use crate::util::hash::digest;
use crate::util::words::amount;

/// Time between two looks whether a running daemon has noted a decision.
const POLL: Duration = Duration::from_millis(50);
/// Submissions that are named of those that a hack breaks.
const NAMED_MAX: usize = 5;
/// Lines of an input that are shown.
const LINES_MAX: usize = 20;

#[derive(Debug, Args)]
pub struct Decision {
    /// The number of the proposed hack, as `hack list --proposed` shows it.
    number: i64,
    /// Do not wait for a running daemon to judge the earlier submissions.
    #[arg(long)]
    no_wait: bool,
    /// One JSON object.
    #[arg(long)]
    json: bool,
}

/// Shows the hacks that wait for a decision.
pub(super) fn list(
    slug: Option<&ProblemSlug>,
    config: &Config,
    json: bool,
    out: &mut Out,
) -> anyhow::Result<Exit> {
    let Some(reader) = store_if_any(config)? else {
        out.note("no daemon has run here yet");
        return Ok(Exit::Good);
    };
    let rows = reader.proposals(slug)?;
    let zone = zone(config);
    for row in &rows {
        if json {
            out.json(&object(row, &reader)?);
        } else {
            show(row, &reader, &zone, out)?;
        }
    }
    if rows.is_empty() && !json {
        out.note("no hacks are proposed");
    }
    Ok(Exit::Good)
}

/// Puts a proposed hack among the problem's hacks. Once its file lies there it is decided, whatever
/// the daemon then makes of it: it is a hack like any other.
pub(super) fn accept(
    decision: &Decision,
    config: &Config,
    config_file: &Path,
    out: &mut Out,
) -> anyhow::Result<Exit> {
    let accepted = ProposalState::Accepted;
    let Some(row) = undecided(decision, accepted, config, out)? else {
        return Ok(Exit::Good);
    };
    let (package, session) = package_of(row.problem.as_str(), config, config_file)?;
    let folder = tempfile::tempdir().context("make a scratch folder")?;
    let file = folder.path().join(format!("found-{}.in", row.id));
    std::fs::write(&file, &row.input).with_context(|| format!("write {}", file.display()))?;
    let arguments = add::Arguments {
        problem: row.problem.to_string(),
        file,
        note: Some(format!("found by verdictd, {}", row.evidence.found_by)),
        answer: None,
        force: false,
        no_wait: decision.no_wait,
        json: decision.json,
    };
    // An earlier try may have been stopped before it was noted, and somebody may have added it.
    let input = digest(&row.input);
    if let Some(hack) = package.hacks.iter().find(|hack| hack.digest == input) {
        decide(&row, accepted, config)?;
        add::announce(&arguments, "there already", &hack.file, "", out);
        return add::follow(&arguments, config, &package.slug, (&hack.file, 0), out);
    }
    let mut tests = package.tests.iter();
    if let Some(test) = tests.find(|test| test.input[..] == row.input[..]) {
        decide(&row, accepted, config)?;
        let more = format!("it is the test {}", test.name.name);
        decided(decision, accepted, &more, out);
        return Ok(Exit::Good);
    }
    let before = add::last_row(config, &package.slug)?;
    match add::put(&arguments, &package, session.as_ref())? {
        Ok(put) => {
            point("proposed hack added");
            add::announce(&arguments, "added", &put.file, &put.undone, out);
            decide(&row, accepted, config)?;
            add::follow(&arguments, config, &package.slug, (&put.file, before), out)
        }
        Err(reason) => {
            refused(decision, &reason, out);
            Ok(Exit::No)
        }
    }
}

/// Drops a proposed hack. It is not proposed again.
pub(super) fn reject(decision: &Decision, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    let rejected = ProposalState::Rejected;
    if let Some(row) = undecided(decision, rejected, config, out)? {
        decide(&row, rejected, config)?;
        decided(decision, rejected, "", out);
    }
    Ok(Exit::Good)
}

/// A proposed hack that waits for a decision; none if this very decision was made before, which is
/// said.
fn undecided(
    decision: &Decision,
    wanted: ProposalState,
    config: &Config,
    out: &mut Out,
) -> anyhow::Result<Option<ProposalRow>> {
    let number = decision.number;
    let unknown = || {
        CliError::usage(format!(
            "no proposed hack has the number {number}; `verdictd hack list --proposed` shows them"
        ))
    };
    let reader = store_if_any(config)?.ok_or_else(unknown)?;
    let row = reader.proposal(number)?.ok_or_else(unknown)?;
    match row.state {
        ProposalState::Proposed => Ok(Some(row)),
        state if state == wanted => {
            decided(decision, wanted, "as it was before", out);
            Ok(None)
        }
        state => Err(CliError::usage(format!(
            "hack {number} was {} before",
            state.word()
        ))),
    }
}

fn decided(decision: &Decision, state: ProposalState, more: &str, out: &mut Out) {
    let number = decision.number;
    if decision.json {
        out.json(&json!({"number": number, "state": state.word()}));
        return;
    }
    let more = if more.is_empty() {
        String::new()
    } else {
        format!(": {more}")
    };
    let text = format!("hack {number}{more}");
    out.tagged(Style::Good, state.word(), &visible_line(&text));
}

/// Says why it cannot be a test; it goes on waiting for a decision.
fn refused(decision: &Decision, reason: &str, out: &mut Out) {
    let number = decision.number;
    if decision.json {
        out.json(&json!({"number": number, "state": "refused", "reason": reason}));
        return;
    }
    let text = format!("hack {number}: {reason}");
    out.tagged(Style::Bad, "refused", &visible_line(&text));
    out.note(&format!(
        "nothing was added. Once it is fixed: verdictd hack accept {number}; to drop it: verdictd hack reject {number}"
    ));
}

/// Has the decision noted, by a daemon that runs or without one.
fn decide(row: &ProposalRow, state: ProposalState, config: &Config) -> anyhow::Result<()> {
    let folder = &config.folders.state;
    if !is_running(folder) {
        Store::open(folder)?.writer().decide(row.id, state)?;
        return Ok(());
    }
    let request = Request {
        decides: Some((row.id, state)),
        ..Request::default()
    };
    let file = request
        .put(folder)
        .with_context(|| format!("leave a request in {}", folder.display()))?;
    while file.exists() {
        if !is_running(folder) {
            bail!("the daemon stopped before it was done; its next start continues");
        }
        std::thread::sleep(POLL);
    }
    Ok(())
}

fn show(row: &ProposalRow, reader: &Reader, zone: &TimeZone, out: &mut Out) -> anyhow::Result<()> {
    let broken = reader.broken_by(row.id)?;
    let named = broken.iter().take(NAMED_MAX);
    let named = named.map(|one| format!("{} #{}", one.student, one.attempt));
    let named: Vec<String> = named.collect();
    let more = broken.len().saturating_sub(named.len());
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let evidence = &row.evidence;
    let size = match evidence.cells {
        Some(cells) => amount(usize::try_from(cells).unwrap_or(usize::MAX), "cell"),
        None => amount(row.input.len(), "byte"),
    };
    let text = format!(
        "{} of {}: {}, {}; breaks {}{more}",
        row.id,
        row.problem,
        row.verdict.code(),
        size,
        named.join(", ")
    );
    out.tagged(Style::Warn, "proposed", &visible_line(&text));
    let sides = [
        ("Input", Some(&evidence.input)),
        ("Expected", Some(&evidence.expected)),
        ("Why that is right", evidence.witness.as_ref()),
        ("Printed", Some(&evidence.printed)),
    ];
    let sides = sides.into_iter();
    for (title, text) in sides.filter_map(|(title, text)| Some((title, text?))) {
        out.line(&format!("     {title}:"));
        let mut lines = text.lines();
        for line in lines.by_ref().take(LINES_MAX) {
            out.line(&format!("       {}", visible_line(line)));
        }
        if lines.next().is_some() {
            out.line("       …");
        }
    }
    out.line(&format!(
        "     Found {} ({}). To decide: verdictd hack accept {}, verdictd hack reject {}",
        zone_text(row.found_ms, zone),
        visible_line(&evidence.found_by),
        row.id,
        row.id
    ));
    Ok(())
}

fn object(row: &ProposalRow, reader: &Reader) -> anyhow::Result<Value> {
    let broken = reader.broken_by(row.id)?;
    let broken = broken.iter().map(|one| {
        json!({"student": one.student.as_str(), "attempt": one.attempt, "submission": one.id.0})
    });
    Ok(json!({
        "number": row.id, "problem": row.problem.as_str(), "state": row.state.word(),
        "verdict": row.verdict.code(), "found": utc_text(row.found_ms),
        "breaks": broken.collect::<Vec<_>>(),
        "evidence": row.evidence,
    }))
}
