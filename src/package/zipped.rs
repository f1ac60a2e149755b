//! Packages that lie in the folder of problems as zip files: each is unpacked into a hidden folder
//! beside it and read there.
//!
//! That folder is whole or not there, and says of which zip file it is: where that is another one by
//! now, it is unpacked again. A package's hacks lie in `problems/NAME/hacks`, zipped or not.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fmt::Display;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::error::Trouble;
use super::format::{MANIFESTS, format_of};
use super::strangers::another_format;
use super::tree::{HACKS_FOLDER, with_facts};
use crate::domain::bounds::{PROBLEMS_MAX, TEST_FILE_BYTES_MAX};
use crate::domain::{Complaint, Fault, ProblemSlug};
use crate::util::archive::{Entry, ReadError, Source};
use crate::util::excerpt::visible_line;
use crate::util::files::{
    SCRATCH, is_same, is_unwritable, mode_below, read_regular, replace_unsynced, sync_file_systems,
};
use crate::util::hash::Key;

/// The endings of zipped packages; the first that is there counts.
const ENDINGS: [&str; 2] = ["zip", "kpp"];
/// All files of a package, unpacked, in bytes: published ones have at most some hundred MiB.
const BYTES_MAX: u64 = 2 << 30;
/// Where a link leads, in bytes.
const TARGET_BYTES_MAX: u64 = 4_096;
/// The file that says of which zip file a folder is; version control passes over the folder.
const MARK: &str = ".gitignore";
const MARK_BEGIN: &str = "# Unpacked by verdictd, which removes it when the zip file is gone.";
const MARK_BYTES_MAX: u64 = 1_024;
/// Names of the folder of problems that are looked at for what is left over.
const SWEPT_MAX: usize = 10 * PROBLEMS_MAX;
const ANEW: &str = "zip the package anew, or put its folder here in place of the zip file";
const NO_PACKAGE: &str = "neither at its top nor in a folder that is all of it is there a problem.toml \
                          or a problem.yaml, so it is no problem: zip a package, or put the file \
                          elsewhere";

/// The name of the package that a zip file of this name holds.
pub fn stem(name: &str) -> Option<&str> {
    let (stem, ending) = name.rsplit_once('.')?;
    ENDINGS.contains(&ending).then_some(stem)
}

/// The folder that a package is read from, which may not be there yet.
pub fn folder_of(problems: &Path, slug: &ProblemSlug) -> PathBuf {
    Home::of(problems, slug).root
}

/// Where a package lies.
#[derive(Debug, Clone)]
pub(super) struct Home {
    /// The folder that it is read from.
    pub root: PathBuf,
    /// The zip file that this is unpacked from, if it is.
    pub zip: Option<PathBuf>,
    /// The folder of its hacks.
    pub hacks: PathBuf,
}

impl Home {
    /// A folder of this name counts if it is a package, then a zip file.
    pub fn of(problems: &Path, slug: &ProblemSlug) -> Self {
        let root = problems.join(slug.as_str());
        let hacks = root.join(HACKS_FOLDER);
        let zips = ENDINGS.map(|ending| (format!("{slug}.{ending}"), ending));
        let zip = zips
            .into_iter()
            .find(|(name, _)| problems.join(name).is_file());
        match zip.filter(|_| format_of(&root).is_none()) {
            None => Self {
                root,
                zip: None,
                hacks,
            },
            Some((name, _)) => Self {
                root: problems.join(format!("{SCRATCH}{name}")),
                zip: Some(problems.join(name)),
                hacks,
            },
        }
    }

    /// The file or folder that people know.
    pub fn shown(&self) -> &Path {
        self.zip.as_ref().unwrap_or(&self.root)
    }

