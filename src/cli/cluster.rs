//! `verdictd cluster`: who may connect to the server between a course and workers on other machines,
//! and what to do after each command.

use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::prelude::{CliError, Exit, Out};
use crate::cluster::access::{Folder, Members, Newcomer, Role};
use crate::cluster::subjects::Name;

/// What this machine is called for itself.
const LOCALHOST: &str = "localhost";
/// How the server reads its configuration again.
const RELOAD: &str = "systemctl reload nats-server, or nats-server --signal reload";

/// Prepare a NATS server for workers; say who may connect to it
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Begin a folder for a NATS server: its configuration, its certificate and everybody's
    /// credentials
    Init(Init),
    /// Let another worker connect, and write its credentials
    AddWorker {
        /// Its name: small letters, digits and hyphens
        name: String,
        /// The courses that it works for [default: all of them, later ones too]
        #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
        courses: Option<Vec<String>>,
        #[command(flatten)]
        place: Place,
    },
    /// Let another course connect, and write its credentials
    AddCourse {
        /// Its name: small letters, digits and hyphens
        name: String,
        #[command(flatten)]
        place: Place,
    },
    /// Shut a worker or a course out
    Remove {
        /// The name of the worker or the course
        name: String,
        #[command(flatten)]
        place: Place,
    },
}

#[derive(Debug, Args)]
struct Init {
    /// The folder; it is made if it is missing, and must be empty
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// A name or address by which others reach the machine with the server; may be repeated, and the
    /// first one stands in credentials [default: localhost]
    #[arg(long, value_name = "HOST")]
    host: Vec<String>,
    /// The address of this machine at which the server listens; 0.0.0.0 is all of them [default: the
    /// first --host that is an address; 127.0.0.1 where all of them are localhost]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<IpAddr>,
    /// The port at which the server listens
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
struct Place {
    /// The folder that `verdictd cluster init` made
    #[arg(long, value_name = "DIR", default_value = ".")]
    folder: PathBuf,
}

pub fn run(arguments: &Arguments, _: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    match &arguments.command {
        Command::Init(arguments) => init(arguments, out),
        Command::AddWorker {
            name,
            courses,
            place,
        } => add(
            newcomer(Role::Worker, name, courses.as_deref())?,
            place,
            out,
        ),
        Command::AddCourse { name, place } => add(newcomer(Role::Course, name, None)?, place, out),
        Command::Remove { name, place } => {
            let mut folder = Folder::open(&place.folder).map_err(CliError::usage)?;
            let role = folder.remove(name).map_err(CliError::usage)?.word();
            out.line(&format!(
                "the {role} {name} will be disconnected after the server reloads its configuration: {RELOAD}"
            ));
            Ok(Exit::Good)
        }
    }
}

fn newcomer(role: Role, name: &str, courses: Option<&[String]>) -> anyhow::Result<Newcomer> {
    let checked = |name: &str| Name::try_from(name.to_owned()).map_err(CliError::usage);
    let courses = courses.map(|names| names.iter().map(|name| checked(name)).collect());
    Ok(Newcomer {
        role,
        name: checked(name)?,
        courses: courses.transpose()?,
    })
}

fn init(arguments: &Init, out: &mut Out) -> anyhow::Result<Exit> {
    let mut hosts = arguments.host.clone();
    if hosts.is_empty() {
        hosts.push(LOCALHOST.to_owned());
    }
    let (listen, port) = (listen_at(arguments.listen, &hosts)?, arguments.port);
    let courses = arguments.course.iter().map(|name| (Role::Course, name));
    let workers = arguments.worker.iter().map(|name| (Role::Worker, name));
    let all = courses.chain(workers);
    let newcomers: Vec<Newcomer> = all
        .map(|(role, name)| newcomer(role, name, None))
        .collect::<Result<_, _>>()?;
    let server = Members::nobody(hosts, listen, port);
    let begun = Folder::begin(&arguments.folder, server, &newcomers);
    let (folder, credentials) = begun.map_err(CliError::usage)?;
    let [key, store] = folder.owned_by_the_server();
    let [key, store] = [key.display(), store.display()];
    let configuration = folder.configuration();
    let configuration = configuration.display();
    out.line(&format!(
        "{configuration} is what the server reads; it listens at {listen}, port {port}. With Debian's nats-server, as root on its machine:\n  \
         chown -R nats: {key} {store}\n  \
         ln -sf {configuration} /etc/nats-server.conf\n  \
         systemctl restart nats-server\n\
         or by hand: nats-server -c {configuration}"
    ));
    for (newcomer, file) in newcomers.iter().zip(&credentials) {
        tell_credentials(newcomer.role, file, &folder.url(), out);
    }
    if credentials.is_empty() {
        out.line(&format!(
            "nobody may connect yet: verdictd cluster add-course NAME --folder {0}, verdictd cluster add-worker NAME --folder {0}",
            arguments.folder.display()
        ));
    }
    Ok(Exit::Good)
}

/// Where the server listens: if nobody says so, never at addresses that nobody has named.
fn listen_at(listen: Option<IpAddr>, hosts: &[String]) -> anyhow::Result<IpAddr> {
    let named = hosts.iter().find_map(|host| host.parse().ok());
    if let Some(address) = listen.or(named) {
        return Ok(address);
    }
    match hosts.iter().find(|host| *host != LOCALHOST) {
        None => Ok(Ipv4Addr::LOCALHOST.into()),
        Some(name) => Err(CliError::usage(format!(
            "`{name}` is a name: say with --listen at which address of this machine the server is to listen, such as --listen 192.0.2.7, or 0.0.0.0 for all of them"
        ))),
    }
}

fn add(newcomer: Newcomer, place: &Place, out: &mut Out) -> anyhow::Result<Exit> {
    let role = newcomer.role;
    let mut folder = Folder::open(&place.folder).map_err(CliError::usage)?;
    let file = folder.add(newcomer).map_err(CliError::usage)?;
    tell_credentials(role, &file, &folder.url(), out);
    out.line(&format!(
        "it may connect once the server reads its configuration again: {RELOAD}"
    ));
    Ok(Exit::Good)
}

/// Says where a file with credentials is, and what to do with it.
fn tell_credentials(role: Role, file: &Path, url: &str, out: &mut Out) {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let file = file.display();
    out.line(&match role {
        Role::Course => format!(
            "{file}: goes beside the config.toml of the course, whose table [cluster] has  nats = \"{url}\"  and  credentials = \"{name}\""
        ),
        Role::Worker => format!(
            "{file}: goes to the worker's machine, for  verdictd worker --nats {url} --credentials {name}"
        ),
    });
}
