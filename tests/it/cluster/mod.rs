//! Workers on other machines, with Debian's own NATS server between them.

mod access;
mod folder;
mod proxy;
mod scenarios;
mod secure;
mod server;
mod shown;
mod stage;

/// Runs what talks to a server.
fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(future)
}
