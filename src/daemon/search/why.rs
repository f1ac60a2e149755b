//! Why a program fails: found out and kept.

use super::target::Target;
use super::turn::Candidate;
use super::{Ended, Searcher};
use crate::daemon::shared::store_fault;
use crate::domain::{Digest, Explanation, Fault};
use crate::explain::explain;
use crate::judge::subject;
use crate::store::{Reader, Searched};
use crate::util::clock::now_ms;
use crate::util::crash::point;

impl Searcher<'_> {
    /// Finds out why a program fails, unless that is known already.
    pub(super) fn explain(
        &self,
        candidate: &Candidate,
        target: Target<'_>,
    ) -> Result<Ended, Fault> {
        let Target {
            reader,
            mut program,
            oracle,
            ..
        } = target;
        let judged = program.judged()?;
        let subject = subject(&judged, program.about.package);
        if self.is_known(candidate, reader, subject)? {
            return Ok(Ended::Done(program.spent));
        }
        let from = self.memory().resumed(candidate);
        let left = program.budget.cpu;
        let (explanation, progress) = match explain(&mut program, &judged, from, oracle)? {
            Some(why) => (Some(why.explanation), Some(why.progress)),
            None => (None, None),
        };
        point("explained");
        let spent = program.spent;
        if program.is_stopped && !self.memory().is_last_try(candidate, spent >= left) {
            return Ok(Ended::Stopped(spent, progress.map(Box::new)));
        }
        self.keep(candidate, subject, explanation, None)?;
        point("explanation kept");
        Ok(Ended::Done(spent))
    }

    /// Whether the same was searched for a judgement that was folded from something else. Then that
    /// holds for this one.
    pub(super) fn is_known(
        &self,
        (submission, fold): &Candidate,
        reader: &Reader,
        subject: Digest,
    ) -> Result<bool, Fault> {
        let known = reader.search(submission.id, subject);
        let known = known.map_err(store_fault("read what was found out"))?;
        if known.is_some() {
            let writer = self.shared.store.writer();
            let renewed = writer.renew_search(submission.id, *fold);
            renewed.map_err(store_fault("keep what was found out"))?;
        }
        Ok(known.is_some())
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
        let kept = self.shared.store.writer().put_search(searched);
        kept.map_err(store_fault("keep what was found out"))
    }
}
