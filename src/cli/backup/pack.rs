//! Writes the archive.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::contents::{
    CONFIG, COURSE, FILE_BYTES_MAX, OUTSIDE, PROBLEMS, STATE, SUBMISSIONS, base, is_of_course,
    manifest_name, store_name,
};
use crate::config::Config;
use crate::store::{Reader, STORE_FILE};
use crate::util::crash::point;
use crate::util::excerpt::visible_line;
use crate::util::files::{SCRATCH, sync_name};

/// How the names begin of what is not whole yet; the next backup removes what a killed one left.
const UNFINISHED: &str = ".verdictd-backup-";
/// Files of one backup.
const FILES_MAX: usize = 2_000_000;
/// Folders inside folders that are entered.
const DEPTH_MAX: usize = 32;

/// What went in.
pub struct Packed {
    pub files: usize,
    /// What did not, and why.
    pub left_out: Vec<String>,
}

/// Writes everything into `file`, which appears when it is complete.
pub fn pack(config: &Config, store: Option<&Reader>, file: &Path) -> anyhow::Result<Packed> {
    let target = std::path::absolute(file)?;
    let folder = target.parent().unwrap_or(Path::new("/"));
    sweep(folder);
    let mut archive = Archive {
        // Its permissions are 0600.
        writer: ZipWriter::new(scratch_in(folder)?).set_auto_large_file(),
        packed: Packed {
            files: 0,
            left_out: Vec::new(),
        },
        target: target.clone(),
    };
    if let Some(store) = store {
        sweep(&config.folders.state);
        let copy = scratch_in(&config.folders.state)?;
        store.copy_to(copy.path())?;
        point("store copied");
        archive.add(copy.path(), &store_name())?;
    }
    archive.beside_config(config)?;
    archive.beside_store(&config.folders.state)?;
    let manifest = config.folders.staff.join(crate::import::MANIFEST_FILE);
    if manifest.is_file() {
        archive.add(&manifest, &manifest_name())?;
    }
    archive.tree(&config.folders.problems, PROBLEMS, 0)?;
    archive.tree(&config.folders.submissions, SUBMISSIONS, 0)?;
    let Archive { writer, packed, .. } = archive;
    let scratch = writer.finish()?;
    scratch.as_file().sync_all()?;
    point("backup written");
    scratch.persist(&target)?;
    sync_name(&target)?;
    Ok(packed)
}

fn scratch_in(folder: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new()
        .prefix(UNFINISHED)
        .tempfile_in(folder)
}

fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            // One that stays does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

struct Archive {
    writer: ZipWriter<NamedTempFile>,
    packed: Packed,
    /// Where the archive will be: it does not go into itself.
    target: PathBuf,
}

impl Archive {
    /// One file; what it has when it is read goes in, whatever its size was said to be.
    fn add(&mut self, path: &Path, name: &str) -> anyhow::Result<()> {
        let mut file = match File::open(path) {
            // Removed or made unreadable since the folder was listed.
            Err(error) => {
                self.leave_out(path, &error.to_string());
                return Ok(());
            }
            Ok(file) => file,
        };
        anyhow::ensure!(
            self.packed.files < FILES_MAX,
            "there are more than {FILES_MAX} files"
        );
        self.writer.start_file(name, options(&file.metadata()?))?;
        io::copy(&mut file, &mut self.writer)?;
        self.packed.files += 1;
        Ok(())
    }

    fn leave_out(&mut self, path: &Path, why: &str) {
        let path = visible_line(&path.to_string_lossy());
        self.packed.left_out.push(format!("{path}: {why}"));
    }

    /// What an instructor keeps beside the configuration: course.toml, the roster, decisions.
    fn beside_config(&mut self, config: &Config) -> anyhow::Result<()> {
        let base = base(config);
        self.writer
            .add_directory(COURSE, options(&fs::metadata(&base)?))?;
        self.add(&config.file, &format!("{COURSE}/{CONFIG}"))?;
        for path in sorted(&base)? {
            let metadata = fs::symlink_metadata(&path)?;
            let is_known = path == config.file || path == self.target;
            if !metadata.is_file() || is_known || !is_of_course(&path) {
                continue;
            }
            let Some(name) = own_name(&path) else {
                continue;
            };
            if metadata.len() > FILE_BYTES_MAX {
                self.leave_out(&path, "it is too large for a file of a course");
            } else {
                self.add(&path, &format!("{COURSE}/{name}"))?;
            }
        }
        let named = [&config.overview.roster, &config.web.staff_token_file];
        for path in named.into_iter().flatten() {
            // What lies directly beside the configuration is in already.
            if path.parent() == Some(&base) && !fs::symlink_metadata(path)?.is_symlink() {
                continue;
            }
            let name = match path.strip_prefix(&base) {
                Ok(below) => format!("{COURSE}/{}", below.to_string_lossy()),
                Err(_) => format!("{OUTSIDE}/{}", own_name(path).unwrap_or_default()),
            };
            self.add(path, &name)?;
        }
        Ok(())
    }

    /// What the state folder holds beside the store, such as the secrets of personal links.
    fn beside_store(&mut self, state: &Path) -> anyhow::Result<()> {
        if !state.is_dir() {
            return Ok(());
        }
        for path in sorted(state)? {
            let Some(name) = own_name(&path) else {
                continue;
            };
            let is_ours = name.starts_with(STORE_FILE) || name == "lock" || name == "trouble";
            if !is_ours && fs::symlink_metadata(&path)?.is_file() {
                self.add(&path, &format!("{STATE}/{name}"))?;
            }
        }
        Ok(())
    }

    fn tree(&mut self, folder: &Path, name: &str, depth: usize) -> anyhow::Result<()> {
        let metadata = fs::metadata(folder)?;
        self.writer.add_directory(name, options(&metadata))?;
        for path in sorted(folder)? {
            let Some(own) = own_name(&path) else {
                if !is_scratch(&path) {
                    self.leave_out(&path, "its name is not text");
                }
                continue;
            };
            let name = format!("{name}/{own}");
            let kind = fs::symlink_metadata(&path)?.file_type();
            if kind.is_file() {
                self.add(&path, &name)?;
            } else if kind.is_dir() && depth < DEPTH_MAX {
                self.tree(&path, &name, depth + 1)?;
            } else if kind.is_symlink() {
                self.leave_out(&path, "it is a link");
            } else if kind.is_fifo() || kind.is_socket() || kind.is_dir() {
                self.leave_out(&path, "it is not a file");
            }
        }
        Ok(())
    }
}

fn options(metadata: &fs::Metadata) -> SimpleFileOptions {
    let mode = metadata.permissions().mode() & 0o777;
    let options = SimpleFileOptions::default().unix_permissions(mode);
    options.large_file(metadata.size() > u64::from(u32::MAX) / 2)
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.take(FILES_MAX);
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    paths.sort();
    Ok(paths)
}

fn is_scratch(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.as_encoded_bytes().starts_with(SCRATCH.as_bytes())
}

/// A file's name, where it is text and not one of what is half written.
fn own_name(path: &Path) -> Option<&str> {
    path.file_name()?.to_str().filter(|_| !is_scratch(path))
}
