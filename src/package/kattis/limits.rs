//! The limits of a package: `limits` in problem.yaml, and the files in which a time limit may
//! stand.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use super::super::error::Trouble;
use super::super::remarks::Remarks;
use super::super::tree::Tree;
use super::super::yaml::{Value, Yaml};
use super::version::Version;
use crate::domain::{Complaint, Limits, Multipliers, Rounds};
use crate::util::MIB;
use crate::util::files::read_regular;
use crate::util::words::hint;

/// What is known of a limit that is not used.
const OF_THE_COURSE: &str = "the course's own counts, in config.toml";
const OF_VALIDATORS: &str = "validators have limits of their own here";
/// Every key of `limits`, with why it is not used, where it is not.
const KEYS: [(&str, Option<&str>); 14] = [
    ("time_limit", None),
    ("memory", None),
    ("output", None),
    ("validation_passes", None),
    // By these a time limit is computed that is not given, which is a remark of its own.
    ("time_multiplier", None),
    ("time_safety_margin", None),
    ("time_multipliers", None),
    ("time_resolution", None),
    ("code", Some(OF_THE_COURSE)),
    ("compilation_time", Some(OF_THE_COURSE)),
    ("compilation_memory", Some(OF_THE_COURSE)),
    ("validation_time", Some(OF_VALIDATORS)),
    ("validation_memory", Some(OF_VALIDATORS)),
    ("validation_output", Some(OF_VALIDATORS)),
];
const SECONDS: (f64, f64) = (0.01, 3_600.0);
/// What the format calls the usual memory limit, and the authors of packages count on.
const USUAL_MEMORY_BYTES: u64 = 2_048 * MIB;
const MEMORY_MIB: (f64, f64) = (4.0, 1_048_576.0);
const OUTPUT_MIB: (f64, f64) = (1.0, 1_048_576.0);
const MULTIPLIER: (f64, f64) = (0.1, 1_000.0);
const INTERACTIVE: &str = "interactive";
/// Both are written.
const MULTI_PASS: [&str; 2] = ["multi-pass", "multipass"];
/// The passes that there may be, and how many there are at most if nothing is said.
const PASSES: (f64, f64) = (2.0, Rounds::PASSES_MAX as f64);
const TIME_LIMIT: &str = ".timelimit";
/// Characters of what stands there in the place of a number.
const SHOWN_CHARACTERS_MAX: usize = 40;
/// The size of that file, in bytes.
const TIME_LIMIT_BYTES_MAX: u64 = 1_024;

/// What `domjudge-problem.ini` says, by its keys: the line and the value.
pub type Ini = BTreeMap<String, (usize, String)>;

/// Reads the text of such a file.
pub fn ini(text: &str) -> Ini {
    let lines = text.lines().enumerate();
    let entries = lines.filter_map(|(index, line)| {
        let (key, value) = line.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']).to_owned();
        let key = key.trim().to_ascii_lowercase();
        (!key.starts_with([';', '#'])).then_some((key, (index + 1, value)))
    });
    entries.collect()
}

