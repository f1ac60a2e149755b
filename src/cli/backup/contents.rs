//! What a course consists of, and under which names a backup has it.

use std::path::{Path, PathBuf};

use crate::config::{Config, tidy};
use crate::course::Terms;
use crate::import;
use crate::store::STORE_FILE;
use crate::util::files::SCRATCH;

/// The configuration's name in an archive and in a restored folder.
pub const CONFIG: &str = "config.toml";
/// The folder of what lies beside the configuration.
pub const COURSE: &str = "course";
/// The folder of what lies outside the course's folder.
pub const OUTSIDE: &str = "outside";
/// The largest file beside the configuration that is taken for one of the course's, in bytes.
pub const FILE_BYTES_MAX: u64 = 64 << 20;
/// The folders whose files an archive has, and the mode that a missing one is made with.
pub const FOLDERS: [(&str, u32); 4] = [
    (PROBLEMS, 0o755),
    (SUBMISSIONS, 0o755),
    (STAFF, 0o750),
    (STATE, 0o700),
];
pub const PROBLEMS: &str = "problems";
pub const SUBMISSIONS: &str = "submissions";
pub const STAFF: &str = "staff";
pub const STATE: &str = "state";

/// The store's name in an archive.
pub fn store_name() -> String {
    format!("{STATE}/{STORE_FILE}")
}

/// The manifest's name in an archive.
pub fn manifest_name() -> String {
    format!("{STAFF}/{}", import::MANIFEST_FILE)
}

/// Where a course keeps what an archive has under one of the names of [`FOLDERS`].
pub fn folder_of<'c>(config: &'c Config, name: &str) -> Option<&'c Path> {
    let folders = &config.folders;
    Some(match name {
        PROBLEMS => &folders.problems,
        SUBMISSIONS => &folders.submissions,
        STAFF => &folders.staff,
        STATE => &folders.state,
        _ => return None,
    })
}

/// The course's own folder.
pub fn base(config: &Config) -> PathBuf {
    config.file.parent().unwrap_or(Path::new("/")).to_owned()
}

/// The files that the settings name, with the keys: they may lie anywhere.
pub fn named_files(config: &Config) -> Vec<(&'static str, PathBuf)> {
    let base = base(config);
    let extensions = Terms::extensions_file(&base).map(|file| tidy(&base.join(file)));
    let roster = config.overview.roster.clone();
    let token = config.web.staff_token_file.clone();
    let credentials = config.cluster.credentials.clone();
    [
        ("roster", roster),
        ("staff_token_file", token),
        ("credentials", credentials),
        ("extensions", extensions),
    ]
    .into_iter()
    .filter_map(|(key, file)| Some((key, file?)))
    .collect()
}

/// Where a folder lies below the course's own: as the configuration says, or under its usual name
/// where that is elsewhere on the machine.
pub fn inside(config: &Config, name: &str) -> PathBuf {
    let named = folder_of(config, name);
    let below = named.and_then(|path| path.strip_prefix(base(config)).ok());
    below.map_or_else(|| PathBuf::from(name), Path::to_owned)
}

/// Whether a file beside the configuration is one of the course's, and not half written or packed.
pub fn is_of_course(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    let is_archive = path.extension().is_some_and(|ending| ending == "zip");
    !name.starts_with(SCRATCH.as_bytes()) && !is_archive
}
