//! Did you mean: the known word that a misspelt one most likely means.

/// The known word nearest to this one, where one is near enough to be meant.
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let near = |candidate| Some((slips(word, candidate)?, candidate));
    let known = known.into_iter().filter_map(near);
    known.min_by_key(|(slips, _)| *slips).map(|(_, word)| word)
}

/// The same as the end of a sentence: empty where none is near.
pub fn hint<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    let meant = nearest(word, known);
    meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"))
}

/// How many slips (a character too many, missing, other, or swapped with its neighbour) lead from
/// one word to the other, and one for its beginning; `None` for more than a third of it, which is
/// another word. Case and separators do not count.
pub fn slips(word: &str, meant: &str) -> Option<usize> {
    let fold = |text: &str| -> String {
        let letters = text.chars().filter(|c| !matches!(c, '-' | '_' | ' '));
        letters.flat_map(char::to_lowercase).collect()
    };
    let (from, to) = (fold(word), fold(meant));
    let (short, long) = (from.chars().count(), to.chars().count());
    let allowed = (long / 3).max(1);
    if short > 2 && to.starts_with(&from) {
        return Some(usize::from(short < long));
    }
    // The cost grows with the product of the lengths: a word that is much longer is not looked at.
    if short == 0 || long < 2 || short.abs_diff(long) > allowed {
        return None;
    }
    Some(strsim::osa_distance(&from, &to)).filter(|&slips| slips <= allowed)
}

#[cfg(test)]
mod tests {
    use super::slips;

    #[test]
    fn slips_are_counted() {
        for (spelling, slug, expected) in [
            ("curling", "curling", Some(0)),
            ("Curl-Ing", "curling", Some(0)),
            ("curlign", "curling", Some(1)),
            ("culring", "curling", Some(1)),
            ("curing", "curling", Some(1)),
            ("ccurling", "curling", Some(1)),
            ("cutlinf", "curling", Some(2)),
            ("curl", "curling", Some(1)),
            ("regions", "curling", None),
            ("", "curling", None),
            ("game", "thegame", None),
        ] {
            assert_eq!(slips(spelling, slug), expected, "{spelling} {slug}");
        }
    }
}
