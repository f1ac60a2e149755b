//! Everything that is found out about the tests of a problem, and the object that programs read.

use std::time::Duration;

use serde_json::{Value, json};

use super::matrix::{Conclusions, Mark, Row};
use super::mutants::Mutant;
use super::programs::{Kind, Tried};
use super::times::{Timed, advice};
use super::yields::{HackSearch, Hit};
use crate::problems::Extent;
use crate::store::HackYield;
use crate::util::excerpt::spelled;
use crate::util::words::amount;

/// How good the tests of a problem are.
#[derive(Debug, Clone)]
pub struct Strength {
    pub problem: String,
    pub title: String,
    /// The problem's own time limit.
    pub limit: Duration,
    /// The names of the tests.
    pub tests: Vec<String>,
    pub programs: Vec<Tried>,
    pub mutants: Vec<Mutant>,
    pub extents: Vec<Extent>,
    pub hack_search: HackSearch,
    /// Programs that cannot be tried, each with its reason.
    pub untried: Vec<String>,
    /// Programs that would have been tried if nothing had failed on this side, each with what did.
    pub faults: Vec<String>,
}

impl Strength {
    /// The rows of the matrix: programs that should fail, then bent rules.
    pub fn rows(&self) -> Vec<&Row> {
        let programs = self.programs.iter();
        let wrong = programs.filter(|tried| tried.kind != Kind::Intended);
        let wrong = wrong.map(|tried| &tried.row);
        wrong
            .chain(self.mutants.iter().map(|mutant| &mutant.row))
            .collect()
    }

    pub fn conclusions(&self) -> Conclusions {
        Conclusions::of(&self.rows(), self.tests.len())
    }

    /// The times of the programs of a kind, the longest first.
    pub fn times(&self, kind: Kind) -> Vec<Timed> {
        let programs = self.programs.iter().filter(|tried| tried.kind == kind);
        let mut times: Vec<Timed> = programs.filter_map(Timed::of).collect();
        times.sort_by(|one, other| other.share().total_cmp(&one.share()));
        times
    }

    /// What there is to say of the limit.
    pub fn advice(&self) -> Option<String> {
        advice(
            &self.times(Kind::Slow),
            &self.times(Kind::Intended),
            self.limit,
        )
    }

    /// Whether the tests kill everything that they should.
    pub fn is_strong(&self) -> bool {
        self.conclusions().survivors.is_empty()
    }

    /// The whole in a few sentences.
    pub fn summary(&self) -> String {
        let rows = self.rows();
        let (programs, mutants) = rows.split_at(self.wrong_programs());
        let killed = |rows: &[&Row]| rows.iter().filter(|row| row.is_killed()).count();
        let of = |rows: &[&Row], what| {
            let rows = (killed(rows), amount(rows.len(), what));
            format!("{} of {}", rows.0, rows.1)
        };
        let killed_rules = if mutants.is_empty() {
            String::new()
        } else {
            format!(" and {}", of(mutants, "bent rule"))
        };
        let mut words = vec![format!(
            "{}; they kill {}{killed_rules}.",
            amount(self.tests.len(), "test"),
            of(programs, "wrong or slow program")
        )];
        let too_near = |kind| self.times(kind).iter().filter(|one| !one.is_fine).count();
        for (count, what, fate) in [
            (
                self.hack_search.hits.len(),
                "accepted example",
                "broken by an input that was found",
            ),
            (
                too_near(Kind::Slow),
                "slow program",
                "too near to the limit: less than twice of it",
            ),
            (
                too_near(Kind::Intended),
                "intended solution",
                "too near to the limit: more than half of it",
            ),
            (
                self.faults.len(),
                "program",
                "not tried, because of a fault",
            ),
        ] {
            if count > 0 {
                let verb = if count == 1 { "is" } else { "are" };
                words.push(format!("{} {verb} {fate}.", amount(count, what)));
            }
        }
        words.join(" ")
    }

    /// Rows of the matrix that are programs.
    pub fn wrong_programs(&self) -> usize {
        self.rows().len() - self.mutants.len()
    }

    /// What the search for inputs that break accepted programs has brought, as sentences.
    pub fn yields(&self) -> Vec<String> {
        let search = &self.hack_search;
        let hits = match search.hits.len() {
            0 => "none breaks one of them".to_owned(),
            count => format!("{count} of them broken"),
        };
        let mut words = Vec::new();
        if search.examples > 0 {
            words.push(format!(
                "{} tried on {}: {hits}.",
                amount(search.examples, "accepted example"),
                amount(search.inputs, "further input"),
            ));
        }
        words.extend(search.course.as_ref().map(|course| {
            format!(
                "In this course {} searched in idle time, and {} found: {} accepted, {} rejected, {} to be decided.",
                were(course.attacked, "accepted submission"),
                were(course.found(), "hack"),
                course.accepted,
                course.rejected,
                course.waiting,
            )
        }));
        words
    }

