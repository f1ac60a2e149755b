//! A small HTTP client: it sends exactly what a test says, even what no browser would.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

use crate::place::{Daemon, PATIENCE, Place, wait_until};

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// Its headers, the names in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

impl Answer {
    /// A header; empty if there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

/// The addresses that a daemon has printed: the students' view, and the staff's if there is one.
pub fn addresses(daemon: &Daemon) -> (SocketAddr, Option<SocketAddr>) {
    let after = |words: &str| {
        let mut lines = daemon.before.iter();
        let rest = lines.find_map(|line| line.strip_prefix(words))?;
        Some(rest.split('/').next().unwrap().parse().unwrap())
    };
    let students = after("watch at http://");
    let students = students.unwrap_or_else(|| panic!("no address: {:?}", daemon.before));
    (students, after("staff watch at http://"))
}

/// Starts a daemon; where students watch it.
pub fn watched(place: &Place) -> (Daemon, SocketAddr) {
    let daemon = place.daemon();
    let (to, _) = addresses(&daemon);
    (daemon, to)
}

pub fn connect(to: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(to).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Sends these bytes, and reads until the server closes the connection.
pub fn send(to: SocketAddr, request: impl AsRef<[u8]>) -> Answer {
    let mut stream = connect(to);
    // The server may have answered and closed before it has read everything.
    let _ = stream.write_all(request.as_ref());
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1));
    Answer {
        status: status.and_then(|status| status.parse().ok()).unwrap_or(0),
        headers: lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect(),
        body: body.to_owned(),
    }
}

/// The text of a request; `more` are further headers, each with its line end.
fn request(method: &str, target: &str, more: &str) -> String {
    format!("{method} {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{more}\r\n")
}

/// Waits until a page has these words.
pub fn shows(to: SocketAddr, target: &str, words: &str) {
    let has = || get(to, target).body.contains(words);
    wait_until(&format!("{words} at {target}"), has);
}

pub fn get(to: SocketAddr, target: &str) -> Answer {
    send(to, request("GET", target, ""))
}

pub fn get_with(to: SocketAddr, target: &str, more: &str) -> Answer {
    send(to, request("GET", target, more))
}

pub fn ask(to: SocketAddr, method: &str, target: &str) -> Answer {
    send(to, request(method, target, ""))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its type.
    pub kind: String,
    /// Its number, if it has one.
    pub id: Option<i64>,
    /// Its data.
    pub data: String,
}

pub struct Stream {
    lines: std::io::Lines<BufReader<TcpStream>>,
}

impl Stream {
    /// Opens a stream and waits for the response's head.
    pub fn open(to: SocketAddr, target: &str, more: &str) -> Self {
        let mut stream = connect(to);
        // In HTTP/1.0 the body is not chunked.
        let text = format!("GET {target} HTTP/1.0\r\nHost: localhost\r\n{more}\r\n");
        stream.write_all(text.as_bytes()).unwrap();
        let mut lines = BufReader::new(stream).lines();
        let first = lines.next().unwrap().unwrap();
        assert!(first.contains(" 200 "), "{first}");
        for line in lines.by_ref() {
            if line.unwrap().is_empty() {
                break;
            }
        }
        Self { lines }
    }

    /// The next event; `None` when the stream has ended.
    pub fn next(&mut self) -> Option<Event> {
        let mut event = Event {
            kind: String::new(),
            id: None,
            data: String::new(),
        };
        for line in self.lines.by_ref() {
            let line = line.ok()?;
            match line.split_once(": ") {
                Some(("event", kind)) => kind.clone_into(&mut event.kind),
                Some(("id", id)) => event.id = Some(id.parse().unwrap()),
                Some(("data", data)) => event.data += data,
                _ if line.is_empty() && !event.kind.is_empty() => return Some(event),
                _ => {}
            }
        }
        None
    }

    /// Waits until it tells that something has changed, be it what goes on now alone.
    pub fn next_news(&mut self) -> Event {
        let event = self.next().expect("the stream goes on");
        assert!(["changed", "now"].contains(&&*event.kind), "{event:?}");
        assert_eq!(event.kind, event.data);
        event
    }

    /// Waits until it tells that the pages have changed.
    pub fn next_change(&mut self) -> Event {
        loop {
            let event = self.next_news();
            if event.kind == "changed" {
                return event;
            }
        }
    }
}
