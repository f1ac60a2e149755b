//! course.toml and what it names, read together: what counts for whom.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::mem;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::extensions::Extensions;
use super::late::{Early, Window};
use super::moment::Moment;
use super::points::Points;
use super::shape::{self, AttemptsAllowed, DEFAULTS, RULES, Step};
use crate::config::{Counts, Place, text_of};
use crate::domain::bounds::CONFIG_BYTES_MAX;
use crate::domain::{Complaint, NameError, ProblemSlug, Student};
use crate::util::files::read_regular;
use crate::util::words::nearest;

/// The file beside config.toml.
pub const FILE: &str = "course.toml";

/// Problems that are handed in together.
#[derive(Debug, Clone, Default)]
pub struct Assignment {
    /// Its name in files and links.
    pub name: String,
    /// What people read.
    pub title: String,
    /// What each of its problems brings, in the order of their names.
    pub points: BTreeMap<ProblemSlug, Points>,
    /// Which attempt counts.
    pub counts: Counts,
    opens: Option<Timestamp>,
    early: Early,
    /// When it is due, for those without an extension.
    pub due: Option<Timestamp>,
    closes: Option<Moment>,
    grace: Moment,
    late: Vec<Step>,
    attempts: Option<AttemptsAllowed>,
}

impl Assignment {
    /// Whether it has opened at a moment.
    pub fn is_open(&self, at: Timestamp) -> bool {
        self.opens.is_none_or(|opens| opens <= at)
    }
}

/// What counts in a course, and for whom.
#[derive(Debug)]
pub struct Terms {
    /// What the course is called; "" where it does not say.
    pub title: String,
    /// On whose clock times are shown.
    pub zone: TimeZone,
    /// In the file's order.
    pub assignments: Vec<Assignment>,
    /// Which attempt counts, where an assignment does not say.
    pub counts: Counts,
    by_problem: HashMap<ProblemSlug, usize>,
    extensions: Extensions,
    /// Whether the file was never read: nobody knows when problems open.
    pub is_unread: bool,
    /// Where there is no course.toml: the assignment that all problems belong to.
    whole: Option<Assignment>,
}

impl Terms {
    /// Those of a course without course.toml: every problem brings a point, and nothing is late.
    pub fn without_file(counts: Counts) -> Self {
        Self {
            title: String::new(),
            zone: TimeZone::UTC,
            counts,
            assignments: Vec::new(),
            by_problem: HashMap::new(),
            extensions: Extensions::default(),
            is_unread: false,
            whole: Some(Self::whole(counts)),
        }
    }

    /// That of a file without assignments: one in which everything is commented out changes nothing.
    fn unassigned(read: &shape::File) -> Assignment {
        Assignment {
            grace: read.grace,
            late: read.late.clone(),
            attempts: read.attempts,
            ..Self::whole(read.counts)
        }
    }

    /// The assignment of every problem that there is, which never ends.
    fn whole(counts: Counts) -> Assignment {
        Assignment {
            counts,
            ..Assignment::default()
        }
    }

    /// The file with the extensions that the course in a folder names, if it can be read so far.
    pub fn extensions_file(folder: &Path) -> Option<PathBuf> {
        let bytes = read_regular(&folder.join(FILE), CONFIG_BYTES_MAX).ok()?;
        let read: toml::Table = std::str::from_utf8(&bytes).ok()?.parse().ok()?;
        let name = read.get("extensions")?.as_str()?;
        (!name.is_empty()).then(|| folder.join(name))
    }

    /// Whether a file says them.
    pub fn has_file(&self) -> bool {
        self.whole.is_none()
    }

