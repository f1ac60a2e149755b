//! `verdictd clusters PROBLEM`: the latest programs of a course that fail in the same way, grouped,
//! with the smallest input that tells each group from right programs and from the next group. For
//! staff; nothing of it is written anywhere.

use std::path::Path;
use std::sync::Arc;

use anyhow::anyhow;
use clap::Args;
use serde_json::{Value, json};

use super::exit::{CliError, Exit};
use super::measured::{Runs, with_program};
use super::names::problem_named;
use super::out::{Out, Style};
use super::progress::Progress;
use super::session::{Piece, Session, store_if_any, worker_count};
use crate::domain::{ProblemSlug, Submission, SubmissionId, Verdict};
use crate::explain::{Budget, Cluster, Did, Probes, Tried, clusters};
use crate::package::Package;
use crate::store::{Entry, Reader};
use crate::util::excerpt::{spelled, visible_line};
use crate::util::pool::side_by_side;
use crate::util::text::character_start;
use crate::util::words::{amount, listed};

/// Submissions that are read at a time.
const PAGE: u32 = 1_000;
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

#[derive(Debug, Args)]
pub struct Arguments {
    /// The problem
    problem: String,
    /// One JSON object per group
    #[arg(long)]
    json: bool,
}

/// A program that fails, and what it did with the probes.
struct Failing {
    submission: Submission,
    verdict: Verdict,
    tried: Vec<Tried>,
}

pub fn run(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let session = Session::open(config_file)?;
    let folders = &session.config.folders;
    let slug = problem_named(&arguments.problem, &session.slugs, &folders.problems)?;
    let package = match session.package(&slug) {
        Some(Ok(package)) => package,
        Some(Err(error)) if error.ours => return Err(anyhow!("{error}")),
        Some(Err(error)) => return Err(CliError::usage(error.to_string())),
        None => return Err(CliError::usage(format!("there is no problem `{slug}`"))),
    };
    let Some(reader) = store_if_any(&session.config)? else {
        out.note("no daemon has run here yet");
        return Ok(Exit::Good);
    };
    let entries = failing(&reader, &slug)?;
    let names = entries.iter().filter_map(Entry::first_failing_test);
    let names: Vec<String> = names.map(str::to_owned).collect();
    let known = reader.latest_counterexamples(&slug, KNOWN_MAX)?;
    let known = known.into_iter().map(|other| other.input).collect();
    let probes = session.with_oracle(|oracle| Probes::of(&package, &names, known, oracle))?;
    let (programs, faults) = tried(&session, &package, &entries, &probes);
    let did: Vec<_> = programs
        .iter()
        .map(|program| program.tried.iter().map(|tried| tried.did).collect())
        .collect();
    let found = clusters(&did);
    for (number, cluster) in (1..).zip(&found) {
        let group = Group {
            number,
            cluster,
            programs: &programs,
            probes: &probes,
        };
        if arguments.json {
            out.json(&group.object());
        } else {
            group.show(out);
        }
    }
    for (submission, fault) in &faults {
        let Submission {
            student, attempt, ..
        } = submission;
        if arguments.json {
            out.json(&json!({"student": student.as_str(), "attempt": attempt, "fault": fault}));
        } else {
            let text = format!("{student} #{attempt}: {fault}");
            out.tagged(Style::Bad, "not judged", &visible_line(&text));
        }
    }
    out.note(&format!(
        "{} of {} that fail, each on {}",
        amount(found.len(), "group"),
        amount(programs.len(), "program"),
        amount(probes.all.len(), "input")
    ));
    Ok(if faults.is_empty() {
        Exit::Good
    } else {
        Exit::Fault
    })
}

/// The latest attempts that were built and failed, one a student.
fn failing(reader: &Reader, problem: &ProblemSlug) -> anyhow::Result<Vec<Entry>> {
    let mut latest = std::collections::BTreeMap::new();
    let mut after = SubmissionId(0);
    loop {
        let page = reader.entries_after(after, PAGE)?;
        let Some(last) = page.last() else {
            break;
        };
        after = last.submission.id;
        for entry in page {
            if entry.submission.problem == *problem {
                latest.insert(entry.submission.student.clone(), entry);
            }
        }
    }
    let is_failing = |entry: &Entry| {
        entry
            .verdict()
            .is_some_and(|verdict| !matches!(verdict, Verdict::Accepted | Verdict::CompileError))
    };
    let mut failing: Vec<Entry> = latest.into_values().filter(is_failing).collect();
    failing.sort_by_key(|entry| entry.submission.id);
    let more = failing.len().saturating_sub(PROGRAMS_MAX);
    Ok(failing.split_off(more))
}

type Faults = Vec<(Submission, String)>;

