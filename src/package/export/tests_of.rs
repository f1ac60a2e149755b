//! The tests, and what the files in their folders say of points and of what validators are told.

use serde_json::json;

use super::super::contents::Test;
use super::super::error::Trouble;
use super::super::format::Format;
use super::super::manifest;
use super::super::tree::entries_of;
use super::{Done, Export, NAMES_MAX, Version};
use crate::domain::{Complaint, Group, Scoring, TestKind};
use crate::util::words::listed;

/// The folder of the tests that belong to no group, where others do.
const UNGROUPED: &str = "ungrouped";
/// Characters of a test's name, without the number that it may get.
const NAME_MAX: usize = 200;

impl Export<'_> {
    pub(super) fn tests(&mut self) -> Done {
        self.told_alike()?;
        self.told_of_all()?;
        let package = self.package;
        let is_sample = |test: &&Test| test.name.kind == TestKind::Sample;
        let (samples, secret): (Vec<&Test>, Vec<&Test>) = package.tests.iter().partition(is_sample);
        self.folder("sample", &samples)?;
        if package.groups.is_empty() {
            return self.folder("secret", &secret);
        }
        let all: Vec<&Group> = package.groups.iter().collect();
        let mut groups = Vec::new();
        for place in [None].into_iter().chain((0..all.len()).map(Some)) {
            let mut tests = secret.clone();
            tests.retain(|test| test.name.group == place);
            if !tests.is_empty() {
                groups.push((place, tests));
            }
        }
        let name = |place: Option<usize>| place.map_or(UNGROUPED, |place| &all[place].name);
        let names = in_order(groups.iter().map(|(place, _)| name(*place)));
        for ((place, tests), name) in groups.iter().zip(&names) {
            let group = place.map(|place| all[place]);
            let needs = group.map_or(&[][..], |group| &group.needs).iter();
            let needs = needs.map(|needed| {
                let mut places = groups.iter().map(|(place, _)| *place);
                let at = places.position(|place| place == Some(*needed));
                // A group that has no secret tests has samples.
                at.map_or("sample".to_owned(), |at| format!("secret/{}", names[at]))
            });
            self.points(name, group, tests.len(), &needs.collect::<Vec<_>>())?;
            self.folder(&format!("secret/{name}"), tests)?;
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
            let is_for_all = ["data", "data/secret"].contains(&entry.folder());
            if is_for_all || !entry.path.starts_with("data/") || entry.ending() != "yaml" {
                continue;
            }
            if manifest::read(&entry.file)?.contains("input_validator_") {
                let words = "what input validators are told of these tests alone cannot be written in another version";
                let help = "export the package in its own version";
                return Err(Complaint::new(&entry.file, words).with_help(help).into());
            }
        }
        Ok(())
    }

    /// Writes a file with these lines, if there are any.
    fn say(&self, path: &str, lines: &[String]) -> Done {
        if lines.is_empty() {
            return Ok(());
        }
        self.put(path, (lines.join("\n") + "\n").as_bytes())
    }

    /// What validators are told of all tests, and how all points are counted.
    fn told_of_all(&self) -> Done {
        let (package, output) = (self.package, self.flags());
        let told = package.validators.first();
        let input = told.map_or(&[][..], |validator| &validator.arguments);
        let total: u32 = package.groups.iter().map(|group| group.points).sum();
        let has_points = !package.groups.is_empty();
        let mut lines = Vec::new();
        if self.version == Version::Legacy {
            if !input.is_empty() {
                lines.push(format!("input_validator_flags: {}", json!(input.join(" "))));
            }
            if has_points {
                let all = format!("on_reject: continue\nrange: 0 {total}\ngrader_flags: ");
                let secret = [format!("{all}accept_if_any_accepted")];
                self.say("data/secret/testdata.yaml", &secret)?;
                lines.push(all + "ignore_sample");
            }
            return self.say("data/testdata.yaml", &lines);
        }
        for (key, told) in [("input", input), ("output", &output)] {
            if !told.is_empty() {
                lines.push(format!("{key}_validator_args: {}", json!(told)));
            }
        }
        self.say("data/sample/test_group.yaml", &lines)?;
        if has_points {
            lines.push(format!("max_score: {total}\nscore_aggregation: sum"));
        }
        self.say("data/secret/test_group.yaml", &lines)
    }

    /// What a group brings; one of tests in no group nothing.
    fn points(
        &mut self,
        name: &str,
        group: Option<&Group>,
        tests: usize,
        needs: &[String],
    ) -> Done {
        let (points, scoring) =
            group.map_or((0, Scoring::All), |group| (group.points, group.scoring));
        let is_sum = scoring == Scoring::Sum;
        if self.version != Version::Legacy {
            let word = if is_sum { "sum" } else { "pass-fail" };
            let text = format!(
                "max_score: {points}\nscore_aggregation: {word}\nrequire_pass: {}",
                json!(needs)
            );
            return self.say(&format!("data/secret/{name}/test_group.yaml"), &[text]);
        }
        if !needs.is_empty() {
            let needs = listed(needs, NAMES_MAX);
            let words =
                format!("the group {name} needs {needs}, and brings its points without that there");
            self.leave_out("data", words);
        }
        let each = f64::from(points) / f64::from(u16::try_from(tests).unwrap_or(u16::MAX));
        let (how, each) = if is_sum {
            (
                "on_reject: continue\ngrader_flags: sum accept_if_any_accepted",
                each,
            )
        } else {
            ("on_reject: break\ngrader_flags: min", f64::from(points))
        };
        let text = format!("{how}\naccept_score: {each}\nrange: 0 {points}");
        self.say(&format!("data/secret/{name}/testdata.yaml"), &[text])
    }

    /// Tests of a folder, in their order.
    fn folder(&mut self, folder: &str, tests: &[&Test]) -> Done {
        let stems = tests.iter().map(|test| {
            let group = test
                .name
                .group
                .and_then(|place| self.package.groups.iter().nth(place));
            let of_group = group.map(|group| format!("secret/{}/", group.name));
            let begins = [
                of_group.as_deref().unwrap_or("secret/"),
                "secret/",
                "sample/",
            ];
            let mut inner = begins
                .iter()
                .filter_map(|begin| test.name.name.strip_prefix(begin));
            inner.next().unwrap_or(&test.name.name)
        });
        let stems: Vec<&str> = stems.collect();
        let names = in_order(stems.iter().copied());
        if names != stems {
            let words =
                format!("tests in {folder} have other names there, in whose order they are run");
            self.leave_out("data", words);
        }
        for (test, name) in tests.iter().zip(names) {
            let path = format!("data/{folder}/{name}");
            self.put(&format!("{path}.in"), &test.input)?;
            self.put(&format!("{path}.ans"), &test.expected)?;
            let told = test
                .name
                .told
                .iter()
                .filter(|_| self.version != Version::Legacy);
            let told: Vec<String> = told
                .map(|told| format!("output_validator_args: {}", json!(told)))
                .collect();
            self.say(&format!("{path}.yaml"), &told)?;
        }
        Ok(())
    }

    /// The hacks of a package that is copied, as secret tests.
    pub(super) fn hacks(&mut self) -> Done {
        let mut hacks: Vec<&Test> = self.package.tests.iter().collect();
        hacks.retain(|test| test.name.kind == TestKind::Hack);
        if !hacks.is_empty() && !self.package.groups.is_empty() {
            let words = "hacks are in no group of tests, and in a package with points the format asks for one";
            return Err(Trouble::file(&self.package.folder.join("hacks"), words));
        }
        self.folder("secret", &hacks)
    }
}

/// Names that are allowed there and whose order is that of the list: as they are, or with a number
/// in front.
fn in_order<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "_.-".contains(one);
    let plain = |name: &str| {
        let name = name
            .chars()
            .map(|one| if is_plain(one) { one } else { '-' });
        name.take(NAME_MAX).collect()
    };
    let names: Vec<String> = names.map(plain).collect();
    let is_sound = |name: &String| name.starts_with(|one: char| one.is_ascii_alphanumeric());
    if names.iter().all(is_sound) && names.is_sorted_by(|one, next| one < next) {
        return names;
    }
    let digits = names.len().to_string().len();
    let numbered = (1..).zip(&names);
    numbered
        .map(|(number, name)| format!("{number:0digits$}-{name}"))
        .collect()
}
