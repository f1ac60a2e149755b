//! Tries to break accepted programs. An input that does is proposed to the instructor as a hack.

use super::target::Target;
use super::turn::Candidate;
use super::{Ended, Searcher};
use crate::domain::{Fault, Submission};
use crate::explain::{Broken, Inputs, OTHERS_MAX, Scope, attack};
use crate::judge::subject;
use crate::store::NewProposal;
use crate::util::clock::now_ms;
use crate::util::crash::point;
use crate::util::hash::digest;

impl Searcher<'_> {
    /// Tries to break an accepted program. If that was tried before, only with what broke other
    /// programs since.
    pub(super) fn attack(&self, candidate: &Candidate, target: Target<'_>) -> Result<Ended, Fault> {
        let Target {
            submission,
            reader,
            mut program,
            budget,
            oracle,
        } = target;
        let judged = program.judged()?;
        let package = program.about.package;
        let subject = subject(&judged, package);
        let (id, problem) = (submission.id, &submission.problem);
        let known = reader.tried_to(id, subject)?;
        let (scope, mut others) = match known {
            None => (
                Scope::Everything,
                reader.latest_counterexamples(problem, OTHERS_MAX)?,
            ),
            Some(number) => (
                Scope::Others,
                reader.counterexamples_after(problem, number, OTHERS_MAX)?,
            ),
        };
        others.sort_by_key(|other| other.number);
        let (numbers, inputs): (Vec<i64>, Vec<Vec<u8>>) = others
            .into_iter()
            .map(|other| (other.number, other.input.into_bytes()))
            .unzip();
        let own = Inputs { package, oracle };
        let attacked = attack(&mut program, own, budget, inputs, scope)?;
        let spent = program.spent;
        if let Some(broken) = attacked.broken {
            point("hack found");
            if !self.propose(submission, broken)? {
                return Ok(Ended::NotKept(spent));
            }
        } else if program.is_stopped && !self.memory().is_last_try(candidate, spent >= budget.cpu) {
            return Ok(Ended::Stopped(spent, None));
        }
        let last = numbers[..attacked.others.min(numbers.len())].last();
        let tried_to = last.copied().or(known).unwrap_or_default();
        self.keep(candidate, subject, None, Some(tried_to))?;
        Ok(Ended::Done(spent))
    }

    /// False where too many wait for the instructor's decision.
    fn propose(&self, submission: &Submission, broken: Broken) -> Result<bool, Fault> {
        let Broken {
            input,
            verdict,
            evidence,
        } = broken;
        let proposal = NewProposal {
            problem: submission.problem.clone(),
            submission: submission.id,
            digest: digest(&input),
            input: input.to_vec(),
            verdict,
            evidence,
            found_ms: now_ms(),
        };
        let proposed = self.shared.store.writer().propose(proposal)?;
        let (student, problem) = (&submission.student, &submission.problem);
        tracing::info!(%student, %problem, proposed, "an input breaks an accepted program");
        point("hack proposed");
        self.shared.look_at_proposals();
        Ok(proposed)
    }
}
