//! Documents are true: the files, functions, tests and modules that they name exist, and the pictures
//! of ARCHITECTURE.md are what the code is.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::modules::LAYERS;
use super::{between, root, rust_files};

/// The documents that name files of the tree.
const DOCUMENTS: [&str; 12] = [
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "README.md",
    "SECURITY.md",
    "docs/internals/attacks.md",
    "docs/internals/daemon.md",
    "docs/internals/machines.md",
    "docs/internals/promises.md",
    "docs/internals/sandbox.md",
    "docs/internals/timing.md",
    "docs/operating.md",
    "docs/reference.md",
];

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
fn has_function(sources: &[(String, String)], path: &str, function: &str) -> bool {
    let name = function.rsplit("::").next().unwrap_or(function);
    let name = name.trim_end_matches("()");
    let starts = ["(", "<"].map(|next| format!("fn {name}{next}"));
    sources
        .iter()
        .filter(|(file, _)| file == path || file.ends_with(&format!("/{path}")))
        .any(|(_, text)| starts.iter().any(|start| text.contains(start)))
}

#[test]
fn documents_name_files_and_tests_that_exist() {
    let sources: Vec<_> = ["src", "tests"].into_iter().flat_map(rust_files).collect();
    let is_there = |path: &str| {
        let end = format!("/{path}");
        root().join(path).exists()
            || root().join("tests/programs").join(path).exists()
            || sources.iter().any(|(file, _)| file.ends_with(&end))
    };
    let mut wrong = Vec::new();
    let mut named = 0;
    for document in DOCUMENTS {
        let text = fs::read_to_string(root().join(document)).unwrap();
        for line in text.lines() {
            let spans = line.split('`').skip(1).step_by(2);
            let folder = Path::new(document).parent().unwrap_or(Path::new(""));
            let links = between(line, "](", ')').filter(|link| !link.contains(':'));
            for link in links {
                let (path, _) = link.split_once('#').unwrap_or((link, ""));
                if !root().join(folder).join(path).exists() {
                    wrong.push(format!("{document}: {link} leads nowhere"));
                }
            }
            for span in spans {
                let (path, function) = match span.split_once(".rs::") {
                    Some((path, function)) => (format!("{path}.rs"), Some(function)),
                    None => (span.to_owned(), None),
                };
                if !names_a_file(&path) {
                    continue;
                }
                named += 1;
                if !is_there(&path) {
                    wrong.push(format!("{document}: {path} is not there"));
                }
                if let Some(function) = function
                    && !has_function(&sources, &path, function)
                {
                    wrong.push(format!("{document}: {path} has no `{function}`"));
                }
            }
            // The last cell of a table's row names the tests, and so does what follows these words.
            let cell = line.trim_end_matches([' ', '|']).rsplit('|').next();
            let cell = cell.filter(|_| line.starts_with("| "));
            let said = ["Checked: ", "Tests: "]
                .into_iter()
                .find_map(|words| Some(line.rsplit_once(words)?.1));
            let checks = said.or(cell).unwrap_or_default();
            for name in checks.split('`').skip(1).step_by(2) {
                let is_test = name.matches('_').count() > 1
                    && name
                        .chars()
                        .all(|one| one.is_ascii_lowercase() || one == '_');
                let function = format!("fn {name}(");
                if is_test && !sources.iter().any(|(_, text)| text.contains(&function)) {
                    wrong.push(format!("{document}: no test is called {name}"));
                }
            }
        }
    }
    assert!(named > 50, "{named}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The text between two lines of ARCHITECTURE.md.
fn part(from: &str, to: &str) -> String {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let (_, rest) = text.split_once(from).unwrap();
    rest.split_once(to).unwrap().0.to_owned()
}

#[test]
fn the_picture_and_the_table_of_modules_are_those_of_the_code() {
    let modules = part("\n## Modules\n", "\n## ");
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
fn the_picture_of_the_threads_names_every_thread_of_the_daemon() {
    let threads = part("\n## Processes and threads\n", "\nCommands such as");
    // `├─ slot k`, and nothing of the processes below.
    let shown: BTreeSet<&str> = threads
        .lines()
        .filter_map(|line| line.strip_prefix("       ├─ ")?.split_whitespace().next())
        .collect();
    let mut named = BTreeSet::new();
    let sources = ["src/daemon", "src/store", "src/web", "src/cluster/hub"];
    let sources: Vec<_> = sources.into_iter().flat_map(rust_files).collect();
    for (file, text) in &sources {
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        let starts = [".name(\"", ".name(format!(\"", "Actor::start(\""];
        let is_projections = file.ends_with("projections/thread.rs");
        for start in starts
            .into_iter()
            .chain(is_projections.then_some(" name: \""))
        {
            let names = between(text, start, '"');
            named.extend(names.map(|name| name.trim_end_matches("-{number}")));
        }
    }
    assert_eq!(shown, named);
}

#[test]
fn architecture_can_be_read_in_ten_minutes() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let words = text.split_whitespace().count();
    assert!(words <= 2_500, "{words}");
}
