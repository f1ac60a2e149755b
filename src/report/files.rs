//! Makes a report's files, and brings them to the disk.
//!
//! A verdict waits for what its student reads first: the document and its text. The worker makes
//! these;
//! pages, and everything in the staff's folder, follow the verdict, so that they hold up nobody's.

use std::io;
use std::path::PathBuf;

use super::document::Report;
use super::places::{AUDIENCES, Audience, Reports};
use super::redact::redact;
use super::{gradescope, html, text};
use crate::util::files::{self, sync_file_systems};

/// When a file is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
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

/// Paths of files, and what is to stand in them.
pub type Rendered = Vec<(PathBuf, String)>;

impl Reports {
    /// The files of a report that are made at a moment.
    pub fn render(&self, report: &Report<'_>, moment: Moment) -> Rendered {
        let shown = redact(report.document);
        let of_student = Report {
            document: &shown,
            ..*report
        };
        let mut files = Vec::new();
        for format in &FORMATS {
            let both = [(Audience::Student, &of_student), (Audience::Staff, report)];
            for (audience, report) in both {
                if format.is_for(audience, moment) {
                    let path = self.path_of(audience, report.document, format.ending);
                    files.push((path, (format.make)(report, audience)));
                }
            }
        }
        files
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

    use super::{Moment, Report, Reports};
    use crate::report::tests::samples::{judged, report};

    #[test]
    fn a_verdict_waits_for_its_students_document_and_text_alone() {
        let reports = Reports::new(Path::new("r"), Path::new("s"));
        let (document, source) = (&report("alpha", &judged(Vec::new())), &b"print(1)"[..]);
        let report = Report { document, source };
        let later = "r gradescope.json, r html, s gradescope.json, s html, s json, s txt";
        for (moment, expected) in [(Moment::AtOnce, "r json, r txt"), (Moment::Later, later)] {
            let rendered = reports.render(&report, moment);
            let paths = rendered.iter().map(|(path, _)| path.display().to_string());
            let mut paths: Vec<_> = paths.collect();
            paths.sort();
            assert_eq!(paths.join(", ").replace("/alpha/curling/2.", " "), expected);
        }
    }
}
