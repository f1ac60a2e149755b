//! `verdictd check [PROBLEM…]`: proves packages: tests and answers, invalid inputs, mutations,
//! example submissions.

mod examples;
mod groups;
mod inputs;
mod programs;
mod row;
mod times;
mod untried;

use std::path::Path;
use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};

use super::course_files::complaints;
use super::exit::{CliError, Exit};
use super::names::{problem_named, unknown_problem};
use super::out::{Out, Style, cell};
use super::session::{Session, read_config};
use crate::domain::ProblemSlug;
use crate::package::{self, Package, Remark};
use row::Row;

/// What nobody should be surprised by in the middle of a term.
const NO_VALIDATOR: &str = "problem.toml names no `validator`, so nothing says whether an input is valid: a wrong test or hack may count, and no counterexamples are looked for";

/// Files and folders of a package that are counted.
const COUNTED_MAX: usize = 10_000;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The packages to check; by default all of them.
    problems: Vec<String>,
    /// One JSON object per check.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let mut config = read_config(config_file)?;
    config.judge.stop_at_first_failure = true;
    let session = Session::new(config)?;
    let folder = &session.config.folders.problems;
    let mut rows = Vec::new();
    for slug in &named(arguments, &session)? {
        let checked = match &session.package(slug) {
            None => {
                let unknown = unknown_problem(slug.as_str(), &session.slugs, folder);
                return Err(CliError::usage(unknown));
            }
            Some(Err(error)) => vec![Row::new("package", 1, vec![error.to_string()])],
            Some(Ok(package)) => check(package, &session, out),
        };
        rows.extend(checked.into_iter().map(|row| (slug.clone(), row)));
    }
    // Only a check of everything looks at what lies beside the packages.
    let strays = match arguments.problems.as_slice() {
        [] => package::strangers(folder).map_err(CliError::usage)?,
        [..] => Vec::new(),
    };
    let strays: Vec<String> = strays.iter().map(Remark::to_string).collect();
    let course = match arguments.problems.as_slice() {
        [] => complaints(&session.config, session.slugs.iter()),
        [..] => Vec::new(),
    };
    let holds = strays.is_empty()
        && course.is_empty()
        && rows.iter().all(|(_, row)| row.complaints.is_empty());
    if arguments.json {
        for (slug, row) in &rows {
            out.json(&object(Some(slug), row));
        }
        if !strays.is_empty() {
            let row = Row::new("the folder of problems", strays.len(), strays);
            out.json(&object(None, &row));
        }
        if !course.is_empty() {
            let row = Row::new("the files of the course", course.len(), course);
            out.json(&object(None, &row));
        }
    } else {
        show(&rows, out);
        for stray in strays {
            out.line(&format!("not a problem: {stray}"));
        }
        for complaint in course {
            out.line(&format!("the course: {complaint}"));
        }
    }
    Ok(if holds { Exit::Good } else { Exit::No })
}

fn named(arguments: &Arguments, session: &Session) -> anyhow::Result<Vec<ProblemSlug>> {
    if arguments.problems.is_empty() {
        return Ok(session.slugs.clone());
    }
    let folder = &session.config.folders.problems;
    let names = arguments.problems.iter();
    names
        .map(|name| problem_named(name, &session.slugs, folder))
        .collect()
}

fn check(package: &Arc<Package>, session: &Session, out: &mut Out) -> Vec<Row> {
    let mut rows = vec![inputs::tests(package), files(package)];
    if let Some(task) = package.task() {
        rows.push(inputs::second_opinion(package, task));
        rows.push(inputs::missing(package, task));
    }
    if package.task().is_some() || package.validator.is_some() {
        rows.push(session.with_oracle(|oracle| programs::invalid_inputs(package, oracle)));
    }
    if let Some(task) = package.task() {
        rows.push(inputs::mutations(package, task));
    } else if package.validator.is_none() {
        let mut row = Row::new("a validator", 0, Vec::new());
        row.warnings = vec![NO_VALIDATOR.to_owned()];
        rows.push(row);
    }
    rows.extend(groups::groups(package));
    rows.extend(groups::time_factors(package, &session.toolchain));
    if package.programs().next().is_some() {
        rows.push(session.with_oracle(|oracle| programs::programs(package, oracle)));
    }
    let title = [std::slice::from_ref(&package.title), &package.sources].concat();
    out.note(&format!(
        "{}: {}; {}; judging the example submissions …",
        package.slug,
        title.join(", "),
        package.compare_words()
    ));
    rows.extend(examples::examples(session, package));
    rows
}

/// Every file of a package is read, or known to be harmless.
fn files(package: &Package) -> Row {
    let count =
        std::fs::read_dir(&package.folder).map_or(0, |entries| entries.take(COUNTED_MAX).count());
    let complaints = package.remarks.iter().map(Remark::to_string).collect();
    Row::new("nothing is left unread", count, complaints)
}

fn object(problem: Option<&ProblemSlug>, row: &Row) -> Value {
    json!({
        "problem": problem.map(ProblemSlug::as_str), "check": row.what, "count": row.count,
        "holds": row.complaints.is_empty(), "complaints": row.complaints,
        "warnings": row.warnings, "untried": row.untried.list(), "says": row.summary,
    })
}

fn show(rows: &[(ProblemSlug, Row)], out: &mut Out) {
    let mut table = out.table(&["PROBLEM", "CHECK", "COUNT", "RESULT"]);
    for (slug, row) in rows {
        let result = match row.complaints.len() {
            0 => cell(Style::Good, "holds"),
            1 => cell(Style::Bad, "1 complaint"),
            more => cell(Style::Bad, &format!("{more} complaints")),
        };
        let count = row.count.to_string();
        table.add_row([slug.as_str().into(), row.what.into(), count.into(), result]);
    }
    out.write_table(&table);
    for (slug, row) in rows {
        let warnings = row.warnings.iter().cloned().chain(row.untried.warnings());
        let warnings = warnings.map(|words| format!("warning: {words}"));
        let remarks = row.summary.iter().chain(&row.complaints).cloned();
        for words in remarks.chain(warnings) {
            out.line(&format!("{slug}: {}: {words}", row.what));
        }
    }
}
