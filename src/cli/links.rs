//! `verdictd links`: the personal link of each student.

use anyhow::Context as _;
use clap::Args;

use super::prelude::{CliError, Exit, Out, in_section, no_such, roster, store_if_any};
use crate::access::Links;
use crate::config::{Config, Web};
use crate::domain::Student;
use crate::util::table::{plain_cell, shown_cell};

/// Students who have a link where there is no roster.
const STUDENTS_MAX: u32 = 100_000;

/// Print each student's personal link; revoke or replace one
#[derive(Debug, Args)]
pub struct Arguments {
    /// Only the links of these students
    #[arg(value_name = "STUDENT", conflicts_with_all = ["revoke", "new"])]
    students: Vec<String>,
    /// Only the links of a section of the roster
    #[arg(long, value_name = "NAME", conflicts_with_all = ["revoke", "new", "students"])]
    section: Option<String>,
    /// A CSV table with the roster's columns, for a mail merge
    #[arg(long)]
    csv: bool,
    /// Revoke a student's link immediately
    #[arg(long, value_name = "STUDENT")]
    revoke: Vec<String>,
    /// Replace a student's link; the old one stops working immediately
    #[arg(long, value_name = "STUDENT")]
    new: Vec<String>,
}

/// Somebody who has a link.
struct Row {
    student: Student,
    /// The last name, the first name and the address, as far as they are known.
    details: [String; 3],
    /// Whether it is shown where nobody is named.
    is_listed: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    let rows = rows(config)?;
    if rows.is_empty() {
        return Err(CliError::usage(
            "nobody is in the course yet; name the students in a roster, `roster` under [overview] of the configuration",
        ));
    }
    let named = |names: &[String]| -> anyhow::Result<Vec<Student>> {
        names.iter().map(|name| student(name, &rows)).collect()
    };
    let chosen = match &arguments.section {
        Some(section) => in_section(section, config)?,
        None => named(&arguments.students)?,
    };
    let (revoked, renewed) = (named(&arguments.revoke)?, named(&arguments.new)?);
    let change = |links: &mut Links| {
        for student in &revoked {
            links.revoke(student);
        }
        for student in &renewed {
            links.renew(student);
        }
    };
    let links = Links::change(&config.folders.state, change)?;
    let asked = [chosen, revoked, renewed].concat();
    let is_shown = |row: &&Row| {
        let is_everybody = asked.is_empty() && row.is_listed;
        is_everybody || asked.contains(&row.student)
    };
    let home = config.web.home();
    let shown = rows.iter().filter(is_shown).map(|row| {
        let link = links.token(&row.student);
        (
            row,
            link.map(|token| format!("{home}/me/{}/", token.reveal())),
        )
    });
    if arguments.csv {
        out.data(&csv(shown)?);
    } else {
        for (row, link) in shown {
            let link = link.as_deref().unwrap_or("revoked");
            out.line(&format!("{}\t{link}", row.student));
        }
    }
    remarks(&config.web).for_each(|remark| out.note(remark));
    Ok(Exit::Good)
}

/// Everybody on the roster, and after them whoever else has submitted something: where the roster
/// names anybody, these are shown by their names only.
fn rows(config: &Config) -> anyhow::Result<Vec<Row>> {
    let roster = roster(config)?;
    let row = |person: &crate::course::Person| {
        let [last, first, email, ..] = person.details.clone();
        Row {
            student: person.student.clone(),
            details: [last, first, email],
            is_listed: true,
        }
    };
    let mut rows: Vec<Row> = roster.people().iter().map(row).collect();
    let is_alone = rows.is_empty();
    if let Some(reader) = store_if_any(config)? {
        let others = reader.students(STUDENTS_MAX)?.into_iter();
        let others = others.filter(|student| !roster.has(student));
        rows.extend(others.map(|student| Row {
            student,
            details: <[String; 3]>::default(),
            is_listed: is_alone,
        }));
    }
    Ok(rows)
}

fn student(name: &str, rows: &[Row]) -> anyhow::Result<Student> {
    let wanted = Student::spelled(name).map_err(CliError::usage)?;
    if rows.iter().any(|row| row.student == wanted) {
        return Ok(wanted);
    }
    let known = rows.iter().map(|row| row.student.as_str());
    Err(no_such("no student is called", name, known))
}

/// Why a link may lead nowhere.
fn remarks(web: &Web) -> impl Iterator<Item = &'static str> {
    let off = "the dashboard is off: set `enabled = true` under [web] of the configuration";
    let loopback = "only this machine can open these links: see `students` and `url` under [web] of the configuration";
    let nowhere = "these are not addresses that a browser can open: set `url` under [web] of the configuration";
    let address = web.students;
    let is_nowhere = address.ip().is_unspecified() || address.port() == 0;
    [
        (!web.enabled, off),
        (web.url.is_none() && is_nowhere, nowhere),
        (web.is_local(), loopback),
    ]
    .into_iter()
    .filter_map(|(is_so, remark)| is_so.then_some(remark))
}

fn csv<'r>(rows: impl Iterator<Item = (&'r Row, Option<String>)>) -> anyhow::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["student", "last_name", "first_name", "email", "link"])?;
    for (row, link) in rows {
        let [last, first, email] = row.details.each_ref().map(|detail| shown_cell(detail));
        let student = plain_cell(row.student.as_str());
        writer.write_record([student, last, first, email, link.unwrap_or_default()])?;
    }
    writer.into_inner().context("write the table")
}
