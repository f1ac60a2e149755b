//! `verdictd completions SHELL`: what a shell needs to complete command lines.

use clap::Args;
use clap_complete::Shell;

use super::prelude::{Exit, Out};

/// Print the completions for a shell
#[derive(Debug, Args)]
pub struct Arguments {
    /// Which shell; packages have them for bash, zsh and fish
    shell: Shell,
}

pub fn run(arguments: &Arguments, mut parser: clap::Command, out: &mut Out) -> Exit {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut parser, "verdictd", &mut text);
    out.data(&text);
    Exit::Good
}
