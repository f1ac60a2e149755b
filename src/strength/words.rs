//! What is found out about the tests of a problem, for people.

use super::strong::{Bound, CourseSearch, HackSearch, Hit, KilledByOne, Mutant, Strength, Timed};
use crate::util::words::amount;
use crate::view::{Page, Show, Span, Style};

/// Bytes of an input that are shown.
const SHOWN_BYTES_MAX: usize = 2 * 1024;

impl Strength {
    /// The whole in a few sentences.
    pub fn summary(&self) -> String {
        let of = |killed: usize, all: usize, what| format!("{killed} of {}", amount(all, what));
        let programs = self.programs.iter().filter(|one| one.is_killed()).count();
        let mutants = self.mutants.iter();
        let mutants = mutants.filter(|one| one.subject.is_killed()).count();
        let mut killed = of(programs, self.programs.len(), "wrong or slow program");
        if !self.mutants.is_empty() {
            let rules = of(mutants, self.mutants.len(), "mutant");
            killed = format!("{killed} and {rules}");
        }
        let tests = amount(self.tests.len(), "test");
        let mut words = vec![format!("{tests}; they kill {killed}.")];
        let near = |times: &[Timed]| times.iter().filter(|one| !one.is_fine).count();
        let (hits, faults) = (self.hack_search.hits.len(), self.faults.len());
        let (slow, intended) = (near(&self.slow), near(&self.intended));
        for (count, what, fate) in [
            (
                hits,
                "accepted example",
                "broken by an input that was found",
            ),
            (
                slow,
                "slow program",
                "too near to the limit: less than twice of it",
            ),
            (
                intended,
                "intended solution",
                "too near to the limit: more than half of it",
            ),
            (faults, "program", "not tried, because of a fault"),
        ] {
            if count > 0 {
                let verb = if count == 1 { "is" } else { "are" };
                words.push(format!("{} {verb} {fate}.", amount(count, what)));
            }
        }
        words.join(" ")
    }

    /// The bounds that no test meets, as sentences.
    pub fn unmet(&self) -> Vec<String> {
        self.bounds.iter().flat_map(Bound::unmet).collect()
    }
}

impl Show for Strength {
    fn show(&self, page: &mut Page) {
        let conclusions = &self.conclusions;
        page.line(format!("{}: {}", self.title, self.summary()));
        for name in &conclusions.survivors {
            page.tagged(Style::Bad.on("survives"), name);
            let mut mutants = self.mutants.iter();
            if let Some(mutant) = mutants.find(|mutant| mutant.subject.name == *name) {
                mutant.show_missing(page);
            }
        }
        let undecided = conclusions.undecided.iter();
        let undecided = undecided.map(|name| format!("{name}, which was not run on every test"));
        page.each(&Style::Warn.on("undecided"), undecided);
        for KilledByOne { name, test } in &conclusions.killed_by_one {
            page.line(format!("only {test} kills {name}"));
        }
        if !conclusions.redundant_tests.is_empty() {
            page.line(format!(
                "Redundant tests: {}.",
                conclusions.redundant_tests.join(", ")
            ));
        }
        for words in self.unmet() {
            page.line(format!("bound not met: {words}"));
        }
        for (title, times) in [("INTENDED", &self.intended), ("SLOW FAMILY", &self.slow)] {
            if !times.is_empty() {
                let header = [
                    title,
                    "LANGUAGE",
                    "HEAVIEST TEST",
                    "CPU TIME",
                    "OF THE LIMIT",
                ];
                page.table(&header, times.iter().map(Timed::cells).collect());
            }
        }
        let words = self.advice.iter().cloned();
        for words in words.chain(self.hack_search.words()) {
            page.line(words);
        }
        for hit in &self.hack_search.hits {
            page.tagged(
                Style::Bad.on("fails"),
                format!("{}: {}", hit.name, hit.words()),
            );
            show_input(&hit.input, page);
        }
        page.each(&Style::Warn.on("not tried"), &self.untried);
        page.each(&Style::Bad.on("fault"), &self.faults);
    }
}

fn show_input(input: &str, page: &mut Page) {
    page.text("    ", &input[..input.floor_char_boundary(SHOWN_BYTES_MAX)]);
}

impl Mutant {
    fn show_missing(&self, page: &mut Page) {
        page.line(format!("  {}", self.summary));
        match &self.missing {
            None => page.line("  No input was found that would kill it."),
            Some(input) => {
                page.line("  This input would kill it:");
                show_input(input, page);
            }
        }
    }
}

impl Bound {
    fn unmet(&self) -> Vec<String> {
        let Self {
            name, least, most, ..
        } = self;
        let Some((met_least, met_most)) = self.met_least.zip(self.met_most) else {
            return vec![format!("{name}: no test has any")];
        };
        let mut words = Vec::new();
        if met_least > *least {
            words.push(format!(
                "{name}: {least} is allowed, the least in a test is {met_least}"
            ));
        }
        if met_most < *most {
            let purpose = self.on_purpose;
            let purpose = purpose.map(|why| format!(" (on purpose: {why})"));
            words.push(format!(
                "{name}: {most} is allowed, the most in a test is {met_most}{}",
                purpose.unwrap_or_default()
            ));
        }
        words
    }
}

impl Timed {
    fn cells(&self) -> Vec<Span> {
        let style = if self.is_fine {
            Style::Good
        } else {
            Style::Warn
        };
        vec![
            self.name.as_str().into(),
            self.language.as_str().into(),
            self.test.as_str().into(),
            format!("{:.2} s", self.cpu_s).into(),
            style.on(format!("{:.2} ×", self.share)),
        ]
    }
}

impl HackSearch {
    /// What it has brought, as sentences.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if self.examples > 0 {
            let hits = match self.hits.len() {
                0 => "none breaks one of them".to_owned(),
                count => format!("{count} of them broken"),
            };
            words.push(format!(
                "{} tried on {}: {hits}.",
                amount(self.examples, "accepted example"),
                amount(self.inputs, "further input"),
            ));
        }
        words.extend(self.course.as_ref().map(|CourseSearch { hacks, found }| {
            format!(
                "In this course {} searched in idle time, and {} found: {} accepted, {} rejected, {} to be decided.",
                were(hacks.attacked, "accepted submission"),
                were(*found, "hack"),
                hacks.accepted,
                hacks.rejected,
                hacks.waiting,
            )
        }));
        words
    }
}

impl Hit {
    /// What follows from it.
    pub fn words(&self) -> String {
        let follows = if self.verdict.is_limit() {
            "the limit is too low for it, or the bounds of the input are too high"
        } else {
            "the example or the reference is wrong"
        };
        format!("{} on this input: {follows}", self.verdict.words())
    }
}

/// How many there were.
fn were(count: usize, what: &str) -> String {
    let verb = if count == 1 { "was" } else { "were" };
    format!("{} {verb}", amount(count, what))
}

#[cfg(test)]
mod tests {
    use crate::problems::Extent;
    use crate::strength::strong::Bound;

    #[test]
    fn bounds_that_no_test_meets_are_named() {
        let met = [Some(1..=9), Some(2..=9), Some(2..=8), None];
        let unmet = met.map(|met| {
            let extent = Extent {
                name: "width",
                bounds: 1..=9,
                beyond: None,
                met,
            };
            Bound::of(&extent).unmet().len()
        });
        assert_eq!(unmet, [0, 1, 2, 1]);
    }
}
