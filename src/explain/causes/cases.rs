//! What the answers of the cases have in common: each rule holds for all of them, or it names
//! nothing.

use std::collections::BTreeSet;
use std::ops::Range;

use super::outputs::{Outputs, number, shown, words};
use crate::domain::Reason;
use crate::util::words::amount;

/// Wrong cases, and different right answers among them, below which a pattern may be chance: many
/// answers are small numbers.
pub(super) const WRONG_MIN: usize = 3;
/// Right cases beside them, where what is said is what parts the two.
const RIGHT_MIN: usize = 3;

/// Wrong answers that are no chance where all are too large, or all too small.
const SIDE_MIN: usize = 5;

/// The answers of each case: its words after those that number it.
pub(super) struct Cases<'o> {
    expected: Vec<Vec<&'o [u8]>>,
    printed: Vec<Vec<&'o [u8]>>,
}

fn cases(count: usize) -> String {
    amount(count, "case")
}

impl<'o> Cases<'o> {
    /// `None` unless there are at least two cases, each with an answer on both sides, and nothing
    /// else was printed.
    pub fn new(outputs: &Outputs<'o>) -> Option<Self> {
        let by_lines = |text: &'o [u8]| -> Vec<Vec<&'o [u8]>> {
            let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
            let of_case = |case: &Range<usize>| {
                let from = case.start.saturating_sub(1).min(lines.len());
                let to = case.end.saturating_sub(1).clamp(from, lines.len());
                lines[from..to]
                    .iter()
                    .flat_map(|line| words(line))
                    .collect()
            };
            outputs.cases.iter().map(of_case).collect()
        };
        let mut expected = by_lines(outputs.expected);
        let all = words(outputs.printed);
        let wanted: usize = expected.iter().map(Vec::len).sum();
        // As many words belong to the cases in their order, whatever lines they stand in.
        let mut printed = if all.len() == wanted {
            let mut all = all.into_iter();
            let of_case = |case: &Vec<&[u8]>| all.by_ref().take(case.len()).collect();
            expected.iter().map(of_case).collect()
        } else {
            let printed = by_lines(outputs.printed);
            let is_all = printed.iter().map(Vec::len).sum::<usize>() == all.len();
            is_all.then_some(printed)?
        };
        for case in expected.iter_mut().chain(&mut printed) {
            let label = case.iter().rposition(|word| word.ends_with(b":"));
            case.drain(..label.map_or(0, |at| at + 1));
        }
        let both = expected.into_iter().zip(printed);
        let (expected, printed): (Vec<_>, Vec<_>) = both
            .filter(|(expected, printed)| !expected.is_empty() || !printed.is_empty())
            .unzip();
        let is_answered = |cases: &[Vec<&[u8]>]| cases.iter().all(|case| !case.is_empty());
        let is_known = expected.len() >= 2 && is_answered(&expected) && is_answered(&printed);
        is_known.then_some(Self { expected, printed })
    }

    /// What the wrong answers are, in all cases alike.
    pub fn pattern(&self) -> Vec<Reason> {
        let rules = [self.off_by_one(), self.constant()];
        rules.into_iter().flatten().collect()
    }

    /// Whose answers the wrong ones are.
    pub fn neighbours(&self) -> Vec<Reason> {
        let rules = [self.previous(), self.shifted()];
        rules.into_iter().flatten().collect()
    }

    /// What parts the wrong cases from the right ones, where no pattern says more.
    pub fn parted(&self) -> Option<Reason> {
        let is_wrong = |at: &usize| self.expected[*at] != self.printed[*at];
        let (wrong, right): (Vec<usize>, Vec<usize>) = (0..self.expected.len()).partition(is_wrong);
        if wrong.len() < WRONG_MIN {
            return None;
        }
        let parts = right.len() >= RIGHT_MIN;
        let parts = parts.then_some((&wrong[..], &right[..]));
        parts
            .and_then(|(wrong, right)| self.one_answer(wrong, right))
            .or_else(|| parts.and_then(|(wrong, right)| self.beyond(wrong, right)))
            .or_else(|| parts.and_then(|(wrong, right)| self.gives_up(wrong, right)))
            .or_else(|| self.one_side(&wrong))
    }

