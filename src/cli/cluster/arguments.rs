//! The arguments of `verdictd cluster`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
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
pub struct Init {
    /// The folder; it is made if it is missing, and must be empty
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// A name or address by which others reach the machine with the server; may be repeated, and the
    /// first one stands in credentials [default: localhost]
    #[arg(long, value_name = "HOST")]
    pub host: Vec<String>,
    /// The address of this machine at which the server listens; 0.0.0.0 is all of them [default: the
    /// first --host that is an address; 127.0.0.1 where all of them are localhost]
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<IpAddr>,
    /// The port at which the server listens
    #[arg(long, value_name = "PORT", default_value_t = 4222, value_parser = clap::value_parser!(u16).range(1..))]
    pub port: u16,
    /// A course that may connect; may be repeated
    #[arg(long, value_name = "NAME")]
    pub course: Vec<String>,
    /// A worker that may connect; may be repeated
    #[arg(long, value_name = "NAME")]
    pub worker: Vec<String>,
}

#[derive(Debug, Args)]
pub struct AddWorker {
    /// Its name: small letters, digits and hyphens
    pub name: String,
    /// The courses that it works for [default: all of them, later ones too]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub courses: Option<Vec<String>>,
    #[command(flatten)]
    pub place: Place,
}

#[derive(Debug, Args)]
pub struct AddCourse {
    /// Its name: small letters, digits and hyphens
    pub name: String,
    #[command(flatten)]
    pub place: Place,
}

#[derive(Debug, Args)]
pub struct Remove {
    /// The name of the worker or the course
    pub name: String,
    #[command(flatten)]
    pub place: Place,
}

#[derive(Debug, Args)]
pub struct Place {
    /// The folder that `verdictd cluster init` made
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub folder: PathBuf,
}
