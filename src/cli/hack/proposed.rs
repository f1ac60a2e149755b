//! `verdictd hack list --proposed`, `accept` and `reject`: the hacks that the daemon found by
//! itself, and what the instructor decides about them.

use anyhow::Context as _;
use clap::Args;
use jiff::tz::TimeZone;
use serde::Serialize;

use super::add::{self, Follow};
use crate::cli::prelude::{CliError, Exit, Out, Session, ask, store_if_any};
use crate::config::Config;
use crate::daemon::Request;
use crate::domain::{Attempt, Counterexample, ProblemSlug, Student, SubmissionId, Verdict};
use crate::store::{ProposalRow, ProposalState, Reader, Store, is_running};
use crate::util::clock::zone_text;
use crate::util::crash::point;
use crate::util::hash::digest;
use crate::util::words::{amount, listed};
use crate::view::{Page, Show, Style, Utc};

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
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Decision {
    /// Makes a decision about the proposed hack of this number, unless it was made before. One that
    /// is dropped is not proposed again.
    pub(super) fn decide(
        &self,
        wanted: ProposalState,
        config: &Config,
        out: &mut Out,
    ) -> anyhow::Result<Exit> {
        out.as_json(self.json);
        let number = self.number;
        let unknown = || {
            CliError::usage(format!(
                "no proposed hack has the number {number}; `verdictd hack list --proposed` shows them"
            ))
        };
        let reader = store_if_any(config)?.ok_or_else(unknown)?;
        let row = reader.proposal(number)?.ok_or_else(unknown)?;
        let decided = |more: String| Decided {
            number,
            state: wanted.word(),
            more,
        };
        match row.state {
            ProposalState::Proposed if wanted == ProposalState::Accepted => {
                return self.accept(&row, &decided, config, out);
            }
            ProposalState::Proposed => {
                note(&row, wanted, config)?;
                out.show(&decided(String::new()));
            }
            state if state == wanted => out.show(&decided(": as it was before".to_owned())),
            state => {
                let state = state.word();
                return Err(CliError::usage(format!("hack {number} was {state} before")));
            }
        }
        Ok(Exit::Good)
    }

    /// Puts a proposed hack among the problem's hacks. Once its file lies there it is decided,
    /// whatever the daemon then makes of it: it is a hack like any other.
    fn accept(
        &self,
        row: &ProposalRow,
        decided: &dyn Fn(String) -> Decided,
        config: &Config,
        out: &mut Out,
    ) -> anyhow::Result<Exit> {
        let accepted = ProposalState::Accepted;
        let (package, session) = Session::only_for_programs(row.problem.as_str(), config)?;
        let follow = |before| Follow {
            config,
            problem: &package.slug,
            before,
            no_wait: self.no_wait,
        };
        // An earlier try may have been stopped before it was noted, and somebody may have added it.
        let input = digest(&row.input);
        if let Some(hack) = package.hacks.iter().find(|hack| hack.digest == input) {
            note(row, accepted, config)?;
            add::announce("there already", &hack.file, "", out);
            return follow(0).result(&hack.file, out);
        }
        let mut tests = package.tests.iter();
        if let Some(test) = tests.find(|test| test.name.input == input) {
            note(row, accepted, config)?;
            out.show(&decided(format!(": it is the test {}", test.name.name)));
            return Ok(Exit::Good);
        }
        let folder = tempfile::tempdir().context("make a scratch folder")?;
        let file = folder.path().join(format!("found-{}.in", row.id));
        std::fs::write(&file, &row.input).with_context(|| format!("write {}", file.display()))?;
        let arguments = add::Arguments {
            problem: row.problem.to_string(),
            file,
            note: Some(format!("found by verdictd, {}", row.evidence.found_by)),
            answer: None,
            force: false,
            no_wait: self.no_wait,
            json: self.json,
        };
        let before = add::last_row(config, &package.slug)?;
        match add::put(&arguments, &package, session.as_ref(), out)? {
            Ok(file) => {
                point("proposed hack added");
                note(row, accepted, config)?;
                follow(before).result(&file, out)
            }
            Err(reason) => {
                out.show(&Refused {
                    number: row.id,
                    state: "refused",
                    reason,
                });
                Ok(Exit::No)
            }
        }
    }
}

