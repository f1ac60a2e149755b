//! Orders and facts, made up for tests.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::compare::{Mode, WrongLayout};
use crate::domain::{BuildLimits, Fault, Groups, LanguageId, RunFacts, RunKey};
use crate::judge::order::{
    Bytes, Fact, Flow, JudgeWork, ORDER_VERSION, Order, OutputCheck, Program, RunSpec, Sink, Step,
    TestStep, Work,
};
use crate::package::Io;
use crate::util::hash::digest;
use crate::util::samples::{build, file, output, run, slug};

pub fn id(language: &str) -> LanguageId {
    LanguageId::new(language).unwrap()
}

/// What a machine measured near the limit.
pub fn measured(machine: &str) -> RunFacts {
    RunFacts {
        cpu: Duration::from_millis(2_100),
        wall: Duration::from_millis(2_200),
        output: output(b"3\n"),
        machine: Arc::from(machine),
        ..run()
    }
}

/// An order to run a program that is built on one test for each of these.
pub fn order(before: &[Option<RunFacts>]) -> Order {
    let step = |(index, before): (usize, &Option<RunFacts>)| Step::Run {
        test: TestStep {
            index,
            name: format!("secret/{index}"),
            group: None,
            input: digest(index.to_string().as_bytes()),
            expected: digest(b"3\n"),
            told: None,
        },
        before: before.clone().map(Box::new),
    };
    let main = file("main", digest(b"program"), true);
    Order {
        version: ORDER_VERSION,
        problem: slug("sum"),
        sandbox: digest(b"sandbox"),
        build: BuildLimits {
            cpu: Duration::from_secs(10),
            memory_bytes: 1 << 30,
        },
        work: Work::Judge(JudgeWork {
            program: Some(Program {
                key: digest(b"build"),
                language: Some(id("cpp")),
                version: "12".to_owned(),
                fingerprint: digest(b"cpp"),
                name: "sum.cpp".to_owned(),
                source: digest(b"source"),
                headers: Vec::new(),
                built: build(vec![main]).result.ok(),
            }),
            spec: RunSpec {
                policy: digest(b"policy"),
                limits: run().caps,
                advertised_memory_bytes: 1 << 28,
                stack_bytes: None,
                io: Io::Stdio,
                check: OutputCheck::Comparison {
                    mode: Mode::Lines,
                    wrong_layout: WrongLayout::Presentation,
                },
            },
            steps: before.iter().enumerate().map(step).collect(),
            total_tests: before.len(),
            stop_at_first_failure: true,
            groups: Groups::default(),
            repeat_near_limit: true,
        }),
    }
}

/// The facts that came.
#[derive(Default)]
pub struct Facts(pub Mutex<Vec<Fact>>);

impl Sink for &Facts {
    fn fact(&mut self, fact: &Fact, _: Bytes<'_>) -> Result<Flow, Fault> {
        self.0.lock().unwrap().push(fact.clone());
        Ok(Flow::Continue)
    }
}

/// The run of a test.
pub fn ran(test: usize, machine: &str) -> Fact {
    Fact::Ran {
        key: RunKey {
            build: digest(b"build"),
            input: digest(test.to_string().as_bytes()),
            policy: digest(b"policy"),
        },
        facts: Arc::new(measured(machine)),
    }
}
