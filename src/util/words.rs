//! Numbers and lists as people write them.

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

#[cfg(test)]
mod tests {
    use super::{amount, listed};

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
