//! What the tests of a problem are held against: its rules, each bent in one way, and the bounds of
//! its quantities.

use std::ops::RangeInclusive;

/// A rule of the statement as a wrong program may read it.
pub struct Bent<I> {
    /// Short, for tables.
    pub name: &'static str,
    /// The bent rule as a sentence.
    pub summary: &'static str,
    /// What a program prints that is right but for this rule. A case that takes it too long is
    /// answered rightly, so a difference is always one of the rule.
    pub answer: fn(&I) -> Vec<u8>,
}

/// The format of inputs as a wrong program may read it.
pub struct Misread<I> {
    /// Short, for tables.
    pub name: &'static str,
    /// What such a program does, as a sentence.
    pub summary: &'static str,
    /// An input written as such a program reads it rightly.
    pub written: fn(&I) -> Vec<u8>,
}

impl<I> Misread<I> {
    /// What is shown of it.
    pub fn rule(&self) -> Rule {
        Rule {
            name: self.name,
            summary: self.summary,
        }
    }
}

/// A text with the two numbers of its first line in the other order.
pub fn with_turned_head(text: &[u8]) -> Vec<u8> {
    let end = text.iter().position(|&byte| byte == b'\n');
    let (head, rest) = text.split_at(end.unwrap_or(text.len()));
    let mut numbers: Vec<&[u8]> = head.split(|&byte| byte == b' ').collect();
    numbers.reverse();
    [numbers.join(&b' ').as_slice(), rest].concat()
}

/// A quantity of inputs.
pub struct Quantity<I> {
    pub name: &'static str,
    /// What the statement allows.
    pub bounds: RangeInclusive<usize>,
    /// Why tests need not reach the largest value, where they need not.
    pub beyond: Option<&'static str>,
    /// Its values in an input.
    pub values: fn(&I) -> Vec<usize>,
}

/// A bent rule without the way in which it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    pub name: &'static str,
    pub summary: &'static str,
}

/// How far inputs use what a quantity may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extent {
    pub name: &'static str,
    pub bounds: RangeInclusive<usize>,
    pub beyond: Option<&'static str>,
    /// The least and the largest value that occur; `None` where there is none.
    pub met: Option<RangeInclusive<usize>>,
}

impl<I> Bent<I> {
    /// What is shown of it.
    pub fn rule(&self) -> Rule {
        Rule {
            name: self.name,
            summary: self.summary,
        }
    }
}

impl<I> Quantity<I> {
    /// How far these inputs go.
    pub fn extent<'i>(&self, inputs: impl Iterator<Item = &'i I>) -> Extent
    where
        I: 'i,
    {
        let mut met: Option<RangeInclusive<usize>> = None;
        for value in inputs.flat_map(|input| (self.values)(input)) {
            let range = met.unwrap_or(value..=value);
            met = Some(*range.start().min(&value)..=*range.end().max(&value));
        }
        Extent {
            name: self.name,
            bounds: self.bounds.clone(),
            beyond: self.beyond,
            met,
        }
    }
}
