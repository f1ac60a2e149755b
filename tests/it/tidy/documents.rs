//! Documents are true: the files, items, headings, tests and modules that they name exist, and the
//! pictures of ARCHITECTURE.md are what the code is.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::modules::LAYERS;
use super::{between, rust_files};
use crate::place::{below, root};

/// The chapters of the book, in its order, as paths of the tree.
pub fn chapters() -> Vec<String> {
    let summary = fs::read_to_string(root().join(SUMMARY)).unwrap();
    let links = between(&summary, "](", ')').map(|link| beside(SUMMARY, link));
    links.collect()
}

/// The table of contents.
const SUMMARY: &str = "docs/SUMMARY.md";

/// Where a link of a document leads, as a path of the tree.
pub fn beside(document: &str, link: &str) -> String {
    let mut names: Vec<&str> = document.split('/').collect();
    names.pop();
    for name in link.split('/') {
        match name {
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    names.join("/")
}

/// The files of the tree that have code: their path and their text.
type Sources = [(String, String)];

/// Whether these words in a document name a file or folder of this tree.
fn names_a_file(words: &str) -> bool {
    let in_the_tree = ["src/", "tests/", "benches/", "docs/", ".ci/"];
    let is_pattern = words.contains(['<', '*', ' ', '{']);
    let is_program = words.contains('/')
        && words.starts_with(|first: char| first.is_ascii_uppercase())
        && words.rsplit_once('.').is_some();
    let is_file = Path::new(words).extension().is_some_and(|end| end == "rs") || is_program;
    !is_pattern && (is_file || in_the_tree.iter().any(|folder| words.starts_with(folder)))
}

/// Whether one of the files that a document means by this path has such a function; `Type::name` is
/// its name too.
fn has_function(sources: &Sources, path: &str, function: &str) -> bool {
    let name = function.rsplit("::").next().unwrap_or(function);
    let name = name.trim_end_matches("()");
    let starts = ["(", "<"].map(|next| format!("fn {name}{next}"));
    sources.iter().any(|(file, text)| {
        let is_meant = file == path || file.ends_with(&format!("/{path}"));
        is_meant && starts.iter().any(|start| text.contains(start))
    })
}

/// Whether the name with which a `module::item` or `Type::item` of a document ends is in the code.
fn has_item(sources: &Sources, span: &str) -> bool {
    let is_apart = |one: char| !one.is_alphanumeric() && one != '_';
    let mut names = span.split(is_apart).filter(|name| !name.is_empty());
    let is_ours = span.contains("::") && !span.starts_with("std");
    let name = names.next_back().filter(|_| is_ours);
    let has = |name: &str| {
        let mut texts = sources.iter().map(|(_, text)| text);
        texts.any(|text| text.split(is_apart).any(|word| word == name))
    };
    name.is_none_or(has)
}

/// The lines of a document that are not in blocks of code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// The parts of an address that lead to the headings of a document; of those that are spelled alike
/// the later ones are numbered.
fn fragments_of(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in prose(text).filter(|line| line.starts_with('#')) {
        let heading = line.trim_start_matches(['#', ' ']);
        let kept = heading.chars();
        let kept = kept.filter(|one| one.is_alphanumeric() || " -_".contains(*one));
        let fragment = kept.collect::<String>().to_lowercase().replace(' ', "-");
        let numbered = (1..).map(|number| format!("{fragment}-{number}"));
        let mut names = [fragment.clone()].into_iter().chain(numbered);
        names.find(|name| found.insert(name.clone()));
    }
    found
}

/// What is wrong with a link of a document: `make book` takes along the chapters, the other files
/// of docs/ and config.toml.
fn wrong_link(document: &str, link: &str, chapters: &[String]) -> Option<String> {
    let (path, fragment) = link.split_once('#').unwrap_or((link, ""));
    let target = match path {
        "" => document.to_owned(),
        path => beside(document, path),
    };
    let is_document = Path::new(&target).extension();
    let is_document = is_document.is_some_and(|end| end == "md");
    let is_taken = if is_document {
        chapters.contains(&target)
    } else {
        target.starts_with("docs/") || target == "config.toml"
    };
    let Ok(text) = fs::read(root().join(&target)) else {
        return Some(format!("{document}: {link} leads nowhere"));
    };
    if !is_taken {
        return Some(format!("{document}: {link} leads out of the book"));
    }
    let fragments = fragments_of(&String::from_utf8_lossy(&text));
    let is_there = fragment.is_empty() || fragments.contains(fragment);
    (!is_there).then(|| format!("{document}: {link} leads to no heading"))
}

/// What is wrong with what a document names as code, if it names code.
fn wrong_name(sources: &Sources, span: &str) -> Option<String> {
    let (path, function) = match span.split_once(".rs::") {
        Some((path, function)) => (format!("{path}.rs"), Some(function)),
        None => (span.to_owned(), None),
    };
    if !names_a_file(&path) {
        return (!has_item(sources, span)).then(|| format!("`{span}` is not in the code"));
    }
    let end = format!("/{path}");
    let is_there = root().join(&path).exists()
        || root().join("tests/programs").join(&path).exists()
        || sources.iter().any(|(file, _)| file.ends_with(&end));
    if !is_there {
        return Some(format!("{path} is not there"));
    }
    let function = function.filter(|function| !has_function(sources, &path, function))?;
    Some(format!("{path} has no `{function}`"))
}

/// The tests that a line of a document names: the last cell of a table's row does, and so does what
/// follows these words.
fn tests_of(line: &str) -> impl Iterator<Item = &str> {
    let cell = line.trim_end_matches([' ', '|']).rsplit('|').next();
    let cell = cell.filter(|_| line.starts_with("| "));
    let mut said = ["Checked: ", "Tests: "].into_iter();
    let said = said.find_map(|words| Some(line.rsplit_once(words)?.1));
    let checks = said.or(cell).unwrap_or_default();
    checks.split('`').skip(1).step_by(2).filter(|name| {
        let is_name = |one: char| one.is_ascii_lowercase() || one == '_';
        name.matches('_').count() > 1 && name.chars().all(is_name)
    })
}

#[test]
fn documents_name_files_items_and_tests_that_exist() {
    let sources: Vec<_> = ["src", "tests"].into_iter().flat_map(rust_files).collect();
    let mut wrong = Vec::new();
    let mut named = 0;
    for document in &chapters() {
        let text = fs::read_to_string(root().join(document)).unwrap();
        for line in text.lines() {
            for span in line.split('`').skip(1).step_by(2) {
                named += usize::from(names_a_file(span) || span.contains("::"));
                let found = wrong_name(&sources, span);
                wrong.extend(found.map(|found| format!("{document}: {found}")));
            }
            for name in tests_of(line) {
                let function = format!("fn {name}(");
                if !sources.iter().any(|(_, text)| text.contains(&function)) {
                    wrong.push(format!("{document}: no test is called {name}"));
                }
            }
        }
    }
    assert!(named > 50, "{named}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_document_is_a_chapter_and_every_link_leads_somewhere() {
    let chapters = chapters();
    let known: BTreeSet<&String> = chapters.iter().collect();
    assert_eq!(known.len(), chapters.len(), "no chapter is there twice");
    let mut wrong = Vec::new();
    for file in below(&root().join("docs")) {
        let name = file.strip_prefix(root()).unwrap().display().to_string();
        let is_document = file.extension().is_some_and(|end| end == "md");
        if is_document && name != SUMMARY && !known.contains(&name) {
            wrong.push(format!("{name} is no chapter of {SUMMARY}"));
        }
    }
    let mut followed = 0;
    for document in chapters.iter().map(String::as_str).chain([SUMMARY]) {
        for line in prose(&fs::read_to_string(root().join(document)).unwrap()) {
            for link in between(line, "](", ')').filter(|link| !link.contains(':')) {
                followed += 1;
                wrong.extend(wrong_link(document, link, &chapters));
            }
        }
    }
    assert!(followed > 150, "{followed}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_picture_and_the_table_of_modules_are_those_of_the_code() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let modules = text.split("\n## Modules\n").nth(1).unwrap();
    let modules = modules.split("\n## ").next().unwrap();
    let picture = modules.split("```").nth(1).unwrap();
    let mut shown = BTreeSet::new();
    for line in picture.lines().filter(|line| !line.is_empty()) {
        let mut words = line.split_whitespace();
        let layer: u8 = words.next().unwrap().parse().unwrap();
        shown.extend(words.map(|word| (word.to_owned(), layer)));
    }
    let layers = LAYERS.map(|(name, layer, _)| (name.to_owned(), layer));
    assert_eq!(shown, BTreeSet::from(layers));
    let rows = modules.lines().filter_map(|line| line.strip_prefix("| `"));
    let rows: BTreeSet<&str> = rows.filter_map(|row| row.split('`').next()).collect();
    assert_eq!(rows, LAYERS.map(|(name, ..)| name).into());
}

#[test]
fn architecture_can_be_read_in_ten_minutes() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let words = text.split_whitespace().count();
    assert!(words <= 2_500, "{words}");
}
