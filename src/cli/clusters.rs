//! `verdictd clusters PROBLEM`: the latest programs of a course that fail in the same way, grouped,
//! with the smallest input that tells each group from right programs and from the next group. For
//! staff; nothing of it is written anywhere.

use std::sync::Arc;

use clap::Args;
use serde::{Serialize, Serializer};

use super::prelude::{Exit, Out, Piece, Progress, Recalled, Session, WorkerSlot, store_or_note};
use crate::config::Config;
use crate::domain::{Student, SubmissionId, Verdict};
use crate::explain::{Cluster, Observed, Probes, Tried, clusters};
use crate::package::Package;
use crate::store::Entry;
use crate::util::excerpt::spelled;
use crate::util::text::character_start;
use crate::util::words::{amount, listed};
use crate::view::{Page, Show, Style};

/// Programs that are grouped: the latest ones.
const PROGRAMS_MAX: usize = 1_000;
/// Counterexamples that are read, the latest.
const KNOWN_MAX: u32 = 1_000;
/// Students whom a group names on a terminal.
const NAMED_MAX: usize = 12;
/// Bytes of an input or an output that are shown to a person.
const SHOWN_BYTES_MAX: usize = 4 * 1024;
/// Bytes of one that programs get, whole or not at all: a cut input is another one.
const WHOLE_BYTES_MAX: usize = 512 * 1024;

/// Group the programs of a problem that fail in the same way
#[derive(Debug, Args)]
pub struct Arguments {
    /// The problem
    problem: String,
    /// Print one JSON object per group
    #[arg(long)]
    json: bool,
}

/// Programs that fail in the same way.
#[derive(Serialize)]
struct Group {
    count: usize,
    differs_from_next_on: Option<Example>,
    fails_on: Option<Example>,
    #[serde(rename = "group")]
    number: usize,
    members: Vec<Member>,
}

#[derive(Serialize)]
struct Member {
    attempt: u32,
    student: Student,
    verdict: Verdict,
}

/// An input, the right answer to it, and what the group printed.
#[derive(Serialize)]
struct Example {
    #[serde(serialize_with = "whole")]
    expected: Arc<[u8]>,
    #[serde(serialize_with = "whole")]
    input: Arc<[u8]>,
    #[serde(serialize_with = "whole")]
    printed: Arc<[u8]>,
    test: Option<String>,
}

/// A program that could not be tried.
#[derive(Serialize)]
struct Untried {
    attempt: u32,
    fault: String,
    student: Student,
}

pub fn run(arguments: &Arguments, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    out.as_json(arguments.json);
    let session = Session::new(config.clone())?;
    let package = session.package_named(&arguments.problem)?;
    let Some(reader) = store_or_note(&session.config, out)? else {
        return Ok(Exit::Good);
    };
    let mut entries = reader.failing(&package.slug, true, PROGRAMS_MAX)?;
    entries.reverse();
    let names = entries.iter().filter_map(Entry::first_failing_test);
    let names: Vec<String> = names.map(str::to_owned).collect();
    let known = reader.latest_counterexamples(&package.slug, KNOWN_MAX)?;
    let known = known.into_iter().map(|other| other.input).collect();
    let probes = session.with_oracle(|oracle| Probes::of(&package, &names, known, oracle))?;
    let (programs, untried) = tried(&session, &package, entries, &probes);
    let did: Vec<Vec<Observed>> = programs
        .iter()
        .map(|(_, tried)| tried.iter().map(|tried| tried.did).collect())
        .collect();
    let found = clusters(&did);
    for (number, cluster) in (1..).zip(&found) {
        out.show(&Group::of(number, cluster, &programs, &probes));
    }
    for one in &untried {
        out.show(one);
    }
    out.note(&format!(
        "{} of {} that fail, each on {}",
        amount(found.len(), "group"),
        amount(programs.len(), "program"),
        amount(probes.all.len(), "input")
    ));
    Ok(Exit::Fault.only_if(!untried.is_empty()))
}

