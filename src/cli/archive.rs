//! `verdictd archive DIR`: puts a term away. What was handed in, measured and said moves into DIR,
//! with copies of the settings and the problems, so that DIR is a course folder of its own. This
//! one keeps its settings and problems, and nobody is in it.
//!
//! A file in DIR says that it is not finished, and one in the state folder keeps daemons out: killed
//! in the middle, the same command does the rest.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;

use super::backup::contents::{
    CONFIG, OUTSIDE, PROBLEMS, STAFF, STATE, SUBMISSIONS, base, folder_of, inside, is_of_course,
    named_files,
};
use super::exit::{CliError, Exit};
use super::out::Out;
use super::session::read_config;
use crate::config::{Config, tidy};
use crate::course;
use crate::store::{ARCHIVING_FILE, Lock, is_running};
use crate::util::crash::point;
use crate::util::files::{make_folder, read_regular, remove, replace, sync_file_systems};

/// Says that an archive is not finished.
const UNFINISHED: &str = ".verdictd-unfinished";
/// Students' reports.
const REPORTS: &str = "reports";
/// The largest file beside the configuration, in bytes.
const FILE_BYTES_MAX: u64 = 64 << 20;
/// Names of one folder, and folders inside folders.
const NAMES_MAX: usize = 1_000_000;
const DEPTH_MAX: usize = 32;
/// Numbers that are tried behind a name that is taken.
const COPIES_MAX: usize = 1_000;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The folder to make; it must be missing or empty, and on the disk of the course
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub fn run(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let config = read_config(config_file)?;
    let folder = tidy(&std::path::absolute(&arguments.folder)?);
    if is_running(&config.folders.state) {
        return Err(CliError::usage(
            "a daemon is running here; stop it first, so that everything that it has judged is written",
        ));
    }
    refuse(&config, &folder)?;
    let state = &config.folders.state;
    let target = folder.join(inside(&config, STATE));
    // The state folder goes last: what is here after it is the next term's.
    if !target.exists() {
        let lock = Lock::take_to_archive(state, &folder).map_err(CliError::usage)?;
        make_folder(&folder)?;
        replace(&folder.join(UNFINISHED), b"")?;
        point("archive begun");
        copy_settings(&config, &folder)
            .with_context(|| format!("copy into {}", folder.display()))?;
        point("settings copied");
        Lock::mark_archiving(state, &folder)?;
        put_away(&config, &folder)?;
        target.parent().map_or(Ok(()), make_folder)?;
        fs::rename(state, &target).with_context(|| format!("move {}", state.display()))?;
        drop(lock);
    }
    point("store moved");
    sync_file_systems([folder.as_path(), &base(&config)])?;
    remove(&target.join(ARCHIVING_FILE))?;
    remove(&folder.join(UNFINISHED))?;
    tell(&config, &folder, out);
    Ok(Exit::Good)
}

/// Everything but the settings and the store.
fn put_away(config: &Config, folder: &Path) -> anyhow::Result<()> {
    for name in [SUBMISSIONS, REPORTS, STAFF] {
        let from = named(config, name);
        move_entries(from, &folder.join(place(config, name)), 0)
            .with_context(|| format!("move {}", from.display()))?;
        point("one folder moved");
    }
    // Nothing is emptied before its copy is on the disk.
    sync_file_systems([folder])?;
    for file in people(config) {
        empty(&file).with_context(|| format!("empty {}", file.display()))?;
    }
    point("people removed");
    Ok(())
}

fn tell(config: &Config, folder: &Path, out: &mut Out) {
    let shown = folder.display();
    for name in [PROBLEMS, SUBMISSIONS, STAFF, STATE] {
        let path = folder_of(config, name).unwrap_or(folder);
        if !path.starts_with(base(config)) {
            out.note(&format!(
                "{shown}/{CONFIG} says {name} = {:?}; change that to {name:?}, where it is now",
                path.display().to_string()
            ));
        }
    }
    for (key, file) in named_files(config) {
        if !file.starts_with(base(config)) {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            out.note(&format!(
                "the settings in {shown} say {key} = {:?}; its copy is {shown}/{OUTSIDE}/{name}",
                file.display().to_string()
            ));
        }
    }
    for file in people(config) {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        out.note(&format!("{name} has its header only"));
    }
    out.note(&format!(
        "the term is in {shown}, which `verdictd --config {shown}/{CONFIG} report` reads; set the new dates in course.toml"
    ));
}