    /// In every case what differs is a number, by one, in the same direction.
    fn off_by_one(&self) -> Option<Reason> {
        let mut off = None;
        for (expected, printed) in self.expected.iter().zip(&self.printed) {
            if expected.len() != printed.len() {
                return None;
            }
            let differing = expected
                .iter()
                .zip(printed)
                .filter(|(one, other)| one != other);
            let mut count = 0;
            for (expected, printed) in differing {
                let by = number(printed)?.checked_sub(number(expected)?)?;
                if by.unsigned_abs() != 1 || off.is_some_and(|off| off != by) {
                    return None;
                }
                off = Some(by);
                count += 1;
            }
            if count == 0 {
                return None;
            }
        }
        let by = off?;
        let has_one = |case: &Vec<&[u8]>| case.iter().filter_map(|word| number(word)).count() == 1;
        let what = if self.expected.iter().all(has_one) {
            "Every answer is"
        } else {
            "In every case, a number is"
        };
        let size = if by > 0 { "large" } else { "small" };
        let summary = format!("{what} too {size} by one.");
        let evidence = format!("all {} are off by {by:+}", cases(self.expected.len()));
        Some(Reason::new("off-by-one", &summary, evidence))
    }

    /// The same for every case, while the right answers differ.
    fn constant(&self) -> Option<Reason> {
        let first = self.printed.first()?;
        let is_constant = self.printed.iter().all(|case| case == first);
        let count = self.printed.len();
        (is_constant && self.are_many_wrong(0..count)).then(|| {
            let evidence = format!("{} for all {}", shown(&first.join(&b' ')), cases(count));
            Reason::new("constant", "The same was printed for every case.", evidence)
        })
    }

    /// The first case that is wrong.
    pub fn first_wrong(&self) -> Option<usize> {
        let mut both = self.expected.iter().zip(&self.printed);
        both.position(|(expected, printed)| expected != printed)
    }

    /// Whether the last case is the first that is wrong.
    pub fn is_only_the_last_wrong(&self) -> bool {
        self.first_wrong() == Some(self.expected.len() - 1)
    }

    /// Whether so many of these cases are wrong, with as many different right answers, that it is
    /// no chance what they have in common.
    fn are_many_wrong(&self, of: Range<usize>) -> bool {
        let wrong = of.filter(|&at| self.printed[at] != self.expected[at]);
        let wrong: Vec<usize> = wrong.collect();
        let answers: BTreeSet<&[&[u8]]> = wrong.iter().map(|&at| &self.expected[at][..]).collect();
        wrong.len() >= WRONG_MIN && answers.len() >= WRONG_MIN
    }

    /// From some case on each has the answer of the case before it.
    fn previous(&self) -> Option<Reason> {
        let first = self.first_wrong().filter(|&first| first > 0)?;
        let is_behind =
            (first..self.expected.len()).all(|at| self.printed[at] == self.expected[at - 1]);
        let count = self.expected.len() - first;
        (is_behind && self.are_many_wrong(first..self.expected.len())).then(|| {
            let evidence = format!("from case {} on, {}", first + 1, cases(count));
            let summary = "Cases have the answer of the case before them.";
            Reason::new("previous-answer", summary, evidence)
        })
    }

    /// From some case on each has the answer of the case after it: one was left out.
    fn shifted(&self) -> Option<Reason> {
        let first = self.first_wrong()?;
        let last = self.expected.len() - 1;
        let is_ahead = (first..last).all(|at| self.printed[at] == self.expected[at + 1]);
        (is_ahead && self.are_many_wrong(first..last)).then(|| {
            let early = cases(last - first);
            let evidence = match first {
                0 => format!("from the first case on, {early}"),
                _ => format!("right up to case {first}, then {early} early"),
            };
            let summary = "A case was left out, and later answers are one case early.";
            Reason::new("shifted", summary, evidence)
        })
    }

