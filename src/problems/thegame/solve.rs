//! The fast solver: what does not depend on the query is prepared once a board, and a query searches from both ends.
//!
//! The least number of segments is the number of runs on a shortest chain of neighbours (see [`super::runs`])
//! from a run beside the one card to a run beside the other.
//! Trees of runs are measured, not searched (see [`super::forest`]); only the core is, from both cards at once,
//! one ring of runs after another on the side that has fewer to go on from.

use std::fmt;

use super::board::{Board, Point, Query};
use super::forest::Forest;
use super::runs::{Run, Runs};

/// No way has been found (yet).
const NEVER: u16 = u16::MAX;

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
    /// Through the core: a run of it that both sides have reached.
    Core(Run),
}

/// How a side came to a run of the core.
#[derive(Debug, Clone, Copy)]
enum Origin {
    /// From its card, by this run beside it.
    Card(Run),
    /// From another run of the core.
    Core(Run),
}

/// What is known from one of the two cards.
#[derive(Debug, Clone)]
struct Side {
    /// Steps to every run of the core, [`NEVER`] where unknown.
    steps: Vec<u16>,
    origins: Vec<Origin>,
    /// The runs with known steps, to forget them after the query.
    known: Vec<Run>,
    /// Runs of the core that the card leads to through trees: they join the frontier when their steps come.
    waiting: Vec<(u16, Run)>,
    /// The runs reached last.
    frontier: Vec<Run>,
    /// Steps of the runs on the frontier: everything nearer is known for good.
    level: u16,
}

impl Side {
    fn new(count: usize) -> Self {
        Self {
            steps: vec![NEVER; count],
            origins: vec![Origin::Card(0); count],
            known: Vec::new(),
            waiting: Vec::new(),
            frontier: Vec::new(),
            level: 0,
        }
    }

    fn forget(&mut self) {
        for run in self.known.drain(..) {
            self.steps[usize::from(run)] = NEVER;
        }
        self.waiting.clear();
        self.frontier.clear();
        self.level = 0;
    }

    /// Notes that a run can be reached in so many steps; false where that is known or not better.
    fn reach(&mut self, run: Run, steps: u16, origin: Origin) -> bool {
        let index = usize::from(run);
        let better = steps < self.steps[index];
        if better {
            if self.steps[index] == NEVER {
                self.known.push(run);
            }
            self.steps[index] = steps;
            self.origins[index] = origin;
        }
        better
    }

    /// Lets the waiting runs whose time has come join the frontier.
    fn join(&mut self) {
        let (level, steps) = (self.level, &self.steps);
        let due = self
            .waiting
            .iter()
            .filter(|&&(at, run)| at == level && steps[usize::from(run)] == level);
        self.frontier.extend(due.map(|&(_, run)| run));
        self.waiting.retain(|&(at, _)| at > level);
    }

    fn is_finished(&self) -> bool {
        self.frontier.is_empty() && self.waiting.is_empty()
    }

