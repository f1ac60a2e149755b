//! `verdictd new PROBLEM`: a problem's folder, to be changed or to be used as it is.

use anyhow::Context as _;
use clap::Args;
use clap::builder::PossibleValuesParser;

use super::init::{EXAMPLE, package_files, write};
use super::prelude::{CliError, Exit, Out, built_in_names};
use crate::config::Config;
use crate::domain::ProblemSlug;
use crate::package::taken;

/// The file that makes a folder a package.
const PROBLEM: &str = "problem.toml";

/// Write the folder of a problem: an example, or a built-in one
#[derive(Debug, Args)]
pub struct Arguments {
    /// The name of its folder in problems/: lower-case letters, digits, `-` and `_`
    #[arg(value_name = "PROBLEM")]
    name: String,
    /// Write the package of a built-in problem instead of a small example
    #[arg(long, value_name = "PROBLEM", value_parser = PossibleValuesParser::new(built_in_names()))]
    built_in: Option<String>,
}

pub fn run(arguments: &Arguments, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    let slug = ProblemSlug::new(&arguments.name)
        .map_err(|error| CliError::usage(format!("{}: {error}", arguments.name)))?;
    let folder = config.folders.problems.join(slug.as_str());
    if let Some(taken) = taken(&config.folders.problems, &slug) {
        return Err(CliError::usage(format!(
            "{} is there already; take another name, or remove it",
            taken.display()
        )));
    }
    let example = example_of(&slug);
    let package = arguments.built_in.as_deref().unwrap_or(EXAMPLE);
    let mut files: Vec<(String, &[u8])> = package_files(package)
        .map(|(file, bytes)| match (file, &arguments.built_in) {
            (PROBLEM, None) => (file.to_owned(), example.as_bytes()),
            _ => (file.to_owned(), bytes),
        })
        .collect();
    // Last, so that what was begun and not finished is no package.
    files.sort_by_key(|(file, _)| file == PROBLEM);
    write(&folder, &files).with_context(|| format!("write {}", folder.display()))?;
    let shown = folder.display();
    out.note(&match &arguments.built_in {
        Some(_) => format!("{shown} is ready to use"),
        None => format!("{shown} is a small example; change its statement, tests and programs"),
    });
    out.line(&format!("verdictd check {slug}"));
    Ok(Exit::Good)
}

/// The example's problem.toml with another name.
fn example_of(slug: &ProblemSlug) -> String {
    let found = package_files(EXAMPLE).find(|(file, _)| *file == PROBLEM);
    let bytes = found.map_or(&b""[..], |(_, bytes)| bytes);
    String::from_utf8_lossy(bytes)
        .replace("\"Sum of numbers\"", &format!("\"{slug}\""))
        .replace("`sum`", &format!("`{slug}`"))
}
