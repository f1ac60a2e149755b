//! Where reports lie: `<student>/<problem>/<attempt>.<format>`, and `<student>/rejected/<file>.txt`
//! for what was no submission.
//!
//! There are two folders, for two audiences. In the students' one lies what each student may see;
//! whatever cannot be given to a single student
//! (notes on files that are nobody's, the logs, overviews of everybody) lies in the staff's alone,
//! with every report as a whole.

use std::io;
use std::path::{Path, PathBuf};

use super::schema::Document;
use crate::domain::{Attempt, ProblemSlug, Rejection, Student};
use crate::util::hash;

/// Everybody who is told.
pub(super) const AUDIENCES: [Audience; 2] = [Audience::Student, Audience::Staff];
/// The folder of rejections, in a student's folder, and beside the students' for files that are
/// nobody's.
const REJECTED: &str = "rejected";
/// The folder of the overviews of problems, beside the students' folders.
const PROBLEMS: &str = "problems";
/// The folder of what is exported for platforms, beside the students' folders of the staff.
pub const EXPORTS_FOLDER: &str = "exports";
/// How the files end that lie directly in a folder of reports: pages, logs, and what other programs
/// read of the course.
const OUR_ENDINGS: [&str; 7] = [
    ".csv", ".html", ".json", ".jsonl", ".log", ".ndjson", ".xml",
];
/// What is kept of a rejected file's name, in bytes.
const REJECTED_NAME_BYTES_MAX: usize = 100;
/// Hexadecimal digits that tell one rejected path from another.
const REJECTED_DIGITS: usize = 16;

/// Whom a report is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// The student who handed in.
    Student,
    /// Instructors.
    Staff,
}

/// Both folders of reports.
#[derive(Debug, Clone)]
pub struct Reports {
    students: PathBuf,
    staff: PathBuf,
}

impl Reports {
    /// The students' folder and the staff's; each is made when the first report is written.
    pub fn new(students: &Path, staff: &Path) -> Self {
        Self {
            students: students.to_owned(),
            staff: staff.to_owned(),
        }
    }

    /// The folder of one of them.
    pub fn folder(&self, audience: Audience) -> &Path {
        match audience {
            Audience::Student => &self.students,
            Audience::Staff => &self.staff,
        }
    }

    /// Where a report lies, by its ending: `json`, `txt`, `html`, `gradescope.json`.
    pub fn path(
        &self,
        audience: Audience,
        student: &Student,
        problem: &ProblemSlug,
        attempt: Attempt,
        ending: &str,
    ) -> PathBuf {
        self.attempts_folder(audience, student, problem)
            .join(format!("{attempt}.{ending}"))
    }

    /// The folder of a student's reports about a problem.
    pub fn attempts_folder(
        &self,
        audience: Audience,
        student: &Student,
        problem: &ProblemSlug,
    ) -> PathBuf {
        self.student_folder(audience, student)
            .join(folder_name(problem.as_str()))
    }

    /// Where a document's report lies.
    pub(super) fn path_of(&self, audience: Audience, document: &Document, ending: &str) -> PathBuf {
        let of = &document.submission;
        self.path(audience, &of.student, &of.problem, of.attempt, ending)
    }

    /// The folder of everything about a student.
    pub fn student_folder(&self, audience: Audience, student: &Student) -> PathBuf {
        self.folder(audience).join(folder_name(student.as_str()))
    }

    /// A file about a student as a whole: `index.html`.
    pub fn student_path(&self, audience: Audience, student: &Student, name: &str) -> PathBuf {
        self.student_folder(audience, student).join(name)
    }

    /// A file about a problem, which is the staff's.
    pub fn problem_path(&self, problem: &ProblemSlug, ending: &str) -> PathBuf {
        self.staff
            .join(PROBLEMS)
            .join(format!("{problem}.{ending}"))
    }

    /// A file about everybody, which is the staff's.
    pub fn course_path(&self, name: &str) -> PathBuf {
        self.staff.join(name)
    }

    /// The folders of the notes on rejected files: the staff's, and the student's where they are
    /// one's.
    pub(super) fn rejection_folders(&self, student: Option<&Student>) -> Vec<PathBuf> {
        match student {
            None => vec![self.staff.join(REJECTED)],
            Some(student) => AUDIENCES
                .map(|audience| self.student_path(audience, student, REJECTED))
                .into(),
        }
    }

    /// Every folder of notes that there is, whoever has made it.
    pub(super) fn all_rejection_folders(&self) -> io::Result<Vec<PathBuf>> {
        let mut found = vec![self.staff.join(REJECTED)];
        for audience in AUDIENCES {
            let entries = match std::fs::read_dir(self.folder(audience)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                entries => entries?,
            };
            for entry in entries {
                found.push(entry?.path().join(REJECTED));
            }
        }
        found.retain(|folder| folder.is_dir());
        Ok(found)
    }
}

/// A student or a problem may be called as one of our own files is; then a tilde follows, and two
/// different names stay different.
pub fn folder_name(name: &str) -> String {
    let bare = name.trim_end_matches('~');
    let is_ours = OUR_ENDINGS.iter().any(|ending| bare.ends_with(ending));
    if [REJECTED, PROBLEMS, EXPORTS_FOLDER].contains(&bare) || is_ours {
        format!("{name}~")
    } else {
        name.to_owned()
    }
}

