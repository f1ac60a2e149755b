//! `test_group.yaml`, and the file of a single test: what validators are told, and the groups that
//! bring points.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::super::groups::GROUPS_MAX;
use super::super::outline::Found;
use super::super::remarks::Remarks;
use super::super::tree::Tree;
use super::super::yaml::{Node, Yaml};
use super::metadata::OTHER;
use super::points::{POINTS_MAX, Told, WAY_OUT};
use crate::domain::{Complaint, Group, Groups, Scoring, TestKind};
use crate::util::words::hint;

pub const FILE: &str = "test_group.yaml";
const SECRET: &str = "data/secret";
const SAMPLE: &str = "sample";
/// The points of all secret tests if nothing is said.
const MAX_SCORE: &str = "100";
/// Keys of both files, of groups, and of tests.
const KEYS: &str = "args input_validator_args output_validator_args input_visualizer_args output_visualizer_args full_feedback";
const OF_GROUPS: &str =
    "max_score score_aggregation require_pass static_validation_score static_validator_args";
const OF_TESTS: &str = "hint description";
const PASS_FAIL: &str = "pass-fail";
const SUM: &str = "sum";
const MIN: &str = "min";

/// Whether a key of a file beside tests belongs to one of these files.
pub fn is_key(key: &str) -> bool {
    let mut keys = KEYS.split(' ').chain(OF_GROUPS.split(' '));
    // This one is of the draft's beginnings.
    key == "scoring" || keys.any(|known| known == key)
}

/// The files of single tests. The error: programs would have to be given files.
pub fn files_of_tests(tree: &Tree) -> Result<BTreeSet<PathBuf>, Complaint> {
    let mut files = BTreeSet::new();
    for entry in tree.all_below("data") {
        if entry.is_folder && entry.ending() == "files" {
            let words = "tests that give files to programs are not supported";
            return Err(Complaint::new(&entry.file, words).with_help(OTHER));
        }
        if entry.ending() == "yaml" && entry.name() != FILE {
            files.insert(entry.file.clone());
        }
    }
    Ok(files)
}

/// What validators are told of the tests of a folder, or of one test.
pub fn told(
    yaml: &Yaml<'_>,
    file: &Path,
    is_of_test: bool,
    above: Told,
    remarks: &mut Remarks,
) -> Result<Told, Complaint> {
    let others = if is_of_test { OF_TESTS } else { OF_GROUPS };
    let known = || KEYS.split(' ').chain(others.split(' '));
    let unknown = yaml.entries.keys();
    for key in unknown.filter(|key| !known().any(|known| known == *key)) {
        let hint = hint(key, known());
        remarks.add(file, format!("the key `{key}` is not known{hint}"));
    }
    let list = |key: &str| {
        let value = yaml.entries.get(key);
        value.map(|value| yaml.strings(key, value)).transpose()
    };
    let refused = |key: &str, words: &str, help: &str| {
        yaml.complaint(&yaml.entries[key], format!("`{key}`: {words}"), help)
    };
    let input = yaml.entries.get("input_validator_args");
    if input.is_some_and(|value| matches!(value.value, Node::Map(_))) {
        let words = "input validators that are told different things are not supported";
        let help = "write one list, which all of them are told";
        return Err(refused("input_validator_args", words, help));
    }
    if list("args")?.is_some_and(|list| !list.is_empty()) {
        let words = "tests that give arguments to programs are not supported";
        return Err(refused("args", words, OTHER));
    }
    if !is_of_test && yaml.entries.contains_key("static_validation_score") {
        let words = "validators of sources are not supported";
        return Err(refused("static_validation_score", words, OTHER));
    }
    Ok(Told {
        input: list("input_validator_args")?.unwrap_or(above.input),
        output: list("output_validator_args")?.unwrap_or(above.output),
        grading: above.grading,
    })
}

/// How the tests of a folder are counted.
#[derive(Debug, Clone, Default)]
pub struct TestGroup {
    file: PathBuf,
    /// A number, or `unbounded`.
    max_score: Option<String>,
    aggregation: Option<String>,
    /// What has to be passed before.
    needs: Vec<String>,
}

