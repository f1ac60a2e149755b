//! `verdictd import`: what a learning platform exports, as submissions.

mod times;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use clap::builder::PossibleValuesParser;
use jiff::tz::TimeZone;
use serde::Serialize;

use self::times::{MOODLE, TimeArguments, Untimed};
use super::prelude::{CliError, Exit, LISTED_MAX, Out, known, problem_of_course, roster};
use crate::config::{Config, UnknownStudents};
use crate::course::{self, Roster, Timing};
use crate::intake::Register;
use crate::lms::{
    HandIn, Line, Manifest, PLATFORMS, Pattern, Pen, People, Plan, Reading, Row, Said, Terms,
    Worksheet, deliver, plan, recognise,
};
use crate::package;
use crate::toolchain::Toolchain;
use crate::util::archive::Source;
use crate::util::clock::zone_text;
use crate::util::crash::point;
use crate::util::excerpt::visible_line;
use crate::util::words::{amount, listed};
use crate::view::{Page, Show, Span, Style};

/// An archive that is laid out as `--pattern` says.
const PATTERN: (&str, &str) = ("pattern", "the pattern");

/// What `--platform` may be.
fn platforms() -> PossibleValuesParser {
    PossibleValuesParser::new(PLATFORMS.iter().map(|platform| platform.id))
}

/// Turn a platform's export (Moodle, Canvas...) into submissions
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
    /// Print one JSON object per entry
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    out.as_json(arguments.json);
    let slugs = package::slugs(&config.folders.problems).map_err(CliError::usage)?;
    let problem = problem_of_course(arguments.problem.as_deref(), config)?;
    let pattern = arguments.pattern.as_deref().map(Pattern::new).transpose();
    let pattern = pattern.map_err(CliError::usage)?;
    let worksheet = arguments.worksheet.as_deref().map(Worksheet::load);
    let folder = config.file.parent().unwrap_or(Path::new("."));
    let course = course::Terms::load(folder).map_err(CliError::usage)?;
    let clock = course.as_ref().map(|course| course.zone.clone());
    let clock = clock.unwrap_or_else(TimeZone::system);
    let zone = match &arguments.zone {
        Some(name) => TimeZone::get(name).map_err(CliError::usage)?,
        None => clock.clone(),
    };
    let said = arguments.times.said(&clock)?;
    let roster = roster(config)?;
    let people = people(&roster);
    if arguments.only_roster && people.is_empty() {
        return Err(CliError::usage(
            "--only-roster needs a roster; set `roster` under [overview] of the configuration",
        ));
    }
    let rejects = config.overview.unknown_students == UnknownStudents::Reject;
    let mut known = known(&slugs, &Toolchain::of(config));
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
    let layout = Layout {
        platform: arguments.platform.as_deref(),
        pattern,
        worksheet: worksheet.transpose().map_err(CliError::usage)?,
    };
    // All of it is read before anything is written.
    let archives = arguments.archives.iter();
    let mut plans: Vec<Planned> = archives
        .map(|archive| planned(archive, &layout, &terms))
        .collect::<Result<_, _>>()?;
    let warns = config.overview.unknown_students == UnknownStudents::Warn && !people.is_empty();
    let register = warns.then_some(&*known.register);
    if let Some(register) = register {
        tell_strangers(&plans, register, out);
    }
    let course = course.unwrap_or_else(|| course::Terms::without_file(config.overview.counts));
    let said = (said, &course);
    finish(&mut plans, said, config, (arguments, register), out)
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
    if !arguments.dry_run {
        untimed.tell(out)?;
    }
    let pen = (!arguments.dry_run).then(|| Pen::take(&config.folders.staff));
    let mut pen = pen.transpose()?;
    let mut entries = Vec::new();
    for planned in &*plans {
        let written = match &mut pen {
            Some(pen) => write(planned, config, pen)?,
            None => vec![None; planned.plan.rows.len()],
        };
        let of_archive = planned.entries(&written, register, &course.zone);
        planned.show(&of_archive, out);
        entries.extend(of_archive);
    }
    if arguments.dry_run {
        untimed.tell(out)?;
    }
    Ok(tell(&entries, plans, arguments.dry_run, out))
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

/// What came of writing a row's program: whether it is new, or why it could not be written.
type Written = Option<Result<bool, String>>;

/// Writes an archive's programs. One student's folder that cannot be written to is no reason why
/// the others have to wait.
fn write(planned: &Planned, config: &Config, pen: &mut Pen) -> anyhow::Result<Vec<Written>> {
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
    let mut written = vec![None; planned.plan.rows.len()];
    for (index, _, hand_in) in taken {
        let delivered = deliver(&config.folders.submissions, hand_in);
        written[index] = Some(delivered.map_err(|error| error.to_string()));
    }
    Ok(written)
}

