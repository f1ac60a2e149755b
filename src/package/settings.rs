//! What problem.toml settles: every value checked where it stands, every default filled in.

use toml::Spanned;

use super::manifest::{CompareTable, DisclosureTable, Io, LimitTable, Manifest, Protocol};
use crate::compare::{Mode, WrongLayout};
use crate::config::{ConfigError, LimitDefaults, Place};
use crate::domain::{Disclosure, Disclosures, Limits};

const MIB: u64 = 1024 * 1024;
/// Both tolerances of `mode = "float"` where the file has neither: what most problems with numbers
/// allow. Without any tolerance a right program would fail for its last digit.
pub(super) const TOLERANCE: f64 = 1e-6;

/// How outputs are compared.
pub(super) struct Compared {
    pub mode: Mode,
    pub wrong_layout: WrongLayout,
}

pub(super) fn compared(place: &Place<'_>, manifest: &Manifest) -> Result<Compared, ConfigError> {
    let nothing = CompareTable::default();
    let table = match &manifest.compare {
        Some(table) if manifest.checker.is_some() => {
            return Err(place.error(
                table.span(),
                "`[compare]` has no meaning beside `checker`, which does the comparing",
                "take one of the two out",
            ));
        }
        Some(table) => table.get_ref(),
        None => &nothing,
    };
    let exact = place.choice(
        "mode",
        table.mode.as_ref(),
        &[
            ("tokens", Mode::Tokens),
            ("lines", Mode::Lines),
            ("exact", Mode::Exact),
            // With the tolerances that are read below.
            (
                "float",
                Mode::Float {
                    absolute: TOLERANCE,
                    relative: TOLERANCE,
                },
            ),
        ],
    )?;
    let absolute = tolerance(place, "absolute", table.absolute.as_ref(), &exact)?;
    let relative = tolerance(place, "relative", table.relative.as_ref(), &exact)?;
    let mode = match (exact, absolute, relative) {
        (Mode::Float { .. }, None, None) | (Mode::Exact | Mode::Lines | Mode::Tokens, ..) => exact,
        (Mode::Float { .. }, absolute, relative) => Mode::Float {
            absolute: absolute.unwrap_or(0.0),
            relative: relative.unwrap_or(0.0),
        },
    };
    let wrong_layout = place.choice(
        "wrong_layout",
        table.wrong_layout.as_ref(),
        &[
            ("PE", WrongLayout::Presentation),
            ("WA", WrongLayout::Wrong),
        ],
    )?;
    Ok(Compared { mode, wrong_layout })
}

fn tolerance(
    place: &Place<'_>,
    key: &str,
    value: Option<&Spanned<f64>>,
    mode: &Mode,
) -> Result<Option<f64>, ConfigError> {
    let Some(value) = value else {
        return Ok(None);
    };
    if !matches!(mode, Mode::Float { .. }) {
        return Err(place.error(
            value.span(),
            format!("`{key}` has a meaning only with mode = \"float\""),
            "write `mode = \"float\"` under `[compare]`, or take the key out",
        ));
    }
    let number = *value.get_ref();
    if number.is_finite() && number >= 0.0 {
        return Ok(Some(number));
    }
    Err(place.error(
        value.span(),
        format!("`{key}` cannot be {number}"),
        format!(
            "it is the largest error that is allowed, 0 or more; \
             without `absolute` and `relative` both are {TOLERANCE:e}"
        ),
    ))
}

pub(super) fn io(place: &Place<'_>, manifest: &Manifest) -> Result<Io, ConfigError> {
    let choices = [("stdio", Io::Stdio), ("stdio-or-files", Io::StdioOrFiles)];
    place.choice("io", manifest.io.as_ref(), &choices)
}

/// How validator and checker are asked, where the file says it.
pub(super) fn protocol(
    place: &Place<'_>,
    manifest: &Manifest,
) -> Result<Option<Protocol>, ConfigError> {
    let Some(word) = &manifest.protocol else {
        return Ok(None);
    };
    if manifest.validator.is_none() && manifest.checker.is_none() {
        return Err(place.error(
            word.span(),
            "`protocol` has a meaning only with `validator` or `checker`",
            "take it out, or name the program that it is about",
        ));
    }
    let choices = [("icpc", Protocol::Icpc), ("testlib", Protocol::Testlib)];
    place.choice("protocol", Some(word), &choices).map(Some)
}

pub(super) fn disclosures(
    place: &Place<'_>,
    table: &DisclosureTable,
) -> Result<Disclosures, ConfigError> {
    let usual = Disclosures::default();
    let level = |key: &str, value: &Option<Spanned<String>>, usual: Disclosure| {
        let mut choices = [
            ("first-failure", Disclosure::FirstFailure),
            ("verdict-only", Disclosure::VerdictOnly),
            ("full", Disclosure::Full),
        ];
        // The first one is the default, of which the errors tell.
        choices.sort_by_key(|(_, level)| *level != usual);
        place.choice(key, value.as_ref(), &choices)
    };
    Ok(Disclosures {
        sample: level("sample", &table.sample, usual.sample)?,
        secret: level("secret", &table.secret, usual.secret)?,
        hack: level("hack", &table.hack, usual.hack)?,
    })
}

pub(super) fn limits(
    place: &Place<'_>,
    table: &LimitTable,
    defaults: &LimitDefaults,
) -> Result<Limits, ConfigError> {
    let cpu_s = defaults.cpu.as_secs_f64();
    let cpu = place.seconds("cpu_s", table.cpu_s.as_ref(), cpu_s, 0.01..=3_600.0)?;
    let floor = Limits::wall_floor(cpu);
    let wall = match &table.wall_s {
        None => defaults.wall.unwrap_or(floor).max(floor),
        Some(value) if *value.get_ref() == 0.0 => floor,
        Some(value) => {
            let wall = place.seconds("wall_s", Some(value), 0.0, 0.01..=86_400.0)?;
            if wall < floor {
                return Err(place.error(
                    value.span(),
                    format!("`wall_s` cannot be {}", value.get_ref()),
                    format!(
                        "it is at least 2 × cpu_s + 1 = {} s, so that a busy machine costs no \
                         student a verdict; 0 stands for just that",
                        floor.as_secs_f64()
                    ),
                ));
            }
            wall
        }
    };
    let mebibytes = |key: &str, value: &Option<Spanned<i64>>, default: u64, least: u64| {
        let whole = place.whole(key, value.as_ref(), default / MIB, least..=MIB);
        whole.map(|mib| mib * MIB)
    };
    let memory = defaults.memory_bytes;
    let processes = table.processes.as_ref();
    Ok(Limits {
        cpu,
        wall,
        memory_bytes: mebibytes("memory_mib", &table.memory_mib, memory, 4)?,
        output_bytes: mebibytes("output_mib", &table.output_mib, defaults.output_bytes, 1)?,
        processes: place.narrow("processes", processes, defaults.processes, 1..=4_096)?,
        open_files: defaults.open_files,
    })
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
