//! `verdictd cluster`: who may connect to the server between a course and workers on other machines.
//!
//! A build without the feature `cluster` has the same commands, which say how to get it.

mod arguments;
#[cfg(feature = "cluster")]
mod commands;

pub use arguments::Arguments;

#[cfg(not(feature = "cluster"))]
use super::exit::CliError;
use super::exit::Exit;
use super::out::Out;

#[cfg(feature = "cluster")]
pub fn run(arguments: &Arguments, out: &mut Out) -> anyhow::Result<Exit> {
    commands::run(&arguments.command, out)
}

#[cfg(not(feature = "cluster"))]
pub fn run(_arguments: &Arguments, _out: &mut Out) -> anyhow::Result<Exit> {
    Err(missing("`verdictd cluster`"))
}

/// What to say where something needs workers on other machines, and this build has none.
#[cfg(not(feature = "cluster"))]
pub fn missing(what: &str) -> anyhow::Error {
    CliError::usage(format!(
        "{what} is for workers on other machines, which this build leaves out: build verdictd with `cargo build --release --features cluster`"
    ))
}
