//! The part of the graph of runs that is made of trees, where paths are found without a search.
//!
//! Runs with one neighbour are peeled off again and again. What remains are cycles and what lies
//! between them, the *core*; a part without cycles leaves one run. Every peeled run hangs on a run
//! of the core, its root, and has one way to it. In mazes and winding corridors nearly everything
//! is peeled.

use super::runs::{NO_RUN, Run, Runs};

/// The trees that hang on the core, cut into heavy paths so that the lowest common ancestor is a
/// few steps away.
#[derive(Debug, Clone)]
pub struct Forest {
    /// The next run towards the core; [`NO_RUN`] for runs of the core.
    parents: Vec<Run>,
    /// Steps to the core.
    depths: Vec<u16>,
    /// The run of the core where the way to it ends.
    roots: Vec<Run>,
    /// The run nearest to the core on the same heavy path.
    heads: Vec<Run>,
}

impl Forest {
    /// Peels a graph.
    pub fn of(runs: &Runs) -> Self {
        let (parents, order) = peel(runs);
        let mut forest = Self {
            depths: vec![0; parents.len()],
            roots: (0..runs.count()).collect(),
            heads: (0..runs.count()).collect(),
            parents,
        };
        let heavy = forest.heavy_children(&order);
        for &run in order.iter().rev() {
            let index = usize::from(run);
            let parent = usize::from(forest.parents[index]);
            forest.depths[index] = forest.depths[parent] + 1;
            forest.roots[index] = forest.roots[parent];
            if heavy[parent] == run {
                forest.heads[index] = forest.heads[parent];
            }
        }
        forest
    }

    /// The child of every run with the most runs below it; children come before their parents in
    /// `order`.
    fn heavy_children(&self, order: &[Run]) -> Vec<Run> {
        let mut sizes = vec![1_u16; self.parents.len()];
        let mut heavy = vec![NO_RUN; self.parents.len()];
        for &run in order {
            let parent = usize::from(self.parents[usize::from(run)]);
            let size = sizes[usize::from(run)];
            sizes[parent] += size;
            let rival = heavy[parent];
            if rival == NO_RUN || sizes[usize::from(rival)] < size {
                heavy[parent] = run;
            }
        }
        heavy
    }

    /// Whether the run is one of the core.
    pub fn is_core(&self, run: Run) -> bool {
        self.parents[usize::from(run)] == NO_RUN
    }

    /// The run of the core on which this one hangs; a run of the core is its own.
    pub fn root(&self, run: Run) -> Run {
        self.roots[usize::from(run)]
    }

    /// Steps to the root.
    pub fn depth(&self, run: Run) -> u16 {
        self.depths[usize::from(run)]
    }

    /// Steps between two runs that hang on the same root.
    pub fn steps(&self, one: Run, other: Run) -> u16 {
        self.depth(one) + self.depth(other) - 2 * self.depth(self.meeting(one, other))
    }

    /// Where the ways of two runs with the same root meet.
    pub fn meeting(&self, mut one: Run, mut other: Run) -> Run {
        loop {
            let heads = [one, other].map(|run| self.heads[usize::from(run)]);
            if heads[0] == heads[1] {
                return if self.depth(one) < self.depth(other) {
                    one
                } else {
                    other
                };
            }
            // Leave the heavy path whose head is further from the core; the root is the head of its
            // own.
            if self.depth(heads[0]) > self.depth(heads[1]) {
                one = self.parents[usize::from(heads[0])];
            } else {
                other = self.parents[usize::from(heads[1])];
            }
        }
    }

    /// The way from a run to `end`, which lies on its way to the core, both included.
    pub fn way(&self, run: Run, end: Run) -> impl Iterator<Item = Run> {
        std::iter::successors(Some(run), move |&at| {
            (at != end).then(|| self.parents[usize::from(at)])
        })
    }
}

/// Takes runs with one neighbour left away: the neighbour of each, and the order in which they go.
fn peel(runs: &Runs) -> (Vec<Run>, Vec<Run>) {
    let all = 0..runs.count();
    let mut left: Vec<usize> = all.clone().map(|run| runs.neighbours(run).len()).collect();
    let mut parents = vec![NO_RUN; left.len()];
    let mut ends: Vec<Run> = all.filter(|&run| left[usize::from(run)] == 1).collect();
    let mut order = Vec::with_capacity(left.len());
    while let Some(run) = ends.pop() {
        let neighbours = runs.neighbours(run).iter();
        // A run that was left over alone has no parent: it is the core of its tree.
        let remaining = neighbours
            .copied()
            .find(|&next| parents[usize::from(next)] == NO_RUN);
        let Some(parent) = remaining else {
            continue;
        };
        parents[usize::from(run)] = parent;
        order.push(run);
        left[usize::from(parent)] -= 1;
        if left[usize::from(parent)] == 1 {
            ends.push(parent);
        }
    }
    (parents, order)
}
