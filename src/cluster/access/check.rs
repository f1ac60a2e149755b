//! `verdictd doctor --cluster`: each step of a connection in turn, so that the first one that fails
//! says what is wrong.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_nats::{Client, Event, ServerAddr, ServerError};
use futures_util::StreamExt as _;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::connect::{Access, connect_and_hear};
use super::credentials::Role;
use super::errors::AccessError;
use crate::cluster::blobs::{Blobs, get};
use crate::cluster::subjects::{
    ALL_NEWS, Kind, Name, all_requests, blob, course_of_news, direct_get, inbox, parse_request,
    request, stream,
};
use crate::cluster::wire::{self, Ask, Id};
use crate::util::hash::digest;
use crate::util::sync::lock;
use crate::util::words::listed;

/// How long the other end is listened for: it speaks every two seconds.
const LISTEN: Duration = Duration::from_secs(5);
/// How long one try to reach the machine may take.
const REACH: Duration = Duration::from_secs(5);
/// How long the library takes to tell what it has heard.
const EVENTS: Duration = Duration::from_millis(100);
/// Others that are named.
const NAMED_MAX: usize = 1_000;
/// What is put and fetched.
const TRIED: &[u8] = b"verdictd doctor --cluster\n";

/// A step that was tried.
pub struct Step {
    /// What was tried, in words.
    pub what: &'static str,
    /// What came out, or what is wrong and the way out.
    pub found: Result<String, String>,
}

/// Tries everything that a course or a worker needs of the server. It tells each step as it is done
/// and ends with the first that fails. It answers no worker, so a daemon may run meanwhile.
pub async fn check(access: &Access, role: Role, keep_bytes: u64, mut tell: impl FnMut(Step)) {
    let mut step = |what, found: Result<String, String>| {
        let is_good = found.is_ok();
        tell(Step { what, found });
        is_good
    };
    let address = match access.address() {
        Ok(address) => address,
        Err(error) => {
            step("address", Err(error.to_string()));
            return;
        }
    };
    let url = access.url().unwrap_or_default();
    if !step(
        "address",
        Ok(format!("{url}, as {} {}", role.word(), access.name)),
    ) || !step("name", resolved(&address).await)
        || !step("network", reached(&address, url).await)
    {
        return;
    }
    let refusals = Arc::new(Mutex::new(BTreeSet::new()));
    let heard = Arc::clone(&refusals);
    let client = connect_and_hear(access, move |event| {
        if let Event::ServerError(ServerError::Other(error)) = event {
            let mut heard = lock(&heard);
            if heard.len() < NAMED_MAX {
                heard.insert(error.clone());
            }
        }
    });
    let client = match client.await {
        Ok(client) => client,
        Err(error) => {
            step("connection", Err(error.to_string()));
            return;
        }
    };
    step("connection", Ok(connected(&client, access, &address)));
    let allowed = async {
        subscribed(&client, access, role).await?;
        match lock(&refusals).first() {
            None => Ok("all that it needs".to_owned()),
            Some(refusal) => Err(refused(refusal)),
        }
    };
    if !step("permissions", allowed.await) {
        return;
    }
    match role {
        Role::Course => {
            if step("bytes", round_trip(&client, &access.name, keep_bytes).await) {
                step("workers", Ok(workers(&client, &access.name).await));
            }
        }
        Role::Worker => daemons(&client, &access.name, &mut step).await,
    }
}

async fn resolved(address: &ServerAddr) -> Result<String, String> {
    let host = address.host().trim_matches(['[', ']']);
    let found = tokio::net::lookup_host((host, address.port())).await;
    let found = found.map_err(|error| {
        AccessError::Unknown {
            url: host.to_owned(),
            reason: error.to_string(),
        }
        .to_string()
    })?;
    let all: Vec<String> = found.map(|address| address.ip().to_string()).collect();
    Ok(format!("{host} is {}", all.join(", ")))
}

async fn reached(address: &ServerAddr, url: &str) -> Result<String, String> {
    let host = address.host().trim_matches(['[', ']']);
    match timeout(REACH, TcpStream::connect((host, address.port()))).await {
        Ok(Ok(_)) => Ok(format!("something listens at port {}", address.port())),
        Ok(Err(error)) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
            Err(AccessError::Refused(url.to_owned()).to_string())
        }
        Ok(Err(error)) => Err(format!("{url}: {error}: is there a route to that machine?")),
        Err(_) => Err(AccessError::Silent(url.to_owned()).to_string()),
    }
}

