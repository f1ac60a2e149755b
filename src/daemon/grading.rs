//! What the instructor says about the course, read from its files: the roster, course.toml, the
//! decisions, and the list of what was imported. A file with a mistake changes nothing: what was
//! read before stays in force.
//!
//! [`AttemptLimits`] is what they say about one more file, as the intake asks: whose it is, and
//! whether it is accepted. One too many, and one that comes too early where the course wants that,
//! is rejected with the time when it is accepted, and looked at again then.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use crate::config::UnknownStudents;
use crate::course::{AttemptsAllowed, Decisions, Roster, Rules, Terms};
use crate::domain::{Complaint, Digest, ProblemSlug, Rejection, RejectionKind, Student};
use crate::exports::CourseSource;
use crate::intake::Register;
use crate::lms::Manifest;
use crate::overview::Grading;
use crate::store::{AttemptLimit, NewFile, NewSubmission};
use crate::util::clock::now_ms;
use crate::util::hash::Key;
use crate::util::watched::Watched;

/// What a course's files say, read again when they change.
pub struct GradingFiles {
    pub source: CourseSource,
    pub grading: Arc<Grading>,
    /// When the next problem opens, which is a change too.
    pub next_opening: Option<Timestamp>,
    /// What it was read from.
    seen: Option<Watched>,
}

impl GradingFiles {
    /// Nothing is read yet. Of a file with a mistake, what it said `before` is in force.
    pub fn new(source: CourseSource, before: &Arc<Grading>) -> Self {
        Self {
            source,
            grading: Arc::clone(before),
            next_opening: None,
            seen: None,
        }
    }

    /// Whether a file is another one than was read, or a problem has opened since.
    pub fn are_changed(&self) -> bool {
        let is_other = self.seen.as_ref().is_none_or(Watched::has_changed);
        is_other || self.next_opening.is_some_and(|at| at <= Timestamp::now())
    }

    /// Reads the files again where that may say something else; says whether it has.
    pub fn follow(&mut self) -> bool {
        let is_due = self.are_changed();
        if is_due {
            self.renew();
        }
        is_due
    }

    /// Reads the files again; says whether they are others than before, and what is wrong with
    /// them.
    pub fn renew(&mut self) -> (bool, Vec<Complaint>) {
        let is_other = self.are_changed();
        self.seen = Some(Watched::of(files(&self.source)));
        let (grading, wrong) = load(&self.source, &self.grading);
        self.next_opening = grading.rules.terms.next_opening(grading.at);
        self.grading = Arc::new(grading);
        (is_other, wrong)
    }

    /// A digest of which files it was read from, of their stamps, and of what has opened.
    pub fn digest(&self) -> Digest {
        let key = self
            .seen
            .iter()
            .fold(Key::new("grading files"), |key, files| files.add_to(key));
        let opening = self.next_opening.map(Timestamp::as_second);
        key.part(&opening.unwrap_or_default().to_le_bytes())
            .finish()
    }
}

fn files(source: &CourseSource) -> Vec<PathBuf> {
    let own = ["course.toml", "decisions.csv"].map(|name| source.folder.join(name));
    let imports = source.staff.join("imports.jsonl");
    let files = own.into_iter().chain([imports]);
    let extensions = Terms::extensions_file(&source.folder);
    files
        .chain(source.roster.clone())
        .chain(extensions)
        .collect()
}