    /// Reads the course in a folder; `None` where there is no course.toml.
    pub fn load(folder: &Path) -> Result<Option<Self>, Complaint> {
        let file = folder.join(FILE);
        let bytes = match read_regular(&file, CONFIG_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                let reason = format!("it cannot be read: {error}");
                return Err(Complaint::new(file, reason));
            }
        };
        Self::parse(text_of(&bytes, &file)?, &file, folder).map(Some)
    }

    /// The problems that the course in a folder names and that are none of these, whose packages lie
    /// in `packages`.
    pub fn unknown_problems<'p>(
        &self,
        folder: &Path,
        packages: &Path,
        problems: impl Iterator<Item = &'p ProblemSlug>,
    ) -> Vec<Complaint> {
        let known: BTreeSet<&str> = problems.map(ProblemSlug::as_str).collect();
        let named = self.assignments.iter().flat_map(|assignment| {
            let named = assignment.points.keys().map(ProblemSlug::as_str);
            named.map(|name| (&assignment.name, name))
        });
        let unknown = named.filter(|(_, name)| !known.contains(name));
        let complaint = |(assignment, name): (&String, &str)| {
            let help = match nearest(name, known.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("add it to {}", packages.display()),
            };
            let reason = format!(
                "the assignment `{assignment}` has `{name}`, but this course has no such problem"
            );
            Complaint::new(folder.join(FILE), reason).with_help(help)
        };
        unknown.map(complaint).collect()
    }

    /// The clock of the course in a folder; UTC where course.toml says nothing that can be read.
    pub fn zone_in(folder: &Path) -> TimeZone {
        let terms = Self::load(folder).ok().flatten();
        terms.map_or(TimeZone::UTC, |terms| terms.zone)
    }

    fn parse(text: &str, file: &Path, folder: &Path) -> Result<Self, Complaint> {
        let place = Place::new(text, file);
        let mut read: shape::File = place.shape(&[DEFAULTS], &RULES, |_| None)?;
        let assignments = mem::take(&mut read.assignments);
        let mut terms = Self {
            whole: assignments.is_empty().then(|| Self::unassigned(&read)),
            zone: read.time_zone.clone(),
            ..Self::without_file(read.counts)
        };
        for assignment in assignments {
            terms.add(&place, assignment, &read)?;
        }
        terms.title = read.title;
        if !read.extensions.is_empty() {
            let file = folder.join(&read.extensions);
            terms.extensions = Extensions::load(&file)?;
            terms.check_extensions(&file)?;
        }
        Ok(terms)
    }

    /// Adds an assignment; what it does not say, the course says.
    fn add(
        &mut self,
        place: &Place<'_>,
        assignment: shape::Assignment,
        course: &shape::File,
    ) -> Result<(), Complaint> {
        let span = assignment.name.span();
        let wrong = |message, help| Err(place.error(span.clone(), message, help));
        let name = assignment.name.get_ref().clone();
        if self.assignments.iter().any(|known| known.name == name) {
            let message = format!("two assignments are called `{name}`");
            return wrong(message, "rename one of them");
        }
        let (opens, due) = match opens_and_due(&assignment, &self.zone) {
            Ok(both) => both,
            Err((message, help)) => return wrong(message, help),
        };
        let points = match problems(assignment.points) {
            Ok(points) => points,
            Err((problem, why)) => {
                let help = "write the name of the problem's folder";
                return wrong(format!("`{problem}`: {why}"), help);
            }
        };
        for problem in points.keys() {
            let index = self.assignments.len();
            if self.by_problem.insert(problem.clone(), index).is_some() {
                let message = format!("{problem} is in two assignments");
                return wrong(message, "leave it in one of them");
            }
        }
        self.assignments.push(Assignment {
            title: assignment.title.unwrap_or_else(|| name.clone()),
            name,
            points,
            counts: assignment.counts.unwrap_or(course.counts),
            opens,
            early: assignment.early.unwrap_or(course.early),
            due,
            closes: assignment.closes,
            grace: assignment.grace.unwrap_or(course.grace),
            late: assignment.late.unwrap_or_else(|| course.late.clone()),
            attempts: assignment.attempts.or(course.attempts),
        });
        Ok(())
    }

    /// Who has extensions.
    pub fn extended(&self) -> impl Iterator<Item = &Student> {
        self.extensions.names().map(|(student, _)| student)
    }

    fn check_extensions(&self, file: &Path) -> Result<(), Complaint> {
        let is_known = |name: &str| {
            self.assignments.iter().any(|assignment| {
                let mut problems = assignment.points.keys();
                assignment.name == name || problems.any(|problem| problem.as_str() == name)
            })
        };
        match self.extensions.names().find(|(_, name)| !is_known(name)) {
            None => Ok(()),
            Some((student, name)) => {
                let reason = format!(
                    "{student} has an extension for `{name}`, which is neither an assignment nor a problem of this course"
                );
                Err(Complaint::new(file, reason))
            }
        }
    }

    /// When a problem opens; before that nothing is judged, and students are told nothing of it.
    pub fn opens(&self, problem: &ProblemSlug) -> Option<Timestamp> {
        self.assignment_of(problem)?.opens
    }

    /// Whether a problem is open at a moment. Where the file was never read, none is.
    pub fn is_open(&self, problem: &ProblemSlug, at: Timestamp) -> bool {
        let assignment = self.assignment_of(problem);
        !self.is_unread && assignment.is_none_or(|assignment| assignment.is_open(at))
    }

    /// When the next problem opens after a moment.
    pub fn next_opening(&self, after: Timestamp) -> Option<Timestamp> {
        let opens = self.assignments.iter().filter_map(|one| one.opens);
        opens.filter(|opens| *opens > after).min()
    }

    /// When a problem opens whose early programs are refused.
    pub fn refused_until(&self, problem: &ProblemSlug) -> Option<Timestamp> {
        let assignment = self.assignment_of(problem)?;
        assignment
            .opens
            .filter(|_| assignment.early == Early::Reject)
    }

    /// The assignment that a problem belongs to; a problem may be there for practice only.
    pub fn assignment_of(&self, problem: &ProblemSlug) -> Option<&Assignment> {
        match &self.whole {
            Some(whole) => Some(whole),
            None => self.assignments.get(*self.by_problem.get(problem)?),
        }
    }

    /// Which attempt at a problem counts.
    pub fn counts_of(&self, problem: &ProblemSlug) -> Counts {
        self.assignment_of(problem)
            .map_or(self.counts, |assignment| assignment.counts)
    }

    /// How many attempts at a problem are accepted; all where nothing says so.
    pub fn attempts_of(&self, problem: &ProblemSlug) -> Option<&AttemptsAllowed> {
        self.assignment_of(problem)?.attempts.as_ref()
    }

    /// How many points a problem brings at most; none where it is there for practice only.
    pub fn points_of(&self, problem: &ProblemSlug) -> Points {
        if self.whole.is_some() {
            return Points::ONE;
        }
        let assignment = self.assignment_of(problem);
        let points = assignment.and_then(|assignment| assignment.points.get(problem));
        points.copied().unwrap_or_default()
    }

    /// When a problem is open for somebody. An extension is another due time: what comes after the
    /// due time comes as long after that one.
    pub fn window(
        &self,
        assignment: &Assignment,
        problem: &ProblemSlug,
        student: &Student,
    ) -> Window {
        let extension = self
            .extensions
            .of(student, &assignment.name, problem.as_str());
        let closes = assignment.closes.as_ref();
        let begin = assignment.due.or(assignment.opens);
        let begin = begin.unwrap_or(Timestamp::UNIX_EPOCH);
        let usual_closes = closes.and_then(|moment| moment.resolve(begin, &self.zone));
        let usual = assignment.due.or(usual_closes).unwrap_or(begin);
        let extended = extension.and_then(|moment| moment.resolve(usual, &self.zone));
        // An extension never shortens the time.
        let later = |usual: Timestamp| extended.map_or(usual, |extended| usual.max(extended));
        let due = assignment.due.map(later);
        let moved = |moment: &Moment| moment.moved(assignment.due?, due?, &self.zone);
        let steps = assignment.late.iter();
        let steps = steps.filter_map(|step| Some((moved(&step.until)?, step.percent)));
        let mut steps: Vec<(Timestamp, u8)> = steps.collect();
        steps.sort_by_key(|(until, _)| *until);
        Window {
            opens: assignment.opens,
            early: assignment.early,
            due,
            grace_end: moved(&assignment.grace),
            steps,
            closes: match due {
                Some(_) => closes.and_then(moved),
                None => usual_closes.map(later),
            },
        }
    }
}

