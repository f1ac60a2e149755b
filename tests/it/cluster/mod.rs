//! Workers on other machines, with Debian's own NATS server between them.

mod access;
mod blobs;
mod folder;
mod proxy;
mod scenarios;
mod searches;
mod secure;
mod server;
mod shown;
mod stage;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use proxy::Proxy;
use server::Server;

use crate::place::PATIENCE;

/// Runs what talks to a server.
fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(future)
}

/// The first line that a server says.
fn greeting(port: u16) -> std::io::Result<String> {
    let stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line)?;
    Ok(line)
}

#[test]
fn a_server_comes_back_at_its_port() {
    let Some(mut server) = Server::start("") else {
        return;
    };
    let greets = |server: &Server| greeting(server.port()).unwrap().starts_with("INFO {");
    assert!(greets(&server));
    server.kill();
    assert!(greeting(server.port()).is_err());
    server.restart();
    assert!(greets(&server));
    server.empty();
    assert!(greets(&server));
}

#[test]
fn a_proxy_delays_freezes_and_cuts() {
    let Some(server) = Server::start("") else {
        return;
    };
    let proxy = Proxy::to(server.port());
    proxy.delay(Duration::from_millis(1));
    assert!(greeting(proxy.port()).unwrap().starts_with("INFO {"));

    proxy.freeze();
    let mut stream = TcpStream::connect(("127.0.0.1", proxy.port())).unwrap();
    let briefly = Duration::from_millis(100);
    stream.set_read_timeout(Some(briefly)).unwrap();
    stream.write_all(b"PING\r\n").unwrap();
    let mut byte = [0];
    assert!(stream.read(&mut byte).is_err(), "nothing comes through");
    proxy.thaw();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    assert_eq!(stream.read(&mut byte).unwrap(), 1);

    proxy.cut();
    while stream.read(&mut byte).is_ok_and(|length| length > 0) {}
    assert!(!greeting(proxy.port()).is_ok_and(|line| line.starts_with("INFO")));
    proxy.restore();
    assert!(greeting(proxy.port()).unwrap().starts_with("INFO {"));
}
