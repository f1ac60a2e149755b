//! What there is to do while nothing has to be judged, as the store knows it.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::ControlFlow::{Break, Continue};

use super::desk::Time;
use super::turn::{Candidate, Look, Memory};
use crate::daemon::shared::Shared;
use crate::domain::{Fault, Verdict};
use crate::package::Package;
use crate::store::Reader;

/// Submissions with a verdict among which the next search is chosen.
const CANDIDATES_MAX: usize = 1_000;
/// The verdicts that are explained. What is beyond the output limit is no riddle, and what could
/// not be built has the compiler's words.
const EXPLAINED_VERDICTS: [Verdict; 5] = [
    Verdict::WrongAnswer,
    Verdict::PresentationError,
    Verdict::RuntimeError,
    Verdict::TimeLimit,
    Verdict::MemoryLimit,
];

/// A searcher that looks for something to do.
pub struct Looking<'a> {
    pub shared: &'a Shared,
    pub reader: &'a Reader,
    pub time: &'a Time,
    /// Whether programs would run on this machine.
    pub is_here: bool,
}

impl Looking<'_> {
    /// What there is to do, as far as it comes next. What cannot be done now, or is done already as
    /// far as the memory knows, is left out while it is read: however much there is of it, it hides
    /// nothing.
    pub fn look(&self, memory: &Memory) -> Result<Look, Fault> {
        let mut look = Look {
            failing: self.unsearched(memory, &EXPLAINED_VERDICTS)?,
            accepted: Vec::new(),
        };
        let hacks_cpu = self.time.setup.config.explain.hacks_cpu;
        if look.failing.is_empty() && !hacks_cpu.is_zero() {
            look.accepted = self.unsearched(memory, &[Verdict::Accepted])?;
        }
        Ok(look)
    }

    /// Those with these verdicts that can be searched now, the latest first.
    fn unsearched(&self, memory: &Memory, verdicts: &[Verdict]) -> Result<Vec<Candidate>, Fault> {
        let (shared, setup) = (self.shared, &self.time.setup);
        // What judgements are folded from now, asked once for each language of a problem.
        let mut folds = BTreeMap::new();
        let mut is_current = |(submission, fold): &Candidate| {
            let key = (submission.problem.clone(), submission.language.clone());
            let now = folds.entry(key);
            let now = now
                .or_insert_with_key(|(problem, language)| setup.fold_of(shared, problem, language));
            // Another judgement is judged again first, or cannot be.
            *now == Some(*fold)
        };
        let mut wants = |candidate: &Candidate| {
            if self.time.cancel.is_cancelled() {
                return Break(());
            }
            let can = self.is_here || shared.pool.can_elsewhere(&candidate.0.language);
            Continue(can && memory.is_open(candidate) && is_current(candidate))
        };
        let (reader, mut found) = (self.reader, Vec::new());
        for verdict in verdicts {
            let some = reader.unsearched(*verdict, CANDIDATES_MAX, &mut wants);
            found.extend(some?);
            if *verdict == Verdict::Accepted {
                for package in self.packages() {
                    let some = reader.untried(&package.slug, CANDIDATES_MAX, &mut wants);
                    found.extend(some?);
                }
            }
        }
        found.sort_by_key(|(submission, _)| Reverse(submission.id));
        Ok(found)
    }

    fn packages(&self) -> impl Iterator<Item = &Package> {
        let packages = self.time.setup.library.values().flatten();
        packages.map(AsRef::as_ref)
    }
}
