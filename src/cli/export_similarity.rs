//! `verdictd export similarity`: the attempts that count, laid out for the tools that compare the
//! programs of a class, one input for each problem and language.
//!
//! Dolos reads a zip file with info.csv at its root. `JPlag` reads a folder with one folder for each
//! student; what students were given, the package's `attachments/`, lies beside it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use jiff::Timestamp;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::prelude::{CliError, Exit, Out, sound_grading};
use crate::config::Config;
use crate::domain::{LanguageId, NamedFile, ProblemSlug, SourceFile, Student, SubmissionId};
use crate::overview::{Grading, Scoreboard};
use crate::package::Home;
use crate::store::Reader;
use crate::toolchain::Toolchain;
use crate::util::archive::files_of;
use crate::util::files::{create_new, make_folder, make_folder_with, read_regular};
use crate::util::words::{amount, shell_word};

/// Files that students were given, of one problem.
const GIVEN_MAX: usize = 100;
/// The largest of them, in bytes.
const GIVEN_BYTES_MAX: u64 = 1 << 20;
/// What `JPlag` calls the languages that it has another name for; it knows those of [`SAME`] by
/// theirs, and reads any other as text.
const JPLAG: [(&str, &str); 2] = [("pypy", "python3"), ("go", "golang")];
const SAME: [&str; 8] = [
    "c",
    "cpp",
    "csharp",
    "java",
    "javascript",
    "kotlin",
    "python3",
    "rust",
];

#[derive(Debug, Args)]
pub struct Arguments {
    /// The tool that compares them
    #[arg(long = "for", value_name = "TOOL")]
    tool: Tool,
    /// The folder to write into; it must be missing or empty
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Tool {
    Dolos,
    Jplag,
}

/// The attempt that counts for somebody.
struct Counted {
    student: Student,
    /// `First Last`, as the roster has it.
    name: String,
    section: String,
    at: Timestamp,
    submission: SubmissionId,
}

pub fn run(arguments: &Arguments, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    let folder = &arguments.out;
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(CliError::usage(format!(
            "{} is not empty; name a folder that does not exist yet",
            folder.display()
        )));
    }
    let reader = Reader::open(&config.folders.state)?;
    let grading = sound_grading(config)?;
    let sets = sets(&reader, &grading)?;
    // It holds everybody's programs.
    make_folder_with(folder, 0o700)?;
    let mut programs = 0;
    for ((problem, language), counted) in &sets {
        let set = Set {
            problem,
            language,
            counted,
            reader: &reader,
            given: given(config, problem, language)?,
        };
        let command = match arguments.tool {
            Tool::Dolos => set.for_dolos(folder, &grading),
            Tool::Jplag => set.for_jplag(folder),
        };
        out.line(&command.with_context(|| format!("write into {}", folder.display()))?);
        programs += counted.len();
    }
    out.note(&format!(
        "{} of {} for {}; the commands above compare them",
        amount(programs, "program"),
        amount(sets.len(), "set"),
        match arguments.tool {
            Tool::Dolos => "Dolos",
            Tool::Jplag => "JPlag",
        }
    ));
    Ok(Exit::Good)
}

type Sets = BTreeMap<(ProblemSlug, LanguageId), Vec<Counted>>;

fn sets(reader: &Reader, grading: &Grading) -> anyhow::Result<Sets> {
    let board = Scoreboard::load(reader)?;
    let people = grading.roster.people().iter();
    let people: BTreeMap<&Student, _> = people.map(|one| (&one.student, one)).collect();
    let mut sets = Sets::new();
    for (student, cells) in board.students() {
        for (problem, cell) in cells.iter() {
            let grade = grading.grade(student, problem, Some(cell));
            let Some(counted) = grade.and_then(|grade| grade.counted) else {
                continue;
            };
            let id = counted.handed_in.submission;
            let Some(entry) = cell.entries.iter().find(|entry| entry.submission.id == id) else {
                continue;
            };
            let person = people.get(student);
            let names = person.map(|person| person.last_and_first());
            let name = names.map(|(last, first)| format!("{first} {last}").trim().to_owned());
            let name = name.filter(|name| !name.is_empty());
            let section = person.and_then(|person| person.details.last());
            let key = (problem.clone(), entry.submission.language.clone());
            sets.entry(key).or_default().push(Counted {
                student: student.clone(),
                name: name.unwrap_or_else(|| student.to_string()),
                section: section.cloned().unwrap_or_default(),
                at: counted.handed_in.at,
                submission: id,
            });
        }
    }
    Ok(sets)
}

