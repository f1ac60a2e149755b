//! The built-in problems, pure: the same bytes in give the same bytes out, with no I/O and no
//! clock.
//!
//! An author writes a [`Problem`] (typed); everybody else meets it as a [`Task`] (bytes).
//! Adding one is a folder here and two lines in this file.

mod cases;
mod families;
mod scan;
mod svg;

pub mod curling;
pub mod regions;
pub mod thegame;

use std::fmt;
use std::ops::Range;

pub use cases::{Case, PICTURES_MAX, Picture, lines_of};
pub use families::Family;
pub use scan::{Line, Scanner};
pub use svg::{Drawing, stacked};

/// The largest input that is read at all, in bytes.
pub const INPUT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The most shrink candidates that are offered for one input.
pub const SHRINK_CANDIDATES_MAX: usize = 4096;

/// The first fault of an input: where it is and why it is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong, as a fragment of a sentence without a period.
    pub reason: String,
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "line {}, column {}: {}",
            self.line, self.column, self.reason
        )
    }
}

impl std::error::Error for InputError {}

/// What an editor did to a file and the parser undid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Normalisation {
    /// Lines ended in carriage return and line feed.
    CarriageReturns,
    /// Blanks stood at the end of lines where they are not data.
    TrailingBlanks,
    /// The last line had no line feed.
    MissingFinalNewline,
    /// Empty lines followed the last line.
    EmptyLinesAtEnd,
    /// Rows had lost blanks at their end that are data.
    LostTrailingBlanks,
}

impl fmt::Display for Normalisation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CarriageReturns => "CRLF line ends made LF",
            Self::TrailingBlanks => "blanks at the end of lines removed",
            Self::MissingFinalNewline => "missing final newline added",
            Self::EmptyLinesAtEnd => "empty lines at the end removed",
            Self::LostTrailingBlanks => "blanks that rows had lost at their end restored",
        })
    }
}

/// A parsed input with what had to be normalised to read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed<T> {
    /// The input as a value.
    pub instance: T,
    /// What was undone, each kind once, in the enum's order.
    pub notes: Vec<Normalisation>,
}

/// A valid input in its normal form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Validated {
    /// The bytes to run programs on.
    pub bytes: Vec<u8>,
    /// What had to be normalised; empty where the bytes are as they were given.
    pub notes: Vec<Normalisation>,
}

/// A built-in problem as its author writes it: four methods make one, the others make it a good
/// one.
///
/// `verdictd check` says which of the others a problem does without.
pub trait Problem: Send + Sync {
    /// One whole input.
    type Instance: Clone + PartialEq + fmt::Debug;

    /// Reads an input strictly; see the module for what is forgiven.
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
    /// [`SHRINK_CANDIDATES_MAX`].
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
    /// Draws an input of one case and how its answer is reached. A drawing without a title is no
    /// picture.
    fn draw(&self, _instance: &Self::Instance, _sheet: &mut Drawing) {}
}

