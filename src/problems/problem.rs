//! A built-in problem: typed as its author writes it ([`Problem`]), and on bytes as the rest of the
//! crate meets it ([`Task`]).

use std::fmt::Debug;
use std::ops::Range;

use super::drawing::{Drawing, Picture};
use super::families::Family;
use super::input::{InputError, Parsed};
use super::mutants::{Extent, Mutant, Quantity, Rule};
use super::smaller::SHRINK_CANDIDATES_MAX;

/// The most pictures that are drawn of one input.
pub const PICTURES_MAX: usize = 12;

/// Four methods make a problem, [`Extras`] make it a good one.
pub trait Problem: Send + Sync {
    /// One whole input.
    type Instance: Clone + PartialEq + Debug + 'static;

    /// The folder name below `problems/`.
    const SLUG: &'static str;
    /// The families of [`Problem::generate`], the default one first.
    const FAMILIES: &'static [Family] = &[Family {
        name: "random",
        summary: "inputs at random",
        growing: None,
    }];
    const EXTRAS: Extras<Self::Instance> = Extras::NONE;
    /// A program in Python that says to other systems whether an input is valid, as the ICPC asks:
    /// it lets pass what is in its normal form.
    const VALIDATOR: Option<&'static str> = None;

    /// Reads an input strictly; only what editors do to files is forgiven.
    fn parse(&self, input: &[u8]) -> Result<Parsed<Self::Instance>, InputError>;
    /// Writes an input in its normal form: `parse(render(x)) == x`.
    fn render(&self, instance: &Self::Instance) -> Vec<u8>;
    /// The bytes that a right program prints.
    fn answer(&self, instance: &Self::Instance) -> Vec<u8>;
    /// Makes an input; the same family and seed give the same input for ever. `None` for an unknown
    /// family.
    fn generate(&self, family: &str, seed: u64) -> Option<Self::Instance>;
}

/// Inputs that are listed one after the other.
pub type Listed<I> = Box<dyn Iterator<Item = I>>;

/// What a problem can have; `verdictd check` says which of it a problem does without.
pub struct Extras<I: 'static> {
    /// The bytes that a right program prints, found by another algorithm.
    ///
    /// It shares no solving code with [`Problem::answer`], only the parsed instance, so that a
    /// mistake in one of them shows as a difference. It answers a whole input of the largest size
    /// in seconds.
    pub second_opinion: Option<fn(&I) -> Vec<u8>>,
    /// How each answer is reached, as plain text for a person.
    pub witness: Option<fn(&I) -> String>,
    /// Valid inputs one step simpler than this one, the boldest first, at most
    /// [`SHRINK_CANDIDATES_MAX`].
    pub shrink: fn(&I) -> Vec<I>,
    /// The cases of an input in their order: for each the lines of the answer that belong to it,
    /// from 1.
    ///
    /// Every line of the answer belongs to one case. Nothing is solved for this.
    pub cases: fn(&I) -> Vec<Range<usize>>,
    /// What this case (from 0) is called among all, and the input that has it alone; `None` beyond
    /// the last.
    pub cut: fn(&I, usize) -> Option<(String, I)>,
    /// The input up to and with so many of its cases, at least one; `None` where it has fewer, or
    /// where nothing can be left out.
    pub prefix: fn(&I, usize) -> Option<I>,
    /// How much there is to look at, in cells of boards.
    pub cells: Option<fn(&I) -> usize>,
    /// The inputs of one case with so many cells, each once; names that mean nothing, such as
    /// which colour is which, are not varied. `None` where there are too many.
    pub small: fn(usize) -> Option<Listed<I>>,
    /// More inputs with so many cells: what the format allows beside one case in its plainest form,
    /// as far as these can be listed.
    pub also_small: fn(usize) -> Listed<I>,
    /// Small inputs of several cases with so many cells, on which a program shows what it carries
    /// from one case to the next.
    pub carrying: fn(usize) -> Listed<I>,
    /// One input that has the cases of these, in their order; `None` where there is none.
    pub joined: fn(&[I]) -> Option<I>,
    /// The rules of the statement, each changed in one way; `strength` says which of them the tests
    /// miss.
    pub mutants: &'static [Mutant<I>],
    /// The ways in which a program may misread inputs.
    pub misread: &'static [Mutant<I>],
    /// What of an input has bounds that tests should reach.
    pub quantities: &'static [Quantity<I>],
    /// Draws an input of one case and how its answer is reached, with identifiers that begin with
    /// this.
    pub draw: fn(&I, &str) -> Option<Drawing>,
}

