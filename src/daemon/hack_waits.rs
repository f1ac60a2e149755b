//! For whom each hack still waits. Pure.

use std::collections::{BTreeMap, BTreeSet};

use super::queue::Waiting;
use crate::domain::{ProblemSlug, SubmissionId};
use crate::package::{Hack, Package};
use crate::store::HackRow;

/// Which submissions each hack still waits for.
#[derive(Default)]
pub struct Waits {
    open: BTreeMap<i64, Wait>,
    /// Hacks that have joined, and for which nothing is planned yet.
    unplanned: Vec<HackRow>,
}

struct Wait {
    row: HackRow,
    left: BTreeSet<SubmissionId>,
    given_up: BTreeSet<SubmissionId>,
}

/// What a hack's waiting has come to.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every earlier submission is judged.
    Judged(HackRow),
    /// All that are left cannot be judged for now.
    Stuck(HackRow),
}

impl Waits {
    /// These hacks have joined, and have no result yet.
    pub fn joined(&mut self, open: Vec<HackRow>) {
        self.unplanned = open;
        self.unplanned
            .retain(|row| !self.open.contains_key(&row.id));
    }

    /// Problems were planned, and this is to be judged because of a hack or whatever else changed.
    /// From here on it is known for whom a new hack waits.
    pub fn planned(
        &mut self,
        is_planned: impl Fn(&ProblemSlug) -> bool,
        wanted: &[Waiting],
    ) -> Vec<Outcome> {
        let planned = self
            .unplanned
            .extract_if(.., |row| is_planned(&row.problem));
        let mut outcomes = Vec::new();
        for row in planned {
            let left: BTreeSet<SubmissionId> = wanted
                .iter()
                .map(|waiting| &waiting.submission)
                .filter(|wanted| wanted.problem == row.problem && wanted.id <= row.last_submission)
                .map(|wanted| wanted.id)
                .collect();
            if left.is_empty() {
                outcomes.push(Outcome::Judged(row));
                continue;
            }
            let wait = Wait {
                row,
                left,
                given_up: BTreeSet::new(),
            };
            self.open.insert(wait.row.id, wait);
        }
        outcomes
    }

    /// Only the hacks of a package that are in force are waited for any more.
    pub fn keep(&mut self, package: &Package) {
        let joined = |row: &HackRow| {
            let same = |hack: &Hack| hack.name == row.name && hack.digest == row.digest;
            package.hacks.iter().any(|hack| hack.joined() && same(hack))
        };
        self.open
            .retain(|_, wait| wait.row.problem != package.slug || joined(&wait.row));
    }

    /// A submission has its verdict.
    pub fn judged(&mut self, id: SubmissionId) -> Vec<Outcome> {
        let mut news = Vec::new();
        self.open.retain(|_, wait| {
            if !wait.left.remove(&id) {
                return true;
            }
            wait.given_up.remove(&id);
            if wait.left.is_empty() {
                news.push(Outcome::Judged(wait.row.clone()));
                return false;
            }
            news.extend(wait.stuck());
            true
        });
        news
    }

    /// A submission cannot be judged for now.
    pub fn gave_up(&mut self, id: SubmissionId) -> Vec<Outcome> {
        let mut news = Vec::new();
        for wait in self.open.values_mut() {
            if wait.left.contains(&id) && wait.given_up.insert(id) {
                news.extend(wait.stuck());
            }
        }
        news
    }
}

impl Wait {
    fn stuck(&self) -> Option<Outcome> {
        (self.left == self.given_up).then(|| Outcome::Stuck(self.row.clone()))
    }
}
