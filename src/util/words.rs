//! Numbers and lists as people write them, words as a shell reads them, and the known word that a
//! misspelt one most likely means.

/// `1 test`, `3 tests`.
pub fn amount(count: usize, noun: &str) -> String {
    if count == 1 {
        format!("1 {noun}")
    } else {
        format!("{count} {noun}s")
    }
}

/// The first names of a list, and how many more there are: `a, b, c and 7 more`. `none` without
/// any.
pub fn listed<S: AsRef<str>>(names: impl IntoIterator<Item = S>, most: usize) -> String {
    let names: Vec<S> = names.into_iter().collect();
    if names.is_empty() {
        return "none".to_owned();
    }
    let shown: Vec<&str> = names.iter().take(most).map(AsRef::as_ref).collect();
    let shown = shown.join(", ");
    match names.len().saturating_sub(most) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// A word of a command as a shell reads it.
pub fn shell_word(word: &str) -> String {
    let is_bare = |character: char| character.is_alphanumeric() || "+-_./:=,@%".contains(character);
    if !word.is_empty() && word.chars().all(is_bare) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// How long something was: `5 min`, `2 h 5 min`, `1 d 3 h`: a unit that has begun counts.
pub fn span(seconds: i64) -> String {
    let minutes = (seconds.max(0) + 59) / 60;
    let (large, small, words) = match minutes {
        0..60 => return format!("{minutes} min"),
        60..1_440 => (minutes / 60, minutes % 60, ["h", "min"]),
        _ => {
            let hours = (minutes + 59) / 60;
            (hours / 24, hours % 24, ["d", "h"])
        }
    };
    match small {
        0 => format!("{large} {}", words[0]),
        _ => format!("{large} {} {small} {}", words[0], words[1]),
    }
}

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
    use super::{shell_word, slips, span};

    #[test]
    fn a_shell_reads_one_word_as_it_was() {
        for (word, shown) in [
            ("été/a.in", "été/a.in"),
            ("", "''"),
            ("two words", "'two words'"),
            ("it's", r"'it'\''s'"),
            ("$HOME", "'$HOME'"),
        ] {
            assert_eq!(shell_word(word), shown);
        }
    }

    #[test]
    fn a_span_names_two_units_and_the_smaller_one_counts_once_it_has_begun() {
        for (seconds, shown) in [
            (-5, "0 min"),
            (0, "0 min"),
            (1, "1 min"),
            (60, "1 min"),
            (59 * 60 + 1, "1 h"),
            (2 * 3_600 + 4 * 60 + 1, "2 h 5 min"),
            (24 * 3_600, "1 d"),
            (26 * 3_600 + 1, "1 d 3 h"),
            (47 * 3_600 + 1, "2 d"),
        ] {
            assert_eq!(span(seconds), shown, "{seconds}");
        }
    }

    #[test]
    fn slips_are_counted() {
        for (spellings, slug, expected) in [
            ("curling Curl-Ing", "curling", Some(0)),
            ("curlign culring curing ccurling curl", "curling", Some(1)),
            ("cutlinf", "curling", Some(2)),
            ("regions ", "curling", None),
            ("game", "thegame", None),
        ] {
            for spelling in spellings.split(' ') {
                assert_eq!(slips(spelling, slug), expected, "{spelling} {slug}");
            }
        }
    }
}
