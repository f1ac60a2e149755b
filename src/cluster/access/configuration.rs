//! The server's configuration, from who may connect.
//!
//! Each course and each worker has an account of its own, because permissions alone do not hold: a
//! worker that asks the server for bytes names the subject of the answer, the server sends it as
//! itself, and so a worker could write to any subject of its account: facts as another worker, or
//! the order to delete a stream. An account has no subjects but those that it is given. So a
//! worker's answers reach nobody but itself, whatever it names, and a course cannot touch another
//! one.

use std::fmt::Write as _;
use std::path::Path;

use super::members::{Members, Worker};
use crate::cluster::subjects::{
    ALL_DIRECT_GETS, ALL_NEWS, Name, all_blobs, all_requests, direct_get, inbox, news, requests_of,
    stream,
};

/// Files of the server, in the folder of its configuration.
pub(super) const CERTIFICATE: &str = "server.pem";
pub(super) const KEY: &str = "server.key";
pub(super) const STORE: &str = "jetstream";

/// What the server may keep of all courses. A course says itself how much it needs.
const STORE_GB: u32 = 32;
/// Answers of a course to requests that came from other accounts.
const ANSWERS: &str = "_R_.>";
/// What a course asks of the server about its stream.
const STREAM_CALLS: [&str; 3] = ["CREATE", "UPDATE", "INFO"];

/// The configuration. The folder is where its other files are.
pub(super) fn text(members: &Members, folder: &Path) -> String {
    let file = |name: &str| quoted(&folder.join(name).to_string_lossy());
    let mut text = format!(
        "# Written by `verdictd cluster` from cluster.toml; changes here are lost with its next call.\n\
         host: {}\n\
         port: {}\n\
         jetstream {{\n  store_dir: {}\n  max_file: {STORE_GB}GB\n}}\n\
         tls {{\n  cert_file: {}\n  key_file: {}\n  timeout: 5\n}}\n\
         max_payload: 1MB\n\
         # A connection needs a handful.\n\
         max_subscriptions: 1000\n\
         # Whoever is silent for this long is cut off, so that a frozen machine holds nothing.\n\
         ping_interval: \"10s\"\n\
         ping_max: 2\n\
         accounts {{\n",
        quoted(&members.listen.to_string()),
        members.port,
        file(STORE),
        file(CERTIFICATE),
        file(KEY)
    );
    let names = members.courses.iter();
    let courses: Vec<(Name, &str)> = names
        .filter_map(|(name, course)| Some((Name::new(name)?, course.key.as_str())))
        .collect();
    for (course, key) in &courses {
        write_course(&mut text, course, key);
    }
    for (name, worker) in &members.workers {
        if let Some(name) = Name::new(name) {
            write_worker(&mut text, &name, worker, &courses);
        }
    }
    for spare in members.spare_accounts() {
        let _ = writeln!(text, "  {}: {{ }}", quoted(&spare));
    }
    text.push_str("}\n");
    text
}

fn write_course(text: &mut String, course: &Name, key: &str) {
    let calls = STREAM_CALLS.map(|call| format!("$JS.API.STREAM.{call}.{}", stream(course)));
    let mut publish = vec![news(course), all_blobs(course), ANSWERS.to_owned()];
    publish.extend(calls);
    // `doctor` fetches what it put.
    publish.push(direct_get(course, &all_blobs(course)));
    // A daemon hears its own news, and so that of another one with its name.
    let subscribe = [all_requests(course), news(course), own_inbox(course)];
    let _ = write!(
        text,
        "  {}: {{\n    jetstream: enabled\n    users: [{}]\n    exports: [\n      {{ stream: {} }}\n      {{ service: {} }}\n      {{ service: {} }}\n    ]\n  }}\n",
        quoted(&format!("course-{course}")),
        user(key, &publish, &subscribe),
        quoted(&news(course)),
        quoted(&all_requests(course)),
        quoted(&direct_get(course, &all_blobs(course))),
    );
}

fn write_worker(text: &mut String, name: &Name, worker: &Worker, courses: &[(Name, &str)]) {
    let publish = [requests_of(name), ALL_DIRECT_GETS.to_owned()];
    let subscribe = [ALL_NEWS.to_owned(), own_inbox(name)];
    let _ = write!(
        text,
        "  {}: {{\n    users: [{}]\n    imports: [\n",
        quoted(&Members::account(name, worker)),
        user(&worker.key, &publish, &subscribe)
    );
    let is_for = |course: &Name| {
        let chosen = worker.courses.as_ref();
        chosen.is_none_or(|chosen| chosen.iter().any(|one| one == course.as_str()))
    };
    for (course, _) in courses.iter().filter(|(course, _)| is_for(course)) {
        let account = quoted(&format!("course-{course}"));
        let requests = all_requests(course).replacen('*', name.as_str(), 1);
        let _ = writeln!(
            text,
            "      {{ stream: {{ account: {account}, subject: {} }} }}\n      {{ service: {{ account: {account}, subject: {} }} }}\n      {{ service: {{ account: {account}, subject: {} }} }}",
            quoted(&news(course)),
            quoted(&requests),
            quoted(&direct_get(course, &all_blobs(course))),
        );
    }
    text.push_str("    ]\n  }\n");
}

fn user(key: &str, publish: &[String], subscribe: &[String]) -> String {
    format!(
        "{{ nkey: {key}, permissions: {{\n      publish: {{ allow: [{}] }}\n      subscribe: {{ allow: [{}] }}\n    }} }}",
        list(publish),
        list(subscribe)
    )
}

fn own_inbox(name: &Name) -> String {
    format!("{}.>", inbox(name))
}

fn list(subjects: &[String]) -> String {
    let quoted: Vec<String> = subjects.iter().map(|subject| quoted(subject)).collect();
    quoted.join(", ")
}

/// A string of the configuration's language. Nothing that is written there has quotes but a folder.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