/// What follows a rejected file's name in that of the note on it: no file is mistaken for the note
/// on another one.
const NOTE: &str = "note.txt";
/// The note that says how many there are beside those that have one of their own. No other note is
/// called so.
pub(super) const MORE_NOTE: &str = "and-more.txt";

/// A file name for the note on a path that anyone may have chosen.
///
/// `alpha/x.exe` and `alpha_y.exe` become `x.exe.note.txt` and `alpha_y.exe.note.txt`.
/// Any other path, one with odd characters, and one that looks like ours, gets a digest, so that no
/// two paths share a note.
pub(super) fn rejection_name(rejection: &Rejection) -> String {
    let path = rejection.path.as_str();
    let name = path.rsplit('/').next().unwrap_or_default();
    let own_prefix = |student: &Student| {
        name.strip_prefix(student.as_str())
            .is_some_and(|rest| rest.starts_with('_'))
    };
    let usual = match &rejection.student {
        Some(student) if own_prefix(student) => path == name,
        Some(student) => path.strip_prefix(student.as_str()) == Some(&format!("/{name}")),
        None => path == name,
    };
    let safe: String = name.chars().map(safe_character).collect();
    if usual
        && safe == name
        && !name.is_empty()
        && !name.starts_with('.')
        && name.len() <= REJECTED_NAME_BYTES_MAX
        && !ends_like_a_digest(name)
    {
        return format!("{name}.{NOTE}");
    }
    let mut head = safe.trim_start_matches('.');
    while head.len() > REJECTED_NAME_BYTES_MAX {
        let mut characters = head.chars();
        characters.next_back();
        head = characters.as_str();
    }
    let mut digest = hash::digest(path.as_bytes()).to_string();
    digest.truncate(REJECTED_DIGITS);
    format!("{head}-{digest}.{NOTE}")
}

fn safe_character(character: char) -> char {
    if character.is_alphanumeric() || matches!(character, '.' | '_' | '-' | '+' | ' ') {
        character
    } else {
        '_'
    }
}

fn ends_like_a_digest(name: &str) -> bool {
    name.rsplit_once('-').is_some_and(|(_, tail)| {
        tail.len() == REJECTED_DIGITS && tail.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::path::{Path, PathBuf};

    use super::{Audience, Reports, rejection_name};
    use crate::util::samples::{rejection, slug, student};

    #[test]
    fn reports_lie_where_a_student_looks() {
        let reports = Reports::new(Path::new("r"), Path::new("s"));
        for (name, problem, expected) in [
            ("Студент П", "curling", "r/Студент П/curling/3.json"),
            ("rejected", "rejected", "r/rejected~/rejected~/3.json"),
            ("verdicts.log~", "x", "r/verdicts.log~~/x/3.json"),
            ("index.html", "problems", "r/index.html~/problems~/3.json"),
            ("exports", "x", "r/exports~/x/3.json"),
            ("alpha~", "x", "r/alpha~/x/3.json"),
        ] {
            let (student, slug) = (student(name), slug(problem));
            let found = reports.path(Audience::Student, &student, &slug, 3, "json");
            assert_eq!(found, Path::new(expected));
        }
    }

    #[test]
    fn notes_on_rejections_never_leave_their_folder_and_never_share_a_file() {
        let reports = Reports::new(Path::new("r"), Path::new("s"));
        let at = |student, path: &str| -> Vec<PathBuf> {
            let rejection = rejection(student, path);
            let folders = reports.rejection_folders(rejection.student.as_ref());
            let name = rejection_name(&rejection);
            folders.iter().map(|folder| folder.join(&name)).collect()
        };
        let expected = ["r", "s"].map(|root| Path::new(root).join("alpha/rejected/x.exe.note.txt"));
        assert_eq!(at(Some("alpha"), "alpha/x.exe"), expected);
        assert_eq!(at(None, "x.exe"), [Path::new("s/rejected/x.exe.note.txt")]);
        let long = "x".repeat(5_000);
        let names = "x|alpha/x|alpha /x|alpha/alpha_x|alpha_x|alpha/deep/x|x/../../y|..|/etc/passwd|\
                     |a\0b|a\nb|a\u{202e}b|a/b|a_b|.hidden|hidden|alpha/x-0123456789abcdef|刘/思|\
                     alpha/x.txt|alpha/x.note|alpha/x.note.txt";
        let hostile = names.split('|').chain([&*long, &long[1..]]);
        let mut seen = HashSet::new();
        for path in hostile {
            for student in [Some("alpha"), None] {
                let note = at(student, path).pop().unwrap();
                let folder = student.map_or("s/rejected", |_| "s/alpha/rejected");
                assert_eq!(note.parent(), Some(Path::new(folder)), "{path:?}");
                let name = note.file_name().unwrap().to_str().unwrap();
                assert!(name.len() <= 150 && !name.starts_with('.'), "{name}");
                assert!(name.ends_with(".note.txt"), "{name}");
                assert!(!name.chars().any(char::is_control), "{name}");
                assert!(seen.insert(note), "{path:?} shares a note");
            }
        }
    }
}
