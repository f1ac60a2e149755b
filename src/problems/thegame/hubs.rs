//! The core of the graph of runs: what is left when the trees are peeled off, with its chains drawn
//! together.
//!
//! A run of the core with two neighbours is only passed through. Such runs stand in *chains*
//! between *hubs*, the runs with more neighbours, so a search goes from hub to hub and takes a
//! whole chain as one step of its length.

use std::ops::Range;

use super::forest::Forest;
use super::runs::{NO_RUN, Run, Runs};

/// In place of a chain: the run is a hub or not of the core at all.
const NO_CHAIN: u16 = u16::MAX;

/// A way from hub to hub over runs that are only passed through.
#[derive(Debug, Clone)]
pub struct Chain {
    /// The hubs, in the order of the runs between them.
    pub ends: [Run; 2],
    /// Where the runs between them stand.
    inner: Range<usize>,
}

/// A chain taken from one of its ends.
#[derive(Debug, Clone, Copy)]
pub struct Link {
    /// The hub where it leads.
    pub to: Run,
    /// Steps to get there.
    pub steps: u16,
    /// The number of the chain.
    pub chain: u16,
    /// Whether it is taken from its second end to its first.
    pub backwards: bool,
}

/// Where a run stands that is passed through.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// The number of the chain.
    pub chain: u16,
    /// The index among the runs of the chain, from 0.
    pub index: u16,
}

/// Hubs and chains.
#[derive(Debug, Clone)]
pub struct Core {
    chains: Vec<Chain>,
    inner: Vec<Run>,
    places: Vec<Place>,
    /// Where the links of every run begin; those of run r end where those of r + 1 begin.
    starts: Vec<usize>,
    links: Vec<Link>,
    /// A hub of the connected part that every hub belongs to.
    parts: Vec<Run>,
}

impl Core {
    /// Draws the core together.
    pub fn of(runs: &Runs, forest: &Forest) -> Self {
        let count = usize::from(runs.count());
        let mut core = Self {
            chains: Vec::new(),
            inner: Vec::new(),
            places: vec![
                Place {
                    chain: NO_CHAIN,
                    index: 0
                };
                count
            ],
            starts: Vec::new(),
            links: Vec::new(),
            parts: vec![NO_RUN; count],
        };
        let graph = Graph { runs, forest };
        let all = 0..runs.count();
        let mut is_hub: Vec<bool> = all
            .clone()
            .map(|run| forest.is_core(run) && graph.degree(run) != 2)
            .collect();
        for run in all.clone().filter(|&run| is_hub[usize::from(run)]) {
            core.add_chains(&graph, &is_hub, run);
        }
        // A cycle without hubs gets one.
        for run in all {
            if forest.is_core(run) && !is_hub[usize::from(run)] && core.place(run).is_none() {
                is_hub[usize::from(run)] = true;
                core.add_chains(&graph, &is_hub, run);
            }
        }
        core.add_links(count);
        for run in 0..runs.count() {
            if is_hub[usize::from(run)] && core.part(run) == NO_RUN {
                core.fill(run);
            }
        }
        core
    }

    /// Follows all chains that begin at a hub and are not known yet.
    fn add_chains(&mut self, graph: &Graph<'_>, is_hub: &[bool], hub: Run) {
        for first in graph.neighbours(hub) {
            let known = self.place(first).is_some() || (is_hub[usize::from(first)] && first < hub);
            if known {
                continue;
            }
            let chain = low(self.chains.len());
            let start = self.inner.len();
            let (mut before, mut at) = (hub, first);
            while !is_hub[usize::from(at)] {
                let index = low(self.inner.len() - start);
                self.places[usize::from(at)] = Place { chain, index };
                self.inner.push(at);
                let onwards = graph.neighbours(at).find(|&next| next != before);
                (before, at) = (at, onwards.unwrap_or(hub));
            }
            let inner = start..self.inner.len();
            self.chains.push(Chain {
                ends: [hub, at],
                inner,
            });
        }
    }

    /// Sorts the links by the hub that they leave: counts them, then puts each in its place.
    fn add_links(&mut self, count: usize) {
        let mut next = vec![0; count + 1];
        for chain in &self.chains {
            for end in chain.ends {
                next[usize::from(end) + 1] += 1;
            }
        }
        for run in 0..count {
            next[run + 1] += next[run];
        }
        self.starts.clone_from(&next);
        let nowhere = Link {
            to: NO_RUN,
            steps: 0,
            chain: NO_CHAIN,
            backwards: false,
        };
        self.links = vec![nowhere; 2 * self.chains.len()];
        for (number, chain) in self.chains.iter().enumerate() {
            for backwards in [false, true] {
                let place = &mut next[usize::from(chain.ends[usize::from(backwards)])];
                self.links[*place] = Link {
                    to: chain.ends[usize::from(!backwards)],
                    steps: low(chain.inner.len() + 1),
                    chain: low(number),
                    backwards,
                };
                *place += 1;
            }
        }
    }

    /// Names the part that a hub belongs to after it.
    fn fill(&mut self, first: Run) {
        let mut open = vec![first];
        self.parts[usize::from(first)] = first;
        while let Some(run) = open.pop() {
            for index in self.span(run) {
                let next = usize::from(self.links[index].to);
                if self.parts[next] == NO_RUN {
                    self.parts[next] = first;
                    open.push(self.links[index].to);
                }
            }
        }
    }

    fn span(&self, run: Run) -> Range<usize> {
        let index = usize::from(run);
        self.starts[index]..self.starts[index + 1]
    }

    /// The chains that can be taken from a hub.
    pub fn links(&self, hub: Run) -> &[Link] {
        &self.links[self.span(hub)]
    }

    /// Equal for hubs that are connected, and only for them.
    pub fn part(&self, hub: Run) -> Run {
        self.parts[usize::from(hub)]
    }

    /// Where a run of the core stands; `None` for hubs.
    pub fn place(&self, run: Run) -> Option<Place> {
        Some(self.places[usize::from(run)]).filter(|place| place.chain != NO_CHAIN)
    }

    /// The hubs at the ends of a chain.
    pub fn ends(&self, chain: u16) -> [Run; 2] {
        self.chains[usize::from(chain)].ends
    }

    /// The runs between the ends of a chain.
    pub fn inner(&self, chain: u16) -> &[Run] {
        &self.inner[self.chains[usize::from(chain)].inner.clone()]
    }

    /// Steps from a place to the two ends of its chain.
    pub fn steps_to_ends(&self, place: Place) -> [u16; 2] {
        let length = low(self.inner(place.chain).len());
        [place.index + 1, length - place.index]
    }
}

/// The runs that are not peeled.
struct Graph<'a> {
    runs: &'a Runs,
    forest: &'a Forest,
}

impl Graph<'_> {
    fn neighbours(&self, run: Run) -> impl Iterator<Item = Run> {
        let crossed = self.runs.neighbours(run).iter().copied();
        crossed.filter(|&next| self.forest.is_core(next))
    }

    fn degree(&self, run: Run) -> usize {
        self.neighbours(run).count()
    }
}

/// A count of runs or chains: there are fewer than crossings, and of those fewer than cells.
fn low(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}
