//! `verdictd doctor --cluster`: each step of a connection in turn, so that the first one that fails
//! says what is wrong.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_nats::{Client, Event, ServerAddr, ServerError};
use futures_util::StreamExt as _;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::connect::{
    Access, AccessError, NO_ANSWER, NO_DAEMON, NOTHING_LISTENS, connect_and_hear, unknown_host,
};
use super::credentials::Role;
use crate::cluster::blobs::{Blobs, get};
use crate::cluster::subjects::{
    ALL_NEWS, Kind, Name, all_requests, blob, course_of_news, direct_get, inbox, parse_request,
    request, stream,
};
use crate::cluster::wire::{self, Id, Take};
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

/// What the server has said that it refuses.
type Refusals = Arc<Mutex<BTreeSet<String>>>;

/// What came of a step.
pub struct Finding {
    /// What was tried.
    pub step: &'static str,
    /// What came out, or what is wrong and the way out.
    pub found: Result<String, String>,
}

/// What came out, in words and for the next steps; or what is wrong and the way out.
type Found<T> = Result<(String, T), String>;

/// Tells each step as it is done.
struct Doctor<'a> {
    access: &'a Access,
    role: Role,
    tell: &'a mut dyn FnMut(Finding),
}

/// Tries everything that a course or a worker needs of the server, up to the first step that fails.
/// It answers no worker, so a daemon may run meanwhile.
pub async fn examine(access: &Access, role: Role, keep_bytes: u64, tell: &mut dyn FnMut(Finding)) {
    let mut doctor = Doctor { access, role, tell };
    // Where it has ended is told.
    let _ = doctor.examine(keep_bytes).await;
}

impl Doctor<'_> {
    async fn examine(&mut self, keep_bytes: u64) -> Option<()> {
        let (name, address) = (&self.access.name, self.address());
        let address = self.step("address", address)?;
        self.step("name", resolved(&address).await)?;
        self.step("network", self.reached(&address).await)?;
        let connected = self.connected(&address).await;
        let (client, refusals) = self.step("connection", connected)?;
        let allowed = self.allowed(&client, &refusals).await;
        self.step("permissions", allowed)?;
        if self.role == Role::Course {
            self.step("bytes", round_trip(&client, name, keep_bytes).await)?;
            let of_request = |subject: &str| Some(parse_request(subject)?.0);
            let workers = others(&client, all_requests(name), of_request).await;
            return self.step("workers", Ok((named(&workers), ())));
        }
        let courses = others(&client, ALL_NEWS.to_owned(), course_of_news).await;
        self.step("courses", heard(&courses))?;
        for course in courses {
            self.step("daemon", answered(&client, name, &course).await)?;
        }
        Some(())
    }

    fn step<T>(&mut self, step: &'static str, found: Found<T>) -> Option<T> {
        let (found, next) = match found {
            Ok((words, next)) => (Ok(words), Some(next)),
            Err(words) => (Err(words), None),
        };
        (self.tell)(Finding { step, found });
        next
    }

    fn address(&self) -> Found<ServerAddr> {
        let address = self.access.address().map_err(words)?;
        let url = self.access.url().unwrap_or_default();
        let words = format!("{url}, as {} {}", self.role.word(), self.access.name);
        Ok((words, address))
    }

    async fn reached(&self, address: &ServerAddr) -> Found<()> {
        let port = address.port();
        let reason = match timeout(REACH, TcpStream::connect((host(address), port))).await {
            Ok(Ok(_)) => return Ok((format!("something listens at port {port}"), ())),
            Ok(Err(error)) if error.kind() == io::ErrorKind::ConnectionRefused => {
                NOTHING_LISTENS.to_owned()
            }
            Ok(Err(error)) => format!("{error}: is there a route to that machine?"),
            Err(_) => NO_ANSWER.to_owned(),
        };
        let url = self.access.url().unwrap_or_default().to_owned();
        Err(AccessError::There(url, reason).to_string())
    }

    async fn connected(&self, address: &ServerAddr) -> Found<(Client, Refusals)> {
        let refusals = Refusals::default();
        let heard = Arc::clone(&refusals);
        let client = connect_and_hear(self.access, move |event| {
            if let Event::ServerError(ServerError::Other(error)) = event {
                let mut heard = lock(&heard);
                if heard.len() < NAMED_MAX {
                    heard.insert(error.clone());
                }
            }
        });
        let client = client.await.map_err(words)?;
        let encrypted = if address.tls_required() {
            "encrypted"
        } else {
            "not encrypted"
        };
        let proved = match self.access.credentials {
            Some(_) => "accepted",
            None => "without credentials",
        };
        let version: String = client.server_info().version.chars().take(32).collect();
        let version = version.escape_debug();
        let words = format!("nats-server {version}, {encrypted}, {proved}");
        Ok((words, (client, refusals)))
    }

    /// Subscribes to what this end hears, and waits until the server has said what it refuses.
    async fn allowed(&self, client: &Client, refusals: &Refusals) -> Found<()> {
        let name = &self.access.name;
        let (heard, question) = match self.role {
            Role::Course => (
                all_requests(name),
                format!("$JS.API.STREAM.INFO.{}", stream(name)),
            ),
            Role::Worker => (
                ALL_NEWS.to_owned(),
                direct_get(name, &blob(name, &digest(TRIED), 0)),
            ),
        };
        let mut kept = Vec::new();
        for subject in [format!("{}.>", inbox(name)), heard] {
            kept.push(client.subscribe(subject).await.map_err(words)?);
        }
        // Whatever the answer to an allowed question is, it comes after what is refused.
        let _ = timeout(REACH, client.request(question, "".into())).await;
        // The library hands errors to another task.
        tokio::time::sleep(EVENTS).await;
        match lock(refusals).first() {
            None => Ok(("all that it needs".to_owned(), ())),
            Some(refusal) => Err(format!(
                "the server refuses what is needed ({}): write its configuration with `verdictd cluster`, and have the server read it again",
                refusal.escape_debug()
            )),
        }
    }
}

