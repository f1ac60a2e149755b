//! Bench: the daemon's standing costs.
//!
//! `scan-20000`: one look at a submissions folder with 20,000 files in 5,000 students' folders.

mod common;

use std::fs;

/// Students, and files of each: together the 20,000 files of the row's name.
const STUDENTS: usize = 5_000;
const FILES_EACH: usize = 4;
/// Timings, of which the median counts.
const RUNS: usize = 11;

fn main() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    for student in 0..STUDENTS {
        let own = folder.path().join(format!("student{student}"));
        fs::create_dir(&own).expect("a student's folder");
        for file in 0..FILES_EACH {
            fs::write(own.join(format!("problem{file}.cpp")), "int main() {}").expect("a file");
        }
    }
    let scan_us = common::median_us(RUNS, || {
        let names = verdictd::bench::scan_names(folder.path().to_owned());
        assert_eq!(names, Ok(STUDENTS * (FILES_EACH + 1)));
    });
    common::print(&[common::Row {
        bench: "daemon",
        row: "scan-20000",
        value: scan_us / 1e3,
        unit: "ms",
        baseline: None,
        ratio: None,
    }]);
}