/// When something opens and is due.
type Times = (Option<Timestamp>, Option<Timestamp>);

/// When an assignment opens and is due, if its times can be so; otherwise why not, and what to do.
fn opens_and_due(
    assignment: &shape::Assignment,
    zone: &TimeZone,
) -> Result<Times, (String, &'static str)> {
    let name = assignment.name.get_ref();
    let moments = [
        ("opens", assignment.opens),
        ("due", assignment.due),
        ("closes", assignment.closes),
    ];
    let mut given = moments
        .iter()
        .filter_map(|(key, at)| Some((key, at.as_ref()?)));
    if let Some((key, Moment::After(_))) = given.next() {
        let message = format!("`{key}` of `{name}` is so long after nothing");
        return Err((message, "write a time as in \"2026-10-02 23:59\""));
    }
    let resolved = |moment: Option<Moment>, after: Option<Timestamp>| {
        moment?.resolve(after.unwrap_or(Timestamp::UNIX_EPOCH), zone)
    };
    let is_before = |one: Option<Timestamp>, other: Option<Timestamp>| {
        one.zip(other).is_some_and(|(one, other)| one < other)
    };
    let opens = resolved(assignment.opens, None);
    let due = resolved(assignment.due, opens);
    if is_before(due, opens) {
        let message = format!("`{name}` is due before it opens");
        return Err((message, "change `opens` or `due`"));
    }
    let last = due.or(opens);
    if is_before(resolved(assignment.closes, last), last) {
        let message = format!("`{name}` closes before it opens or is due");
        return Err((message, "change `closes`"));
    }
    Ok((opens, due))
}

fn problems(
    points: BTreeMap<String, Points>,
) -> Result<BTreeMap<ProblemSlug, Points>, (String, NameError)> {
    let slug = |(name, points): (String, Points)| match ProblemSlug::new(&name) {
        Ok(slug) => Ok((slug, points)),
        Err(error) => Err((name, error)),
    };
    points.into_iter().map(slug).collect()
}

#[cfg(test)]
mod tests;
