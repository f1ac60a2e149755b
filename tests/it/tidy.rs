//! The tree keeps to its own rules: layers, module heads, sizes, where `unsafe` and serde may stand, one reason a dependency.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The module graph: a module uses only modules of lower layers, and of its own layer those that are listed.
const LAYERS: [(&str, u8, &[&str]); 20] = [
    ("domain", 0, &[]),
    ("util", 0, &["domain"]),
    ("problems", 1, &[]),
    ("compare", 1, &[]),
    ("config", 2, &[]),
    ("sandbox", 2, &["config"]),
    ("package", 3, &[]),
    ("toolchain", 3, &[]),
    ("store", 3, &["toolchain"]),
    ("intake", 3, &[]),
    ("report", 3, &["package"]),
    ("explain", 4, &[]),
    ("hack", 4, &[]),
    ("judge", 4, &[]),
    ("overview", 4, &[]),
    ("exports", 4, &["overview"]),
    ("daemon", 5, &[]),
    ("web", 6, &[]),
    ("cli", 7, &[]),
    ("bench", 8, &[]),
];

/// The only files with serde derives: the shapes of what is read and written.
const SHAPE_FILES: [&str; 11] = [
    "src/config/file.rs",
    "src/config/language.rs",
    "src/exports/clics/shape.rs",
    "src/package/manifest.rs",
    "src/report/gradescope.rs",
    "src/report/package_entry.rs",
    "src/report/log_schema.rs",
    "src/report/schema.rs",
    "src/sandbox/wire.rs",
    "src/store/compared.rs",
    "src/toolchain/table.rs",
];

const FILE_LINES_MAX: usize = 500;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn rust_files(folder: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = vec![root().join(folder)];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root()).unwrap().display().to_string();
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    assert!(!found.is_empty());
    found
}

fn module_of(file: &str) -> Option<&str> {
    let below = file.strip_prefix("src/")?;
    below.split_once('/').map(|(module, _)| module)
}

#[test]
fn modules_use_only_lower_layers() {
    let table: BTreeMap<&str, (u8, &[&str])> = LAYERS
        .into_iter()
        .map(|(name, layer, peers)| (name, (layer, peers)))
        .collect();
    let mut wrong = Vec::new();
    for (file, text) in rust_files("src") {
        let Some(module) = module_of(&file) else {
            continue;
        };
        let (layer, peers) = table
            .get(module)
            .unwrap_or_else(|| panic!("{file}: `{module}` is missing in the table of layers"));
        for (number, line) in text.lines().enumerate() {
            for used in line.split("crate::").skip(1) {
                let used: String = used
                    .chars()
                    .take_while(|character| character.is_alphanumeric() || *character == '_')
                    .collect();
                let Some((below, _)) = table.get(used.as_str()) else {
                    continue;
                };
                if used != module && below >= layer && !peers.contains(&used.as_str()) {
                    wrong.push(format!(
                        "{file}:{}: `{module}` must not use `{used}`",
                        number + 1
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_say_what_they_are_for_and_stay_small() {
    let mut wrong = Vec::new();
    for (file, text) in ["src", "tests", "benches"].into_iter().flat_map(rust_files) {
        if !text.starts_with("//! ") {
            wrong.push(format!("{file}: does not begin with `//!`"));
        }
        if text.lines().count() > FILE_LINES_MAX {
            wrong.push(format!("{file}: longer than {FILE_LINES_MAX} lines"));
        }
        if let Some(line) = text.lines().position(|line| line.ends_with([' ', '\t'])) {
            wrong.push(format!("{file}:{}: blanks at the end", line + 1));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn unsafe_and_serde_stay_where_they_belong() {
    let mut wrong = Vec::new();
    for (file, text) in rust_files("src") {
        let code = text
            .lines()
            .map(|line| line.split("//").next().unwrap_or_default());
        for (number, line) in code.enumerate() {
            let has_unsafe = line.contains("unsafe {") || line.contains("unsafe fn");
            if has_unsafe && file != "src/sandbox/sys.rs" {
                wrong.push(format!("{file}:{}: unsafe", number + 1));
            }
            let is_shape = line.contains("derive(")
                && (line.contains("Serialize") || line.contains("Deserialize"));
            if is_shape && !SHAPE_FILES.contains(&file.as_str()) {
                wrong.push(format!("{file}:{}: serde derive", number + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_dependency_has_its_reason() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let mut in_dependencies = false;
    let mut counted = 0;
    for line in manifest.lines() {
        if line.starts_with('[') {
            in_dependencies = line.contains("dependencies");
        } else if in_dependencies && line.contains('=') {
            assert!(line.contains(" # "), "no reason: {line}");
            counted += 1;
        }
    }
    assert!(counted > 10);
}

#[test]
fn no_unfinished_code_and_no_sleeping_tests() {
    // Written in two halves, so that this file does not find itself.
    let words = [
        ["todo", "!("],
        ["unimplemented", "!("],
        ["#[ig", "nore"],
        ["should_", "panic"],
        ["FIX", "ME"],
    ]
    .map(|halves| halves.concat());
    let sleeps = ["thread::", "sleep"].concat();
    let mut wrong = Vec::new();
    for (file, text) in ["src", "tests"].into_iter().flat_map(rust_files) {
        for (number, line) in text.lines().enumerate() {
            let sleeps = file.starts_with("tests/") && line.contains(&sleeps);
            if sleeps || words.iter().any(|word| line.contains(word)) {
                wrong.push(format!("{file}:{}: {line}", number + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
