//! `verdictd archive DIR`: puts a term away. DIR becomes a course folder of its own: it gets a copy
//! of the settings and the problems, as a restored backup of nobody's course would, and what was
//! handed in, measured and said moves there. This course keeps its settings and problems, and nobody
//! is in it.
//!
//! What students and staff have made is moved and not copied: nothing of it is left out, and what is
//! handed in meanwhile is never lost. A mark in the state folder, which moves last, keeps daemons
//! out: killed in the middle, the same command does the rest.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;

use super::backup::contents::{
    base, copied_to, elsewhere, is_beside_store, named_files, reports, staff, state, submissions,
};
use super::backup::{copy_settings, files_in};
use super::new_folder::CONFIG;
use super::prelude::{CliError, Exit, Out};
use crate::config::{Config, tidy};
use crate::course;
use crate::store::{ARCHIVING_FILE, Lock, is_running};
use crate::util::clock::now_ms;
use crate::util::crash::point;
use crate::util::files::{make_folder, read_regular, remove, replace, sync_file_systems};

/// The largest file that says who is in the course, in bytes.
const FILE_BYTES_MAX: u64 = 64 << 20;
/// What stands in the header of every list of people.
const STUDENT: &[u8] = b"student";
/// Folders inside folders that are filled up.
const DEPTH_MAX: usize = 32;

/// Archive this term and reset the course, keeping its problems
#[derive(Debug, Args)]
pub struct Arguments {
    /// The folder to make; it must be missing or empty, and on the disk of the course
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub fn run(arguments: &Arguments, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    let folder = tidy(&std::path::absolute(&arguments.folder)?);
    let state = state(config);
    if is_running(state.path) {
        return Err(CliError::usage(
            "a daemon is running here; stop it first, so that everything that it has judged is written",
        ));
    }
    refuse(config, &folder)?;
    let moved = folder.join(state.inside());
    // The state folder goes last: what is here after it is the next term's.
    if !moved.join(ARCHIVING_FILE).exists() {
        let lock = Lock::take_to_archive(state.path, &folder).map_err(CliError::usage)?;
        begin(config, &folder, out)?;
        move_all(config, &folder)?;
        fs::rename(state.path, &moved).with_context(|| format!("move {}", state.path.display()))?;
        drop(lock);
    }
    point("store moved");
    sync_file_systems([folder.as_path(), base(config)])?;
    remove(&moved.join(ARCHIVING_FILE))?;
    tell(config, &folder, out);
    Ok(Exit::Good)
}

/// What would go wrong in the middle is refused before anything is done.
fn refuse(config: &Config, folder: &Path) -> anyhow::Result<()> {
    let shown = folder.display();
    let above = folder.ancestors().find(|above| above.is_dir());
    let device = |path: &Path| fs::metadata(path).ok().map(|found| found.dev());
    let there = above.and_then(device);
    for from in [submissions, reports, staff, state].map(|of| of(config).path) {
        if folder.starts_with(from) {
            return Err(CliError::usage(format!(
                "{shown} lies in {}, which is what is moved",
                from.display()
            )));
        }
        if device(from).is_some_and(|own| Some(own) != there) {
            return Err(CliError::usage(format!(
                "{shown} is on another disk than {}; name a folder on that disk, or use `verdictd backup`",
                from.display()
            )));
        }
    }
    // The state folder moves as a whole, so nothing may be copied into the one that it becomes.
    let is_within = |file: &Path| file.starts_with(state(config).path);
    let mut named = named_files(config).into_iter();
    if let Some((key, file)) =
        named.find(|(_, file)| is_within(file) && !is_beside_store(config, file))
    {
        return Err(CliError::usage(format!(
            "{}: `{key}` leads through the state folder; put the file beside config.toml",
            file.display()
        )));
    }
    Ok(())
}

/// Makes the new folder a course with these settings and problems, unless an earlier try has: since
/// then the files here may have been emptied.
fn begin(config: &Config, folder: &Path, out: &mut Out) -> anyhow::Result<()> {
    let state = state(config).path;
    let mark = state.join(ARCHIVING_FILE);
    let is_begun = mark.exists();
    if is_begun && folder.join(CONFIG).exists() {
        return Ok(());
    }
    Lock::mark_archiving(state, folder)?;
    point("archive begun");
    folder.parent().map_or(Ok(()), make_folder)?;
    match copy_settings(config, folder) {
        Ok(left_out) => left_out.tell(out),
        Err(error) => {
            if !is_begun {
                // Nothing has been moved: the course goes on.
                remove(&mark)?;
            }
            return Err(CliError::usage(format!("{error:#}")));
        }
    }
    point("settings copied");
    Ok(())
}

/// Everything but the settings, the problems and the store.
fn move_all(config: &Config, folder: &Path) -> anyhow::Result<()> {
    for from in [submissions, reports, staff].map(|of| of(config)) {
        move_entries(from.path, &folder.join(from.inside()), 0)
            .with_context(|| format!("move {}", from.path.display()))?;
        point("one folder moved");
    }
    // Nothing is emptied before its copy is on the disk.
    sync_file_systems([folder])?;
    for list in lists_of_people(config) {
        let file = &list.file;
        list.empty(config, folder)
            .with_context(|| format!("empty {}", file.display()))?;
    }
    point("people removed");
    Ok(())
}

/// Moves what is in a folder; the folder itself stays, with its owner and permissions. What an
/// earlier try has moved is never replaced: what has come since goes into the folder of the same
/// name, and a file of the same name has the moment behind it.
fn move_entries(from: &Path, to: &Path, depth: usize) -> io::Result<()> {
    let entries = files_in(from)?;
    if from.exists() {
        fs::set_permissions(to, fs::metadata(from)?.permissions())?;
    }
    let is_folder = |path: &Path| fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    for path in entries {
        let mut target = to.join(path.file_name().unwrap_or_default());
        if depth < DEPTH_MAX && is_folder(&path) && is_folder(&target) {
            move_entries(&path, &target, depth + 1)?;
            fs::remove_dir(path)?;
            continue;
        }
        if fs::symlink_metadata(&target).is_ok() {
            target.as_mut_os_string().push(format!(".{}", now_ms()));
        }
        fs::rename(path, target)?;
    }
    Ok(())
}

/// A file that says who is in the course, or what was decided about them: a CSV file with a column
/// `student`.
struct List {
    file: PathBuf,
    bytes: Vec<u8>,
    /// All that stays in it; none where it cannot be read as a list and may name people all the
    /// same.
    header: Option<Vec<u8>>,
}

impl List {
    fn read(file: PathBuf) -> Option<Self> {
        let bytes = read_regular(&file, FILE_BYTES_MAX).unwrap_or_default();
        let header = course::header_of(&bytes);
        let may_name_people = || bytes.windows(STUDENT.len()).any(|part| part == STUDENT);
        (header.is_some() || may_name_people()).then_some(Self {
            file,
            bytes,
            header,
        })
    }

