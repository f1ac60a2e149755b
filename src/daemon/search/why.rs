//! Why a program fails: found out and kept. Its report tells it.

use super::target::Target;
use super::turn::Candidate;
use super::{Ended, Searcher};
use crate::domain::{Digest, Explanation, Fault};
use crate::explain::explain;
use crate::judge::subject;
use crate::store::Searched;
use crate::util::clock::now_ms;
use crate::util::crash::point;

impl Searcher<'_> {
    /// Finds out why a program fails.
    pub(super) fn explain(
        &self,
        candidate: &Candidate,
        target: Target<'_>,
    ) -> Result<Ended, Fault> {
        let Target {
            mut program,
            budget,
            oracle,
            ..
        } = target;
        let judged = program.judged()?;
        let subject = subject(&judged, program.about.package);
        let from = self.memory().resumed(candidate);
        let (explanation, progress) = match explain(&mut program, &judged, budget, from, oracle)? {
            Some(mut why) => {
                if let Some(found) = &mut why.explanation.counterexample {
                    let task = program.about.package.task();
                    found.task = task.map(|task| task.slug().to_owned());
                }
                (Some(why.explanation), Some(why.progress))
            }
            None => (None, None),
        };
        point("explained");
        let spent = program.spent;
        if program.is_stopped && !self.memory().is_last_try(candidate, spent >= budget.cpu) {
            return Ok(Ended::Stopped(spent, progress.map(Box::new)));
        }
        self.keep(candidate, subject, explanation, None)?;
        point("explanation kept");
        Ok(Ended::Done(spent))
    }

    /// Keeps the end of a search. `tried_to`: the last counterexample of another program that an
    /// accepted one was tried on.
    pub(super) fn keep(
        &self,
        (submission, fold): &Candidate,
        subject: Digest,
        explanation: Option<Explanation>,
        tried_to: Option<i64>,
    ) -> Result<(), Fault> {
        let searched = Searched {
            submission: submission.id,
            fold: *fold,
            subject,
            ended_ms: now_ms(),
            explanation,
            tried_to,
        };
        self.shared.store.writer().put_search(searched)?;
        // Its report tells it.
        self.shared.tell_news(0);
        Ok(())
    }
}
