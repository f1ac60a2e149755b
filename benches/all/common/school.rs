//! A course with a store full of judged submissions.

use std::fs;

use super::copies;
use super::{Course, Size, only_c, say, timed};

/// Tests of each problem.
pub const TESTS: usize = 10;

/// A course with problems among which the submissions are spread.
pub struct School {
    pub course: Course,
    pub problems: usize,
}

impl School {
    pub fn new(size: Size) -> Self {
        let problems = size.pick(20, 2);
        let course = Course::new(&only_c());
        for problem in 0..problems {
            course.add_problem(&slug(problem), TESTS);
        }
        Self { course, problems }
    }

    /// Has the daemon judge one submission of each problem, and puts copies of these into its
    /// store, each as if it were another student's: the first problem has so many of all, the
    /// others share the rest. The students' files are deleted.
    pub fn fill(&self, submissions: usize, of_one_problem: usize) {
        let others = submissions.saturating_sub(of_one_problem);
        let others = others.min(self.problems - 1);
        let judged = 1 + others;
        let write = || {
            self.judge(judged);
            let copies = (judged..submissions).map(|number| {
                for folder in ["reports", "staff"] {
                    let page = format!("{folder}/student{number}/index.html");
                    self.course.write(&page, b"");
                }
                let later = number.checked_sub(judged + of_one_problem - 1);
                (slug(later.map_or(0, |later| 1 + later % others)), number)
            });
            copies::fill(&self.course.folder, copies);
        };
        let seconds = timed(write).as_secs_f64();
        say(&format!(
            "{submissions} submissions were written in {seconds:.1} s"
        ));
    }

    /// Judges one accepted submission for each of the first problems, each by another student.
    fn judge(&self, problems: usize) {
        for problem in 0..problems {
            let student = format!("first{problem:02}");
            self.course.submit(&student, &slug(problem), 0);
        }
        let daemon = self.course.start();
        daemon.judged(problems);
        daemon.finish();
        let submissions = self.course.folder.join("submissions");
        fs::remove_dir_all(&submissions).expect("the students' files");
        fs::create_dir(submissions).expect("a folder");
    }
}

/// The short name of a problem.
pub fn slug(problem: usize) -> String {
    format!("p{problem:02}")
}
