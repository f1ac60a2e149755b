//! Writes the archive.

use std::collections::HashSet;
use std::fs::{self, File, Metadata};
use std::io::{self, Cursor, Read};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use rustix::fs::{Mode, OFlags};
use tempfile::NamedTempFile;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::contents::{
    COURSE, FILE_BYTES_MAX, OUTSIDE, base, is_beside_store, named_files, problems, staff, state,
    submissions,
};
use crate::cli::new_folder::CONFIG;
use crate::cli::prelude::Out;
use crate::config::Config;
use crate::lms::MANIFEST_FILE;
use crate::store::{ARCHIVING_FILE, Reader, STORE_FILE};
use crate::util::crash::point;
use crate::util::excerpt::visible_line;
use crate::util::files::{SCRATCH, read_at_most, sync_name};

/// How the names begin of what is not whole yet; the next backup removes what a killed one left.
const UNFINISHED: &str = ".verdictd-backup-";
/// Files of one backup.
const FILES_MAX: usize = 2_000_000;
/// Folders inside folders that are entered.
const DEPTH_MAX: usize = 32;
/// Names that are looked at in one student's folder: no student can make a backup of all the others
/// too large to be read.
const OF_STUDENT_MAX: usize = 25_000;
/// What is left out is named up to this number.
const NAMED_MAX: usize = 10;

/// What did not go in.
#[derive(Default)]
pub struct LeftOut {
    /// The first ones, each with its reason.
    named: Vec<String>,
    more: usize,
    /// The first one that is there and could not be read.
    unread: Option<String>,
}

impl LeftOut {
    /// The first one that is there and could not be read, with the reason.
    pub fn unread(&self) -> Option<&str> {
        self.unread.as_deref()
    }

    fn fail(&mut self, path: &Path, error: &io::Error) {
        let reason = error.to_string();
        self.add(path, &reason);
        let path = visible_line(&path.to_string_lossy());
        self.unread
            .get_or_insert_with(|| format!("{path}: {reason}"));
    }

    fn add(&mut self, path: &Path, why: &str) {
        if self.named.len() == NAMED_MAX {
            self.more += 1;
            return;
        }
        let path = visible_line(&path.to_string_lossy());
        self.named.push(format!("{path}: {why}"));
    }

    pub fn tell(&self, out: &mut Out) {
        for one in &self.named {
            out.note(&format!("left out: {one}"));
        }
        if self.more > 0 {
            out.note(&format!("left out: {} more", self.more));
        }
    }
}

/// Writes everything into `file`, which appears when it is complete. How many files went in, and
/// what did not.
pub fn backup(
    config: &Config,
    store: Option<&Reader>,
    file: &Path,
) -> anyhow::Result<(usize, LeftOut)> {
    let target = std::path::absolute(file)?;
    let folder = target.parent().unwrap_or(Path::new("/"));
    sweep(folder);
    // Its permissions are 0600.
    let scratch = scratch_in(folder)?;
    let mut archive = Archive::new(scratch.as_file().try_clone()?);
    if let Some(store) = store {
        archive.store(store, config)?;
    }
    archive.settings(config, &target)?;
    archive.beside_store(config)?;
    archive.submissions(config)?;
    archive.writer.finish()?.sync_all()?;
    point("backup written");
    scratch.persist(&target)?;
    sync_name(&target)?;
    Ok((archive.files, archive.left_out))
}

/// Writes the settings and the problems, and nothing that says who is in the course's store.
pub fn settings(config: &Config, file: File) -> anyhow::Result<LeftOut> {
    let mut archive = Archive::new(file);
    archive.settings(config, &config.file)?;
    archive.writer.finish()?;
    Ok(archive.left_out)
}

/// A file that is locked while it is written: other courses may have their backups made beside it.
fn scratch_in(folder: &Path) -> io::Result<NamedTempFile> {
    let scratch = tempfile::Builder::new()
        .prefix(UNFINISHED)
        .tempfile_in(folder)?;
    // A disk without locks is good enough: there nothing is ever taken for left over.
    let _ = scratch.as_file().lock();
    Ok(scratch)
}

