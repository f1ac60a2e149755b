//! What example programs have to come to: what their folder promises, and `submissions.yaml`.

use std::collections::BTreeMap;
use std::path::Path;

use regex::{Regex, RegexBuilder};

use super::super::error::Trouble;
use super::super::manifest;
use super::super::remarks::Remarks;
use super::super::tree::Tree;
use super::super::yaml::{Node, Value, Yaml};
use crate::domain::{Complaint, Judgement, TestResult, Verdict};

const FILE: &str = "submissions/submissions.yaml";
/// Rules of one package.
const RULES_MAX: usize = 1_000;
/// A pattern in bytes, and what becomes of it in bytes of memory.
const PATTERN_BYTES_MAX: usize = 256;
const COMPILED_BYTES_MAX: usize = 1024 * 1024;
/// What holds for the programs of a folder if the file says nothing else of it.
const FOLDERS: &str = "\
    accepted: {permitted: [AC]}\n\
    rejected: {required: [RTE, TLE, WA]}\n\
    wrong_answer: {permitted: [AC, WA], required: [WA]}\n\
    time_limit_exceeded: {permitted: [AC, TLE], required: [TLE]}\n\
    run_time_error: {permitted: [AC, RTE], required: [RTE]}\n\
    brute_force: {permitted: [AC, RTE, TLE], required: [RTE, TLE]}\n";
const VERDICTS: [&str; 4] = ["AC", "WA", "TLE", "RTE"];
/// Keys that say what a program has to come to.
const KEYS: [&str; 4] = ["permitted", "required", "message", "score"];
/// Keys that say nothing about that.
const OTHERS: &str = "language entrypoint authors model_solution use_for_time_limit";

/// What the examples of a package have to come to.
#[derive(Debug, Clone, Default)]
pub struct Expectations {
    rules: Vec<Rule>,
    /// Whether more is said than by folders alone, so that every test counts.
    pub counts_every_test: bool,
}

/// What holds for some programs on some tests.
#[derive(Debug, Clone)]
struct Rule {
    /// The patterns of the programs and of the tests, as they stand there.
    named: String,
    programs: Regex,
    /// The tests, if they are not all.
    tests: Option<Regex>,
    /// What is said under each of [`KEYS`].
    said: BTreeMap<String, Vec<String>>,
}

impl Expectations {
    /// Reads what a package says of its examples.
    pub(super) fn read(root: &Path, tree: &Tree, remarks: &mut Remarks) -> Result<Self, Trouble> {
        let mut found = Self::default();
        let file = root.join(FILE);
        let mut files = tree.below("submissions");
        let text = match files.find(|entry| entry.file == file) {
            Some(_) => manifest::read(&file)?,
            None => String::new(),
        };
        for (text, is_own) in [(FOLDERS, false), (&text, true)] {
            let yaml = Yaml::read(text, &file)?;
            for (glob, value) in &yaml.entries {
                let says = found.add(&yaml, (glob, value), None, remarks, &file)?;
                found.counts_every_test |= is_own && says;
            }
        }
        Ok(found)
    }

    /// Adds what a pattern of programs says, or within that a pattern of tests; whether that is
    /// anything about verdicts.
    fn add(
        &mut self,
        yaml: &Yaml<'_>,
        (glob, value): (&str, &Value),
        of: Option<&Rule>,
        remarks: &mut Remarks,
        file: &Path,
    ) -> Result<bool, Complaint> {
        let pattern = regex_of(glob).filter(|_| self.rules.len() < RULES_MAX);
        let pattern = pattern.ok_or_else(|| {
            let words = format!("`{glob}` is no pattern, or there are more than {RULES_MAX}");
            yaml.complaint(
                value,
                words,
                "`*` is any part of a name, and `{a,b}` either of these",
            )
        })?;
        // What is said of a folder again takes the place of what holds else, key by key.
        let mut rules = self.rules.iter();
        let known = rules.position(|rule| of.is_none() && rule.named == glob);
        let mut rule = match known {
            Some(place) => self.rules.remove(place),
            None => Rule {
                named: of.map_or(glob.to_owned(), |of| format!("{}: {glob}", of.named)),
                programs: of.map_or_else(|| pattern.clone(), |of| of.programs.clone()),
                tests: of.map(|_| pattern),
                said: BTreeMap::new(),
            },
        };
        let (mut says, mut inner) = (false, Vec::new());
        for (key, value) in yaml.below(glob, value)? {
            if KEYS.contains(&key) {
                let words = match yaml.text(value) {
                    Some(text) => vec![text],
                    None => yaml.strings(key, value)?,
                };
                let can_be = |word: &&String| match key {
                    "message" => true,
                    "score" => words.len() <= 2 && word.parse::<f64>().is_ok(),
                    _ => VERDICTS.contains(&word.as_str()),
                };
                if let Some(other) = words.iter().find(|word| !can_be(word)) {
                    let words = format!("`{key}` cannot be `{other}`");
                    let help = "the verdicts are AC, WA, TLE and RTE, and a score is a number, or the least and the most in a list";
                    return Err(yaml.complaint(value, words, help));
                }
                rule.said.insert(key.to_owned(), words);
                says = true;
            } else if of.is_none() && matches!(value.value, Node::Map(_)) && key != "authors" {
                inner.push((key, value));
            } else if !OTHERS.split(' ').any(|other| other == key) {
                remarks.add(file, format!("the key `{key}` of `{glob}` is not known"));
            }
        }
        for inner in inner {
            says |= self.add(yaml, inner, Some(&rule), remarks, file)?;
        }
        self.rules.push(rule);
        Ok(says)
    }

