//! What pages cost in a store of 10,000 judged submissions of as many students.
//!
//! - `page`: making the page of one judgement, from the store to its text, over reading and parsing
//!   the document that it shows.
//! - `overview`: making one overview of a problem or a student. Nothing else makes such pages, so
//!   there is no baseline.
//! - `course`: making the matrix, at 2,000 students and 20 problems shown; no baseline.
//! - `files-a-verdict`: distinct files that the daemon's pages thread writes after one more
//!   verdict, over those that it is in.

use std::fs;
use std::path::Path;

use crate::common::{
    Daemon, JUDGED, MadePages, PROBLEMS, Row, School, Size, figure, make_pages, us,
};

pub const NAME: &str = "pages";

const SUBMISSIONS: usize = 10_000;
const SUBMISSIONS_SMALL: usize = 40;
/// Files that one verdict is in: two formats for two audiences, its student's page for both, the
/// problem's, the course's, the grade book, results.xml.
const FILES: u64 = 10;

pub fn rows(size: Size) -> Vec<Row> {
    let submissions = size.pick(SUBMISSIONS, SUBMISSIONS_SMALL);
    let school = School::new();
    school.fill(submissions, submissions / 10);
    let all = make_pages(&school.folder.join("config.toml")).expect("pages are made");
    let submissions = submissions as u64;
    assert_eq!(all.judgements.files, submissions, "pages of judgements");
    assert_eq!(
        all.overviews.files,
        2 * submissions + PROBLEMS as u64,
        "pages of students for two audiences, and of problems"
    );
    assert_eq!(all.course.files, 1, "pages of the course");
    let each = |made: &MadePages| us(made.making) / figure(made.files);
    let files = files_of_one_verdict(&school);
    assert_eq!(files, FILES, "files that one verdict writes");
    vec![
        Row::new(NAME, "page", each(&all.judgements), "us")
            .over(us(all.reading) / figure(submissions)),
        Row::new(NAME, "overview", each(&all.overviews), "us"),
        Row::new(NAME, "course", each(&all.course), "us"),
        Row::new(NAME, "files-a-verdict", figure(files), "files")
            .over(figure(FILES))
            .ratio_at_most(1.0),
    ]
}

/// Submits one more program; returns how many pages and overviews there are when the daemon has
/// ended. Before, there was only an empty matrix.
fn files_of_one_verdict(school: &School) -> u64 {
    let daemon = Daemon::start(&school.folder);
    daemon.ready();
    school.write(
        "submissions/newcomer/p00.c",
        "int main(void) { return 0; }\n",
    );
    daemon.says(JUDGED);
    daemon.finish();
    let folders = ["reports", "staff"].map(|name| school.folder.join(name));
    folders.iter().map(|folder| late_files(folder)).sum()
}

/// Files below a folder that follow a verdict and were written.
fn late_files(folder: &Path) -> u64 {
    const ENDINGS: [&str; 4] = [".html", ".csv", ".xml", ".gradescope.json"];
    let entries = fs::read_dir(folder).expect("a folder");
    let count = |entry: fs::DirEntry| {
        let path = entry.path();
        let name = path.display().to_string();
        if path.is_dir() {
            late_files(&path)
        } else {
            // Files from the prepared store are empty.
            let is_written = path.metadata().expect("a file").len() > 0;
            u64::from(is_written && ENDINGS.iter().any(|ending| name.ends_with(ending)))
        }
    };
    entries.map(|entry| count(entry.expect("an entry"))).sum()
}
