//! The search for inputs that break the accepted examples, and what the course's searches have found.

use std::time::Duration;

use super::programs::Program;
use crate::cli::measured::{Runs, with_program};
use crate::cli::session::{Session, store_if_any, worker_count};
use crate::domain::Fault;
use crate::explain::{Attacked, Budget, Scope, attack};
use crate::package::Package;
use crate::store::{HackYield, StoreError};
use crate::strength::{HackSearch, Hit};
use crate::util::pool::side_by_side;

/// Attacks each of these programs for so long. What fails on this side joins `faults`.
pub(super) fn hack_search(
    session: &Session,
    package: &Package,
    programs: &[&Program],
    cpu: Duration,
    faults: &mut Vec<String>,
) -> Result<HackSearch, StoreError> {
    let mut search = HackSearch {
        course: course(session, package)?,
        ..HackSearch::default()
    };
    if cpu.is_zero() {
        return Ok(search);
    }
    side_by_side(
        worker_count(&session.config),
        programs.len(),
        |number| number,
        |number, at| attacked(session, programs[at], *number, cpu),
        |at, result| {
            let attacked = match result {
                Ok(attacked) => attacked,
                Err(fault) => {
                    let name = &programs[at].name;
                    faults.push(format!("inputs that break {name}: {fault}"));
                    return;
                }
            };
            search.examples += 1;
            search.inputs += attacked.inputs;
            search.hits.extend(attacked.broken.map(|broken| Hit {
                name: programs[at].name.clone(),
                verdict: broken.verdict,
                input: broken.input.to_vec(),
            }));
        },
    );
    Ok(search)
}

fn attacked(
    session: &Session,
    program: &Program,
    number: usize,
    cpu: Duration,
) -> Result<Attacked, Fault> {
    let runs = Runs {
        number,
        store: None,
        budget: Budget {
            cpu,
            ..Budget::default()
        },
        watch: &|| {},
    };
    with_program(session, &program.piece, &runs, |program| {
        session.with_oracle(|oracle| attack(program, Vec::new(), Scope::Everything, oracle))
    })
}

fn course(session: &Session, package: &Package) -> Result<Option<HackYield>, StoreError> {
    let reader = store_if_any(&session.config)?;
    let course = reader.map(|reader| reader.hack_yield(&package.slug));
    course.transpose()
}