impl TestGroup {
    /// What a `test_group.yaml` says of points.
    pub fn read(
        yaml: &Yaml<'_>,
        file: &Path,
        has_points: bool,
        remarks: &mut Remarks,
    ) -> Result<Self, Complaint> {
        let mut keys = OF_GROUPS.split(' ').take(3);
        if let Some(key) = keys.find(|key| !has_points && yaml.entries.contains_key(*key)) {
            let words = format!("`{key}` has no effect in a package without points");
            let words = format!("{words}: problem.yaml does not say `type: scoring`");
            remarks.add(file, words);
            return Ok(Self::default());
        }
        let word = |key: &str, can_be: &dyn Fn(&str) -> bool, help: &str| {
            let Some(value) = yaml.entries.get(key) else {
                return Ok(None);
            };
            let text = yaml.single(key, value)?;
            match text.as_deref().filter(|text| !can_be(text)) {
                Some(text) => {
                    let words = format!("`{key}` cannot be `{text}`");
                    Err(yaml.complaint(value, words, help))
                }
                None => Ok(text),
            }
        };
        let is_number = |text: &str| {
            text.parse::<u32>()
                .is_ok_and(|n| f64::from(n) <= POINTS_MAX)
        };
        let is_score = |text: &str| text == "unbounded" || is_number(text);
        let is_known = |text: &str| [PASS_FAIL, SUM, MIN].contains(&text);
        let help = format!("it is a whole number up to {POINTS_MAX}, or `unbounded`");
        let needs = yaml.entries.get("require_pass");
        let needs = needs.map(|value| match yaml.text(value) {
            Some(name) => Ok(vec![name]),
            None => yaml.strings("require_pass", value),
        });
        Ok(Self {
            file: file.to_owned(),
            max_score: word("max_score", &is_score, &help)?,
            aggregation: word(
                "score_aggregation",
                &is_known,
                "it is pass-fail, sum or min",
            )?,
            needs: needs.transpose()?.unwrap_or_default(),
        })
    }

    fn aggregation(&self) -> &str {
        self.aggregation.as_deref().unwrap_or(PASS_FAIL)
    }

    fn complaint(&self, words: impl Into<String>, help: &str) -> Complaint {
        Complaint::new(&self.file, words.into()).with_help(help)
    }
}

/// The groups of a package with points; each test joins its own. Without folders that are groups,
/// or where these bring nothing for themselves, all secret tests are one.
pub fn groups(
    root: &Path,
    said: &BTreeMap<String, TestGroup>,
    gives: bool,
    tests: &mut [Found],
) -> Result<Groups, Complaint> {
    let mut secret = said.get(SECRET).cloned().unwrap_or_else(|| TestGroup {
        file: root.join(SECRET),
        ..TestGroup::default()
    });
    secret.max_score.get_or_insert(MAX_SCORE.to_owned());
    secret.aggregation.get_or_insert(SUM.to_owned());
    let inner = said
        .iter()
        .filter(|(folder, _)| folder.starts_with("data/secret/"));
    let inner: Vec<(&str, &TestGroup)> =
        inner.map(|(folder, group)| (&folder[5..], group)).collect();
    let takes_least = secret.aggregation() == MIN && !inner.is_empty();
    if !inner.is_empty() {
        check(&secret, &inner, tests)?;
    }
    let mut groups = Vec::new();
    let needs_samples = said
        .values()
        .any(|group| group.needs.iter().any(|name| name == SAMPLE));
    if needs_samples {
        let samples = TestGroup {
            max_score: Some("0".to_owned()),
            ..TestGroup::default()
        };
        add(&mut groups, (SAMPLE, &samples), gives, tests)?;
    }
    if inner.is_empty() || secret.aggregation() == PASS_FAIL {
        // What a group of it lacks, all of it lacks.
        secret
            .needs
            .extend(needs_samples.then(|| SAMPLE.to_owned()));
        add(&mut groups, ("secret", &secret), gives, tests)?;
    } else {
        for (name, group) in inner {
            let mut group = group.clone();
            group.needs.extend(secret.needs.iter().cloned());
            add(&mut groups, (name, &group), gives, tests)?;
        }
    }
    let count = groups.len();
    let groups = if takes_least {
        Groups::of_least(groups)
    } else {
        Groups::new(groups)
    };
    let points = groups.points();
    let most = secret.max_score.as_ref().and_then(|most| most.parse().ok());
    if points == 0 || count > GROUPS_MAX || most.is_some_and(|most: u32| most < points) {
        let words = format!(
            "its {count} groups bring {points} points: there may be up to {GROUPS_MAX}, and they bring at least one and not more than `max_score`"
        );
        return Err(secret.complaint(
            words,
            "write that number as `max_score` into data/secret/test_group.yaml",
        ));
    }
    Ok(groups)
}

