//! Lists the files of the packages in `problems/` and of the example of a new course, so that the
//! binary can write them; and says what `verdictd --version` names: the commit.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or(io::ErrorKind::NotFound)?);
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    let mut text = String::from("[\n");
    for folder in ["problems", "src/cli/init/course/problems"] {
        println!("cargo::rerun-if-changed={folder}");
        let folder = root.join(folder);
        let mut files = Vec::new();
        list(&folder, &mut files)?;
        files.sort();
        for file in &files {
            let name = file.strip_prefix(&folder).unwrap_or(file);
            let (name, file) = (name.to_string_lossy(), file.to_string_lossy());
            let _ = writeln!(text, "({name:?}, include_bytes!({file:?})),");
        }
    }
    text.push_str("]\n");
    println!("cargo::rustc-env=VERDICTD_BUILD={}", build(&root));
    fs::write(out.join("packages.rs"), text)
}

/// From what the binary is made: the commit, as cargo writes it into a packed crate, or as git says.
/// Debug builds name none, so that a commit has nothing built again that did not change.
fn build(root: &Path) -> String {
    let packed = fs::read_to_string(root.join(".cargo_vcs_info.json"));
    let commit = if let Ok(packed) = packed {
        let rest = packed.split_once("\"sha1\": \"");
        let changed = if packed.contains("\"dirty\": true") {
            ", changed"
        } else {
            ""
        };
        rest.map(|(_, rest)| format!("{}{changed}", &rest[..COMMIT_DIGITS.min(rest.len())]))
    } else if env::var("PROFILE").is_ok_and(|profile| profile == "debug") {
        return "debug build".to_owned();
    } else {
        described(root)
    };
    format!("commit {}", commit.as_deref().unwrap_or("unknown"))
}

/// So many digits of a commit are named.
const COMMIT_DIGITS: usize = 12;

/// The commit of a clone, and whether files have changed since.
fn described(root: &Path) -> Option<String> {
    // A clone of something else around this folder is not meant.
    root.join(".git").exists().then_some(())?;
    let git = |words: &[&str]| {
        let ended = Command::new("git")
            .arg("-C")
            .arg(root)
            .args(words)
            .output()
            .ok()?;
        let said = String::from_utf8(ended.stdout).ok()?;
        ended.status.success().then(|| said.trim().to_owned())
    };
    for file in ["HEAD", "logs/HEAD"] {
        let path = root.join(git(&["rev-parse", "--git-path", file])?);
        if path.exists() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    for path in ["Cargo.toml", "Cargo.lock", "src"] {
        println!("cargo::rerun-if-changed={path}");
    }
    let abbrev = format!("--abbrev={COMMIT_DIGITS}");
    git(&[
        "describe",
        "--always",
        "--exclude=*",
        &abbrev,
        "--dirty=, changed",
    ])
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        if entry.file_type()?.is_dir() {
            list(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}
