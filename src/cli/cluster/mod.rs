//! `verdictd cluster`: who may connect to the server between a course and workers on other machines.

mod arguments;
mod commands;

pub use arguments::Arguments;

use super::exit::Exit;
use super::out::Out;

pub fn run(arguments: &Arguments, out: &mut Out) -> anyhow::Result<Exit> {
    commands::run(&arguments.command, out)
}
