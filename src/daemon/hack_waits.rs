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
}

impl Waits {
    /// These hacks have joined, and have no result yet.
    pub fn joined(&mut self, open: Vec<HackRow>) {
        self.unplanned = open;
        self.unplanned
            .retain(|row| !self.open.contains_key(&row.id));
    }

    /// Problems were planned, and this is to be judged because of a hack or whatever else changed.
    /// From here on it is known for whom a new hack waits; says for which every earlier submission is
    /// judged already.
    pub fn planned(
        &mut self,
        is_planned: impl Fn(&ProblemSlug) -> bool,
        wanted: &[Waiting],
    ) -> Vec<HackRow> {
        let planned = self
            .unplanned
            .extract_if(.., |row| is_planned(&row.problem));
        let mut judged = Vec::new();
        for row in planned {
            let left: BTreeSet<SubmissionId> = wanted
                .iter()
                .map(|waiting| &waiting.submission)
                .filter(|wanted| wanted.problem == row.problem && wanted.id <= row.last_submission)
                .map(|wanted| wanted.id)
                .collect();
            if left.is_empty() {
                judged.push(row);
                continue;
            }
            self.open.insert(row.id, Wait { row, left });
        }
        judged
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

    /// A submission has its verdict; says on which hacks every earlier submission is judged now.
    pub fn judged(&mut self, id: SubmissionId) -> Vec<HackRow> {
        let is_over = |_: &i64, wait: &mut Wait| wait.left.remove(&id) && wait.left.is_empty();
        let over = self.open.extract_if(.., is_over);
        over.map(|(_, wait)| wait.row).collect()
    }
}
