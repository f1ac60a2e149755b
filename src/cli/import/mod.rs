//! `verdictd import`: what a learning platform exports, as submissions.

mod times;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use clap::builder::PossibleValuesParser;
use jiff::tz::TimeZone;
use serde_json::json;

use self::times::{MOODLE, TimeArguments, Untimed};
use super::exit::{CliError, Exit};
use super::names::{LISTED_MAX, problem_named};
use super::out::{Out, Style, cell};
use super::session::{known, read_config};
use crate::config::{Config, UnknownStudents};
use crate::course::{self, Roster, Timing};
use crate::import::{
    HandIn, Line, Manifest, PLATFORMS, Pattern, Pen, People, Plan, Reading, Row, Said, Source,
    Terms, Worksheet, deliver, plan, recognise,
};
use crate::intake::Register;
use crate::package;
use crate::toolchain::Toolchain;
use crate::util::crash::point;
use crate::util::excerpt::visible_line;
use crate::util::words::{amount, listed};

/// An archive that is laid out as `--pattern` says.
const PATTERN: (&str, &str) = ("pattern", "the pattern");

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
    /// Moodle's grading worksheet of the assignment: it says who the participants are, and when they
    /// handed in
    #[arg(long, value_name = "FILE")]
    worksheet: Option<PathBuf>,
    /// The time zone of the platform's clock, such as Europe/Oslo; by default the course's, or this
    /// machine's
    #[arg(long, value_name = "ZONE")]
    zone: Option<String>,
    #[command(flatten)]
    times: TimeArguments,
    /// Refuse students who are not on the roster, as `unknown_students = "reject"` does
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
    let course = course_of(&config)?;
    let zone = zone(arguments.zone.as_deref(), course.as_ref())?;
    let said = arguments.times.said(course.as_ref())?;
    let roster = roster(&config)?;
    let people = people(&roster);
    if arguments.only_roster && people.is_empty() {
        return Err(CliError::usage(
            "--only-roster needs a roster; set `roster` under [overview] of the configuration",
        ));
    }
    let rejects = config.overview.unknown_students == UnknownStudents::Reject;
    let mut known = known(&slugs, &Toolchain::of(&config));
    known.ignore.clone_from(&config.intake.ignore);
    known.register = Arc::new(Register::new(roster.register(), rejects));
    let terms = Terms {
        people: &people,
        known: &known,
        problem: problem.as_ref(),
        only_roster: arguments.only_roster || (rejects && !people.is_empty()),
        zone: &zone,
        source_bytes_max: config.intake.source_bytes_max,
    };
    let shape = Layout {
        platform: arguments.platform.as_deref(),
        pattern: pattern.transpose().map_err(CliError::usage)?,
        worksheet: arguments
            .worksheet
            .as_deref()
            .map(Worksheet::load)
            .transpose()
            .map_err(CliError::usage)?,
    };
    // All of it is read before anything is written.
    let mut plans: Vec<Planned> = arguments
        .archives
        .iter()
        .map(|archive| planned(archive, &shape, &terms))
        .collect::<Result<_, _>>()?;
    let warns = config.overview.unknown_students == UnknownStudents::Warn && !people.is_empty();
    let register = warns.then_some(&*known.register);
    if let Some(register) = register {
        tell_strangers(&plans, register, out);
    }
    let course = course.unwrap_or_else(|| course::Terms::without_file(config.overview.counts));
    let said = (said, &course);
    finish(&mut plans, said, &config, (arguments, register), out)
}

/// Completes the plans with what is said of times, shows them, and writes what they are for.
fn finish(
    plans: &mut [Planned],
    (said, course): (Said, &course::Terms),
    config: &Config,
    (arguments, register): (&Arguments, Option<&Register>),
    out: &mut Out,
) -> anyhow::Result<Exit> {
    for planned in &mut *plans {
        planned.plan.complete(planned.platform.0, said, course);
    }
    let known = Manifest::load(&config.folders.staff)?.times();
    let untimed = Untimed::of(
        plans
            .iter()
            .map(|planned| (&planned.plan, planned.platform)),
        &known,
        course,
    );
    let mut counts = Counts::default();
    if arguments.dry_run {
        for planned in &*plans {
            counts.show(planned, &[], register, arguments, out);
        }
        untimed.tell(out)?;
        return Ok(counts.tell(arguments, out));
    }
    untimed.tell(out)?;
    let mut pen = Pen::take(&config.folders.staff)?;
    for planned in &*plans {
        let states = write(planned, config, &mut pen)?;
        counts.show(planned, &states, register, arguments, out);
    }
    Ok(counts.tell(arguments, out))
}

