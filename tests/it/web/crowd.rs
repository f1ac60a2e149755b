//! A dashboard that is full of connections while the daemon has few descriptors.

use std::io::Write as _;
use std::net::{SocketAddr, TcpStream};
use std::process::Command;

use crate::place::{Place, binary, wait_until};
use crate::programs;

use super::client::{addresses, connect, get};

/// Descriptors of the daemon: grading by two workers needs most of them.
const DESCRIPTORS: &str = "512";
/// Connections to each port: together with what the daemon has open, more than that.
const CONNECTIONS: usize = 250;

/// The place's daemon with this limit, which it may not raise.
fn limited(place: &Place, descriptors: &str) -> Command {
    let mut command = Command::new("sh");
    command
        .args([
            "-c",
            "ulimit -n \"$0\" && exec \"$@\"",
            descriptors,
            binary(),
        ])
        .arg("--config")
        .arg(place.path("config.toml"))
        .arg("serve")
        .current_dir(place.path(""))
        .env_remove("RUST_LOG");
    command
}

fn crowded_place() -> Place {
    let place = Place::new().only(&["python3"]).with_staff("");
    let text = place.read("config.toml") + "[judge]\nworkers = 2\n";
    place.write("config.toml", text);
    place
}

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
    let place = crowded_place();
    let daemon = Place::started(limited(&place, DESCRIPTORS));
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
        let text = format!("{}# {number}\n", programs::PYTHON);
        place.write(&format!("submissions/s{number}/sum.py"), text);
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

#[test]
fn if_grading_needs_all_descriptors_there_is_no_dashboard_and_it_says_so() {
    let place = crowded_place();
    let daemon = Place::started(limited(&place, "256"));
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    assert_eq!(place.wait_for("alpha/sum/1"), "AC");
    let said = &mut Vec::new();
    said.extend(daemon.before.clone());
    assert!(
        !said.iter().any(|line| line.contains("watch at")),
        "{said:#?}"
    );
    let ended = daemon.stop();
    assert_eq!(ended.code, Some(0));
    said.extend(ended.said);
    let told = said
        .iter()
        .filter(|line| line.contains("the limit of open files is 256"));
    assert_eq!(told.count(), 1, "{said:#?}");
}