/// Tries every program on the probes.
fn tried(
    session: &Session,
    package: &Arc<Package>,
    entries: &[Entry],
    probes: &Probes,
) -> (Vec<Failing>, Faults) {
    let progress = Progress::new(entries.len(), "programs tried");
    let mut results: Vec<Option<Result<Vec<Tried>, String>>> = Vec::new();
    results.resize_with(entries.len(), || None);
    side_by_side(
        worker_count(&session.config),
        entries.len(),
        |number| (number, Reader::open(&session.config.folders.state)),
        |(number, reader), at| {
            let reader = reader.as_ref().map_err(ToString::to_string)?;
            one(
                session,
                package,
                entries[at].submission.id,
                (*number, reader),
                probes,
                &|| progress.run(),
            )
        },
        |at, result| {
            progress.program();
            results[at] = Some(result);
        },
    );
    let (mut programs, mut faults) = (Vec::new(), Vec::new());
    for (entry, result) in entries.iter().zip(results) {
        let submission = entry.submission.clone();
        let verdict = entry.verdict().unwrap_or(Verdict::Skipped);
        match result {
            Some(Ok(tried)) => programs.push(Failing {
                submission,
                verdict,
                tried,
            }),
            Some(Err(fault)) => faults.push((submission, fault)),
            None => {}
        }
    }
    (programs, faults)
}

fn one(
    session: &Session,
    package: &Arc<Package>,
    id: SubmissionId,
    (number, reader): (usize, &Reader),
    probes: &Probes,
    watch: &(dyn Fn() + Sync),
) -> Result<Vec<Tried>, String> {
    let found = reader.submission(id).map_err(|error| error.to_string())?;
    let (submission, source) = found.ok_or("it was forgotten meanwhile")?;
    let piece = Piece {
        submission,
        source,
        package: Arc::clone(package),
    };
    let runs = Runs {
        number,
        store: Some(reader),
        budget: Budget::default(),
        watch,
    };
    let tried = with_program(session, &piece, &runs, |program| {
        probes.tried(package.task(), program)
    });
    tried.map_err(|fault| fault.to_string())
}

/// A group as it is shown.
struct Group<'g> {
    number: usize,
    cluster: &'g Cluster,
    programs: &'g [Failing],
    probes: &'g Probes,
}

impl Group<'_> {
    fn members(&self) -> impl Iterator<Item = &Failing> {
        let members = self.cluster.members.iter();
        members.map(|&member| &self.programs[member])
    }

    /// An input, the right answer to it, and what the group printed.
    fn input(&self, probe: usize) -> [&[u8]; 3] {
        let tried = &self.programs[self.cluster.example].tried[probe];
        let probe = &self.probes.all[probe];
        let printed = match tried.did {
            Did::Right => &probe.expected,
            _ => &tried.printed[..],
        };
        [&probe.input, &probe.expected, printed]
    }

    fn object(&self) -> Value {
        let input = |probe: Option<usize>| {
            let probe = probe?;
            let [input, expected, printed] = self.input(probe).map(whole);
            Some(json!({
                "test": self.probes.all[probe].test,
                "input": input, "expected": expected, "printed": printed,
            }))
        };
        json!({
            "group": self.number,
            "count": self.cluster.members.len(),
            "members": self.members().map(|member| json!({
                "student": member.submission.student.as_str(),
                "attempt": member.submission.attempt,
                "verdict": member.verdict.code(),
            })).collect::<Vec<_>>(),
            "fails_on": input(self.cluster.fails_on),
            "differs_from_next_on": input(self.cluster.differs_on),
        })
    }

    fn show(&self, out: &mut Out) {
        let named: Vec<String> = self
            .members()
            .map(|member| {
                let Submission {
                    student, attempt, ..
                } = &member.submission;
                format!("{student} #{attempt} ({})", member.verdict.code())
            })
            .collect();
        let named = listed(named.iter().map(String::as_str), NAMED_MAX);
        let count = amount(self.cluster.members.len(), "program");
        out.line(&format!("Group {}: {count}: {named}", self.number));
        let ways = [
            (
                "The smallest input that was found on which they fail",
                self.cluster.fails_on,
            ),
            (
                "The smallest that tells them from the next group",
                self.cluster.differs_on,
            ),
        ];
        for (words, probe) in ways {
            let Some(probe) = probe else { continue };
            let [input, expected, printed] = self.input(probe);
            let test = self.probes.all[probe].test.as_ref();
            let test = test.map(|test| format!(" ({})", visible_line(test)));
            out.line(&format!("  {words}{}:", test.unwrap_or_default()));
            for (word, text) in [("", input), ("Expected:", expected), ("Printed:", printed)] {
                if !word.is_empty() {
                    out.line(&format!("  {word}"));
                }
                for line in shown(text).lines() {
                    out.line(&format!("    {line}"));
                }
            }
        }
        out.line("");
    }
}

fn shown(bytes: &[u8]) -> String {
    let text = spelled(&bytes[..character_start(bytes, SHOWN_BYTES_MAX.min(bytes.len()))]);
    if bytes.len() > SHOWN_BYTES_MAX {
        return format!("{text}\n…");
    }
    text
}

fn whole(bytes: &[u8]) -> Option<String> {
    (bytes.len() <= WHOLE_BYTES_MAX).then(|| spelled(bytes))
}