/// The error: not every secret test is in a group, or the groups are not summed.
fn check(
    secret: &TestGroup,
    inner: &[(&str, &TestGroup)],
    tests: &[Found],
) -> Result<(), Complaint> {
    if let Some((_, deep)) = inner.iter().find(|(name, _)| name.matches('/').count() > 1) {
        let words = "only a folder directly in data/secret can be a group";
        return Err(deep.complaint(words, "move it there"));
    }
    let is_apart = |test: &&Found| {
        let is_in =
            |name: &str| test.folder == name || test.folder.starts_with(&format!("{name}/"));
        test.kind == TestKind::Secret && !inner.iter().any(|(name, _)| is_in(name))
    };
    if let Some(test) = tests.iter().find(is_apart) {
        let words = "it is in no group, while other folders of data/secret are groups";
        let help = "put it into one of them, or a test_group.yaml into its folder";
        return Err(Complaint::new(&test.file, words).with_help(help));
    }
    let all = secret.aggregation();
    let differs = |(_, group): &&(&str, &TestGroup)| all == PASS_FAIL && group.aggregation() != all;
    let brings_none = |group: &TestGroup| group.max_score.as_deref() == Some("0");
    let counts_never = |(_, group): &&(&str, &TestGroup)| all == MIN && brings_none(group);
    if let Some((_, wrong)) = inner.iter().find(differs) {
        let words = "this `score_aggregation` of several groups is not supported";
        return Err(wrong.complaint(words, WAY_OUT));
    }
    match inner.iter().find(counts_never) {
        Some((_, wrong)) => {
            let words = "where the group with the least points counts, none can bring 0";
            Err(wrong.complaint(words, "write a larger `max_score`"))
        }
        None => Ok(()),
    }
}

/// Adds a folder below `data` as a group, in which the tests of folders in it are too.
fn add(
    groups: &mut Vec<Group>,
    (name, group): (&str, &TestGroup),
    gives: bool,
    tests: &mut [Found],
) -> Result<(), Complaint> {
    let mut count = 0;
    for test in tests {
        let rest = test.folder.strip_prefix(name);
        if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) {
            test.group = Some(groups.len());
            count += 1;
        }
    }
    let points = group.max_score.as_ref().and_then(|text| text.parse().ok());
    let Some(points) = points.filter(|_| count > 0 || name == SAMPLE) else {
        let words = "it has no tests, or no `max_score` and so the points that an output validator gives, which is not supported";
        return Err(group.complaint(words, "write `max_score: N`"));
    };
    let is_sum = group.aggregation() == SUM;
    if is_sum && !gives && points % count.max(1) != 0 {
        let words = format!(
            "{points} points cannot be divided among {count} tests in whole points, and others are not supported"
        );
        return Err(group.complaint(words, "write a multiple of that number as `max_score`"));
    }
    let mut needs = BTreeSet::new();
    for needed in &group.needs {
        let short = needed.strip_prefix("secret/");
        let short = short.or((needed == SAMPLE).then_some(SAMPLE));
        let place = groups.iter().position(|other| Some(&*other.name) == short);
        let Some(place) = place.filter(|place| groups[*place].scoring == Scoring::All) else {
            let words = format!(
                "`require_pass: {needed}` is no group before it that is passed or failed as a whole"
            );
            return Err(group.complaint(words, "name it as in `secret/group1`, or `sample`"));
        };
        needs.insert(place);
        needs.extend(&groups[place].needs);
    }
    let name = name.strip_prefix("secret/").unwrap_or(name);
    if groups.iter().any(|other| other.name == name) {
        return Err(group.complaint("a group cannot have this name here", "rename its folder"));
    }
    groups.push(Group {
        name: name.to_owned(),
        points,
        // A test that is passed brings all points of the group, if no validator says otherwise.
        scoring: if is_sum { Scoring::Sum } else { Scoring::All },
        needs: needs.into_iter().collect(),
        takes_hacks: false,
        is_pass_fail: gives && group.aggregation() == PASS_FAIL,
    });
    Ok(())
}