    /// Unpacks the package, if it is zipped and not unpacked yet.
    pub fn unpack(&self) -> Result<(), Trouble> {
        let Some(zip) = &self.zip else {
            return Ok(());
        };
        let root = &self.root;
        let mark = mark_of(zip).map_err(|error| Trouble::unread(zip, error))?;
        let is_there = || is_same(&root.join(MARK), mark.as_bytes());
        if is_there() {
            return Ok(());
        }
        let mut contents = Contents::open(zip)?;
        let failed = |error| unwritten(zip, root, &error);
        let scratch = tempfile::Builder::new()
            .prefix(SCRATCH)
            .permissions(Permissions::from_mode(mode_below(root).map_err(failed)?))
            .tempdir_in(root.parent().unwrap_or(root))
            .map_err(failed)?;
        let folder = scratch.path();
        // First, so that it is known for ours; nothing is believed before it has its name.
        replace_unsynced(&folder.join(MARK), mark.as_bytes()).map_err(failed)?;
        contents.write(folder, &failed)?;
        sync_file_systems([folder]).map_err(failed)?;
        // Somebody else may have unpacked it meanwhile, and read it there.
        if !is_there() && renameat_with(CWD, folder, CWD, root, RenameFlags::EXCHANGE).is_err() {
            // There is none yet, or the file system cannot exchange two.
            let _ = fs::remove_dir_all(root);
            fs::rename(folder, root).map_err(failed)?;
        }
        Ok(())
    }
}

fn unwritten(zip: &Path, root: &Path, error: &io::Error) -> Trouble {
    let into = root.display();
    if !is_unwritable(error) {
        return Fault::new(format!("unpack {} into {into}", zip.display()), error).into();
    }
    let reason = format!("it cannot be unpacked into {into}: {error}");
    let help = "let the daemon's user write there, or put the package's folder here in place of the zip \
                file";
    Complaint::new(zip, reason).with_help(help).into()
}

/// What the mark of a folder says that is unpacked from a zip file as this one is now.
fn mark_of(zip: &Path) -> io::Result<String> {
    let key = with_facts(Key::new("zipped package"), &fs::metadata(zip)?);
    Ok(format!("{MARK_BEGIN}\n# {}\n*\n", key.finish()))
}

