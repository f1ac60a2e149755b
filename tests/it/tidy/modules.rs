//! Who imports whom: modules use only lower layers.

use std::collections::{BTreeMap, BTreeSet};

use super::rust_files;

/// A module uses only modules of lower layers, and of its own layer those that are listed.
pub const LAYERS: [(&str, u8, &[&str]); 26] = [
    ("domain", 0, &[]),
    ("util", 0, &["domain"]),
    ("problems", 1, &[]),
    ("compare", 1, &[]),
    ("view", 1, &[]),
    ("config", 2, &["sandbox"]),
    ("sandbox", 2, &[]),
    ("access", 3, &[]),
    ("package", 3, &[]),
    ("toolchain", 3, &[]),
    ("store", 3, &[]),
    ("intake", 3, &[]),
    ("report", 3, &["package"]),
    ("course", 3, &[]),
    ("explain", 4, &["judge"]),
    ("places", 4, &["judge"]),
    ("hack", 4, &[]),
    ("judge", 4, &[]),
    ("overview", 4, &[]),
    ("exports", 4, &["overview"]),
    ("lms", 4, &[]),
    ("cluster", 5, &[]),
    ("daemon", 5, &["cluster"]),
    ("strength", 5, &[]),
    ("web", 6, &[]),
    ("cli", 7, &[]),
];

#[test]
fn modules_use_only_lower_layers() {
    let table: BTreeMap<&str, (u8, &[&str])> = LAYERS
        .into_iter()
        .map(|(name, layer, peers)| (name, (layer, peers)))
        .collect();
    let mut wrong = Vec::new();
    let mut needed: BTreeSet<(String, String)> = BTreeSet::new();
    for (file, text) in rust_files("src") {
        let below = file.trim_start_matches("src/").split_once('/');
        let Some((module, _)) = below else {
            continue;
        };
        let (layer, peers) = table
            .get(module)
            .unwrap_or_else(|| panic!("{file}: `{module}` is missing in the table of layers"));
        for (number, line) in text.lines().enumerate() {
            for used in line.split("crate::").skip(1) {
                let is_name = |one: &char| one.is_alphanumeric() || *one == '_';
                let used: String = used.chars().take_while(is_name).collect();
                let Some((below, _)) = table.get(used.as_str()) else {
                    continue;
                };
                if used == module || below < layer {
                    continue;
                }
                if peers.contains(&used.as_str()) {
                    needed.insert((module.to_owned(), used));
                } else {
                    let line = number + 1;
                    wrong.push(format!("{file}:{line}: `{module}` must not use `{used}`"));
                }
            }
        }
    }
    for (module, _, peers) in LAYERS {
        for peer in peers {
            if !needed.contains(&(module.to_owned(), (*peer).to_owned())) {
                wrong.push(format!(
                    "`{module}` does not use `{peer}`: take it off the table"
                ));
            }
            if table[peer].1.contains(&module) {
                wrong.push(format!("`{module}` and `{peer}` must not use each other"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
