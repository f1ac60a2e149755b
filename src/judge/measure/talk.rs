//! Tests on which a program of the package takes part in the runs: it talks with the student's
//! program, or makes an input of its output for another pass, and says in the end what that is
//! worth.

use std::sync::Arc;

use super::program::{BuildOutcome, Built, Measuring, job};
use super::steps::Run;
use crate::domain::{
    Digest, End, Fault, First, Limits, Output, Rounds, RunFacts, Speaker, Stop, Talk, Transcript,
    Verdict,
};
use crate::judge::order::{CallEnd, CallOutcome, CallRun, Helper};
use crate::judge::outcome::{facts_of, job_of};
use crate::judge::protocol::{CASE_FILES, compared, ended, feedback_files, helper_caps, icpc};
use crate::sandbox::{AppFile, Collect, Conversed, Job, Outcome, WORK_FOLDER};
use crate::toolchain::Start;
use crate::util::MIB;
use crate::util::hash::digest;

/// The file by which the package's program asks for another pass.
const NEXT_PASS: &str = "nextpass.in";
/// Files that it may leave for its next pass.
const FEEDBACK_FILES_MAX: usize = 256;
/// Their bytes.
const FEEDBACK_BYTES_MAX: u64 = 16 * MIB;
/// What it may tell a program with which it talks, in bytes.
const INTERACTOR_OUTPUT_BYTES: u64 = 256 * MIB;

/// What came of a pass.
struct Pass {
    facts: RunFacts,
    /// How the package's program ended, where it has something to say.
    end: Option<CallEnd>,
    first: First,
}

/// A test, and who takes part in its runs.
struct Table<'t> {
    run: &'t Run<'t>,
    start: &'t Start,
    with: &'t Helper,
    rounds: Rounds,
    built: Arc<Built>,
    caps: &'t Limits,
    alone: bool,
    answer: Arc<[u8]>,
}

impl Measuring<'_, '_> {
    /// All passes of one test: together they are one run.
    pub(super) fn talk(
        &mut self,
        run: &Run<'_>,
        start: &Start,
        (with, rounds): (&Helper, Rounds),
        caps: &Limits,
        alone: bool,
    ) -> Result<(RunFacts, Arc<[u8]>), Fault> {
        let built = match self.helper(with)? {
            BuildOutcome::Built(built) => Ok(built),
            BuildOutcome::Failed(cause, words) => Err(CallOutcome::NotBuilt(cause, words)),
        };
        let built = built.map_err(|not_built| {
            let complaint = ended(with, not_built).err();
            let reason = complaint.map(|why| why.reason).unwrap_or_default();
            self.fault(run, with, reason)
        })?;
        let table = Table {
            run,
            start,
            with,
            rounds,
            built,
            caps,
            alone,
            answer: self.needed(&run.test.expected, &run.test.name)?,
        };
        let (facts, talk) = self.passes(&table)?;
        Ok(with_talk(facts, &talk))
    }

    /// What is wrong with the package's program, which is nobody's but ours.
    fn fault(&self, run: &Run<'_>, with: &Helper, reason: String) -> Fault {
        let (path, problem, test) = (&with.path, &self.order.problem, &run.test.name);
        Fault::new(format!("run {path} of {problem} on {test}"), reason)
    }