/// What would go wrong in the middle is refused before anything is done.
fn refuse(config: &Config, folder: &Path) -> anyhow::Result<()> {
    let shown = folder.display();
    let entries = fs::read_dir(folder);
    let has_any = entries.is_ok_and(|mut entries| entries.next().is_some());
    if has_any && !folder.join(UNFINISHED).exists() {
        return Err(CliError::usage(format!(
            "{shown} is not empty; name a folder that does not exist yet"
        )));
    }
    let above = folder.ancestors().find(|above| above.is_dir());
    let device = above.and_then(|above| fs::metadata(above).ok());
    for name in [SUBMISSIONS, REPORTS, STAFF, STATE] {
        let from = named(config, name);
        if folder.starts_with(from) {
            return Err(CliError::usage(format!(
                "{shown} lies in {}, which is what is moved",
                from.display()
            )));
        }
        let own = fs::metadata(from).ok();
        if own
            .zip(device.as_ref())
            .is_some_and(|(own, there)| own.dev() != there.dev())
        {
            return Err(CliError::usage(format!(
                "{shown} is on another disk than {}; name a folder on that disk, or use `verdictd backup`",
                from.display()
            )));
        }
    }
    Ok(())
}

fn named<'c>(config: &'c Config, name: &str) -> &'c Path {
    folder_of(config, name).unwrap_or(&config.folders.reports)
}

/// Where a folder lies in the archive.
fn place(config: &Config, name: &str) -> PathBuf {
    let reports = &config.folders.reports;
    match reports.strip_prefix(base(config)) {
        Ok(below) if name == REPORTS => below.to_owned(),
        _ => inside(config, name),
    }
}

fn entries(folder: &Path) -> io::Result<Vec<fs::DirEntry>> {
    match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        entries => entries?.take(NAMES_MAX).collect(),
    }
}

/// What lies beside the configuration, and the problems, so that they can be read with the verdicts.
fn copy_settings(config: &Config, folder: &Path) -> io::Result<()> {
    for entry in entries(&base(config))? {
        let path = entry.path();
        // Also what a link leads to.
        if path.is_file() && is_of_course(&path) && path != config.file {
            copy(&path, &folder.join(entry.file_name()))?;
        }
    }
    for (_, file) in named_files(config) {
        let target = match file.strip_prefix(base(config)) {
            Ok(below) => below.to_owned(),
            Err(_) => Path::new(OUTSIDE).join(file.file_name().unwrap_or_default()),
        };
        if file.is_file() {
            copy(&file, &folder.join(target))?;
        }
    }
    copy_tree(
        &config.folders.problems,
        &folder.join(inside(config, PROBLEMS)),
        0,
    )?;
    // The last one: with it, DIR is a course.
    copy(&config.file, &folder.join(CONFIG))
}

fn copy_tree(from: &Path, to: &Path, depth: usize) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in entries(from)? {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() && depth < DEPTH_MAX {
            copy_tree(&path, &target, depth + 1)?;
        } else if kind.is_file() {
            copy(&path, &target)?;
        }
    }
    Ok(())
}

/// Copies a file, once: what an earlier try has copied was the term's, and this course's files may
/// have been emptied since.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if to.exists() {
        return Ok(());
    }
    to.parent().map_or(Ok(()), make_folder)?;
    let mut half = to.as_os_str().to_owned();
    half.push(".half");
    fs::copy(from, &half)?;
    fs::rename(half, to)
}

/// Moves what is in a folder; the folder itself stays, with its owner and permissions. What an
/// earlier try has moved is never replaced: a folder of the same name is filled up, and a file gets
/// a number behind its name.
fn move_entries(from: &Path, to: &Path, depth: usize) -> io::Result<()> {
    let found = entries(from)?;
    if !from.exists() {
        return Ok(());
    }
    make_folder(to)?;
    fs::set_permissions(to, fs::metadata(from)?.permissions())?;
    for entry in found {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        let is_folder = |path: &Path| fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
        if depth < DEPTH_MAX && is_folder(&path) && is_folder(&target) {
            move_entries(&path, &target, depth + 1)?;
            fs::remove_dir(path)?;
        } else {
            fs::rename(path, free(&target)?)?;
        }
    }
    Ok(())
}

/// A name that nothing has, this one if possible.
fn free(path: &Path) -> io::Result<PathBuf> {
    let numbered = (2..=COPIES_MAX).map(|number| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{number}"));
        PathBuf::from(name)
    });
    std::iter::once(path.to_owned())
        .chain(numbered)
        .find(|name| fs::symlink_metadata(name).is_err())
        .ok_or_else(|| io::ErrorKind::AlreadyExists.into())
}

/// The files that say who is in the course and what was decided about them: CSV files with a column
/// `student`.
fn people(config: &Config) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = entries(&base(config))
        .unwrap_or_default()
        .into_iter()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "csv"))
        .chain(
            named_files(config)
                .into_iter()
                .filter(|(key, _)| ["roster", "extensions"].contains(key))
                .map(|(_, file)| file),
        )
        .filter(|path| {
            let bytes = read_regular(path, FILE_BYTES_MAX).unwrap_or_default();
            course::header(&bytes).is_some()
        })
        .collect();
    files.sort();
    files.dedup();
    files
}

fn empty(file: &Path) -> io::Result<()> {
    let bytes = read_regular(file, FILE_BYTES_MAX)?;
    let permissions = fs::metadata(file)?.permissions();
    if let Some(header) = course::header(&bytes)
        && header.len() < bytes.len()
    {
        replace(file, header)?;
        fs::set_permissions(file, permissions)?;
    }
    Ok(())
}
