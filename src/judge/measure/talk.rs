//! Tests on which a program of the package takes part in the runs: it talks with the student's
//! program, or makes an input of its output for another pass, and says in the end what that is
//! worth.

use std::sync::Arc;

use super::program::{BuildOutcome, Built, Measuring, job};
use super::steps::Run;
use crate::domain::{
    Cause, Compared, Digest, End, Fault, First, Limits, Output, Rounds, RunFacts, Speaker, Stop,
    Talk, Transcript, Verdict,
};
use crate::judge::given::file;
use crate::judge::order::{CallEnd, CallOutcome, CallRun, Helper};
use crate::judge::outcome::{facts_of, job_of};
use crate::judge::protocol::{
    CASE_FILES, compared, ended, feedback_files, helper_caps, icpc, testlib,
};
use crate::package::Protocol;
use crate::sandbox::{AppFile, Collect, Conversed, Job, Outcome, WORK_FOLDER};
use crate::toolchain::Start;
use crate::util::MIB;
use crate::util::hash::digest;

/// The file by which the package's program asks for another pass.
const NEXT_PASS: &str = "nextpass.in";
/// Where an interactor of testlib writes what another one judges, and how much, in bytes.
const WRITTEN: &str = "written";
const WRITTEN_BYTES_MAX: u64 = 64 * MIB;
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
            is_judged: false,
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
            let (opinion, is_judged) = self.opinion(table, &end, ended_well(&facts))?;
            let is_refused = opinion.verdict != Verdict::Accepted;
            (talk.opinion, talk.is_judged) = (Some(opinion), is_judged);
            let fault = |reason| self.fault(table.run, table.with, reason);
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
            kept = others.into_iter().map(app_file).collect();
            before = Some(facts);
        }
    }

    /// What the package's program says; or where that accepts the program, what another one says of
    /// what it has written.
    fn opinion(
        &mut self,
        table: &Table<'_>,
        end: &CallEnd,
        ended_well: bool,
    ) -> Result<(Compared, bool), Fault> {
        let (run, with) = (table.run, table.with);
        let said = compared(with, end, b"-").map_err(|why| self.fault(run, with, why.reason))?;
        let is_asked = said.verdict == Verdict::Accepted && ended_well;
        let Some(judge) = with.judge.as_ref().filter(|_| is_asked) else {
            return Ok((of_talk(said), false));
        };
        let written = file(end, WRITTEN).unwrap_or_default();
        if written.len() as u64 > WRITTEN_BYTES_MAX {
            let words = format!("it writes more than {} MiB", WRITTEN_BYTES_MAX / MIB);
            return Err(self.fault(run, with, words));
        }
        let written = Arc::from(written);
        let said = self.checked(judge, run.test, (&digest(&written), &written))?;
        Ok((of_talk(said), true))
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
            let goes_on = goes_on(table.with.protocol);
            let Conversed {
                outcome,
                printed_bytes,
                partners,
                first,
                said: words,
            } = self.station.runner.converse(&program, &partners, goes_on)?;
            said.append(&words);
            let (mut facts, _) = facts(outcome);
            facts.output.len_bytes = printed_bytes;
            // Where it is not to go on, how it ended is chance.
            let goes_on = matches!(partners.end, End::Exited(code) if goes_on(code));
            if first == First::Interactor && !goes_on && partners.stop.is_none() {
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

/// How the package's program is asked, beside its standard input: with the input, the answer, and
/// the folder for its words or the file that it writes for another one.
fn talk_run(helper: &Helper) -> CallRun {
    let [input, answer, _] = CASE_FILES.map(|name| format!("{WORK_FOLDER}/{name}"));
    let (arguments, collect, collect_bytes_max) = match helper.protocol {
        Protocol::Icpc => (
            [input, answer, format!("{WORK_FOLDER}/")],
            feedback_files(),
            FEEDBACK_BYTES_MAX,
        ),
        Protocol::Testlib => (
            [input, format!("{WORK_FOLDER}/{WRITTEN}"), answer],
            vec![WRITTEN.to_owned()],
            WRITTEN_BYTES_MAX,
        ),
    };
    CallRun {
        arguments: [&arguments[..], &helper.arguments].concat(),
        stdin: None,
        files: Vec::new(),
        collect,
        collect_bytes_max,
        caps: Limits {
            output_bytes: INTERACTOR_OUTPUT_BYTES,
            ..helper_caps()
        },
    }
}

/// The exit codes of an interactor after which a program goes on to its own end: those that do not
/// refuse it, with points too. Which points `_pc` gives by the same codes, only its words say.
fn goes_on(protocol: Protocol) -> fn(i32) -> bool {
    match protocol {
        Protocol::Icpc => |code| code == icpc::YES,
        Protocol::Testlib => |code| {
            let refuses = testlib::WRONG_ANSWER..=testlib::DIRT;
            !refuses.contains(&code) && code != testlib::UNEXPECTED_EOF
        },
    }
}

/// What is said of a talk: it has no layout, and is not empty where nothing is written of it.
fn of_talk(said: Compared) -> Compared {
    if said.verdict == Verdict::Accepted {
        return said;
    }
    Compared {
        verdict: Verdict::WrongAnswer,
        cause: Some(Cause::Refused),
        ..said
    }
}

fn app_file((name, bytes): (String, Vec<u8>)) -> AppFile {
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
