//! Bench: what pages cost in a store of 10,000 judged submissions of as many students.
//!
//! - `page`: making the page of one judgement, from the store to its text; the baseline is writing a file of that size, without waiting for the disk.
//! - `overview`: making one overview (the course, each problem, each student), compared in the same way.
//! - `course`: making the matrix, at 2,000 students and 20 problems shown.
//! - `files-a-verdict`: different files that the daemon's pages thread writes after one more verdict: its page, and the overviews that the verdict is in, to be 10.

#[path = "common/rows.rs"]
mod common;
#[path = "common/daemon.rs"]
mod daemon;
#[path = "common/school.rs"]
mod school;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use common::Row;
use daemon::{Daemon, field, figure};
use school::School;
use verdictd::bench::{MadePages, make_pages};

const SUBMISSIONS: usize = 10_000;
/// Submissions of the first problem.
const OF_ONE_PROBLEM: usize = 1_000;
/// Files that one verdict should write: two formats for two audiences, its student's page for both, the problem's, the course's, the grade book, results.xml.
const FILES: u64 = 10;

fn main() -> ExitCode {
    // The sandbox starts this program again as a part of itself.
    if let Some(code) = verdictd::reenter() {
        return code;
    }
    let school = School::new();
    school.fill(SUBMISSIONS, OF_ONE_PROBLEM, false);
    let made = make_pages(&school.folder.join("config.toml")).expect("pages are made");
    let row = |row, made: &MadePages| {
        let each = |time: Duration| time.as_secs_f64() * 1e6 / figure(made.files.max(1));
        Row {
            bench: "pages",
            row,
            value: each(made.making),
            unit: "us",
            baseline: Some(each(made.writing)),
            ratio: Some(made.making.as_secs_f64() / made.writing.as_secs_f64()),
        }
    };
    let mut rows: Vec<Row> = ["page", "overview", "course"]
        .into_iter()
        .zip(&made)
        .map(|(name, made)| row(name, made))
        .collect();
    let files = files_of_one_verdict(&school);
    rows.push(Row {
        bench: "pages",
        row: "files-a-verdict",
        value: figure(files),
        unit: "files",
        baseline: Some(figure(FILES)),
        ratio: Some(figure(files) / figure(FILES)),
    });
    common::print(&rows);
    ExitCode::SUCCESS
}

/// Hands in one more program; how many pages and overviews there are when the daemon has ended. Before there was none but an empty matrix.
fn files_of_one_verdict(school: &School) -> u64 {
    let daemon = Daemon::start(&school.folder);
    daemon.ready();
    school.write(
        "submissions/newcomer/p00.c",
        b"int main(void) { return 0; }\n",
    );
    loop {
        let (_, line) = daemon.next_line();
        if field(&line, "pages").is_some_and(|pages| pages > 0) {
            let pid = daemon.child.id().to_string();
            let sent = Command::new("kill").args(["-s", "TERM", &pid]).status();
            assert!(sent.is_ok_and(|sent| sent.success()), "it is told to stop");
        }
        if line.starts_with("stopped") {
            let folders = ["reports", "staff"].map(|name| school.folder.join(name));
            return folders.iter().map(|folder| late_files(folder)).sum();
        }
    }
}

/// Files below a folder that follow a verdict and were written.
fn late_files(folder: &Path) -> u64 {
    const ENDINGS: [&str; 4] = [".html", ".csv", ".xml", ".gradescope.json"];
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let count = |path: PathBuf| {
        let name = path.display().to_string();
        if path.is_dir() {
            late_files(&path)
        } else {
            // What was filled in beforehand is empty.
            let is_written = path.metadata().is_ok_and(|about| about.len() > 0);
            u64::from(is_written && ENDINGS.iter().any(|ending| name.ends_with(ending)))
        }
    };
    entries.map(|entry| count(entry.path())).sum()
}
