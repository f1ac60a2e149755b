//! What two machines say of one order: what a verdict depends on has to be the same. Pure.

use std::collections::HashMap;

use crate::domain::{Build, Compared, Digest, RunFacts};
use crate::judge::order::{Fact, How, Order, Step, Work};
use crate::judge::question::opinion;
use crate::judge::{TestStanding, settle};

/// Differences that are told one by one.
const DIFFERENCES_MAX: usize = 5;

/// What one machine says of an order.
#[derive(Default)]
struct Said<'f> {
    builds: HashMap<&'f Digest, &'f Build>,
    runs: HashMap<&'f Digest, &'f RunFacts>,
    opinions: HashMap<&'f Digest, &'f Compared>,
}

impl<'f> Said<'f> {
    /// The last word about each thing counts.
    fn of(facts: &'f [Fact]) -> Self {
        let mut said = Self::default();
        for fact in facts {
            match fact {
                Fact::Built { key, build } => {
                    said.builds.insert(key, build);
                }
                Fact::Ran { key, facts } => {
                    said.runs.insert(&key.input, facts);
                }
                Fact::Opinion {
                    question,
                    said: words,
                    ..
                } => {
                    said.opinions.insert(question, words);
                }
                Fact::Answered { .. } | Fact::Refused(_) | Fact::Lost(_) => {}
            }
        }
        said
    }

    /// What a test came to, in words; none where this machine did not run it to its end.
    fn verdict(&self, how: &How, step: &Step) -> Option<&'static str> {
        let test = step.test();
        let facts = self.runs.get(&test.input)?;
        let question = opinion(
            &how.by.id(),
            &test.input,
            &test.expected,
            &facts.output.digest,
        );
        let said = self.opinions.get(&question).copied();
        // What is near a limit is measured again before anything is said of it.
        match settle(how, true, &test.expected, Some(facts), said) {
            TestStanding::Settled(said) => Some(said.verdict.words()),
            TestStanding::Missing | TestStanding::Near | TestStanding::Unsaid => None,
        }
    }
}

/// How two machines differ about an order, in words: which builds failed on one of them alone, which
/// tests have another verdict. Times and outputs may differ as long as no verdict does.
pub fn differences(order: &Order, first: &[Fact], second: &[Fact]) -> Vec<String> {
    let Work::Judge { how, steps, .. } = &order.work else {
        return Vec::new();
    };
    let (first, second) = (Said::of(first), Said::of(second));
    let built = |build: &Build| match &build.result {
        Ok(_) => "builds".to_owned(),
        Err(cause) => format!("does not build: {}", cause.words()),
    };
    let builds = first.builds.iter().filter_map(|(key, one)| {
        let (one, other) = (built(one), built(second.builds.get(key)?));
        (one != other).then(|| format!("a program {one}, and on the other one {other}"))
    });
    let tests = steps.iter().filter_map(|step| {
        let one = first.verdict(how, step)?;
        let other = second.verdict(how, step)?;
        let name = &step.test().name;
        (one != other).then(|| format!("{name}: {one}, and on the other one {other}"))
    });
    builds.chain(tests).take(DIFFERENCES_MAX).collect()
}