/// What becomes of an entry.
#[derive(Serialize)]
struct Imported {
    archive: String,
    entry: String,
    late: bool,
    not_on_roster: bool,
    problem: Option<String>,
    /// Why there is no program, or why it could not be written.
    refused: Option<String>,
    state: Option<&'static str>,
    /// None where there is no program.
    student: Option<String>,
    time: Option<String>,
    /// What a person reads of its time.
    #[serde(skip)]
    when: String,
}

/// How many entries are refused that are not listed.
#[derive(Serialize)]
struct MoreRefused<'p> {
    archive: &'p str,
    owner: String,
    unlisted: usize,
}

impl Imported {
    fn cells(&self) -> Vec<Span> {
        let student = self.student.as_deref().unwrap_or_default();
        vec![
            self.entry.as_str().into(),
            if self.not_on_roster {
                Style::Warn.on(format!("{student} (not on the roster)"))
            } else {
                student.into()
            },
            self.problem.as_deref().unwrap_or_default().into(),
            self.when.as_str().into(),
            match &self.refused {
                Some(why) => Style::Warn.on(why.as_str()),
                None => Style::Dim.on(self.state.unwrap_or_default()),
            },
        ]
    }
}

impl Show for MoreRefused<'_> {
    fn show(&self, page: &mut Page) {
        let whose = if self.owner.is_empty() {
            "nobody"
        } else {
            &self.owner
        };
        page.line(format!("{whose}: {} more refused", self.unlisted));
    }
}

impl Planned {
    /// What becomes of each entry; whom the register does not have is marked.
    fn entries(
        &self,
        written: &[Written],
        register: Option<&Register>,
        zone: &TimeZone,
    ) -> Vec<Imported> {
        let entry = |(row, written): (&Row, &Written)| {
            let hand_in = row.outcome.as_ref().ok();
            let is_stranger =
                |hand_in: &HandIn| register.is_some_and(|register| !register.has(&hand_in.student));
            Imported {
                archive: self.archive.clone(),
                entry: row.shown.clone(),
                late: hand_in.is_some_and(|hand_in| hand_in.late),
                not_on_roster: hand_in.is_some_and(is_stranger),
                problem: hand_in.map(|hand_in| hand_in.target.problem.to_string()),
                refused: match (&row.outcome, written) {
                    (Err(why), _) | (_, Some(Err(why))) => Some(visible_line(why)),
                    _ => None,
                },
                state: match written {
                    Some(Ok(true)) => Some("new"),
                    Some(Ok(false)) => Some("there already"),
                    _ => None,
                },
                student: hand_in.map(|hand_in| hand_in.student.to_string()),
                time: hand_in.and_then(|hand_in| Some(hand_in.time?.to_string())),
                when: hand_in.map_or_else(String::new, |hand_in| self.when(hand_in, zone)),
            }
        };
        self.plan.rows.iter().zip(written).map(entry).collect()
    }

    /// What a person reads of its time, on the course's clock.
    fn when(&self, hand_in: &HandIn, zone: &TimeZone) -> String {
        match hand_in.timing(self.platform.0) {
            Timing::At(time) => zone_text(time.as_millisecond(), zone),
            Timing::OnTime => "on time".to_owned(),
            Timing::Unknown if hand_in.late => "late, time unknown".to_owned(),
            Timing::Unknown => "time unknown".to_owned(),
        }
    }

    fn show(&self, entries: &[Imported], out: &mut Out) {
        for entry in entries {
            out.json(entry);
        }
        out.print(|page| {
            let header = ["entry", "student", "problem", "time", ""];
            page.line(format!("{}: {}", self.archive, self.platform.1));
            page.table(&header, entries.iter().map(Imported::cells).collect());
        });
        for (owner, &unlisted) in &self.plan.unlisted {
            out.show(&MoreRefused {
                archive: &self.archive,
                owner: visible_line(owner),
                unlisted,
            });
        }
    }
}

/// What came of all entries.
fn tell(entries: &[Imported], plans: &[Planned], is_dry: bool, out: &mut Out) -> Exit {
    let count = |which: &dyn Fn(&Imported) -> bool| entries.iter().filter(|one| which(one)).count();
    let programs = count(&|one| one.student.is_some());
    let failed = count(&|one| one.student.is_some() && one.refused.is_some());
    let unlisted = plans
        .iter()
        .flat_map(|planned| planned.plan.unlisted.values());
    let refused = entries.len() - programs + unlisted.sum::<usize>();
    let passed_over: usize = plans.iter().map(|planned| planned.plan.passed_over).sum();
    let done = if is_dry {
        "nothing is written".to_owned()
    } else {
        format!("{} new", count(&|one| one.state == Some("new")))
    };
    let not_written = match failed {
        0 => String::new(),
        failed => format!(", {failed} could not be written"),
    };
    out.note(&format!(
        "{} ({done}){not_written}; entries refused: {refused}, passed over: {passed_over}",
        amount(programs, "program"),
    ));
    match (failed, programs) {
        (0, 0) => Exit::No,
        (0, _) => Exit::Good,
        _ => Exit::Fault,
    }
}
