//! What is released: the crate as `cargo install` gets it, what it was made of, and what its
//! changelog says.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use crate::place::{Place, binary, is_soak, output, said};

const CRATE_BYTES_MAX: u64 = 3 * 1024 * 1024;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn cargo(words: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO"));
    command.args(words).current_dir(root());
    // Building the whole crate takes longer than a command of a test may.
    let ended = command.output().unwrap();
    let errors = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(ended.status.success(), "{errors}");
    String::from_utf8(ended.stdout).unwrap()
}

/// Files that a file of code takes into the program, from the crate's folder on.
fn included(file: &Path) -> Vec<PathBuf> {
    let text = fs::read_to_string(root().join(file)).unwrap();
    let folder = file.parent().unwrap();
    let after = text.split("include_").skip(1);
    let names = after.filter_map(|rest| {
        let (kind, rest) = rest.split_once("!(\"")?;
        ["str", "bytes"]
            .contains(&kind)
            .then(|| rest.split('"').next())?
    });
    let paths = names.map(|name| {
        let mut path = PathBuf::new();
        for part in folder.join(name).components() {
            if part != Component::ParentDir || !path.pop() {
                path.push(part);
            }
        }
        path
    });
    paths.collect()
}

#[test]
fn the_packed_crate_is_small_and_has_every_file_that_it_is_built_from() {
    let listed = cargo(&["package", "--list", "--locked", "--allow-dirty", "--quiet"]);
    let listed: BTreeSet<&Path> = listed.lines().map(Path::new).collect();
    let is_code = |path: &&Path| path.extension().is_some_and(|ending| ending == "rs");
    let sources = listed.iter().copied().filter(is_code);
    let sources = sources.filter(|path| path.starts_with("src"));
    let needed: Vec<PathBuf> = sources.flat_map(included).collect();
    assert!(needed.len() > 20, "{needed:?}");
    let missing: Vec<_> = needed
        .iter()
        .filter(|path| !listed.contains(path.as_path()))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");

    let target = tempfile::tempdir().unwrap();
    let folder = target.path().display().to_string();
    let words = ["package", "--locked", "--allow-dirty", "--quiet"];
    // In `make soak` it is also built, in a folder of its own.
    let more = if is_soak() { None } else { Some("--no-verify") };
    let words: Vec<&str> = words.into_iter().chain(more).collect();
    cargo(&[&words[..], &["--target-dir", &folder]].concat());
    let name = concat!("package/verdictd-", env!("CARGO_PKG_VERSION"), ".crate");
    let bytes = fs::metadata(target.path().join(name)).unwrap().len();
    assert!(bytes <= CRATE_BYTES_MAX, "{bytes}");
}

#[test]
fn every_version_stands_in_the_changelog_the_latest_first() {
    let text = fs::read_to_string(root().join("CHANGELOG.md")).unwrap();
    let mut titles = text.lines().filter_map(|line| line.strip_prefix("## "));
    assert_eq!(titles.next(), Some("[Unreleased]"));
    // `## [1.2.3] - 2026-11-27`, each later than the next.
    let dates: Vec<&str> = titles
        .map(|title| title.split_once("] - ").expect(title).1)
        .collect();
    assert!(dates.is_sorted_by(|one, next| one > next), "{dates:?}");
    let kinds = [
        "Added",
        "Changed",
        "Deprecated",
        "Removed",
        "Fixed",
        "Security",
    ];
    for part in text.lines().filter_map(|line| line.strip_prefix("### ")) {
        assert!(kinds.contains(&part), "{part}");
    }
}

#[test]
fn the_version_names_commit_and_store_and_the_manual_every_command() {
    let place = Place::new();
    let version = place.says(0, "--version", &[env!("CARGO_PKG_VERSION"), ", store "]);
    assert!(
        version.contains("debug build") || version.contains("commit "),
        "{version}"
    );
    let help = place.says(0, "--help", &[]);
    let commands = help.lines().filter_map(|line| {
        let (name, about) = line.strip_prefix("  ")?.split_once("  ")?;
        let is_name = !name.is_empty() && name.chars().all(char::is_alphabetic);
        (is_name && about.contains(' ')).then_some(name)
    });
    let commands: Vec<&str> = commands.collect();
    assert!(
        commands.contains(&"serve") && commands.contains(&"man"),
        "{help}"
    );
    place.says(0, "man --out pages", &[]);
    let manual = place.says(0, "man", &[".TH verdictd 1"]);
    assert_eq!(place.read("pages/verdictd.1"), manual);
    for shell in ["bash", "fish", "zsh"] {
        let mut command = Command::new(binary());
        let completions = said(&output(command.args(["completions", shell])), 0, &[]);
        for name in &commands {
            assert!(completions.contains(name), "{shell}: {name}");
        }
    }
    for name in commands {
        assert!(manual.contains(&format!("verdictd\\-{name}(1)")), "{name}");
        let page = place.read(&format!("pages/verdictd-{name}.1"));
        assert!(page.contains(".SH SYNOPSIS"), "{page}");
    }
    assert!(place.path("pages/verdictd-hack-add.1").exists());
}