/// Reads all of it. Of a file with a mistake, what was read before is kept; says what is wrong.
pub fn load(source: &CourseSource, before: &Grading) -> (Grading, Vec<Complaint>) {
    let mut wrong = Vec::new();
    let roster = source
        .roster
        .as_deref()
        .map_or_else(|| Ok(Roster::default()), Roster::load);
    let roster = kept(roster, &before.roster, &mut wrong);
    let terms = Terms::load(&source.folder)
        .map(|terms| terms.unwrap_or_else(|| Terms::without_file(source.counts)));
    let terms = kept(terms, &before.rules.terms, &mut wrong);
    let decisions = Decisions::load(&source.folder);
    let decisions = kept(decisions, &before.rules.decisions, &mut wrong);
    let times = Manifest::load(&source.staff).map(|manifest| manifest.times());
    let times = kept(times, &before.times, &mut wrong);
    let grading = Grading {
        rules: Arc::new(Rules { terms, decisions }),
        // With nobody on it, everybody who has a folder is in the course.
        only_roster: source.unknown_students != UnknownStudents::Accept
            && !roster.people().is_empty(),
        roster,
        times,
        at: Timestamp::now(),
    };
    (grading, wrong)
}

/// What a file says, or what it said before it had a mistake.
fn kept<T>(read: Result<T, Complaint>, before: &Arc<T>, wrong: &mut Vec<Complaint>) -> Arc<T> {
    let before = |complaint| {
        wrong.push(complaint);
        Arc::clone(before)
    };
    read.map_or_else(before, Arc::new)
}

/// How often it is looked whether what was rejected is accepted by now.
const LOOK: Duration = Duration::from_secs(1);
/// How long a change of the roster may go unnoticed.
const ROSTER_LOOK: Duration = Duration::from_secs(2);

/// The limits of the course, and who waits for the next attempt.
pub(super) struct AttemptLimits {
    files: GradingFiles,
    register: Arc<Register>,
    /// When the first of the files that were rejected may be accepted; `None` where none is
    /// rejected, or none ever is accepted.
    next_ms: Option<i64>,
    /// Whether any is rejected.
    has_rejected: bool,
}

impl AttemptLimits {
    /// Those of this course, which is read when it is followed first; `before` is what it said until
    /// now.
    pub fn new(source: CourseSource, before: &Arc<Grading>) -> Self {
        Self {
            files: GradingFiles::new(source, before),
            register: Arc::default(),
            next_ms: None,
            has_rejected: false,
        }
    }

    /// Reads the course's files if they are others than before; says whether it has. A mistake in
    /// one is told by the pages thread, and what was read before stays in force.
    pub fn follow(&mut self) -> bool {
        let is_read = self.files.follow();
        if is_read {
            // The limits may be others.
            self.next_ms = self.has_rejected.then_some(0);
            let rejects = self.files.source.unknown_students == UnknownStudents::Reject;
            let roster = &self.files.grading.roster;
            self.register = Arc::new(Register::new(roster.register(), rejects));
        }
        is_read
    }

    /// Whom the roster knows.
    pub fn register(&self) -> Arc<Register> {
        Arc::clone(&self.register)
    }

    /// What there is to say about a student to the instructor, if the configuration asks for that.
    pub fn remark(&self, student: &Student) -> Option<String> {
        let warns = self.files.source.unknown_students == UnknownStudents::Warn;
        self.register.remark(student).filter(|_| warns)
    }

    /// Those of these problems that no student sees yet.
    pub fn hidden(&self, problems: &[ProblemSlug]) -> BTreeSet<ProblemSlug> {
        let hidden = problems.iter();
        let hidden = hidden.filter(|problem| self.grading().hides(problem));
        hidden.cloned().collect()
    }

    /// Whether what was rejected is to be looked at again.
    pub fn is_review_due(&mut self) -> bool {
        let is_due = self.next_ms.is_some_and(|next| next <= now_ms());
        if is_due {
            (self.next_ms, self.has_rejected) = (None, false);
        }
        is_due
    }

    /// How long it may be until the files are looked at again, what was rejected is accepted, or a
    /// problem opens.
    pub fn pause(&self) -> Option<Duration> {
        let waits = self.has_rejected || self.files.next_opening.is_some();
        let has_roster = self.files.source.roster.is_some();
        waits.then_some(LOOK).or(has_roster.then_some(ROSTER_LOOK))
    }

    fn grading(&self) -> &Grading {
        &self.files.grading
    }

