//! What becomes of each file in `hacks/`, and what is said of the difference between two readings.

use super::HackOutcome;
use crate::package::tree::{Named, Tree};
use crate::package::{self, NoOracle, Reference};
use crate::problems::regions::{Board, Regions};
use crate::problems::{Extras, InputError, Parsed, Problem};
use crate::util::samples::{run, slug};
use crate::util::tests::files::write;

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

#[test]
fn where_our_two_algorithms_disagree_nobody_is_judged_on_it() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| write(folder.path(), &format!("regions/{name}"), text);
    write("problem.toml", "title = \"R\"\nreference = \"regions\"\n");
    write("data/sample/1.in", "1 2\n12\n");
    let seen = package::look(folder.path(), &slug("regions"));
    let mut package = seen.load(&run().caps, &mut NoOracle).unwrap();
    package.reference = Reference::BuiltIn(&Liar);
    write("hacks/evil.in", "1 3\n123\n");
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
