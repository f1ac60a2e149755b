//! The shipped files that say every setting with its default, and examples of more.

use std::collections::BTreeSet;

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
    let help = unknown.help.as_deref().unwrap();
    let (_, keys) = help.split_once("known here: ").unwrap();
    let mut keys: Vec<&str> = keys.split(", ").collect();
    keys.sort_unstable();
    keys
}

/// The keys of a table that is there.
pub fn sorted(table: &toml::Table) -> Vec<String> {
    let keys: BTreeSet<&String> = table.keys().collect();
    keys.into_iter().cloned().collect()
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