impl<I> Extras<I> {
    /// A problem that has none of it.
    pub const NONE: Self = Self {
        second_opinion: None,
        witness: None,
        shrink: |_| Vec::new(),
        cases: |_| Vec::new(),
        cut: |_, _| None,
        prefix: |_, _| None,
        cells: None,
        small: |_| None,
        also_small: |_| Box::new(std::iter::empty()),
        carrying: |_| Box::new(std::iter::empty()),
        joined: |_| None,
        mutants: &[],
        misread: &[],
        quantities: &[],
        draw: |_, _| None,
    };
}

/// One case of a test: a dataset, a query of a board, or a board, whatever has lines of the answer
/// to itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// Which one it is among all: `dataset 7 of 100`, `board 2, query 5`.
    pub title: String,
    /// A whole valid input with this case alone, renumbered where the format numbers.
    pub input: Vec<u8>,
    /// What a right program prints for that input.
    pub expected: Vec<u8>,
    /// The lines of the whole answer that belong to this case, from 1.
    pub lines: Range<usize>,
}

/// A [`Problem`] on bytes; methods named like one of [`Extras`], or
/// like a constant, mean the same.
pub trait Task: Send + Sync {
    fn slug(&self) -> &'static str;
    fn validator(&self) -> Option<&'static str>;
    /// Checks an input and gives it in its normal form.
    fn validate(&self, input: &[u8]) -> Result<Parsed<Vec<u8>>, InputError>;
    fn answer(&self, input: &[u8]) -> Result<Vec<u8>, InputError>;
    /// Where it differs from [`Task::answer`], one of the two is wrong.
    fn second_opinion(&self, input: &[u8]) -> Result<Option<Vec<u8>>, InputError>;
    fn witness(&self, input: &[u8]) -> Result<Option<String>, InputError>;
    fn families(&self) -> &'static [Family];
    fn generate(&self, family: &str, seed: u64) -> Option<Vec<u8>>;
    fn shrink(&self, input: &[u8]) -> Result<Vec<Vec<u8>>, InputError>;
    fn cases(&self, input: &[u8]) -> Result<Vec<Range<usize>>, InputError>;
    /// The case that this line of the answer (from 1) belongs to; `None` beyond the end of the
    /// answer.
    fn case_at(&self, input: &[u8], output_line: usize) -> Result<Option<Case>, InputError>;
    fn prefix(&self, input: &[u8], cases: usize) -> Result<Option<Vec<u8>>, InputError>;
    fn cells(&self, input: &[u8]) -> Result<Option<usize>, InputError>;
    fn small(&self, cells: usize) -> Option<Box<dyn Iterator<Item = Vec<u8>> + '_>>;
    fn also_small(&self, cells: usize) -> Box<dyn Iterator<Item = Vec<u8>> + '_>;
    fn carrying(&self, cells: usize) -> Box<dyn Iterator<Item = Vec<u8>> + '_>;
    fn joined(&self, inputs: &[Vec<u8>]) -> Result<Option<Vec<u8>>, InputError>;
    fn mutants(&self) -> Vec<Rule>;
    /// What is printed under the mutant of this index in [`Task::mutants`].
    fn answer_mutant(&self, input: &[u8], rule: usize) -> Result<Option<Vec<u8>>, InputError>;
    fn misread(&self) -> Vec<Rule>;
    /// The input as it is read rightly by a program that misreads it in the way of this index in
    /// [`Task::misread`]; `None` where it is written like that.
    fn written_for(&self, input: &[u8], misread: usize) -> Result<Option<Vec<u8>>, InputError>;
    /// How far inputs use the quantities of the problem.
    fn extents(&self, inputs: &[&[u8]]) -> Result<Vec<Extent>, InputError>;
    /// The largest value of this quantity in an input.
    fn size(&self, input: &[u8], quantity: &str) -> Result<Option<usize>, InputError>;
    /// A picture of each case, of at most [`PICTURES_MAX`]; the last one says how many are left
    /// out.
    ///
    /// `printed` is what a program printed for this input, whatever bytes that are: each picture
    /// shows the lines that belong to its case, and all of them if there is only one case.
    /// Identifiers begin with `prefix`, which must differ between drawings on one page.
    fn draw(
        &self,
        input: &[u8],
        printed: Option<&[u8]>,
        prefix: &str,
    ) -> Result<Vec<Picture>, InputError>;
}

