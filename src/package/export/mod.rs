//! Writes problems as packages of the ICPC's format, for other systems: `verdictd export-problem`.
//!
//! What the format cannot say is named, and what was written is read again: a package that would be
//! judged in another way than here is refused.

mod latex;
mod read_again;
mod tests_of;
mod yaml;

use std::path::{Path, PathBuf};

use super::contents::Package;
use super::error::Trouble;
use super::format::{Format, PROBLEM_YAML};
use super::import::put;
use super::kattis::{SOURCE_ENDINGS, flags_of};
use super::manifest::{self, Io, Protocol};
use super::program::PackageProgram;
use super::remarks::{Remark, Remarks};
use super::statement::{FOLDERS, PICTURES, find, statement_in_pdf};
use super::tree::{Entry, Named, Tree, entries_of};
use crate::compare::{Mode, WrongLayout};
use crate::config::Place;
use crate::domain::bounds::TEST_FILE_BYTES_MAX;
use crate::domain::{Complaint, Limits};
use crate::util::files::read_regular;
use crate::util::words::listed;
use read_again::read_again;

pub use super::kattis::Version;

/// Keys of problem.toml that the format has no words for.
const KEYS: [&[&str]; 5] = [
    &["time_factors"],
    &["disclosure"],
    &["limits", "wall_s"],
    &["limits", "processes"],
    &["limits", "open_files"],
];
/// Folders that are taken over as they are.
const COPIED: [&str; 2] = ["attachments", "include"];
/// What else is looked at of a package.
const KNOWN: &str = "problem.toml problem.yaml domjudge-problem.ini .timelimit data hacks submissions statement problem_statement \
                     input_validators input_format_validators output_validators output_validator";
/// A checker that compares as the mode `lines` does, which the default output validator cannot.
const LINES: (&str, &str) = ("lines.py", include_str!("lines.py"));
/// What folders of a problem.toml promise: the verdict of the first test that fails.
const PROMISES: &str = "\
    wrong_answer: {permitted: [AC, WA, TLE, RTE], required: [WA]}\n\
    time_limit_exceeded: {permitted: [AC, WA, TLE, RTE], required: [TLE]}\n\
    run_time_error: {permitted: [AC, WA, TLE, RTE], required: [RTE]}\n\
    partially_accepted: {required: [WA, TLE, RTE]}\n";
/// The file that programs of old contests read, in lower case.
const INPUT_FILE: &[u8] = b"input.txt";
/// Names that are listed.
const NAMES_MAX: usize = 10;

type Done = Result<(), Trouble>;

/// A package that is being written.
struct Export<'p> {
    package: &'p Package,
    version: Version,
    /// The new folder.
    folder: &'p Path,
    left_out: Remarks,
    missing: Vec<Complaint>,
}

/// What others will miss in a package, and what else is not taken over, or in another form.
pub type Exported = (Vec<Complaint>, Vec<Remark>);

/// Writes a package into a folder that is new.
pub fn write(
    package: &Package,
    version: Version,
    folder: &Path,
    defaults: &Limits,
) -> Result<Exported, Trouble> {
    let mut export = Export {
        package,
        version,
        folder,
        left_out: Remarks::default(),
        missing: Vec::new(),
    };
    if export.is_of_version()? {
        for entry in entries_of(&package.folder)? {
            if !entry.path.starts_with("hacks/") {
                export.copy(&entry, &entry.path)?;
            }
        }
        export.hacks()?;
    } else {
        export.manifest()?;
        export.tests()?;
        export.programs()?;
        export.examples()?;
        export.statement()?;
        export.rest()?;
    }
    read_again(package, folder, defaults)?;
    Ok((export.missing, export.left_out.finish()))
}

