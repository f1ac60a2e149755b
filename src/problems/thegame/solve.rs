//! The fast solver: what does not depend on the query is prepared once per board, and a query
//! searches from both ends.
//!
//! The least number of segments is the number of runs on a shortest chain of neighbours (see
//! [`super::runs`]) from a run beside the one card to a run beside the other.
//!
//! ```text
//! card ─ run ─ run ─┐                                    ┌─ run ─ run ─ run ─ card
//!          └─ run   hub ═══════ hub ═══ hub ═══════════ root
//!       a tree      └─ the core: hubs, and chains (═) ─┘       a tree
//! ```
//!
//! - Trees of runs are measured, not searched (see [`super::forest`]).
//! - Chains of the core are taken as one step (see [`super::hubs`]).
//! - What is left is searched from both cards at once (see [`super::side`]), always on the side
//!   with fewer hubs ahead.
//!
//! With c cells, n runs, and l chains of the core: preparing a board takes time and memory in
//! O(c), for runs cross once per free cell. A query within a tree or along a chain takes
//! O(log n), any other at most O(l log l), and less as a rule, since each side takes a chain at
//! most once and the search ends where both meet. A path takes its own length on top.

use std::fmt;

use super::board::{Board, Point, Query};
use super::forest::Forest;
use super::hubs::Core;
use super::runs::{Run, Runs};
use super::side::{NEVER, Side};

/// A path from card to card: its corners, both cards included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Polyline {
    /// The first card, every corner, the second card.
    pub corners: Vec<Point>,
}

impl Polyline {
    /// The number of straight segments.
    pub fn segments(&self) -> usize {
        self.corners.len().saturating_sub(1)
    }
}

impl fmt::Display for Polyline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, corner) in self.corners.iter().enumerate() {
            let arrow = if index == 0 { "" } else { " -> " };
            write!(f, "{arrow}{corner}")?;
        }
        Ok(())
    }
}

/// How two cards are joined best.
#[derive(Debug, Clone, Copy)]
enum Join {
    /// They lie side by side.
    Touching,
    /// Within one tree: the runs beside the two cards.
    Tree(Run, Run),
    /// Along one chain of the core: the runs beside the two cards.
    Chain(Run, Run),
    /// From hub to hub: one that both sides have reached.
    Hub(Run),
}

/// Answers the queries of one board.
#[derive(Debug, Clone)]
pub struct Search {
    runs: Runs,
    forest: Forest,
    core: Core,
    sides: [Side; 2],
}

impl Search {
    /// Prepares a board.
    pub fn new(board: &Board) -> Self {
        let runs = Runs::of(board);
        let forest = Forest::of(&runs);
        let count = usize::from(runs.count());
        Self {
            core: Core::of(&runs, &forest),
            runs,
            forest,
            sides: [Side::new(count), Side::new(count)],
        }
    }

    /// The fewest segments that join the two cards.
    pub fn segments(&mut self, query: Query) -> Option<usize> {
        let found = self.join(query);
        self.sides.iter_mut().for_each(Side::forget);
        found.map(|(steps, _)| usize::from(steps) + 1)
    }

    /// A path of the fewest segments that joins the two cards.
    pub fn path(&mut self, query: Query) -> Option<Polyline> {
        let found = self.join(query);
        let path = found.map(|(_, join)| self.polyline(query, join));
        self.sides.iter_mut().for_each(Side::forget);
        path
    }

    /// The steps from the first to the last run of a best path, and what it goes by.
    fn join(&mut self, query: Query) -> Option<(u16, Join)> {
        let Query { from, to } = query;
        if from.x.abs_diff(to.x) + from.y.abs_diff(to.y) == 1 {
            return Some((0, Join::Touching));
        }
        let mut best: Option<(u16, Join)> = None;
        for one in self.runs.beside(from) {
            for other in self.runs.beside(to) {
                self.join_without_search(one, other, &mut best);
            }
        }
        for (side, card) in self.sides.iter_mut().zip([from, to]) {
            side.begin(&self.core, &self.forest, self.runs.beside(card));
        }
        let [one, other] = &mut self.sides;
        for &hub in one.known() {
            if other.steps(hub) != NEVER {
                offer(&mut best, one.steps(hub) + other.steps(hub), Join::Hub(hub));
            }
        }
        let part = |&hub: &Run| self.core.part(hub);
        if one
            .known()
            .iter()
            .map(part)
            .any(|part_of_one| other.known().iter().map(part).any(|it| it == part_of_one))
        {
            search_core(&self.core, one, other, &mut best);
        }
        best
    }

