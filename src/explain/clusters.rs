//! Programs that fail in the same way: they print the same wrong answers to the same inputs. Pure.

use crate::domain::{Digest, Verdict};

/// What a program did with an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Did {
    Right,
    /// It printed these words.
    Wrong(Digest),
    /// It did not come to its end, whatever it printed.
    Failed(Verdict),
}

/// Programs that did the same with every input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// Which programs they are, from 0.
    pub members: Vec<usize>,
    /// The first input that they fail on.
    pub fails_on: Option<usize>,
    /// The first input that tells them from the group after this one.
    pub differs_on: Option<usize>,
}

/// The groups of programs, the largest first. For each program there is what it did with the same
/// inputs, the smallest first.
pub fn clusters(programs: &[Vec<Did>]) -> Vec<Cluster> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (program, did) in programs.iter().enumerate() {
        match groups.iter_mut().find(|group| programs[group[0]] == *did) {
            Some(group) => group.push(program),
            None => groups.push(vec![program]),
        }
    }
    // Sorting keeps the order of groups that are of one size.
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let first = |group: &[usize]| &programs[group[0]];
    let differs = |at: usize| {
        let (one, other) = (first(&groups[at]), first(groups.get(at + 1)?));
        one.iter().zip(other).position(|(one, other)| one != other)
    };
    let differences: Vec<Option<usize>> = (0..groups.len()).map(differs).collect();
    groups
        .into_iter()
        .zip(differences)
        .map(|(members, differs_on)| Cluster {
            fails_on: programs[members[0]]
                .iter()
                .position(|did| *did != Did::Right),
            members,
            differs_on,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Cluster, Did, clusters};
    use crate::domain::Verdict;
    use crate::util::hash::digest;

    /// A letter for each input: `.` is right, `!` a crash, any other a wrong answer.
    fn did(letters: &str) -> Vec<Did> {
        let one = |letter: char| match letter {
            '.' => Did::Right,
            '!' => Did::Failed(Verdict::RuntimeError),
            other => Did::Wrong(digest(other.to_string().as_bytes())),
        };
        letters.chars().map(one).collect()
    }

    #[test]
    fn the_same_wrong_answers_make_a_group() {
        let programs = [".a.b", ".a.c", ".a.b", "..!.", ".a.b"].map(did);
        let group = |members: &[usize], fails_on, differs_on| Cluster {
            members: members.to_vec(),
            fails_on: Some(fails_on),
            differs_on,
        };
        assert_eq!(
            clusters(&programs),
            [
                group(&[0, 2, 4], 1, Some(3)),
                group(&[1], 1, Some(1)),
                group(&[3], 2, None),
            ]
        );
        assert!(clusters(&[]).is_empty());
        assert_eq!(clusters(&[did("..")])[0].fails_on, None);
    }
}
