//! Makes a report's files, and brings them to the disk.
//!
//! A verdict waits for what its student reads first: the document and its text. The worker makes
//! these;
//! pages, and everything in the staff's folder, follow the verdict, so that they hold up nobody's.

use std::io;
use std::path::{Path, PathBuf};

use super::disclose::for_student;
use super::document::Report;
use super::places::{AUDIENCES, Audience, Reports};
use super::schema::Document;
use super::{gradescope, html, text};
use crate::util::crash::point;
use crate::util::files::{self, replace, replace_unsynced, sync_file_systems};

/// When a file is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    /// Before anybody hears of the verdict.
    AtOnce,
    /// Soon after that.
    Later,
}

/// A format of the report: the file's ending, what browsers are told that it is, and what makes its
/// text.
struct Format {
    ending: &'static str,
    content_type: &'static str,
    /// When the student's is made.
    moment: Moment,
    make: fn(&Report<'_>, Audience) -> String,
}

impl Format {
    fn is_for(&self, audience: Audience, moment: Moment) -> bool {
        match audience {
            Audience::Student => self.moment == moment,
            Audience::Staff => moment == Moment::Later,
        }
    }
}

/// A new format is one file in this folder and its entry here.
const FORMATS: [Format; 4] = [
    Format {
        ending: "json",
        content_type: "application/json",
        moment: Moment::AtOnce,
        make: |report, _| report.document.to_json(),
    },
    Format {
        ending: "txt",
        content_type: "text/plain; charset=utf-8",
        moment: Moment::AtOnce,
        make: |report, audience| text::render(report.document, audience),
    },
    Format {
        ending: "html",
        content_type: "text/html; charset=utf-8",
        moment: Moment::Later,
        make: html::render,
    },
    Format {
        ending: "gradescope.json",
        content_type: "application/json",
        moment: Moment::Later,
        make: gradescope::render,
    },
];

/// What a report with this ending is; none where there is no such format.
pub fn content_type_of(ending: &str) -> Option<&'static str> {
    let format = FORMATS.iter().find(|format| format.ending == ending)?;
    Some(format.content_type)
}

/// Reports of which each file is brought to the disk by itself. For more of them one order to the
/// file system is quicker, though it may have to wait for what other programs have written there.
const SYNCED_EACH_MAX: usize = 2;

/// Files of one report, ready to be written.
#[derive(Debug, Clone)]
pub struct Rendered {
    files: Vec<(PathBuf, String)>,
}

impl Rendered {
    /// Their paths and texts.
    pub fn into_files(self) -> Vec<(PathBuf, String)> {
        self.files
    }

    /// Writes them. When this returns, all of them are on the disk.
    pub fn write(&self) -> io::Result<()> {
        self.each(replace)
    }

    fn each(&self, write: fn(&Path, &[u8]) -> io::Result<()>) -> io::Result<()> {
        self.files.iter().try_for_each(|(path, text)| {
            write(path, text.as_bytes())?;
            point("one format written");
            Ok(())
        })
    }
}

impl Reports {
    /// Removes what a sudden end left half written: beside the logs, and where this report lies.
    pub fn sweep(&self, document: &Document) -> io::Result<()> {
        files::sweep(self.folder(Audience::Staff));
        for audience in AUDIENCES {
            if let Some(folder) = self.path_of(audience, document, "json")?.parent() {
                files::sweep(folder);
            }
        }
        Ok(())
    }

    /// What a verdict waits for.
    pub fn render(&self, report: &Report<'_>) -> io::Result<Rendered> {
        self.render_at(report, Moment::AtOnce)
    }

    /// What follows it.
    pub fn render_late(&self, report: &Report<'_>) -> io::Result<Rendered> {
        self.render_at(report, Moment::Later)
    }

    fn render_at(&self, report: &Report<'_>, moment: Moment) -> io::Result<Rendered> {
        let shown = for_student(report.document);
        let of_student = Report {
            document: &shown,
            ..*report
        };
        let mut files = Vec::new();
        for format in &FORMATS {
            let both = [(Audience::Student, &of_student), (Audience::Staff, report)];
            for (audience, report) in both {
                if format.is_for(audience, moment) {
                    let path = self.path_of(audience, report.document, format.ending)?;
                    files.push((path, (format.make)(report, audience)));
                }
            }
        }
        Ok(Rendered { files })
    }

    /// Writes reports, each with its own success. When this returns, all that could be written are
    /// on the disk.
    pub fn write_all(&self, reports: &[&Rendered]) -> Vec<io::Result<()>> {
        if reports.len() > SYNCED_EACH_MAX {
            let written = reports.iter().map(|report| report.each(replace_unsynced));
            let written = written.collect();
            if self.sync().is_ok() {
                return written;
            }
        }
        // The file system does not say whose bytes could not be written; file by file it does.
        reports.iter().map(|report| report.write()).collect()
    }

    /// Replaces files of these folders. Whatever happens meanwhile, none is torn: nobody would
    /// write it again.
    pub fn replace_all(&self, files: &[(PathBuf, String)]) -> io::Result<()> {
        files::replace_all(&AUDIENCES.map(|audience| self.folder(audience)), files)
    }

    /// Brings everything that was written in both folders to the disk.
    pub fn sync(&self) -> io::Result<()> {
        sync_file_systems(AUDIENCES.map(|audience| self.folder(audience)))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Rendered, Report, Reports, SYNCED_EACH_MAX};
    use crate::report::tests::samples::{judged, report};

    #[test]
    fn a_verdict_waits_for_its_students_document_and_text_alone() {
        let reports = Reports::new(Path::new("r"), Path::new("s"));
        let (document, source) = (&report("alpha", &judged(Vec::new())), &b"print(1)"[..]);
        let report = Report { document, source };
        let files = |rendered: Rendered| {
            let paths = rendered.files.iter();
            let mut paths: Vec<_> = paths.map(|(path, _)| path.display().to_string()).collect();
            paths.sort();
            paths
        };
        let of = |folder: &str, endings: &[&str]| -> Vec<String> {
            let stem = format!("{folder}/alpha/curling/{}", document.submission.attempt);
            let endings = endings.iter();
            endings.map(|ending| format!("{stem}.{ending}")).collect()
        };
        let at_once = files(reports.render(&report).unwrap());
        assert_eq!(at_once, of("r", &["json", "txt"]));
        let mut late = of("r", &["gradescope.json", "html"]);
        late.extend(of("s", &["gradescope.json", "html", "json", "txt"]));
        assert_eq!(files(reports.render_late(&report).unwrap()), late);
    }

    #[test]
    fn many_reports_are_written_at_once_and_each_has_its_own_success() {
        let folder = tempfile::tempdir().unwrap();
        let reports = Reports::new(folder.path(), &folder.path().join("staff"));
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
