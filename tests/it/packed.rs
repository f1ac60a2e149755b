//! What is released: the crate as `cargo install` gets it, and what it says of itself.

use std::fs;
use std::process::Command;

use crate::place::{Place, assert_has, is_soak, root};

const CRATE_BYTES_MAX: u64 = 3 * 1024 * 1024;

#[test]
fn the_packed_crate_is_small_and_can_be_built() {
    let target = tempfile::tempdir().unwrap();
    let mut package = Command::new(env!("CARGO"));
    package
        .args(["package", "--locked", "--allow-dirty", "--quiet"])
        .arg("--target-dir")
        .arg(target.path());
    // In `make soak` it is also built, in a folder of its own.
    if !is_soak() {
        package.arg("--no-verify");
    }
    // Building the whole crate takes longer than a command of a test may.
    let ended = package.current_dir(root()).output().unwrap();
    assert!(ended.status.success(), "{ended:?}");
    let name = concat!("package/verdictd-", env!("CARGO_PKG_VERSION"), ".crate");
    let bytes = fs::metadata(target.path().join(name)).unwrap().len();
    assert!(bytes <= CRATE_BYTES_MAX, "{bytes}");
}

#[test]
fn the_version_names_commit_and_store_and_every_command_has_a_manual() {
    let place = Place::new();
    let version = place.says(0, "--version", &[env!("CARGO_PKG_VERSION"), ", store "]);
    let is_told = ["debug build", "commit "].map(|words| version.contains(words));
    assert!(is_told.contains(&true), "{version}");
    place.says(0, "man --out pages", &[]);
    let manual = place.says(0, "man", &[".TH verdictd 1", "verdictd\\-serve(1)"]);
    assert_eq!(place.read("pages/verdictd.1"), manual);
    for page in ["serve", "hack-add"] {
        let page = place.read(&format!("pages/verdictd-{page}.1"));
        assert_has(&page, &[".SH SYNOPSIS"]);
    }
    for shell in ["bash", "fish", "zsh"] {
        place.says(0, &format!("completions {shell}"), &["serve", "restore"]);
    }
}
