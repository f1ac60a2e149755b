//! Packages that lie in the folder of problems as zip files: each is unpacked into a hidden folder
//! beside it and read there.
//!
//! That folder is whole or not there, and says of which zip file it is: where that is another one
//! by now, it is unpacked again. A package's hacks lie in `problems/NAME/hacks`, zipped or not.

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
use super::format::{MANIFESTS, another_format, format_of};
use super::tree::{HACKS_FOLDER, Named, Tree, with_facts};
use crate::domain::bounds::{PROBLEMS_MAX, TEST_FILE_BYTES_MAX};
use crate::domain::{Complaint, Digest, Fault, ProblemSlug};
use crate::util::archive::Source;
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
const TOO_LONG: &str = "its name, or that of a folder above it, is too long for a file here";
const NO_PACKAGE: &str = "neither at its top nor in a folder that is all of it is there a problem.toml \
                          or a problem.yaml, so it is no problem: zip a package, or put the file \
                          elsewhere";

/// The name of the package that a zip file of this name holds.
pub fn stem(name: &str) -> Option<&str> {
    let (stem, ending) = name.rsplit_once('.')?;
    ENDINGS.contains(&ending).then_some(stem)
}

/// What has the name of a package already, be it one or not.
pub fn taken(problems: &Path, slug: &ProblemSlug) -> Option<PathBuf> {
    let zips = ENDINGS.iter().map(|ending| format!("{slug}.{ending}"));
    let names = std::iter::once(slug.to_string()).chain(zips);
    let mut paths = names.map(|name| problems.join(name));
    paths.find(|path| path.symlink_metadata().is_ok())
}

/// What a package is called that is read from a folder.
pub fn name_of(root: &Path) -> String {
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    let zipped = name.strip_prefix(SCRATCH).and_then(stem);
    zipped.unwrap_or(&name).to_owned()
}

