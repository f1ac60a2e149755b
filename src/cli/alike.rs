//! `verdictd alike [PROBLEM]`: programs of different students that are the same, or the same but for
//! names, numbers, texts, comments and layout. For staff; nothing of it is written anywhere, and it
//! is never part of a score.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use clap::Args;
use serde_json::json;

use super::exit::Exit;
use super::names::problem_named;
use super::out::Out;
use super::session::{read_config, zone};
use crate::alike::{Group, Program, TOKENS_MIN, Tokens, groups, pairs, tokens};
use crate::config::Config;
use crate::domain::{Digest, ProblemSlug, SubmissionId};
use crate::package;
use crate::store::Reader;
use crate::util::clock::{offset_text, zone_text};
use crate::util::files::read_regular;
use crate::util::words::{amount, listed};

/// Students whom a row names.
const NAMED_MAX: usize = 12;
/// In a larger group nobody is a pair: most of the class has written the same.
const PAIRS_OF_MAX: usize = 8;
/// Pairs that are shown.
const PAIRS_MAX: usize = 50;
/// Files of a package that are looked at, and folders inside folders.
const FILES_MAX: usize = 2_000;
const DEPTH_MAX: usize = 4;
/// The largest of them, in bytes.
const FILE_BYTES_MAX: u64 = 1 << 20;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The problem; by default all of them
    problem: Option<String>,
    /// One JSON object per group
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let config = read_config(config_file)?;
    let reader = Reader::open(&config.folders.state)?;
    let slugs = package::slugs(&config.folders.problems)?;
    let problem = arguments.problem.as_deref();
    let problem = problem.map(|name| problem_named(name, &slugs, &config.folders.problems));
    let problem = problem.transpose()?;
    let programs = programs(&reader, problem.as_ref())?;
    let found = groups(programs, &given(&config, &slugs));
    let zone = zone(&config);
    if arguments.json {
        for group in &found {
            out.json(&json!({
                "problem": group.problem.as_str(), "tokens": group.tokens,
                "same": same(group),
                "programs": group.programs.iter().map(|one| json!({
                    "student": one.student.as_str(), "attempt": one.attempt,
                    "received": offset_text(one.received_ms, &zone),
                })).collect::<Vec<_>>(),
            }));
        }
        return Ok(Exit::Good);
    }
    let mut table = out.table(&["PROBLEM", "TOKENS", "SAME", "STUDENTS, THE EARLIEST FIRST"]);
    for group in &found {
        let told: Vec<String> = group
            .programs
            .iter()
            .map(|one| {
                format!(
                    "{} #{} ({})",
                    one.student,
                    one.attempt,
                    zone_text(one.received_ms, &zone)
                )
            })
            .collect();
        table.add_row([
            group.problem.to_string(),
            group.tokens.to_string(),
            same(group).to_owned(),
            listed(told.iter().map(String::as_str), NAMED_MAX),
        ]);
    }
    out.write_table(&table);
    for pair in pairs(&found, PAIRS_OF_MAX).iter().take(PAIRS_MAX) {
        let [one, other] = &pair.students;
        let problems = pair.problems.iter().map(ProblemSlug::as_str);
        out.line(&format!(
            "{one} and {other}: {} ({})",
            amount(pair.problems.len(), "problem"),
            listed(problems, NAMED_MAX)
        ));
    }
    out.note(&format!(
        "{}; programs of fewer than {TOKENS_MIN} tokens and what the problem's folder has do not count; being alike proves nothing",
        amount(found.len(), "group")
    ));
    Ok(Exit::Good)
}

fn same(group: &Group) -> &'static str {
    if group.same_bytes { "bytes" } else { "tokens" }
}

/// Every attempt; bytes that many have handed in are read once.
fn programs(reader: &Reader, problem: Option<&ProblemSlug>) -> anyhow::Result<Vec<Program>> {
    let mut known: BTreeMap<(Digest, String), Tokens> = BTreeMap::new();
    let mut programs = Vec::new();
    for id in reader.submissions_of(None, problem)? {
        programs.extend(program(reader, id, &mut known)?);
    }
    Ok(programs)
}

fn program(
    reader: &Reader,
    id: SubmissionId,
    known: &mut BTreeMap<(Digest, String), Tokens>,
) -> anyhow::Result<Option<Program>> {
    // Forgotten meanwhile.
    let Some((submission, source)) = reader.submission(id)? else {
        return Ok(None);
    };
    let extension = extension(&source.name).to_owned();
    let tokens = known
        .entry((source.digest, extension))
        .or_insert_with_key(|(_, extension)| tokens(&source.bytes, extension))
        .clone();
    Ok(Some(Program {
        student: submission.student,
        problem: submission.problem,
        attempt: submission.attempt,
        received_ms: submission.received_ms,
        source: source.digest,
        tokens,
    }))
}

fn extension(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// The token streams of what lies in the packages: what students were given, and examples.
fn given(config: &Config, slugs: &[ProblemSlug]) -> BTreeSet<Digest> {
    let mut digests = BTreeSet::new();
    let mut left = FILES_MAX;
    for slug in slugs {
        let folder = config.folders.problems.join(slug.as_str());
        for below in ["attachments", "submissions"] {
            add_given(&folder.join(below), 0, &mut left, &mut digests);
        }
    }
    digests
}

fn add_given(folder: &Path, depth: usize, left: &mut usize, digests: &mut BTreeSet<Digest>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if *left == 0 {
            return;
        }
        *left -= 1;
        if path.is_dir() {
            if depth < DEPTH_MAX {
                add_given(&path, depth + 1, left, digests);
            }
        } else if let Ok(bytes) = read_regular(&path, FILE_BYTES_MAX) {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            digests.insert(tokens(&bytes, extension(&name)).digest);
        }
    }
}
