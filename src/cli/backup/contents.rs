//! What a course consists of, and under which names a backup has it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::config::{Config, tidy};
use crate::course::Terms;

/// The folder of what lies beside the configuration.
pub const COURSE: &str = "course";
/// The folder of what lies outside the course's folder.
pub const OUTSIDE: &str = "outside";
/// The largest file beside the configuration that is taken for one of the course's, in bytes.
pub const FILE_BYTES_MAX: u64 = 64 << 20;

/// One of the folders that a course keeps things in.
#[derive(Clone, Copy)]
pub struct Folder<'c> {
    /// Its name in an archive.
    pub name: &'static str,
    pub path: &'c Path,
    /// The mode that a missing one is made with.
    pub mode: u32,
    /// Its path below the course's own folder; none where it is elsewhere on the machine.
    below: Option<&'c Path>,
}

impl<'c> Folder<'c> {
    fn of(config: &'c Config, name: &'static str, path: &'c Path, mode: u32) -> Self {
        let below = path.strip_prefix(base(config)).ok();
        Self {
            name,
            path,
            mode,
            below,
        }
    }

    /// Where it lies below a folder that is made of a course: as the configuration says, or under
    /// its usual name.
    pub fn inside(&self) -> &'c Path {
        self.below.unwrap_or(Path::new(self.name))
    }
}

pub fn problems(config: &Config) -> Folder<'_> {
    Folder::of(config, "problems", &config.folders.problems, 0o755)
}

pub fn submissions(config: &Config) -> Folder<'_> {
    Folder::of(config, "submissions", &config.folders.submissions, 0o755)
}

pub fn staff(config: &Config) -> Folder<'_> {
    Folder::of(config, "staff", &config.folders.staff, 0o750)
}

pub fn state(config: &Config) -> Folder<'_> {
    Folder::of(config, "state", &config.folders.state, 0o700)
}

/// No backup has anything of it.
pub fn reports(config: &Config) -> Folder<'_> {
    Folder::of(config, "reports", &config.folders.reports, 0o755)
}

/// All folders of a course.
pub fn folders(config: &Config) -> [Folder<'_>; 5] {
    [problems, submissions, staff, state, reports].map(|folder| folder(config))
}

/// The course's own folder.
pub fn base(config: &Config) -> &Path {
    config.file.parent().unwrap_or(Path::new("/"))
}

/// The files that the settings name, with the keys: they may lie anywhere.
pub fn named_files(config: &Config) -> Vec<(&'static str, PathBuf)> {
    let base = base(config);
    let extensions = Terms::extensions_file(base).map(|file| tidy(&base.join(file)));
    let files = [
        ("roster", config.overview.roster.clone()),
        ("staff_token_file", config.web.staff_token_file.clone()),
        ("credentials", config.cluster.credentials.clone()),
        ("extensions", extensions),
    ];
    let named = files.into_iter();
    named.filter_map(|(key, file)| Some((key, file?))).collect()
}

/// Whether this is a file in the state folder itself, which goes where the store goes.
pub fn is_beside_store(config: &Config, path: &Path) -> bool {
    path.parent() == Some(state(config).path)
        && fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
}

/// Where the copy of a file that the settings name, or that lies beside them, is in a folder that is
/// made of a course.
pub fn copied_to(config: &Config, file: &Path) -> PathBuf {
    match file.strip_prefix(base(config)) {
        Ok(below) => below.to_owned(),
        Err(_) => Path::new(OUTSIDE).join(file.file_name().unwrap_or_default()),
    }
}

/// What the settings name outside of the course's folder, and where the copy of it is in `folder`.
pub fn elsewhere(config: &Config, folder: &Path) -> Vec<String> {
    let folders = folders(config).map(|one| (one.name, one.path.to_owned(), one.name.into()));
    let files = named_files(config).into_iter().map(|(key, path)| {
        let here = copied_to(config, &path);
        (key, path, here)
    });
    let named = folders.into_iter().chain(files);
    named
        .filter(|(_, path, _)| !path.starts_with(base(config)))
        .map(|(key, path, here)| {
            format!(
                "config.toml says {key} = {:?}: change that if another course uses it; what belongs there is {}",
                path.display().to_string(),
                folder.join(here).display()
            )
        })
        .collect()
}
