//! The folders of the machine that every room shows.

use std::path::{Path, PathBuf};

/// What is missing on this machine is left out.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc/alternatives",
    "/etc/ld.so.cache",
];
/// Java looks for its settings in folders of its version's name.
const PREFIX_IN_ETC: &[u8] = b"java";

/// Everything that is shown, whether or not it is there.
pub fn paths() -> Vec<PathBuf> {
    let etc = std::fs::read_dir("/etc").into_iter().flatten().flatten();
    let java = etc
        .filter(|entry| {
            let name = entry.file_name();
            name.as_encoded_bytes().starts_with(PREFIX_IN_ETC)
        })
        .map(|entry| entry.path());
    SYSTEM.iter().map(PathBuf::from).chain(java).collect()
}

/// The folder of the system in which a path lies by its name.
pub fn folder_of(path: &Path) -> Option<&'static Path> {
    let mut folders = SYSTEM.iter().map(Path::new);
    folders.find(|folder| path.starts_with(folder))
}

/// The folder of the system in which a path lies, whichever links lead there, so that every program
/// can read it there.
pub fn seen_by_all(path: &Path) -> Option<&'static Path> {
    let existing = path.ancestors().find_map(|part| part.canonicalize().ok());
    folder_of(path).or_else(|| folder_of(&existing?))
}