/// A built-in problem as the rest of the crate meets it: bytes in, bytes out.
pub trait Task: Send + Sync {
    /// The folder name below `problems/`.
    fn slug(&self) -> &'static str;
    /// Checks an input and gives it in its normal form.
    fn validate(&self, input: &[u8]) -> Result<Validated, InputError>;
    /// The bytes that a right program prints for this input.
    fn answer(&self, input: &[u8]) -> Result<Vec<u8>, InputError>;
    /// The same bytes, found by another algorithm; where they differ from [`Task::answer`], one of
    /// the two is wrong.
    fn second_opinion(&self, input: &[u8]) -> Result<Option<Vec<u8>>, InputError>;
    /// How each answer is reached, as plain text for a person.
    fn witness(&self, input: &[u8]) -> Result<Option<String>, InputError>;
    /// The families of [`Task::generate`], the default one first.
    fn families(&self) -> &'static [Family];
    /// Makes an input from a family's name and a seed.
    fn generate(&self, family: &str, seed: u64) -> Option<Vec<u8>>;
    /// Valid inputs one step simpler than this one.
    fn shrink(&self, input: &[u8]) -> Result<Vec<Vec<u8>>, InputError>;
    /// For each case in its order the lines of the answer that belong to it, from 1.
    fn cases(&self, input: &[u8]) -> Result<Vec<Range<usize>>, InputError>;
    /// The case that this line of the answer (from 1) belongs to; `None` beyond the end of the
    /// answer.
    fn case_at(&self, input: &[u8], output_line: usize) -> Result<Option<Case>, InputError>;
    /// A picture of each case, of at most [`PICTURES_MAX`]; the last one says how many are left
    /// out.
    ///
    /// `said` is what a program printed for this input, whatever bytes that are: each picture shows
    /// the lines that belong to its case, and all of them where there is one case.
    /// Identifiers begin with `prefix`, which must differ between drawings on one page.
    fn draw(
        &self,
        input: &[u8],
        said: Option<&[u8]>,
        prefix: &str,
    ) -> Result<Vec<Picture>, InputError>;
}

/// A problem by its name.
struct BuiltIn<P> {
    slug: &'static str,
    problem: P,
}

impl<P: Problem> BuiltIn<P> {
    fn instance(&self, input: &[u8]) -> Result<P::Instance, InputError> {
        Ok(self.problem.parse(input)?.instance)
    }
}

