//! Programs that fail in the same way: they print the same wrong answers to the same inputs. Pure.
//!
//! A program may not have been run on some inputs. What it would have done there separates it from
//! nobody.

use std::cmp::Reverse;

use crate::domain::{Digest, Verdict};

/// What a program was observed to do with an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Observed {
    Right,
    /// It printed these words.
    Wrong(Digest),
    /// It did not come to its end, whatever it printed.
    Failed(Verdict),
    /// It was not run: it ran into the time limit too often, or many single runs would be needed.
    NotRun,
}

impl Observed {
    /// Whether this is known to be another behaviour.
    fn differs(self, other: Self) -> bool {
        self != other && self != Self::NotRun && other != Self::NotRun
    }
}

/// Programs that did the same with every input on which they were run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// Which programs they are, from 0.
    pub members: Vec<usize>,
    /// The member that was run on the most inputs.
    pub example: usize,
    /// The first input that they fail on.
    pub fails_on: Option<usize>,
    /// The first input that tells them from the group after this one.
    pub differs_on: Option<usize>,
}

/// The groups of programs, the largest first. For each program there is what it did with the same
/// inputs, the smallest first.
pub fn clusters(programs: &[Vec<Observed>]) -> Vec<Cluster> {
    let not_run = |program: &usize| {
        let did = programs[*program].iter();
        did.filter(|did| **did == Observed::NotRun).count()
    };
    let mut order: Vec<usize> = (0..programs.len()).collect();
    order.sort_by_key(not_run);
    // The first of each group is the example that the others are held against.
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for program in order {
        let is_alike = |group: &&mut Vec<usize>| {
            let mut pairs = programs[group[0]].iter().zip(&programs[program]);
            !pairs.any(|(one, other)| one.differs(*other))
        };
        match groups.iter_mut().find(is_alike) {
            Some(group) => group.push(program),
            None => groups.push(vec![program]),
        }
    }
    groups.sort_by_key(|group| (Reverse(group.len()), group.iter().min().copied()));
    let examples: Vec<usize> = groups.iter().map(|group| group[0]).collect();
    let differs = |at: usize| {
        let (one, next) = (examples[at], *examples.get(at + 1)?);
        let mut pairs = programs[one].iter().zip(&programs[next]);
        pairs.position(|(one, other)| one.differs(*other))
    };
    let fails = |did: &Observed| !matches!(did, Observed::Right | Observed::NotRun);
    let of_group = |(at, mut members): (usize, Vec<usize>)| {
        let example = members[0];
        members.sort_unstable();
        Cluster {
            members,
            example,
            fails_on: programs[example].iter().position(fails),
            differs_on: differs(at),
        }
    };
    groups.into_iter().enumerate().map(of_group).collect()
}

#[cfg(test)]
mod tests {
    use super::{Cluster, Observed, clusters};
    use crate::domain::Verdict;
    use crate::util::hash::digest;

    /// A letter for each input: `.` is right, `!` a crash, `-` was not run, any other a wrong answer.
    fn did(letters: &str) -> Vec<Observed> {
        let one = |letter: char| match letter {
            '.' => Observed::Right,
            '-' => Observed::NotRun,
            '!' => Observed::Failed(Verdict::RuntimeError),
            other => Observed::Wrong(digest(other.to_string().as_bytes())),
        };
        letters.chars().map(one).collect()
    }

    #[test]
    fn the_same_wrong_answers_make_a_group() {
        let programs = [".a.b", ".a.c", ".a.b", "..!.", ".a.b"].map(did);
        let group = |members: &[usize], fails_on, differs_on| Cluster {
            members: members.to_vec(),
            example: members[0],
            fails_on: Some(fails_on),
            differs_on,
        };
        let (first, second) = (group(&[0, 2, 4], 1, Some(3)), group(&[1], 1, Some(1)));
        assert_eq!(clusters(&programs), [first, second, group(&[3], 2, None)]);
        assert!(clusters(&[]).is_empty());
        assert_eq!(clusters(&[did("..")])[0].fails_on, None);
        // An input that was not run tells nothing apart.
        assert_eq!(clusters(&[did("--.a")])[0].fails_on, Some(3));
        let apart = clusters(&["!!--", "!a.a"].map(did));
        assert_eq!((apart.len(), apart[0].differs_on), (2, Some(1)));
    }

    #[test]
    fn what_was_not_run_joins_those_it_does_not_differ_from() {
        let members = |programs: &[&str]| -> Vec<(usize, Vec<usize>)> {
            let programs = programs.iter().map(|letters| did(letters));
            let groups = clusters(&programs.collect::<Vec<_>>()).into_iter();
            groups.map(|group| (group.example, group.members)).collect()
        };
        assert_eq!(members(&["a--.", "abc."]), [(1, vec![0, 1])]);
        // Two that differ stay apart, whoever is like both of them.
        let apart = [(1, vec![0, 1]), (2, vec![2])];
        assert_eq!(members(&["a---", "abb.", "abc."]), apart);
        assert_eq!(members(&["a---", "b---"]), [(0, vec![0]), (1, vec![1])]);
    }
}
