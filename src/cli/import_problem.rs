//! `verdictd import-problem FILE|DIR`: packages of other systems, written as packages of ours.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use serde::Serialize;

use super::new_folder::{error_at, make};
use super::prelude::{CliError, Exit, Out, Session};
use crate::config::Config;
use crate::domain::{Complaint, ProblemSlug};
use crate::package::import::{Content, Package, Problem, folder_of, read, write};
use crate::package::{NoOracle, Oracle, Remark, Trouble, taken};
use crate::toolchain::Toolchain;
use crate::util::files::make_folder;
use crate::util::words::amount;
use crate::view::{Page, Show, Style};

/// Turn a package of Polygon, DMOJ, CMS or FPS into one of ours
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
    let (path, toolchain) = (&folder_of(&arguments.package), Toolchain::of(config));
    let has_language = move |ending: &str| toolchain.language_of(ending).is_some();
    let mut package = Package::open(path, Box::new(has_language)).map_err(CliError::usage)?;
    let problems = read(&mut package, path).map_err(CliError::usage)?;
    let (is_one, mut exit) = (problems.len() == 1, Exit::Good);
    for (number, problem) in (1..).zip(problems) {
        let written = problem.map_err(CliError::usage).and_then(|problem| {
            let name = match &arguments.name {
                Some(name) if is_one => name.clone(),
                Some(name) => format!("{name}-{number}"),
                None => usual_name(&problem.name),
            };
            let slug = slug_of(&name, config).map_err(CliError::usage)?;
            written(problem, &mut package, slug, config)
        });
        exit = exit.max(match written {
            Ok(written) => {
                out.show(&written);
                Exit::No.only_if(!written.missing.is_empty())
            }
            // The others of the set are taken over all the same.
            Err(refused) if !is_one => {
                out.error(&refused.to_string());
                Exit::Usage
            }
            Err(refused) => return Err(refused),
        });
    }
    Ok(exit)
}

/// What a problem is called elsewhere, as the name of a folder.
fn usual_name(name: &str) -> String {
    let is_strange = |one: char| !one.is_ascii_alphanumeric() && one != '_';
    let usual = name.to_lowercase();
    let parts = usual.split(is_strange).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-")
}

/// The name of a new package; the error says why it cannot be had.
fn slug_of(name: &str, config: &Config) -> Result<ProblemSlug, String> {
    let slug = ProblemSlug::new(name).map_err(|error| {
        format!("`{name}` cannot be the name of its folder: {error}; name one with --name")
    })?;
    if let Some(taken) = taken(&config.folders.problems, &slug) {
        let shown = taken.display();
        let words = "is there already; take another name with --name, or remove it";
        return Err(format!("{shown} {words}"));
    }
    Ok(slug)
}

/// Writes a package, which is whole or not there.
fn written(
    mut problem: Problem,
    package: &mut Package,
    slug: ProblemSlug,
    config: &Config,
) -> anyhow::Result<Written> {
    let problems = &config.folders.problems;
    make_folder(problems).map_err(error_at(problems))?;
    let (folder, tests) = (problems.join(slug.as_str()), problem.tests.len());
    let mut inputs = problem.tests.iter().map(|test| &test.pair.0);
    let is_made = inputs.any(|input| matches!(input, Content::Made(..)));
    let session = is_made.then(|| Session::new(config.clone())).transpose()?;
    make(&folder, |scratch| {
        let mut fill = |oracle: &mut dyn Oracle| write(&mut problem, package, scratch, oracle);
        let written = match &session {
            Some(session) => session.with_oracle(fill),
            None => fill(&mut NoOracle),
        };
        written.map_err(|trouble| match trouble {
            Trouble::Ours(fault) => anyhow!("{fault}"),
            Trouble::Theirs(complaint) => CliError::usage(complaint),
        })
    })?;
    Ok(Written {
        next: format!("verdictd check {slug}"),
        left_out: problem.left_out(),
        missing: problem.missing,
        problem: slug,
        folder,
        tests,
    })
}

/// A package that is written.
#[derive(Serialize)]
pub struct Written {
    pub problem: ProblemSlug,
    pub folder: PathBuf,
    pub tests: usize,
    /// What has to be put there before anybody can be judged.
    pub missing: Vec<Complaint>,
    /// What else is not taken over, or in another form.
    pub left_out: Vec<Remark>,
    /// The command that comes next.
    pub next: String,
}

impl Show for Written {
    fn show(&self, page: &mut Page) {
        let (folder, tests) = (self.folder.display(), amount(self.tests, "test"));
        page.tagged(Style::Good.on("written"), format!("{folder}, {tests}"));
        let missing = self.missing.iter().map(Complaint::in_one_line);
        page.each(&Style::Bad.on("missing"), missing);
        let left_out = self.left_out.iter().map(Remark::to_string);
        page.each(&Style::Warn.on("left out"), left_out);
        page.line(&self.next);
    }
}