/// Names those whom the roster does not have; their programs are taken all the same.
fn tell_strangers(plans: &[Planned], register: &Register, out: &mut Out) {
    let rows = plans.iter().flat_map(|planned| &planned.plan.rows);
    let taken = rows.filter_map(|row| row.outcome.as_ref().ok());
    let unknown = taken.filter(|hand_in| !register.has(&hand_in.student));
    let names: BTreeSet<&str> = unknown.map(|hand_in| hand_in.student.as_str()).collect();
    if !names.is_empty() {
        let names = listed(names, LISTED_MAX);
        out.note(&format!(
            "not on the roster: {names}; their programs are judged, and count once they are on it"
        ));
    }
}

/// What course.toml says; `None` where there is none.
fn course_of(config: &Config) -> anyhow::Result<Option<course::Terms>> {
    let folder = config.file.parent().unwrap_or(Path::new("."));
    course::Terms::load(folder).map_err(CliError::usage)
}

/// The zone of the platform's clock: what a person says, else the course's own.
fn zone(named: Option<&str>, course: Option<&course::Terms>) -> anyhow::Result<TimeZone> {
    if let Some(name) = named {
        return TimeZone::get(name).map_err(CliError::usage);
    }
    Ok(course.map_or_else(TimeZone::system, |course| course.zone.clone()))
}

fn roster(config: &Config) -> anyhow::Result<Roster> {
    let roster = config.overview.roster.as_deref().map(Roster::load);
    Ok(roster
        .transpose()
        .map_err(CliError::usage)?
        .unwrap_or_default())
}

/// Whom the roster knows, and by what.
fn people(roster: &Roster) -> People {
    let mut people = People::default();
    for person in roster.people() {
        people.add(&person.student, person.keys(), person.last_and_first());
        people.add_to_team(&person.student, &person.group);
    }
    people
}

/// How the archives are laid out, as far as a person has said.
struct Layout<'a> {
    platform: Option<&'a str>,
    pattern: Option<Pattern>,
    worksheet: Option<Worksheet>,
}

/// What is to be done with an archive.
struct Planned {
    archive: String,
    /// The platform's id, and what people call it.
    platform: (&'static str, &'static str),
    plan: Plan,
}

fn planned(path: &Path, layout: &Layout<'_>, terms: &Terms<'_>) -> anyhow::Result<Planned> {
    let mut source = Source::open(path).map_err(CliError::usage)?;
    let full = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = if full.is_dir() {
        full.file_name()
    } else {
        full.file_stem()
    };
    let origin = name.unwrap_or_default().to_string_lossy().into_owned();
    let (platform, mut readings): (_, Vec<Reading>) = match &layout.pattern {
        Some(pattern) => (PATTERN, pattern.readings(source.entries())),
        None => match recognise(&mut source, &origin, layout.platform) {
            Some(found) => ((found.platform.id, found.platform.name), found.readings),
            None => return Err(CliError::usage(unrecognised(path, layout.platform))),
        },
    };
    match &layout.worksheet {
        Some(_) if platform.0 != MOODLE => {
            return Err(CliError::usage(format!(
                "{}: it comes from {}, and --worksheet is Moodle's",
                path.display(),
                platform.1
            )));
        }
        Some(worksheet) => worksheet.complete(&mut readings),
        None => {}
    }
    let archive = full.file_name().unwrap_or_default();
    Ok(Planned {
        plan: plan(&mut source, readings, &origin, platform.1, terms),
        archive: archive.to_string_lossy().into_owned(),
        platform,
    })
}

fn unrecognised(path: &Path, platform: Option<&str>) -> String {
    let path = path.display();
    let ids: Vec<&str> = PLATFORMS.iter().map(|platform| platform.id).collect();
    match platform {
        Some(platform) => format!("{path}: nothing in it is named as {platform} names files"),
        None => format!(
            "{path}: most entries look like no platform's; say where it comes from with --platform ({}), or how it is laid out with --pattern",
            ids.join(", ")
        ),
    }
}

/// The outcome of a row.
#[derive(Clone, PartialEq, Eq)]
enum State {
    /// It is no program, or nothing is written.
    Planned,
    New,
    There,
    Failed(String),
}

/// Writes an archive's programs. One student's folder that cannot be written to is no reason why
/// the others have to wait.
fn write(planned: &Planned, config: &Config, pen: &mut Pen) -> anyhow::Result<Vec<State>> {
    let taken = planned.plan.rows.iter();
    let mut taken: Vec<(usize, &Row, &HandIn)> = taken
        .enumerate()
        .filter_map(|(index, row)| Some((index, row, row.outcome.as_ref().ok()?)))
        .collect();
    // An earlier attempt is handed in before a later one.
    taken.sort_by_key(|(_, _, hand_in)| hand_in.time);
    // Before the programs: the daemon may take a program the moment that it is there.
    pen.add(taken.iter().map(|(_, row, hand_in)| {
        Line::of(planned.platform.0, &planned.archive, &row.raw, hand_in)
    }))?;
    point("import noted");
    let mut states = vec![State::Planned; planned.plan.rows.len()];
    for (index, _, hand_in) in taken {
        states[index] = match deliver(&config.folders.submissions, hand_in) {
            Ok(delivered) if delivered.is_new => State::New,
            Ok(_) => State::There,
            Err(error) => State::Failed(error.to_string()),
        };
    }
    Ok(states)
}

