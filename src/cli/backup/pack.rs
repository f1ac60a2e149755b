//! Writes the archive.

use std::fs::{self, File, Metadata};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use rustix::fs::{Mode, OFlags};
use tempfile::NamedTempFile;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::contents::{
    CONFIG, COURSE, FILE_BYTES_MAX, OUTSIDE, PROBLEMS, STATE, SUBMISSIONS, base, is_of_course,
    manifest_name, named_files, store_name,
};
use crate::config::Config;
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
/// What is left out is kept by name up to this number.
const LEFT_OUT_MAX: usize = 1_000;

/// What went in.
pub struct Packed {
    pub files: usize,
    /// What did not, and why.
    pub left_out: Vec<String>,
    /// How much more did not.
    pub more_left_out: usize,
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
            more_left_out: 0,
        },
        target: target.clone(),
    };
    if let Some(store) = store {
        sweep(&config.folders.state);
        let copy = scratch_in(&config.folders.state)?;
        store.copy_to(copy.path())?;
        point("store copied");
        // Never without it, also where somebody has removed the copy: a student is forgotten now.
        let mut copy = copy.reopen()?;
        archive.begin(&store_name(), &copy.metadata()?)?;
        io::copy(&mut copy, &mut archive.writer)?;
    }
    archive.beside_config(config)?;
    archive.beside_store(&config.folders.state)?;
    let manifest = config.folders.staff.join(crate::import::MANIFEST_FILE);
    if manifest.is_file() {
        archive.add(&manifest, &manifest_name())?;
    }
    // Without these there is no course to go on with.
    fs::read_dir(&config.folders.problems)
        .with_context(|| format!("read {}", config.folders.problems.display()))?;
    archive.tree(&config.folders.problems, PROBLEMS, 0, None)?;
    archive.submissions(config)?;
    let Archive { writer, packed, .. } = archive;
    let scratch = writer.finish()?;
    scratch.as_file().sync_all()?;
    point("backup written");
    scratch.persist(&target)?;
    sync_name(&target)?;
    Ok(packed)
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
    writer: ZipWriter<NamedTempFile>,
    packed: Packed,
    /// Where the archive will be: it does not go into itself.
    target: PathBuf,
}

/// Files of which a student may have made anything at all.
struct OfStudents {
    /// The largest file, in bytes: what is larger was never a submission.
    bytes_max: u64,
    /// Names that may still be looked at in one student's folder.
    names_left: usize,
}

impl Archive {
    /// One file of the instructor's, also behind a link; what it has when it is read goes in,
    /// whatever its size was said to be.
    fn add(&mut self, path: &Path, name: &str) -> anyhow::Result<()> {
        let (mut file, metadata) = match open_regular(path, OFlags::empty()) {
            // Removed or made unreadable since the folder was listed.
            Err(error) => {
                self.leave_out(path, &error.to_string());
                return Ok(());
            }
            Ok(opened) => opened,
        };
        self.begin(name, &metadata)?;
        io::copy(&mut file, &mut self.writer)?;
        Ok(())
    }

