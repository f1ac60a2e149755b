//! `verdictd forget STUDENT`: removes everything that there is of a student, with or without a
//! daemon that runs.

use std::path::PathBuf;

use anyhow::{anyhow, bail};
use clap::Args;

use super::prelude::{CliError, Exit, Out, REST, ask, store_if_any, unknown_student};
use super::report;
use crate::config::Config;
use crate::daemon::{self, Forgotten, Request};
use crate::domain::Student;
use crate::store::is_running;
use crate::util::crash::point;
use crate::view::Page;

/// Delete all data about a student; --dry-run lists it
#[derive(Debug, Args)]
pub struct Arguments {
    /// The student, as the submissions folder spells the name
    student: String,
    /// Delete nothing; list what would be deleted
    #[arg(long)]
    dry_run: bool,
}

pub fn run(arguments: &Arguments, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    let student = Student::spelled(&arguments.student).map_err(CliError::usage)?;
    let found = daemon::look_for(config, &student)?;
    // Also where an earlier try was killed.
    if found.removed.is_empty() && requests(config, &student).is_empty() {
        out.print(|page| show_left(&found, page));
        return match store_if_any(config)? {
            Some(reader) => Err(unknown_student(&student, &reader)?),
            None => Err(CliError::usage(format!("nobody is known as {student}"))),
        };
    }
    if arguments.dry_run {
        out.print(|page| {
            show_removed(&found, page);
            page.note("nothing is removed");
        });
        return Ok(Exit::Good);
    }
    // Before anything is removed: after a sudden end the next start does the rest.
    let request = Request {
        student: Some(student.clone()),
        forget: true,
        ..Request::default()
    };
    if is_running(&config.folders.state) {
        out.note("the daemon finishes what it is judging, forgets the student and starts again");
    }
    if !ask(config, &request)? {
        daemon::forget(config, &student).map_err(|error| anyhow!("{error}; {REST}"))?;
        // What tells of everybody is written again at once, where no daemon does it.
        if let Some(reader) = store_if_any(config)? {
            report::rebuild(config, &reader, out)?;
        }
        for file in requests(config, &student) {
            std::fs::remove_file(&file)?;
        }
        point("request removed");
    }
    let rest = daemon::look_for(config, &student)?;
    if !rest.removed.is_empty() {
        out.print(|page| show_removed(&rest, page));
        bail!("this is left; what went wrong is on the daemon's terminal");
    }
    out.print(|page| {
        show_removed(&found, page);
        show_left(&rest, page);
        page.note(
            "pages, logs, exports and results of hacks are written again without the student",
        );
        page.note("earlier backups still have it: remove them, or make a new one in their place");
    });
    Ok(Exit::Good)
}

/// The requests to forget a student.
fn requests(config: &Config, student: &Student) -> Vec<PathBuf> {
    let all = daemon::to_forget(&config.folders.state).into_iter();
    let of_student = all.filter(|(_, of)| of == student);
    of_student.map(|(file, _)| file).collect()
}

fn show_removed(found: &Forgotten, page: &mut Page) {
    let lines = found.removed.iter().chain(&found.of_everybody);
    lines.for_each(|line| page.line(line));
}

fn show_left(found: &Forgotten, page: &mut Page) {
    for file in &found.left {
        page.note(format!(
            "the name is also in {file}: look whether it means the student"
        ));
    }
    for file in &found.unread {
        page.note(format!(
            "{file} is compressed and was not looked into: remove it if it may name the student"
        ));
    }
}
