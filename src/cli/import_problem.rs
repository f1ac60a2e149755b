//! `verdictd import-problem FILE|DIR`: packages of other systems, written as packages of ours.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;
use serde::Serialize;

use super::new_folder::{error_at, make};
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
    let path = &arguments.package;
    let package = Package::open(path, &has_language);
    let mut package = package.map_err(CliError::usage)?;
    let problems = read(&mut package, path).map_err(CliError::usage)?;
    let is_one = problems.len() == 1;
    // All names are sound before anything is written.
    let mut named = Vec::new();
    for (at, problem) in problems.into_iter().enumerate() {
        let name = match &arguments.name {
            Some(name) if !is_one => Some(format!("{name}-{}", at + 1)),
            name => name.clone(),
        };
        named.push(match problem {
            Ok(problem) => Ok((slug_of(name, &problem, config)?, problem)),
            Err(refused) => Err(refused),
        });
    }
    let mut exit = Exit::Good;
    for named in named {
        let written = match named {
            Ok((slug, problem)) => written(problem, &mut package, slug, config)?,
            Err(refused) => Err(refused),
        };
        exit = exit.max(match written {
            Ok(written) => {
                out.show(&written);
                Exit::No.only_if(!written.missing.is_empty())
            }
            Err(refused) => {
                out.error(&refused.to_string());
                Exit::Usage
            }
        });
    }
    Ok(exit)
}

/// The name of a new package.
fn slug_of(
    name: Option<String>,
    problem: &Problem,
    config: &Config,
) -> anyhow::Result<ProblemSlug> {
    let is_strange = |one: char| !one.is_ascii_alphanumeric() && one != '_';
    let usual = problem.name.to_lowercase();
    let parts: Vec<&str> = usual
        .split(is_strange)
        .filter(|part| !part.is_empty())
        .collect();
    let name = name.unwrap_or(parts.join("-"));
    let slug = ProblemSlug::new(&name).map_err(|error| {
        CliError::usage(format!(
            "`{name}` cannot be the name of its folder: {error}; name one with --name"
        ))
    })?;
    let folder = config.folders.problems.join(slug.as_str());
    match folder.exists() {
        true => Err(CliError::usage(format!(
            "{} is there already; take another name with --name, or remove it",
            folder.display()
        ))),
        false => Ok(slug),
    }
}

/// Writes a package, which is whole or not there.
fn written(
    mut problem: Problem,
    package: &mut Package<'_>,
    slug: ProblemSlug,
    config: &Config,
) -> anyhow::Result<Result<Written, Complaint>> {
    let problems = &config.folders.problems;
    make_folder(problems).map_err(error_at(problems))?;
    let is_made = |content: &Content| matches!(content, Content::Made(..));
    let is_made = problem.tests.iter().any(|test| is_made(&test.bytes.0));
    let session = is_made.then(|| Session::new(config.clone())).transpose()?;
    let folder = problems.join(slug.as_str());
    let mut fill = |scratch: &Path, problem: &mut Problem| match &session {
        Some(session) => session.with_oracle(|oracle| write(problem, package, scratch, oracle)),
        None => write(problem, package, scratch, &mut NoOracle),
    };
    let (tests, groups) = (problem.tests.len(), problem.groups.len());
    match make(&folder, |scratch| Ok(fill(scratch, &mut problem)?)).map_err(anyhow::Error::downcast)
    {
        Ok(()) => {}
        Err(Ok(Trouble::Theirs(complaint))) => return Ok(Err(complaint)),
        Err(Ok(Trouble::Ours(fault))) => return Err(anyhow!("{fault}")),
        Err(Err(error)) => return Err(error),
    }
    let (missing, left_out) = (problem.missing, problem.left_out);
    let next = format!("verdictd check {slug}");
    Ok(Ok(Written {
        problem: slug,
        folder,
        tests,
        groups,
        missing,
        left_out,
        next,
    }))
}

/// A package that is written.
#[derive(Serialize)]
struct Written {
    problem: ProblemSlug,
    folder: PathBuf,
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
        let (folder, tests) = (self.folder.display(), amount(self.tests, "test"));
        page.tagged(Style::Good.on("written"), format!("{folder}, {tests}"));
        let lines =
            |list: &[Complaint]| list.iter().map(Complaint::in_one_line).collect::<Vec<_>>();
        page.each(&Style::Bad.on("missing"), lines(&self.missing));
        page.each(&Style::Warn.on("left out"), lines(&self.left_out));
        page.line(&self.next);
    }
}