    fn is_empty(&self) -> bool {
        let header = self.header.as_ref();
        header.is_some_and(|header| header.len() >= self.bytes.len())
    }

    /// Leaves its header only, where the archive has a copy.
    fn empty(&self, config: &Config, folder: &Path) -> io::Result<()> {
        let copy = folder.join(copied_to(config, &self.file));
        let is_copied = read_regular(&copy, FILE_BYTES_MAX).is_ok_and(|copy| copy == self.bytes);
        if let Some(header) = &self.header
            && is_copied
            && !self.is_empty()
        {
            let permissions = fs::metadata(&self.file)?.permissions();
            replace(&self.file, header)?;
            fs::set_permissions(&self.file, permissions)?;
        }
        Ok(())
    }
}

fn lists_of_people(config: &Config) -> Vec<List> {
    let is_csv = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "csv");
    let beside = files_in(base(config)).unwrap_or_default().into_iter();
    let named = named_files(config).into_iter();
    let named = named.filter(|(key, _)| ["roster", "extensions"].contains(key));
    let mut files: Vec<PathBuf> = beside
        .filter(is_csv)
        .chain(named.map(|(_, file)| file))
        .collect();
    files.sort();
    files.dedup();
    files.into_iter().filter_map(List::read).collect()
}

fn tell(config: &Config, folder: &Path, out: &mut Out) {
    let shown = folder.display();
    for words in elsewhere(config, folder) {
        out.note(&format!("in {shown}, {words}"));
    }
    for list in lists_of_people(config) {
        let name = list.file.file_name().unwrap_or_default().to_string_lossy();
        out.note(&if list.is_empty() {
            format!("{name}: cleared, header kept")
        } else {
            format!(
                "{}: left as it is, because {shown} has no copy of it or it cannot be read as a list; remove the people of this term from it",
                list.file.display()
            )
        });
    }
    out.note(&format!(
        "the term is in {shown}, which `verdictd --config {shown}/{CONFIG} report` reads; set the new dates in course.toml"
    ));
}
