//! For whom a page is made and where it is read, and the pieces that all pages share.
//!
//! A page is a file, whose links are relative so that they lead on from the disk and from a server
//! alike, or it is the dashboard's, with a script that keeps it up to date.

use askama::Template;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::pieces::{Moment, Name, Part, SectionLink, Selection};
use crate::access::Pseudonyms;
use crate::course::{Counts, Decision, Graded};
use crate::domain::{ProblemSlug, Published, Score, Student, Submission, Verdict};
use crate::overview::{Cell, Entry, Grading, Scoreboard};
use crate::report::html::{SIGNS, STYLE, VerdictView};
use crate::report::{Audience, folder_name};
use crate::store::Reader;
use crate::util::excerpt::visible_line;

/// What these pages have beside the style of the reports.
pub const OWN_STYLE: &str = include_str!("pages.css");
/// Sections that can be chosen.
const SECTIONS_SHOWN_MAX: usize = 50;
/// Columns of problems in the matrix, and problems on a student's page.
pub(super) const PROBLEMS_SHOWN_MAX: usize = 60;
/// Students on one page of the dashboard.
const STUDENTS_LIVE_MAX: usize = 200;
/// Students on a page that is a file.
const STUDENTS_FILE_MAX: usize = 2_000;
/// What is spelt by its bytes in a link: all that is not plain.
const NOT_PLAIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// A name as a part of a link.
pub fn encoded(name: &str) -> String {
    utf8_percent_encode(name, NOT_PLAIN).to_string()
}

fn folder(name: &str) -> String {
    encoded(&folder_name(name))
}

/// Where a page is read.
#[derive(Debug, Clone, Copy)]
pub enum Medium<'a> {
    /// A file.
    File {
        /// The way from its folder to that of its audience: "" or "../".
        up: &'static str,
    },
    /// The dashboard's.
    Live {
        /// Whether there is a board whose events it follows.
        has_board: bool,
        /// Whether it leads to reports.
        shows_reports: bool,
        /// Which students are shown.
        selection: &'a Selection,
        /// Files of the whole course, by their names and what they are, for the staff.
        files: &'a [(&'static str, &'static str)],
    },
    /// The dashboard's, for one student, who has come by a personal link.
    Own(&'a Own),
}

/// Where the pages of one student are.
#[derive(Debug)]
pub struct Own {
    /// What their addresses begin with; whoever knows it is let in.
    pub base: String,
    /// What the student is called on the board; `None` if there is none for students.
    pub on_board: Option<String>,
}

/// What a page is made from, and for whom.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    pub board: &'a Scoreboard,
    /// What the scoreboard does not hold.
    pub reader: &'a Reader,
    pub audience: Audience,
    /// What students are called, where a page is not to name them.
    pub pseudonyms: Option<&'a Pseudonyms>,
    pub medium: Medium<'a>,
}

