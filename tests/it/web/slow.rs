//! Clients that are slow, come in crowds, and vanish without closing; and a daemon that is not
//! healthy.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

use crate::place::{Daemon, Place, bearer, rounds, wait_until};
use crate::programs;

use super::client::{Stream, addresses, connect, get, get_with};

/// The most listeners of one view.
const LISTENERS: usize = 256;
/// Threads that read the store for a dashboard, and connections to the store that are kept for
/// them.
const KEPT_READERS: usize = 2;

fn place_with_staff() -> Place {
    let place = Place::new().only(&["lua"]);
    place.with_staff("public = \"reports\"")
}

/// Whether the server has closed or reset the connection.
fn is_closed(stream: &mut TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let mut rest = [0; 4_096];
    loop {
        match stream.read(&mut rest) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return error.kind() != std::io::ErrorKind::WouldBlock,
        }
    }
}

#[test]
fn clients_that_do_not_finish_a_request_or_read_the_response_are_dropped() {
    let place = place_with_staff();
    place.write("submissions/alpha/sum.lua", programs::LUA);
    let mut command = place.command(&["serve"]);
    command.env("VERDICTD_WEB_PATIENCE_MS", "1000");
    let daemon = Place::started(command);
    let (to, _) = addresses(&daemon);
    place.wait_for("alpha/sum/1");
    // More than the two sockets' buffers hold, so that the server has to wait for its reader.
    let page = "reports/alpha/sum/1.txt";
    place.read(page);
    place.write(page, "x".repeat(24 * 1024 * 1024));
    assert_eq!(get(to, &format!("/{page}")).status, 200);

    let mut silent = connect(to);
    let mut half = connect(to);
    half.write_all(b"GET / HTTP/1.1\r\nHost: loc").unwrap();
    let mut listener = Stream::open(to, "/events", "");
    let connections = open_sockets(&daemon);
    let mut reader = connect(to);
    let request = format!("GET /{page} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    reader.write_all(request.as_bytes()).unwrap();
    let both = || is_closed(&mut silent) && is_closed(&mut half);
    wait_until("both to be closed", both);
    let is_given_up = || open_sockets(&daemon) + 2 <= connections;
    wait_until("the reader to be given up", is_given_up);
    let mut taken = Vec::new();
    let cut = reader.read_to_end(&mut taken);
    let length = taken.len();
    assert!(cut.is_err() || length < 24 * 1024 * 1024, "{length}");
    // A stream of events has no end, and does not count as a slow response.
    place.write("submissions/beta/sum.lua", "print(7)\n");
    while !get(to, "/").body.contains("beta") {
        listener.next_change();
    }
    assert_eq!(daemon.stop().code, Some(0));
}

/// The daemon's descriptors that are sockets.
fn open_sockets(daemon: &Daemon) -> usize {
    let all = fs::read_dir(format!("/proc/{}/fd", daemon.pid())).unwrap();
    all.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok())
        .filter(|target| target.to_string_lossy().starts_with("socket:"))
        .count()
}

/// How many descriptors and threads a daemon has.
fn held(daemon: &Daemon) -> [usize; 2] {
    let count = |what| fs::read_dir(format!("/proc/{}/{what}", daemon.pid())).unwrap();
    ["fd", "task"].map(|what| count(what).count())
}

/// Whether a daemon has no more than before, beyond what the dashboard makes when two requests happen
/// to read the store at once, and keeps: for each reader a thread, the store and its log.
fn is_clean(before: [usize; 2], daemon: &Daemon) -> bool {
    let now = held(daemon);
    now[0] <= before[0] + 2 * KEPT_READERS && now[1] <= before[1] + KEPT_READERS
}

/// The most listeners allowed, one more, and a crowd that disconnects in the middle of its
/// requests.
fn crowd(students: SocketAddr, staff: SocketAddr) {
    let open = |_| Stream::open(students, "/events", "");
    let streams: Vec<Stream> = (0..LISTENERS).map(open).collect();
    // Only the first line, because an accepted stream has no end.
    let mut more = connect(students);
    let request = b"GET /events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    more.write_all(request).unwrap();
    let mut status = [0; 12];
    more.read_exact(&mut status).unwrap();
    assert_eq!(&status, b"HTTP/1.1 503");
    let mut rest = String::new();
    more.read_to_string(&mut rest).unwrap();
    assert!(rest.to_lowercase().contains("retry-after: "), "{rest}");
    // The other view's listeners are counted separately, and everything else works.
    let bearer = bearer();
    drop(Stream::open(staff, "/events", &bearer));
    assert_eq!(get(students, "/").status, 200);
    let mut gone: Vec<TcpStream> = (0..50).map(|_| connect(students)).collect();
    for (number, stream) in gone.iter_mut().enumerate() {
        let request = b"GET /reports/alpha/sum/1.txt HTTP/1.1\r\nHost: localhost\r\n\r\n";
        stream.write_all(&request[..=number]).unwrap();
    }
    drop(gone);
    drop(streams);
    let figures = || get_with(staff, "/metrics", &bearer).body;
    let has_none = || figures().contains("verdictd_listeners 0\n");
    wait_until("a place for a listener", has_none);
}

#[test]
fn clients_that_come_and_go_leave_nothing_behind() {
    let place = place_with_staff();
    place.write("submissions/alpha/sum.lua", programs::LUA);
    let daemon = place.daemon();
    let (students, staff) = addresses(&daemon);
    let staff = staff.unwrap();
    place.wait_for("alpha/sum/1");
    // The work after a verdict opens files of its own; the feed is written last.
    place.read("staff/event-feed.ndjson");
    // The first crowd causes everything that is made only once.
    crowd(students, staff);
    let before = held(&daemon);
    // A leak of one resource per client exceeds what may be kept.
    for _ in 0..rounds(KEPT_READERS + 1, 100) {
        crowd(students, staff);
    }
    wait_until("nothing to be left", || is_clean(before, &daemon));
    assert_eq!(daemon.stop().code, Some(0));
}
