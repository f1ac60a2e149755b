//! Archives as platforms make them, with names that their own tests and public repositories have.

mod grades;
mod hostile;
mod names;
mod platforms;

use std::io::{Cursor, Write as _};
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::people::People;
use super::plan::{Plan, Terms, plan};
use super::platforms::recognise;
use crate::domain::ProblemSlug;
use crate::intake::{Known, KnownLanguage};
use crate::util::archive::Source;
use crate::util::samples::slug;
use crate::util::tests::files::write;

const PROGRAM: &[u8] = b"print(1)\n";

fn known() -> Known {
    let language = |(name, extension): (&str, &str)| KnownLanguage {
        name: name.to_owned(),
        extensions: vec![extension.to_owned()],
        unavailable: None,
    };
    Known {
        problems: ["curling", "regions", "hw-1"].map(slug).into(),
        languages: [("Python", "py"), ("Java", "java")].map(language).into(),
        ..Known::default()
    }
}

/// A zip file.
fn zip_of<'a>(entries: impl IntoIterator<Item = (impl ToString, &'a [u8])>) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        let started = writer.start_file(name.to_string(), SimpleFileOptions::default());
        started.unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A zip file whose entries all have these bytes.
fn zipped(names: impl IntoIterator<Item = String>, bytes: &[u8]) -> Vec<u8> {
    zip_of(names.into_iter().map(|name| (name, bytes)))
}

struct Place {
    folder: tempfile::TempDir,
    people: People,
    known: Known,
    problem: Option<ProblemSlug>,
    only_roster: bool,
    source_bytes_max: u64,
}

impl Place {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            people: People::default(),
            known: known(),
            problem: None,
            only_roster: false,
            source_bytes_max: 1_000,
        }
    }

    fn zip(&self, name: &str, entries: &[(impl ToString, &[u8])]) -> PathBuf {
        let entries = entries.iter();
        let entries = entries.map(|(name, bytes)| (name.to_string(), *bytes));
        write(self.folder.path(), name, zip_of(entries));
        self.folder.path().join(name)
    }

    fn tree(&self, name: &str, entries: &[(&str, &[u8])]) -> PathBuf {
        let root = self.folder.path().join(name);
        for (name, bytes) in entries {
            write(&root, name, bytes);
        }
        root
    }

    fn terms<'a>(&'a self, zone: &'a TimeZone) -> Terms<'a> {
        Terms {
            people: &self.people,
            known: &self.known,
            problem: self.problem.as_ref(),
            only_roster: self.only_roster,
            zone,
            source_bytes_max: self.source_bytes_max,
        }
    }

    fn plan_as(&self, path: &Path, only: Option<&str>) -> Option<(&'static str, Plan)> {
        let zone = TimeZone::get("Europe/Oslo").unwrap();
        let mut source = Source::open(path).unwrap();
        let origin = path.file_stem().unwrap().to_str().unwrap();
        let found = recognise(&mut source, origin, only)?;
        let (readings, platform) = (found.readings, found.platform);
        let terms = self.terms(&zone);
        let made = plan(&mut source, readings, origin, platform.name, &terms);
        Some((platform.id, made))
    }

    fn plan(&self, path: &Path) -> (&'static str, Vec<String>) {
        let (platform, plan) = self.plan_as(path, None).expect("a platform is recognised");
        (platform, rows(&plan))
    }
}

/// An archive of a text file: its platform, its name, and its entries with their contents and with
/// what is said of each.
struct Listed {
    platform: String,
    archive: String,
    entries: Vec<(String, String, Vec<String>)>,
}

impl Listed {
    fn contents(&self) -> Vec<(&str, &[u8])> {
        let entries = self.entries.iter();
        let entries = entries.map(|(name, text, _)| (name.as_str(), text.as_bytes()));
        entries.collect()
    }

    fn told(&self) -> impl Iterator<Item = (&str, String)> {
        let entries = self.entries.iter();
        entries.flat_map(|(name, _, told)| told.iter().map(|told| (&**name, told.clone())))
    }
}

/// Reads `[platform] archive`, below it entries, some as `entry <- content`, and below each, indented,
/// what is said of it.
fn listed(text: &str) -> Vec<Listed> {
    let mut all: Vec<Listed> = Vec::new();
    for line in text.lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let last = all.last_mut();
        if let Some(rest) = line.strip_prefix('[') {
            let (platform, archive) = rest.split_once("] ").unwrap();
            all.push(Listed {
                platform: platform.to_owned(),
                archive: archive.to_owned(),
                entries: Vec::new(),
            });
        } else if let Some(told) = line.strip_prefix("  ") {
            let entry = last.and_then(|listed| listed.entries.last_mut());
            entry.unwrap().2.push(told.to_owned());
        } else {
            // Where no content is given, each entry has its own.
            let (name, text) = match line.split_once(" <- ") {
                Some((name, text)) => (name, text.replace("\\n", "\n").replace("\\t", "\t")),
                None => (line, format!("# {line}\n")),
            };
            let entry = (name.to_owned(), text, Vec::new());
            last.unwrap().entries.push(entry);
        }
    }
    all
}

/// Each row as `entry: student problem.ext time` or `entry: why not`.
fn rows(plan: &Plan) -> Vec<String> {
    let row = |row: &super::Row| match &row.outcome {
        Ok(hand_in) => {
            let time = hand_in.time.map(|time| format!(" {time}"));
            let (student, target) = (&hand_in.student, &hand_in.target);
            let file = format!("{}.{}", target.problem, target.extension);
            let file = file + &time.unwrap_or_default();
            format!("{}: {student} {file}", row.shown)
        }
        Err(why) => format!("{}: {why}", row.shown),
    };
    plan.rows.iter().map(row).collect()
}