impl<'a> View<'a> {
    /// What the instructor says about the course.
    pub fn grading(&self) -> &'a Grading {
        self.board.grading()
    }

    /// Whether the staff reads it.
    pub fn is_staff(&self) -> bool {
        self.audience == Audience::Staff
    }

    pub(super) fn is_file(&self) -> bool {
        matches!(self.medium, Medium::File { .. })
    }

    /// Whose pages these are alone, where they are one student's on the dashboard.
    pub(super) fn own(&self) -> Option<&'a Own> {
        match self.medium {
            Medium::Own(own) => Some(own),
            Medium::File { .. } | Medium::Live { .. } => None,
        }
    }

    /// Whether a student's name may stand on the page.
    pub(super) fn shows_names(&self) -> bool {
        self.pseudonyms.is_none()
    }

    /// A student as the readers of this page know them.
    pub fn name(&self, student: &Student) -> String {
        if let Some(pseudonyms) = self.pseudonyms {
            return pseudonyms.of(student);
        }
        let name = self.board.directory().student(student, self.is_staff());
        if self.is_staff() && self.grading().is_stranger(student) {
            return format!("{name} (not on the roster)");
        }
        name
    }

    /// What a page lists of students, in the order of what they are called there: any other order
    /// would tell who is who.
    pub(super) fn in_order<'s, T>(
        &self,
        students: impl Iterator<Item = (&'s Student, T)>,
    ) -> Vec<(&'s Student, T)> {
        let mut students: Vec<_> = students
            .filter(|(student, _)| self.is_chosen(student))
            .collect();
        if let Some(pseudonyms) = self.pseudonyms {
            students.sort_by_cached_key(|(student, _)| pseudonyms.of(student));
        }
        students
    }

    /// Whether a student is in the section that is shown.
    pub fn is_chosen(&self, student: &Student) -> bool {
        let roster = &self.grading().roster;
        self.section()
            .is_none_or(|section| roster.is_in(student, section))
    }

    /// The section whose students alone are shown: only the staff know the sections.
    pub fn section(&self) -> Option<&'a str> {
        match self.medium {
            Medium::Live { selection, .. } if self.is_staff() => selection.section.as_deref(),
            _ => None,
        }
    }

    /// The links that choose a section; none where there is no choice.
    fn sections(&self) -> Vec<SectionLink> {
        let is_live = matches!(self.medium, Medium::Live { .. });
        let sections = self.grading().roster.sections();
        if !is_live || !self.is_staff() || sections.is_empty() {
            return Vec::new();
        }
        let link = |section: Option<&str>| SectionLink {
            href: format!("?{}", query_of(section)),
            shown: section.map_or_else(|| "everybody".to_owned(), visible_line),
            is_chosen: match (section, self.section()) {
                (Some(one), Some(chosen)) => one.eq_ignore_ascii_case(chosen),
                (one, chosen) => one.is_none() && chosen.is_none(),
            },
        };
        let sections = sections.into_iter().take(SECTIONS_SHOWN_MAX).map(Some);
        [None].into_iter().chain(sections).map(link).collect()
    }

    /// A student's name and page; the staff see the roster's name too.
    pub fn student(&self, student: &Student) -> Name {
        let href = match self.medium {
            Medium::File { up } => format!("{up}{}/index.html", folder(student.as_str())),
            Medium::Live { .. } => {
                let name = self.pseudonyms.map(|pseudonyms| pseudonyms.of(student));
                format!(
                    "/students/{}",
                    encoded(name.as_deref().unwrap_or(student.as_str()))
                )
            }
            Medium::Own(own) => format!("{}/", own.base),
        };
        Name {
            shown: self.name(student),
            title: None,
            href: Some(href),
        }
    }

    /// A problem's short name and its page, which as a file is the staff's.
    pub fn problem(&self, problem: &ProblemSlug) -> Name {
        let href = match self.medium {
            Medium::File { up } => self
                .is_staff()
                .then(|| format!("{up}problems/{problem}.html")),
            Medium::Live { .. } => Some(format!("/problems/{problem}")),
            Medium::Own(own) => Some(format!("{}/problems/{problem}", own.base)),
        };
        Name {
            shown: problem.to_string(),
            title: self.board.directory().title(problem).map(visible_line),
            href,
        }
    }

    /// Where the report of an attempt is, where this page leads to reports.
    pub fn report(&self, submission: &Submission) -> Option<String> {
        let student = folder(submission.student.as_str());
        let problem = folder(submission.problem.as_str());
        let attempt = submission.attempt;
        match self.medium {
            Medium::File { up } => Some(format!("{up}{student}/{problem}/{attempt}.html")),
            Medium::Live { shows_reports, .. } => {
                shows_reports.then(|| format!("/reports/{student}/{problem}/{attempt}"))
            }
            Medium::Own(Own { base, .. }) => {
                Some(format!("{base}/reports/{}/{attempt}", submission.problem))
            }
        }
    }

    /// A verdict as the readers of this page see it, with its score where they see points.
    pub fn said(&self, published: &Published) -> VerdictView {
        self.verdict(published.verdict, Some(published.score))
    }

    /// The verdict that an attempt counts as, which an instructor may have decided; `None` while it
    /// has none.
    pub(super) fn said_of_graded(&self, graded: &Graded) -> Option<VerdictView> {
        Some(self.verdict(graded.verdict?, graded.score))
    }

    fn verdict(&self, verdict: Verdict, score: Option<Score>) -> VerdictView {
        let score = score.and_then(Score::shown);
        VerdictView {
            score: score.filter(|_| self.shows_points()),
            ..VerdictView::of(verdict)
        }
    }

    /// How the attempt that counts is chosen.
    pub(super) fn counting_words(&self) -> &'static str {
        let terms = &self.grading().rules.terms;
        let mut own = terms.assignments.iter().map(|one| one.counts);
        if own.any(|own| own != terms.counts) {
            return "the attempt counts that its assignment says";
        }
        match terms.counts {
            Counts::Best if terms.has_file() => {
                "the attempt with the most points after the late rule counts"
            }
            Counts::Best => "the first accepted attempt counts, otherwise the latest",
            Counts::BestOfGroups => {
                "the best points of each group of tests after the late rule count, whichever attempt has brought them; without groups the attempt with the most points counts"
            }
            Counts::Last => "the latest attempt counts",
            Counts::LastOnTime => "the latest attempt that was on time counts",
        }
    }

    /// What stands around a page; `cells` are those that it tells of.
    pub fn frame<'c>(&self, heading: String, cells: impl Iterator<Item = &'c Cell>) -> Frame<'a> {
        let live = match self.medium {
            Medium::File { .. } => None,
            Medium::Live {
                files, has_board, ..
            } => Some(Live {
                home: "/".to_owned(),
                events: has_board.then(|| "/events".to_owned()),
                files: if self.is_staff() { files } else { &[] },
            }),
            Medium::Own(Own { base, .. }) => Some(Live {
                home: format!("{base}/"),
                events: Some(format!("{base}/events")),
                files: &[],
            }),
        };
        let course = match self.medium {
            Medium::File { up } if self.is_staff() && !up.is_empty() => {
                Some(format!("{up}index.html"))
            }
            _ => None,
        };
        let entries = cells.flat_map(|cell| &cell.entries);
        let last = entries.filter_map(|entry| Some(entry.published.as_ref()?.judged_ms));
        Frame {
            is_staff: self.is_staff(),
            heading,
            styles: [STYLE, OWN_STYLE],
            signs: SIGNS,
            last: last
                .max()
                .filter(|_| live.is_none())
                .map(|ms| self.moment(ms)),
            live,
            course,
            clock: self.grading().zone_name().map_or_else(
                || "UTC".to_owned(),
                |name| format!("on the clock of {name}"),
            ),
        }
    }

    /// The part of a table of so many students that is shown.
    pub(super) fn part(&self, of: usize) -> Part {
        match self.medium {
            Medium::File { .. } => Part::of(1, STUDENTS_FILE_MAX, of),
            Medium::Live { selection, .. } => Part {
                query: query_of(self.section()),
                sections: self.sections(),
                ..Part::of(selection.page, STUDENTS_LIVE_MAX, of)
            },
            Medium::Own(_) => Part::of(1, 1, of),
        }
    }
}

