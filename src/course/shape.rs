//! course.toml as an instructor writes it, and what its values may be.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;

use jiff::tz::TimeZone;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use toml::Spanned;

use super::late::Early;
use super::moment::Moment;
use super::points::Points;
use crate::config::{Check, Counts, Rule, Wrong};

/// What a file means that says nothing.
pub(super) const DEFAULTS: &str = r#"
title = ""
time_zone = "UTC"
counts = "best"
grace = "0s"
late = []
extensions = ""
early = "hold"
assignments = []
"#;

/// Assignments of a course.
const ASSIGNMENTS_MAX: usize = 1_000;
/// Steps of one late rule.
const STEPS_MAX: usize = 100;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// What the course is called.
    pub title: String,
    /// On whose clock all times are.
    #[serde(deserialize_with = "time_zone")]
    pub time_zone: TimeZone,
    /// Which attempt counts, where an assignment does not say.
    pub counts: Counts,
    /// How long after the due time still is on time.
    pub grace: Moment,
    /// What late attempts count.
    pub late: Vec<Step>,
    /// A CSV file with the extensions; "" for none.
    pub extensions: String,
    /// What becomes of what comes before its assignment opens, where an assignment does not say.
    pub early: Early,
    /// How many attempts are accepted at a problem, where an assignment does not say.
    #[serde(default)]
    pub attempts: Option<AttemptsAllowed>,
    /// What is handed in.
    pub assignments: Vec<Assignment>,
}

/// Until when a late attempt counts so much.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    pub until: Moment,
    pub percent: u8,
}

/// Problems that are handed in together.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assignment {
    /// Its name in files and links.
    pub name: Spanned<String>,
    /// What people read.
    pub title: Option<String>,
    /// How many points each of its problems brings.
    pub points: BTreeMap<String, Points>,
    #[serde(default, deserialize_with = "some_begin")]
    pub opens: Option<Moment>,
    #[serde(default)]
    pub early: Option<Early>,
    #[serde(default)]
    pub due: Option<Moment>,
    #[serde(default)]
    pub closes: Option<Moment>,
    #[serde(default)]
    pub grace: Option<Moment>,
    #[serde(default)]
    pub late: Option<Vec<Step>>,
    #[serde(default)]
    pub counts: Option<Counts>,
    #[serde(default)]
    pub attempts: Option<AttemptsAllowed>,
}

/// What the values may be.
pub(super) const RULES: [Rule; 18] = [
    ("time_zone", Check::Text(zone)),
    ("grace", Check::Text(moment)),
    ("late", Check::AtMost(STEPS_MAX, FEWER)),
    ("late.*.until", Check::Text(moment)),
    ("late.*.percent", Check::Whole(0, 100)),
    ("attempts.in", Check::Text(span)),
    ("attempts.per", Check::Text(span)),
    ("assignments", Check::AtMost(ASSIGNMENTS_MAX, FEWER)),
    ("assignments.*.points.*", Check::Number(0.0, 1_000_000.0)),
    ("assignments.*.opens", Check::Text(moment)),
    ("assignments.*.due", Check::Text(moment)),
    ("assignments.*.closes", Check::Text(moment)),
    ("assignments.*.grace", Check::Text(moment)),
    ("assignments.*.late", Check::AtMost(STEPS_MAX, FEWER)),
    ("assignments.*.late.*.until", Check::Text(moment)),
    ("assignments.*.late.*.percent", Check::Whole(0, 100)),
    ("assignments.*.attempts.in", Check::Text(span)),
    ("assignments.*.attempts.per", Check::Text(span)),
];
const FEWER: &str = "take some out";

fn zone(name: &str) -> Result<(), Wrong> {
    Wrong::unless(
        TimeZone::get(name).is_ok(),
        format!("there is no time zone `{name}`"),
        "write it as in \"Europe/Oslo\" or \"America/New_York\"",
    )
}

fn moment(written: &str) -> Result<(), Wrong> {
    Wrong::unless(
        Moment::read(written).is_some(),
        format!("`{{key}}` cannot be `{written}`"),
        "write a time as in \"2026-10-02 23:59\", or so long after it belongs to: \"36h\", \"3d\"",
    )
}

fn span(written: &str) -> Result<(), Wrong> {
    let moment = Moment::read(written);
    Wrong::unless(
        moment.is_some_and(|moment| moment.milliseconds().is_some()),
        format!("`{{key}}` cannot be `{written}`"),
        "write how long, as in \"1h\" or \"1d\"",
    )
}

fn time_zone<'de, D: Deserializer<'de>>(from: D) -> Result<TimeZone, D::Error> {
    TimeZone::get(&String::deserialize(from)?).map_err(D::Error::custom)
}

/// A moment at which something begins: a date alone is its first moment.
fn some_begin<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Moment>, D::Error> {
    Ok(Some(Moment::deserialize(from)?.begin()))
}

/// A limit of attempts.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttemptsAllowed {
    #[serde(alias = "most")]
    pub max: NonZeroU32,
    /// In which time; for ever where it does not say.
    #[serde(default, rename = "per", alias = "in")]
    window: Option<Moment>,
}

impl AttemptsAllowed {
    /// In which time, in milliseconds; `None` for ever.
    pub fn window_ms(&self) -> Option<i64> {
        self.window?.milliseconds()
    }
}

/// `10 attempts in 1h`.
impl fmt::Display for AttemptsAllowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.max.get() == 1 { "" } else { "s" };
        write!(f, "{} attempt{plural}", self.max)?;
        match &self.window {
            Some(window) => write!(f, " in {window}"),
            None => Ok(()),
        }
    }
}
