//! What the facts of one run say. Pure: the planner, whoever measures, and the fold all ask this.
//!
//! Precedence for one run: output > memory > time > runtime error > comparison, decided from
//! counters and from who ended the program, never from the signal number alone.

use super::keys;
use super::order::{OutputCheck, RunSpec};
use super::timing::{again, is_idle, is_out_of_wall};
use crate::compare::{self, Kind, Mode, Outcome, WrongLayout};
use crate::domain::{
    Cause, Compared, Difference, Digest, End, Limits, RunFacts, Stop, Talk, Verdict,
};

/// How a test stands under these limits, for all that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// Nothing is known, or it was measured under caps too low to tell.
    Missing,
    /// It was measured, and is so near a time limit that it is measured again before it counts.
    NearLimit,
    /// The run is known, and what its output is worth is not.
    NotCompared,
    /// It is known what the run says.
    Settled(Compared),
}

/// How a test stands.
pub fn settle(
    spec: &RunSpec,
    repeat_near_limit: bool,
    expected: &Digest,
    facts: Option<&RunFacts>,
    said: Option<&Compared>,
) -> Standing {
    let Some(facts) = facts else {
        return Standing::Missing;
    };
    let compares = matches!(spec.check, OutputCheck::Comparison { .. });
    match ended_badly(&spec.limits, facts) {
        Bad::CapsTooLow => Standing::Missing,
        Bad::Yes(..) if repeat_near_limit && again(&spec.limits, facts) => Standing::NearLimit,
        Bad::Yes(verdict, cause) => Standing::Settled(Compared::plain(verdict, cause)),
        // A checker has to be asked even about the very bytes of the answer, which need not look
        // like an output.
        Bad::No if compares && facts.output.digest == *expected => {
            Standing::Settled(Compared::accepted())
        }
        Bad::No => said.map_or(Standing::NotCompared, |said| {
            Standing::Settled(said.clone())
        }),
    }
}

enum Bad {
    No,
    Yes(Verdict, Option<Cause>),
    CapsTooLow,
}

fn ended_badly(limits: &Limits, facts: &RunFacts) -> Bad {
    let caps = &facts.caps;
    let narrow = caps.processes != limits.processes || caps.open_files != limits.open_files;
    let stopped_below_the_limit = match facts.stop {
        Some(Stop::Output) => caps.output_bytes < limits.output_bytes,
        Some(Stop::Cpu) => caps.cpu < limits.cpu,
        Some(Stop::Wall) => caps.wall < limits.wall,
        Some(Stop::Decided) | None => false,
    } || (facts.memory_exceeded
        && caps.memory_bytes < limits.memory_bytes);
    if narrow || stopped_below_the_limit {
        return Bad::CapsTooLow;
    }
    if facts.stop == Some(Stop::Output) || facts.output.len_bytes > limits.output_bytes {
        return Bad::Yes(Verdict::OutputLimit, None);
    }
    if facts.memory_exceeded || facts.memory_bytes > limits.memory_bytes {
        return Bad::Yes(Verdict::MemoryLimit, None);
    }
    if facts.stop == Some(Stop::Cpu) || facts.cpu > limits.cpu {
        return Bad::Yes(Verdict::TimeLimit, Some(Cause::Cpu));
    }
    if is_out_of_wall(limits, facts) {
        let cause = if is_idle(limits, facts) {
            Cause::Idle
        } else {
            Cause::Wall
        };
        return Bad::Yes(Verdict::TimeLimit, Some(cause));
    }
    // How it was ended after that is not its own affair.
    if facts.stop == Some(Stop::Decided) {
        return Bad::No;
    }
    match facts.end {
        End::Exited(0) => Bad::No,
        End::Exited(code) => Bad::Yes(Verdict::RuntimeError, Some(Cause::ExitCode(code))),
        End::Signalled(number) => Bad::Yes(Verdict::RuntimeError, Some(Cause::Signal(number))),
    }
}

/// Compares an output with the expected one.
pub fn compare_bytes(
    mode: &Mode,
    wrong_layout: WrongLayout,
    expected: &[u8],
    output: &[u8],
) -> Compared {
    let (verdict, found) = match compare::compare(expected, output, mode) {
        Outcome::Same => return Compared::accepted(),
        Outcome::Layout(found) => match wrong_layout {
            WrongLayout::Presentation => (Verdict::PresentationError, found),
            WrongLayout::Wrong => (Verdict::WrongAnswer, found),
        },
        Outcome::Different(found) => (Verdict::WrongAnswer, found),
    };
    let cause = match (verdict, found.kind) {
        (Verdict::PresentationError, _) => None,
        (_, Kind::Differs) => Some(Cause::Differs),
        (_, Kind::Missing) => Some(Cause::Missing),
        (_, Kind::Extra) => Some(Cause::Extra),
        (_, Kind::Empty) => Some(Cause::Empty),
    };
    Compared {
        difference: Some(Difference {
            line: found.line,
            column: found.column,
            expected: found.expected.printable(),
            got: found.got.printable(),
        }),
        ..Compared::plain(verdict, cause)
    }
}

impl RunSpec {
    /// What a run on a test is a run of, beside the program: its input, and where a program of the
    /// package takes part in it, that one's too.
    pub fn run_input(
        &self,
        input: &Digest,
        expected: &Digest,
        told: Option<&Vec<String>>,
    ) -> Digest {
        match &self.check {
            OutputCheck::Talk(..) => keys::told_instead(keys::talk_input(input, expected), told),
            OutputCheck::Comparison { .. } | OutputCheck::Checker(_) => *input,
        }
    }

    /// What our own comparison says; none where a checker has to be asked.
    pub fn compare(&self, expected: &[u8], output: &[u8]) -> Option<Compared> {
        match &self.check {
            OutputCheck::Comparison { mode, wrong_layout } => {
                Some(compare_bytes(mode, *wrong_layout, expected, output))
            }
            OutputCheck::Checker(_) => None,
            // It was said while the program ran.
            OutputCheck::Talk(..) => Talk::from_bytes(output)?.opinion,
        }
    }
}
