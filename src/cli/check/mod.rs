//! `verdictd check [PROBLEM…]`: proves packages: tests and answers, invalid inputs, mutations,
//! example submissions.

mod examples;
mod finding;
mod package;
mod programs;

use std::sync::Arc;

use clap::Args;

pub use examples::pieces;
use finding::{Check, show};

use super::prelude::{CliError, Exit, Out, Session, complaints};
use crate::config::Config;
use crate::domain::ProblemSlug;
use crate::package::{Package, Remark, strangers};

/// What nobody should be surprised by in the middle of a term.
const NO_VALIDATOR: &str = "no validator says whether an input is valid: a wrong test or hack may count, and no counterexamples are looked for; problem.toml names one as `validator`, a Kattis package has it in input_validators";

/// Check packages: tests, answers, inputs, example programs
#[derive(Debug, Args)]
pub struct Arguments {
    /// The packages to check; by default all of them.
    problems: Vec<String>,
    /// Print one JSON object per check
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    out.as_json(arguments.json);
    let mut session = Session::new(config.clone())?;
    let mut checks = Vec::new();
    for slug in named(arguments, &session)? {
        // The names are those of packages.
        let found = session.package(&slug).map(|loaded| match loaded {
            Err(error) => vec![Check::new("package", 1, vec![error.to_string()])],
            Ok(package) => {
                let expected = package.expected.as_ref();
                let needs_all = expected.is_some_and(|expected| expected.counts_every_test);
                session.config.judge.stop_at_first_failure = !needs_all;
                of_package(&package, &session, out)
            }
        });
        checks.extend(found.into_iter().flatten().map(|check| Check {
            problem: Some(slug.clone()),
            ..check
        }));
    }
    if arguments.problems.is_empty() {
        checks.extend(beside_packages(&session)?);
    }
    for check in &checks {
        out.json(check);
    }
    out.print(|page| show(&checks, page));
    Ok(Exit::No.only_if(checks.iter().any(|check| !check.holds)))
}

fn named(arguments: &Arguments, session: &Session) -> anyhow::Result<Vec<ProblemSlug>> {
    if arguments.problems.is_empty() {
        return Ok(session.slugs.clone());
    }
    let names = arguments.problems.iter();
    names.map(|name| session.problem_named(name)).collect()
}

/// What is wrong beside the packages: only a check of everything looks at it.
fn beside_packages(session: &Session) -> anyhow::Result<impl Iterator<Item = Check>> {
    let strays = strangers(&session.config.folders.problems).map_err(CliError::usage)?;
    let strays = strays.iter().map(Remark::to_string).collect();
    let course = complaints(&session.config, session.slugs.iter());
    let found = [
        ("the folder of problems", strays),
        ("the files of the course", course),
    ];
    let wrong = found.into_iter().filter(|(_, list)| !list.is_empty());
    Ok(wrong.map(|(what, list)| Check::new(what, list.len(), list)))
}

fn of_package(package: &Arc<Package>, session: &Session, out: &mut Out) -> Vec<Check> {
    let mut checks = vec![package::tests(package), package::files(package)];
    let task = package.task();
    if let Some(task) = task {
        checks.push(package::second_opinion(package, task));
        checks.push(package::missing(package, task));
    }
    if task.is_some() || !package.validators.is_empty() {
        checks.push(session.with_oracle(|oracle| programs::invalid_inputs(package, oracle)));
    } else {
        let warnings = vec![NO_VALIDATOR.to_owned()];
        checks.push(Check::new("a validator", 0, Vec::new()).with_warnings(warnings));
    }
    checks.extend(session.with_oracle(|oracle| programs::outputs(package, oracle)));
    checks.extend(task.map(|task| package::mutations(package, task)));
    checks.extend(package::groups(package));
    checks.extend(package::time_factors(package, &session.toolchain));
    checks.extend(package::included(package, &session.toolchain));
    if package.programs().next().is_some() {
        checks.push(session.with_oracle(|oracle| programs::programs(package, oracle)));
    }
    let title = [std::slice::from_ref(&package.title), &package.sources].concat();
    out.note(&format!(
        "{}: {}; {}; judging the example submissions …",
        package.slug,
        title.join(", "),
        package.compare_words()
    ));
    checks.extend(examples::examples(session, package));
    checks
}
