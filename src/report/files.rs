//! Where reports lie: `<student>/<problem>/<attempt>.<format>`, and `<student>/rejected/<file>.txt` for what was no submission.
//!
//! There are two folders, for two audiences. In the students' one lies what each student may see; whatever cannot be given to a single student
//! (notes on files that are nobody's, the logs) lies in the staff's alone, with every report as a whole.

use std::io;
use std::path::{Path, PathBuf};

use super::disclose::for_student;
use super::schema::Document;
use super::{html, text};
use crate::domain::{Attempt, ProblemSlug, Rejection, Student};
use crate::util::crash::point;
use crate::util::files::{self, replace, replace_unsynced, sync_file_system};
use crate::util::hash;

/// What reports are made from. The source lies in the store once, and not in each document again.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    /// What is said of the submission.
    pub document: &'a Document,
    /// Its source, as the bytes it is.
    pub source: &'a [u8],
}

/// A format of the report: the file's ending, and what makes its text.
struct Format {
    ending: &'static str,
    /// None for the document itself.
    make: Option<fn(&Report<'_>) -> String>,
}

/// A new format is one file in this folder and its entry here.
const FORMATS: [Format; 3] = [
    Format {
        ending: "json",
        make: None,
    },
    Format {
        ending: "txt",
        make: Some(|report| text::render(report.document)),
    },
    Format {
        ending: "html",
        make: Some(html::render),
    },
];

/// Everybody who is told.
const AUDIENCES: [Audience; 2] = [Audience::Student, Audience::Staff];
/// The folder of rejections, in a student's folder, and beside the students' for files that are nobody's.
const REJECTED: &str = "rejected";
/// Names directly in the reports folder that begin like this are the logs'.
const LOGS_BEGIN: &str = "verdicts.";
/// What is kept of a rejected file's name, in bytes.
const REJECTED_NAME_BYTES_MAX: usize = 100;
/// Hexadecimal digits that tell one rejected path from another.
const REJECTED_DIGITS: usize = 16;

/// Reports of which each file is brought to the disk by itself. For more of them one order to the file system is quicker,
/// though it may have to wait for what other programs have written there.
const SYNCED_EACH_MAX: usize = 2;

/// The files of one report.
#[derive(Debug, Clone)]
pub struct Rendered {
    files: Vec<(PathBuf, String)>,
    json: String,
}

impl Rendered {
    /// The document as JSON, as the store keeps it too.
    pub fn json(&self) -> &str {
        &self.json
    }

    /// Writes them. When this returns, all of them are on the disk.
    pub fn write(&self) -> io::Result<()> {
        self.each(replace)
    }

    fn write_unsynced(&self) -> io::Result<()> {
        self.each(replace_unsynced)
    }

    fn each(&self, write: fn(&Path, &[u8]) -> io::Result<()>) -> io::Result<()> {
        for (path, text) in &self.files {
            write(path, text.as_bytes())?;
            point("one format written");
        }
        Ok(())
    }
}

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

    fn folder(&self, audience: Audience) -> &Path {
        match audience {
            Audience::Student => &self.students,
            Audience::Staff => &self.staff,
        }
    }

    /// Where a report lies, by its ending: `json`, `txt`, `html`.
    pub fn path(
        &self,
        audience: Audience,
        student: &Student,
        problem: &ProblemSlug,
        attempt: Attempt,
        ending: &str,
    ) -> PathBuf {
        self.folder(audience)
            .join(escaped(student.as_str()))
            .join(escaped(problem.as_str()))
            .join(format!("{attempt}.{ending}"))
    }

    /// Where a document's report lies.
    fn path_of(
        &self,
        audience: Audience,
        document: &Document,
        ending: &str,
    ) -> io::Result<PathBuf> {
        // The document may come from a file or an old store: the names are checked again before they become a path.
        let invalid = |error| io::Error::new(io::ErrorKind::InvalidData, error);
        let student = Student::new(&document.submission.student).map_err(invalid)?;
        let problem = ProblemSlug::new(&document.submission.problem).map_err(invalid)?;
        let attempt = document.submission.attempt;
        Ok(self.path(audience, &student, &problem, attempt, ending))
    }

    /// Removes what a sudden end left half written: beside the logs, and where this report lies.
    pub fn sweep(&self, document: &Document) -> io::Result<()> {
        files::sweep(&self.staff);
        for audience in AUDIENCES {
            if let Some(folder) = self.path_of(audience, document, "json")?.parent() {
                files::sweep(folder);
            }
        }
        Ok(())
    }