    fn allowed(&self, new: &NewSubmission) -> Option<&AttemptsAllowed> {
        let allowed = self.grading().rules.terms.attempts_of(&new.problem)?;
        // What an import brings was handed in elsewhere, and long ago.
        let (student, problem) = (&new.student, &new.problem);
        let is_imported = self
            .grading()
            .times
            .has(student, problem, new.source.digest);
        (!is_imported).then_some(allowed)
    }

    /// What the terms say about one more attempt.
    pub fn of(&self, new: &NewSubmission) -> Option<AttemptLimit> {
        let allowed = self.allowed(new)?;
        Some(AttemptLimit {
            most: allowed.max.get(),
            window_ms: allowed.window_ms(),
        })
    }

    /// The rejection of a file too many, in words for its student; the next one is accepted at this
    /// moment, if ever.
    pub fn rejection(&mut self, file: &NewFile, next_ms: Option<i64>) -> Rejection {
        let new = &file.new;
        let allowed = self.allowed(new).map(ToString::to_string);
        let allowed = allowed.unwrap_or_default();
        let next = next_ms.and_then(|ms| Timestamp::from_millisecond(ms).ok());
        let help = match next {
            Some(next) => format!(
                "it is accepted by itself at {}, with what the file holds at that time",
                self.shown(next)
            ),
            None => "no more are accepted; ask your instructor".to_owned(),
        };
        let reason = format!("{} allows {allowed}, and all are used; {help}", new.problem);
        self.rejected(new, reason, next)
    }

    /// The rejection of a file that comes before its problem opens, where the course wants it so.
    /// Whoever has guessed the problem's name is told no more of it.
    pub fn too_early(&mut self, new: &NewSubmission) -> Option<Rejection> {
        let grading = self.grading();
        let opens = grading.rules.terms.refused_until(&new.problem);
        let opens = opens.filter(|_| grading.hides(&new.problem))?;
        let reason = format!(
            "nothing is accepted here before {}; then it is accepted by itself, with what the file holds at that time",
            self.shown(opens)
        );
        Some(self.rejected(new, reason, Some(opens)))
    }

    fn shown(&self, at: Timestamp) -> String {
        let at = at.to_zoned(self.grading().zone().clone());
        at.strftime("%Y-%m-%d %H:%M:%S %Z").to_string()
    }

    /// It is looked at again at the next moment.
    fn rejected(
        &mut self,
        new: &NewSubmission,
        reason: String,
        next: Option<Timestamp>,
    ) -> Rejection {
        self.has_rejected = true;
        let next_ms = next.map(Timestamp::as_millisecond);
        self.next_ms = self.next_ms.into_iter().chain(next_ms).min();
        Rejection {
            student: Some(new.student.clone()),
            path: new.path.clone(),
            kind: RejectionKind::TooSoon,
            reason,
            seen_ms: now_ms(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::AttemptLimits;
    use crate::exports::CourseSource;
    use crate::store::NewFile;
    use crate::store::tests::program_for;

    #[test]
    fn a_changed_limit_that_another_file_makes_known_is_a_reason_to_look_again() {
        let folder = tempfile::tempdir().unwrap();
        let course = folder.path().join("course.toml");
        std::fs::write(&course, "attempts = { most = 1 }\n").unwrap();
        let course_source = CourseSource {
            folder: folder.path().to_owned(),
            ..CourseSource::default()
        };
        let mut limits = AttemptLimits::new(course_source, &Arc::default());
        limits.follow();
        let new = program_for("ada", "sum", "x");
        let file = NewFile {
            limit: None,
            new,
            path: Vec::new(),
            mark: Vec::new(),
        };
        limits.rejection(&Arc::new(file), None);
        assert!(!limits.is_review_due(), "nothing has changed");
        std::fs::write(&course, "attempts = { max = 20 }\n").unwrap();
        // Somebody else's file arrives first.
        assert!(limits.follow());
        assert!(limits.is_review_due());
    }
}