    /// One file that a student has made, if it can be a submission.
    fn add_of_student(&mut self, path: &Path, name: &str, bytes_max: u64) -> anyhow::Result<()> {
        let read = open_regular(path, OFlags::NOFOLLOW)
            .and_then(|(file, metadata)| Ok((read_at_most(file, bytes_max)?, metadata)));
        match read {
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                self.leave_out(path, "it is larger than a submission may be");
            }
            Err(error) => self.leave_out(path, &error.to_string()),
            Ok((bytes, metadata)) => {
                self.begin(name, &metadata)?;
                self.writer.write_all(&bytes)?;
            }
        }
        Ok(())
    }

    fn begin(&mut self, name: &str, metadata: &Metadata) -> anyhow::Result<()> {
        anyhow::ensure!(
            self.packed.files < FILES_MAX,
            "there are more than {FILES_MAX} files"
        );
        self.writer.start_file(name, options(metadata))?;
        self.packed.files += 1;
        Ok(())
    }

    fn leave_out(&mut self, path: &Path, why: &str) {
        if self.packed.left_out.len() == LEFT_OUT_MAX {
            self.packed.more_left_out += 1;
            return;
        }
        let path = visible_line(&path.to_string_lossy());
        self.packed.left_out.push(format!("{path}: {why}"));
    }

    /// What an instructor keeps beside the configuration: course.toml, the roster, decisions.
    fn beside_config(&mut self, config: &Config) -> anyhow::Result<()> {
        let base = base(config);
        self.writer
            .add_directory(COURSE, options(&fs::metadata(&base)?))?;
        self.add(&config.file, &format!("{COURSE}/{CONFIG}"))?;
        let mut taken = vec![config.file.clone(), self.target.clone()];
        for path in sorted(&base, FILES_MAX)? {
            let Some(name) = own_name(&path) else {
                continue;
            };
            // A link beside the configuration is the instructor's, and stands for what it leads to.
            let metadata = match fs::metadata(&path) {
                Err(error) => {
                    self.leave_out(&path, &error.to_string());
                    continue;
                }
                Ok(metadata) => metadata,
            };
            if !metadata.is_file() || taken.contains(&path) || !is_of_course(&path) {
                continue;
            }
            if metadata.len() > FILE_BYTES_MAX {
                self.leave_out(&path, "it is too large for a file of a course");
            } else {
                self.add(&path, &format!("{COURSE}/{name}"))?;
            }
            taken.push(path);
        }
        self.elsewhere(config, &mut taken)
    }

    /// The files that the settings name and that lie elsewhere.
    fn elsewhere(&mut self, config: &Config, taken: &mut Vec<PathBuf>) -> anyhow::Result<()> {
        let base = base(config);
        let folders = [&config.folders.problems, &config.folders.submissions];
        let mut outside = Vec::new();
        for (_, path) in named_files(config) {
            let is_in = folders.iter().any(|folder| path.starts_with(folder));
            if is_in || taken.contains(&path) {
                continue;
            }
            let name = match path.strip_prefix(&base) {
                Ok(below) => format!("{COURSE}/{}", below.to_string_lossy()),
                Err(_) => format!("{OUTSIDE}/{}", own_name(&path).unwrap_or_default()),
            };
            if outside.contains(&name) {
                self.leave_out(&path, "another file outside of the course has this name");
                continue;
            }
            self.add(&path, &name)?;
            outside.push(name);
            taken.push(path);
        }
        Ok(())
    }

    /// What the state folder holds beside the store, such as the secrets of personal links.
    fn beside_store(&mut self, state: &Path) -> anyhow::Result<()> {
        if !state.is_dir() {
            return Ok(());
        }
        for path in sorted(state, FILES_MAX)? {
            let Some(name) = own_name(&path) else {
                continue;
            };
            let is_ours =
                name.starts_with(STORE_FILE) || ["lock", "trouble", ARCHIVING_FILE].contains(&name);
            let is_file = fs::symlink_metadata(&path).is_ok_and(|found| found.is_file());
            if !is_ours && is_file {
                self.add(&path, &format!("{STATE}/{name}"))?;
            }
        }
        Ok(())
    }

    /// Every student's files.
    fn submissions(&mut self, config: &Config) -> anyhow::Result<()> {
        let folder = &config.folders.submissions;
        let metadata = fs::metadata(folder)?;
        self.writer.add_directory(SUBMISSIONS, options(&metadata))?;
        for path in sorted(folder, FILES_MAX)? {
            let mut of_student = OfStudents {
                bytes_max: config.intake.source_bytes_max,
                names_left: OF_STUDENT_MAX,
            };
            self.entry(&path, SUBMISSIONS, 0, Some(&mut of_student))?;
        }
        Ok(())
    }

    /// A folder with everything in it. What cannot be read is left out: a student may close a
    /// folder, and an editor's file may be gone again.
    fn tree(
        &mut self,
        folder: &Path,
        name: &str,
        depth: usize,
        mut of_student: Option<&mut OfStudents>,
    ) -> anyhow::Result<()> {
        let most = of_student
            .as_ref()
            .map_or(FILES_MAX, |of| of.names_left + 1);
        let listed = fs::metadata(folder);
        let listed = listed.and_then(|metadata| Ok((metadata, sorted(folder, most)?)));
        let (metadata, paths) = match listed {
            Err(error) => {
                self.leave_out(folder, &error.to_string());
                return Ok(());
            }
            Ok(listed) => listed,
        };
        self.writer.add_directory(name, options(&metadata))?;
        for path in paths {
            if let Some(of_student) = &mut of_student {
                if of_student.names_left == 0 {
                    let why = format!("more than {OF_STUDENT_MAX} names in a student's folder");
                    self.leave_out(folder, &why);
                    break;
                }
                of_student.names_left -= 1;
            }
            self.entry(&path, name, depth, of_student.as_deref_mut())?;
        }
        Ok(())
    }

    fn entry(
        &mut self,
        path: &Path,
        above: &str,
        depth: usize,
        of_student: Option<&mut OfStudents>,
    ) -> anyhow::Result<()> {
        let Some(own) = own_name(path) else {
            if !is_scratch(path) {
                self.leave_out(path, "its name is not text");
            }
            return Ok(());
        };
        let name = format!("{above}/{own}");
        match (fs::symlink_metadata(path), of_student) {
            (Err(error), _) => self.leave_out(path, &error.to_string()),
            (Ok(found), Some(of_student)) if found.is_file() => {
                self.add_of_student(path, &name, of_student.bytes_max)?;
            }
            (Ok(found), None) if found.is_file() => self.add(path, &name)?,
            (Ok(found), of_student) if found.is_dir() && depth < DEPTH_MAX => {
                self.tree(path, &name, depth + 1, of_student)?;
            }
            (Ok(found), _) if found.is_symlink() => self.leave_out(path, "it is a link"),
            (Ok(_), _) => self.leave_out(path, "it is not a file"),
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