    /// Joins two runs that hang on the same root, or on two of the same chain.
    fn join_without_search(&self, one: Run, other: Run, best: &mut Option<(u16, Join)>) {
        let roots = [one, other].map(|run| self.forest.root(run));
        if roots[0] == roots[1] {
            offer(best, self.forest.steps(one, other), Join::Tree(one, other));
            return;
        }
        if let [Some(here), Some(there)] = roots.map(|root| self.core.place(root))
            && here.chain == there.chain
        {
            let depths = self.forest.depth(one) + self.forest.depth(other);
            let steps = depths + here.index.abs_diff(there.index);
            offer(best, steps, Join::Chain(one, other));
        }
    }

    /// Lays the path along the runs: every corner is a crossing.
    fn polyline(&self, query: Query, join: Join) -> Polyline {
        let chain = match join {
            Join::Touching => Vec::new(),
            Join::Tree(one, other) => {
                let meeting = self.forest.meeting(one, other);
                let back: Vec<Run> = self.forest.way(other, meeting).collect();
                let there = self.forest.way(one, meeting);
                there.chain(back.into_iter().rev().skip(1)).collect()
            }
            Join::Chain(one, other) => self.way_along_chain(one, other),
            Join::Hub(hub) => {
                let [one, other] = &self.sides;
                let mut way = one.way_back(&self.core, &self.forest, hub);
                way.reverse();
                way.extend(&other.way_back(&self.core, &self.forest, hub)[1..]);
                way
            }
        };
        let crossings = chain
            .windows(2)
            .map(|pair| self.runs.crossing(pair[0], pair[1]));
        let corners = std::iter::once(query.from)
            .chain(crossings)
            .chain([query.to]);
        Polyline {
            corners: corners.collect(),
        }
    }

    /// From a run in a tree down to the chain, along it, and up another tree.
    fn way_along_chain(&self, one: Run, other: Run) -> Vec<Run> {
        let roots = [one, other].map(|run| self.forest.root(run));
        let mut way: Vec<Run> = self.forest.way(one, roots[0]).collect();
        if let [Some(here), Some(there)] = roots.map(|root| self.core.place(root)) {
            let (here_index, there_index) = (usize::from(here.index), usize::from(there.index));
            let inner = self.core.inner(here.chain);
            if here_index < there_index {
                way.extend(&inner[here_index + 1..there_index]);
            } else {
                way.extend(inner[there_index + 1..here_index].iter().rev());
            }
        }
        let start = way.len();
        way.extend(self.forest.way(other, roots[1]));
        way[start..].reverse();
        way
    }
}

/// Searches from both sides until no undiscovered way can be better than the best.
///
/// Take a way of at most as many steps as both levels together, and on it the first hub that is not
/// nearer to the first card than the first level. The hub before has been gone on from, so the
/// first side knows this one; it is not further from the second card than the second level, so the
/// second side knows it as well. Hence it has been found.
fn search_core(core: &Core, one: &mut Side, other: &mut Side, best: &mut Option<(u16, Join)>) {
    loop {
        let undiscovered = one.level().saturating_add(other.level()).saturating_add(1);
        if best.is_some_and(|(steps, _)| steps <= undiscovered)
            || one.is_finished()
            || other.is_finished()
        {
            return;
        }
        let meet = |steps, hub| offer(best, steps, Join::Hub(hub));
        if one.width() <= other.width() {
            one.expand(core, other, meet);
        } else {
            other.expand(core, one, meet);
        }
    }
}

/// Keeps the better of two ways.
fn offer(best: &mut Option<(u16, Join)>, steps: u16, join: Join) {
    if best.is_none_or(|(known, _)| steps < known) {
        *best = Some((steps, join));
    }
}
