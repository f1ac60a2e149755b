//! `verdictd cluster`: who may connect to the server between a course and workers on other machines.
//!
//! A build without the feature `cluster` has the same commands, which say how to get it.

#[cfg(feature = "cluster")]
mod commands;

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[cfg(not(feature = "cluster"))]
use super::exit::CliError;
use super::exit::Exit;
use super::out::Out;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Begin a folder for a NATS server: its configuration, its certificate and everybody's credentials
    Init(Init),
    /// Let another worker connect, and write its credentials
    AddWorker(AddWorker),
    /// Let another course connect, and write its credentials
    AddCourse(AddCourse),
    /// Shut a worker or a course out
    Remove(Remove),
}

#[derive(Debug, Args)]
struct Init {
    /// The folder; it is made if it is missing, and must be empty
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// A name or address by which others reach the machine with the server; may be repeated, and the
    /// first one stands in credentials [default: this machine's name]
    #[arg(long, value_name = "HOST")]
    host: Vec<String>,
    /// Where the server listens
    #[arg(long, value_name = "PORT", default_value_t = 4222, value_parser = clap::value_parser!(u16).range(1..))]
    port: u16,
    /// A course that may connect; may be repeated
    #[arg(long, value_name = "NAME")]
    course: Vec<String>,
    /// A worker that may connect; may be repeated
    #[arg(long, value_name = "NAME")]
    worker: Vec<String>,
}

#[derive(Debug, Args)]
struct AddWorker {
    /// Its name: small letters, digits and hyphens
    name: String,
    /// The courses that it works for [default: all of them, later ones too]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    courses: Option<Vec<String>>,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Args)]
struct AddCourse {
    /// Its name: small letters, digits and hyphens
    name: String,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Args)]
struct Remove {
    /// The name of the worker or the course
    name: String,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Args)]
struct Place {
    /// The folder that `verdictd cluster init` made
    #[arg(long, value_name = "DIR", default_value = ".")]
    folder: PathBuf,
}

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
