//! What a search has found is run once more before anybody is shown it: the search believes a single
//! run, and of many runs it keeps the one that a busy machine or a program's luck made fail.

use super::{Found, Smallest, Trial};
use crate::domain::{Fault, Strategy};

/// How far back among the earlier inputs the next one is, if one does not fail again: inputs of
/// nearly the same size take nearly as long.
const STEPS_BACK: [usize; 4] = [1, 2, 4, 8];

impl Smallest {
    /// The smallest input on which the program fails as on the seed once more, as for a verdict; if
    /// there is none, the seed.
    pub(super) fn confirmed(self, trial: &mut Trial<'_>, seed: &Found) -> Result<Self, Fault> {
        // The test itself was judged.
        if self.found.strategy == Strategy::Test {
            return Ok(self);
        }
        let Self {
            found,
            earlier,
            progress,
            ..
        } = self;
        let back = STEPS_BACK.map(|back| earlier.len().checked_sub(back).map(|at| &earlier[at]));
        let mut believed = seed.clone();
        for found in [Some(&found)]
            .into_iter()
            .chain(back)
            .map_while(|found| found)
        {
            if found.strategy == Strategy::Test {
                believed = found.clone();
                break;
            }
            let again = trial.again(found)?;
            if let Some(again) = again.filter(|again| again.verdict == seed.verdict) {
                believed = again;
                break;
            }
        }
        Ok(Self {
            progress,
            ..Self::of(believed, trial.inputs.task())
        })
    }
}
