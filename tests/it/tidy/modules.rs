//! Who imports whom: modules use only lower layers, and no files import each other in a circle.

use std::collections::{BTreeMap, BTreeSet};

use super::rust_files;

/// A module uses only modules of lower layers, and of its own layer those that are listed.
#[rustfmt::skip]
pub const LAYERS: [(&str, u8, &[&str]); 26] = [
    ("domain", 0, &[]), ("util", 0, &["domain"]),
    ("problems", 1, &[]), ("compare", 1, &[]), ("view", 1, &[]),
    ("config", 2, &["sandbox"]), ("sandbox", 2, &[]),
    ("access", 3, &[]), ("package", 3, &[]), ("toolchain", 3, &[]), ("store", 3, &[]),
    ("intake", 3, &[]), ("report", 3, &["package"]), ("course", 3, &[]),
    ("explain", 4, &["judge"]), ("places", 4, &["judge"]), ("hack", 4, &[]), ("judge", 4, &[]),
    ("overview", 4, &[]), ("exports", 4, &["overview"]), ("lms", 4, &[]),
    ("cluster", 5, &[]), ("daemon", 5, &["cluster"]), ("strength", 5, &[]),
    ("web", 6, &[]),
    ("cli", 7, &[]),
];

type Path = Vec<String>;

/// A file, as the graph sees it.
struct Source {
    /// Names that it re-exports with `pub use`, and what they refer to.
    passed_on: BTreeMap<String, Path>,
    /// Every other path that it uses.
    paths: Vec<Path>,
}

/// All files of `src`, by their module paths.
///
/// A parent's `mod` and `pub use` of its children are not imports of its
/// own, unless it uses the name itself: a file that imports such a name imports the file that
/// defines it. Inline test modules do not count.
struct Graph(BTreeMap<Path, Source>);

impl Graph {
    fn read() -> Self {
        let files: BTreeMap<Path, String> = rust_files("src")
            .into_iter()
            .filter(|(file, _)| file != "src/main.rs")
            .map(|(file, text)| (module_path(&file), without_tests(&text)))
            .collect();
        let is_child = |module: &Path, name: &str| {
            let child = module.iter().map(String::as_str).chain([name]);
            files.contains_key(&child.map(str::to_owned).collect::<Path>())
        };
        let sources = files.iter().map(|(module, text)| {
            let source = Source::new(text, |name| is_child(module, name));
            (module.clone(), source)
        });
        Self(sources.collect())
    }

    /// The file that defines what a path names.
    fn resolve(&self, from: &Path, path: &[String]) -> Option<Path> {
        let mut at = from.clone();
        let mut rest = path;
        while let [first, others @ ..] = rest {
            let mut child = at.clone();
            child.push(first.clone());
            match first.as_str() {
                "crate" => at.clear(),
                "super" => drop(at.pop()),
                "self" => {}
                _ if self.0.contains_key(&child) => at = child,
                name => match self.0[&at].passed_on.get(name) {
                    Some(stands_for) if at != *from || path.len() > 1 => {
                        let whole: Path = stands_for.iter().chain(others).cloned().collect();
                        return self.resolve(&at, &whole);
                    }
                    // The first name of a path may be another crate's.
                    _ if at == *from && rest.len() == path.len() => return None,
                    _ => return Some(at),
                },
            }
            rest = others;
        }
        Some(at)
    }

    /// What each file imports of its own top module.
    fn imports(&self) -> BTreeMap<&Path, BTreeSet<Path>> {
        let of = |module: &Path, source: &Source| {
            let files = source.paths.iter();
            files
                .filter_map(|path| self.resolve(module, path))
                .filter(|file| file != module && file.first() == module.first())
                .collect()
        };
        let all = self.0.iter();
        all.map(|(module, source)| (module, of(module, source)))
            .collect()
    }
}

impl Source {
    fn new(text: &str, is_child: impl Fn(&str) -> bool) -> Self {
        let mut source = Self {
            passed_on: BTreeMap::new(),
            paths: Vec::new(),
        };
        let uses = regex::Regex::new(r"(?m)^\s*(pub\b[^\s]*\s+)?use\s([^;]+);").unwrap();
        for found in uses.captures_iter(text) {
            for (path, name) in leaves(&found[2]) {
                if found.get(1).is_some() {
                    source.passed_on.insert(name, path);
                } else {
                    source.paths.push(path);
                }
            }
        }
        let is_in_path = |one: char| one.is_alphanumeric() || one == '_' || one == ':';
        for word in uses.replace_all(text, "").split(|one| !is_in_path(one)) {
            let path: Path = word.split("::").map(str::to_owned).collect();
            let first = path[0].as_str();
            if path.len() == 1 {
                source.paths.extend(source.passed_on.get(first).cloned());
            } else if ["crate", "super", "self"].contains(&first) || is_child(first) {
                source.paths.push(path);
            }
        }
        source
    }
}

