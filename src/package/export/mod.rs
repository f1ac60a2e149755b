//! Writes problems as packages of the ICPC's format, for other systems: `verdictd export-problem`.
//!
//! What the format cannot say is named, and what was written is read again: a package that would be
//! judged in another way than here is refused.

mod latex;
mod read_again;
mod tests_of;
mod yaml;

use std::path::Path;

use super::contents::Package;
use super::error::Trouble;
use super::format::Format;
use super::import::{Problem, put};
use super::inputs::read;
use super::kattis::{SOURCE_ENDINGS, flags_of};
use super::manifest::{self, Io, Protocol};
use super::program::PackageProgram;
use super::remarks::Remark;
use super::statement::{FOLDERS, PICTURES, find, statement_in_pdf};
use super::tree::{Entry, Named, Tree, entries_of};
use crate::compare::{Mode, WrongLayout};
use crate::config::Place;
use crate::domain::{Complaint, Limits};
use crate::util::text::contains;
use crate::util::words::listed;

pub use super::kattis::Version;

/// Keys of problem.toml that the format has no words for.
const KEYS: &str = "time_factors disclosure limits.wall_s limits.processes limits.open_files";
/// What is looked at of a package; folders before the first that are taken over as they are.
const COPIED: [&str; 2] = ["attachments", "include"];
const KNOWN: &str = "problem.toml problem.yaml domjudge-problem.ini .timelimit data hacks submissions statement problem_statement \
                     input_validators input_format_validators output_validators output_validator";
/// A checker that compares as the mode `lines` does, which the default output validator cannot.
const LINES: &str = include_str!("lines.py");
/// Calls a program of testlib as the format says.
const AS_ICPC: &str = include_str!("as_icpc.h");
const AS_ICPC_NAME: &str = "as_icpc.h";
/// What programs of testlib are written in.
const CPP: [&str; 4] = [".cpp", ".cc", ".cxx", ".c++"];
/// What folders of a problem.toml promise: the verdict of the first test that fails.
const PROMISES: &str = "\
    wrong_answer: {permitted: [AC, WA, TLE, RTE], required: [WA]}\n\
    time_limit_exceeded: {permitted: [AC, WA, TLE, RTE], required: [TLE]}\n\
    run_time_error: {permitted: [AC, WA, TLE, RTE], required: [RTE]}\n\
    partially_accepted: {required: [WA, TLE, RTE]}\n";
/// The same of `legacy` with points, where who gets some of them is accepted.
const IN_PART: &str = "accepted: {permitted: [AC, WA, TLE, RTE], required: [AC]}\n";
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
    /// What is missing, and what is left out.
    said: Problem,
}

/// Writes a package into a folder that is new; returns what other systems will miss in it, and what
/// else is not taken over, or in another form.
pub fn write(
    package: &Package,
    version: Version,
    folder: &Path,
    defaults: &Limits,
) -> Result<(Vec<Complaint>, Vec<Remark>), Trouble> {
    let mut export = Export {
        package,
        version,
        folder,
        said: Problem::new(package.folder.clone(), "", ""),
    };
    let is_own = package.format == Format::Own;
    if !is_own && Version::of_package(&package.folder)? == version {
        for entry in entries_of(&package.folder)? {
            if !entry.path.starts_with("hacks/") {
                export.copy(&entry)?;
            }
        }
        export.hacks()?;
    } else {
        export.manifest()?;
        export.tests()?;
        export.programs()?;
        export.statement()?;
        for entry in entries_of(&package.folder)? {
            export.rest(&entry)?;
        }
        export.examples()?;
        if is_own {
            export.keys()?;
        }
    }
    read_again::read_again(package, folder, defaults)?;
    let left_out = export.said.left_out();
    Ok((export.said.missing, left_out))
}