async fn resolved(address: &ServerAddr) -> Found<()> {
    let host = host(address);
    let found = tokio::net::lookup_host((host, address.port())).await;
    let found = found.map_err(|error| format!("{host}: {}", unknown_host(&error.to_string())))?;
    let all: Vec<String> = found.map(|address| address.ip().to_string()).collect();
    Ok((format!("{host} is {}", all.join(", ")), ()))
}

async fn round_trip(client: &Client, course: &Name, keep_bytes: u64) -> Found<()> {
    let blobs = Blobs::new(client, course, keep_bytes);
    let name = digest(TRIED);
    blobs.open().await.map_err(words)?;
    blobs.put(&name, TRIED).await.map_err(words)?;
    match get(client, course, &name, TRIED.len() as u64).await {
        Ok(Some(_)) => Ok(("kept by the server and fetched again".to_owned(), ())),
        Ok(None) => Err("the server keeps bytes and does not give them back: is its version 2.9 or newer, and may this course fetch them?".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Whether a course's daemon answers this worker. It is asked for work in the name of a process that
/// it does not know, and gives none.
async fn answered(client: &Client, worker: &Name, course: &Name) -> Found<()> {
    let take = Take {
        worker: Id("doctor".to_owned()),
        wait_ms: 0,
        takes_idle: false,
    };
    let take = wire::write(&take, &[]).map_err(words)?;
    let asked = client.request(request(worker, course, Kind::Take), take.into());
    match timeout(REACH, asked).await {
        Ok(Ok(_)) => Ok((format!("{course} answers"), ())),
        Ok(Err(_)) | Err(_) => Err(format!(
            "{course} is heard, and does not hear this worker: have the server read its configuration again (`systemctl reload nats-server`)"
        )),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` hands it over")]
fn words<E: ToString>(error: E) -> String {
    error.to_string()
}

fn host(address: &ServerAddr) -> &str {
    address.host().trim_matches(['[', ']'])
}

/// The workers that were heard; they speak to a daemon that runs.
fn named(workers: &BTreeSet<Name>) -> String {
    if workers.is_empty() {
        return "none within 5 seconds (they speak to a daemon that runs: `verdictd serve`)"
            .to_owned();
    }
    listed(workers.iter().map(Name::as_str), NAMED_MAX)
}

/// The courses that were heard: without one there is nothing to do for a worker.
fn heard(courses: &BTreeSet<Name>) -> Found<()> {
    if courses.is_empty() {
        return Err(NO_DAEMON.to_owned());
    }
    Ok((listed(courses.iter().map(Name::as_str), NAMED_MAX), ()))
}

/// Who says something under this subject within some seconds.
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
