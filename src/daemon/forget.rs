//! Forgets a student while nobody judges: what they handed in, every row about them, and their
//! folders. What tells of everybody is removed, and written again from the store without them. What
//! a person has written is left alone, and named where the name stands in it.
//!
//! Every step can be repeated, and the request for it stays until the last one is done: after a
//! sudden end the next start, or the same command, does the rest.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::start::DaemonError;
use crate::access::Links;
use crate::config::{Config, tidy};
use crate::course::{Roster, Terms, take_turn};
use crate::domain::{Complaint, Student};
use crate::exports::course_files;
use crate::intake::{Known, KnownLanguage, Reading, Register, read_name};
use crate::lms::{MANIFEST_FILE, keep_out};
use crate::package::{self, HACKS_FOLDER};
use crate::report::{Audience, EXPORTS_FOLDER, Reports};
use crate::store::{self, Reader, StoreError, Traces};
use crate::toolchain::Toolchain;
use crate::util::crash::point;
use crate::util::excerpt::visible_line;
use crate::util::files::{read_regular, remove, replace, sweep, sync_name};
use crate::util::words::amount;

/// The largest file that is read for a name, in bytes: the manifest of imports has this bound.
const BYTES_MAX: u64 = 256 << 20;
/// Names of one folder that are looked at.
const NAMES_MAX: usize = 1_000_000;
/// Folders inside folders whose files are counted.
const DEPTH_MAX: usize = 32;
/// How the names of compressed files end.
const COMPRESSED: [&str; 6] = ["gz", "xz", "zst", "bz2", "lz4", "zip"];
/// The logs; one that was put aside has more behind its name.
const LOGS: [&str; 2] = ["verdicts.log", "verdicts.jsonl"];

fn failed(path: &Path) -> impl Fn(io::Error) -> Complaint + '_ {
    move |error| Complaint::new(path, error)
}

/// What there was of a student.
#[derive(Debug, Default)]
pub struct Forgotten {
    /// What is gone now, one line each; with a dry run what would be.
    pub removed: Vec<String>,
    /// What goes with it, whoever is forgotten: it tells nothing of whether there is such a student.
    pub of_everybody: Vec<String>,
    /// Files that a person has written, or put aside, in which the name stands.
    pub left: Vec<String>,
    /// Logs that were not looked into, because they are compressed.
    pub unread: Vec<String>,
}

/// A student who is forgotten, or looked for in a dry run.
struct Forgetting<'a> {
    config: &'a Config,
    student: &'a Student,
    is_dry: bool,
    found: Forgotten,
}

/// What [`forget`] would remove.
pub fn look_for(config: &Config, student: &Student) -> Result<Forgotten, DaemonError> {
    let traces = match Reader::open(&config.folders.state) {
        Ok(reader) => reader.traces(student)?,
        Err(StoreError::Missing { .. }) => Traces::default(),
        Err(error) => return Err(error.into()),
    };
    let mut all = Forgetting::new(config, student, true);
    all.tell_store(&traces);
    all.submissions()?;
    all.files()?;
    Ok(all.found)
}

/// Removes everything. Nobody else may have the store open. Where it fails, what is done stays
/// done.
pub fn forget(config: &Config, student: &Student) -> Result<Forgotten, DaemonError> {
    let mut all = Forgetting::new(config, student, false);
    // Before the store: what is handed in comes back as long as it is there.
    all.submissions()?;
    point("submissions forgotten");
    all.tell_store(&store::forget(&config.folders.state, student)?);
    all.files()?;
    point("files forgotten");
    for path in of_everybody(config) {
        remove(&path).map_err(failed(&path))?;
    }
    point("overviews forgotten");
    Ok(all.found)
}

impl<'a> Forgetting<'a> {
    fn new(config: &'a Config, student: &'a Student, is_dry: bool) -> Self {
        Self {
            config,
            student,
            is_dry,
            found: Forgotten::default(),
        }
    }

    fn tell_store(&mut self, traces: &Traces) {
        for (count, what) in [
            (traces.submissions, "submission"),
            (traces.verdicts, "verdict"),
            (traces.builds, "build"),
            (traces.runs, "run"),
            (traces.events, "event"),
            (traces.rejected, "rejected file"),
        ] {
            if count > 0 {
                let count = usize::try_from(count).unwrap_or(usize::MAX);
                let told = format!("{} in the store", amount(count, what));
                self.found.removed.push(told);
            }
        }
    }

