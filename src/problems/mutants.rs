//! What the tests of a problem are held against: its rules and its format as wrong programs read
//! them, and the bounds of its quantities.

use std::ops::RangeInclusive;

/// A rule of the statement, or the format of inputs, as a wrong program reads it.
pub struct Mutant<I> {
    pub rule: Rule,
    /// What a program prints that is right but for this rule; or, where the format is misread, the
    /// input written as such a program reads it rightly.
    ///
    /// A case that takes a mutant too long is answered rightly, so a difference is always one of
    /// the rule.
    pub bytes: fn(&I) -> Vec<u8>,
}

/// What is shown of a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Short, for tables.
    pub name: &'static str,
    /// The rule as such a program reads it, as a sentence.
    pub summary: &'static str,
}

/// A row of a table of mutants.
pub const fn mutant<I>(
    name: &'static str,
    summary: &'static str,
    bytes: fn(&I) -> Vec<u8>,
) -> Mutant<I> {
    Mutant {
        rule: Rule { name, summary },
        bytes,
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

/// A quantity of inputs that has bounds.
pub struct Quantity<I> {
    /// How far it goes without any input.
    pub bare: Extent,
    /// Its values in an input.
    pub values: fn(&I) -> Vec<usize>,
}

/// A row of a table of quantities: the name, what the statement allows, and the values in an input.
pub const fn quantity<I>(
    name: &'static str,
    bounds: RangeInclusive<usize>,
    values: fn(&I) -> Vec<usize>,
) -> Quantity<I> {
    let bare = Extent {
        name,
        bounds,
        beyond: None,
        met: None,
    };
    Quantity { bare, values }
}

/// How far inputs use what a quantity may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extent {
    pub name: &'static str,
    /// What the statement allows.
    pub bounds: RangeInclusive<usize>,
    /// Why tests need not reach the largest value, where they need not.
    pub beyond: Option<&'static str>,
    /// The least and the largest value that occur; `None` where there is none.
    pub met: Option<RangeInclusive<usize>>,
}

impl<I> Quantity<I> {
    /// The same for a quantity whose largest value tests need not reach, for this reason.
    pub const fn beyond(mut self, reason: &'static str) -> Self {
        self.bare.beyond = Some(reason);
        self
    }

    /// How far these inputs go.
    pub fn extent<'i>(&self, inputs: impl Iterator<Item = &'i I>) -> Extent
    where
        I: 'i,
    {
        let values: Vec<usize> = inputs.flat_map(|input| (self.values)(input)).collect();
        let least_and_most = values.iter().min().zip(values.iter().max());
        Extent {
            met: least_and_most.map(|(&least, &most)| least..=most),
            ..self.bare.clone()
        }
    }
}
