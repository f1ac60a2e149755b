//! The exports of a course, read by independent readers.

mod feed;
mod gradebook;
mod results;

use std::sync::Arc;
use std::time::Duration;

use super::export::{Course, CourseSource, LanguageFacts, ProblemFacts};
use super::{Export, Material};
use crate::course::Roster;
use crate::domain::{Cause, Change, Judgement, LanguageId, Published, SubmissionId, Verdict};
use crate::overview::{Grading, Problem, Scoreboard};
use crate::report::tests::samples;
use crate::report::{Document, folder_name};
use crate::store::tests::{program_for, publication_of, publish};
use crate::store::{Reader, Store};
use crate::util::samples::{RECEIVED_MS, run};

pub use crate::util::samples::{slug, student};

/// What a spreadsheet program, a terminal or a browser may take for something else than text; every
/// one can be a student's name.
#[rustfmt::skip]
pub const HOSTILE_NAMES: [&str; 14] = [
    "=cmd|'0'!A1", "+1", "-Иван", "@SUM(1)", "＝1+1", "a;=1+1", "a\",\"=1",
    "<script>alert(1)<", "]]>&amp;&lt;", "'; DROP", "刘思", "نام\u{200C}ها",
    "a\u{FFFE}\u{FFFF}b", "  padded  ",
];

#[test]
fn no_student_can_be_called_as_a_file_of_the_course_is() {
    for file in super::course_files() {
        assert_ne!(folder_name(file.name), file.name);
    }
}

/// A store with a course in it.
pub struct Fixture {
    pub folder: tempfile::TempDir,
    store: Store,
    now_ms: i64,
}

impl Fixture {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            store: Store::open(&folder.path().join("state")).unwrap(),
            folder,
            now_ms: RECEIVED_MS,
        }
    }

    pub fn reader(&self) -> Reader {
        self.store.reader().unwrap()
    }

    /// What an export tells of this course.
    pub fn made(&self, export: &Export, course: &Course, roster: &Roster) -> String {
        let mut bytes = Vec::new();
        let mut board = self.board();
        board.set_grading(Arc::new(Grading {
            roster: Arc::new(roster.clone()),
            ..Grading::without_files(course.source.counts)
        }));
        let material = Material {
            board: &board,
            course,
            reader: &self.reader(),
            must_end: &|| false,
        };
        (export.make)(&material, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    pub fn board(&self) -> Scoreboard {
        Scoreboard::load(&self.reader()).unwrap()
    }

    /// Somebody hands something in, a second after what was before.
    pub fn hand_in(&mut self, student: &str, problem: &str) -> SubmissionId {
        self.now_ms += 1_000;
        let text = format!("{student} {problem} {}", self.now_ms);
        let mut new = program_for(student, problem, text);
        new.received_ms = self.now_ms;
        self.store.writer().receive(new).unwrap().submission().id
    }

    /// It is judged, a second later.
    pub fn judge(&mut self, id: SubmissionId, judgement: &Judgement) -> Document {
        self.now_ms += 1_000;
        let (submission, _) = self.reader().submission(id).unwrap().unwrap();
        let mut document = samples::report(submission.student.as_str(), judgement);
        document.submission.id = id.0;
        document.submission.problem = submission.problem.clone();
        document.submission.attempt = submission.attempt;
        let most = document.tests.iter().map(|test| test.cpu_ms).max();
        let change = Change {
            published: Published::of(judgement, self.now_ms),
            because: Arc::from("received"),
        };
        let mut publication = publication_of(id, 1, change);
        publication.document = document.to_json();
        publication.slowest_ms = most.map(|ms| u32::try_from(ms).unwrap());
        publish(&self.store, publication);
        document
    }

    /// Both.
    pub fn judged(&mut self, student: &str, problem: &str, judgement: &Judgement) -> SubmissionId {
        let id = self.hand_in(student, problem);
        self.judge(id, judgement);
        id
    }
}

pub fn accepted() -> Judgement {
    samples::judged(vec![
        samples::test("sample/1", Verdict::Accepted, None),
        samples::test("secret/1", Verdict::Accepted, None),
    ])
}

pub fn wrong() -> Judgement {
    samples::wrong("-1", "4")
}

pub fn not_built() -> Judgement {
    samples::not_built(Cause::Compiler, b"error: <b>x</b> ]]> \x1b[31m")
}

pub fn course() -> Course {
    let mut limits = run().caps;
    limits.cpu = Duration::from_millis(1_500);
    limits.open_files = 128;
    let problem = |name: &str| ProblemFacts {
        slug: slug(name),
        shown: Problem {
            title: format!("The {name}"),
            ..Problem::default()
        },
        limits: limits.clone(),
        tests: 3,
    };
    Course {
        source: CourseSource::default(),
        problems: vec![problem("curling"), problem("regions")],
        languages: vec![LanguageFacts {
            id: LanguageId::new("cpp").unwrap(),
            name: "C++".to_owned(),
            extensions: vec!["cpp".to_owned()],
        }],
        limits,
        source_bytes_max: 256 << 10,
    }
}

/// A roster with this text.
pub fn roster(text: &str) -> Roster {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("roster.csv");
    std::fs::write(&file, text).unwrap();
    Roster::load(&file).unwrap()
}
