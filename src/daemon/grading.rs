//! What the instructor says about the course, read from its files: the roster, course.toml, the
//! decisions, and the list of what was imported. A file with a mistake changes nothing: what was
//! read before stays in force.

use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;

use crate::config::UnknownStudents;
use crate::course::{Decisions, Roster, Rules, Terms};
use crate::domain::{Complaint, Digest};
use crate::exports::CourseSource;
use crate::lms::Manifest;
use crate::overview::Grading;
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

/// What reading the files again has brought.
pub struct Renewal {
    /// Whether they are others than before.
    pub is_other: bool,
    /// What is wrong with them.
    pub wrong: Vec<Complaint>,
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

    /// Reads the files again.
    pub fn renew(&mut self) -> Renewal {
        let is_other = self.are_changed();
        self.seen = Some(Watched::of(files(&self.source)));
        let (grading, wrong) = load(&self.source, &self.grading);
        self.next_opening = grading.rules.terms.next_opening(grading.at);
        self.grading = Arc::new(grading);
        Renewal { is_other, wrong }
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
