//! Programs that are alike: the same bytes, or the same tokens when names, numbers and texts do not
//! count. Pure. It shows where to look and accuses nobody: a short program has few ways to be
//! written.

mod tokens;

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::{Attempt, Digest, ProblemSlug, Student};

pub use tokens::{Tokens, tokens};

/// Programs with fewer tokens are alike by chance: reading two numbers and printing a third takes
/// about twenty.
pub const TOKENS_MIN: usize = 60;

/// A program that somebody has handed in.
#[derive(Debug, Clone)]
pub struct Program {
    pub student: Student,
    pub problem: ProblemSlug,
    pub attempt: Attempt,
    pub received_ms: i64,
    /// Digest of its bytes.
    pub source: Digest,
    pub tokens: Tokens,
}

/// Programs of different students that are alike, each student's first one, the earliest first.
#[derive(Debug, Clone)]
pub struct Group {
    pub problem: ProblemSlug,
    /// How many tokens they have.
    pub tokens: usize,
    /// Whether they have the same bytes.
    pub same_bytes: bool,
    pub programs: Vec<Program>,
}

/// Two students, and the problems in which they are in a group together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    pub students: [Student; 2],
    pub problems: BTreeSet<ProblemSlug>,
}

/// The groups, the longest programs first. `given` are the token streams of what students were
/// given, or may know: a program that is nothing else does not count.
pub fn groups(programs: Vec<Program>, given: &BTreeSet<Digest>) -> Vec<Group> {
    let mut alike: BTreeMap<(ProblemSlug, Digest), Vec<Program>> = BTreeMap::new();
    for program in programs {
        let tokens = &program.tokens;
        if tokens.count >= TOKENS_MIN && !given.contains(&tokens.digest) {
            let key = (program.problem.clone(), tokens.digest);
            alike.entry(key).or_default().push(program);
        }
    }
    let mut groups: Vec<Group> = alike
        .into_iter()
        .filter_map(|((problem, _), programs)| group(problem, programs))
        .collect();
    groups.sort_by_key(|group| (group.problem.clone(), std::cmp::Reverse(group.tokens)));
    groups
}

fn group(problem: ProblemSlug, mut programs: Vec<Program>) -> Option<Group> {
    programs.sort_by_key(|program| (program.received_ms, program.attempt));
    let mut known = BTreeSet::new();
    programs.retain(|program| known.insert(program.student.clone()));
    let [first, _, ..] = programs.as_slice() else {
        return None;
    };
    Some(Group {
        problem,
        tokens: first.tokens.count,
        same_bytes: programs.iter().all(|one| one.source == first.source),
        programs,
    })
}

/// The pairs of students who are in groups together for more than one problem, those with the most
/// problems first. Of a group with more than `most` students no pairs are made.
pub fn pairs(groups: &[Group], most: usize) -> Vec<Pair> {
    let mut shared: BTreeMap<[Student; 2], BTreeSet<ProblemSlug>> = BTreeMap::new();
    for group in groups.iter().filter(|group| group.programs.len() <= most) {
        let mut students: Vec<&Student> = group.programs.iter().map(|one| &one.student).collect();
        students.sort();
        for (at, one) in students.iter().enumerate() {
            for other in &students[at + 1..] {
                let pair = [(*one).clone(), (*other).clone()];
                shared
                    .entry(pair)
                    .or_default()
                    .insert(group.problem.clone());
            }
        }
    }
    let shared = shared
        .into_iter()
        .filter(|(_, problems)| problems.len() > 1);
    let mut pairs: Vec<Pair> = shared
        .map(|(students, problems)| Pair { students, problems })
        .collect();
    pairs.sort_by_key(|pair| std::cmp::Reverse(pair.problems.len()));
    pairs
}

#[cfg(test)]
mod tests {
    use super::{Program, TOKENS_MIN, groups, pairs, tokens};
    use crate::domain::ProblemSlug;
    use crate::util::hash::digest;
    use crate::util::samples::student;

    /// A program long enough to count.
    fn long(name: &str) -> String {
        let line = format!("{name} = {name} + 1  # counts\n");
        line.repeat(TOKENS_MIN / 5 + 1)
    }

    fn program(who: &str, problem: &str, attempt: u32, text: &str) -> Program {
        Program {
            student: student(who),
            problem: ProblemSlug::new(problem).unwrap(),
            attempt,
            received_ms: i64::from(attempt),
            source: digest(text.as_bytes()),
            tokens: tokens(text.as_bytes(), "py"),
        }
    }

    #[test]
    fn different_students_of_the_same_problem_count() {
        let (a, b) = (long("a"), long("another"));
        let programs = vec![
            program("ada", "sum", 2, &a),
            program("ada", "sum", 1, &a),
            program("bo", "sum", 3, &b),
            program("cy", "sum", 4, &format!("{b}print(1)")),
            program("bo", "max", 1, &a),
            program("ada", "max", 1, &a),
            program("zoe", "min", 1, &a),
            program("zoe", "sum", 1, "print(1)"),
            program("bo", "sum", 1, "print(1)"),
        ];
        let found = groups(programs.clone(), &[].into());
        let told: Vec<_> = found
            .iter()
            .map(|group| {
                let who = group.programs.iter();
                let who = who.map(|one| format!("{}#{}", one.student, one.attempt));
                (
                    group.problem.as_str(),
                    group.same_bytes,
                    who.collect::<Vec<_>>().join(" "),
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                ("max", true, "bo#1 ada#1".to_owned()),
                ("sum", false, "ada#1 bo#3".to_owned()),
            ]
        );
        let shared = pairs(&found, 10);
        assert_eq!(shared.len(), 1);
        assert_eq!(shared[0].students, [student("ada"), student("bo")]);
        assert_eq!(shared[0].problems.len(), 2);
        assert!(pairs(&found, 1).is_empty());
        let given = [tokens(a.as_bytes(), "py").digest].into();
        assert!(
            groups(programs, &given).is_empty(),
            "what everybody was given"
        );
    }
}
