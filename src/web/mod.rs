//! The dashboard: pages in the browser that show what the daemon does, and change nothing.
//!
//! It looks on from a thread of its own, through a [`View`](crate::daemon::View): what fails here
//! never stops grading.
//! There are two views on two ports. The students' tells who, what and which verdict; the staff's
//! tells everything, to those who have the token.

mod address;
mod answer;
mod body;
mod channel;
mod files;
mod gate;
mod health;
mod host;
mod links;
mod listener;
mod live;
mod machines;
mod metrics;
mod own;
mod pages;
mod projector;
mod routes;
mod rows;
mod serve;
mod state;
mod stop;
mod stream;
mod token;

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::watch;

use crate::config::Config;
use crate::daemon::View;
use crate::report::Audience;
use crate::sandbox;
use crate::util::descriptors;
use listener::{Listener, WebError, listeners};
use state::{AppState, Dashboard};
use stop::told_to_stop;

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

/// Starts the views that config.toml asks for and that can be had, beside this many workers.
pub fn start(config: &Config, view: View, workers: usize) -> Started {
    let mut started = Started {
        web: None,
        addresses: Vec::new(),
        missing: Vec::new(),
    };
    let wanted = listeners(&config.web);
    if wanted.is_empty() {
        return started;
    }
    let connections = match connections_of_each(wanted.len(), workers) {
        Ok(connections) => connections,
        Err(error) => {
            started.missing.push(error);
            return started;
        }
    };
    let state = Arc::new(AppState::new(view));
    let mut dashboards = Vec::new();
    for listener in wanted {
        match listener.and_then(Listener::open) {
            Ok((socket, address, listener)) => {
                let audience = listener.audience;
                match Dashboard::new(listener, config, Arc::clone(&state)) {
                    Ok(dashboard) => {
                        started.addresses.push((audience, address));
                        dashboards.push((socket, dashboard));
                    }
                    Err(error) => started.missing.push(error),
                }
            }
            Err(error) => started.missing.push(error),
        }
    }
    if dashboards.is_empty() {
        return started;
    }
    let (stop, stopped) = watch::channel(false);
    let thread = std::thread::Builder::new()
        .name("web".to_owned())
        .spawn(move || run(dashboards, &state, connections, stopped));
    match thread {
        Ok(thread) => started.web = Some(Web { stop, thread }),
        Err(error) => {
            started.addresses.clear();
            started.missing.push(WebError::Start(error));
        }
    }
    started
}

impl Web {
    /// Ends every connection; takes a second or two at most.
    pub fn stop(self) {
        self.stop.send_replace(true);
        // A thread that failed has said so by the panic's own message.
        let _ = self.thread.join();
    }
}

fn run(
    dashboards: Vec<(TcpListener, Dashboard)>,
    state: &Arc<AppState>,
    connections: usize,
    stopped: watch::Receiver<bool>,
) {
    // Where this is not allowed, pages are made as quickly as anything.
    let _ = rustix::process::setpriority_process(None, NICENESS);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(READERS_MAX)
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            tracing::error!(%error, "the dashboard's runtime");
            return;
        }
    };
    runtime.block_on(async {
        let mut ends = Vec::new();
        for (listener, dashboard) in dashboards {
            let dashboard = Arc::new(dashboard);
            tokio::spawn(live::keep(Arc::clone(&dashboard), stopped.clone()));
            match tokio::net::TcpListener::from_std(listener) {
                Ok(listener) => {
                    let router = routes::router(dashboard, stopped.clone());
                    let serve = serve::serve(listener, router, connections, stopped.clone());
                    ends.push(tokio::spawn(serve));
                }
                Err(error) => tracing::error!(%error, "the dashboard's socket"),
            }
        }
        told_to_stop(stopped).await;
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
