//! The tests, and what the files in their folders say of points and of what validators are told.

use serde_json::json;

use super::{Done, Export, Trouble, Version, flags_of, listed};
use crate::domain::{Complaint, Group, Scoring, TestKind};
use crate::package::contents::Test;
use crate::package::format::Format;
use crate::package::tree::entries_of;

/// The folder of the tests that belong to no group, where others do.
const UNGROUPED: &str = "ungrouped";
/// Bytes of a test's name, without the number that it may get.
const NAME_BYTES_MAX: usize = 200;

impl Export<'_> {
    /// Whether a checker of ours takes the place of a comparison that no flags ask for.
    pub(super) fn has_own_checker(&self) -> bool {
        self.package.checker.is_none() && flags_of(&self.package.mode).is_none()
    }

    pub(super) fn tests(&mut self) -> Done {
        let package = self.package;
        self.told_alike()?;
        let is_sample = |test: &&Test| test.name.kind == TestKind::Sample;
        let (samples, secret): (Vec<&Test>, Vec<&Test>) = package.tests.iter().partition(is_sample);
        self.told_of_all()?;
        self.folder("sample", &samples)?;
        if package.groups.is_empty() {
            return self.folder("secret", &secret);
        }
        let of = |place: Option<usize>| -> Vec<&Test> {
            let tests = secret.iter().filter(|test| test.name.group == place);
            tests.copied().collect()
        };
        let places = package.groups.iter().enumerate();
        let places = places.map(|(place, group)| (Some(place), group.clone()));
        let rest = (
            None,
            Group {
                name: UNGROUPED.to_owned(),
                points: 0,
                scoring: Scoring::All,
                needs: Vec::new(),
                takes_hacks: false,
            },
        );
        let groups: Vec<_> = [rest]
            .into_iter()
            .chain(places)
            .filter(|(place, _)| !of(*place).is_empty())
            .collect();
        let names = in_order(groups.iter().map(|(_, group)| group.name.as_str()));
        for ((place, group), name) in groups.iter().zip(&names) {
            let needs = group.needs.iter().map(|needed| {
                let at = groups.iter().position(|(place, _)| *place == Some(*needed));
                at.map_or("sample".to_owned(), |at| format!("secret/{}", names[at]))
            });
            let (tests, needs) = (of(*place), needs.collect());
            self.points(name, group, tests.len(), needs)?;
            self.folder(&format!("secret/{name}"), &tests)?;
        }
        Ok(())
    }

    /// The error: input validators are told different things, of which only what holds for all is
    /// known.
    fn told_alike(&self) -> Done {
        if self.package.format == Format::Own {
            return Ok(());
        }
        for entry in entries_of(&self.package.folder)? {
            let depth = entry.path.matches('/').count();
            if !entry.path.starts_with("data/")
                || entry.ending() != "yaml"
                || (depth < 3 && entry.folder() != "data/sample")
            {
                continue;
            }
            if super::manifest::read(&entry.file)?.contains("input_validator_") {
                let words = "input validators are told something of their own about these tests, which cannot be written in the other version";
                let help = "export the package in its own version";
                return Err(Complaint::new(&entry.file, words).with_help(help).into());
            }
        }
        Ok(())
    }

    /// What validators are told of all tests, and how all points are counted.
    fn told_of_all(&mut self) -> Done {
        let package = self.package;
        let input = package
            .validators
            .first()
            .map(|validator| &validator.arguments[..]);
        let (input, output) = (input.unwrap_or_default(), self.flags());
        let total: u32 = package.groups.iter().map(|group| group.points).sum();
        let has_points = !package.groups.is_empty();
        if self.version == Version::Legacy {
            let mut all = String::new();
            if !input.is_empty() {
                all += &format!("input_validator_flags: {}\n", json!(input.join(" ")));
            }
            if has_points {
                all += &format!(
                    "on_reject: continue\nrange: 0 {total}\ngrader_flags: ignore_sample\n"
                );
                let secret = format!(
                    "on_reject: continue\nrange: 0 {total}\ngrader_flags: accept_if_any_accepted\n"
                );
                self.put("data/secret/testdata.yaml", secret.as_bytes())?;
            }
            return if all.is_empty() {
                Ok(())
            } else {
                self.put("data/testdata.yaml", all.as_bytes())
            };
        }
        for folder in ["sample", "secret"] {
            let mut text = String::new();
            if !input.is_empty() {
                text += &format!("input_validator_args: {}\n", json!(input));
            }
            if !output.is_empty() {
                text += &format!("output_validator_args: {}\n", json!(output));
            }
            if has_points && folder == "secret" {
                text += &format!("max_score: {total}\nscore_aggregation: sum\n");
            }
            if !text.is_empty() {
                self.put(&format!("data/{folder}/test_group.yaml"), text.as_bytes())?;
            }
        }
        Ok(())
    }

    /// What a group brings.
    fn points(&mut self, name: &str, group: &Group, tests: usize, needs: Vec<String>) -> Done {
        let (points, is_sum) = (group.points, group.scoring == Scoring::Sum);
        if self.version != Version::Legacy {
            let word = if is_sum { "sum" } else { "pass-fail" };
            let text = format!(
                "max_score: {points}\nscore_aggregation: {word}\nrequire_pass: {}\n",
                json!(needs)
            );
            return self.put(
                &format!("data/secret/{name}/test_group.yaml"),
                text.as_bytes(),
            );
        }
        if !needs.is_empty() {
            let words = format!(
                "the group {name} needs {}, and brings its points without that there",
                listed(&needs, super::NAMES_MAX)
            );
            self.leave_out("", words);
        }
        let each = f64::from(points) / if is_sum { tests as f64 } else { 1.0 };
        let how = if is_sum {
            "on_reject: continue\ngrader_flags: sum accept_if_any_accepted\n"
        } else {
            "on_reject: break\ngrader_flags: min\n"
        };
        let text = format!("{how}accept_score: {each}\nrange: 0 {points}\n");
        self.put(
            &format!("data/secret/{name}/testdata.yaml"),
            text.as_bytes(),
        )
    }

    /// Tests of a folder, in their order.
    fn folder(&mut self, folder: &str, tests: &[&Test]) -> Done {
        let stems = tests.iter().map(|test| {
            let name = test.name.name.as_str();
            let group = test
                .name
                .group
                .and_then(|place| self.package.groups.iter().nth(place));
            let inner = group.and_then(|group| {
                name.strip_prefix("secret/")?
                    .strip_prefix(&group.name)?
                    .strip_prefix('/')
            });
            inner
                .or_else(|| name.strip_prefix("sample/"))
                .or_else(|| name.strip_prefix("secret/"))
                .unwrap_or(name)
        });
        let stems: Vec<&str> = stems.collect();
        let names = in_order(stems.iter().copied());
        if names.iter().zip(&stems).any(|(new, old)| new != old) {
            let words =
                format!("tests in {folder} have other names there, in whose order they are run");
            self.leave_out("data", words);
        }
        for (test, name) in tests.iter().zip(names) {
            self.test(&format!("data/{folder}/{name}"), test)?;
        }
        Ok(())
    }

    fn test(&self, path: &str, test: &Test) -> Done {
        self.put(&format!("{path}.in"), &test.input)?;
        self.put(&format!("{path}.ans"), &test.expected)?;
        match &test.name.told {
            Some(told) if self.version != Version::Legacy => {
                let text = format!("output_validator_args: {}\n", json!(told));
                self.put(&format!("{path}.yaml"), text.as_bytes())
            }
            _ => Ok(()),
        }
    }

    /// The hacks of a package that is copied, as secret tests.
    pub(super) fn hacks(&mut self) -> Done {
        let package = self.package;
        let hacks = package.tests.iter();
        let hacks: Vec<&Test> = hacks
            .filter(|test| test.name.kind == TestKind::Hack)
            .collect();
        if !hacks.is_empty() && !package.groups.is_empty() {
            let words = "hacks are in no group of tests, and the format asks for one";
            return Err(Trouble::file(&package.folder.join("hacks"), words));
        }
        self.folder("secret", &hacks)
    }
}

/// Names that are allowed there and whose order is that of the list: as they are, or with a number
/// in front.
fn in_order<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let plain = names.map(|name| {
        let is_plain = |one: &char| one.is_ascii_alphanumeric() || "_.-".contains(*one);
        let name = name
            .chars()
            .map(|one| if is_plain(&one) { one } else { '-' });
        name.take(NAME_BYTES_MAX).collect()
    });
    let names: Vec<String> = plain.collect();
    let is_sound = |name: &String| name.starts_with(|one: char| one.is_ascii_alphanumeric());
    if names.iter().all(is_sound) && names.is_sorted_by(|one, next| one < next) {
        return names;
    }
    let digits = names.len().to_string().len();
    let numbered = names.iter().enumerate();
    numbered
        .map(|(at, name)| format!("{:0digits$}-{name}", at + 1))
        .collect()
}
