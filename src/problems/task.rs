//! A built-in problem as the rest of the crate meets it: bytes in, bytes out.

use std::ops::Range;

use super::bent::{Bent, Extent, Misread, Rule};
use super::cases::{Case, PICTURES_MAX, Picture, lines_of};
use super::families::Family;
use super::input::{InputError, Parsed};
use super::ladder::Ladder;
use super::problem::Problem;
use super::shrink::SHRINK_CANDIDATES_MAX;
use super::svg::Drawing;

/// A [`Problem`] on bytes; methods of the same name mean the same.
pub trait Task: Send + Sync {
    fn slug(&self) -> &'static str;
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
    fn joined(&self, inputs: &[Vec<u8>]) -> Result<Option<Vec<u8>>, InputError>;
    fn bent(&self) -> Vec<Rule>;
    /// What is printed under the bent rule of this index in [`Task::bent`].
    fn answer_bent(&self, input: &[u8], rule: usize) -> Result<Option<Vec<u8>>, InputError>;
    fn misread(&self) -> Vec<Rule>;
    /// The input as it is read rightly by a program that misreads it in the way of this index in
    /// [`Task::misread`]; `None` where it is written like that.
    fn written_for(&self, input: &[u8], misread: usize) -> Result<Option<Vec<u8>>, InputError>;
    /// How far inputs use the quantities of the problem.
    fn extents(&self, inputs: &[&[u8]]) -> Result<Vec<Extent>, InputError>;
    fn ladders(&self) -> &'static [Ladder];
    fn rung(&self, ladder: usize, size: u16) -> Option<Vec<u8>>;
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

    fn validate(&self, input: &[u8]) -> Result<Parsed<Vec<u8>>, InputError> {
        let Parsed { input, notes } = self.parse(input)?;
        let input = self.render(&input);
        Ok(Parsed { input, notes })
    }

    fn answer(&self, input: &[u8]) -> Result<Vec<u8>, InputError> {
        Ok(Problem::answer(self, &self.parse(input)?.input))
    }

    fn second_opinion(&self, input: &[u8]) -> Result<Option<Vec<u8>>, InputError> {
        Ok(Problem::second_opinion(self, &self.parse(input)?.input))
    }

    fn witness(&self, input: &[u8]) -> Result<Option<String>, InputError> {
        Ok(Problem::witness(self, &self.parse(input)?.input))
    }

    fn families(&self) -> &'static [Family] {
        Problem::families(self)
    }

    fn generate(&self, family: &str, seed: u64) -> Option<Vec<u8>> {
        Problem::generate(self, family, seed).map(|instance| self.render(&instance))
    }

    fn shrink(&self, input: &[u8]) -> Result<Vec<Vec<u8>>, InputError> {
        let simpler = Problem::shrink(self, &self.parse(input)?.input);
        let simpler = simpler.iter().take(SHRINK_CANDIDATES_MAX);
        Ok(simpler.map(|instance| self.render(instance)).collect())
    }

    fn cases(&self, input: &[u8]) -> Result<Vec<Range<usize>>, InputError> {
        Ok(Problem::cases(self, &self.parse(input)?.input))
    }

    fn case_at(&self, input: &[u8], output_line: usize) -> Result<Option<Case>, InputError> {
        let instance = self.parse(input)?.input;
        let cases = Problem::cases(self, &instance).into_iter().enumerate();
        let case = cases
            .filter(|(_, lines)| lines.contains(&output_line))
            .find_map(|(index, lines)| {
                let (title, alone) = self.cut(&instance, index)?;
                Some(Case {
                    title,
                    input: self.render(&alone),
                    expected: Problem::answer(self, &alone),
                    lines,
                })
            });
        Ok(case)
    }

    fn prefix(&self, input: &[u8], cases: usize) -> Result<Option<Vec<u8>>, InputError> {
        let prefix = Problem::prefix(self, &self.parse(input)?.input, cases);
        Ok(prefix.map(|instance| self.render(&instance)))
    }

    fn cells(&self, input: &[u8]) -> Result<Option<usize>, InputError> {
        Ok(Problem::cells(self, &self.parse(input)?.input))
    }

    fn small(&self, cells: usize) -> Option<Box<dyn Iterator<Item = Vec<u8>> + '_>> {
        let small = Problem::small(self, cells)?;
        Some(Box::new(small.map(|instance| self.render(&instance))))
    }

    fn also_small(&self, cells: usize) -> Box<dyn Iterator<Item = Vec<u8>> + '_> {
        let small = Problem::also_small(self, cells);
        Box::new(small.map(|instance| self.render(&instance)))
    }

    fn joined(&self, inputs: &[Vec<u8>]) -> Result<Option<Vec<u8>>, InputError> {
        let instances = inputs.iter().map(|input| Ok(self.parse(input)?.input));
        let instances = instances.collect::<Result<Vec<_>, InputError>>()?;
        Ok(Problem::joined(self, &instances).map(|instance| self.render(&instance)))
    }

    fn bent(&self) -> Vec<Rule> {
        Problem::bent(self).iter().map(Bent::rule).collect()
    }

    fn answer_bent(&self, input: &[u8], rule: usize) -> Result<Option<Vec<u8>>, InputError> {
        let Some(bent) = Problem::bent(self).get(rule) else {
            return Ok(None);
        };
        Ok(Some((bent.answer)(&self.parse(input)?.input)))
    }

    fn misread(&self) -> Vec<Rule> {
        Problem::misread(self).iter().map(Misread::rule).collect()
    }

    fn written_for(&self, input: &[u8], misread: usize) -> Result<Option<Vec<u8>>, InputError> {
        let Some(misread) = Problem::misread(self).get(misread) else {
            return Ok(None);
        };
        let instance = self.parse(input)?.input;
        let written = (misread.written)(&instance);
        Ok(Some(written).filter(|written| *written != self.render(&instance)))
    }

    fn extents(&self, inputs: &[&[u8]]) -> Result<Vec<Extent>, InputError> {
        let instances = inputs.iter().map(|input| Ok(self.parse(input)?.input));
        let instances = instances.collect::<Result<Vec<_>, InputError>>()?;
        let quantities = Problem::quantities(self).iter();
        Ok(quantities
            .map(|quantity| quantity.extent(instances.iter()))
            .collect())
    }

    fn ladders(&self) -> &'static [Ladder] {
        Problem::ladders(self)
    }

    fn rung(&self, ladder: usize, size: u16) -> Option<Vec<u8>> {
        Problem::rung(self, ladder, size).map(|instance| self.render(&instance))
    }

    fn draw(
        &self,
        input: &[u8],
        printed: Option<&[u8]>,
        prefix: &str,
    ) -> Result<Vec<Picture>, InputError> {
        let instance = self.parse(input)?.input;
        let cases = Problem::cases(self, &instance);
        let mut pictures = Vec::new();
        for (index, lines) in cases.iter().enumerate().take(PICTURES_MAX) {
            let Some((case, alone)) = self.cut(&instance, index) else {
                break;
            };
            let mut drawing = Drawing::new(&format!("{prefix}-{}", index + 1));
            Problem::draw(self, &alone, &mut drawing);
            if !drawing.is_entitled() {
                break;
            }
            match printed {
                Some(printed) if cases.len() == 1 => drawing.say(printed),
                Some(printed) => drawing.say(&lines_of(printed, lines)),
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