/// The limits of a package in the folder `root`, where it says any, and how its time limit would be
/// computed.
pub fn limits(
    (root, tree): (&Path, &Tree),
    (yaml, version): (&Yaml<'_>, Version),
    (ini, ini_file): (&Ini, &Path),
    defaults: &Limits,
    remarks: &mut Remarks,
) -> Result<(Limits, Multipliers), Trouble> {
    let file = root.join(super::super::format::PROBLEM_YAML);
    let table = yaml.table("limits")?;
    for key in table.keys() {
        match KEYS.iter().find(|(known, _)| known == key) {
            Some((_, None)) => {}
            Some((_, Some(why))) => {
                remarks.add(&file, format!("`limits.{key}` is not used: {why}"));
            }
            None => {
                let hint = hint(key, KEYS.map(|(known, _)| known));
                remarks.add(&file, format!("the key `limits.{key}` is not known{hint}"));
            }
        }
    }
    let number = |key: &str, bounds| match table.get(key).copied() {
        None => Ok(None),
        Some(value) => number(yaml, &format!("limits.{key}"), value, bounds),
    };
    let mut limits = defaults.clone();
    let memory = number("memory", MEMORY_MIB)?.map(bytes);
    limits.memory_bytes = memory.unwrap_or(limits.memory_bytes.max(USUAL_MEMORY_BYTES));
    if let Some(mib) = number("output", OUTPUT_MIB)? {
        limits.output_bytes = bytes(mib);
    }
    let has_file = tree.below("").any(|entry| entry.name() == TIME_LIMIT);
    let of_ini = ini.get("timelimit");
    let of_ini = of_ini
        .map(|(line, text)| seconds(text, ini_file, *line))
        .transpose()?;
    let cpu = match of_ini {
        Some(cpu) => Some(cpu),
        None if has_file => of_file(&root.join(TIME_LIMIT))?,
        None => None,
    };
    let cpu = match cpu {
        Some(cpu) => Some(cpu),
        None => number("time_limit", SECONDS)?,
    };
    match cpu {
        Some(cpu) => limits.cpu = Duration::from_secs_f64(cpu),
        None => remarks.add(
            &file,
            format!(
                "it has no time limit, so the course's default of {} s counts; `verdictd calibrate` \
                 computes one from its examples, and a file `{TIME_LIMIT}` in the package gives it",
                defaults.cpu.as_secs_f64()
            ),
        ),
    }
    Ok((limits, multipliers(yaml, version, &table)?))
}

/// How a time limit follows from the examples.
fn multipliers(
    yaml: &Yaml<'_>,
    version: Version,
    limits: &BTreeMap<&str, &Value>,
) -> Result<Multipliers, Complaint> {
    let (usual, keys, below) = match version {
        Version::Legacy => (
            Multipliers::LEGACY,
            ["time_multiplier", "time_safety_margin"],
            None,
        ),
        Version::Draft | Version::Latest => (
            Multipliers::default(),
            ["ac_to_time_limit", "time_limit_to_tle"],
            limits.get("time_multipliers"),
        ),
    };
    let table = match below {
        Some(value) => &yaml.below("limits.time_multipliers", value)?,
        None => limits,
    };
    let [accepted, too_slow] = keys.map(|key| match table.get(key).copied() {
        None => Ok(None),
        Some(value) => number(yaml, &format!("limits.{key}"), value, MULTIPLIER),
    });
    Ok(Multipliers {
        accepted: accepted?.unwrap_or(usual.accepted),
        too_slow: too_slow?.unwrap_or(usual.too_slow),
    })
}

/// Whether a word of `validation` or `type` says that the output validator takes part in the runs.
pub fn is_of_rounds(word: &str) -> bool {
    word == INTERACTIVE || MULTI_PASS.contains(&word)
}

/// How the output validator judges, by what `validation` and `type` say.
pub fn rounds(yaml: &Yaml<'_>, words: &[String]) -> Result<Rounds, Complaint> {
    let says = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    let passes = match yaml.table("limits")?.get("validation_passes").copied() {
        None => None,
        Some(value) => number(yaml, "limits.validation_passes", value, PASSES)?,
    };
    Ok(Rounds {
        interactive: says(&[INTERACTIVE]),
        passes: if says(&MULTI_PASS) {
            whole(passes.unwrap_or(PASSES.0))
        } else {
            1
        },
    })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is between two small bounds"
)]
fn whole(number: f64) -> u32 {
    number as u32
}

fn number(
    yaml: &Yaml<'_>,
    key: &str,
    value: &Value,
    (least, most): (f64, f64),
) -> Result<Option<f64>, Complaint> {
    let Some(text) = yaml.single(key, value)? else {
        return Ok(None);
    };
    let number = text.parse().ok();
    let number = number.filter(|number| (least..=most).contains(number));
    number.map(Some).ok_or_else(|| {
        yaml.complaint(
            value,
            format!("`{key}` cannot be `{text}`"),
            format!("it is a number from {least} to {most}"),
        )
    })
}

/// The seconds in a file that holds nothing else; none where there is no such file.
fn of_file(file: &Path) -> Result<Option<f64>, Trouble> {
    match read_regular(file, TIME_LIMIT_BYTES_MAX) {
        Ok(bytes) => Ok(Some(seconds(&String::from_utf8_lossy(&bytes), file, 1)?)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Trouble::unread(file, error)),
    }
}

fn seconds(text: &str, file: &Path, line: usize) -> Result<f64, Complaint> {
    let (least, most) = SECONDS;
    let number = text.trim().parse().ok();
    number
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| {
            let shown: String = text.trim().chars().take(SHOWN_CHARACTERS_MAX).collect();
            let shown = shown.escape_debug();
            let complaint = Complaint::new(file, format!("the time limit cannot be `{shown}`"));
            let help = format!("it is a number of seconds from {least} to {most}");
            complaint.on(line).with_help(help)
        })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "what is outside of the bounds is refused before"
)]
fn bytes(mib: f64) -> u64 {
    (mib * 1_048_576.0) as u64
}