    fn passes(&mut self, table: &Table<'_>) -> Result<(RunFacts, Talk), Fault> {
        let (test, rounds) = (table.run.test, table.rounds);
        let mut input = self.needed(&test.input, &test.name)?;
        let mut kept: Vec<AppFile> = Vec::new();
        let mut before: Option<RunFacts> = None;
        let mut talk = Talk {
            rounds,
            passes: 0,
            first: First::Program,
            opinion: None,
            said: Transcript::default(),
        };
        loop {
            talk.passes += 1;
            if rounds.passes > 1 {
                let number = talk.passes.to_string();
                talk.said.say(Speaker::Pass, number.as_bytes());
            }
            let pass = self.pass(table, &input, &kept, &mut talk.said)?;
            talk.first = pass.first;
            let facts = together(before.take(), pass.facts);
            let Some(end) = pass.end else {
                return Ok((
                    facts,
                    Talk {
                        opinion: None,
                        ..talk
                    },
                ));
            };
            let fault = |reason| self.fault(table.run, table.with, reason);
            let opinion = compared(table.with, &end, b"-").map_err(|why| fault(why.reason))?;
            let is_refused = opinion.verdict != Verdict::Accepted;
            talk.opinion = Some(opinion);
            let files = end.files.into_iter();
            let (next, others): (Vec<_>, Vec<_>) = files.partition(|(name, _)| name == NEXT_PASS);
            let Some((_, next)) = next.into_iter().next().filter(|_| rounds.passes > 1) else {
                return Ok((facts, talk));
            };
            if is_refused {
                return Err(fault(format!(
                    "it refuses the program, and writes {NEXT_PASS}"
                )));
            }
            if !ended_well(&facts) {
                return Ok((facts, talk));
            }
            if talk.passes == rounds.passes {
                let words = format!(
                    "it asks for more than the {} passes there may be",
                    rounds.passes
                );
                return Err(fault(words));
            }
            input = Arc::from(next);
            kept = others.into_iter().map(file).collect();
            before = Some(facts);
        }
    }

    /// One pass.
    fn pass(
        &mut self,
        table: &Table<'_>,
        input: &Arc<[u8]>,
        kept: &[AppFile],
        said: &mut Transcript,
    ) -> Result<Pass, Fault> {
        let spec = &table.run.work.spec;
        self.enter(table.run.built, table.start)?;
        // Whom it talks with may have secrets: of the input it sees only what it is told.
        let read = if table.rounds.interactive {
            &Arc::from([])
        } else {
            input
        };
        let program = Job {
            alone: table.alone,
            stack_bytes: table.start.stack_bytes.or(spec.stack_bytes),
            ..job_of(table.start, read, table.caps, spec.io)
        };
        let machine = Arc::clone(&self.station.machine);
        let facts = |outcome| facts_of(outcome, spec, table.caps.clone(), table.start, &machine);
        if table.rounds.interactive {
            let partners = self.job_of_helper(table, input, kept, Arc::from([]))?;
            let Conversed {
                outcome,
                printed_bytes,
                partners,
                first,
                said: words,
            } = self
                .station
                .runner
                .converse(&program, &partners, icpc::YES)?;
            said.append(&words);
            let (mut facts, _) = facts(outcome);
            facts.output.len_bytes = printed_bytes;
            let refused = first == First::Interactor && partners.end == End::Exited(icpc::NO);
            if refused && partners.stop.is_none() {
                facts.stop = Some(Stop::Decided);
            }
            let has_word = first == First::Interactor || ended_well(&facts);
            let end = has_word.then(|| end_of(partners)).transpose()?;
            return Ok(Pass { facts, end, first });
        }
        let (facts, output) = facts(self.station.runner.run(&program)?);
        said.say(Speaker::Interactor, input);
        said.say(Speaker::Program, &output);
        let mut end = None;
        if ended_well(&facts) {
            let job = self.job_of_helper(table, input, kept, output)?;
            end = Some(end_of(self.station.runner.partner()?.run(&job)?)?);
        }
        let first = First::Program;
        Ok(Pass { facts, end, first })
    }