fn connected(client: &Client, access: &Access, address: &ServerAddr) -> String {
    let encrypted = if address.tls_required() {
        "encrypted"
    } else {
        "not encrypted"
    };
    let proved = if access.credentials.is_some() {
        "accepted"
    } else {
        "without credentials"
    };
    let version = client.server_info().version;
    let version: String = version.chars().take(32).collect();
    format!(
        "nats-server {}, {encrypted}, {proved}",
        version.escape_debug()
    )
}

/// Subscribes to what this end hears, and waits until the server has said what it refuses.
async fn subscribed(client: &Client, access: &Access, role: Role) -> Result<(), String> {
    let own = format!("{}.>", inbox(&access.name));
    let heard = match role {
        Role::Course => all_requests(&access.name),
        Role::Worker => ALL_NEWS.to_owned(),
    };
    let mut kept = Vec::new();
    for subject in [own, heard] {
        let subscribed = client.subscribe(subject).await;
        kept.push(subscribed.map_err(|error| error.to_string())?);
    }
    // Whatever the answer to an allowed question is, it comes after what is refused.
    let question = match role {
        Role::Course => format!("$JS.API.STREAM.INFO.{}", stream(&access.name)),
        Role::Worker => direct_get(&access.name, &blob(&access.name, &digest(TRIED), 0)),
    };
    let _ = timeout(REACH, client.request(question, "".into())).await;
    // The library hands errors to another task.
    tokio::time::sleep(EVENTS).await;
    Ok(())
}

fn refused(refusal: &str) -> String {
    format!(
        "the server refuses what is needed ({}): write its configuration with `verdictd cluster`, and have the server read it again",
        refusal.escape_debug()
    )
}

async fn round_trip(client: &Client, course: &Name, keep_bytes: u64) -> Result<String, String> {
    let blobs = Blobs::new(client, course, keep_bytes);
    blobs.open().await.map_err(|error| error.to_string())?;
    let name = digest(TRIED);
    let put = blobs.put(&name, TRIED).await;
    put.map_err(|error| error.to_string())?;
    match get(client, course, &name, TRIED.len() as u64).await {
        Ok(Some(_)) => Ok("kept by the server and fetched again".to_owned()),
        Ok(None) => Err("the server keeps bytes and does not give them back: is its version 2.9 or newer, and may this course fetch them?".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Who asks something of the course within some seconds.
async fn workers(client: &Client, course: &Name) -> String {
    let heard = others(client, all_requests(course), |subject| {
        parse_request(subject).map(|(worker, _)| worker)
    });
    match heard.await {
        none if none.is_empty() => {
            "none within 5 seconds (they speak to a daemon that runs: `verdictd serve`)".to_owned()
        }
        some => listed(some.iter().map(Name::as_str), NAMED_MAX),
    }
}

/// The courses that say something within some seconds.
async fn courses(client: &Client) -> BTreeSet<Name> {
    others(client, ALL_NEWS.to_owned(), course_of_news).await
}

/// Which courses a worker hears, and whether they hear it.
async fn daemons(
    client: &Client,
    worker: &Name,
    step: &mut impl FnMut(&'static str, Result<String, String>) -> bool,
) {
    let courses = courses(client).await;
    let heard = if courses.is_empty() {
        "none within 5 seconds (does `verdictd serve` run, with this server in its config.toml, and is this worker for that course?)".to_owned()
    } else {
        listed(courses.iter().map(Name::as_str), NAMED_MAX)
    };
    step("courses", Ok(heard));
    for course in courses {
        if !step("daemon", answered(client, worker, &course).await) {
            return;
        }
    }
}

/// Whether a course's daemon answers this worker. It is asked for work in the name of a process that
/// it does not know, and gives none.
async fn answered(client: &Client, worker: &Name, course: &Name) -> Result<String, String> {
    let ask = Ask {
        worker: Id("doctor".to_owned()),
        takes_idle: false,
    };
    let ask = wire::write(&ask, &[]).map_err(|error| error.to_string())?;
    let asked = client.request(request(worker, course, Kind::Ask), ask.into());
    match timeout(REACH, asked).await {
        Ok(Ok(_)) => Ok(format!("{course} answers")),
        Ok(Err(_)) | Err(_) => Err(format!(
            "{course} is heard, and does not hear this worker: have the server read its configuration again (`systemctl reload nats-server`)"
        )),
    }
}

async fn others(
    client: &Client,
    subject: String,
    name: impl Fn(&str) -> Option<Name>,
) -> BTreeSet<Name> {
    let mut found = BTreeSet::new();
    if let Ok(mut messages) = client.subscribe(subject).await {
        let listen = async {
            while let Some(message) = messages.next().await {
                if found.len() < NAMED_MAX {
                    found.extend(name(&message.subject));
                }
            }
        };
        let _ = timeout(LISTEN, listen).await;
    }
    found
}