    /// The way from the card to a run of the core, backwards: from the core to the run beside the card.
    fn way_back(&self, forest: &Forest, run: Run) -> Vec<Run> {
        let mut way = vec![run];
        let mut at = run;
        loop {
            match self.origins[usize::from(at)] {
                Origin::Core(before) => {
                    way.push(before);
                    at = before;
                }
                Origin::Card(beside) => {
                    let tree: Vec<Run> = forest.way(beside, at).collect();
                    way.extend(tree.into_iter().rev().skip(1));
                    return way;
                }
            }
        }
    }
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
                if self.forest.root(one) == self.forest.root(other) {
                    offer(
                        &mut best,
                        self.forest.steps(one, other),
                        Join::Tree(one, other),
                    );
                }
            }
        }
        for (side, card) in self.sides.iter_mut().zip([from, to]) {
            for run in self.runs.beside(card) {
                let (steps, root) = (self.forest.depth(run), self.forest.root(run));
                if side.reach(root, steps, Origin::Card(run)) {
                    side.waiting.push((steps, root));
                }
            }
            side.join();
        }
        if self.may_meet() {
            self.search_core(&mut best);
        }
        best
    }

    /// Whether the two cards lead to a common part of the core.
    fn may_meet(&self) -> bool {
        let parts =
            |side: &Side, part: u16| side.known.iter().any(|&run| self.core.part(run) == part);
        let [one, other] = &self.sides;
        one.known
            .iter()
            .any(|&run| parts(other, self.core.part(run)))
    }

    /// Searches from both sides until no undiscovered way can be better than the best.
    ///
    /// A way of at most as many steps as both levels together has a run that one side knows for good and the other
    /// knows as well, if only as one that is waiting; so it has been found.
    fn search_core(&mut self, best: &mut Option<(u16, Join)>) {
        loop {
            let [one, other] = &mut self.sides;
            let undiscovered = one.level.saturating_add(other.level).saturating_add(1);
            if best.is_some_and(|(steps, _)| steps <= undiscovered)
                || one.is_finished()
                || other.is_finished()
            {
                return;
            }
            if one.frontier.len() <= other.frontier.len() {
                self.core.expand(one, other, best);
            } else {
                self.core.expand(other, one, best);
            }
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
            Join::Core(meeting) => {
                let [one, other] = &self.sides;
                let mut chain = one.way_back(&self.forest, meeting);
                chain.reverse();
                chain.extend(other.way_back(&self.forest, meeting).into_iter().skip(1));
                chain
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
}

/// Keeps the better of two ways.
fn offer(best: &mut Option<(u16, Join)>, steps: u16, join: Join) {
    if best.is_none_or(|(known, _)| steps < known) {
        *best = Some((steps, join));
    }
}

/// The runs that are not peeled, with their neighbours.
#[derive(Debug, Clone)]
struct Core {
    /// Where the neighbours of every run begin; those of run r end where those of r + 1 begin.
    starts: Vec<u16>,
    neighbours: Vec<Run>,
    /// The connected part of every run.
    parts: Vec<u16>,
}

impl Core {
    fn of(runs: &Runs, forest: &Forest) -> Self {
        let mut core = Self {
            starts: vec![0],
            neighbours: Vec::new(),
            parts: vec![NEVER; usize::from(runs.count())],
        };
        for run in 0..runs.count() {
            if forest.is_core(run) {
                let crossed = runs.neighbours(run).iter().copied();
                core.neighbours
                    .extend(crossed.filter(|&next| forest.is_core(next)));
            }
            // Twice the cells of the largest board with its ring is still far from the limit.
            core.starts
                .push(u16::try_from(core.neighbours.len()).unwrap_or(NEVER));
        }
        for run in 0..runs.count() {
            if forest.is_core(run) && core.part(run) == NEVER {
                core.fill(run);
            }
        }
        core
    }

    /// Names the part that a run belongs to after it.
    fn fill(&mut self, first: Run) {
        let mut open = vec![first];
        self.parts[usize::from(first)] = first;
        while let Some(run) = open.pop() {
            for index in self.span(run) {
                let next = self.neighbours[index];
                if self.part(next) == NEVER {
                    self.parts[usize::from(next)] = first;
                    open.push(next);
                }
            }
        }
    }

    fn span(&self, run: Run) -> std::ops::Range<usize> {
        let index = usize::from(run);
        usize::from(self.starts[index])..usize::from(self.starts[index + 1])
    }

    fn part(&self, run: Run) -> u16 {
        self.parts[usize::from(run)]
    }

    /// Takes a side one level further and notes where it meets the other.
    fn expand(&self, side: &mut Side, other: &Side, best: &mut Option<(u16, Join)>) {
        // With nothing to go on from, the next level is that of the first run that waits.
        let next_waiting = side.waiting.iter().map(|&(at, _)| at).min();
        side.level = match next_waiting {
            Some(at) if side.frontier.is_empty() => at,
            _ => side.level + 1,
        };
        let frontier = std::mem::take(&mut side.frontier);
        for &run in &frontier {
            for &next in &self.neighbours[self.span(run)] {
                if side.reach(next, side.level, Origin::Core(run)) {
                    side.frontier.push(next);
                    let beyond = other.steps[usize::from(next)];
                    if beyond != NEVER {
                        offer(best, side.level + beyond, Join::Core(next));
                    }
                }
            }
        }
        side.join();
    }
}