impl Export<'_> {
    /// Whether the package is written in this version already.
    fn is_of_version(&self) -> Result<bool, Trouble> {
        let file = self.package.folder.join(PROBLEM_YAML);
        if self.package.format == Format::Own || !file.is_file() {
            return Ok(self.package.format == Format::Kattis && self.version == Version::Legacy);
        }
        Ok(Version::in_text(&manifest::read(&file)?, &file)? == self.version)
    }

    fn put(&self, path: &str, bytes: &[u8]) -> Done {
        put(self.folder, path, Ok(bytes))
    }

    fn leave_out(&mut self, path: &str, words: impl Into<String>) {
        self.left_out.add(&self.package.folder.join(path), words);
    }

    fn lack(&mut self, path: &str, words: &str, help: &str) {
        let file = self.package.folder.join(path);
        let missing = Complaint::new(file, words).with_help(help);
        self.missing.push(missing);
    }

    fn copy(&self, entry: &Entry, path: &str) -> Done {
        let unread = |error| Trouble::unread(&entry.file, error);
        if entry.is_folder {
            return Ok(());
        }
        self.put(
            path,
            &read_regular(&entry.file, TEST_FILE_BYTES_MAX).map_err(unread)?,
        )
    }

    /// The flags of the default output validator, or what the package's own is told.
    fn flags(&self) -> Vec<String> {
        match &self.package.checker {
            Some(checker) => checker.arguments.clone(),
            None => flags_of(&self.package.mode).unwrap_or_default(),
        }
    }

    /// Validators and checker.
    fn programs(&mut self) -> Done {
        let package = self.package;
        let mut count = 0;
        if let Some(text) = package.task().and_then(|task| task.validator()) {
            self.put("input_validators/validate.py", text.as_bytes())?;
            count += 1;
        }
        for validator in &package.validators {
            if validator.protocol == Protocol::Testlib {
                continue;
            }
            count += 1;
            let folder = format!("input_validators/{count}");
            let is_alone = package.validators.len() == 1 && validator.program.headers.is_empty();
            let folder = if is_alone {
                "input_validators"
            } else {
                &folder
            };
            self.program(folder, &validator.program)?;
        }
        if count == 0 {
            let words =
                "the format asks for an input validator that ends with 42 or 43, and there is none";
            self.lack(
                "",
                words,
                "write one into input_validators of the new folder",
            );
        }
        let folder = match self.version {
            Version::Legacy => "output_validators",
            Version::Draft | Version::Latest => "output_validator",
        };
        match &package.checker {
            Some(checker) if checker.protocol == Protocol::Testlib => {
                let words = "checkers of testlib are called in another way there";
                let help = "write the checker for `protocol = \"icpc\"`: exit code 42 for right and 43 for wrong";
                Err(Complaint::new(&checker.program.file, words)
                    .with_help(help)
                    .into())
            }
            Some(checker) => {
                let has_headers = !checker.program.headers.is_empty();
                let inner = format!("{folder}/checker");
                let is_inner = has_headers && self.version == Version::Legacy;
                self.program(if is_inner { &inner } else { folder }, &checker.program)
            }
            None if package.mode == Mode::Lines => {
                self.put(&format!("{folder}/{}", LINES.0), LINES.1.as_bytes())
            }
            None => Ok(()),
        }
    }

    fn program(&self, folder: &str, program: &PackageProgram) -> Done {
        self.put(&format!("{folder}/{}", program.name()), &program.source)?;
        let mut headers = program.headers.iter();
        headers.try_for_each(|(name, bytes)| self.put(&format!("{folder}/{name}"), bytes))
    }

    /// The example programs, in the folders that promise their verdicts.
    fn examples(&mut self) -> Done {
        let is_own = self.package.format == Format::Own;
        let (mut accepted, mut strange, mut with_files) = (0, Vec::new(), Vec::new());
        for entry in entries_of(&self.package.folder)? {
            let Some((folder, program)) = entry
                .path
                .strip_prefix("submissions/")
                .and_then(|rest| rest.split_once('/'))
            else {
                continue;
            };
            let is_known = program.contains('/')
                || entry.is_folder
                || SOURCE_ENDINGS.contains(&entry.ending());
            let unread = |error| Trouble::unread(&entry.file, error);
            if !is_known || (is_own && folder == "compile_error") {
                strange.push(format!("{folder}/{program}"));
                continue;
            }
            if self.package.io == Io::StdioOrFiles && !entry.is_folder {
                let source = read_regular(&entry.file, TEST_FILE_BYTES_MAX).map_err(unread)?;
                let source = source.to_ascii_lowercase();
                if source
                    .windows(INPUT_FILE.len())
                    .any(|part| part == INPUT_FILE)
                {
                    with_files.push(format!("{folder}/{program}"));
                    continue;
                }
            }
            accepted += usize::from(folder == "accepted");
            // There the other ending is that of Prolog.
            let perl = entry.path.strip_suffix(".pl").filter(|_| is_own);
            let path = perl.map_or(entry.path.clone(), |stem| format!("{stem}.pm"));
            self.copy(&entry, &path)?;
        }
        for (names, why) in [
            (
                strange,
                "their language, or that they do not compile, has no word there",
            ),
            (
                with_files,
                "they read or write files, and there is standard input and output only",
            ),
        ] {
            if !names.is_empty() {
                let names = listed(&names, NAMES_MAX);
                self.leave_out("submissions", format!("{names}: {why}"));
            }
        }
        if accepted == 0 {
            let words = "the format asks for a program that is accepted, and there is none";
            self.lack("submissions/accepted", words, "write one there");
        }
        if is_own && self.version == Version::Latest {
            self.put("submissions/submissions.yaml", PROMISES.as_bytes())?;
        }
        Ok(())
    }

    /// The statement in LaTeX, which all systems read, and beside it as it is; its pictures.
    fn statement(&mut self) -> Done {
        let named = Named {
            format: self.package.format,
            ..Named::default()
        };
        let root = &self.package.folder;
        let tree = Tree::read(root, &named)?;
        let folder = match self.version {
            Version::Legacy => "problem_statement",
            Version::Draft | Version::Latest => "statement",
        };
        let read = |file: &PathBuf| {
            let bytes = read_regular(file, TEST_FILE_BYTES_MAX);
            bytes.map_err(|error| Trouble::unread(file, error))
        };
        let tex = format!("{folder}/problem.en.tex");
        if let Some(file) = find(&tree) {
            let text = String::from_utf8_lossy(&read(&file)?).into_owned();
            let title = latex::latex(&self.package.title, "").0;
            let ending = file.extension().unwrap_or_default().to_string_lossy();
            let text = match &*ending {
                "tex" if text.contains("\\problemname") => text,
                "tex" => title + &text,
                "md" => {
                    let [one, other] = FOLDERS.map(|folder| format!("]({folder}/"));
                    let markdown = text.replace(&one, "](").replace(&other, "](");
                    self.put(&format!("{folder}/statement.md"), markdown.as_bytes())?;
                    let (text, lost) = latex::latex(&self.package.title, &markdown);
                    if lost > 0 {
                        let path = format!(
                            "{lost} characters, for which LaTeX has no glyph, are `?` in problem.en.tex"
                        );
                        self.left_out.add(&file, path);
                    }
                    text
                }
                _ => format!("{title}\\begin{{verbatim}}\n{text}\n\\end{{verbatim}}\n"),
            };
            self.put(&tex, text.as_bytes())?;
        } else if let Some(pdf) = statement_in_pdf(&tree) {
            self.put(&format!("{folder}/problem.en.pdf"), &read(&pdf)?)?;
        } else {
            self.lack(
                "",
                "the format asks for a statement",
                &format!("write {tex}"),
            );
        }
        let endings = PICTURES.map(|(ending, _)| ending);
        let folders = [""].into_iter().chain(FOLDERS);
        for file in folders.flat_map(|below| tree.files(below, &endings)) {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            self.put(&format!("{folder}/{name}"), &read(&file)?)?;
        }
        Ok(())
    }

    /// What is taken over as it is, and what is not.
    fn rest(&mut self) -> Done {
        let package = self.package;
        for entry in entries_of(&package.folder)? {
            let first = entry.path.split('/').next().unwrap_or_default();
            let is_invalid = entry.path.starts_with("data/invalid_input/");
            if COPIED.contains(&first) || (is_invalid && self.version == Version::Latest) {
                self.copy(&entry, &entry.path)?;
            } else if first == entry.path
                && !entry.is_harmless_file()
                && !KNOWN.split(' ').any(|known| known == first)
            {
                self.leave_out(&entry.path, "nothing there reads it");
            }
        }
        if package.included.languages().any(|one| one == "default")
            && self.version == Version::Legacy
        {
            self.leave_out(
                "include/default",
                "in legacy each language has a folder of its own",
            );
        }
        if package.format == Format::Kattis {
            return Ok(());
        }
        let file = package.folder.join("problem.toml");
        let text = manifest::read(&file)?;
        let place = Place::new(&text, &file);
        let keys = KEYS.iter().filter(|path| place.span_of(path).is_some());
        let keys: Vec<String> = keys.map(|path| path.join(".")).collect();
        if !keys.is_empty() {
            let words = format!("keys without a counterpart: {}", keys.join(", "));
            self.leave_out("problem.toml", words);
        }
        if package.io == Io::StdioOrFiles {
            let words = "`io = \"stdio-or-files\"`: programs cannot use files there";
            self.leave_out("problem.toml", words);
        }
        if package.checker.is_none()
            && package.mode.is_by_lines()
            && package.wrong_layout == WrongLayout::Presentation
        {
            let words = "the right words in the wrong layout are a wrong answer there, and no presentation error";
            self.leave_out("problem.toml", words);
        }
        Ok(())
    }
}
