//! What a search has found is run once more before anybody is shown it: the search believes a single
//! run, and of many runs it keeps the one that a busy machine or a program's luck made fail.

use std::sync::Arc;

use super::measured::Measured;
use super::search::{Found, Smallest, Way};
use crate::domain::{Fault, Verdict};

/// How far back among the earlier inputs the next one is, if one does not fail again: inputs of
/// nearly the same size take nearly as long.
const STEPS_BACK: [usize; 4] = [1, 2, 4, 8];

/// The smallest input on which the program fails with this verdict once more, as for a verdict; if
/// none does, what the search began with.
pub fn confirmed(
    smallest: Smallest,
    first: Found,
    verdict: Verdict,
    program: &mut Measured<'_>,
) -> Result<Smallest, Fault> {
    let task = program.about.package.task();
    if let Some(found) = again(&smallest.found, verdict, program)? {
        return Ok(Smallest { found, ..smallest });
    }
    let Smallest {
        earlier, progress, ..
    } = smallest;
    for back in STEPS_BACK {
        let Some(found) = earlier.len().checked_sub(back).map(|at| &earlier[at]) else {
            break;
        };
        if let Some(found) = again(found, verdict, program)? {
            return Ok(Smallest {
                progress,
                ..Smallest::of(found, task)
            });
        }
    }
    Ok(Smallest {
        progress,
        ..Smallest::of(first, task)
    })
}

/// The input with what is printed on it now, if the program fails on it again. The test itself was
/// judged.
fn again(
    found: &Found,
    verdict: Verdict,
    program: &mut Measured<'_>,
) -> Result<Option<Found>, Fault> {
    if found.way == Way::Test {
        return Ok(Some(found.clone()));
    }
    if program.is_stopped {
        return Ok(None);
    }
    let reply = program.fails_on(&found.input, &found.expected)?;
    let reply = reply.filter(|reply| reply.verdict == verdict);
    Ok(reply.map(|reply| Found {
        printed: reply.printed,
        input: Arc::clone(&found.input),
        expected: Arc::clone(&found.expected),
        way: found.way,
    }))
}
