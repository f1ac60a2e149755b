//! A built-in problem as its author writes it.

use std::fmt::Debug;
use std::ops::Range;

use super::bent::{Bent, Misread, Quantity};
use super::families::Family;
use super::input::{InputError, Parsed};
use super::ladder::Ladder;
use super::svg::Drawing;

/// Four methods make a problem, the others make it a good one; `verdictd check` says which of the
/// others it does without.
pub trait Problem: Send + Sync {
    /// One whole input.
    type Instance: Clone + PartialEq + Debug + 'static;

    /// The folder name below `problems/`.
    const SLUG: &'static str;

    /// Reads an input strictly; only what editors do to files is forgiven.
    fn parse(&self, input: &[u8]) -> Result<Parsed<Self::Instance>, InputError>;
    /// Writes an input in its normal form: `parse(render(x)) == x`.
    fn render(&self, instance: &Self::Instance) -> Vec<u8>;
    /// The bytes that a right program prints.
    fn answer(&self, instance: &Self::Instance) -> Vec<u8>;
    /// Makes an input; the same family and seed give the same input for ever. `None` for an unknown
    /// family.
    fn generate(&self, family: &str, seed: u64) -> Option<Self::Instance>;

    /// The families of [`Problem::generate`], the default one first.
    fn families(&self) -> &'static [Family] {
        &[Family {
            name: "random",
            summary: "inputs at random",
        }]
    }
    /// The bytes that a right program prints, found by another algorithm.
    ///
    /// It shares no solving code with [`Problem::answer`], only the parsed instance, so that a
    /// mistake in one of them shows as a difference. It answers a whole input of the largest size
    /// in seconds.
    fn second_opinion(&self, _instance: &Self::Instance) -> Option<Vec<u8>> {
        None
    }
    /// How each answer is reached, as plain text for a person.
    fn witness(&self, _instance: &Self::Instance) -> Option<String> {
        None
    }
    /// Valid inputs one step simpler than this one, the boldest first, at most
    /// [`super::SHRINK_CANDIDATES_MAX`].
    fn shrink(&self, _instance: &Self::Instance) -> Vec<Self::Instance> {
        Vec::new()
    }
    /// The cases of an input in their order: for each the lines of the answer that belong to it,
    /// from 1.
    ///
    /// Every line of the answer belongs to one case. Nothing is solved for this.
    fn cases(&self, _instance: &Self::Instance) -> Vec<Range<usize>> {
        Vec::new()
    }
    /// What this case (from 0) is called among all, and the input that has it alone; `None` beyond
    /// the last.
    fn cut(&self, _instance: &Self::Instance, _case: usize) -> Option<(String, Self::Instance)> {
        None
    }
    /// The input up to and with so many of its cases, at least one; `None` where it has fewer, or
    /// where nothing can be left out.
    fn prefix(&self, _instance: &Self::Instance, _cases: usize) -> Option<Self::Instance> {
        None
    }
    /// How much there is to look at, in cells of boards.
    fn cells(&self, _instance: &Self::Instance) -> Option<usize> {
        None
    }
    /// The inputs of one case with so many cells, each once; names that mean nothing, such as
    /// which colour is which, are not varied. `None` where there are too many.
    fn small(&self, _cells: usize) -> Option<Box<dyn Iterator<Item = Self::Instance>>> {
        None
    }
    /// More inputs with so many cells: what the format allows beside one case in its plainest form,
    /// as far as these can be listed.
    fn also_small(&self, _cells: usize) -> Box<dyn Iterator<Item = Self::Instance>> {
        Box::new(std::iter::empty())
    }
    /// One input that has the cases of these, in their order; `None` where there is none.
    fn joined(&self, _instances: &[Self::Instance]) -> Option<Self::Instance> {
        None
    }
    /// The rules of the statement, each bent in one way; `strength` says which of them the tests
    /// miss.
    fn bent(&self) -> &'static [Bent<Self::Instance>] {
        &[]
    }
    /// The ways in which a program may misread inputs.
    fn misread(&self) -> &'static [Misread<Self::Instance>] {
        &[]
    }
    /// What of an input has bounds that tests should reach.
    fn quantities(&self) -> &'static [Quantity<Self::Instance>] {
        &[]
    }
    /// The ladders of [`Problem::rung`], the one that shows most first.
    fn ladders(&self) -> &'static [Ladder] {
        &[]
    }
    /// The input of one case that has this size on a ladder; the same for ever.
    fn rung(&self, _ladder: usize, _size: u16) -> Option<Self::Instance> {
        None
    }
    /// Draws an input of one case and how its answer is reached. A drawing without a title is no
    /// picture.
    fn draw(&self, _instance: &Self::Instance, _drawing: &mut Drawing) {}
}