    /// A run of the package's program, for which its room is ready then.
    fn job_of_helper(
        &mut self,
        table: &Table<'_>,
        input: &Arc<[u8]>,
        kept: &[AppFile],
        stdin: Arc<[u8]>,
    ) -> Result<Job, Fault> {
        let run = talk_run(table.with);
        let start = self.start_of(table.with, &table.built, &run)?;
        self.enter_partners(&table.built, &start)?;
        let [named_input, named_answer, _] = CASE_FILES;
        let case = [(named_input, input), (named_answer, &table.answer)];
        let case_bytes: u64 = case.iter().map(|(_, bytes)| bytes.len() as u64).sum();
        let files = case.map(|(name, bytes)| AppFile {
            name: name.to_owned(),
            bytes: Arc::clone(bytes),
            executable: false,
        });
        let files = files.into_iter().chain(kept.iter().cloned()).collect();
        let job = job(start, &run, stdin, files);
        if table.rounds.passes == 1 {
            return Ok(job);
        }
        // Whatever it writes is there again in its next pass.
        Ok(Job {
            collect: Collect::All {
                bytes_max: case_bytes + FEEDBACK_BYTES_MAX,
                files_max: FEEDBACK_FILES_MAX + case.len(),
            },
            ..job
        })
    }
}

/// How the package's program is asked, beside its standard input: with the input and the answer, and
/// the folder for its words.
fn talk_run(helper: &Helper) -> CallRun {
    let [input, answer, _] = CASE_FILES.map(|name| format!("{WORK_FOLDER}/{name}"));
    let arguments = [input, answer, format!("{WORK_FOLDER}/")];
    CallRun {
        arguments: [&arguments[..], &helper.arguments].concat(),
        stdin: None,
        files: Vec::new(),
        collect: feedback_files(),
        collect_bytes_max: FEEDBACK_BYTES_MAX,
        caps: Limits {
            output_bytes: INTERACTOR_OUTPUT_BYTES,
            ..helper_caps()
        },
    }
}

fn file((name, bytes): (String, Vec<u8>)) -> AppFile {
    AppFile {
        name,
        bytes: Arc::from(bytes),
        executable: false,
    }
}

/// How the package's program ended, with what it has left but for the test itself.
fn end_of(mut outcome: Outcome) -> Result<CallEnd, Fault> {
    if outcome.collect_overflow {
        let mib = FEEDBACK_BYTES_MAX / MIB;
        let words = format!("it leaves more than {FEEDBACK_FILES_MAX} files or {mib} MiB behind");
        return Err(Fault::new("take the package's words", words));
    }
    outcome
        .files
        .retain(|file| !CASE_FILES.contains(&&*file.name));
    Ok(CallEnd::from(outcome))
}

/// Whether the program came to an end of its own that is no error, so that it counts what the
/// package's program says.
fn ended_well(facts: &RunFacts) -> bool {
    facts.end == End::Exited(0) && facts.stop.is_none() && !facts.memory_exceeded
}

/// The facts of several passes: those of the last one, with the most that one of them used.
fn together(before: Option<RunFacts>, last: RunFacts) -> RunFacts {
    let Some(before) = before else {
        return last;
    };
    RunFacts {
        cpu: last.cpu.max(before.cpu),
        wall: last.wall.max(before.wall),
        waited: last.waited.max(before.waited),
        memory_bytes: last.memory_bytes.max(before.memory_bytes),
        output: Output {
            len_bytes: last.output.len_bytes.max(before.output.len_bytes),
            ..last.output
        },
        ..last
    }
}

/// The facts of a run that was a talk, and what is kept of it.
fn with_talk(facts: RunFacts, talk: &Talk) -> (RunFacts, Arc<[u8]>) {
    let bytes: Arc<[u8]> = Arc::from(talk.to_bytes());
    let whole: Digest = digest(&bytes);
    let output = Output {
        digest: whole,
        kept: Some(whole),
        file: None,
        ..facts.output
    };
    (RunFacts { output, ..facts }, bytes)
}

#[cfg(test)]
mod tests {
    use super::ended_well;
    use crate::judge::samples::facts;

    #[test]
    fn after_a_pass_that_ran_out_of_memory_there_is_no_other() {
        let mut pass = facts("x\n");
        assert!(ended_well(&pass));
        // A child was ended for it; the program came to a good end.
        pass.memory_exceeded = true;
        assert!(!ended_well(&pass));
    }
}