/// Has a decision noted, by a daemon that runs or without one.
fn note(row: &ProposalRow, state: ProposalState, config: &Config) -> anyhow::Result<()> {
    let folder = &config.folders.state;
    let request = Request {
        decides: Some((row.id, state)),
        ..Request::default()
    };
    if !is_running(folder) || !ask(config, &request)? {
        Store::open(folder)?.writer().decide(row.id, state)?;
    }
    Ok(())
}

/// What was decided about a proposed hack.
#[derive(Serialize)]
struct Decided {
    number: i64,
    state: &'static str,
    #[serde(skip)]
    more: String,
}

impl Show for Decided {
    fn show(&self, page: &mut Page) {
        let text = format!("hack {}{}", self.number, self.more);
        page.tagged(Style::Good.on(self.state), text);
    }
}

/// Why it cannot be a test; it goes on waiting for a decision.
#[derive(Serialize)]
struct Refused {
    number: i64,
    state: &'static str,
    reason: String,
}

impl Show for Refused {
    fn show(&self, page: &mut Page) {
        let number = self.number;
        let text = format!("hack {number}: {}", self.reason);
        page.tagged(Style::Bad.on("refused"), text);
        page.note(format!(
            "nothing was added. Once it is fixed: verdictd hack accept {number}; to drop it: verdictd hack reject {number}"
        ));
    }
}

/// A proposed hack.
#[derive(Serialize)]
pub(super) struct Proposal {
    number: i64,
    problem: ProblemSlug,
    state: &'static str,
    verdict: Verdict,
    found: Utc,
    breaks: Vec<Broken>,
    evidence: Counterexample,
    /// How large it is, and when it was found, in words.
    #[serde(skip)]
    words: [String; 2],
}

/// A submission that it breaks.
#[derive(Serialize)]
struct Broken {
    student: Student,
    attempt: Attempt,
    submission: SubmissionId,
}

impl Proposal {
    pub fn of(row: ProposalRow, reader: &Reader, zone: &TimeZone) -> anyhow::Result<Self> {
        let broken = reader.broken_by(row.id)?.into_iter().map(|one| Broken {
            student: one.student,
            attempt: one.attempt,
            submission: one.id,
        });
        let size = match row.evidence.cells {
            Some(cells) => amount(usize::try_from(cells).unwrap_or(usize::MAX), "cell"),
            None => amount(row.input.len(), "byte"),
        };
        Ok(Self {
            number: row.id,
            problem: row.problem,
            state: row.state.word(),
            verdict: row.verdict,
            found: Utc(row.found_ms),
            breaks: broken.collect(),
            evidence: row.evidence,
            words: [size, zone_text(row.found_ms, zone)],
        })
    }
}

impl Show for Proposal {
    fn show(&self, page: &mut Page) {
        let named = self.breaks.iter();
        let named = named.map(|one| format!("{} #{}", one.student, one.attempt));
        let [size, found] = &self.words;
        let number = self.number;
        let text = format!(
            "{number} of {}: {}, {size}; breaks {}",
            self.problem,
            self.verdict.code(),
            listed(named, NAMED_MAX)
        );
        page.tagged(Style::Warn.on("proposed"), text);
        let evidence = &self.evidence;
        for (title, text) in [
            ("Input", Some(&evidence.input)),
            ("Expected", Some(&evidence.expected)),
            ("Why that is right", evidence.witness.as_ref()),
            ("Printed", Some(&evidence.printed)),
        ] {
            let Some(text) = text else { continue };
            page.line(format!("     {title}:"));
            let mut lines = text.lines();
            for line in lines.by_ref().take(LINES_MAX) {
                page.line(format!("       {line}"));
            }
            if lines.next().is_some() {
                page.line("       …");
            }
        }
        page.line(format!(
            "     Found {found} ({}). To decide: verdictd hack accept {number}, verdictd hack reject {number}",
            evidence.found_by
        ));
    }
}