fn module_path(file: &str) -> Path {
    let name = file.trim_start_matches("src/").trim_end_matches(".rs");
    let parts = name.split('/');
    let parts = parts.filter(|&part| part != "mod" && part != "lib");
    parts.map(str::to_owned).collect()
}

/// A file's code without comments and inline test modules.
fn without_tests(text: &str) -> String {
    let mut code = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let is_test = line.starts_with("#[cfg(") && line.contains("test");
        if is_test && lines.peek().is_some_and(|next| next.ends_with('{')) {
            lines.by_ref().find(|&line| line == "}");
        } else if !line.trim_start().starts_with("//") {
            code.push_str(line.split(" // ").next().unwrap_or_default());
            code.push('\n');
        }
    }
    code
}

/// The paths of a `use`, each with the name that it gets.
fn leaves(tree: &str) -> Vec<(Path, String)> {
    let tree = tree.trim();
    if let Some((before, inside)) = tree.split_once('{') {
        let mut depth = 0_i32;
        let parts = inside.trim_end().trim_end_matches('}').split(|one| {
            depth += i32::from(one == '{') - i32::from(one == '}');
            one == ',' && depth == 0
        });
        return parts
            .filter(|part| !part.trim().is_empty())
            .flat_map(|part| leaves(&format!("{before}{}", part.trim())))
            .collect();
    }
    let (path, alias) = tree.split_once(" as ").unwrap_or((tree, ""));
    let path = path.split("::").map(|part| part.trim().to_owned());
    let mut path: Path = path.collect();
    if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    let name = if alias.is_empty() {
        path.last().cloned().unwrap_or_default()
    } else {
        alias.trim().to_owned()
    };
    vec![(path, name)]
}

#[test]
fn modules_use_only_lower_layers() {
    let table: BTreeMap<&str, (u8, &[&str])> = LAYERS
        .into_iter()
        .map(|(name, layer, peers)| (name, (layer, peers)))
        .collect();
    let mut wrong = Vec::new();
    let mut needed: BTreeSet<(String, String)> = BTreeSet::new();
    for (file, text) in rust_files("src") {
        let Some((module, _)) = file.trim_start_matches("src/").split_once('/') else {
            continue;
        };
        let (layer, peers) = table
            .get(module)
            .unwrap_or_else(|| panic!("{file}: `{module}` is missing in the table of layers"));
        for rest in text.split("crate::").skip(1) {
            let is_apart = |one: char| !one.is_alphanumeric() && one != '_';
            let used = rest.split(is_apart).next().unwrap_or_default();
            let is_above = |(above, _): &&(u8, &[&str])| used != module && above >= layer;
            if table.get(used).is_some_and(|row| is_above(&row)) {
                if peers.contains(&used) {
                    needed.insert((module.to_owned(), used.to_owned()));
                } else {
                    wrong.push(format!("{file}: `{module}` must not use `{used}`"));
                }
            }
        }
    }
    for (module, _, peers) in LAYERS {
        for peer in peers {
            if !needed.contains(&(module.to_owned(), (*peer).to_owned())) {
                wrong.push(format!(
                    "`{module}` does not use `{peer}`: take it off the table"
                ));
            }
            if table[peer].1.contains(&module) {
                wrong.push(format!("`{module}` and `{peer}` must not use each other"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let graph = Graph::read();
    let mut imports = graph.imports();
    assert!(imports.values().map(BTreeSet::len).sum::<usize>() > 500);
    // A file that imports none of the remaining files is in no circle, nor is a file that none of
    // them imports.
    loop {
        let left: BTreeSet<&Path> = imports.keys().copied().collect();
        let imported: BTreeSet<Path> = imports.values().flatten().cloned().collect();
        imports.retain(|module, files| {
            files.retain(|file| left.contains(file));
            !files.is_empty() && imported.contains(*module)
        });
        if imports.len() == left.len() {
            break;
        }
    }
    assert!(imports.is_empty(), "in circles: {imports:#?}");
}
