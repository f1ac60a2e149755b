//! What `check` has found, and how it is shown.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::domain::ProblemSlug;
use crate::util::words::amount;
use crate::view::{Page, Style};

/// One thing that was checked.
#[derive(Serialize)]
pub struct Check {
    #[serde(rename = "check")]
    pub what: &'static str,
    pub complaints: Vec<String>,
    pub count: usize,
    pub holds: bool,
    /// `None` for what lies beside the problems.
    pub problem: Option<ProblemSlug>,
    /// What was measured, in a few words.
    pub summary: Option<String>,
    /// What this machine could not try, which says nothing about the package.
    pub untried: Vec<Untried>,
    /// What does not make the check fail, but whoever wrote the package should know.
    pub warnings: Vec<String>,
}

/// An example that was not tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(into = "String")]
pub struct Untried {
    /// Its folder and file.
    pub name: String,
    /// What its language lacks, and the way to get it.
    pub reason: String,
}

impl From<Untried> for String {
    fn from(Untried { name, reason }: Untried) -> Self {
        format!("{name}: {reason}")
    }
}

impl Check {
    pub fn new(what: &'static str, count: usize, complaints: Vec<String>) -> Self {
        Self {
            what,
            holds: complaints.is_empty(),
            complaints,
            count,
            problem: None,
            summary: None,
            untried: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The same with these remarks that do not make it fail.
    pub fn with_warnings(mut self, warnings: Vec<String>) -> Self {
        self.warnings = warnings;
        self
    }
}

/// A table of the checks of problems, and below it what is to be said of each.
pub fn show(checks: &[Check], page: &mut Page) {
    let of_problems = checks.iter().filter_map(|check| {
        let result = match check.complaints.len() {
            0 => Style::Good.on("holds"),
            count => Style::Bad.on(amount(count, "complaint")),
        };
        let (what, count) = (check.what.into(), check.count.to_string().into());
        Some(vec![
            check.problem.as_ref()?.as_str().into(),
            what,
            count,
            result,
        ])
    });
    page.table(
        &["PROBLEM", "CHECK", "COUNT", "RESULT"],
        of_problems.collect(),
    );
    for check in checks {
        let what = match &check.problem {
            Some(problem) => format!("{problem}: {}", check.what),
            None => check.what.to_owned(),
        };
        let warnings = check.warnings.iter().cloned();
        let warnings = warnings.chain(not_tried(&check.untried));
        let warnings = warnings.map(|words| format!("warning: {words}"));
        let remarks = check.summary.iter().chain(&check.complaints).cloned();
        for words in remarks.chain(warnings) {
            page.line(format!("{what}: {words}"));
        }
    }
}

/// One line for each reason: there are often several examples in a language.
fn not_tried(untried: &[Untried]) -> Vec<String> {
    let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for Untried { name, reason } in untried {
        names.entry(reason).or_default().push(name);
    }
    let lines = names.into_iter();
    lines
        .map(|(reason, names)| format!("not tried here: {}: {reason}", names.join(", ")))
        .collect()
}
