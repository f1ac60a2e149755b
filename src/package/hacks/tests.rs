//! What becomes of each file in `hacks/`, and what is said of the difference between two readings.

use std::fs;
use std::path::Path;

use super::HackOutcome;
use crate::config;
use crate::domain::ProblemSlug;
use crate::package::tree::{Named, Tree};
use crate::package::{self, NoOracle, Package, Reference};
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
    let seen = package::look(folder, &slug);
    seen.load(&config.limits, &mut NoOracle).unwrap()
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
    let tree = Tree::read(&package.folder, &Named::default()).unwrap();
    super::join(&mut package, &tree, &mut NoOracle).unwrap();
    assert_eq!(package.tests.len(), 1);
    let HackOutcome::Disagreement(words) = &package.hacks[0].outcome else {
        panic!("{:?}", package.hacks);
    };
    for part in ["line 1", "`1`", "`77`", "fault of verdictd"] {
        assert!(words.contains(part), "{words}");
    }
}