impl Export<'_> {
    fn put(&self, path: &str, bytes: impl AsRef<[u8]>) -> Done {
        put(self.folder, path, Ok(bytes.as_ref()))
    }

    fn copy(&self, entry: &Entry) -> Done {
        if entry.is_folder {
            return Ok(());
        }
        self.put(&entry.path, read(&entry.file)?)
    }

    fn leave_out(&mut self, path: &str, words: impl Into<String>) {
        self.said.leave_out(path, words);
    }

    fn lack(&mut self, what: &str, help: &str) {
        let words = format!("the format asks for {what}, and there is none");
        let missing = self.said.wrong("", words, help);
        self.said.missing.push(missing);
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
        let (package, is_legacy) = (self.package, self.version == Version::Legacy);
        let built_in = package.task().and_then(crate::problems::Task::validator);
        if let Some(text) = built_in {
            self.put("input_validators/validate.py", text)?;
        }
        let validators = package.validators.iter();
        let validators: Vec<_> = validators
            .filter_map(|validator| as_icpc("VALIDATOR", validator.protocol, &validator.program))
            .collect();
        for (number, program) in validators.iter().enumerate() {
            let folder = match (validators.len(), &program.headers[..]) {
                (1, []) => "input_validators",
                _ => &format!("input_validators/{number}"),
            };
            self.program(folder, program)?;
        }
        if built_in.is_none() && validators.is_empty() {
            let help = "write one that ends with 42 or 43 into input_validators of the new folder";
            self.lack("an input validator", help);
        }
        let folder = if is_legacy {
            "output_validators"
        } else {
            "output_validator"
        };
        let Some(checker) = &package.checker else {
            if package.mode == Mode::Lines {
                self.put(&format!("{folder}/lines.py"), LINES)?;
            }
            return Ok(());
        };
        let by_testlib = checker.protocol == Protocol::Testlib;
        let is_more = checker.gives.is_some() || checker.judge.is_some();
        let talks = package.talks();
        let kind = if talks { "INTERACTOR" } else { "CHECKER" };
        let program =
            as_icpc(kind, checker.protocol, &checker.program).filter(|_| !(by_testlib && is_more));
        let Some(program) = program else {
            let words = "a program of testlib can be called there only if it is in C++, gives no points and has no checker after it";
            let help = "write it for `protocol = \"icpc\"`: exit code 42 for right, 43 for wrong";
            return Err(self.said.wrong(&checker.program.path, words, help).into());
        };
        if by_testlib && !talks {
            self.leave_out(
                &checker.program.path,
                "wrong layout is WA there, and never PE",
            );
        }
        let inner = format!("{folder}/checker");
        let is_inner = is_legacy && !program.headers.is_empty();
        self.program(if is_inner { &inner } else { folder }, &program)
    }

    fn program(&self, folder: &str, program: &PackageProgram) -> Done {
        self.put(&format!("{folder}/{}", program.name), &program.source)?;
        let mut headers = program.headers.iter();
        headers.try_for_each(|(name, bytes)| self.put(&format!("{folder}/{name}"), bytes))
    }

    /// The example programs, in the folders that promise their verdicts.
    fn examples(&mut self) -> Done {
        let is_own = self.package.format == Format::Own;
        let (mut accepted, mut left_out) = (0, Vec::new());
        for entry in entries_of(&self.package.folder)? {
            let path = entry.path.strip_prefix("submissions/").unwrap_or_default();
            if path == "submissions.yaml" {
                self.leave_out(&entry.path, "it is written in its own version only");
            }
            if entry.is_folder || !path.contains('/') {
                continue;
            }
            // There the ending `pl` is that of Prolog.
            let has_ending = SOURCE_ENDINGS.contains(&entry.ending()) && entry.ending() != "pl";
            let is_source = has_ending || path.matches('/').count() > 1;
            let has_folder = !(is_own && path.starts_with("compile_error/"));
            let text = read(&entry.file)?.to_ascii_lowercase();
            let has_files = self.package.io == Io::StdioOrFiles && contains(&text, INPUT_FILE);
            if !is_source || !has_folder || has_files {
                left_out.push(path.to_owned());
                continue;
            }
            accepted += usize::from(path.starts_with("accepted/"));
            self.copy(&entry)?;
        }
        if !left_out.is_empty() {
            let names = listed(left_out, NAMES_MAX);
            let why =
                "there is no ending of its language there, it does not compile, or it uses files";
            self.leave_out("submissions", format!("{names}: {why}"));
        }
        if accepted == 0 {
            self.lack(
                "a program that is accepted",
                "write one into submissions/accepted",
            );
        }
        if self.version == Version::Latest {
            let in_part = self.package.accepts_in_part();
            let all = PROMISES.to_owned() + if in_part { IN_PART } else { "" };
            self.put("submissions/submissions.yaml", all)?;
        }
        Ok(())
    }

    /// The statement in LaTeX, which all systems read, and beside it as it is; its pictures.
    fn statement(&mut self) -> Done {
        let named = Named {
            format: self.package.format,
            ..Named::default()
        };
        let tree = Tree::read(&self.package.folder, &named)?;
        let folder = match self.version {
            Version::Legacy => "problem_statement",
            Version::Draft | Version::Latest => "statement",
        };
        let title = &self.package.title;
        if let Some(file) = find(&tree) {
            let bytes = read(&file)?;
            let text = String::from_utf8_lossy(&bytes);
            let ending = file.extension().unwrap_or_default().to_string_lossy();
            let text = match &*ending {
                "tex" if text.contains("\\problemname") => text.into_owned(),
                "md" => {
                    let [one, other] = FOLDERS.map(|folder| format!("]({folder}/"));
                    let markdown = text.replace(&one, "](").replace(&other, "](");
                    self.put(&format!("{folder}/statement.md"), &markdown)?;
                    let (text, lost) = latex::latex(title, &markdown);
                    if lost > 0 {
                        let words = format!("{lost} characters without a glyph are `?` in LaTeX");
                        self.leave_out(&file.to_string_lossy(), words);
                    }
                    text
                }
                "tex" => latex::latex(title, "").0 + &text,
                _ => latex::latex(title, &format!("```\n{text}\n```")).0,
            };
            self.put(&format!("{folder}/problem.en.tex"), text)?;
        } else if let Some(pdf) = statement_in_pdf(&tree) {
            self.put(&format!("{folder}/problem.en.pdf"), read(&pdf)?)?;
        } else {
            self.lack("a statement", &format!("write {folder}/problem.en.tex"));
        }
        let folders = [""].into_iter().chain(FOLDERS);
        for picture in
            folders.flat_map(|below| tree.files(below, &PICTURES.map(|(ending, _)| ending)))
        {
            let name = picture.file_name().unwrap_or_default().to_string_lossy();
            self.put(&format!("{folder}/{name}"), read(&picture)?)?;
        }
        Ok(())
    }

    /// What is taken over as it is, and what is not. The error: it would mean something else.
    fn rest(&mut self, entry: &Entry) -> Done {
        let path = entry.path.as_str();
        let first = path.split('/').next().unwrap_or_default();
        let is_invalid = self.version == Version::Latest && path.starts_with("data/invalid_input/");
        if COPIED.contains(&first) || is_invalid {
            if path == "include/default" && self.version == Version::Legacy {
                self.leave_out(path, "there each language has a folder of its own");
            }
            return self.copy(entry);
        }
        // Validators and checkers have folders of their own there.
        let judges = self.package.programs();
        let mut judges = judges.filter(|(kind, _)| *kind != "reference");
        let is_known = KNOWN.split(' ').any(|known| known == first)
            || judges.any(|(_, judge)| judge.path.split('/').next() == Some(first));
        if path == first && !is_known && !entry.is_harmless_file() {
            self.leave_out(path, "nothing there reads it");
        }
        let may_tell =
            self.package.format == Format::Kattis && first == "data" && entry.ending() == "yaml";
        if may_tell && manifest::read(&entry.file)?.contains("input_validator_") {
            let words = "what input validators are told is written in its own version only";
            let help = "export the package in that one";
            return Err(self.said.wrong(path, words, help).into());
        }
        Ok(())
    }

    /// What problem.toml says, and the format has no words for.
    fn keys(&mut self) -> Done {
        let (package, file) = (self.package, self.package.folder.join("problem.toml"));
        let text = manifest::read(&file)?;
        let place = Place::new(&text, &file);
        let is_there = |key: &&str| place.span_of(&key.split('.').collect::<Vec<_>>()).is_some();
        let keys: Vec<&str> = KEYS.split(' ').filter(is_there).collect();
        if !keys.is_empty() {
            let words = format!("keys without a counterpart: {}", keys.join(", "));
            self.leave_out("problem.toml", words);
        }
        if package.io == Io::StdioOrFiles {
            self.leave_out("problem.toml", "`io`: programs cannot use files there");
        }
        let has_layout = package.checker.is_none() && package.mode.is_by_lines();
        if has_layout && package.wrong_layout == WrongLayout::Presentation {
            self.leave_out("problem.toml", "wrong layout is WA there, and never PE");
        }
        Ok(())
    }
}

/// A program in the form that the format calls. `None`: it speaks as testlib's do, and is not in C++.
fn as_icpc(kind: &str, protocol: Protocol, program: &PackageProgram) -> Option<PackageProgram> {
    let mut program = program.clone();
    let has = |ending: &str| program.name.ends_with(ending);
    // A validator in checktestdata is read there too.
    if protocol == Protocol::Icpc || has(".ctd") {
        return Some(program);
    }
    CPP.iter().find(|ending| has(ending))?;
    let call = format!("#define {kind}\n#include \"{AS_ICPC_NAME}\"\n#line 1\n");
    program.source = [call.as_bytes(), &program.source].concat().into();
    let header = (AS_ICPC_NAME.to_owned(), AS_ICPC.as_bytes().into());
    program.headers.push(header);
    Some(program)
}
