//! Numbers nearer to zero: all together, equal ones together, each alone. And letters that are
//! nearer to the first.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::layout::{At, Layout, number};

/// Different numbers whose equals are lowered together.
const DIFFERENT_MAX: usize = 32;
/// Numbers that are lowered alone.
const ALONE_MAX: usize = 256;

/// The text with smaller numbers, but for those in their place that count something.
pub fn smaller(layout: &Layout<'_>, counting: &BTreeSet<At>) -> Vec<Vec<u8>> {
    let mut often: BTreeMap<i64, usize> = BTreeMap::new();
    let mut places = Vec::new();
    for (line, of) in layout.lines.iter().enumerate() {
        for (index, word) in of.words.iter().enumerate() {
            let at = (line, index);
            if let Some(own) = number(word).filter(|_| !counting.contains(&at)) {
                *often.entry(own).or_default() += 1;
                places.push((at, own));
            }
        }
    }
    let with = |changed: &dyn Fn(At, i64) -> Option<i64>| {
        layout.written(
            |_| true,
            |at, word| {
                let own = number(word).filter(|_| !counting.contains(&at));
                let new = own.and_then(|own| changed(at, own));
                Some(new.map_or(Cow::Borrowed(word), |new| {
                    new.to_string().into_bytes().into()
                }))
            },
        )
    };
    let mut texts = Vec::new();
    // In their order, as small as that leaves them; then half of each.
    if often.len() > 1 {
        let first = often.keys().next().copied().unwrap_or_default().clamp(0, 1);
        let order: BTreeMap<i64, i64> = often.keys().copied().zip(first..).collect();
        texts.push(with(&|_, own| order.get(&own).copied()));
        texts.push(with(&|_, own| Some(own / 2)));
    }
    let several = often.iter().rev().filter(|(_, times)| **times > 1);
    for (&old, _) in several.take(DIFFERENT_MAX) {
        let nearer = nearer(old).into_iter();
        texts.extend(nearer.map(|new| with(&|_, own| (own == old).then_some(new))));
    }
    for &(place, old) in places.iter().take(ALONE_MAX) {
        let nearer = nearer(old).into_iter();
        texts.extend(nearer.map(|new| with(&|at, _| (at == place).then_some(new))));
    }
    texts
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
pub fn shorter_words(layout: &Layout<'_>) -> Vec<Vec<u8>> {
    let mut texts = Vec::new();
    let words = layout.lines.iter().enumerate().flat_map(|(line, of)| {
        let words = of.words.iter().enumerate();
        words.map(move |(index, word)| ((line, index), *word))
    });
    let words = words.filter(|(_, word)| number(word).is_none());
    for (place, word) in words.take(ALONE_MAX) {
        let with = |new: Vec<u8>| {
            let in_place = |at, own| Cow::Borrowed(if at == place { &new[..] } else { own });
            layout.written(|_| true, |at, own| Some(Cow::Owned(in_place(at, own).into_owned())))
        };
        let spans = crate::problems::spans(word.len()).filter(|gone| gone.len() < word.len());
        for gone in spans.take(DIFFERENT_MAX) {
            texts.push(with([&word[..gone.start], &word[gone.end..]].concat()));
        }
        let least = word.iter().copied().filter(u8::is_ascii_alphabetic).min();
        let letters = word.iter().enumerate().filter(|(_, byte)| byte.is_ascii_alphabetic());
        for (at, _) in letters.filter(|(_, byte)| Some(**byte) != least).take(DIFFERENT_MAX) {
            let mut new = word.to_vec();
            new[at] = least.unwrap_or(word[at]);
            texts.push(with(new));
        }
    }
    texts
}
