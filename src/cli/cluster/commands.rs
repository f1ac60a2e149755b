//! The commands of `verdictd cluster`, and what to do after each.

use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;

use super::arguments::{AddWorker, Command, Init, Place};
use crate::cli::exit::{CliError, Exit};
use crate::cli::out::Out;
use crate::cluster::access::{Folder, FolderError, Role};

/// What this machine is called for itself.
const LOCALHOST: &str = "localhost";

pub fn run(command: &Command, out: &mut Out) -> anyhow::Result<Exit> {
    match command {
        Command::Init(arguments) => init(arguments, out),
        Command::AddWorker(AddWorker {
            name,
            courses,
            place,
        }) => add(Role::Worker, name, courses.as_deref(), place, out),
        Command::AddCourse(arguments) => {
            add(Role::Course, &arguments.name, None, &arguments.place, out)
        }
        Command::Remove(arguments) => {
            let mut folder = open(&arguments.place)?;
            let role = folder.remove(&arguments.name).map_err(CliError::usage)?;
            out.line(&format!(
                "the {} {} is shut out once the server reads its configuration again: {}",
                role.word(),
                arguments.name,
                reload()
            ));
            Ok(Exit::Good)
        }
    }
}

fn init(arguments: &Init, out: &mut Out) -> anyhow::Result<Exit> {
    let mut hosts = arguments.host.clone();
    if hosts.is_empty() {
        hosts.push(LOCALHOST.to_owned());
    }
    let listen = match arguments.listen {
        Some(listen) => listen,
        None => listen_at(&hosts)?,
    };
    let begun = Folder::begin(
        &arguments.folder,
        (&hosts, listen, arguments.port),
        &arguments.course,
        &arguments.worker,
    )
    .map_err(CliError::usage)?;
    let folder = &begun.folder;
    let [key, store] = folder.owned_by_the_server();
    let configuration = folder.configuration();
    out.line(&format!(
        "{} is what the server reads; it listens at {listen}, port {}. With Debian's nats-server, as root on its machine:",
        configuration.display(),
        arguments.port
    ));
    for step in [
        format!("chown -R nats: {} {}", key.display(), store.display()),
        format!("ln -sf {} /etc/nats-server.conf", configuration.display()),
        "systemctl restart nats-server".to_owned(),
    ] {
        out.line(&format!("  {step}"));
    }
    out.line(&format!(
        "or by hand: nats-server -c {}",
        configuration.display()
    ));
    for (role, file) in &begun.credentials {
        tell_credentials(*role, file, &folder.url(), out);
    }
    if begun.credentials.is_empty() {
        out.line(&format!(
            "nobody may connect yet: verdictd cluster add-course NAME --folder {0}, verdictd cluster add-worker NAME --folder {0}",
            arguments.folder.display()
        ));
    }
    Ok(Exit::Good)
}

/// Where the server listens if nobody says so: never at addresses that nobody has named.
fn listen_at(hosts: &[String]) -> anyhow::Result<IpAddr> {
    let addresses = hosts.iter().filter_map(|host| host.parse().ok());
    if let Some(first) = addresses.into_iter().next() {
        return Ok(first);
    }
    match hosts.iter().find(|host| *host != LOCALHOST) {
        None => Ok(Ipv4Addr::LOCALHOST.into()),
        Some(name) => Err(CliError::usage(format!(
            "`{name}` is a name: say with --listen at which address of this machine the server is to listen, such as --listen 192.0.2.7, or 0.0.0.0 for all of them"
        ))),
    }
}

fn add(
    role: Role,
    name: &str,
    courses: Option<&[String]>,
    place: &Place,
    out: &mut Out,
) -> anyhow::Result<Exit> {
    let mut folder = open(place)?;
    let file = folder.add(role, name, courses).map_err(CliError::usage)?;
    tell_credentials(role, &file, &folder.url(), out);
    out.line(&format!(
        "it may connect once the server reads its configuration again: {}",
        reload()
    ));
    Ok(Exit::Good)
}

fn open(place: &Place) -> anyhow::Result<Folder> {
    Folder::open(&place.folder).map_err(|error: FolderError| CliError::usage(error))
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

fn reload() -> &'static str {
    "systemctl reload nats-server, or nats-server --signal reload"
}