/// Where a package lies.
pub struct Home {
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
        let mut zips = ENDINGS.iter().map(|ending| format!("{slug}.{ending}"));
        let zip = zips.find(|name| problems.join(name).is_file());
        let zip = zip.filter(|_| format_of(&root).is_none());
        let unpacked = zip.as_ref().map(|name| format!("{SCRATCH}{name}"));
        Self {
            root: unpacked.map_or(root, |name| problems.join(name)),
            zip: zip.map(|name| problems.join(name)),
            hacks,
        }
    }

    /// The file or folder that people know.
    pub fn shown(&self) -> &Path {
        self.zip.as_ref().unwrap_or(&self.root)
    }

    /// Of a zip file, what tells it and its hacks from others, whether it is unpacked or not.
    pub(super) fn fingerprint(&self) -> Option<Digest> {
        let (key, mut hacks) = (key_of(self.zip.as_ref()?), Tree::default());
        // Why they cannot be read, if so, whoever reads the package says.
        let _ = hacks.add(&self.hacks, HACKS_FOLDER, &Named::default());
        Some(hacks.fingerprint(key))
    }

    /// Unpacks its zip file, if that is not unpacked yet.
    pub(super) fn unpack(&self, zip: &Path) -> Result<(), Trouble> {
        let root = &self.root;
        let mark = format!("{MARK_BEGIN}\n# {}\n*\n", key_of(zip).finish());
        let is_there = || is_same(&root.join(MARK), mark.as_bytes());
        if is_there() {
            return Ok(());
        }
        let mut source = Source::with_links(zip).map_err(|complaint| complaint.with_help(ANEW))?;
        let files = files_of(&source, zip)?;
        let failed = |error| unwritten(zip, root, &error);
        let mode = Permissions::from_mode(mode_below(root).map_err(failed)?);
        let mut scratch = tempfile::Builder::new();
        let scratch = scratch.prefix(SCRATCH).permissions(mode);
        let scratch = scratch.tempdir_in(root.parent().unwrap_or(root));
        let scratch = scratch.map_err(failed)?;
        let folder = scratch.path();
        // First, so that it is known for ours; nothing is believed before it has its name.
        replace_unsynced(&folder.join(MARK), mark.as_bytes()).map_err(failed)?;
        write((&mut source, &files), zip, folder, &failed)?;
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

/// What tells a zip file from one that was written later.
fn key_of(zip: &Path) -> Key {
    let facts = fs::metadata(zip);
    facts.iter().fold(Key::new("zipped"), with_facts)
}

fn unwritten(zip: &Path, root: &Path, error: &io::Error) -> Trouble {
    let reason = format!("it cannot be unpacked into {}: {error}", root.display());
    if !is_unwritable(error) {
        return Fault::new(format!("read {}", zip.display()), reason).into();
    }
    let help = "let the daemon's user write there, or put its folder here in place of the zip file";
    Complaint::new(zip, reason).with_help(help).into()
}

/// Removes the folders whose zip file is gone, and what a sudden end has left half unpacked.
pub fn sweep(problems: &Path) {
    let entries = fs::read_dir(problems).into_iter().flatten().flatten();
    for entry in entries.take(SWEPT_MAX) {
        let name = entry.file_name();
        let zip = name.to_str().and_then(|name| name.strip_prefix(SCRATCH));
        let is_gone = zip.is_some_and(|zip| !problems.join(zip).exists());
        let mark = read_regular(&entry.path().join(MARK), MARK_BYTES_MAX);
        if is_gone && mark.is_ok_and(|mark| mark.starts_with(MARK_BEGIN.as_bytes())) {
            // A folder that stays does no harm; the next sweep tries again.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// What is wrong with a file in a zip file.
fn complaint(zip: &Path, path: &str, reason: impl Display) -> Complaint {
    Complaint::new(zip.join(visible_line(path)), reason).with_help(ANEW)
}

/// The files of the package in a zip file, each with its number there and its path in the package.
fn files_of(source: &Source, zip: &Path) -> Result<Vec<(usize, String)>, Complaint> {
    let entries = source.entries().iter().enumerate();
    let entries: Vec<_> = entries.filter(|(_, entry)| !entry.is_noise()).collect();
    let mut refused = entries.iter().map(|(_, entry)| (entry, entry.refused));
    if let Some((entry, Some(why))) = refused.find(|(_, why)| why.is_some()) {
        return Err(complaint(zip, &entry.path, why));
    }
    // Its own folder, which is all that there is, or else the top.
    let first = entries.first().map_or("", |(_, entry)| &entry.path);
    let folder = &first[..first.find('/').map_or(0, |at| at + 1)];
    let is_all = entries
        .iter()
        .all(|(_, entry)| entry.path.starts_with(folder));
    let outer = if is_all { folder } else { "" };
    let has = |name: &str| source.find(&format!("{outer}{name}")).is_some();
    if !MANIFESTS.iter().any(|(name, _)| has(name)) {
        let reason = another_format(has).unwrap_or_else(|| NO_PACKAGE.to_owned());
        return Err(Complaint::new(zip, reason));
    }
    let (mut paths, mut files) = (HashSet::new(), Vec::new());
    for (number, entry) in &entries {
        let path = &entry.path[outer.len()..];
        let mut above = path.match_indices('/').map(|(at, _)| &path[..at]);
        if !paths.insert(path) || above.any(|above| paths.contains(above)) {
            return Err(complaint(zip, path, "two entries have this name"));
        }
        if path.split('/').next() == Some(HACKS_FOLDER) {
            let hacks = zip.with_extension("").join(HACKS_FOLDER);
            let reason = format!("hacks lie in {}, and in no zip file", hacks.display());
            return Err(complaint(zip, path, reason));
        }
        if path != MARK {
            files.push((*number, path.to_owned()));
        }
    }
    Ok(files)
}

/// Writes these files of a zip file into a folder; `failed` says that nothing can be written there.
fn write(
    (source, files): (&mut Source, &[(usize, String)]),
    zip: &Path,
    folder: &Path,
    failed: &dyn Fn(io::Error) -> Trouble,
) -> Result<(), Trouble> {
    let (mut left, mut links) = (BYTES_MAX, Vec::new());
    let failed = |path: &str, error: io::Error| match error.kind() {
        io::ErrorKind::InvalidFilename => complaint(zip, path, TOO_LONG)
            .with_help("rename it, and zip the package anew")
            .into(),
        _ => failed(error),
    };
    for (number, path) in files {
        let is_link = source.entries()[*number].is_link;
        let most = if is_link {
            TARGET_BYTES_MAX
        } else {
            TEST_FILE_BYTES_MAX
        };
        let bytes = source.read(*number, most);
        let bytes = bytes.map_err(|error| complaint(zip, path, error))?;
        left = left.checked_sub(bytes.len() as u64).ok_or_else(|| {
            let reason = format!("with it, the files are larger than {} GiB", BYTES_MAX >> 30);
            complaint(zip, path, reason)
        })?;
        if is_link {
            links.push((path, bytes));
        } else {
            replace_unsynced(&folder.join(path), &bytes).map_err(|why| failed(path, why))?;
        }
    }
    // Last, so that nothing is written through one.
    for (path, target) in &links {
        let file = folder.join(path);
        let made = fs::create_dir_all(file.parent().unwrap_or(folder));
        made.map_err(|why| failed(path, why))?;
        // What is no path leads nowhere.
        let _ = symlink(OsStr::from_bytes(target), file);
    }
    let inside = folder.canonicalize().map_err(|why| failed("", why))?;
    for (path, target) in &links {
        let real = folder.join(path).canonicalize();
        if !real.is_ok_and(|real| real.starts_with(&inside)) {
            let target = visible_line(&String::from_utf8_lossy(target));
            let reason = format!("it is a link to `{target}`, which is not in the package");
            return Err(complaint(zip, path, reason).into());
        }
    }
    Ok(())
}
