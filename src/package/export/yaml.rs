//! problem.yaml, and the file with the time limit.

use serde_json::{Value, json};

use super::{Done, Export, Version};
use crate::compare::Mode;
use crate::domain::Rounds;
use crate::util::hash::Key;

const MIB: u64 = 1024 * 1024;
/// Steps of time limits, in milliseconds.
const STEPS_MS: [u32; 4] = [1_000, 100, 10, 1];

impl Export<'_> {
    /// Writes each value as JSON, which is YAML.
    pub(super) fn manifest(&self) -> Done {
        let package = self.package;
        let said = |begin: &'static str| {
            let sources = package.sources.iter();
            let said = sources.filter_map(|text| text.strip_prefix(begin));
            said.collect::<Vec<&str>>().join(", ")
        };
        let of_others = ["by ", "license: "];
        let is_source = |text: &&str| !of_others.iter().any(|begin| text.starts_with(begin));
        let sources = package.sources.iter().map(String::as_str);
        let sources: Vec<&str> = sources.filter(is_source).collect();
        let rounds = package.checker.as_ref().map(|checker| checker.rounds);
        let of_rounds = of_rounds(rounds);
        let cpu = package.limits.cpu;
        let by = [package.multipliers.accepted, package.multipliers.too_slow];
        let mut yaml = json!({
            "name": package.title,
            "uuid": self.uuid(),
            "license": said("license: "),
            "limits": {
                // Most systems want them to be whole.
                "memory": package.limits.memory_bytes.div_ceil(MIB),
                "output": package.limits.output_bytes.div_ceil(MIB),
            },
        });
        if let Some(rounds) = rounds.filter(|rounds| rounds.passes > 1) {
            yaml["limits"]["validation_passes"] = json!(rounds.passes);
        }
        let has_points = (!package.groups.is_empty()).then_some("scoring");
        if self.version == Version::Legacy {
            let is_custom = package.checker.is_some() || package.mode == Mode::Lines;
            let word = if is_custom { "custom" } else { "default" };
            yaml["validation"] = json!([&[word], &of_rounds[..]].concat().join(" "));
            yaml["validator_flags"] = json!(self.flags().join(" "));
            yaml["type"] = json!(has_points.unwrap_or("pass-fail"));
            yaml["author"] = json!(said("by "));
            yaml["source"] = json!(sources.join("; "));
            yaml["limits"]["time_multiplier"] = json!(by[0]);
            yaml["limits"]["time_safety_margin"] = json!(by[1]);
            let text = format!("{}\n", cpu.as_secs_f64());
            self.put(".timelimit", text.as_bytes())?;
        } else {
            let mut kinds: Vec<&str> = has_points.into_iter().chain(of_rounds).collect();
            if kinds.is_empty() {
                kinds.push("pass-fail");
            }
            yaml["problem_format_version"] = json!("2025-09");
            yaml["type"] = json!(kinds);
            yaml["credits"] = json!(said("by "));
            yaml["source"] = json!(sources);
            let mut steps = STEPS_MS.into_iter();
            let step = steps.find(|step| cpu.as_millis().is_multiple_of(u128::from(*step)));
            let step = f64::from(step.unwrap_or(STEPS_MS[3])) / 1_000.0;
            yaml["limits"]["time_limit"] = json!(cpu.as_secs_f64());
            yaml["limits"]["time_resolution"] = json!(step);
            yaml["limits"]["time_multipliers"] =
                json!({"ac_to_time_limit": by[0], "time_limit_to_tle": by[1]});
        }
        let is_said = |value: &Value| *value != json!("") && *value != json!([]);
        let lines = yaml.as_object().into_iter().flatten();
        let lines = lines.filter(|(_, value)| is_said(value));
        let lines: Vec<String> = lines
            .map(|(key, value)| format!("{key}: {value}\n"))
            .collect();
        self.put("problem.yaml", lines.concat().as_bytes())
    }

    /// The same for the same problem, whenever it is written: one of version 8.
    fn uuid(&self) -> String {
        let slug = self.package.slug.as_str().as_bytes();
        let key = Key::new("exported-problem").part(slug);
        let text = key.part(self.package.title.as_bytes()).finish().to_string();
        let [a, b, c, d, e] = [0..8, 8..12, 13..16, 17..20, 20..32].map(|range| &text[range]);
        format!("{a}-{b}-8{c}-8{d}-{e}")
    }
}

/// What `type` or `validation` say of a checker that takes part in the runs.
fn of_rounds(rounds: Option<Rounds>) -> Vec<&'static str> {
    let mut words = Vec::new();
    words.extend(
        rounds
            .filter(|rounds| rounds.interactive)
            .map(|_| "interactive"),
    );
    words.extend(
        rounds
            .filter(|rounds| rounds.passes > 1)
            .map(|_| "multi-pass"),
    );
    words
}
