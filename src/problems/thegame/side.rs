//! One side of a query: what is known of the core from one of the two cards.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::forest::Forest;
use super::hubs::{Core, Link};
use super::runs::Run;

/// No way has been found (yet).
pub const NEVER: u16 = u16::MAX;

/// How a side came to a hub.
#[derive(Debug, Clone, Copy)]
enum Origin {
    /// From its card: by this run beside it, whose root is the hub or stands on a chain that ends
    /// there.
    Card { beside: Run, end: usize },
    /// From another hub.
    Hub { from: Run, link: Link },
}

/// What is known from one card.
#[derive(Debug, Clone)]
pub struct Side {
    /// Steps to every hub, [`NEVER`] where unknown.
    steps: Vec<u16>,
    origins: Vec<Origin>,
    /// The hubs with known steps, to forget them after the query.
    known: Vec<Run>,
    /// Hubs more than one step ahead: they join the frontier when their steps come.
    waiting: BinaryHeap<Reverse<(u16, Run)>>,
    /// The hubs at the level.
    frontier: Vec<Run>,
    /// The frontier before, kept for its memory.
    expanded: Vec<Run>,
    /// Steps to the hubs of the frontier: everything nearer is known for good and has been gone on
    /// from.
    level: u16,
}

impl Side {
    /// A side that knows nothing of so many runs.
    pub fn new(count: usize) -> Self {
        Self {
            steps: vec![NEVER; count],
            origins: vec![Origin::Card { beside: 0, end: 0 }; count],
            known: Vec::new(),
            waiting: BinaryHeap::new(),
            frontier: Vec::new(),
            expanded: Vec::new(),
            level: 0,
        }
    }

    /// Makes ready for the next query.
    pub fn forget(&mut self) {
        for run in self.known.drain(..) {
            self.steps[usize::from(run)] = NEVER;
        }
        self.waiting.clear();
        self.frontier.clear();
        self.level = 0;
    }

    /// Begins with the hubs that the runs beside the card lead to.
    pub fn begin(&mut self, core: &Core, forest: &Forest, beside: impl Iterator<Item = Run>) {
        for run in beside {
            let (depth, root) = (forest.depth(run), forest.root(run));
            let (ends, steps) = match core.place(root) {
                Some(place) => (core.ends(place.chain), core.steps_to_ends(place)),
                None => ([root, root], [0, 0]),
            };
            for end in 0..2 {
                let steps = depth + steps[end];
                if self.reach(ends[end], steps, Origin::Card { beside: run, end }) {
                    self.waiting.push(Reverse((steps, ends[end])));
                }
            }
        }
        self.join();
    }

    /// Goes one level further; `meet` hears of every hub that the other side knows, too, and of the
    /// steps together.
    pub fn expand(&mut self, core: &Core, other: &Self, mut meet: impl FnMut(u16, Run)) {
        // With nothing to go on from, the next level is that of the first hub that waits.
        self.level = match self.waiting.peek() {
            Some(&Reverse((at, _))) if self.frontier.is_empty() => at,
            _ => self.level + 1,
        };
        std::mem::swap(&mut self.frontier, &mut self.expanded);
        self.frontier.clear();
        for index in 0..self.expanded.len() {
            let from = self.expanded[index];
            for &link in core.links(from) {
                // The expanded hubs are one level behind.
                let steps = self.level - 1 + link.steps;
                if self.reach(link.to, steps, Origin::Hub { from, link }) {
                    if link.steps == 1 {
                        self.frontier.push(link.to);
                    } else {
                        self.waiting.push(Reverse((steps, link.to)));
                    }
                    let beyond = other.steps(link.to);
                    if beyond != NEVER {
                        meet(steps + beyond, link.to);
                    }
                }
            }
        }
        self.join();
    }

    /// Notes that a hub can be reached in so many steps; false if that is known or not better.
    fn reach(&mut self, hub: Run, steps: u16, origin: Origin) -> bool {
        let known = &mut self.steps[usize::from(hub)];
        let better = steps < *known;
        if better {
            if *known == NEVER {
                self.known.push(hub);
            }
            *known = steps;
            self.origins[usize::from(hub)] = origin;
        }
        better
    }

    /// Lets the waiting hubs whose time has come join the frontier; those that were reached sooner
    /// are dropped.
    fn join(&mut self) {
        while let Some(&Reverse((at, hub))) = self.waiting.peek() {
            if at > self.level {
                break;
            }
            self.waiting.pop();
            if at == self.level && self.steps(hub) == at {
                self.frontier.push(hub);
            }
        }
    }

    /// Steps to a hub as far as known.
    pub fn steps(&self, hub: Run) -> u16 {
        self.steps[usize::from(hub)]
    }

    /// The hubs that are known.
    pub fn known(&self) -> &[Run] {
        &self.known
    }

    /// Steps up to which everything is known.
    pub fn level(&self) -> u16 {
        self.level
    }

    /// How many hubs there are to go on from.
    pub fn width(&self) -> usize {
        self.frontier.len()
    }

    /// Whether everything that can be reached is known.
    pub fn is_finished(&self) -> bool {
        self.frontier.is_empty() && self.waiting.is_empty()
    }

    /// The way from a hub back to the run beside the card, both included.
    pub fn way_back(&self, core: &Core, forest: &Forest, hub: Run) -> Vec<Run> {
        let mut way = vec![hub];
        let mut at = hub;
        loop {
            match self.origins[usize::from(at)] {
                Origin::Hub { from, link } => {
                    let inner = core.inner(link.chain).iter().copied();
                    if link.backwards {
                        way.extend(inner);
                    } else {
                        way.extend(inner.rev());
                    }
                    way.push(from);
                    at = from;
                }
                Origin::Card { beside, end } => {
                    let root = forest.root(beside);
                    if let Some(place) = core.place(root) {
                        let index = usize::from(place.index);
                        let inner = core.inner(place.chain);
                        if end == 0 {
                            way.extend(&inner[..=index]);
                        } else {
                            way.extend(inner[index..].iter().rev());
                        }
                    }
                    let start = way.len();
                    way.extend(forest.way(beside, root));
                    // The root stands there already.
                    way.pop();
                    way[start..].reverse();
                    return way;
                }
            }
        }
    }
}
