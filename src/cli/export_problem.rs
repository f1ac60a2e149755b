//! `verdictd export-problem PROBLEM`: a problem as a package of the ICPC's format, for other systems.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use clap::builder::PossibleValuesParser;

use super::import_problem::Written;
use super::new_folder::{error_at, make};
use super::prelude::{CliError, Exit, Out, Session};
use crate::config::Config;
use crate::package::Trouble;
use crate::package::export::{Version, write};
use crate::report::EXPORTS_FOLDER;
use crate::util::files::make_folder;
use crate::util::words::shell_word;

/// The versions that are written, and the command that looks at a package of each.
const FORMATS: [(&str, Version, &str); 2] = [
    ("legacy", Version::Legacy, "verifyproblem"),
    ("2025-09", Version::Latest, "bt validate"),
];

/// Write a problem as an ICPC package, for other systems
#[derive(Debug, Args)]
pub struct Arguments {
    /// The problem to write
    problem: String,
    /// The version of the format: `legacy`, which most systems read, or `2025-09`
    #[arg(long, value_parser = PossibleValuesParser::new(FORMATS.map(|(name, ..)| name)))]
    format: String,
    /// The new folder; by default exports/FORMAT/PROBLEM in the staff's folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    out.as_json(arguments.json);
    let mut formats = FORMATS.into_iter();
    let format = formats.find(|(name, ..)| *name == arguments.format);
    let (name, version, command) = format.ok_or_else(|| anyhow!("no such format"))?;
    let (package, _) = Session::only_for_programs(&arguments.problem, config)?;
    let folder = arguments.out.clone().unwrap_or_else(|| {
        // There names of packages are letters and digits alone.
        let slug = package.slug.as_str().replace(['-', '_'], "");
        let exports = config.folders.staff.join(EXPORTS_FOLDER);
        exports.join(name).join(slug)
    });
    if let Some(above) = folder.parent() {
        make_folder(above).map_err(error_at(above))?;
    }
    let (missing, left_out) = make(&folder, |scratch| {
        let written = write(&package, version, scratch, &config.limits);
        written.map_err(|trouble| match trouble {
            Trouble::Ours(fault) => anyhow!("{fault}"),
            Trouble::Theirs(complaint) => CliError::usage(complaint),
        })
    })?;
    let exit = Exit::No.only_if(!missing.is_empty());
    out.show(&Written {
        next: format!("{command} {}", shell_word(&folder.to_string_lossy())),
        problem: package.slug.clone(),
        tests: package.tests.len(),
        folder,
        missing,
        left_out,
    });
    Ok(exit)
}
