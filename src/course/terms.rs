//! course.toml and what it names, read together: what counts for whom.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::mem;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::attempts::AttemptsAllowed;
use super::extensions::{Extensions, ExtensionsError};
use super::late::Window;
use super::moment::Moment;
use super::points::Points;
use super::shape::{self, DEFAULTS, Step};
use crate::config::{ConfigError, Counts, Place};
use crate::domain::bounds::CONFIG_BYTES_MAX;
use crate::domain::{NameError, ProblemSlug, Student};
use crate::util::files::read_regular;

/// The file beside config.toml.
pub const FILE: &str = "course.toml";

/// Why a course cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CourseError {
    /// course.toml.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The extensions.
    #[error(transparent)]
    Extensions(#[from] ExtensionsError),
    /// An extension for something that is not in the course.
    #[error("{}: {student} has an extension for `{name}`, which is no assignment and no problem of the course", .file.display())]
    Unknown {
        file: PathBuf,
        student: String,
        name: String,
    },
}

/// Problems that are handed in together.
#[derive(Debug, Clone)]
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
    due: Option<Timestamp>,
    closes: Option<Moment>,
    grace: Moment,
    late: Vec<Step>,
    attempts: Option<AttemptsAllowed>,
}

impl Assignment {
    /// When it is due, for those without an extension.
    pub fn due(&self) -> Option<Timestamp> {
        self.due
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
            attempts: read.attempts.map(AttemptsAllowed::of),
            ..Self::whole(read.counts)
        }
    }

    /// The assignment of every problem that there is, which never ends.
    fn whole(counts: Counts) -> Assignment {
        Assignment {
            name: String::new(),
            title: String::new(),
            points: BTreeMap::new(),
            counts,
            opens: None,
            due: None,
            closes: None,
            grace: Moment::at_once(),
            late: Vec::new(),
            attempts: None,
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
    pub fn load(folder: &Path) -> Result<Option<Self>, CourseError> {
        let file = folder.join(FILE);
        let bytes = match read_regular(&file, CONFIG_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(ConfigError::Read { file, source }.into()),
        };
        Self::parse(ConfigError::text_of(&bytes, &file)?, &file, folder).map(Some)
    }

    fn parse(text: &str, file: &Path, folder: &Path) -> Result<Self, CourseError> {
        let place = Place::new(text, file);
        let mut read: shape::File = place.shape(&[DEFAULTS], |_| None)?;
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
            terms.check_extensions(file)?;
        }
        Ok(terms)
    }

    /// Adds an assignment; what it does not say, the course says.
    fn add(
        &mut self,
        place: &Place<'_>,
        assignment: shape::Assignment,
        course: &shape::File,
    ) -> Result<(), ConfigError> {
        let span = assignment.name.span();
        let wrong = |message, help| Err(place.error(span.clone(), message, help));
        let name = assignment.name.get_ref().clone();
        if self.assignments.iter().any(|known| known.name == name) {
            let message = format!("two assignments are called `{name}`");
            return wrong(message, "rename one of them");
        }
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
        let resolved = |moment: Option<Moment>, after: Timestamp| {
            moment.and_then(|moment| moment.resolve(after, &self.zone))
        };
        let opens = resolved(assignment.opens, Timestamp::UNIX_EPOCH);
        let due = resolved(assignment.due, opens.unwrap_or(Timestamp::UNIX_EPOCH));
        if opens.zip(due).is_some_and(|(opens, due)| opens > due) {
            let message = format!("`{name}` is due before it opens");
            return wrong(message, "change `opens` or `due`");
        }
        let attempts = assignment.attempts.or(course.attempts);
        self.assignments.push(Assignment {
            title: assignment.title.unwrap_or_else(|| name.clone()),
            name,
            points,
            counts: assignment.counts.unwrap_or(course.counts),
            opens,
            due,
            closes: assignment.closes,
            grace: assignment.grace.unwrap_or(course.grace),
            late: assignment.late.unwrap_or_else(|| course.late.clone()),
            attempts: attempts.map(AttemptsAllowed::of),
        });
        Ok(())
    }

    /// Who has extensions.
    pub fn extended(&self) -> impl Iterator<Item = &Student> {
        self.extensions.names().map(|(student, _)| student)
    }

    fn check_extensions(&self, file: PathBuf) -> Result<(), CourseError> {
        let is_known = |name: &str| {
            self.assignments.iter().any(|assignment| {
                let mut problems = assignment.points.keys();
                assignment.name == name || problems.any(|problem| problem.as_str() == name)
            })
        };
        match self.extensions.names().find(|(_, name)| !is_known(name)) {
            None => Ok(()),
            Some((student, name)) => Err(CourseError::Unknown {
                file,
                student: student.to_string(),
                name: name.to_owned(),
            }),
        }
    }

    /// When a problem opens; before that nothing counts.
    pub fn opens(&self, problem: &ProblemSlug) -> Option<Timestamp> {
        self.assignment_of(problem)?.opens
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
        let usual = assignment
            .due
            .or(assignment.opens)
            .unwrap_or(Timestamp::UNIX_EPOCH);
        let extended = extension.and_then(|moment| moment.resolve(usual, &self.zone));
        // An extension never shortens the time.
        let due = assignment.due.max(extended);
        let after_due = |moment: &Moment| moment.resolve(due?, &self.zone).max(extended);
        let steps = assignment.late.iter();
        Window {
            opens: assignment.opens,
            due,
            grace_end: after_due(&assignment.grace),
            steps: steps
                .filter_map(|step| Some((after_due(&step.until)?, step.percent)))
                .collect(),
            closes: assignment.closes.as_ref().and_then(after_due),
        }
    }
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
mod tests {
    use std::path::Path;

    use super::Terms;
    use crate::course::Standing;
    use crate::domain::{ProblemSlug, Student};

    const COURSE: &str = r#"
title = "Algorithms"
time_zone = "Europe/Oslo"
grace = "5m"
late = [{ until = "1d", percent = 80 }, { until = "3d", percent = 50 }]
extensions = "extensions.csv"

[[assignments]]
name = "a1"
opens = "2026-03-20 08:00"
due = "2026-03-28 23:59"
closes = "7d"
points = { curling = 10, regions = 7.5 }

[[assignments]]
name = "a2"
due = "2026-04-10 12:00"
late = []
points = { thegame = 5 }
"#;

    fn terms(course: &str, extensions: &str) -> Result<Terms, String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("extensions.csv"), extensions).unwrap();
        let file = Path::new("course.toml");
        Terms::parse(course, file, folder.path()).map_err(|error| error.to_string())
    }

    fn standing(terms: &Terms, student: &str, problem: &str, at: &str) -> Standing {
        let problem = ProblemSlug::new(problem).unwrap();
        let assignment = terms.assignment_of(&problem).unwrap();
        let window = terms.window(assignment, &problem, &Student::new(student).unwrap());
        window.standing(at.parse().unwrap())
    }

    #[test]
    fn every_moment_of_a_term_for_everybody() {
        let terms = terms(
            COURSE,
            "student,assignment,due\nada,a1,2d\nbo,regions,2026-03-27 12:00\ncy,a1,30d\n",
        )
        .unwrap();
        let late = |percent| move |standing: Standing| matches!(standing, Standing::Late { percent: found, .. } if found == percent);
        let on_time = |standing: Standing| standing == Standing::OnTime;
        // Due at 22:59 UTC; the clocks go forward in the night after.
        for (student, problem, at, expected) in [
            (
                "zoe",
                "curling",
                "2026-03-28T23:04:00Z",
                &on_time as &dyn Fn(Standing) -> bool,
            ),
            ("zoe", "curling", "2026-03-28T23:04:01Z", &late(80)),
            ("zoe", "curling", "2026-03-29T21:59:00Z", &late(80)),
            ("zoe", "curling", "2026-03-29T21:59:01Z", &late(50)),
            ("zoe", "curling", "2026-04-01T00:00:00Z", &late(0)),
            ("zoe", "curling", "2026-03-20T06:59:59Z", &|standing| {
                standing == Standing::TooEarly
            }),
            ("zoe", "curling", "2026-04-05T00:00:00Z", &|standing| {
                standing == Standing::Closed
            }),
            ("ada", "regions", "2026-03-30T22:04:00Z", &on_time),
            ("ada", "regions", "2026-03-31T12:00:00Z", &late(80)),
            // An extension that ends before the due time takes nothing away.
            ("bo", "regions", "2026-03-28T22:59:00Z", &on_time),
            // One that is longer than the assignment is open keeps it open.
            ("cy", "curling", "2026-04-27T12:00:00Z", &on_time),
            ("zoe", "thegame", "2026-04-10T10:05:00Z", &on_time),
            ("zoe", "thegame", "2026-04-10T10:05:01Z", &late(0)),
        ] {
            let found = standing(&terms, student, problem, at);
            assert!(expected(found), "{student} {problem} {at}: {found:?}");
        }
    }

    #[test]
    fn a_day_begins_at_midnight_and_attempts_are_limited_by_assignment() {
        let course = r#"
time_zone = "Europe/Oslo"
attempts = { most = 10, in = "1d" }

[[assignments]]
name = "a1"
opens = "2026-10-25"
due = "2026-10-25"
attempts = { most = 1 }
points = { sum = 1 }

[[assignments]]
name = "a2"
points = { word = 1 }
"#;
        let terms = terms(course, "").unwrap();
        // The clocks go back on this day, which has 25 hours.
        for (at, expected) in [
            ("2026-10-24T21:59:59Z", Standing::TooEarly),
            ("2026-10-24T22:00:00Z", Standing::OnTime),
            ("2026-10-25T22:59:59Z", Standing::OnTime),
            (
                "2026-10-25T23:00:00Z",
                Standing::Late {
                    seconds: 1,
                    percent: 0,
                },
            ),
        ] {
            assert_eq!(standing(&terms, "ada", "sum", at), expected, "{at}");
        }
        for (problem, words, window_ms) in [
            ("sum", Some("1 attempt"), None),
            ("word", Some("10 attempts in 1d"), Some(86_400_000)),
            ("other", None, None),
        ] {
            let allowed = terms.attempts_of(&ProblemSlug::new(problem).unwrap());
            assert_eq!(allowed.map(ToString::to_string).as_deref(), words);
            assert_eq!(
                allowed.and_then(super::AttemptsAllowed::window_ms),
                window_ms
            );
        }
    }

    #[test]
    fn mistakes_are_named_with_the_way_out() {
        for (course, part) in [
            ("time_zone = \"Oslo\"", "there is no time zone `Oslo`"),
            ("counts = \"bset\"", "did you mean \"best\"?"),
            ("attempts = { most = 0 }", "attempts"),
            (
                "attempts = { most = 3, in = \"2026-10-01\" }",
                "write how long",
            ),
            (
                "late = [{ until = \"soon\", percent = 80 }]",
                "cannot be `soon`",
            ),
            (
                "late = [{ until = \"1d\", percent = 180 }]",
                "from 0 to 100",
            ),
            ("[[assignments]]\nname = \"a\"\npoints = { A = 1 }", "`A`"),
            (
                "[[assignments]]\nname = \"a\"\npoints = { a = -1 }",
                "cannot bring -1 points",
            ),
            (
                "[[assignments]]\nname = \"a\"\npoint = { a = 1 }",
                "did you mean `points`?",
            ),
            (
                "[[assignments]]\nname = \"a\"\npoints = { x = 1 }\n[[assignments]]\nname = \"b\"\npoints = { x = 1 }",
                "x is in two assignments",
            ),
            (
                "[[assignments]]\nname = \"a\"\npoints = {}\nopens = \"2026-02-01\"\ndue = \"2026-01-01\"",
                "due before it opens",
            ),
        ] {
            let error = terms(course, "student,assignment,due\n").unwrap_err();
            assert!(error.contains(part), "{error}");
            assert!(error.contains("course.toml:"), "{error}");
        }
        let error = terms(COURSE, "student,assignment,due\nada,a9,1d\n").unwrap_err();
        assert!(error.contains("ada has an extension for `a9`"), "{error}");
    }
}
