//! Lists the files of the packages in `problems/` and of the example of a new course, so that the
//! binary can write them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
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
