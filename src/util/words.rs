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
pub fn listed<'n>(names: impl IntoIterator<Item = &'n str>, most: usize) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    if names.is_empty() {
        return "none".to_owned();
    }
    let shown = names[..names.len().min(most)].join(", ");
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

#[cfg(test)]
mod tests {
    use super::{amount, listed, shell_word};

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
    fn one_is_singular_and_a_long_list_ends() {
        assert_eq!(amount(0, "test"), "0 tests");
        assert_eq!(amount(1, "test"), "1 test");
        assert_eq!(amount(2, "test"), "2 tests");
        assert_eq!(listed([], 2), "none");
        assert_eq!(listed(["a", "b"], 2), "a, b");
        assert_eq!(listed(["a", "b", "c"], 2), "a, b and 1 more");
    }
}
