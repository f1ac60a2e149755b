//! `verdictd import`: what a learning platform exports, as submissions.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;
use clap::builder::PossibleValuesParser;
use jiff::tz::TimeZone;
use serde_json::json;

use super::exit::{CliError, Exit};
use super::names::problem_named;
use super::out::{Out, Style, cell};
use super::session::{known, read_config};
use crate::config::Config;
use crate::course::Roster;
use crate::import::{
    HandIn, Line, Manifest, PLATFORMS, Pattern, People, Plan, Reading, Row, Source, Terms, deliver,
    plan, recognise,
};
use crate::package;
use crate::toolchain::Toolchain;
use crate::util::excerpt::visible_line;

/// What `--platform` may be.
fn platforms() -> PossibleValuesParser {
    PossibleValuesParser::new(PLATFORMS.iter().map(|platform| platform.id))
}

/// Arguments of `import`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Zip files or folders, as a platform exports them
    #[arg(required = true, value_name = "FILE|DIR")]
    archives: Vec<PathBuf>,
    /// Where they come from; by default what most entries look like
    #[arg(long, value_parser = platforms())]
    platform: Option<String>,
    /// The problem that all of it is for, whatever the files are called
    #[arg(long)]
    problem: Option<String>,
    /// A regular expression for whole paths, with the groups student, problem, ext, time, file
    #[arg(long, value_name = "REGEX", conflicts_with = "platform")]
    pattern: Option<String>,
    /// The time zone of the platform's clock, such as Europe/Oslo; by default this machine's
    #[arg(long, value_name = "ZONE")]
    zone: Option<String>,
    /// Refuse students who are not on the roster
    #[arg(long)]
    only_roster: bool,
    /// Write nothing; show what would be done
    #[arg(long)]
    dry_run: bool,
    /// One JSON object per entry
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let config = read_config(config_file)?;
    let slugs = package::slugs(&config.folders.problems).map_err(CliError::usage)?;
    let problem = arguments.problem.as_deref();
    let problem = problem.map(|name| problem_named(name, &slugs, &config.folders.problems));
    let problem = problem.transpose()?;
    let pattern = arguments.pattern.as_deref().map(Pattern::new);
    let zone = match &arguments.zone {
        Some(name) => TimeZone::get(name).map_err(CliError::usage)?,
        None => TimeZone::system(),
    };
    let people = people(&config)?;
    if arguments.only_roster && people.is_empty() {
        return Err(CliError::usage(
            "--only-roster needs a roster; set `roster` under [overview] of the configuration",
        ));
    }
    let terms = Terms {
        people: &people,
        known: &known(&slugs, &Toolchain::of(&config)),
        problem: problem.as_ref(),
        only_roster: arguments.only_roster,
        zone: &zone,
        source_bytes_max: config.intake.source_bytes_max,
    };
    let pattern = pattern.transpose().map_err(CliError::usage)?;
    // All of it is read before anything is written.
    let mut plans = Vec::new();
    for archive in &arguments.archives {
        plans.push(planned(
            archive,
            arguments.platform.as_deref(),
            pattern.as_ref(),
            &terms,
        )?);
    }
    let mut manifest = Manifest::load(&config.folders.staff)?;
    let mut counts = Counts::default();
    for planned in plans {
        let states = if arguments.dry_run {
            planned.plan.rows.iter().map(|_| "").collect()
        } else {
            write(&planned, &config, &mut manifest)?
        };
        counts.show(&planned, &states, arguments, out);
    }
    Ok(counts.tell(arguments, out))
}

/// Whom the roster knows, and by what.
fn people(config: &Config) -> anyhow::Result<People> {
    let mut people = People::default();
    if let Some(file) = &config.overview.roster {
        for person in Roster::load(file).map_err(CliError::usage)?.people() {
            people.add(&person.student, person.keys(), person.last_and_first());
        }
    }
    Ok(people)
}

/// What is to be done with an archive.
struct Planned {
    archive: String,
    platform: String,
    plan: Plan,
}