/// Removes what backups that were killed have left.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_unfinished = || entry.file_name().to_string_lossy().starts_with(UNFINISHED);
        let is_left = |(file, _): (File, Metadata)| file.try_lock().is_ok();
        if is_unfinished() && open_regular(&entry.path(), OFlags::NOFOLLOW).is_ok_and(is_left) {
            // One that stays does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

struct Archive {
    writer: ZipWriter<File>,
    files: usize,
    left_out: LeftOut,
    /// Whose folder is written, if it is a student's.
    of_student: Option<OfStudent>,
}

/// A student's folder, in which there may be anything at all.
struct OfStudent {
    /// The largest file, in bytes: what is larger was never a submission.
    bytes_max: u64,
    /// Names that may still be looked at.
    names_left: usize,
}

impl Archive {
    fn new(file: File) -> Self {
        Self {
            writer: ZipWriter::new(file).set_auto_large_file(),
            files: 0,
            left_out: LeftOut::default(),
            of_student: None,
        }
    }

    fn store(&mut self, store: &Reader, config: &Config) -> anyhow::Result<()> {
        let state = state(config);
        sweep(state.path);
        let copy = scratch_in(state.path)?;
        store.copy_to(copy.path())?;
        point("store copied");
        // Never without it, also where somebody has removed the copy: a student is forgotten now.
        let mut copy = copy.reopen()?;
        self.begin(&format!("{}/{STORE_FILE}", state.name), &copy.metadata()?)?;
        io::copy(&mut copy, &mut self.writer)?;
        Ok(())
    }

    /// What an instructor keeps beside the configuration (course.toml, the roster, decisions), the
    /// files that the settings name, and the problems. An archive does not go into itself.
    fn settings(&mut self, config: &Config, archive: &Path) -> anyhow::Result<()> {
        let base = base(config);
        self.writer
            .add_directory(COURSE, options(&fs::metadata(base)?))?;
        self.add(&config.file, &format!("{COURSE}/{CONFIG}"), None)?;
        let mut taken = HashSet::from([config.file.clone(), archive.to_owned()]);
        for path in sorted(base, FILES_MAX)? {
            let is_archive = path.extension().is_some_and(|ending| ending == "zip");
            if is_archive || path.is_dir() || !taken.insert(path.clone()) {
                continue;
            }
            let Some(name) = self.name_of(&path) else {
                continue;
            };
            // A link beside the configuration is the instructor's, and stands for what it leads to.
            if fs::metadata(&path).is_ok_and(|found| found.len() > FILE_BYTES_MAX) {
                self.left_out
                    .add(&path, "it is too large for a file of a course");
            } else {
                self.add(&path, &format!("{COURSE}/{name}"), None)?;
            }
        }
        let mut names = HashSet::new();
        for (_, path) in named_files(config) {
            let packed = [problems(config).path, submissions(config).path];
            let is_in = packed.iter().any(|folder| path.starts_with(folder));
            if is_in || is_beside_store(config, &path) || !taken.insert(path.clone()) {
                continue;
            }
            let Some(own) = self.name_of(&path) else {
                continue;
            };
            let name = match path.strip_prefix(base) {
                Ok(below) => format!("{COURSE}/{}", below.to_string_lossy()),
                Err(_) => format!("{OUTSIDE}/{own}"),
            };
            if names.insert(name.clone()) {
                self.add(&path, &name, None)?;
            } else {
                let why = "another file outside of the course has this name";
                self.left_out.add(&path, why);
            }
        }
        let problems = problems(config);
        // Without these there is no course to go on with.
        fs::read_dir(problems.path).with_context(|| format!("read {}", problems.path.display()))?;
        self.tree(problems.path, problems.name, 0)
    }

    /// What the state folder holds beside the store, such as the secrets of personal links, and the
    /// list of imports.
    fn beside_store(&mut self, config: &Config) -> anyhow::Result<()> {
        let (state, staff) = (state(config), staff(config));
        let manifest = staff.path.join(MANIFEST_FILE);
        if manifest.is_file() {
            self.add(&manifest, &format!("{}/{MANIFEST_FILE}", staff.name), None)?;
        }
        for path in files_in(state.path)? {
            let Some(name) = own_name(&path) else {
                continue;
            };
            let is_ours =
                name.starts_with(STORE_FILE) || ["lock", "trouble", ARCHIVING_FILE].contains(&name);
            if !is_ours && is_beside_store(config, &path) {
                self.add(&path, &format!("{}/{name}", state.name), None)?;
            }
        }
        Ok(())
    }

    /// Every student's files.
    fn submissions(&mut self, config: &Config) -> anyhow::Result<()> {
        let folder = submissions(config);
        let metadata = fs::metadata(folder.path)?;
        self.writer.add_directory(folder.name, options(&metadata))?;
        for path in sorted(folder.path, FILES_MAX)? {
            self.of_student = Some(OfStudent {
                bytes_max: config.intake.source_bytes_max,
                names_left: OF_STUDENT_MAX,
            });
            self.entry(&path, folder.name, 0)?;
        }
        self.of_student = None;
        Ok(())
    }

    /// One file: what it has when it is read goes in, whatever its size was said to be. An
    /// instructor's may be behind a link; one that a student has made is never larger than this.
    fn add(&mut self, path: &Path, name: &str, bytes_max: Option<u64>) -> anyhow::Result<()> {
        let flags = bytes_max.map_or(OFlags::empty(), |_| OFlags::NOFOLLOW);
        let read = open_regular(path, flags).and_then(|(file, metadata)| {
            let content: Box<dyn Read> = match bytes_max {
                Some(bytes_max) => Box::new(Cursor::new(read_at_most(file, bytes_max)?)),
                None => Box::new(file),
            };
            Ok((content, metadata))
        });
        match read {
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                self.left_out
                    .add(path, "it is larger than a submission may be");
            }
            // Also one that was removed or made unreadable since the folder was listed.
            Err(error) => self.left_out.fail(path, &error),
            Ok((mut content, metadata)) => {
                self.begin(name, &metadata)?;
                io::copy(&mut content, &mut self.writer)?;
            }
        }
        Ok(())
    }

    /// The name under which a file goes in. One that is not text is left out; what is half written
    /// is passed over.
    fn name_of<'p>(&mut self, path: &'p Path) -> Option<&'p str> {
        let name = own_name(path);
        if name.is_none() && !is_scratch(path) {
            self.left_out.add(path, "its name is not text");
        }
        name
    }

    fn begin(&mut self, name: &str, metadata: &Metadata) -> anyhow::Result<()> {
        anyhow::ensure!(
            self.files < FILES_MAX,
            "there are more than {FILES_MAX} files"
        );
        self.writer.start_file(name, options(metadata))?;
        self.files += 1;
        Ok(())
    }

    /// A folder with everything in it. What cannot be read is left out: a student may close a
    /// folder, and an editor's file may be gone again.
    fn tree(&mut self, folder: &Path, name: &str, depth: usize) -> anyhow::Result<()> {
        let left = self.of_student.as_ref().map(|of| of.names_left);
        let most = left.map_or(FILES_MAX, |left| left + 1);
        let listed = fs::metadata(folder);
        let listed = listed.and_then(|metadata| Ok((metadata, sorted(folder, most)?)));
        let (metadata, paths) = match listed {
            Err(error) => {
                self.left_out.fail(folder, &error);
                return Ok(());
            }
            Ok(listed) => listed,
        };
        self.writer.add_directory(name, options(&metadata))?;
        for path in paths {
            if let Some(of_student) = &mut self.of_student {
                if of_student.names_left == 0 {
                    let why = format!("more than {OF_STUDENT_MAX} names in a student's folder");
                    self.left_out.add(folder, &why);
                    break;
                }
                of_student.names_left -= 1;
            }
            self.entry(&path, name, depth)?;
        }
        Ok(())
    }

    fn entry(&mut self, path: &Path, above: &str, depth: usize) -> anyhow::Result<()> {
        let Some(own) = self.name_of(path) else {
            return Ok(());
        };
        let name = format!("{above}/{own}");
        let bytes_max = self.of_student.as_ref().map(|of| of.bytes_max);
        match fs::symlink_metadata(path) {
            Err(error) => self.left_out.fail(path, &error),
            Ok(found) if found.is_file() => self.add(path, &name, bytes_max)?,
            Ok(found) if found.is_dir() && depth < DEPTH_MAX => {
                self.tree(path, &name, depth + 1)?;
            }
            Ok(found) if found.is_symlink() => self.left_out.add(path, "it is a link"),
            Ok(_) => self.left_out.add(path, "it is not a file"),
        }
        Ok(())
    }
}

