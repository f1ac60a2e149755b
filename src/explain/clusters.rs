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
    /// It ran into the time limit so often before that it was not run.
    NotRun,
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
        let differ = |(one, other): (&Did, &Did)| {
            one != other && *one != Did::NotRun && *other != Did::NotRun
        };
        one.iter().zip(other).position(differ)
    };
    let differences: Vec<Option<usize>> = (0..groups.len()).map(differs).collect();
    groups
        .into_iter()
        .zip(differences)
        .map(|(members, differs_on)| Cluster {
            fails_on: programs[members[0]]
                .iter()
                .position(|did| !matches!(did, Did::Right | Did::NotRun)),
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

    /// A letter for each input: `.` is right, `!` a crash, `-` was not run, any other a wrong answer.
    fn did(letters: &str) -> Vec<Did> {
        let one = |letter: char| match letter {
            '.' => Did::Right,
            '-' => Did::NotRun,
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

    #[test]
    fn an_input_that_was_not_run_tells_nothing_apart() {
        let differs_on = |one: &str, other: &str| {
            let found = clusters(&[did(one), did(other)]);
            assert_eq!(found.len(), 2);
            found[0].differs_on
        };
        assert_eq!(differs_on("!!--", "!!.a"), None);
        assert_eq!(differs_on("!!--", "!a.a"), Some(1));
        assert_eq!(clusters(&[did("--.a")])[0].fails_on, Some(3));
    }
}
