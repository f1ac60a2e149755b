//! The shipped files that say every setting with its default, and examples of more.

use crate::domain::Complaint;

/// The file with its examples switched on.
pub fn with_examples(text: &str) -> String {
    text.lines()
        .map(|line| match line.strip_prefix('#') {
            Some(rest) if !rest.starts_with(' ') => rest,
            _ => line,
        })
        .fold(String::new(), |text, line| text + line + "\n")
}

/// The keys of a table, as the complaint about one that no table has lists them.
pub fn keys_of(unknown: &Complaint) -> Vec<&str> {
    let (_, keys) = unknown
        .help
        .as_deref()
        .unwrap()
        .split_once("known here: ")
        .unwrap();
    let mut keys: Vec<&str> = keys.split(", ").collect();
    keys.sort_unstable();
    keys
}

/// A key that no table has.
pub const UNKNOWN: &str = "no-such-key-anywhere = 1\n";

#[test]
fn every_key_has_a_word_of_why_above_it() {
    for text in [
        include_str!("../../../config.toml"),
        include_str!("../../../docs/problem.toml"),
    ] {
        let lines: Vec<&str> = text.lines().collect();
        for (index, line) in lines.iter().enumerate() {
            if line.contains(" = ") && !line.starts_with('#') {
                let above = lines[index - 1];
                assert!(above.starts_with("# ") && above.len() > 40, "{line}");
            }
        }
    }
}