    /// A report in every format, ready to be written.
    pub fn render(&self, report: &Report<'_>) -> io::Result<Rendered> {
        let json = report.document.to_json();
        let shown = for_student(report.document);
        let mut files = Vec::new();
        for audience in AUDIENCES {
            let report = match audience {
                Audience::Staff => *report,
                Audience::Student => Report {
                    document: &shown,
                    source: report.source,
                },
            };
            for format in &FORMATS {
                let path = self.path_of(audience, report.document, format.ending)?;
                let text = match (format.make, audience) {
                    (Some(make), _) => make(&report),
                    (None, Audience::Staff) => json.clone(),
                    (None, Audience::Student) => shown.to_json(),
                };
                files.push((path, text));
            }
        }
        Ok(Rendered { files, json })
    }

    /// Writes a report in every format. When this returns, all of them are on the disk.
    pub fn write(&self, report: &Report<'_>) -> io::Result<()> {
        self.render(report)?.write()
    }

    /// Writes reports, each with its own success. When this returns, all that could be written are on the disk.
    pub fn write_all(&self, reports: &[&Rendered]) -> Vec<io::Result<()>> {
        let each = |write: fn(&Rendered) -> io::Result<()>| {
            reports.iter().map(|report| write(report)).collect()
        };
        if reports.len() <= SYNCED_EACH_MAX {
            return each(Rendered::write);
        }
        let written = each(Rendered::write_unsynced);
        let mut synced = AUDIENCES
            .iter()
            .map(|audience| sync_file_system(self.folder(*audience)));
        if synced.all(|synced| synced.is_ok()) {
            return written;
        }
        // It does not say whose bytes could not be written; file by file it does.
        each(Rendered::write)
    }

    /// The same where the note on a rejected file lies.
    pub fn sweep_rejections(&self, rejection: &Rejection) {
        for path in self.rejection_paths(rejection) {
            path.parent().into_iter().for_each(files::sweep);
        }
    }

    /// Where the notes on a rejected file lie: the staff's, and the student's where it is one's. Two rejected files never share one.
    pub fn rejection_paths(&self, rejection: &Rejection) -> Vec<PathBuf> {
        let name = rejection_name(rejection);
        let note = |folder: &Path| folder.join(REJECTED).join(&name);
        match &rejection.student {
            None => vec![note(&self.staff)],
            Some(student) => AUDIENCES
                .iter()
                .map(|audience| note(&self.folder(*audience).join(escaped(student.as_str()))))
                .collect(),
        }
    }

    /// Writes the notes on a rejected file.
    pub fn write_rejection(&self, rejection: &Rejection) -> io::Result<()> {
        let text = text::render_rejection(rejection);
        self.rejection_paths(rejection)
            .iter()
            .try_for_each(|path| replace(path, text.as_bytes()))
    }