impl<P: Problem> Task for P {
    fn slug(&self) -> &'static str {
        P::SLUG
    }

    fn validator(&self) -> Option<&'static str> {
        P::VALIDATOR
    }

    fn validate(&self, input: &[u8]) -> Result<Parsed<Vec<u8>>, InputError> {
        let Parsed { input, notes } = self.parse(input)?;
        let input = self.render(&input);
        Ok(Parsed { input, notes })
    }

    fn answer(&self, input: &[u8]) -> Result<Vec<u8>, InputError> {
        Ok(Problem::answer(self, &self.parse(input)?.input))
    }

    fn second_opinion(&self, input: &[u8]) -> Result<Option<Vec<u8>>, InputError> {
        let instance = self.parse(input)?.input;
        Ok(P::EXTRAS.second_opinion.map(|answer| answer(&instance)))
    }

    fn witness(&self, input: &[u8]) -> Result<Option<String>, InputError> {
        let instance = self.parse(input)?.input;
        Ok(P::EXTRAS.witness.map(|witness| witness(&instance)))
    }

    fn families(&self) -> &'static [Family] {
        P::FAMILIES
    }

    fn generate(&self, family: &str, seed: u64) -> Option<Vec<u8>> {
        Problem::generate(self, family, seed).map(|instance| self.render(&instance))
    }

    fn shrink(&self, input: &[u8]) -> Result<Vec<Vec<u8>>, InputError> {
        let simpler = (P::EXTRAS.shrink)(&self.parse(input)?.input);
        let simpler = simpler.iter().take(SHRINK_CANDIDATES_MAX);
        Ok(simpler.map(|instance| self.render(instance)).collect())
    }

    fn cases(&self, input: &[u8]) -> Result<Vec<Range<usize>>, InputError> {
        Ok((P::EXTRAS.cases)(&self.parse(input)?.input))
    }

    fn case_at(&self, input: &[u8], output_line: usize) -> Result<Option<Case>, InputError> {
        let instance = self.parse(input)?.input;
        let mut cases = (P::EXTRAS.cases)(&instance).into_iter().enumerate();
        let case = cases.find(|(_, lines)| lines.contains(&output_line));
        Ok(case.and_then(|(index, lines)| {
            let (title, alone) = (P::EXTRAS.cut)(&instance, index)?;
            Some(Case {
                title,
                input: self.render(&alone),
                expected: Problem::answer(self, &alone),
                lines,
            })
        }))
    }

    fn prefix(&self, input: &[u8], cases: usize) -> Result<Option<Vec<u8>>, InputError> {
        let prefix = (P::EXTRAS.prefix)(&self.parse(input)?.input, cases);
        Ok(prefix.map(|instance| self.render(&instance)))
    }

    fn cells(&self, input: &[u8]) -> Result<Option<usize>, InputError> {
        let instance = self.parse(input)?.input;
        Ok(P::EXTRAS.cells.map(|cells| cells(&instance)))
    }

    fn small(&self, cells: usize) -> Option<Box<dyn Iterator<Item = Vec<u8>> + '_>> {
        let small = (P::EXTRAS.small)(cells)?;
        Some(Box::new(small.map(|instance| self.render(&instance))))
    }

    fn also_small(&self, cells: usize) -> Box<dyn Iterator<Item = Vec<u8>> + '_> {
        let small = (P::EXTRAS.also_small)(cells);
        Box::new(small.map(|instance| self.render(&instance)))
    }

    fn carrying(&self, cells: usize) -> Box<dyn Iterator<Item = Vec<u8>> + '_> {
        let small = (P::EXTRAS.carrying)(cells);
        Box::new(small.map(|instance| self.render(&instance)))
    }

    fn joined(&self, inputs: &[Vec<u8>]) -> Result<Option<Vec<u8>>, InputError> {
        let instances = parsed(self, inputs.iter().map(Vec::as_slice))?;
        Ok((P::EXTRAS.joined)(&instances).map(|instance| self.render(&instance)))
    }

    fn mutants(&self) -> Vec<Rule> {
        P::EXTRAS.mutants.iter().map(|mutant| mutant.rule).collect()
    }

    fn answer_mutant(&self, input: &[u8], rule: usize) -> Result<Option<Vec<u8>>, InputError> {
        let instance = self.parse(input)?.input;
        let mutant = P::EXTRAS.mutants.get(rule);
        Ok(mutant.map(|mutant| (mutant.bytes)(&instance)))
    }

    fn misread(&self) -> Vec<Rule> {
        P::EXTRAS.misread.iter().map(|mutant| mutant.rule).collect()
    }

    fn written_for(&self, input: &[u8], misread: usize) -> Result<Option<Vec<u8>>, InputError> {
        let instance = self.parse(input)?.input;
        let misread = P::EXTRAS.misread.get(misread);
        let written = misread.map(|mutant| (mutant.bytes)(&instance));
        Ok(written.filter(|written| *written != self.render(&instance)))
    }

    fn extents(&self, inputs: &[&[u8]]) -> Result<Vec<Extent>, InputError> {
        let instances = parsed(self, inputs.iter().copied())?;
        let quantities = P::EXTRAS.quantities.iter();
        Ok(quantities
            .map(|quantity| quantity.extent(instances.iter()))
            .collect())
    }

    fn size(&self, input: &[u8], quantity: &str) -> Result<Option<usize>, InputError> {
        let instance = self.parse(input)?.input;
        let mut quantities = P::EXTRAS.quantities.iter();
        let quantity = quantities.find(|known| known.bare.name == quantity);
        Ok(quantity.and_then(|quantity| (quantity.values)(&instance).into_iter().max()))
    }

    fn draw(
        &self,
        input: &[u8],
        printed: Option<&[u8]>,
        prefix: &str,
    ) -> Result<Vec<Picture>, InputError> {
        let instance = self.parse(input)?.input;
        let cases = (P::EXTRAS.cases)(&instance);
        let mut pictures = Vec::new();
        for (index, lines) in cases.iter().enumerate().take(PICTURES_MAX) {
            let drawn = (P::EXTRAS.cut)(&instance, index).and_then(|(case, alone)| {
                let prefix = format!("{prefix}-{}", index + 1);
                Some((case, (P::EXTRAS.draw)(&alone, &prefix)?))
            });
            let Some((case, mut drawing)) = drawn else {
                break;
            };
            match printed {
                Some(printed) if cases.len() == 1 => drawing.say(printed),
                Some(printed) => drawing.say(&lines_of(printed, lines)),
                None => {}
            }
            if cases.len() > 1 {
                drawing.name_case(&case);
            }
            if index + 1 == PICTURES_MAX && cases.len() > PICTURES_MAX {
                let more = cases.len() - PICTURES_MAX;
                drawing.tell(format!("Cases of this input that are not drawn: {more}."));
            }
            pictures.push(drawing.finish());
        }
        Ok(pictures)
    }
}

