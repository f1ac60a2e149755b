//! Numbers and lists as people write them, and words as a shell reads them.

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

#[cfg(test)]
mod tests {
    use super::{shell_word, span};

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
}
