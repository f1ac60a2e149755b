//! The tables `[limits]`, of config.toml and of every problem.toml, and `[build]`.

use std::time::Duration;

use serde::Deserialize;

use super::place::Place;
use super::rules::{Check, Rule, mib, seconds};
use crate::domain::{BuildLimits, Complaint, Limits};
use crate::util::MIB;

/// [`Limits`] as they are written. A wall-clock time of 0 stands for the
/// [least](Limits::wall_floor).
#[derive(Deserialize)]
#[serde(remote = "Limits", deny_unknown_fields)]
pub struct LimitTable {
    #[serde(rename = "cpu_s", deserialize_with = "seconds")]
    cpu: Duration,
    #[serde(rename = "wall_s", deserialize_with = "seconds")]
    wall: Duration,
    #[serde(rename = "memory_mib", deserialize_with = "mib")]
    memory_bytes: u64,
    #[serde(rename = "output_mib", deserialize_with = "mib")]
    output_bytes: u64,
    processes: u32,
    open_files: u32,
}

/// What their values may be.
pub const LIMIT_RULES: [Rule; 6] = [
    ("limits.cpu_s", Check::Number(0.01, 3_600.0)),
    ("limits.wall_s", Check::Number(0.0, 86_400.0)),
    ("limits.memory_mib", Check::Whole(4, 1_048_576)),
    ("limits.output_mib", Check::Whole(1, 1_048_576)),
    ("limits.processes", Check::Whole(1, 32_768)),
    ("limits.open_files", Check::Whole(16, 1_048_576)),
];

/// [`BuildLimits`] as they are written.
#[derive(Deserialize)]
#[serde(remote = "BuildLimits", deny_unknown_fields)]
pub(super) struct BuildTable {
    #[serde(rename = "cpu_s", deserialize_with = "seconds")]
    cpu: Duration,
    #[serde(rename = "memory_mib", deserialize_with = "mib")]
    memory_bytes: u64,
}

/// Looks at what this very file says of `wall_s`. A default that is too short for a problem's CPU
/// time is not the problem's mistake.
pub fn check_wall(limits: &Limits, place: &Place<'_>) -> Result<(), Complaint> {
    let (wall, floor) = (limits.wall, Limits::wall_floor(limits.cpu));
    let Some(span) = place.span_of(&["limits", "wall_s"]) else {
        return Ok(());
    };
    if wall.is_zero() || wall >= floor {
        return Ok(());
    }
    let (wall, floor) = (wall.as_secs_f64(), floor.as_secs_f64());
    Err(place.error(
        span,
        format!("`wall_s` cannot be {wall}, which is less than a busy machine needs"),
        format!("it is at least 2 × cpu_s + 1 = {floor} s; 0 stands for just that"),
    ))
}

/// Limits as they are written, so that a problem's own can be laid over them.
pub fn limits_toml(limits: &Limits) -> String {
    format!(
        "[limits]\ncpu_s = {}\nwall_s = {}\nmemory_mib = {}\noutput_mib = {}\nprocesses = {}\nopen_files = {}\n",
        limits.cpu.as_secs_f64(),
        limits.wall.as_secs_f64(),
        limits.memory_bytes / MIB,
        limits.output_bytes / MIB,
        limits.processes,
        limits.open_files,
    )
}
