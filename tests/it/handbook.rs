//! The book does what it says: its commands are run as they stand there, and the programs on its
//! pages get the verdicts that stand beside them.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::place::{
    assert_has, binary, flat, is_soak, left_to_soak, output, said, shipped, turned_off_but,
};
use crate::tidy::documents::chapters;

/// How the commands of the book are run.
#[derive(Deserialize)]
struct Plays {
    /// What all of them may use.
    stage: String,
    chapter: Vec<Play>,
}

/// How those of one chapter are.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Play {
    name: String,
    /// What is run before them.
    #[serde(default)]
    before: String,
    /// Beginnings of lines, and what is run in their place.
    #[serde(default)]
    instead: Vec<[String; 2]>,
    /// Whether they print what the chapter shows.
    #[serde(default)]
    shows: bool,
}

fn plays() -> Plays {
    toml::from_str(include_str!("../fixtures/book.toml")).unwrap()
}

/// A block of code of a document.
struct Block {
    /// The language, and what stands after it.
    words: Vec<String>,
    lines: Vec<String>,
}

impl Block {
    fn language(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// The lines of it that somebody types.
    fn typed(&self) -> Vec<&str> {
        let lines = self.lines.iter().map(String::as_str);
        match self.language() {
            "sh" => lines.collect(),
            "console" => lines.filter_map(|line| line.strip_prefix("$ ")).collect(),
            _ => Vec::new(),
        }
    }
}

/// The blocks of code of a document.
fn blocks(document: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut is_open = false;
    let mut indent = 0;
    for line in shipped(document).lines() {
        if let Some(words) = line.trim_start().strip_prefix("```") {
            is_open = !is_open;
            indent = line.len() - line.trim_start().len();
            let words = words.split_whitespace().map(str::to_owned).collect();
            let lines = Vec::new();
            found.extend(is_open.then_some(Block { words, lines }));
        } else if is_open {
            let line = line.get(indent..).unwrap_or_default();
            found.last_mut().unwrap().lines.push(line.to_owned());
        }
    }
    found
}

/// What is run in the place of a line.
fn played(play: &Play, line: &str) -> String {
    let found = play.instead.iter().find_map(|[from, to]| {
        let rest = line.strip_prefix(from.as_str())?;
        Some(if to.is_empty() {
            String::new()
        } else {
            format!("{to}{rest}")
        })
    });
    found.unwrap_or_else(|| line.to_owned())
}

/// Runs the commands of a chapter, in a folder of its own.
fn run(stage: &str, play: &Play) {
    let folder = tempfile::tempdir().unwrap();
    let only = folder.path().join("only.toml");
    fs::write(&only, turned_off_but(&["python3"])).unwrap();
    let blocks = blocks(&play.name);
    for block in &blocks {
        if let Some(name) = block.words.get(1).filter(|name| name.contains('.')) {
            fs::write(folder.path().join(name), block.lines.join("\n")).unwrap();
        }
    }
    let mut script = vec![stage.to_owned(), play.before.clone()];
    let lines = blocks.iter().flat_map(Block::typed);
    script.extend(lines.map(|line| played(play, line)));
    let path = std::env::var("PATH").unwrap();
    let program = Path::new(binary()).parent().unwrap().display();
    let mut command = Command::new("bash");
    command
        .args(["-euxo", "pipefail", "-c", &script.join("\n")])
        .current_dir(folder.path())
        .env("HOME", folder.path())
        .env("PATH", format!("{program}:{path}"))
        .env("ONLY_PYTHON", only);
    let printed = flat(&said(&output(&mut command), 0, &[]));
    let shown = blocks
        .iter()
        .filter(|block| play.shows && block.language() == "console")
        .flat_map(|block| &block.lines)
        .filter(|line| !line.starts_with("$ "));
    for line in shown {
        // What depends on the machine is left out.
        let line = flat(line.split('…').next().unwrap_or_default());
        assert_has(&printed, &[&line]);
    }
}

#[test]
fn every_command_of_the_book_is_run_by_a_test() {
    let plays = plays().chapter;
    for chapter in chapters() {
        let blocks = blocks(&chapter);
        let lines: Vec<&str> = blocks.iter().flat_map(Block::typed).collect();
        let play = plays.iter().find(|play| play.name == chapter);
        assert_eq!(play.is_some(), !lines.is_empty(), "{chapter}");
        for [from, _] in play.iter().flat_map(|play| &play.instead) {
            let is_used = lines.iter().any(|line| line.starts_with(from));
            assert!(is_used, "no line of {chapter} begins with {from:?}");
        }
    }
}

#[test]
fn the_commands_of_every_chapter_work() {
    let plays = plays();
    std::thread::scope(|scope| {
        for play in &plays.chapter {
            // Whatever fails names the chapter.
            let thread = std::thread::Builder::new().name(play.name.clone());
            let run = || run(&plays.stage, play);
            thread.spawn_scoped(scope, run).unwrap();
        }
    });
}

/// The languages of the programs: what the book calls them, their endings, their keys, and whether
/// they are tried in every run.
const LANGUAGES: [(&str, &str, &str, bool); 7] = [
    ("python", "py", "python3", true),
    ("c", "c", "c", true),
    ("cpp", "cpp", "cpp", false),
    ("java", "java", "java", false),
    ("js", "js", "javascript", true),
    ("pascal", "pas", "pascal", false),
    ("rust", "rs", "rust", false),
];

#[test]
fn the_wrong_programs_of_the_book_get_their_verdicts() {
    if !is_soak() {
        left_to_soak("the book's wrong programs in compiled languages, and slow ones");
    }
    let folder = tempfile::tempdir().unwrap();
    let verdictd = |arguments: &[String], code| {
        let mut command = Command::new(binary());
        command.args(arguments).current_dir(folder.path());
        said(&output(&mut command), code, &[])
    };
    verdictd(&["init", "."].map(str::to_owned), 0);
    let tried = LANGUAGES.iter();
    let tried = tried.filter(|(.., is_quick)| *is_quick || is_soak());
    let keys: Vec<&str> = tried.clone().map(|(_, _, key, _)| *key).collect();
    let config = fs::read_to_string(folder.path().join("config.toml")).unwrap();
    let config = config + "\n" + &turned_off_but(&keys);
    fs::write(folder.path().join("config.toml"), config).unwrap();
    let mut expected = Vec::new();
    for block in blocks("docs/languages.md") {
        let [name, verdict] = block.words.as_slice() else {
            continue;
        };
        let known = LANGUAGES.iter().find(|(known, ..)| known == name);
        let (_, ending, key, _) = known.unwrap_or_else(|| panic!("{name}"));
        if keys.contains(key) && (verdict != "TLE" || is_soak()) {
            let file = format!("program-{}.{ending}", expected.len());
            fs::write(folder.path().join(&file), block.lines.join("\n")).unwrap();
            expected.push((file, verdict.clone()));
        }
    }
    assert!(expected.len() >= 7, "{expected:?}");
    let files = expected.iter().map(|(file, _)| file.clone());
    let judge = ["judge", "--problem", "sum"].map(str::to_owned);
    let arguments: Vec<String> = judge.into_iter().chain(files).collect();
    let said = verdictd(&arguments, 1);
    for (file, verdict) in &expected {
        let mut lines = said.lines().filter(|line| line.contains(file.as_str()));
        let got = lines.find(|line| line.starts_with(verdict.as_str()));
        assert!(got.is_some(), "{file} is not {verdict}: {said}");
    }
}