/// Opens a file to read it. A pipe is never waited for.
fn open_regular(path: &Path, how: OFlags) -> io::Result<(File, Metadata)> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | how;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let metadata = file.metadata()?;
    if metadata.is_file() {
        Ok((file, metadata))
    } else {
        Err(io::Error::other("it is not a file"))
    }
}

fn options(metadata: &Metadata) -> SimpleFileOptions {
    let mode = metadata.permissions().mode() & 0o777;
    let options = SimpleFileOptions::default().unix_permissions(mode);
    options.large_file(metadata.size() > u64::from(u32::MAX) / 2)
}

fn sorted(folder: &Path, most: usize) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.take(most);
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    paths.sort();
    Ok(paths)
}

/// The names in a folder, in order; none where there is no folder.
pub fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match sorted(folder, FILES_MAX) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        found => found,
    }
}

fn is_scratch(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.as_encoded_bytes().starts_with(SCRATCH.as_bytes())
}

/// A file's name, where it is text and not one of what is half written.
fn own_name(path: &Path) -> Option<&str> {
    path.file_name()?.to_str().filter(|_| !is_scratch(path))
}

#[cfg(test)]
mod tests {
    use super::{scratch_in, sweep};

    #[test]
    fn a_backup_that_is_being_made_is_left_and_one_that_was_killed_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let ours = scratch_in(folder.path()).unwrap();
        let (_, killed) = scratch_in(folder.path()).unwrap().keep().unwrap();
        sweep(folder.path());
        assert!(ours.path().exists(), "of another course in the same folder");
        assert!(!killed.exists());
        ours.persist(folder.path().join("course.zip")).unwrap();
    }
}