/// Tries every program on the probes.
fn tried(
    session: &Session,
    package: &Arc<Package>,
    entries: Vec<Entry>,
    probes: &Probes,
) -> (Vec<(Entry, Vec<Tried>)>, Vec<Untried>) {
    let progress = Progress::new(entries.len(), "programs tried");
    let mut results = Vec::new();
    session.side_by_side(
        Recalled::OfTheStore { runs: true },
        entries.len(),
        |slot, at| one(slot, package, entries[at].submission.id, probes, &progress),
        |_, result| {
            progress.program();
            results.push(result);
        },
    );
    let (mut programs, mut untried) = (Vec::new(), Vec::new());
    for (entry, result) in entries.into_iter().zip(results) {
        match result {
            Ok(tried) => programs.push((entry, tried)),
            Err(fault) => untried.push(Untried {
                attempt: entry.submission.attempt,
                fault,
                student: entry.submission.student,
            }),
        }
    }
    (programs, untried)
}

fn one(
    slot: &mut WorkerSlot<'_>,
    package: &Arc<Package>,
    id: SubmissionId,
    probes: &Probes,
    progress: &Progress,
) -> Result<Vec<Tried>, String> {
    let store = slot.store().map_err(|fault| fault.to_string())?;
    let found = store.map(|reader| reader.submission(id)).transpose();
    let found = found.map_err(|error| error.to_string())?.flatten();
    let found = found.ok_or("it was forgotten meanwhile")?;
    let piece = Piece::of(found, Arc::clone(package));
    let tried = slot.with_program(&piece, &|| progress.run(), |program| {
        probes.tried(package.task(), program)
    });
    tried.map_err(|fault| fault.to_string())
}

impl Group {
    fn of(
        number: usize,
        cluster: &Cluster,
        programs: &[(Entry, Vec<Tried>)],
        probes: &Probes,
    ) -> Self {
        let member = |&at: &usize| {
            let entry = &programs[at].0;
            Member {
                attempt: entry.submission.attempt,
                student: entry.submission.student.clone(),
                verdict: entry.verdict().unwrap_or(Verdict::Skipped),
            }
        };
        let (_, tried) = &programs[cluster.example];
        let example = |at: usize| {
            let probe = probes.all[at].clone();
            let printed = match tried[at].did {
                Observed::Right => Arc::clone(&probe.expected),
                _ => tried[at].printed.as_slice().into(),
            };
            Example {
                expected: probe.expected,
                input: probe.input,
                printed,
                test: probe.test,
            }
        };
        Self {
            count: cluster.members.len(),
            differs_from_next_on: cluster.differs_on.map(example),
            fails_on: cluster.fails_on.map(example),
            number,
            members: cluster.members.iter().map(member).collect(),
        }
    }
}

impl Show for Group {
    fn show(&self, page: &mut Page) {
        let named = self.members.iter().map(|one| {
            let code = one.verdict.code();
            format!("{} #{} ({code})", one.student, one.attempt)
        });
        let named = listed(named, NAMED_MAX);
        let count = amount(self.count, "program");
        page.line(format!("Group {}: {count}: {named}", self.number));
        let fails = "The smallest input that was found on which they fail";
        let differs = "The smallest that tells them from the next group";
        for (words, example) in [
            (fails, &self.fails_on),
            (differs, &self.differs_from_next_on),
        ] {
            let Some(example) = example else { continue };
            let test = example.test.as_ref().map(|test| format!(" ({test})"));
            page.line(format!("  {words}{}:", test.unwrap_or_default()));
            page.text("    ", shown(&example.input));
            page.line("  Expected:");
            page.text("    ", shown(&example.expected));
            page.line("  Printed:");
            page.text("    ", shown(&example.printed));
        }
        page.line("");
    }
}

impl Show for Untried {
    fn show(&self, page: &mut Page) {
        let text = format!("{} #{}: {}", self.student, self.attempt, self.fault);
        page.tagged(Style::Bad.on("not judged"), text);
    }
}

fn shown(bytes: &[u8]) -> String {
    let text = spelled(&bytes[..character_start(bytes, SHOWN_BYTES_MAX.min(bytes.len()))]);
    if bytes.len() > SHOWN_BYTES_MAX {
        return format!("{text}\n…");
    }
    text
}

fn whole<S: Serializer>(bytes: &Arc<[u8]>, serializer: S) -> Result<S::Ok, S::Error> {
    let whole = (bytes.len() <= WHOLE_BYTES_MAX).then(|| spelled(bytes));
    whole.serialize(serializer)
}
