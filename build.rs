//! Lists the files of the packages in `problems/`, so that the binary can write them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=problems");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or(io::ErrorKind::NotFound)?);
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    let problems = root.join("problems");
    let mut files = Vec::new();
    list(&problems, &mut files)?;
    files.sort();
    let mut text = String::from("[\n");
    for file in &files {
        let name = file.strip_prefix(&problems).unwrap_or(file);
        let (name, file) = (name.to_string_lossy(), file.to_string_lossy());
        let _ = writeln!(text, "({name:?}, include_bytes!({file:?})),");
    }
    text.push_str("]\n");
    fs::write(out.join("packages.rs"), text)
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