impl<P: Problem> Task for BuiltIn<P> {
    fn slug(&self) -> &'static str {
        self.slug
    }

    fn validate(&self, input: &[u8]) -> Result<Validated, InputError> {
        let parsed = self.problem.parse(input)?;
        Ok(Validated {
            bytes: self.problem.render(&parsed.instance),
            notes: parsed.notes,
        })
    }

    fn answer(&self, input: &[u8]) -> Result<Vec<u8>, InputError> {
        Ok(self.problem.answer(&self.instance(input)?))
    }

    fn second_opinion(&self, input: &[u8]) -> Result<Option<Vec<u8>>, InputError> {
        Ok(self.problem.second_opinion(&self.instance(input)?))
    }

    fn witness(&self, input: &[u8]) -> Result<Option<String>, InputError> {
        Ok(self.problem.witness(&self.instance(input)?))
    }

    fn families(&self) -> &'static [Family] {
        self.problem.families()
    }

    fn generate(&self, family: &str, seed: u64) -> Option<Vec<u8>> {
        let instance = self.problem.generate(family, seed)?;
        Some(self.problem.render(&instance))
    }

    fn shrink(&self, input: &[u8]) -> Result<Vec<Vec<u8>>, InputError> {
        let candidates = self.problem.shrink(&self.instance(input)?);
        Ok(candidates
            .iter()
            .take(SHRINK_CANDIDATES_MAX)
            .map(|candidate| self.problem.render(candidate))
            .collect())
    }

    fn cases(&self, input: &[u8]) -> Result<Vec<Range<usize>>, InputError> {
        Ok(self.problem.cases(&self.instance(input)?))
    }

    fn case_at(&self, input: &[u8], output_line: usize) -> Result<Option<Case>, InputError> {
        let instance = self.instance(input)?;
        let cases = self.problem.cases(&instance);
        let found = cases
            .into_iter()
            .enumerate()
            .find(|(_, lines)| lines.contains(&output_line));
        Ok(found.and_then(|(index, lines)| {
            let (title, alone) = self.problem.cut(&instance, index)?;
            Some(Case {
                title,
                input: self.problem.render(&alone),
                expected: self.problem.answer(&alone),
                lines,
            })
        }))
    }

    fn draw(
        &self,
        input: &[u8],
        said: Option<&[u8]>,
        prefix: &str,
    ) -> Result<Vec<Picture>, InputError> {
        let instance = self.instance(input)?;
        let cases = self.problem.cases(&instance);
        let mut pictures = Vec::new();
        for (index, lines) in cases.iter().enumerate().take(PICTURES_MAX) {
            let Some((case, alone)) = self.problem.cut(&instance, index) else {
                break;
            };
            let mut drawing = Drawing::new(&format!("{prefix}-{}", index + 1));
            self.problem.draw(&alone, &mut drawing);
            if !drawing.is_entitled() {
                break;
            }
            match said {
                Some(said) if cases.len() == 1 => drawing.say(said),
                Some(said) => drawing.say(&lines_of(said, lines)),
                None => {}
            }
            if cases.len() > 1 {
                drawing.name_case(case);
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

/// Where the reference solver and the second opinion part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// The first line of the answers that is not the same, from 1.
    pub line: usize,
    /// That line as the reference solver has it; `None` where its answer has ended.
    pub reference: Option<String>,
    /// That line as the second opinion has it.
    pub second: Option<String>,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = |line: &Option<String>| match line {
            Some(line) => format!("`{line}`"),
            None => "nothing".to_owned(),
        };
        write!(
            f,
            "line {} of the answer is {} by the reference solver and {} by the second algorithm",
            self.line,
            said(&self.reference),
            said(&self.second)
        )
    }
}

/// Answers an input by both algorithms; `None` where they agree to the byte, or where there is one.
pub fn disagreement(task: &dyn Task, input: &[u8]) -> Result<Option<Disagreement>, InputError> {
    let Some(second) = task.second_opinion(input)? else {
        return Ok(None);
    };
    Ok(first_difference(&task.answer(input)?, &second))
}

/// What a problem could have and these inputs show that it does without, each with what that costs.
pub fn missing(task: &dyn Task, inputs: &[&[u8]]) -> Result<Vec<&'static str>, InputError> {
    let (mut second, mut witness, mut shrink, mut cases, mut pictures) =
        (false, false, false, false, false);
    for input in inputs {
        second |= task.second_opinion(input)?.is_some();
        witness |= task.witness(input)?.is_some();
        shrink |= !task.shrink(input)?.is_empty();
        cases |= !task.cases(input)?.is_empty();
        pictures |= !task.draw(input, None, "check")?.is_empty();
    }
    let parts = [
        (
            second,
            "no second opinion: nothing shows a mistake of the reference solver",
        ),
        (witness, "no witness: nobody sees how an answer is reached"),
        (
            shrink,
            "no shrink candidates: failing inputs cannot be made smaller",
        ),
        (
            cases,
            "no cases: reports show lines of the answer and not the case that went wrong",
        ),
        (pictures, "no pictures: reports show inputs as text only"),
    ];
    let missing = parts.into_iter().filter(|(is_there, _)| !is_there);
    Ok(missing.map(|(_, words)| words).collect())
}

fn first_difference(reference: &[u8], second: &[u8]) -> Option<Disagreement> {
    if reference == second {
        return None;
    }
    let mut lines = [reference, second].map(|answer| answer.split(|&byte| byte == b'\n'));
    let mut line = 0;
    loop {
        line += 1;
        let [reference, second] = lines.each_mut().map(Iterator::next);
        // The answers differ, so this comes at the latest where the shorter one ends.
        if reference != second {
            let shown = |line: Option<&[u8]>| line.map(|line| String::from_utf8_lossy(line).into());
            return Some(Disagreement {
                line,
                reference: shown(reference),
                second: shown(second),
            });
        }
    }
}

/// Every built-in problem, in the order in which they are shown.
pub static ALL: [&dyn Task; 3] = [
    &BuiltIn {
        slug: "curling",
        problem: curling::Curling,
    },
    &BuiltIn {
        slug: "thegame",
        problem: thegame::TheGame,
    },
    &BuiltIn {
        slug: "regions",
        problem: regions::Regions,
    },
];

/// The built-in problem of this name.
pub fn find(slug: &str) -> Option<&'static dyn Task> {
    ALL.into_iter().find(|task| task.slug() == slug)
}

#[cfg(test)]
mod tests;
