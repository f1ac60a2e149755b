//! The commands of `verdictd cluster`, and what to do after each.

use std::path::Path;

use super::arguments::{AddWorker, Command, Init, Place};
use crate::cli::exit::{CliError, Exit};
use crate::cli::out::Out;
use crate::cluster::access::{Folder, FolderError, Role};

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
            out.note(&format!(
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
        let name = rustix::system::uname();
        hosts.push(name.nodename().to_string_lossy().into_owned());
    }
    let begun = Folder::begin(
        &arguments.folder,
        &hosts,
        arguments.port,
        &arguments.course,
        &arguments.worker,
    )
    .map_err(CliError::usage)?;
    let folder = &begun.folder;
    let [key, store] = folder.owned_by_the_server();
    let configuration = folder.configuration();
    out.note(&format!(
        "{} is what the server reads. With Debian's nats-server, as root on its machine:",
        configuration.display()
    ));
    for step in [
        format!("chown -R nats: {} {}", key.display(), store.display()),
        format!("ln -sf {} /etc/nats-server.conf", configuration.display()),
        "systemctl restart nats-server".to_owned(),
    ] {
        out.note(&format!("  {step}"));
    }
    out.note(&format!(
        "or by hand: nats-server -c {}",
        configuration.display()
    ));
    for (role, file) in &begun.credentials {
        tell_credentials(*role, file, &folder.url(), out);
    }
    if begun.credentials.is_empty() {
        out.note(&format!(
            "nobody may connect yet: verdictd cluster add-course NAME --folder {0}, verdictd cluster add-worker NAME --folder {0}",
            arguments.folder.display()
        ));
    }
    Ok(Exit::Good)
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
    out.note(&format!(
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
    out.note(&match role {
        Role::Course => format!(
            "beside the config.toml of the course, whose table [cluster] has  nats = \"{url}\"  and  credentials = \"{name}\":"
        ),
        Role::Worker => format!(
            "on the worker's machine, with  verdictd worker --nats {url} --credentials {name}:"
        ),
    });
    out.line(&file.display().to_string());
}

fn reload() -> &'static str {
    "systemctl reload nats-server, or nats-server --signal reload"
}
