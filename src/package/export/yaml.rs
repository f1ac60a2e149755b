//! problem.yaml, and the file with the time limit.

use serde_json::json;

use super::{Done, Export, Version};
use crate::compare::Mode;
use crate::util::MIB;
use crate::util::hash::Key;

/// Steps of time limits, in milliseconds.
const STEPS_MS: [u32; 4] = [1_000, 100, 10, 1];

impl Export<'_> {
    /// Writes each value as JSON, which is YAML.
    pub(super) fn manifest(&self) -> Done {
        let package = self.package;
        let (limits, checker) = (&package.limits, package.checker.as_ref());
        let rounds = checker.map(|checker| checker.rounds);
        let passes = rounds.map_or(1, |rounds| rounds.passes);
        let mut kinds = Vec::new();
        let talks = rounds.is_some_and(|rounds| rounds.interactive);
        kinds.extend(talks.then_some("interactive"));
        kinds.extend((passes > 1).then_some("multi-pass"));
        let has_points = !package.groups.is_empty();
        let kind = if has_points { "scoring" } else { "pass-fail" };
        let seconds = limits.cpu.as_secs_f64();
        // Most systems want sizes to be whole.
        let sizes = [limits.memory_bytes, limits.output_bytes].map(|bytes| bytes.div_ceil(MIB));
        let mut said = json!({"memory": sizes[0], "output": sizes[1]});
        if passes > 1 {
            said["validation_passes"] = json!(passes);
        }
        let mut yaml = json!({"name": package.title, "uuid": self.uuid()});
        if self.version == Version::Legacy {
            let is_custom = checker.is_some() || package.mode == Mode::Lines;
            kinds.insert(0, if is_custom { "custom" } else { "default" });
            yaml["type"] = json!(kind);
            yaml["validation"] = json!(kinds.join(" "));
            yaml["validator_flags"] = json!(self.flags().join(" "));
            yaml["source"] = json!(package.sources.join("; "));
            said["time_multiplier"] = json!(package.multipliers.accepted);
            said["time_safety_margin"] = json!(package.multipliers.too_slow);
            self.put(".timelimit", format!("{seconds}\n"))?;
        } else {
            if has_points || kinds.is_empty() {
                kinds.insert(0, kind);
            }
            yaml["problem_format_version"] = json!("2025-09");
            yaml["type"] = json!(kinds);
            yaml["source"] = json!(package.sources);
            let ms = limits.cpu.as_millis();
            let step = STEPS_MS
                .iter()
                .find(|step| ms.is_multiple_of(u128::from(**step)));
            said["time_limit"] = json!(seconds);
            said["time_resolution"] = json!(f64::from(*step.unwrap_or(&1)) / 1_000.0);
            said["time_multipliers"] = json!({
                "ac_to_time_limit": package.multipliers.accepted,
                "time_limit_to_tle": package.multipliers.too_slow,
            });
        }
        yaml["limits"] = said;
        let lines = yaml.as_object().into_iter().flatten();
        let lines = lines.filter(|(_, value)| **value != json!("") && **value != json!([]));
        let lines = lines.map(|(key, value)| format!("{key}: {value}\n"));
        self.put("problem.yaml", lines.collect::<String>())
    }

    /// The same for the same problem, whenever it is written: one of version 8.
    fn uuid(&self) -> String {
        let key = Key::new("exported-problem").part(self.package.slug.as_str().as_bytes());
        let text = key.part(self.package.title.as_bytes()).finish().to_string();
        let parts = [0..8, 8..12, 13..16, 17..20, 20..32].map(|range| &text[range]);
        let [time, middle, high, low, node] = parts;
        format!("{time}-{middle}-8{high}-8{low}-{node}")
    }
}
