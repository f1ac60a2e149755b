//! The validators of a package: each file or folder in `input_validators` and `output_validators`
//! is a program.

use std::path::Path;

use super::super::manifest::Protocol;
use super::super::outline::Part;
use super::super::remarks::Remarks;
use super::super::tree::{Entry, Tree};
use crate::domain::Complaint;

const INPUT_FOLDERS: [&str; 2] = ["input_validators", "input_format_validators"];
/// The second is that of later versions, which `DOMjudge` reads too.
pub const OUTPUT_FOLDERS: [&str; 2] = ["output_validators", OUTPUT_FOLDER];
pub const OUTPUT_FOLDER: &str = "output_validator";
/// What the sources of programs end in. Whether a course has the language is found out when the
/// program is built.
pub const SOURCE_ENDINGS: [&str; 25] = [
    "c", "cc", "cpp", "cxx", "c++", "C", "cs", "d", "go", "hs", "java", "js", "kt", "lisp", "lua",
    "ml", "pas", "php", "pl", "py", "py3", "rb", "rs", "scala", "swift",
];
/// The languages whose programs find the sources that lie beside them by themselves.
const OF_SEVERAL_FILES: [&str; 3] = ["py", "py3", "java"];
pub const NOT_USED: &str = "this input validator is not used";
/// Validators in languages of their own: the first is a program where a course has added that
/// language, the second is none.
const CHECKTESTDATA: &str = "ctd";
const VIVA: &str = "viva";

/// The programs that say whether an input is valid. What is none is remarked: the tests are judged
/// without it.
pub fn input_validators(
    root: &Path,
    tree: &Tree,
    arguments: &[String],
    remarks: &mut Remarks,
) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut not_used = 0;
    for folder in INPUT_FOLDERS {
        for (entry, found) in programs(tree, folder) {
            match found {
                Err(_) if entry.ending() == CHECKTESTDATA => parts.push(Part {
                    path: entry.path.clone(),
                    // As testlib's: exit code 0 means valid.
                    protocol: Some(Protocol::Testlib),
                    is_optional: true,
                    ..Part::default()
                }),
                Ok(part) => parts.push(Part {
                    protocol: Some(Protocol::Icpc),
                    arguments: arguments.to_vec(),
                    ..part
                }),
                Err(reason) => {
                    not_used += 1;
                    let words = format!("{NOT_USED}: {reason}");
                    remarks.add(&entry.file, words);
                }
            }
        }
    }
    if parts.is_empty() && not_used > 0 {
        let words = "nothing says here whether an input is valid: hacks are taken as they are";
        remarks.add(&root.join(INPUT_FOLDERS[0]), words);
    }
    parts
}

/// The program that says whether an output is right.
pub fn output_validator(
    root: &Path,
    tree: &Tree,
    remarks: &mut Remarks,
) -> Result<Part, Complaint> {
    let folder = root.join(OUTPUT_FOLDERS[0]);
    let mut parts = Vec::new();
    let mut refused = Vec::new();
    let found = OUTPUT_FOLDERS
        .iter()
        .flat_map(|folder| programs(tree, folder));
    for (entry, found) in found {
        match found {
            Ok(part) => parts.push(part),
            Err(reason) => refused.push((entry, reason)),
        }
    }
    match (parts.pop(), parts.is_empty(), refused.first()) {
        (Some(part), true, _) => {
            for (entry, reason) in refused {
                remarks.add(&entry.file, format!("it is not used: {reason}"));
            }
            Ok(part)
        }
        (Some(_), ..) => Err(Complaint::new(
            &folder,
            "there are several output validators, and an output is judged by one",
        )
        .with_help("leave the one here that is to judge, or join them into one")),
        (None, _, Some((entry, reason))) => Err(Complaint::new(
            &entry.file,
            format!("the output validator cannot be used: {reason}"),
        )),
        (None, _, None) => Err(Complaint::new(&folder, "there is no output validator").with_help(
            "problem.yaml asks for one, by `validation` or `type`: put it there, or take that out",
        )),
    }
}

