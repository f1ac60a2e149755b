//! `verdictd generate PROBLEM --family F --seed N`: an input of a built-in problem; the same
//! arguments give the same bytes for ever.

use std::path::Path;

use clap::Args;

use super::prelude::{CliError, Exit, Out, built_in, task_named};

/// Generate an input for a built-in problem
#[derive(Debug, Args)]
pub struct Arguments {
    #[arg(help = built_in(""))]
    problem: String,
    /// The family of inputs; `--list` shows them all. By default the first one.
    #[arg(long)]
    family: Option<String>,
    /// Random seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// List the families of inputs instead.
    #[arg(long)]
    list: bool,
}

pub fn run(arguments: &Arguments, _: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let task = task_named(&arguments.problem)?;
    let families = task.families();
    if arguments.list {
        for family in families {
            out.line(&format!("{:<20} {}", family.name, family.summary));
        }
        return Ok(Exit::Good);
    }
    let names: Vec<&str> = families.iter().map(|family| family.name).collect();
    let (named, first) = (arguments.family.as_deref(), names.first().copied());
    let family = named.or(first).unwrap_or_default();
    let input = task.generate(family, arguments.seed).ok_or_else(|| {
        CliError::usage(format!(
            "`{family}` is not a family of {}; there are {}",
            task.slug(),
            names.join(", ")
        ))
    })?;
    out.data(&input);
    Ok(Exit::Good)
}
