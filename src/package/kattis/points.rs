//! Points, as `testdata.yaml` gives them: each folder below `data/secret` is a group, which brings
//! its `accept_score` to whoever passes all of its tests. That is what nearly all packages with
//! points say, each in many words; what says something else is refused.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::super::groups::GROUPS_MAX;
use super::super::outline::Found;
use super::super::yaml::Yaml;
use crate::config::suggestion;
use crate::domain::{Complaint, Group, Groups, Scoring, TestKind};

/// Every word of `grader_flags`.
const FLAGS: [&str; 10] = [
    IGNORE_SAMPLE,
    "no_errors",
    "first_error",
    "worst_error",
    ACCEPT_IF_ANY,
    ALWAYS_ACCEPT,
    SUM,
    MIN,
    "max",
    "avg",
];
const IGNORE_SAMPLE: &str = "ignore_sample";
const ACCEPT_IF_ANY: &str = "accept_if_any_accepted";
const ALWAYS_ACCEPT: &str = "always_accept";
const MIN: &str = "min";
const SUM: &str = "sum";
/// The group of the tests that lie in no folder.
const SECRET: &str = "secret";
pub const POINTS_MAX: f64 = 1_000_000.0;
pub const WAY_OUT: &str = "write a problem.toml with [[groups]] in place of problem.yaml";

/// How a folder's tests are counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grading {
    flags: Vec<String>,
    /// Whether nothing more is run after a failure.
    breaks: bool,
    /// What a test brings that is passed.
    points: u32,
    /// The most that the folder brings, by its own `range`.
    most: Option<u32>,
    /// The `testdata.yaml` that says so last.
    file: Option<PathBuf>,
}

impl Default for Grading {
    fn default() -> Self {
        Self {
            flags: Vec::new(),
            breaks: true,
            points: 1,
            most: None,
            file: None,
        }
    }
}

impl Grading {
    fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|one| one == flag)
    }

    fn complaint(&self, root: &Path, words: &str, help: &str) -> Complaint {
        let file = self.file.clone().unwrap_or_else(|| root.join("data"));
        Complaint::new(file, words).with_help(help)
    }
}

/// What is said of the tests of a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told {
    /// What input validators are told.
    pub input: Vec<String>,
    /// What the output validator is told.
    pub output: Vec<String>,
    /// How they are counted in a package with points.
    pub grading: Grading,
}

/// What a `testdata.yaml` says of points; what it does not say is as in the folder above.
pub fn read(yaml: &Yaml<'_>, file: &Path, above: &Grading) -> Result<Grading, Complaint> {
    let mut grading = Grading {
        file: Some(file.to_owned()),
        // It is of all folders together.
        most: None,
        ..above.clone()
    };
    if let Some((value, custom)) = yaml.get("grading")
        && custom == "custom"
    {
        return Err(yaml.complaint(value, "graders of packages are not run", WAY_OUT));
    }
    if let Some(flags) = yaml.words("grader_flags")? {
        if let Some(other) = flags.iter().find(|flag| !FLAGS.contains(&flag.as_str())) {
            let value = &yaml.entries["grader_flags"];
            let words = format!("the default grader has no flag `{other}`");
            return Err(yaml.complaint(value, words, suggestion(other, &FLAGS)));
        }
        grading.flags = flags;
    }
    if let Some((value, word)) = yaml.get("on_reject") {
        grading.breaks = match word.as_str() {
            "break" => true,
            "continue" => false,
            _ => {
                let words = format!("`on_reject` cannot be `{word}`");
                return Err(yaml.complaint(value, words, "it is break or continue"));
            }
        };
    }
    if let Some((value, score)) = yaml.get("reject_score")
        && score.parse() != Ok(0.0)
    {
        let words = format!("`reject_score: {score}`: points for a failed test are not supported");
        return Err(yaml.complaint(value, words, WAY_OUT));
    }
    if let Some((value, score)) = yaml.get("accept_score") {
        let points = score.parse().ok().and_then(whole);
        grading.points = points.ok_or_else(|| {
            let words = format!("`accept_score: {score}` is not a whole number of points");
            yaml.complaint(value, words, WAY_OUT)
        })?;
    }
    if let Some((_, range)) = yaml.get("range") {
        let most = range.split_whitespace().nth(1);
        grading.most = most.and_then(|most| whole(most.parse().ok()?));
    }
    Ok(grading)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is a whole number between two bounds"
)]
fn whole(points: f64) -> Option<u32> {
    let is_whole = points.fract() == 0.0 && (0.0..=POINTS_MAX).contains(&points);
    is_whole.then_some(points as u32)
}

/// The complaint: samples count for more than a look, by what is said of all data and of a sample's
/// folder.
fn check_sample(root: &Path, data: &Grading, grading: &Grading) -> Result<(), Complaint> {
    if data.breaks {
        let words = "a program that fails a sample gets no points at all, which is not supported";
        let help = "write `on_reject: continue` into data/testdata.yaml";
        return Err(data.complaint(root, words, help));
    }
    let is_sum = ![MIN, "max", "avg"].iter().any(|flag| data.has(flag));
    if !data.has(IGNORE_SAMPLE) && (grading.points > 0 || !is_sum) {
        let words =
            "the samples bring points, or count for those of the others, which is not supported";
        let help = "write `grader_flags: ignore_sample` into data/testdata.yaml, or `accept_score: 0` into data/sample/testdata.yaml";
        return Err(grading.complaint(root, words, help));
    }
    Ok(())
}