/// What every page has around it.
pub struct Frame<'a> {
    /// Whether it is the staff's.
    pub is_staff: bool,
    pub heading: String,
    /// What the script has to know; none of a file, which has none.
    pub live: Option<Live<'a>>,
    /// The page of the course, where this one leads back to it.
    pub course: Option<String>,
    pub styles: [&'static str; 2],
    pub signs: &'static str,
    /// When the last verdict on the page was found.
    pub last: Option<Moment>,
    /// On which clock all times are.
    pub clock: String,
}

/// What a page of the dashboard tells its script.
pub struct Live<'a> {
    /// The page that leads to all others.
    pub home: String,
    /// Where it is told that something has changed; `None` if nothing on it changes by itself.
    pub events: Option<String>,
    pub files: &'a [(&'static str, &'static str)],
}

/// What chooses a section, in an address.
fn query_of(section: Option<&str>) -> String {
    section.map_or_else(String::new, |section| {
        format!("section={}", encoded(section))
    })
}

/// One student's attempts at one problem, in short.
#[derive(Debug, Clone, Template)]
#[template(path = "overview/pages/cell.html")]
pub struct CellView {
    /// What it is about, where the column's head is out of sight.
    pub problem: String,
    /// The verdict that counts; `None` if nothing is judged.
    pub said: Option<VerdictView>,
    /// What it has brought, where the verdict does not say that: more than nothing and, if it is
    /// accepted, less than everything, or what staff have given.
    pub part: Option<String>,
    /// What it brings, where the course's terms say so.
    pub points: Option<String>,
    /// The report of the attempt that counts.
    pub report: Option<String>,
    /// How many attempts there are.
    pub attempts: usize,
    /// When the first accepted attempt was received, as the grade book has it.
    pub accepted: Option<Moment>,
    /// Whether an attempt has no verdict yet.
    pub is_waiting: bool,
}

