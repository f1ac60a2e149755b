//! What of an explanation is told in a report, to whom and in which words: bounded and printable.

use super::explained::{
    CounterexamplePart, ExplanationPart, GrowthPart, GrowthPointPart, ReasonPart,
};
use super::units::{NAME_CHARACTERS_MAX, SENTENCE_CHARACTERS_MAX, line};
use crate::domain::{Counterexample, Explanation, Growth, GrowthPoint, Reason, Verdict};
use crate::util::words::amount;

/// An input or an output, in bytes; of a longer one the beginning is shown.
const TEXT_BYTES_MAX: usize = 16 * 1024;
/// Reasons of one report.
const CAUSES_MAX: usize = 20;
/// Measurements of one report.
const POINTS_MAX: usize = 100;

impl ExplanationPart {
    /// What a report tells of an explanation; `task` is the built-in problem, if it is one.
    pub fn of(found: &Explanation, task: Option<&str>, is_shown: bool) -> Self {
        let counterexample = found.counterexample.as_ref();
        Self {
            counterexample: counterexample.map(|found| CounterexamplePart::of(found, task)),
            causes: found.causes.iter().take(CAUSES_MAX).map(reason).collect(),
            growth: found.growth.as_ref().map(growth),
            runs: found.runs,
            cpu_ms: found.cpu_ms,
            is_shown,
        }
    }

    /// What its student may see, if there is anything. What was printed on a hidden test may not
    /// be told, and neither may that test or a part of it.
    pub(super) fn for_student(self, is_test_hidden: bool) -> Option<Self> {
        let is_shown = self.is_shown;
        let may_be_shown =
            |found: &CounterexamplePart| is_shown && found.may_be_shown(is_test_hidden);
        let shown = Self {
            counterexample: self.counterexample.filter(may_be_shown),
            causes: if is_test_hidden {
                Vec::new()
            } else {
                self.causes
            },
            growth: self.growth.filter(|_| is_shown),
            ..self
        };
        let is_empty =
            shown.counterexample.is_none() && shown.causes.is_empty() && shown.growth.is_none();
        (!is_empty).then_some(shown)
    }
}

impl CounterexamplePart {
    /// What a report tells of an input that makes a program fail.
    pub fn of(found: &Counterexample, task: Option<&str>) -> Self {
        let texts = [&found.input, &found.expected, &found.printed];
        let cut = texts.iter().any(|text| text.len() > TEXT_BYTES_MAX);
        let [input, expected, printed] = texts.map(|text| beginning(text).to_owned());
        Self {
            input,
            expected,
            printed,
            cut,
            task: task.filter(|_| !cut).map(str::to_owned),
            cells: found.cells,
            cases: found.cases,
            is_carried_over: found.is_carried_over,
            found_by: line(&found.found_by, NAME_CHARACTERS_MAX),
            witness: found
                .witness
                .as_ref()
                .map(|words| beginning(words).to_owned()),
        }
    }

    /// Whether a student may see it at some time; `is_test_hidden`: the failing test.
    pub(super) fn may_be_shown(&self, is_test_hidden: bool) -> bool {
        !is_test_hidden || self.is_our_own()
    }

    /// Whether nothing of a test is in it. What was made from a test step by step may have only lost
    /// some of its cases, or a row.
    fn is_our_own(&self) -> bool {
        self.found_by == "enumeration" || self.found_by.starts_with("family ")
    }

    /// Its size, for people.
    pub fn size(&self) -> String {
        match self.cells {
            Some(cells) => amount(usize::try_from(cells).unwrap_or(usize::MAX), "cell"),
            None => amount(self.input.len(), "byte"),
        }
    }

    /// How it was found, and what that says of it.
    pub fn words(&self, verdict: Verdict) -> String {
        let how = match self.found_by.as_str() {
            "test" => "This is the failing test itself; nothing smaller was found.".to_owned(),
            "cut" => "This is the failing case of the test, run alone.".to_owned(),
            "prefix" => "This is the beginning of the test, up to the case that fails.".to_owned(),
            "enumeration" => {
                "It was found among small inputs; none with fewer cells was found.".to_owned()
            }
            "shrink" => "It was made from the failing test, step by step.".to_owned(),
            family => match family.strip_prefix("family ") {
                Some(name) => format!("It was made from a generated input ({name})."),
                None => "It was found by running your program on further inputs.".to_owned(),
            },
        };
        if self.cases > 1 && verdict.is_limit() {
            return format!(
                "{how} The limit is for the input as a whole, not for each of its cases."
            );
        }
        if self.is_carried_over {
            return format!(
                "{how} The last case alone is answered rightly, so the program carries state over \
                 from the cases before it: look for what is not reset between two cases."
            );
        }
        how
    }
}

impl GrowthPart {
    /// What was measured, as far as the report has it.
    pub(super) fn measured(&self) -> Growth {
        let point = |point: &GrowthPointPart| GrowthPoint {
            size: point.size,
            cpu_us: point.cpu_us,
            is_stopped: point.is_stopped,
        };
        Growth {
            quantity: self.quantity.clone(),
            points: self.points.iter().map(point).collect(),
            law: self.law.clone(),
            summary: self.summary.clone(),
        }
    }
}

/// At most so much of a text as is shown.
fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(TEXT_BYTES_MAX)]
}

fn reason(reason: &Reason) -> ReasonPart {
    ReasonPart {
        code: line(&reason.code, NAME_CHARACTERS_MAX),
        summary: line(&reason.summary, SENTENCE_CHARACTERS_MAX),
        evidence: line(&reason.evidence, SENTENCE_CHARACTERS_MAX),
    }
}

fn growth(growth: &Growth) -> GrowthPart {
    let point = |point: &GrowthPoint| GrowthPointPart {
        size: point.size,
        cpu_us: point.cpu_us,
        is_stopped: point.is_stopped,
    };
    GrowthPart {
        quantity: line(&growth.quantity, NAME_CHARACTERS_MAX),
        points: growth.points.iter().take(POINTS_MAX).map(point).collect(),
        law: growth
            .law
            .as_ref()
            .map(|law| line(law, NAME_CHARACTERS_MAX)),
        summary: line(&growth.summary, SENTENCE_CHARACTERS_MAX),
    }
}