/// What students were given for a problem in a language.
fn given(
    config: &Config,
    problem: &ProblemSlug,
    language: &LanguageId,
) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let toolchain = Toolchain::of(config);
    let language = toolchain.language(language);
    let extensions = language.map(crate::toolchain::Language::extensions);
    let is_of = |name: &str| {
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        extension.is_some_and(|extension| {
            let mut known = extensions.into_iter().flatten();
            known.any(|known| known.eq_ignore_ascii_case(extension))
        })
    };
    let folder = Home::of(&config.folders.problems, problem).root;
    let mut files = Vec::new();
    let entries = fs::read_dir(folder.join("attachments"));
    for entry in entries.into_iter().flatten().flatten().take(GIVEN_MAX) {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_file() && is_of(&name) {
            files.push((name, read_regular(&entry.path(), GIVEN_BYTES_MAX)?));
        }
    }
    files.sort();
    Ok(files)
}

/// The programs for one problem in one language.
struct Set<'a> {
    problem: &'a ProblemSlug,
    language: &'a LanguageId,
    counted: &'a [Counted],
    reader: &'a Reader,
    given: Vec<(String, Vec<u8>)>,
}

impl Set<'_> {
    fn name(&self) -> String {
        format!("{}-{}", self.problem, self.language)
    }

    fn source(&self, counted: &Counted) -> anyhow::Result<SourceFile> {
        let found = self.reader.submission(counted.submission)?;
        found
            .map(|(_, source)| source)
            .with_context(|| format!("{} was forgotten meanwhile", counted.student))
    }

    fn for_dolos(&self, folder: &Path, grading: &Grading) -> anyhow::Result<String> {
        let path = folder.join(format!("{}.zip", self.name()));
        let mut archive = ZipWriter::new(File::create_new(&path)?);
        let options = SimpleFileOptions::default().unix_permissions(0o600);
        let mut info = csv::Writer::from_writer(Vec::new());
        info.write_record(["filename", "full_name", "label", "created_at"])?;
        for counted in self.counted {
            let source = self.source(counted)?;
            let at = counted.at.to_zoned(grading.zone().clone());
            let at = at.strftime("%Y-%m-%d %H:%M:%S %z").to_string();
            for (name, bytes) in files(self.problem, &source)? {
                let name = format!("{}/{name}", counted.student);
                archive.start_file(&name, options)?;
                archive.write_all(&bytes)?;
                info.write_record([&name, &counted.name, &counted.section, &at])?;
            }
        }
        archive.start_file("info.csv", options)?;
        archive.write_all(&info.into_inner()?)?;
        archive.finish()?.sync_all()?;
        let base = self.put_given(folder)?;
        // It takes one file.
        let ignore = base.first();
        let ignore = ignore.map(|file| format!(" --ignore {}", quoted(file)));
        Ok(format!(
            "dolos run -f web{} {}",
            ignore.unwrap_or_default(),
            quoted(&path)
        ))
    }

    fn for_jplag(&self, folder: &Path) -> anyhow::Result<String> {
        let root = folder.join(self.name());
        for counted in self.counted {
            let source = self.source(counted)?;
            let own = root.join(counted.student.as_str());
            make_folder(&own)?;
            for (name, bytes) in files(self.problem, &source)? {
                create_new(&own.join(name), &bytes)?;
            }
        }
        let base = self.put_given(folder)?;
        let base = base.first().and_then(|file| file.parent());
        let base = base.map(|base| format!(" -bc {}", quoted(base)));
        Ok(format!(
            "java -jar jplag.jar -l {}{} {}",
            jplag_language(self.language),
            base.unwrap_or_default(),
            quoted(&root)
        ))
    }

    /// Puts what students were given beside the programs.
    fn put_given(&self, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
        let base = folder.join(format!("{}-basecode", self.name()));
        let mut files = Vec::new();
        for (name, bytes) in &self.given {
            make_folder(&base)?;
            let file = base.join(name);
            create_new(&file, bytes)?;
            files.push(file);
        }
        Ok(files)
    }
}

/// The files of a program; that of a program of one file is called as the problem is.
fn files(problem: &ProblemSlug, source: &SourceFile) -> anyhow::Result<Vec<NamedFile>> {
    let mut files = files_of(&source.name, &source.bytes)?;
    if let [(name, _)] = files.as_mut_slice() {
        *name = file_name(problem, name);
    }
    Ok(files)
}

fn file_name(problem: &ProblemSlug, name: &str) -> String {
    match name.rsplit_once('.') {
        Some((_, extension)) => format!("{problem}.{extension}"),
        None => problem.to_string(),
    }
}

fn jplag_language(language: &LanguageId) -> &str {
    let language = language.as_str();
    let other = JPLAG.iter().find(|(ours, _)| *ours == language);
    match other {
        Some((_, theirs)) => theirs,
        None if SAME.contains(&language) => language,
        None => "text",
    }
}

/// A path as a shell takes it for one word.
fn quoted(path: &Path) -> String {
    shell_word(&path.to_string_lossy())
}