    /// Removes a folder or a file that is the student's.
    fn tree(&mut self, path: &Path) -> Result<(), Complaint> {
        let told = tree(path, self.is_dry).map_err(failed(path))?;
        self.found.removed.extend(told);
        Ok(())
    }

    /// What a student has in the submissions folder: their folder, and files with their name in
    /// front. Links are removed and never followed.
    fn submissions(&mut self) -> Result<(), Complaint> {
        let student = self.student;
        let folder = &self.config.folders.submissions;
        let known = known(self.config);
        for entry in entries(folder).map_err(failed(folder))? {
            let name = entry.file_name();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let is_theirs = if is_folder {
                let named = name.to_str().map(|name| known.register.student(name));
                named.is_some_and(|named| named.as_ref() == Ok(student))
            } else {
                match read_name(&name, &known) {
                    Reading::Named(named) => named.student == *student,
                    Reading::Refused(of, _) => of.as_ref() == Some(student),
                    Reading::Ignored(_) => false,
                }
            };
            if is_theirs {
                self.tree(&entry.path())?;
            }
        }
        Ok(())
    }

    fn files(&mut self) -> Result<(), Complaint> {
        let (config, student, is_dry) = (self.config, self.student, self.is_dry);
        let (staff, state) = (&config.folders.staff, &config.folders.state);
        let reports = Reports::new(&config.folders.reports, staff);
        for audience in [Audience::Student, Audience::Staff] {
            self.tree(&reports.student_folder(audience, student))?;
        }
        // Filled files of platforms and reports for them, which `verdictd export` makes again.
        let exports = staff.join(EXPORTS_FOLDER);
        let told = tree(&exports, is_dry).map_err(failed(&exports))?;
        self.found.of_everybody.extend(told);
        for copy in store::copies(state) {
            if !is_dry {
                remove(&copy).map_err(failed(&copy))?;
            }
            let told = format!("{} from before an upgrade", copy.display());
            self.found.of_everybody.push(told);
        }
        let base = config.file.parent().unwrap_or(Path::new("/"));
        let (mut turn, mut imports) = (None, None);
        if !is_dry {
            // Whoever adds lines to these files does so before or afterwards.
            turn = Some(take_turn(base).map_err(failed(base))?);
            imports = keep_out(staff)?;
            // What a command that was killed has left half written.
            [base, staff, state].into_iter().for_each(sweep);
        }
        let manifest = staff.join(MANIFEST_FILE);
        let struck = strike(&manifest, student, is_dry).map_err(failed(&manifest))?;
        drop((turn, imports));
        let link = strike_link(state, student, is_dry)?;
        self.found.removed.extend(struck.into_iter().chain(link));
        self.look_elsewhere();
        Ok(())
    }

    /// Names the files in which the name still stands and that are not ours to change: those beside
    /// the configuration and in the staff's folder, inputs of hacks with what is beside them, and
    /// old logs.
    fn look_elsewhere(&mut self) {
        let config = self.config;
        let base = config.file.parent().unwrap_or(Path::new("/"));
        let mut files = files_in(base);
        files.extend(files_in(&config.folders.staff));
        files.extend(config.overview.roster.clone());
        files.extend(Terms::extensions_file(base).map(|file| tidy(&base.join(file))));
        for problem in entries(&config.folders.problems).unwrap_or_default() {
            files.extend(files_in(&problem.path().join(HACKS_FOLDER)));
        }
        files.sort();
        files.dedup();
        let ours = of_everybody(config);
        let manifest = config.folders.staff.join(MANIFEST_FILE);
        files.retain(|file| !ours.contains(file) && *file != manifest);
        let shown = |file: &PathBuf| visible_line(&file.to_string_lossy());
        let is_compressed = |file: &&PathBuf| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let ending = file.extension().unwrap_or_default();
            name.starts_with("verdicts") && COMPRESSED.iter().any(|known| *known == ending)
        };
        self.found.unread = files.iter().filter(is_compressed).map(shown).collect();
        self.found.left = files
            .iter()
            .filter(|file| {
                let bytes = read_regular(file, BYTES_MAX);
                bytes.is_ok_and(|bytes| has_word(&bytes, self.student.as_str()))
            })
            .map(shown)
            .collect();
    }
}

