//! Numbers nearer to zero: all together, equal ones together, each alone. And letters that are
//! nearer to the first.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::layout::{At, Layout, number, spelled};
use crate::problems::spans;

/// Different numbers whose equals are lowered together.
const DIFFERENT_MAX: usize = 32;
/// Numbers that are lowered alone.
const ALONE_MAX: usize = 256;

/// The text with smaller numbers, but for those in their place that count something. Each text is
/// made when it is asked for: all of them together may be long.
pub fn smaller<'l>(
    layout: &'l Layout<'_>,
    counting: &'l BTreeSet<At>,
) -> impl Iterator<Item = Vec<u8>> + 'l {
    let places: Vec<(At, i64)> = layout
        .words()
        .filter(|(at, _)| !counting.contains(at))
        .filter_map(|(at, word)| Some((at, number(word)?)))
        .collect();
    let mut often: BTreeMap<i64, usize> = BTreeMap::new();
    for (_, own) in &places {
        *often.entry(*own).or_default() += 1;
    }
    let first = often.keys().next().copied().unwrap_or_default().clamp(0, 1);
    let order: BTreeMap<i64, i64> = often.keys().copied().zip(first..).collect();
    let together = [Change::Ordered(order), Change::Halved];
    let together = together.into_iter().filter({
        let differ = often.len() > 1;
        move |_| differ
    });
    let several: Vec<i64> = often
        .into_iter()
        .rev()
        .filter_map(|(value, times)| (times > 1).then_some(value))
        .take(DIFFERENT_MAX)
        .collect();
    let equal = several.into_iter().flat_map(|old| {
        let nearer = nearer(old).into_iter();
        nearer.map(move |new| Change::Equal { old, new })
    });
    let alone = places.into_iter().take(ALONE_MAX).flat_map(|(at, old)| {
        let nearer = nearer(old).into_iter();
        nearer.map(move |new| Change::Alone { at, new })
    });
    let changes = together.chain(equal).chain(alone);
    changes.map(move |change| {
        layout.written(
            |_| true,
            |at, word| {
                let own = number(word).filter(|_| !counting.contains(&at));
                let new = own.and_then(|own| change.of(at, own));
                Some(new.map_or_else(|| word.into(), spelled))
            },
        )
    })
}

/// Which numbers become smaller, and how.
enum Change {
    /// All, as small as their order allows.
    Ordered(BTreeMap<i64, i64>),
    Halved,
    Equal {
        old: i64,
        new: i64,
    },
    Alone {
        at: At,
        new: i64,
    },
}

impl Change {
    fn of(&self, place: At, own: i64) -> Option<i64> {
        match self {
            Self::Ordered(order) => order.get(&own).copied(),
            Self::Halved => Some(own / 2),
            Self::Equal { old, new } => (own == *old).then_some(*new),
            Self::Alone { at, new } => (place == *at).then_some(*new),
        }
    }
}

/// Numbers nearer to zero, the nearest first.
pub fn nearer(number: i64) -> Vec<i64> {
    let mut nearer = vec![
        0,
        number.signum(),
        number / 2,
        number - number / 8,
        number - number.signum(),
    ];
    nearer.dedup();
    nearer.retain(|&other| other != number);
    nearer
}

/// The text without some of the characters of its words, and with the first of its letters in
/// place of others.
pub fn shorter_words<'l>(layout: &'l Layout<'_>) -> impl Iterator<Item = Vec<u8>> + 'l {
    let words = layout.words().filter(|(_, word)| number(word).is_none());
    words.take(ALONE_MAX).flat_map(move |(place, word)| {
        let spans = spans(word.len()).filter(move |gone| gone.len() < word.len());
        let shorter = spans
            .take(DIFFERENT_MAX)
            .map(move |gone| [&word[..gone.start], &word[gone.end..]].concat());
        let least = word.iter().copied().filter(u8::is_ascii_alphabetic).min();
        let later = word.iter().enumerate().filter_map(move |(at, byte)| {
            let least = least.filter(|least| byte.is_ascii_alphabetic() && byte != least)?;
            Some((at, least))
        });
        let lower = later.take(DIFFERENT_MAX).map(move |(at, least)| {
            let mut word = word.to_vec();
            word[at] = least;
            word
        });
        shorter.chain(lower).map(move |new| {
            layout.written(
                |_| true,
                |at, own| {
                    Some(if at == place {
                        Cow::Owned(new.clone())
                    } else {
                        Cow::Borrowed(own)
                    })
                },
            )
        })
    })
}
