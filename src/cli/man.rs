//! `verdictd man`: manual pages, made from the command line itself.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use clap_mangen::Man;

use super::prelude::{Exit, Out};

/// Print the manual page, or write those of every command
#[derive(Debug, Args)]
pub struct Arguments {
    /// Write `verdictd.1` and a page for each command, such as `verdictd-judge.1`, into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub fn run(arguments: &Arguments, parser: clap::Command, out: &mut Out) -> anyhow::Result<Exit> {
    if let Some(folder) = &arguments.out {
        let written =
            std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(parser, folder));
        written.with_context(|| format!("write {}", folder.display()))?;
        return Ok(Exit::Good);
    }
    let mut text = Vec::new();
    Man::new(parser).render(&mut text)?;
    out.data(&text);
    Ok(Exit::Good)
}
