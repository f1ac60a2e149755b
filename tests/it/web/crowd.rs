//! A dashboard that is full of connections while the daemon has few descriptors.

use std::io::Write as _;
use std::net::{SocketAddr, TcpStream};
use std::process::Command;

use crate::place::{Place, wait_until};
use crate::programs;

use super::client::{addresses, connect, get};

/// Descriptors of the daemon: grading by two workers needs most of them.
const DESCRIPTORS: &str = "768";
/// Connections to each port: together with what the daemon has open, more than that.
const CONNECTIONS: usize = 250;

/// Half a request.
fn half_open(to: SocketAddr) -> TcpStream {
    let mut stream = connect(to);
    // One too many may be closed already.
    let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: loc");
    stream
}

/// Whether the connection was refused at once.
fn is_refused(stream: &TcpStream) -> bool {
    let mut answer = [0; 12];
    stream.set_nonblocking(true).unwrap();
    match stream.peek(&mut answer) {
        Ok(length) => length == 0 || answer.starts_with(b"HTTP/1.1 503"),
        Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
    }
}

#[test]
fn connections_never_take_the_descriptors_that_grading_needs() {
    let place = Place::new().only(&["lua"]).with_staff("");
    place.configure("[judge]\nworkers = 2\n");
    let serve = place.command(&["serve"]);
    let mut limited = Command::new("prlimit");
    limited
        .arg(format!("--nofile={DESCRIPTORS}"))
        .arg(serve.get_program())
        .args(serve.get_args())
        .env_remove("RUST_LOG");
    let daemon = Place::started(limited);
    let (students, staff) = addresses(&daemon);
    let held: Vec<TcpStream> = [students, staff.unwrap()]
        .into_iter()
        .flat_map(|to| (0..CONNECTIONS).map(move |_| half_open(to)))
        .collect();
    wait_until("most of them to be refused", || {
        held.iter().filter(|stream| is_refused(stream)).count() > CONNECTIONS
    });
    // Some are served, and stay.
    assert!(held.iter().any(|stream| !is_refused(stream)));
    for number in 0..4 {
        let text = format!("{}-- {number}\n", programs::LUA);
        place.write(&format!("submissions/s{number}/sum.lua"), text);
    }
    for number in 0..4 {
        assert_eq!(place.wait_for(&format!("s{number}/sum/1")), "AC");
    }
    drop(held);
    wait_until("a place", || get(students, "/healthz").status == 200);
    let ended = daemon.stop();
    assert_eq!(ended.code, Some(0));
    let failed: Vec<&String> = ended
        .said
        .iter()
        .filter(|line| line.contains("open files") || line.contains("fault"))
        .collect();
    assert!(failed.is_empty(), "{failed:#?}");
}
