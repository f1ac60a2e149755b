//! What is released: the crate as `cargo install` gets it, and what it says of itself.

use std::fs;
use std::process::Command;

use crate::place::{Place, binary, is_soak, output, root, said};

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