    fn of<'r>(&'r self, name: &str) -> impl Iterator<Item = &'r Rule> {
        let rules = self.rules.iter();
        rules.filter(move |rule| rule.programs.is_match(name))
    }

    /// Whether anything is expected of a program, named as in `accepted/main.py`.
    pub fn is_about(&self, name: &str) -> bool {
        self.of(name).next().is_some()
    }

    /// Whether a program has to be right on every test.
    pub fn is_right(&self, name: &str) -> bool {
        self.of(name)
            .any(|rule| rule.tests.is_none() && rule.said("permitted") == ["AC"])
    }

    /// What is wrong with what a program came to.
    pub fn complaint(&self, name: &str, judgement: &Judgement) -> Option<String> {
        if judgement.tests.is_empty() {
            return Some(judgement.verdict.words().to_owned());
        }
        self.of(name).find_map(|rule| rule.complaint(judgement))
    }
}

impl Rule {
    fn said(&self, key: &str) -> &[String] {
        self.said.get(key).map_or(&[], Vec::as_slice)
    }

    fn complaint(&self, judgement: &Judgement) -> Option<String> {
        let tests = judgement.tests.iter().filter(|test| {
            let is_meant = |tests: &Regex| tests.is_match(&test.test.name);
            test.said.verdict != Verdict::Skipped && self.tests.as_ref().is_none_or(is_meant)
        });
        let tests: Vec<&TestResult> = tests.collect();
        let named = &self.named;
        // Whoever says nothing means every verdict.
        let is = |test: &&&TestResult, words: &[String]| {
            let word = word_of(test.said.verdict);
            words.iter().any(|one| one == word) || (words.is_empty() && !word.is_empty())
        };
        let (permitted, required) = (self.said("permitted"), self.said("required"));
        if let Some(other) = tests.iter().find(|test| !is(test, permitted)) {
            let (verdict, name) = (other.said.verdict.words(), &other.test.name);
            let permitted = permitted.join(", ");
            return Some(format!(
                "{verdict} on {name}; `{named}` permits {permitted}"
            ));
        }
        if !tests.iter().any(|test| is(&test, required)) {
            let required = required.join(", ");
            return Some(format!(
                "no test ends with {required}, as `{named}` requires"
            ));
        }
        if let Some(message) = self.said("message").first().filter(|text| !text.is_empty()) {
            let mut said = tests
                .iter()
                .filter_map(|test| test.said.judge_message.as_ref());
            if !said.any(|said| said.contains(message)) {
                return Some(format!(
                    "no judge message has `{message}`, as `{named}` asks for"
                ));
            }
        }
        let numbers = self
            .said("score")
            .iter()
            .filter_map(|text| text.parse().ok());
        let numbers: Vec<f64> = numbers.collect();
        let (least, most) = (numbers.first()?, numbers.last()?);
        let mut groups = judgement.groups.iter().filter(|group| {
            let name = format!("secret/{}", group.name);
            self.tests
                .as_ref()
                .is_some_and(|tests| tests.is_match(&name))
        });
        let score = groups.next().map_or(judgement.score, |group| group.score);
        // Ours are rounded down.
        let is_within = (least.floor()..=*most).contains(&f64::from(score.got));
        (!is_within).then(|| format!("{score} points; `{named}` asks for {least} to {most}"))
    }
}

/// What a verdict is called here; empty for one that no program may have.
fn word_of(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Accepted => VERDICTS[0],
        Verdict::WrongAnswer | Verdict::PresentationError | Verdict::OutputLimit => VERDICTS[1],
        Verdict::TimeLimit => VERDICTS[2],
        Verdict::RuntimeError | Verdict::MemoryLimit => VERDICTS[3],
        Verdict::CompileError | Verdict::Skipped => "",
    }
}

/// What fits a pattern, or lies in a folder that does; none where the pattern cannot be used.
fn regex_of(glob: &str) -> Option<Regex> {
    if glob.len() > PATTERN_BYTES_MAX || glob.contains("**") {
        return None;
    }
    let mut depth = 0;
    let parts = glob.trim_end_matches('/').chars().map(|character| {
        depth += i32::from(character == '{') - i32::from(character == '}');
        match character {
            '*' => "[^/]*".to_owned(),
            '{' => "(?:".to_owned(),
            '}' => ")".to_owned(),
            ',' if depth > 0 => "|".to_owned(),
            // Those beside alternatives are not theirs.
            ' ' if depth > 0 => String::new(),
            other => regex::escape(&other.to_string()),
        }
    });
    let text: String = parts.collect();
    let regex = RegexBuilder::new(&format!("^(?:{text})(?:/.*)?$"))
        .size_limit(COMPILED_BYTES_MAX)
        .build();
    regex.ok()
}