impl CellView {
    /// The cell of a student and a problem, which may be empty.
    pub fn of(
        view: &View<'_>,
        student: &Student,
        problem: &ProblemSlug,
        cell: Option<&Cell>,
    ) -> Self {
        let grade = view.grading().grade(student, problem, cell);
        let counted = grade.as_ref().and_then(|grade| grade.counted.as_ref());
        let counting = counted.and_then(|counted| {
            let id = counted.handed_in.submission;
            let mut entries = cell?.entries.iter();
            entries.find(|entry| entry.submission.id == id)
        });
        let accepted = cell.and_then(Cell::first_accepted);
        // What somebody was given is nobody else's business.
        let decision = grade.as_ref().and_then(|grade| grade.decision.as_ref());
        let decision = decision.filter(|_| view.shows_points());
        let given = decision.and_then(Decision::points);
        let given = given.map(|points| points.to_string());
        let score = counted.and_then(|counted| counted.score?.shown());
        let is_accepted = counted.is_some_and(|one| one.verdict == Some(Verdict::Accepted));
        let part = score.filter(|score| score.got > 0 && !(score.is_full() && is_accepted));
        let part = part.map(|score| score.got.to_string());
        Self {
            problem: problem.to_string(),
            said: counted.and_then(|counted| view.said_of_graded(counted)),
            part: given.or(part),
            points: grade.as_ref().and_then(|grade| view.points_words(grade)),
            report: counting.and_then(|entry| view.report(&entry.submission)),
            attempts: cell.map_or(0, Cell::attempts),
            accepted: accepted.map(|entry| view.moment(entry.submission.received_ms)),
            is_waiting: cell.is_some_and(|cell| view.grading().is_waiting(cell)),
        }
    }
}

/// What only the staff reads of an attempt.
#[derive(Default)]
pub(super) struct Details {
    /// The first failing test: students may not be told which it is.
    pub failing: String,
    /// The CPU time of the slowest test.
    pub slowest: String,
}

impl Details {
    /// Nothing for students.
    pub fn of(view: &View<'_>, entry: Option<&Entry>) -> Self {
        let Some(entry) = entry.filter(|_| view.is_staff()) else {
            return Self::default();
        };
        let failing = entry.first_failing_test().map(visible_line);
        let slowest = entry.slowest_ms.map(|ms| format!("{ms} ms"));
        Self {
            failing: failing.unwrap_or_default(),
            slowest: slowest.unwrap_or_default(),
        }
    }
}

/// A page, or a part of one, as text.
pub fn rendered(page: &impl Template) -> String {
    page.render()
        .expect("writing to a String fails only where a part of the template does, and none can")
}