fn parsed<'i, P: Problem>(
    problem: &P,
    inputs: impl Iterator<Item = &'i [u8]>,
) -> Result<Vec<P::Instance>, InputError> {
    inputs
        .map(|input| Ok(problem.parse(input)?.input))
        .collect()
}

/// These lines of a text, from 1, with their line feeds; the lines that are there where it has
/// fewer.
pub fn lines_of(text: &[u8], lines: &Range<usize>) -> Vec<u8> {
    text.split_inclusive(|&byte| byte == b'\n')
        .skip(lines.start.saturating_sub(1))
        .take(lines.len())
        .flatten()
        .copied()
        .collect()
}

/// Answers an input by both algorithms and says where they differ; `None` if they agree to the
/// byte, or if there is only one.
pub fn disagreement(task: &dyn Task, input: &[u8]) -> Result<Option<String>, InputError> {
    let Some(second) = task.second_opinion(input)? else {
        return Ok(None);
    };
    Ok(first_difference(&task.answer(input)?, &second))
}

pub(super) fn first_difference(reference: &[u8], second: &[u8]) -> Option<String> {
    if reference == second {
        return None;
    }
    let mut lines = [reference, second].map(|answer| answer.split(|&byte| byte == b'\n'));
    let mut line = 0;
    loop {
        line += 1;
        let pair = lines.each_mut().map(Iterator::next);
        // The answers differ, so this comes at the latest where the shorter one ends.
        if pair[0] != pair[1] {
            let [reference, second] = pair.map(|line| match line {
                Some(line) => format!("`{}`", String::from_utf8_lossy(line)),
                None => "nothing".to_owned(),
            });
            return Some(format!(
                "line {line} of the answer is {reference} by the reference solver and {second} by \
                 the second algorithm"
            ));
        }
    }
}

/// Whether a task can do something with an input.
type Can = fn(&dyn Task, &[u8]) -> Result<bool, InputError>;

/// What a problem could have, each with what it costs to do without.
const PARTS: [(Can, &str); 5] = [
    (
        |task, input| Ok(task.second_opinion(input)?.is_some()),
        "no second opinion: nothing shows a mistake of the reference solver",
    ),
    (
        |task, input| Ok(task.witness(input)?.is_some()),
        "no witness: nobody sees how an answer is reached",
    ),
    (
        |task, input| Ok(!task.shrink(input)?.is_empty()),
        "no shrink candidates: failing inputs cannot be made smaller",
    ),
    (
        |task, input| Ok(!task.cases(input)?.is_empty()),
        "no cases: reports show lines of the answer and not the case that went wrong",
    ),
    (
        |task, input| Ok(!task.draw(input, None, "check")?.is_empty()),
        "no pictures: reports show inputs as text only",
    ),
];

/// What these inputs show that a problem does without.
pub fn missing(task: &dyn Task, inputs: &[&[u8]]) -> Result<Vec<&'static str>, InputError> {
    let mut missing = Vec::new();
    for (can, words) in PARTS {
        let mut is_there = false;
        for input in inputs {
            is_there = is_there || can(task, input)?;
        }
        if !is_there {
            missing.push(words);
        }
    }
    Ok(missing)
}
