//! Programs whose platform does not say when they were handed in.

use std::collections::BTreeSet;

use clap::Args;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::cli::prelude::{CliError, LISTED_MAX, Out};
use crate::course::{self, Moment, Times};
use crate::lms::{PLATFORMS, Plan, Said};
use crate::util::words::{amount, listed};

/// The platform whose worksheets are read.
pub(super) const MOODLE: &str = "moodle";
/// The platform of clones.
const CLASSROOM: &str = "classroom";
/// Where the times of either are.
const WORKSHEET: &str = "--worksheet FILE (the assignment's grading worksheet has the times)";
const GRADES: &str = "grades.csv of `gh classroom assignment-grades`, put beside the repositories";

/// What a person says of programs without a time.
#[derive(Debug, Args)]
pub(super) struct TimeArguments {
    /// When programs were handed in whose platform says no time, on the course's clock:
    /// "2026-09-08 23:00"
    #[arg(long, value_name = "TIME")]
    received: Option<String>,
    /// Programs without a time were handed in on time, and right after it those that are marked as
    /// late
    #[arg(long, conflicts_with = "received")]
    on_time: bool,
}

impl TimeArguments {
    /// `clock` is the course's.
    pub(super) fn said(&self, clock: &TimeZone) -> anyhow::Result<Said> {
        let Some(text) = self.received.as_deref() else {
            return Ok(if self.on_time {
                Said::OnTime
            } else {
                Said::Nothing
            });
        };
        let at = text.parse().ok().or_else(|| match Moment::read(text)? {
            Moment::After(_) => None,
            moment => moment.resolve(Timestamp::UNIX_EPOCH, clock),
        });
        match at {
            Some(at) if at <= Timestamp::now() => Ok(Said::Received(at)),
            Some(_) => Err(CliError::usage(format!(
                "--received {text}: it is in the future"
            ))),
            None => Err(CliError::usage(format!(
                "--received {text}: it is not a time such as \"2026-09-08 23:00\""
            ))),
        }
    }
}

/// Programs that nobody has imported before and whose time nobody knows.
#[derive(Default)]
pub(super) struct Untimed {
    count: usize,
    /// Whose and which count for less if they are received now.
    losing: BTreeSet<String>,
    platforms: BTreeSet<(&'static str, &'static str)>,
}

impl Untimed {
    /// Those of plans, each with its platform's id and name.
    pub(super) fn of<'p>(
        plans: impl Iterator<Item = (&'p Plan, (&'static str, &'static str))>,
        known: &Times,
        course: &course::Terms,
    ) -> Self {
        let mut all = Self::default();
        for (plan, platform) in plans {
            let found = plan.untimed(platform.0, known, course, Timestamp::now());
            for (hand_in, loses) in found {
                all.count += 1;
                all.platforms.insert(platform);
                if loses {
                    let problem = &hand_in.target.problem;
                    all.losing
                        .insert(format!("{} ({problem})", hand_in.student));
                }
            }
        }
        all
    }

    /// Says how many there are; an error where that may cost somebody points.
    pub(super) fn tell(&self, out: &mut Out) -> anyhow::Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        let sources = self.platforms.iter().map(|(_, name)| *name);
        let what = format!(
            "{} without a time ({} does not say when they were handed in)",
            amount(self.count, "program"),
            listed(sources, PLATFORMS.len()),
        );
        if self.losing.is_empty() {
            out.note(&format!("{what}: received now, which costs nobody points"));
            return Ok(());
        }
        let mut ways = Vec::new();
        for (id, _) in &self.platforms {
            match *id {
                MOODLE => ways.push(WORKSHEET),
                CLASSROOM => ways.push(GRADES),
                _ => {}
            }
        }
        ways.push("--received \"2026-09-08 23:00\" (on the course's clock)");
        ways.push("or --on-time");
        Err(CliError::usage(format!(
            "{what}. Received now, these would count for less: {}. Nothing is written; say when they were handed in: {}",
            listed(&self.losing, LISTED_MAX),
            ways.join(", "),
        )))
    }
}