fn planned(
    path: &Path,
    platform: Option<&str>,
    pattern: Option<&Pattern>,
    terms: &Terms<'_>,
) -> anyhow::Result<Planned> {
    let mut source = Source::open(path).map_err(CliError::usage)?;
    let full = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = if full.is_dir() {
        full.file_name()
    } else {
        full.file_stem()
    };
    let origin = name.unwrap_or_default().to_string_lossy().into_owned();
    let (platform, readings): (_, Vec<Reading>) = match pattern {
        Some(pattern) => ("the pattern", pattern.readings(source.entries())),
        None => match recognise(&mut source, &origin, platform) {
            Some(recognised) => (recognised.platform.name, recognised.readings),
            None => return Err(CliError::usage(unrecognised(path, platform))),
        },
    };
    Ok(Planned {
        plan: plan(&mut source, readings, &origin, platform, terms),
        archive: full
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        platform: platform.to_owned(),
    })
}

fn unrecognised(path: &Path, platform: Option<&str>) -> String {
    let path = path.display();
    match platform {
        Some(platform) => format!("{path}: nothing in it is named as {platform} names files"),
        None => format!(
            "{path}: most entries look like no platform's; say where it comes from with --platform, or how it is laid out with --pattern"
        ),
    }
}

/// Writes an archive's programs; for each row whether it is new.
fn write(
    planned: &Planned,
    config: &Config,
    manifest: &mut Manifest,
) -> anyhow::Result<Vec<&'static str>> {
    let taken = planned.plan.rows.iter();
    let mut taken: Vec<(usize, &Row, &HandIn)> = taken
        .enumerate()
        .filter_map(|(index, row)| Some((index, row, row.outcome.as_ref().ok()?)))
        .collect();
    // An earlier attempt is handed in before a later one.
    taken.sort_by_key(|(_, _, hand_in)| hand_in.time);
    // Before the programs: the daemon may take a program the moment that it is there.
    manifest.add(taken.iter().map(|(_, row, hand_in)| {
        Line::of(&planned.platform, &planned.archive, &row.raw, hand_in)
    }))?;
    let mut states = vec![""; planned.plan.rows.len()];
    for (index, _, hand_in) in taken {
        let delivered =
            deliver(&config.folders.submissions, hand_in).map_err(|error| anyhow!(error))?;
        states[index] = if delivered.is_new {
            "new"
        } else {
            "there already"
        };
    }
    Ok(states)
}

/// What came of all entries.
#[derive(Default)]
struct Counts {
    programs: usize,
    new: usize,
    refused: usize,
    passed_over: usize,
}

impl Counts {
    fn show(&mut self, planned: &Planned, states: &[&str], arguments: &Arguments, out: &mut Out) {
        self.passed_over += planned.plan.passed_over;
        let mut table = out.table(&["entry", "student", "problem", "time", ""]);
        for (row, state) in planned.plan.rows.iter().zip(states) {
            let taken = row.outcome.as_ref();
            self.programs += usize::from(taken.is_ok());
            self.refused += usize::from(taken.is_err());
            self.new += usize::from(*state == "new");
            let student = taken.map(|hand_in| hand_in.student.to_string()).ok();
            let problem = taken.map(|hand_in| hand_in.target.problem.to_string()).ok();
            let time = taken.ok().and_then(|hand_in| hand_in.time);
            let refused = taken.err().map(|why| visible_line(why));
            if arguments.json {
                out.json(&json!({
                    "archive": planned.archive,
                    "entry": row.shown,
                    "student": student,
                    "problem": problem,
                    "time": time.map(|time| time.to_string()),
                    "refused": refused,
                    "state": (!state.is_empty()).then_some(state),
                }));
                continue;
            }
            let last = match &refused {
                Some(why) => cell(Style::Warn, why),
                None => cell(Style::Dim, state),
            };
            table.add_row([
                row.shown.as_str().into(),
                student.unwrap_or_default().into(),
                problem.unwrap_or_default().into(),
                time.map(|time| time.to_string()).unwrap_or_default().into(),
                last,
            ]);
        }
        if !arguments.json {
            out.line(&format!("{}: {}", planned.archive, planned.platform));
            out.write_table(&table);
        }
    }

    fn tell(&self, arguments: &Arguments, out: &mut Out) -> Exit {
        let done = if arguments.dry_run {
            "nothing is written".to_owned()
        } else {
            format!("{} new", self.new)
        };
        out.note(&format!(
            "{} programs ({done}), {} entries refused, {} passed over",
            self.programs, self.refused, self.passed_over
        ));
        if self.programs == 0 {
            Exit::No
        } else {
            Exit::Good
        }
    }
}
