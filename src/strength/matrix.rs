//! What follows from who fails on which test. Pure.

use crate::domain::Verdict;

/// How a program stands on a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Passed,
    /// The test kills it, with this verdict.
    Killed(Verdict),
    /// It was stopped by the time limit on other tests, or on a heavier one.
    NotRun,
}

impl Mark {
    pub fn kills(self) -> bool {
        matches!(self, Self::Killed(_))
    }
}

/// A wrong program or a bent rule, with a mark for each test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub name: String,
    pub marks: Vec<Mark>,
}

impl Row {
    /// The tests that kill it.
    pub fn killers(&self) -> impl Iterator<Item = usize> + '_ {
        let marks = self.marks.iter().enumerate();
        marks.filter(|(_, mark)| mark.kills()).map(|(test, _)| test)
    }

    pub fn is_killed(&self) -> bool {
        self.killers().next().is_some()
    }

    /// Whether it was run on every test.
    pub fn is_whole(&self) -> bool {
        !self.marks.contains(&Mark::NotRun)
    }
}

/// What the rows say of the tests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conclusions {
    /// Rows that no test kills.
    pub survivors: Vec<usize>,
    /// Rows that were not run on every test, and that none of those kills which they were run on.
    pub undecided: Vec<usize>,
    /// Rows that one test alone kills, with it.
    pub by_one: Vec<(usize, usize)>,
    /// Tests that kill no row which the tests before them do not kill.
    pub nothing_new: Vec<usize>,
}

impl Conclusions {
    pub fn of(rows: &[&Row], tests: usize) -> Self {
        let mut found = Self::default();
        let mut is_first = vec![false; tests];
        for (index, row) in rows.iter().enumerate() {
            let killers: Vec<usize> = row.killers().collect();
            match killers[..] {
                // Another test may kill what was not run on all of them.
                [] if !row.is_whole() => found.undecided.push(index),
                [] => found.survivors.push(index),
                [only] if row.is_whole() => found.by_one.push((index, only)),
                _ => {}
            }
            if let Some(&first) = killers.first() {
                is_first[first] = true;
            }
        }
        found.nothing_new = (0..tests).filter(|&test| !is_first[test]).collect();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::{Conclusions, Mark, Row};
    use crate::domain::Verdict;

    /// `x` for killed, `.` for passed, `?` for not run.
    fn row(marks: &str) -> Row {
        let mark = |one| match one {
            'x' => Mark::Killed(Verdict::WrongAnswer),
            '.' => Mark::Passed,
            _ => Mark::NotRun,
        };
        Row {
            name: marks.to_owned(),
            marks: marks.chars().map(mark).collect(),
        }
    }

    #[test]
    fn conclusions_follow_from_the_marks() {
        // Survivors and what is undecided, what one test kills, tests that kill nothing new.
        type Found<'t> = ([&'t [usize]; 2], &'t [(usize, usize)], &'t [usize]);
        let table: [(&[&str], Found<'_>); 7] = [
            (&[], ([&[], &[]], &[], &[0, 1, 2])),
            (&["..."], ([&[0], &[]], &[], &[0, 1, 2])),
            (
                &["x..", ".x.", "..x"],
                ([&[], &[]], &[(0, 0), (1, 1), (2, 2)], &[]),
            ),
            (&["xxx", ".xx", "..."], ([&[2], &[]], &[], &[2])),
            (&["x??", "?x."], ([&[], &[]], &[], &[2])),
            (&["..?"], ([&[], &[0]], &[], &[0, 1, 2])),
            (&["...", "???"], ([&[0], &[1]], &[], &[0, 1, 2])),
        ];
        for (marks, ([survivors, undecided], by_one, nothing_new)) in table {
            let rows: Vec<Row> = marks.iter().map(|marks| row(marks)).collect();
            let rows: Vec<&Row> = rows.iter().collect();
            let found = Conclusions::of(&rows, 3);
            assert_eq!(found.survivors, survivors, "{marks:?}");
            assert_eq!(found.undecided, undecided, "{marks:?}");
            assert_eq!(found.by_one, by_one, "{marks:?}");
            assert_eq!(found.nothing_new, nothing_new, "{marks:?}");
        }
    }
}