/// The groups of a package with points; each test joins its own. `gives`: whether the validator says
/// what a test brings.
pub fn groups(
    root: &Path,
    told: &BTreeMap<String, Told>,
    gives: bool,
    tests: &mut [Found],
) -> Result<Groups, Complaint> {
    let of = |folder: &str| {
        told.get(folder)
            .map_or_else(Grading::default, |told| told.grading.clone())
    };
    if !tests.iter().any(|test| test.kind == TestKind::Secret) {
        let words = "there are no tests in it, and only they bring points";
        let help = "make those that a script of the package makes, and put them into groups there";
        return Err(Complaint::new(root.join("data/secret"), words).with_help(help));
    }
    let (data, secret) = (of("data"), of("data/secret"));
    let is_lenient = secret.has(ACCEPT_IF_ANY) || secret.has(ALWAYS_ACCEPT);
    let others = [MIN, "max", "avg", IGNORE_SAMPLE];
    if secret.breaks || !is_lenient || others.iter().any(|flag| secret.has(flag)) {
        let words = "the groups of `data/secret` do not count independently, or are not summed; nothing else is supported";
        let help = "for groups that count independently, write `on_reject: continue` and `grader_flags: accept_if_any_accepted` into data/secret/testdata.yaml";
        return Err(secret.complaint(root, words, help));
    }
    let mut groups: Vec<Group> = Vec::new();
    for test in tests {
        let folder = format!("data/{}", test.folder);
        let mut grading = of(&folder);
        let of = grading.file.as_ref().and_then(|file| file.parent());
        let is_own = of == Some(&root.join(&folder));
        grading.most = grading.most.filter(|_| gives && is_own);
        if test.kind == TestKind::Sample {
            check_sample(root, &data, &grading)?;
            continue;
        }
        // Where the validator says what each brings, they need no folders.
        let is_alone = gives && test.folder == SECRET;
        let alone = if is_alone { SECRET } else { "" };
        let name = test.folder.strip_prefix("secret/").unwrap_or(alone);
        let mut others = groups.iter();
        let is_mixed = others.any(|other| (other.name == SECRET) != is_alone);
        if name.is_empty() || name.contains('/') || is_mixed {
            let words = "in a package with points, every secret test has to lie directly in a folder of `data/secret`";
            return Err(Complaint::new(&test.file, words).with_help(WAY_OUT));
        }
        match groups.last_mut().filter(|last| last.name == name) {
            None => groups.push(group(&root.join(&folder), name, &grading)?),
            // Each test brings as much.
            Some(sum) if sum.scoring == Scoring::Sum && grading.most.is_none() => {
                let points = whole(f64::from(sum.points) + f64::from(grading.points));
                sum.points = points.ok_or_else(|| {
                    let words = format!("its tests bring more than {POINTS_MAX} points");
                    grading.complaint(root, &words, WAY_OUT)
                })?;
            }
            Some(_) => {}
        }
        test.group = Some(groups.len() - 1);
    }
    if groups.len() > GROUPS_MAX {
        let words = format!("more than {GROUPS_MAX} groups of tests");
        return Err(Complaint::new(root.join("data/secret"), words));
    }
    if groups.iter().all(|group| group.points == 0) {
        let words = "no group has any points";
        return Err(secret.complaint(
            root,
            words,
            "write `accept_score` into the `testdata.yaml` of the groups",
        ));
    }
    Ok(Groups::new(groups))
}

fn group(folder: &Path, name: &str, grading: &Grading) -> Result<Group, Complaint> {
    // With the first of these a test counts although another one fails.
    let lenient = [ACCEPT_IF_ANY, ALWAYS_ACCEPT].map(|flag| grading.has(flag));
    let others = [IGNORE_SAMPLE, "max", "avg"].map(|flag| grading.has(flag));
    let scoring = match (lenient.contains(&true), grading.has(MIN)) {
        (false, true) if !grading.has(SUM) => Some(Scoring::All),
        (true, false) if !grading.breaks => Some(Scoring::Sum),
        _ => None,
    };
    let Some(scoring) = scoring.filter(|_| !others.contains(&true)) else {
        let words = "a program can get other points for this group than all or none, or the same for each test, which is not supported";
        let help = "if all or none is meant, its `testdata.yaml` says `grader_flags: min`; if each test counts for itself, `on_reject: continue` and `grader_flags: sum accept_if_any_accepted`";
        return Err(Complaint::new(folder, words).with_help(help));
    };
    Ok(Group {
        name: name.to_owned(),
        points: grading.most.unwrap_or(grading.points),
        scoring,
        needs: Vec::new(),
        takes_hacks: false,
        is_pass_fail: false,
    })
}
