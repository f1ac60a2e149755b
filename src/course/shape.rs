//! course.toml as an instructor writes it, every value checked while it is read.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use jiff::tz::TimeZone;
use serde::Deserialize;
use serde::de::Deserializer;
use toml::Spanned;

use super::late::Early;
use super::moment::Moment;
use super::points::{POINTS_MAX, Points};
use crate::config::{Counts, Wrong, one_of, text};

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
    #[serde(deserialize_with = "zone")]
    pub time_zone: TimeZone,
    /// Which attempt counts, where an assignment does not say.
    #[serde(deserialize_with = "counts")]
    pub counts: Counts,
    /// How long after the due time still is on time.
    #[serde(deserialize_with = "moment")]
    pub grace: Moment,
    /// What late attempts count.
    #[serde(deserialize_with = "steps")]
    pub late: Vec<Step>,
    /// A CSV file with the extensions; "" for none.
    pub extensions: String,
    /// What becomes of what comes before its assignment opens, where an assignment does not say.
    #[serde(deserialize_with = "early")]
    pub early: Early,
    /// How many attempts are accepted at a problem, where an assignment does not say.
    #[serde(default)]
    pub attempts: Option<Attempts>,
    /// What is handed in.
    #[serde(deserialize_with = "assignments")]
    pub assignments: Vec<Assignment>,
}

/// Until when a late attempt counts so much.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    #[serde(deserialize_with = "moment")]
    pub until: Moment,
    #[serde(deserialize_with = "percent")]
    pub percent: u8,
}

/// How many attempts at a problem are accepted.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attempts {
    pub most: NonZeroU32,
    /// In which time; for ever where it does not say.
    #[serde(default, rename = "in", deserialize_with = "some_span")]
    pub window: Option<Moment>,
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
    #[serde(deserialize_with = "points")]
    pub points: BTreeMap<String, Points>,
    #[serde(default, deserialize_with = "some_begin")]
    pub opens: Option<Moment>,
    #[serde(default, deserialize_with = "some_early")]
    pub early: Option<Early>,
    #[serde(default, deserialize_with = "some_moment")]
    pub due: Option<Moment>,
    #[serde(default, deserialize_with = "some_moment")]
    pub closes: Option<Moment>,
    #[serde(default, deserialize_with = "some_moment")]
    pub grace: Option<Moment>,
    #[serde(default, deserialize_with = "some_steps")]
    pub late: Option<Vec<Step>>,
    #[serde(default, deserialize_with = "some_counts")]
    pub counts: Option<Counts>,
    #[serde(default)]
    pub attempts: Option<Attempts>,
}

fn zone<'de, D: Deserializer<'de>>(from: D) -> Result<TimeZone, D::Error> {
    text(from, |name| {
        TimeZone::get(name).map_err(|_| {
            Wrong::new(
                format!("there is no time zone `{name}`"),
                "write it as in \"Europe/Oslo\" or \"America/New_York\"",
            )
        })
    })
}

fn counts<'de, D: Deserializer<'de>>(from: D) -> Result<Counts, D::Error> {
    let choices = [
        ("best", Counts::Best),
        ("last", Counts::Last),
        ("last-on-time", Counts::LastOnTime),
    ];
    one_of(from, &choices)
}

fn some_counts<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Counts>, D::Error> {
    counts(from).map(Some)
}

fn early<'de, D: Deserializer<'de>>(from: D) -> Result<Early, D::Error> {
    one_of(from, &[("hold", Early::Hold), ("reject", Early::Reject)])
}

fn some_early<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Early>, D::Error> {
    early(from).map(Some)
}

fn moment<'de, D: Deserializer<'de>>(from: D) -> Result<Moment, D::Error> {
    text(from, |written| {
        Moment::read(written).ok_or_else(|| {
            Wrong::new(
                format!("`{{key}}` cannot be `{written}`"),
                "write a time as in \"2026-10-02 23:59\", or so long after it belongs to: \"36h\", \"3d\"",
            )
        })
    })
}

fn some_moment<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Moment>, D::Error> {
    moment(from).map(Some)
}

/// A moment at which something begins: a date alone is its first moment.
fn some_begin<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Moment>, D::Error> {
    let at = moment(from)?;
    Ok(Some(at.begin()))
}

fn some_span<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Moment>, D::Error> {
    text(from, |written| {
        let span = Moment::read(written).filter(|moment| moment.milliseconds().is_some());
        span.map(Some).ok_or_else(|| {
            Wrong::new(
                format!("`{{key}}` cannot be `{written}`"),
                "write how long, as in \"1h\" or \"1d\"",
            )
        })
    })
}

fn percent<'de, D: Deserializer<'de>>(from: D) -> Result<u8, D::Error> {
    let number = i64::deserialize(from)?;
    u8::try_from(number)
        .ok()
        .filter(|percent| *percent <= 100)
        .ok_or_else(|| {
            let message = format!("`{{key}}` cannot be {number}");
            Wrong::new(message, "it is a whole number from 0 to 100").error(None)
        })
}

fn steps<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Step>, D::Error> {
    let steps = Vec::<Step>::deserialize(from)?;
    bounded(steps, STEPS_MAX)
}

fn some_steps<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<Step>>, D::Error> {
    steps(from).map(Some)
}

fn assignments<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Assignment>, D::Error> {
    bounded(Vec::deserialize(from)?, ASSIGNMENTS_MAX)
}

fn bounded<T, E: serde::de::Error>(values: Vec<T>, most: usize) -> Result<Vec<T>, E> {
    if values.len() > most {
        let message = format!("`{{key}}` has more than {most} entries");
        return Err(Wrong::new(message, "take some out").error(None));
    }
    Ok(values)
}

fn points<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, Points>, D::Error> {
    let numbers = BTreeMap::<String, Spanned<f64>>::deserialize(from)?;
    let checked = numbers.into_iter().map(|(problem, number)| {
        let points = Points::from_number(*number.get_ref()).ok_or_else(|| {
            let message = format!("`{problem}` cannot bring {} points", number.get_ref());
            let help = format!("it is a number from 0 to {POINTS_MAX}");
            Wrong::new(message, help).error(Some(number.span()))
        })?;
        Ok((problem, points))
    });
    checked.collect()
}