    /// The bounds that no test meets, as sentences.
    pub fn unmet(&self) -> Vec<String> {
        self.extents.iter().flat_map(unmet).collect()
    }

    /// What programs read.
    pub fn object(&self) -> Value {
        let conclusions = self.conclusions();
        let rows = self.rows();
        let name = |test: usize| self.tests[test].as_str();
        let names = |found: &[usize]| -> Vec<&str> {
            found.iter().map(|&at| rows[at].name.as_str()).collect()
        };
        let row = |row: &Row| {
            json!({
                "name": row.name,
                "killed_by": row.killers().map(name).collect::<Vec<_>>(),
                "marks": row.marks.iter().map(|mark| sign(*mark)).collect::<Vec<_>>(),
            })
        };
        let programs: Vec<Value> = rows[..self.wrong_programs()]
            .iter()
            .map(|one| row(one))
            .collect();
        let mutants = self.mutants.iter().map(|mutant| {
            let mut object = row(&mutant.row);
            object["summary"] = mutant.rule.summary.into();
            object["missing"] = mutant.missing.as_deref().map(spelled).into();
            object
        });
        let time = |timed: &Timed| {
            json!({
                "name": timed.name, "language": timed.language, "test": name(timed.test),
                "cpu_s": timed.cpu.as_secs_f64(), "limit_s": timed.limit.as_secs_f64(),
                "share": timed.share(), "is_fine": timed.is_fine,
            })
        };
        let times = |kind| self.times(kind).iter().map(time).collect::<Vec<_>>();
        let bounds = self.extents.iter().map(|extent| {
            json!({
                "name": extent.name, "least": extent.bounds.start(), "most": extent.bounds.end(),
                "met_least": extent.met.as_ref().map(|met| *met.start()),
                "on_purpose": extent.beyond,
                "met_most": extent.met.as_ref().map(|met| *met.end()),
            })
        });
        json!({
            "problem": self.problem, "title": self.title, "tests": self.tests,
            "programs": programs, "mutants": mutants.collect::<Vec<_>>(),
            "survivors": names(&conclusions.survivors),
            "undecided": names(&conclusions.undecided),
            "killed_by_one": conclusions.by_one.iter()
                .map(|&(at, test)| json!({"name": rows[at].name, "test": name(test)}))
                .collect::<Vec<_>>(),
            "nothing_new": conclusions.nothing_new.iter().map(|&test| name(test)).collect::<Vec<_>>(),
            "bounds": bounds.collect::<Vec<_>>(),
            "slow": times(Kind::Slow), "intended": times(Kind::Intended),
            "hack_search": hack_search(&self.hack_search),
            "advice": self.advice(), "untried": self.untried,
            "faults": self.faults,
        })
    }
}

/// How many there were.
fn were(count: usize, what: &str) -> String {
    let verb = if count == 1 { "was" } else { "were" };
    format!("{} {verb}", amount(count, what))
}

fn hack_search(search: &HackSearch) -> Value {
    let hit = |hit: &Hit| {
        json!({
            "name": hit.name, "verdict": hit.verdict.code(), "input": spelled(&hit.input),
        })
    };
    let course = |course: &HackYield| {
        json!({
            "attacked": course.attacked, "found": course.found(), "accepted": course.accepted,
            "rejected": course.rejected, "waiting": course.waiting,
        })
    };
    json!({
        "examples": search.examples, "inputs": search.inputs,
        "hits": search.hits.iter().map(hit).collect::<Vec<_>>(),
        "course": search.course.as_ref().map(course),
    })
}

/// A verdict's code, `AC` where it passes, nothing where it was not run.
pub fn sign(mark: Mark) -> Option<&'static str> {
    match mark {
        Mark::Passed => Some("AC"),
        Mark::Killed(verdict) => Some(verdict.code()),
        Mark::NotRun => None,
    }
}

fn unmet(extent: &Extent) -> Vec<String> {
    let name = extent.name;
    let (least, most) = (extent.bounds.start(), extent.bounds.end());
    let Some(met) = &extent.met else {
        return vec![format!("{name}: no test has any")];
    };
    let mut words = Vec::new();
    if met.start() > least {
        words.push(format!(
            "{name}: {least} is allowed, the least in a test is {}",
            met.start()
        ));
    }
    if met.end() < most {
        let purpose = extent.beyond.map(|why| format!(" (on purpose: {why})"));
        words.push(format!(
            "{name}: {most} is allowed, the most in a test is {}{}",
            met.end(),
            purpose.unwrap_or_default()
        ));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::unmet;
    use crate::problems::Extent;

    #[test]
    fn bounds_that_no_test_meets_are_named() {
        for (met, count) in [
            (Some(1..=9), 0),
            (Some(2..=9), 1),
            (Some(2..=8), 2),
            (None, 1),
        ] {
            let extent = Extent {
                name: "width",
                bounds: 1..=9,
                beyond: None,
                met: met.clone(),
            };
            assert_eq!(unmet(&extent).len(), count, "{met:?}");
        }
    }
}