    /// The wrong cases are those with one certain answer.
    fn one_answer(&self, wrong: &[usize], right: &[usize]) -> Option<Reason> {
        let answer = &self.expected[wrong[0]];
        let is_answer = |at: &usize| &self.expected[*at] == answer;
        (wrong.iter().all(is_answer) && !right.iter().any(is_answer)).then(|| {
            let answer = shown(&answer.join(&b' '));
            let summary = format!("Wherever {answer} is right, it prints something else.");
            let printed = &self.printed[wrong[0]];
            let is_same = wrong.iter().all(|&at| &self.printed[at] == printed);
            let what = is_same.then(|| format!(" it prints {}", shown(&printed.join(&b' '))));
            let evidence = format!(
                "in all {} with that answer{}; the other {} are right",
                wrong.len(),
                what.unwrap_or_default(),
                cases(right.len())
            );
            Reason::new("one-answer", &summary, evidence)
        })
    }

    /// It prints one thing wherever it is wrong: it has found no answer, or gave up.
    fn gives_up(&self, wrong: &[usize], right: &[usize]) -> Option<Reason> {
        let printed = &self.printed[wrong[0]];
        let is_same = wrong.iter().all(|&at| &self.printed[at] == printed);
        let is_none = |word: &&[u8]| number(word).is_none_or(|number| number <= 0);
        (is_same && printed.iter().all(is_none)).then(|| {
            let printed = shown(&printed.join(&b' '));
            let summary = format!("Wherever it is wrong, it prints {printed}.");
            let evidence = format!(
                "{} with another answer; the other {} are right",
                cases(wrong.len()),
                cases(right.len())
            );
            Reason::new("gives-up", &summary, evidence)
        })
    }

    /// The only number in the answer to a case.
    fn value(&self, at: usize) -> Option<i64> {
        let mut numbers = self.expected[at].iter().filter_map(|word| number(word));
        numbers.next().filter(|_| numbers.next().is_none())
    }

    /// Answers are right up to a number, and wrong beyond it.
    fn beyond(&self, wrong: &[usize], right: &[usize]) -> Option<Reason> {
        let least = wrong.iter().map(|&at| self.value(at));
        let least = least.collect::<Option<Vec<i64>>>()?.into_iter().min()?;
        let most = right.iter().filter_map(|&at| self.value(at)).max()?;
        (most < least).then(|| {
            let summary = format!("Answers up to {most} are right, larger ones are wrong.");
            let evidence = format!(
                "{} with an answer of {least} or more are wrong, the other {} are right",
                cases(wrong.len()),
                cases(right.len())
            );
            Reason::new("large-answers", &summary, evidence)
        })
    }

    /// Every wrong number is too large, or every one is too small. What is negative stands for
    /// something else than a size.
    fn one_side(&self, wrong: &[usize]) -> Option<Reason> {
        let mut offs = Vec::new();
        for &at in wrong {
            let (expected, printed) = (&self.expected[at], &self.printed[at]);
            if expected.len() != printed.len() {
                return None;
            }
            let differing = expected.iter().zip(printed).filter(|(one, two)| one != two);
            for (expected, printed) in differing {
                let size = |word: &[u8]| number(word).filter(|number| *number >= 0);
                offs.push(size(printed)?.checked_sub(size(expected)?)?);
            }
        }
        let is_large = offs.iter().all(|&off| off > 0);
        if wrong.len() < SIDE_MIN || !is_large && offs.iter().any(|&off| off >= 0) {
            return None;
        }
        let offs = || offs.iter().map(|off| off.unsigned_abs());
        let (least, most) = (offs().min()?, offs().max()?);
        let by = if least == most {
            format!("by {least}")
        } else {
            format!("by {least} to {most}")
        };
        let size = if is_large { "large" } else { "small" };
        let summary = format!("Every wrong answer is too {size}.");
        let evidence = format!("{by}, in {} of {}", wrong.len(), cases(self.expected.len()));
        Some(Reason::new(&format!("too-{size}"), &summary, evidence))
    }
}
