//! The tests, and what the files in their folders say of points and of what the checker is told.

use serde_json::json;

use super::super::contents::Test;
use super::super::error::Trouble;
use super::{Done, Export, Version};
use crate::domain::{Group, Scoring, TestKind};

/// The folder of the tests that belong to no group, where others do.
const UNGROUPED: &str = "ungrouped";
const LEAST: &str = "points of the group with the least are not written";
/// Characters of a test's name, without the number that it may get.
const NAME_MAX: usize = 200;

impl Export<'_> {
    pub(super) fn tests(&mut self) -> Done {
        let package = self.package;
        if package.groups.takes_least() {
            let help = "write `score_aggregation: sum` into data/secret/test_group.yaml";
            return Err(self.said.wrong("data/secret", LEAST, help).into());
        }
        self.told()?;
        let is_sample = |test: &&Test| test.name.kind == TestKind::Sample;
        let (samples, secret): (Vec<&Test>, Vec<&Test>) = package.tests.iter().partition(is_sample);
        self.folder("sample", &samples)?;
        if package.groups.is_empty() {
            return self.folder("secret", &secret);
        }
        let all: Vec<&Group> = package.groups.iter().collect();
        let places = [None].into_iter().chain((0..all.len()).map(Some));
        let has_tests = |place: &Option<usize>| secret.iter().any(|test| test.name.group == *place);
        let places: Vec<Option<usize>> = places.filter(has_tests).collect();
        let name = |place: &Option<usize>| place.map_or(UNGROUPED, |place| &all[place].name);
        let names = in_order(places.iter().map(name));
        for (place, name) in places.iter().zip(&names) {
            let mut tests = secret.clone();
            tests.retain(|test| test.name.group == *place);
            let group = place.map(|place| all[place]);
            let needs = group.map_or(&[][..], |group| &group.needs).iter();
            let needs = needs.map(|needed| {
                let at = places.iter().position(|place| *place == Some(*needed));
                // A group that has no secret tests has samples.
                at.map_or("sample".to_owned(), |at| format!("secret/{}", names[at]))
            });
            self.points(name, group, tests.len(), &needs.collect::<Vec<_>>())?;
            self.folder(&format!("secret/{name}"), &tests)?;
        }
        Ok(())
    }

    /// The checker's arguments for all tests, and how all points are counted.
    fn told(&self) -> Done {
        let total = self.package.groups.points();
        let (has_points, flags) = (!self.package.groups.is_empty(), self.flags());
        if self.version == Version::Legacy {
            let all = format!("on_reject: continue\nrange: 0 {total}\ngrader_flags: ");
            if has_points {
                self.put("data/testdata.yaml", format!("{all}ignore_sample\n"))?;
                let secret = format!("{all}accept_if_any_accepted\n");
                self.put("data/secret/testdata.yaml", &secret)?;
            }
            return Ok(());
        }
        let told = format!("output_validator_args: {}\n", json!(flags));
        self.put("data/sample/test_group.yaml", &told)?;
        let points = format!("max_score: {total}\nscore_aggregation: sum\n");
        let points = if has_points { &points } else { "" };
        self.put("data/secret/test_group.yaml", &(told + points))
    }

    /// What a group brings; tests in no group bring nothing.
    fn points(
        &mut self,
        name: &str,
        group: Option<&Group>,
        tests: usize,
        needs: &[String],
    ) -> Done {
        let points = group.map_or(0, |group| group.points);
        let is_sum = group.is_some_and(|group| group.scoring == Scoring::Sum);
        if self.version != Version::Legacy {
            let word = if is_sum { "sum" } else { "pass-fail" };
            let needs = json!(needs);
            let text =
                format!("max_score: {points}\nscore_aggregation: {word}\nrequire_pass: {needs}\n");
            return self.put(&format!("data/secret/{name}/test_group.yaml"), &text);
        }
        if !needs.is_empty() {
            let needs = needs.join(", ");
            self.leave_out(
                "data",
                format!("{name} needs {needs}: there it brings its points without that"),
            );
        }
        let tests = f64::from(u16::try_from(tests).unwrap_or(u16::MAX));
        let (how, each) = if is_sum {
            let how = "continue\ngrader_flags: sum accept_if_any_accepted";
            (how, f64::from(points) / tests)
        } else {
            ("break\ngrader_flags: min", f64::from(points))
        };
        let text = format!("on_reject: {how}\naccept_score: {each}\nrange: 0 {points}\n");
        self.put(&format!("data/secret/{name}/testdata.yaml"), &text)
    }

    /// Tests of a folder, in their order.
    fn folder(&mut self, folder: &str, tests: &[&Test]) -> Done {
        let groups: Vec<&Group> = self.package.groups.iter().collect();
        let stems = tests.iter().map(|test| {
            let group = test.name.group.map_or("", |place| &groups[place].name);
            let name = test.name.name.as_str();
            let inner = name
                .strip_prefix("secret/")
                .or(name.strip_prefix("sample/"));
            let inner = inner.unwrap_or(name);
            let of_group = inner
                .strip_prefix(group)
                .and_then(|rest| rest.strip_prefix('/'));
            of_group.unwrap_or(inner)
        });
        let stems: Vec<&str> = stems.collect();
        let names = in_order(stems.iter().copied());
        if names != stems {
            let words = "have other names there, in whose order they are run";
            self.leave_out("data", format!("tests in {folder} {words}"));
        }
        for (test, name) in tests.iter().zip(names) {
            let path = format!("data/{folder}/{name}");
            self.put(&format!("{path}.in"), &test.input.read()?)?;
            self.put(&format!("{path}.ans"), &test.expected.read()?)?;
            let told = test.name.told.as_ref();
            if let Some(told) = told.filter(|_| self.version != Version::Legacy) {
                let text = format!("output_validator_args: {}\n", json!(told));
                self.put(&format!("{path}.yaml"), &text)?;
            }
        }
        Ok(())
    }

    /// The hacks of a package that is copied, as secret tests.
    pub(super) fn hacks(&mut self) -> Done {
        let mut hacks: Vec<&Test> = self.package.tests.iter().collect();
        hacks.retain(|test| test.name.kind == TestKind::Hack);
        if !hacks.is_empty() && !self.package.groups.is_empty() {
            let words = "in a package with points the format asks for a group, and hacks have none";
            return Err(Trouble::file(&self.package.folder.join("hacks"), words));
        }
        self.folder("secret", &hacks)
    }
}

/// Names that are allowed there and whose order is that of the list: as they are, or with a number
/// in front.
fn in_order<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "_.-".contains(one);
    let plain = |one: char| if is_plain(one) { one } else { '-' };
    let names = names.map(|name| name.chars().map(plain).take(NAME_MAX).collect());
    let names: Vec<String> = names.collect();
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
