//! What becomes of each file in `hacks/`, and what is said of the difference between two readings.

use std::fs;
use std::path::Path;

use super::HackOutcome;
use crate::config;
use crate::domain::ProblemSlug;
use crate::package::{self, NoOracle, Package, Reference, difference};
use crate::problems::regions::{Board, Regions};
use crate::problems::{Extras, InputError, Parsed, Problem};

/// Two algorithms of which one is wrong.
struct Liar;

impl Problem for Liar {
    type Instance = Board;

    const SLUG: &'static str = "liar";
    const EXTRAS: Extras<Board> = Extras {
        second_opinion: Some(|_| b"77\n".to_vec()),
        ..Extras::NONE
    };

    fn parse(&self, input: &[u8]) -> Result<Parsed<Board>, InputError> {
        Regions.parse(input)
    }
    fn render(&self, board: &Board) -> Vec<u8> {
        Regions.render(board)
    }
    fn answer(&self, board: &Board) -> Vec<u8> {
        Regions.answer(board)
    }
    fn generate(&self, family: &str, seed: u64) -> Option<Board> {
        Regions.generate(family, seed)
    }
}

fn write(folder: &Path, name: &str, text: &[u8]) {
    let path = folder.join("regions").join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn load(folder: &Path) -> Package {
    let slug = ProblemSlug::new("regions").unwrap();
    let config = config::parse("", Path::new("config.toml")).unwrap();
    package::load(folder, &slug, &config.limits, &mut NoOracle).unwrap()
}

fn place() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        "problem.toml",
        b"title = \"R\"\nreference = \"regions\"\n",
    );
    write(folder.path(), "data/sample/1.in", b"1 2\n12\n");
    folder
}

#[test]
fn where_our_two_algorithms_disagree_nobody_is_judged_on_it() {
    let folder = place();
    let mut package = load(folder.path());
    package.reference = Reference::BuiltIn(&Liar);
    write(folder.path(), "hacks/evil.in", b"1 3\n123\n");
    let file = package.folder.join("hacks/evil.in");
    super::join(&mut package, vec![file], &mut NoOracle).unwrap();
    assert_eq!(package.tests.len(), 1);
    let HackOutcome::Disagreement(words) = &package.hacks[0].outcome else {
        panic!("{:?}", package.hacks);
    };
    for part in ["line 1", "`1`", "`77`", "fault of verdictd"] {
        assert!(words.contains(part), "{words}");
    }
}

#[test]
fn differences_are_told_in_a_few_words() {
    let folder = place();
    let old = load(folder.path());
    write(folder.path(), "hacks/evil.in", b"1 3\n123\n");
    let hacked = load(folder.path());
    let toml = b"title = \"R\"\nreference = \"regions\"\n[limits]\ncpu_s = 1.0\n";
    write(folder.path(), "problem.toml", toml);
    write(folder.path(), "data/sample/1.in", b"1 3\n112\n");
    let other = load(folder.path());
    for (from, to, words) in [
        (&old, &hacked, "hack/evil joined"),
        (&hacked, &old, "hack/evil withdrawn"),
        (&hacked, &other, "the limits changed; sample/1 changed"),
        (&old, &old, "the package changed"),
    ] {
        assert_eq!(difference(from, to), words);
    }
    let names: Vec<String> = (1..=6)
        .map(|number| format!("data/sample/{number}.in"))
        .collect();
    for (name, row) in names.iter().zip(["12", "13", "14", "15", "16", "21"]) {
        write(folder.path(), name, format!("1 2\n{row}\n").as_bytes());
    }
    assert_eq!(
        difference(&hacked, &load(folder.path())),
        "the limits changed; sample/2 added; sample/3 added; 3 more changes"
    );
}