/// What came of all entries.
#[derive(Default)]
struct Counts {
    programs: usize,
    new: usize,
    failed: usize,
    refused: usize,
    passed_over: usize,
}

impl Counts {
    /// Shows each entry; without states, nothing was written. Whom the register does not have is
    /// marked.
    fn show(
        &mut self,
        planned: &Planned,
        states: &[State],
        register: Option<&Register>,
        arguments: &Arguments,
        out: &mut Out,
    ) {
        self.passed_over += planned.plan.passed_over;
        let mut table = out.table(&["entry", "student", "problem", "time", ""]);
        for (index, row) in planned.plan.rows.iter().enumerate() {
            let state = states.get(index).unwrap_or(&State::Planned);
            let taken = row.outcome.as_ref();
            self.programs += usize::from(taken.is_ok());
            self.refused += usize::from(taken.is_err());
            self.new += usize::from(*state == State::New);
            self.failed += usize::from(matches!(state, State::Failed(_)));
            let student = taken.map(|hand_in| hand_in.student.to_string()).ok();
            let is_stranger = taken.is_ok_and(|hand_in| {
                register.is_some_and(|register| !register.has(&hand_in.student))
            });
            let problem = taken.map(|hand_in| hand_in.target.problem.to_string()).ok();
            let late = taken.is_ok_and(|hand_in| hand_in.late);
            let time = taken.ok().and_then(|hand_in| hand_in.time);
            let word = match state {
                State::Planned | State::Failed(_) => None,
                State::New => Some("new"),
                State::There => Some("there already"),
            };
            let refused = match (taken, state) {
                (Err(why), _) | (_, State::Failed(why)) => Some(visible_line(why)),
                _ => None,
            };
            if arguments.json {
                out.json(&json!({
                    "archive": planned.archive,
                    "entry": row.shown,
                    "student": student,
                    "not_on_roster": is_stranger,
                    "problem": problem,
                    "time": time.map(|time| time.to_string()),
                    "late": late,
                    "refused": refused,
                    "state": word,
                }));
                continue;
            }
            let timing = taken.ok().map(|hand_in| hand_in.timing(planned.platform.0));
            let shown = match timing {
                Some(Timing::At(time)) => time.to_string(),
                Some(Timing::OnTime) => "on time".to_owned(),
                Some(Timing::Unknown) if late => "late, time unknown".to_owned(),
                Some(Timing::Unknown) => "time unknown".to_owned(),
                None => String::new(),
            };
            let last = match &refused {
                Some(why) => cell(Style::Warn, why),
                None => cell(Style::Dim, word.unwrap_or_default()),
            };
            table.add_row([
                row.shown.as_str().into(),
                match student {
                    Some(student) if is_stranger => {
                        cell(Style::Warn, &format!("{student} (not on the roster)"))
                    }
                    student => student.unwrap_or_default().into(),
                },
                problem.unwrap_or_default().into(),
                shown.into(),
                last,
            ]);
        }
        if !arguments.json {
            out.line(&format!("{}: {}", planned.archive, planned.platform.1));
            out.write_table(&table);
        }
        self.show_unlisted(planned, arguments, out);
    }

    /// Counts those that no row has.
    fn show_unlisted(&mut self, planned: &Planned, arguments: &Arguments, out: &mut Out) {
        for (owner, count) in &planned.plan.unlisted {
            self.refused += count;
            let owner = visible_line(owner);
            if arguments.json {
                out.json(&json!({
                    "archive": planned.archive,
                    "owner": owner,
                    "unlisted": count,
                }));
            } else {
                let whose = if owner.is_empty() { "nobody" } else { &owner };
                out.line(&format!("{whose}: {count} more refused"));
            }
        }
    }

    fn tell(&self, arguments: &Arguments, out: &mut Out) -> Exit {
        let done = if arguments.dry_run {
            "nothing is written".to_owned()
        } else {
            format!("{} new", self.new)
        };
        let failed = match self.failed {
            0 => String::new(),
            failed => format!(", {failed} could not be written"),
        };
        out.note(&format!(
            "{} ({done}){failed}; entries refused: {}, passed over: {}",
            amount(self.programs, "program"),
            self.refused,
            self.passed_over
        ));
        match (self.failed, self.programs) {
            (0, 0) => Exit::No,
            (0, _) => Exit::Good,
            _ => Exit::Fault,
        }
    }
}