/// The program that says whether an output is right, in versions in which that folder holds one: it
/// is the program, or there is nothing in it but a folder that is.
pub fn the_output_validator(
    root: &Path,
    tree: &Tree,
    is_needed: bool,
    remarks: &mut Remarks,
) -> Result<Option<Part>, Complaint> {
    let folder = |name: &str| tree.below("").find(|entry| entry.name() == name);
    if let Some(old) = folder(OUTPUT_FOLDERS[0]) {
        let words = format!("in this version of the format its name is {OUTPUT_FOLDER}");
        return Err(Complaint::new(&old.file, words).with_help("rename it"));
    }
    let is_inner = |entry: &Entry| entry.is_folder || entry.is_harmless_file();
    // One that is kept empty, for a program that may come, is none.
    let entry = folder(OUTPUT_FOLDER).filter(|entry| tree.below(&entry.path).next().is_some());
    let entry = match entry {
        None if !is_needed => return Ok(None),
        Some(entry) if !tree.below(OUTPUT_FOLDER).all(is_inner) => entry,
        _ => return output_validator(root, tree, remarks).map(Some),
    };
    let part = of_folder(tree, entry).map_err(|reason| {
        let words = format!("the output validator cannot be used: {reason}");
        Complaint::new(&entry.file, words)
    })?;
    Ok(Some(part))
}

/// What lies in a folder of programs, and which program each of it is, or why it is none.
fn programs<'t>(tree: &'t Tree, folder: &str) -> Vec<(&'t Entry, Result<Part, String>)> {
    let entries = tree.below(folder);
    let entries = entries.filter(|entry| !entry.is_header() && !entry.is_harmless_file());
    let found = entries.map(|entry| {
        let found = if entry.is_folder {
            of_folder(tree, entry)
        } else if is_source(entry) {
            Ok(Part {
                path: entry.path.clone(),
                ..Part::default()
            })
        } else {
            Err(no_program(entry))
        };
        (entry, found)
    });
    found.collect()
}

fn is_source(entry: &Entry) -> bool {
    SOURCE_ENDINGS.contains(&entry.ending())
}

fn no_program(entry: &Entry) -> String {
    let words = match entry.ending() {
        VIVA => "it is written in Viva, which is not supported: write it as a program",
        _ => "its name does not end as the sources of a language do",
    };
    words.to_owned()
}

/// The program of a folder of its own.
fn of_folder(tree: &Tree, folder: &Entry) -> Result<Part, String> {
    let files = || tree.below(&folder.path).filter(|entry| !entry.is_folder);
    if let Some(script) = files().find(|entry| ["build", "run"].contains(&entry.name())) {
        return Err(format!(
            "it is built or started by a script of its own, `{}`, and no scripts of packages are run",
            script.name()
        ));
    }
    let sources: Vec<&Entry> = files().filter(|entry| is_source(entry)).collect();
    let is_main = |entry: &&&Entry| entry.name().starts_with("main.");
    let main = match sources.as_slice() {
        [] => return Err("there is no source of a program in it".to_owned()),
        [one] => one,
        [first, ..] => {
            let is_of_several = OF_SEVERAL_FILES.contains(&first.ending())
                && sources.iter().all(|one| one.ending() == first.ending());
            let main = sources.iter().find(is_main).filter(|_| is_of_several);
            main.ok_or_else(|| {
                let names: Vec<&str> = sources.iter().map(|one| one.name()).collect();
                format!(
                    "it has several sources ({}); only in Python and Java can a program have more \
                     than one, of which one is called main",
                    names.join(", ")
                )
            })?
        }
    };
    Ok(Part {
        path: main.path.clone(),
        has_own_folder: true,
        ..Part::default()
    })
}
