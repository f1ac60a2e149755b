//! The table `[limits]`, of config.toml and of every problem.toml.

use std::time::Duration;

use serde::{Deserialize, Deserializer};

use super::error::ConfigError;
use super::place::Place;
use super::value::{seconds, whole};
use crate::domain::Limits;
use crate::util::MIB;

/// What a program may use on one test.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitTable {
    /// CPU time.
    #[serde(rename = "cpu_s", deserialize_with = "seconds::<10, 3_600, _>")]
    pub cpu: Duration,
    /// Wall-clock time; `None`, in the file 0, for [`Limits::wall_floor`].
    #[serde(rename = "wall_s", deserialize_with = "wall")]
    pub wall: Option<Duration>,
    /// Memory, in bytes.
    #[serde(
        rename = "memory_mib",
        deserialize_with = "whole::<4, 1_048_576, MIB, _, _>"
    )]
    pub memory_bytes: u64,
    /// Output, in bytes.
    #[serde(
        rename = "output_mib",
        deserialize_with = "whole::<1, 1_048_576, MIB, _, _>"
    )]
    pub output_bytes: u64,
    /// Processes and threads.
    #[serde(deserialize_with = "whole::<1, 32_768, 1, _, _>")]
    pub processes: u32,
    /// Open files of one process.
    #[serde(deserialize_with = "whole::<16, 1_048_576, 1, _, _>")]
    pub open_files: u32,
}

fn wall<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    let wall = seconds::<0, 86_400, D>(from)?;
    Ok((!wall.is_zero()).then_some(wall))
}

impl LimitTable {
    /// The limits. A default wall-clock time that is too short for a problem's CPU time is not the
    /// problem's mistake: the floor counts.
    pub fn limits(&self) -> Limits {
        let floor = Limits::wall_floor(self.cpu);
        Limits {
            cpu: self.cpu,
            wall: self.wall.unwrap_or(floor).max(floor),
            memory_bytes: self.memory_bytes,
            output_bytes: self.output_bytes,
            processes: self.processes,
            open_files: self.open_files,
        }
    }

    /// Looks at what this very file says of `wall_s`.
    pub fn check(&self, place: &Place<'_>) -> Result<(), ConfigError> {
        let floor = Limits::wall_floor(self.cpu);
        let (Some(wall), Some(span)) = (self.wall, place.span_of(&["limits", "wall_s"])) else {
            return Ok(());
        };
        if wall >= floor {
            return Ok(());
        }
        Err(place.error(
            span,
            format!(
                "`wall_s` cannot be {}, which is less than a busy machine needs",
                wall.as_secs_f64()
            ),
            format!(
                "it is at least 2 × cpu_s + 1 = {} s; 0 stands for just that",
                floor.as_secs_f64()
            ),
        ))
    }

    /// The table as it is written, so that a problem's own can be laid over it.
    pub fn to_toml(&self) -> String {
        format!(
            "[limits]\ncpu_s = {}\nwall_s = {}\nmemory_mib = {}\noutput_mib = {}\nprocesses = {}\nopen_files = {}\n",
            self.cpu.as_secs_f64(),
            self.wall.unwrap_or_default().as_secs_f64(),
            self.memory_bytes / MIB,
            self.output_bytes / MIB,
            self.processes,
            self.open_files,
        )
    }
}
