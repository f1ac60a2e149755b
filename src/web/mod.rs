//! The dashboard: pages in the browser that show what the daemon does, and change nothing.
//!
//! It looks on from a thread of its own, through a [`View`](crate::daemon::View): what fails here
//! never stops grading.
//! There are two views on two ports. The students' tells who, what and which verdict; the staff's
//! tells everything, to those who have the token.

mod answer;
mod body;
mod files;
mod gate;
mod help;
mod links;
mod listener;
mod live;
mod metrics;
mod news;
mod now;
mod pages;
mod projector;
mod routes;
mod serve;
mod state;
mod token;

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::watch;

use self::listener::{WebError, listeners};
use self::serve::told_to_stop;
use self::state::{AppState, Dashboard};
use crate::config::Config;
use crate::daemon::View;
use crate::report::Audience;
use crate::sandbox;
use crate::util::descriptors;

pub use listener::Sockets;

/// How far the thread steps back behind those that grade.
const NICENESS: i32 = 10;
/// How long connections may take to end.
const DRAIN: Duration = Duration::from_secs(1);
/// How long what reads the store or a file may take to end after that.
const LAST_READS: Duration = Duration::from_millis(500);
/// Threads that read the store and files, beside the one that has the connections.
const READERS_MAX: usize = 2;

/// The dashboard, while it runs.
pub struct Web {
    stop: watch::Sender<bool>,
    thread: JoinHandle<()>,
}

/// What came of starting it.
#[derive(Default)]
pub struct Started {
    /// None where there is no view at all.
    pub web: Option<Web>,
    /// Where each view is.
    pub addresses: Vec<(Audience, SocketAddr)>,
    /// Why something is missing.
    pub missing: Vec<WebError>,
}

/// Connections of one view at a time; one more is told to come back.
const CONNECTIONS_MAX: usize = 512;

/// How many connections each of the views may have, so that grading by these workers never lacks a
/// descriptor.
fn connections_of_each(views: usize, workers: usize) -> Result<usize, WebError> {
    let limit = descriptors::limit();
    let needed = sandbox::descriptors_needed(limit, workers);
    match descriptors::connections(limit, needed) / views.max(1) {
        0 => Err(WebError::Descriptors { limit, needed }),
        each => Ok(each.min(CONNECTIONS_MAX)),
    }
}

/// Starts the views that config.toml asks for and that can be had, on the sockets that are there
/// already where it names the same addresses.
pub fn start(config: &Config, view: View, sockets: &mut Sockets) -> Started {
    let mut started = Started::default();
    if let Err(error) = begin(config, view, sockets, &mut started) {
        started.addresses.clear();
        started.missing.push(error);
    }
    sockets.keep_served(&started.addresses);
    started
}

fn begin(
    config: &Config,
    view: View,
    sockets: &mut Sockets,
    started: &mut Started,
) -> Result<(), WebError> {
    let wanted = listeners(&config.web);
    sockets.keep(&wanted);
    if wanted.is_empty() {
        return Ok(());
    }
    let connections = connections_of_each(wanted.len(), config.judge.workers.places())?;
    let (stop, stopped) = watch::channel(false);
    let state = Arc::new(AppState::new(view, stopped));
    let mut dashboards = Vec::new();
    for listener in wanted {
        let opened = listener.and_then(|listener| sockets.open(listener));
        let opened = opened.and_then(|(socket, address, listener)| {
            let dashboard = Dashboard::new(listener, config, Arc::clone(&state))?;
            Ok((socket, address, dashboard))
        });
        match opened {
            Ok((socket, address, dashboard)) => {
                started.addresses.push((dashboard.audience, address));
                dashboards.push((socket, dashboard));
            }
            Err(error) => started.missing.push(error),
        }
    }
    if dashboards.is_empty() {
        return Ok(());
    }
    let thread = std::thread::Builder::new()
        .name("web".to_owned())
        .spawn(move || run(dashboards, &state, connections))
        .map_err(WebError::Start)?;
    started.web = Some(Web { stop, thread });
    Ok(())
}

impl Web {
    /// Ends every connection; takes a second or two at most.
    pub fn stop(self) {
        self.stop.send_replace(true);
        // A thread that failed has said so by the panic's own message.
        let _ = self.thread.join();
    }
}

fn run(dashboards: Vec<(TcpListener, Dashboard)>, state: &AppState, connections: usize) {
    // Where this is not allowed, pages are made as quickly as anything.
    let _ = rustix::process::setpriority_process(None, NICENESS);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(READERS_MAX)
        .build();
    let failed = |error: &_| tracing::error!(%error, "cannot start the dashboard's runtime");
    let Ok(runtime) = runtime.inspect_err(failed) else {
        return;
    };
    runtime.block_on(async {
        let mut ends = Vec::new();
        for (listener, dashboard) in dashboards {
            match tokio::net::TcpListener::from_std(listener) {
                Ok(listener) => {
                    let router = routes::router(Arc::new(dashboard));
                    let serve = serve::serve(listener, router, connections, state.stop.clone());
                    ends.push(tokio::spawn(serve));
                }
                Err(error) => tracing::error!(%error, "cannot listen on the dashboard's socket"),
            }
        }
        told_to_stop(state.stop.clone()).await;
        let drained = async {
            for end in ends {
                let _ = end.await;
            }
        };
        let _ = tokio::time::timeout(DRAIN, drained).await;
    });
    runtime.shutdown_timeout(LAST_READS);
    state.close();
}

/// What tests share.
#[cfg(test)]
mod tests {
    pub mod sample;
}
