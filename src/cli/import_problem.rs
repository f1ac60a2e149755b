//! `verdictd import-problem FILE|DIR`: packages of other systems, written as packages of ours.

use std::path::PathBuf;

use anyhow::{Context as _, anyhow};
use clap::Args;
use serde::Serialize;

use super::new_folder;
use super::prelude::{CliError, Exit, Out, Session};
use crate::config::Config;
use crate::domain::{Complaint, ProblemSlug};
use crate::package::import::{Content, Package, Problem, read, write};
use crate::package::{NoOracle, Trouble};
use crate::toolchain::Toolchain;
use crate::util::files::make_folder;
use crate::util::words::amount;
use crate::view::{Page, Show, Style};

/// Write a package of Polygon, DMOJ, CMS or a free problem set as one of ours
#[derive(Debug, Args)]
pub struct Arguments {
    /// A folder, a zip file, or the XML file of a free problem set
    #[arg(value_name = "FILE|DIR")]
    package: PathBuf,
    /// The name of its folder in problems/; by default what it is called there
    #[arg(long, value_name = "PROBLEM")]
    name: Option<String>,
    /// Print one JSON object per problem
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    out.as_json(arguments.json);
    let toolchain = Toolchain::of(config);
    let has_language = |ending: &str| toolchain.language_of(ending).is_some();
    let (mut package, problems) =
        read(&arguments.package, &has_language).map_err(CliError::usage)?;
    let count = problems.len();
    // All names are sound before anything is written.
    let named: Vec<_> = problems
        .into_iter()
        .enumerate()
        .map(|(at, problem)| match problem {
            Ok(problem) => Ok(Ok((
                folder_of(arguments, &problem, (at, count), config)?,
                problem,
            ))),
            Err(refused) => Ok(Err(refused)),
        })
        .collect::<anyhow::Result<_>>()?;
    let mut exit = Exit::Good;
    for named in named {
        let written = match named {
            Ok((folder, problem)) => written(problem, &mut package, folder, config)?,
            Err(refused) => Err(refused),
        };
        exit = exit.max(match &written {
            Ok(written) => Exit::No.only_if(!written.missing.is_empty()),
            Err(_) => Exit::Usage,
        });
        match written {
            Ok(written) => out.show(&written),
            Err(refused) => {
                out.json(&Refused { refused: &refused });
                out.error(&refused.to_string());
            }
        }
    }
    Ok(exit)
}

/// The new folder of a problem.
fn folder_of(
    arguments: &Arguments,
    problem: &Problem,
    (at, count): (usize, usize),
    config: &Config,
) -> anyhow::Result<PathBuf> {
    let name = match &arguments.name {
        Some(name) if count > 1 => format!("{name}-{}", at + 1),
        Some(name) => name.clone(),
        None => problem
            .name
            .to_lowercase()
            .replace(|one: char| !one.is_ascii_alphanumeric() && one != '_', "-"),
    };
    let name = name.trim_matches('-');
    let slug = ProblemSlug::new(name).map_err(|error| {
        CliError::usage(format!("`{name}` cannot be the name of a problem's folder: {error}; name another one with --name"))
    })?;
    let folder = config.folders.problems.join(slug.as_str());
    if folder.exists() {
        return Err(CliError::usage(format!(
            "{} is there already; take another name with --name, or remove it",
            folder.display()
        )));
    }
    Ok(folder)
}

/// Writes a problem; a folder is whole or not there.
fn written(
    mut problem: Problem,
    package: &mut Package,
    folder: PathBuf,
    config: &Config,
) -> anyhow::Result<Result<Written, Complaint>> {
    let samples = problem
        .tests
        .iter()
        .filter(|test| test.is_sample && test.group.is_none())
        .count();
    let tests = problem.tests.len() - samples;
    let is_made = problem
        .tests
        .iter()
        .any(|test| matches!(test.input, Content::Made(..)));
    config
        .folders
        .problems
        .parent()
        .map_or(Ok(()), make_folder)?;
    make_folder(&config.folders.problems)
        .with_context(|| format!("make {}", config.folders.problems.display()))?;
    let session = is_made.then(|| Session::new(config.clone())).transpose()?;
    let made = new_folder::make(&folder, |scratch| {
        let written = match &session {
            Some(session) => {
                session.with_oracle(|oracle| write(&mut problem, package, scratch, oracle))
            }
            None => write(&mut problem, package, scratch, &mut NoOracle),
        };
        Ok(written?)
    });
    if let Err(error) = made {
        return match error.downcast::<Trouble>() {
            Ok(Trouble::Theirs(complaint)) => Ok(Err(complaint)),
            Ok(Trouble::Ours(fault)) => Err(anyhow!("{fault}")),
            Err(error) => Err(error),
        };
    }
    let slug = folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    Ok(Ok(Written {
        samples,
        tests,
        groups: problem.manifest.groups.len(),
        missing: problem.missing,
        left_out: problem.left_out,
        next: format!("verdictd check {slug}"),
        problem: slug,
        folder,
    }))
}

/// A problem that is not written, and why.
#[derive(Serialize)]
struct Refused<'a> {
    refused: &'a Complaint,
}

/// A package that is written.
#[derive(Serialize)]
struct Written {
    problem: String,
    folder: PathBuf,
    samples: usize,
    /// Without the samples.
    tests: usize,
    groups: usize,
    /// What has to be put there before anybody can be judged.
    missing: Vec<Complaint>,
    /// What else is not taken over, or in another form.
    left_out: Vec<Complaint>,
    /// The command that comes next.
    next: String,
}

impl Show for Written {
    fn show(&self, page: &mut Page) {
        let counts = [
            (self.samples, "sample"),
            (self.tests, "test"),
            (self.groups, "group"),
        ];
        let counts = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, noun)| amount(*count, noun));
        let counts = counts.collect::<Vec<_>>().join(", ");
        let folder = self.folder.display();
        page.tagged(Style::Good.on("written"), format!("{folder}: {counts}"));
        let lines =
            |list: &[Complaint]| list.iter().map(Complaint::in_one_line).collect::<Vec<_>>();
        page.each(&Style::Bad.on("missing"), lines(&self.missing));
        page.each(&Style::Warn.on("left out"), lines(&self.left_out));
        page.line(&self.next);
    }
}