    /// Takes the note on a file away, where there is one: the file is gone, or has become a submission.
    pub fn remove_rejection(&self, rejection: &Rejection) -> io::Result<()> {
        for path in self.rejection_paths(rejection) {
            match std::fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

/// A student or a problem may be called as one of our own files is; then a tilde follows, and two different names stay different.
fn escaped(name: &str) -> String {
    let bare = name.trim_end_matches('~');
    if bare == REJECTED || bare.starts_with(LOGS_BEGIN) {
        format!("{name}~")
    } else {
        name.to_owned()
    }
}

/// A file name for the note on a path that anyone may have chosen.
///
/// `alpha/x.exe` and `alpha_y.exe` become `x.exe.txt` and `alpha_y.exe.txt`.
/// Any other path, one with odd characters, and one that looks like ours, gets a digest, so that no two paths share a note.
fn rejection_name(rejection: &Rejection) -> String {
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
        return format!("{name}.txt");
    }
    let mut head = safe.trim_start_matches('.');
    while head.len() > REJECTED_NAME_BYTES_MAX {
        let mut characters = head.chars();
        characters.next_back();
        head = characters.as_str();
    }
    let mut digest = hash::digest(path.as_bytes()).to_string();
    digest.truncate(REJECTED_DIGITS);
    format!("{head}-{digest}.txt")
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
    use std::path::Path;

    use super::{Rendered, Report, Reports, SYNCED_EACH_MAX, escaped};
    use crate::domain::{ProblemSlug, Rejection, Student};
    use crate::report::tests::samples::{judged, report};

    fn rejection(student: Option<&str>, path: &str) -> Rejection {
        Rejection {
            student: student.map(|name| Student::new(name).unwrap()),
            path: path.to_owned(),
            reason: "no such language".to_owned(),
            seen_ms: 0,
        }
    }

    #[test]
    fn reports_lie_where_a_student_looks() {
        let reports = Reports::new(Path::new("r"));
        let path = |student, problem| {
            let (student, problem) = (Student::new(student), ProblemSlug::new(problem));
            reports.path(&student.unwrap(), &problem.unwrap(), 3, "json")
        };
        assert_eq!(
            path("Студент П", "curling"),
            Path::new("r/Студент П/curling/3.json")
        );
        assert_eq!(
            path("rejected", "rejected"),
            Path::new("r/rejected~/rejected~/3.json")
        );
        assert_eq!(
            path("verdicts.log", "x"),
            Path::new("r/verdicts.log~/x/3.json")
        );
        assert_eq!(escaped("verdicts.log~"), "verdicts.log~~");
        assert_eq!(escaped("alpha~"), "alpha~");
    }

    #[test]
    fn notes_on_rejections_never_leave_their_folder_and_never_share_a_file() {
        let reports = Reports::new(Path::new("r"));
        let at = |student, path: &str| reports.rejection_path(&rejection(student, path));
        assert_eq!(
            at(Some("alpha"), "alpha/x.exe"),
            Path::new("r/alpha/rejected/x.exe.txt")
        );
        assert_eq!(
            at(Some("alpha"), "alpha_x.exe"),
            Path::new("r/alpha/rejected/alpha_x.exe.txt")
        );
        assert_eq!(at(None, "x.exe"), Path::new("r/rejected/x.exe.txt"));
        let long = "x".repeat(5_000);
        let hostile = [
            "x",
            "alpha/x",
            "alpha/alpha_x",
            "alpha_x",
            "alpha/deep/x",
            "x/../../y",
            "..",
            "/etc/passwd",
            "",
            "a\0b",
            "a\nb",
            "a\u{202e}b",
            "a/b",
            "a_b",
            ".hidden",
            "hidden",
            &long,
            &long[1..],
            "alpha/x-0123456789abcdef",
            "刘/思",
        ];
        let mut seen = HashSet::new();
        for path in hostile {
            for student in [Some("alpha"), None] {
                let note = at(student, path);
                let folder = if student.is_some() {
                    "r/alpha/rejected"
                } else {
                    "r/rejected"
                };
                assert_eq!(note.parent(), Some(Path::new(folder)), "{path:?}");
                let name = note.file_name().unwrap().to_str().unwrap();
                assert!(name.len() <= 150 && !name.starts_with('.'), "{name}");
                assert!(!name.chars().any(char::is_control), "{name}");
                assert!(seen.insert(note), "{path:?} shares a note");
            }
        }
    }

    #[test]
    fn notes_are_written_and_taken_away() {
        let folder = tempfile::tempdir().unwrap();
        let reports = Reports::new(folder.path());
        let rejection = rejection(Some("alpha"), "alpha/x.exe");
        reports.write_rejection(&rejection).unwrap();
        assert!(reports.rejection_path(&rejection).exists());
        reports.remove_rejection(&rejection).unwrap();
        reports.remove_rejection(&rejection).unwrap();
        assert!(!reports.rejection_path(&rejection).exists());
    }

    #[test]
    fn many_reports_are_written_at_once_and_each_has_its_own_success() {
        let folder = tempfile::tempdir().unwrap();
        let reports = Reports::new(folder.path());
        // A file in the place of a folder: nothing can be written there.
        std::fs::write(folder.path().join("s1"), "").unwrap();
        for count in [1, SYNCED_EACH_MAX, SYNCED_EACH_MAX + 1, 20] {
            let all: Vec<Rendered> = (0..count)
                .map(|number| {
                    let document = report(&format!("s{number}"), &judged(Vec::new()));
                    let (document, source) = (&document, &b"print(1)"[..]);
                    reports.render(&Report { document, source }).unwrap()
                })
                .collect();
            let results = reports.write_all(&all.iter().collect::<Vec<_>>());
            for (number, result) in results.iter().enumerate() {
                assert_eq!(
                    result.is_ok(),
                    number != 1,
                    "{number} of {count}: {result:?}"
                );
            }
            for written in all.iter().enumerate().filter(|(number, _)| *number != 1) {
                for (path, text) in &written.1.files {
                    assert_eq!(&std::fs::read_to_string(path).unwrap(), text);
                }
            }
        }
    }
}