/// What the intake knows, as far as it tells whose a file is.
fn known(config: &Config) -> Known {
    let toolchain = Toolchain::of(config);
    // Of a roster that cannot be read, names count as they are spelled.
    let roster = config.overview.roster.as_deref().map(Roster::load);
    let roster = roster.and_then(Result::ok).unwrap_or_default();
    let people = roster.people().iter();
    let people = people.map(|one| (&one.student, one.keys().map(|(_, name)| name)));
    Known {
        problems: package::slugs(&config.folders.problems).unwrap_or_default(),
        languages: toolchain
            .languages()
            .map(|language| KnownLanguage::new(language.name(), language.extensions()))
            .collect(),
        register: Arc::new(Register::new(people, false)),
        ..Known::default()
    }
}

/// Removes a folder with everything in it, or a file; says what.
fn tree(path: &Path, is_dry: bool) -> io::Result<Option<String>> {
    let kind = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        found => found?.file_type(),
    };
    let shown = visible_line(&path.to_string_lossy());
    let told = if kind.is_dir() {
        format!("{shown}/ ({})", amount(count_files(path, 0)?, "file"))
    } else {
        shown
    };
    if !is_dry {
        if kind.is_dir() {
            fs::remove_dir_all(path)?;
        } else {
            fs::remove_file(path)?;
        }
        sync_name(path)?;
    }
    Ok(Some(told))
}

fn count_files(folder: &Path, depth: usize) -> io::Result<usize> {
    let mut count = 0;
    for entry in entries(folder)? {
        if entry.file_type()?.is_dir() && depth < DEPTH_MAX {
            count += count_files(&entry.path(), depth + 1)?;
        } else {
            count += 1;
        }
    }
    Ok(count)
}

fn entries(folder: &Path) -> io::Result<Vec<fs::DirEntry>> {
    match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        entries => entries?.take(NAMES_MAX).collect(),
    }
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = entries(folder).unwrap_or_default().into_iter();
    let paths = entries.map(|entry| entry.path());
    paths.filter(|path| path.is_file()).collect()
}

/// The files about everybody that are written from the store.
fn of_everybody(config: &Config) -> Vec<PathBuf> {
    let (staff, reports) = (&config.folders.staff, &config.folders.reports);
    let exports = course_files().map(|file| staff.join(file.name));
    let mut found: Vec<PathBuf> = exports.chain(LOGS.map(|log| staff.join(log))).collect();
    let mut derived = |folder: PathBuf, ending: &str| {
        let files = files_in(&folder).into_iter();
        found.extend(files.filter(|file| file.extension().is_some_and(|found| found == ending)));
    };
    for folder in [staff, reports] {
        derived(folder.clone(), "html");
        derived(folder.join("problems"), "html");
    }
    for problem in entries(&config.folders.problems).unwrap_or_default() {
        derived(problem.path().join(HACKS_FOLDER), "result");
    }
    found
}

/// Takes a student's lines out of the manifest of imports; says how many.
fn strike(manifest: &Path, student: &Student, is_dry: bool) -> io::Result<Option<String>> {
    let bytes = match read_regular(manifest, BYTES_MAX) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read?,
    };
    let is_theirs = |line: &&[u8]| {
        let line: Option<Value> = serde_json::from_slice(line).ok();
        line.is_some_and(|line| line["student"] == student.as_str())
    };
    let lines = bytes.split_inclusive(|&byte| byte == b'\n');
    let (theirs, kept): (Vec<&[u8]>, Vec<&[u8]>) = lines.partition(is_theirs);
    if theirs.is_empty() {
        return Ok(None);
    }
    if !is_dry {
        let permissions = fs::metadata(manifest)?.permissions();
        replace(manifest, &kept.concat())?;
        fs::set_permissions(manifest, permissions)?;
    }
    let shown = visible_line(&manifest.to_string_lossy());
    Ok(Some(format!("{shown}: {}", amount(theirs.len(), "line"))))
}

/// Strikes the personal link, which leads nowhere from now on; says whether something was written
/// about it.
fn strike_link(state: &Path, student: &Student, is_dry: bool) -> Result<Option<String>, Complaint> {
    let file = Links::path(state);
    if !file.exists() {
        return Ok(None);
    }
    let is_named = Links::names(state, student)?;
    if !is_dry {
        Links::change(state, |links| links.forget(student))?;
    }
    let shown = visible_line(&file.to_string_lossy());
    Ok(is_named.then(|| format!("{shown}: the personal link")))
}

/// Whether neither a letter nor a digit stands before or after it.
fn has_word(text: &[u8], word: &str) -> bool {
    let text = String::from_utf8_lossy(text);
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}