/// Removes the folders whose zip file is gone, and what a sudden end has left half unpacked.
pub fn sweep(problems: &Path) {
    let entries = fs::read_dir(problems).into_iter().flatten().flatten();
    for entry in entries.take(SWEPT_MAX) {
        let name = entry.file_name();
        let zip = name.to_str().and_then(|name| name.strip_prefix(SCRATCH));
        let mark = read_regular(&entry.path().join(MARK), MARK_BYTES_MAX).unwrap_or_default();
        if mark.starts_with(MARK_BEGIN.as_bytes())
            && zip.is_some_and(|zip| !problems.join(zip).exists())
        {
            // A folder that stays does no harm; the next sweep tries again.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// What a zip file holds of a package.
struct Contents<'z> {
    zip: &'z Path,
    source: Source,
    /// Each entry's number, and its path in the package.
    files: Vec<(usize, String)>,
}

impl<'z> Contents<'z> {
    /// Lists a zip file.
    fn open(zip: &'z Path) -> Result<Self, Complaint> {
        let source = Source::with_links(zip).map_err(|complaint| complaint.with_help(ANEW))?;
        let entries = source.entries().iter().enumerate();
        let entries: Vec<_> = entries.filter(|(_, entry)| !entry.is_noise()).collect();
        let mut refused = entries.iter().map(|(_, entry)| (entry, entry.refused));
        if let Some((entry, Some(why))) = refused.find(|(_, why)| why.is_some()) {
            return Err(complaint(zip, &entry.path, why));
        }
        let outer = outer(&entries, &source).map_err(|reason| Complaint::new(zip, reason))?;
        let (mut paths, mut files) = (HashSet::new(), Vec::new());
        for (number, entry) in &entries {
            let path = &entry.path[outer.len()..];
            let mut above = path.match_indices('/').map(|(at, _)| &path[..at]);
            if !paths.insert(path) || above.any(|above| paths.contains(above)) {
                return Err(complaint(zip, path, "two entries have this name"));
            }
            if path.split('/').next() == Some(HACKS_FOLDER) {
                let hacks = zip.with_extension("").join(HACKS_FOLDER);
                let help = format!(
                    "put them into {}, or put the package's folder here in place of the zip file",
                    hacks.display()
                );
                let reason = "hacks are not read from a zip file";
                return Err(complaint(zip, path, reason).with_help(help));
            }
            if path != MARK {
                files.push((*number, path.to_owned()));
            }
        }
        Ok(Self { zip, files, source })
    }

    /// Writes everything into a folder; `failed` says that it cannot be written to.
    fn write(
        &mut self,
        folder: &Path,
        failed: &dyn Fn(io::Error) -> Trouble,
    ) -> Result<(), Trouble> {
        let (mut left, mut links) = (BYTES_MAX, Vec::new());
        for (number, path) in &self.files {
            let wrong = |reason: &dyn Display| Trouble::from(complaint(self.zip, path, reason));
            let is_link = self.source.entries()[*number].is_link;
            let most = if is_link {
                TARGET_BYTES_MAX
            } else {
                TEST_FILE_BYTES_MAX
            };
            let most = most.min(left);
            let bytes = self.source.read(*number, most);
            let bytes = bytes.map_err(|error| match error {
                ReadError::TooLarge { .. } if most == left => wrong(&format!(
                    "with it, the files are larger than {} GiB",
                    BYTES_MAX >> 30
                )),
                error => wrong(&error),
            })?;
            left -= bytes.len() as u64;
            if is_link {
                links.push((path, bytes));
                continue;
            }
            let written = replace_unsynced(&folder.join(path), &bytes);
            written.map_err(|error| match error.kind() {
                io::ErrorKind::InvalidFilename => wrong(&error),
                _ => failed(error),
            })?;
        }
        // Last, so that nothing is written through one.
        for (path, target) in &links {
            let file = folder.join(path);
            let made = fs::create_dir_all(file.parent().unwrap_or(folder));
            made.map_err(failed)?;
            // What is no path leads nowhere.
            let _ = symlink(OsStr::from_bytes(target), file);
        }
        let inside = folder.canonicalize().map_err(failed)?;
        let is_inside = |path: &str| {
            let real = folder.join(path).canonicalize();
            real.is_ok_and(|real| real.starts_with(&inside))
        };
        match links.iter().find(|(path, _)| !is_inside(path)) {
            None => Ok(()),
            Some((path, target)) => {
                let target = visible_line(&String::from_utf8_lossy(target));
                let reason = format!("it is a link to `{target}`, which is not in the package");
                Err(complaint(self.zip, path, reason).into())
            }
        }
    }
}

/// What is wrong with a file in a zip file.
fn complaint(zip: &Path, path: &str, reason: impl Display) -> Complaint {
    Complaint::new(zip.join(visible_line(path)), reason).with_help(ANEW)
}

/// What stands before the paths of the package in a zip file: nothing, or the one folder there.
fn outer<'e>(entries: &[(usize, &'e Entry)], source: &Source) -> Result<&'e str, String> {
    let first = entries.first().map_or("", |(_, entry)| &entry.path);
    let folder = &first[..first.find('/').map_or(0, |at| at + 1)];
    let has = |outer: &str, name: &str| source.find(&format!("{outer}{name}")).is_some();
    let is_all = |outer: &str| {
        entries
            .iter()
            .all(|(_, entry)| entry.path.starts_with(outer))
    };
    let is_package =
        |outer: &str| MANIFESTS.iter().any(|(name, _)| has(outer, name)) && is_all(outer);
    let mut outers = ["", folder].into_iter();
    outers
        .clone()
        .find(|outer| is_package(outer))
        .ok_or_else(|| {
            let other = outers.find_map(|outer| another_format(|name| has(outer, name)));
            other.unwrap_or_else(|| NO_PACKAGE.to_owned())
        })
}
