//! Files that tests need.

use std::fs;
use std::path::Path;

/// Writes a file below a folder, and the folders that it lies in.
pub fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) {
    let file = folder.join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, bytes).unwrap();
}
