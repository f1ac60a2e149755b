//! problem.yaml, and the file with the time limit.

use serde_json::{Value, json};

use super::{Done, Export, Version};
use crate::domain::Digest;
use crate::util::hash::Key;

const MIB: u64 = 1024 * 1024;
/// Steps of time limits in milliseconds, the first that fits.
const STEPS_MS: [u64; 4] = [1_000, 100, 10, 1];

impl Export<'_> {
    /// Each value is JSON, which is YAML.
    pub(super) fn manifest(&mut self) -> Done {
        let package = self.package;
        let is_legacy = self.version == Version::Legacy;
        let rounds = package.checker.as_ref().map(|checker| checker.rounds);
        let passes = rounds.map_or(1, |rounds| rounds.passes);
        let mut kinds = Vec::new();
        kinds.extend((!package.groups.is_empty()).then_some("scoring"));
        let mut of_validation = Vec::new();
        of_validation.extend(
            rounds
                .is_some_and(|rounds| rounds.interactive)
                .then_some("interactive"),
        );
        of_validation.extend((passes > 1).then_some("multi-pass"));
        let (accepted, too_slow) = (package.multipliers.accepted, package.multipliers.too_slow);
        let mut limits = json!({"memory": mib(package.limits.memory_bytes), "output": mib(package.limits.output_bytes)});
        if passes > 1 {
            limits["validation_passes"] = json!(passes);
        }
        let mut lines = vec![("name", json!(package.title))];
        let said = |begin: &'static str| {
            let sources = package.sources.iter();
            let said: Vec<&str> = sources
                .filter_map(|text| text.strip_prefix(begin))
                .collect();
            said.join(", ")
        };
        let is_source = |text: &&String| !text.starts_with("by ") && !text.starts_with("license: ");
        let sources: Vec<&String> = package.sources.iter().filter(is_source).collect();
        if is_legacy {
            let custom = package.checker.is_some() || self.has_own_checker();
            let word = if custom { "custom" } else { "default" };
            of_validation.insert(0, word);
            lines.push(("validation", json!(of_validation.join(" "))));
            lines.push(("validator_flags", json!(self.flags().join(" "))));
            lines.push(("type", json!(kinds.first().unwrap_or(&"pass-fail"))));
            lines.push(("author", json!(said("by "))));
            let sources: Vec<&str> = sources.iter().map(|text| text.as_str()).collect();
            lines.push(("source", json!(sources.join("; "))));
            limits["time_multiplier"] = json!(accepted);
            limits["time_safety_margin"] = json!(too_slow);
            let seconds = package.limits.cpu.as_secs_f64();
            self.put(".timelimit", format!("{seconds}\n").as_bytes())?;
        } else {
            lines.insert(0, ("problem_format_version", json!("2025-09")));
            let key = Key::new("exported-problem").part(package.slug.as_str().as_bytes());
            let key = key.part(package.title.as_bytes());
            lines.push(("uuid", json!(uuid(key.finish()))));
            kinds.extend(of_validation);
            lines.push((
                "type",
                match kinds[..] {
                    [] => json!("pass-fail"),
                    [one] => json!(one),
                    _ => json!(kinds),
                },
            ));
            lines.push(("credits", json!(said("by "))));
            lines.push(("source", json!(sources)));
            let step = u128::from(STEPS_MS[3]);
            let cpu = package.limits.cpu.as_millis();
            let step = STEPS_MS
                .map(u128::from)
                .into_iter()
                .find(|step| cpu.is_multiple_of(*step))
                .unwrap_or(step);
            limits["time_limit"] = json!(package.limits.cpu.as_secs_f64());
            limits["time_resolution"] = json!(step as f64 / 1_000.0);
            limits["time_multipliers"] =
                json!({"ac_to_time_limit": accepted, "time_limit_to_tle": too_slow});
        }
        lines.push(("license", json!(said("license: "))));
        lines.push(("limits", limits));
        let is_said = |value: &Value| *value != json!("") && *value != json!([]);
        let lines = lines.iter().filter(|(_, value)| is_said(value));
        let text: String = lines
            .map(|(key, value)| format!("{key}: {value}\n"))
            .collect();
        self.put("problem.yaml", text.as_bytes())
    }
}

/// Bytes in MiB, which most systems want to be whole.
fn mib(bytes: u64) -> Value {
    if bytes.is_multiple_of(MIB) {
        return json!(bytes / MIB);
    }
    json!(bytes as f64 / MIB as f64)
}

/// The same for the same problem, whenever it is written: a UUID of version 8.
fn uuid(digest: Digest) -> String {
    let text = digest.to_string();
    format!(
        "{}-{}-8{}-8{}-{}",
        &text[..8],
        &text[8..12],
        &text[13..16],
        &text[17..20],
        &text[20..32]
    )
}
