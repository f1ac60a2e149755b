//! `verdictd serve`: the daemon in the foreground.

use clap::Args;

use super::live::Live;
use super::prelude::{CliError, Exit, Out};
use crate::config::Config;
use crate::daemon::{self, DaemonError, Mode, Notice, View};
use crate::report::Audience;
use crate::store::StoreError;
use crate::web::{self, Sockets, Web};

/// Watch submissions and judge what arrives (this is the default)
#[derive(Debug, Default, Args)]
pub struct Arguments {
    /// Judge what is there, then exit.
    #[arg(long)]
    once: bool,
    /// Print one JSON object per line on standard output, for each file received or rejected, each
    /// verdict, each hack and each change of a package.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    log_to_stderr();
    let mode = if arguments.once {
        Mode::Once
    } else {
        Mode::Serve
    };
    let mut live = Live::new(out, arguments.json);
    let mut board = None;
    let mut sockets = Sockets::default();
    let summary = daemon::run(config.clone(), mode, &mut |notice| {
        match notice {
            Notice::Started { config, view, .. } if mode == Mode::Serve => {
                board = open_dashboard(config, view, &mut sockets, &mut live);
            }
            Notice::Ending { starts_again } => {
                board.take().into_iter().for_each(Web::stop);
                if !starts_again {
                    sockets = Sockets::default();
                }
            }
            _ => {}
        }
        live.show(notice);
    })
    .map_err(|error| match error {
        DaemonError::Config(error) => CliError::config(error),
        DaemonError::Folder { .. } | DaemonError::Store(StoreError::Archiving { .. }) => {
            CliError::usage(error)
        }
        other => other.into(),
    })?;
    live.show(&Notice::Said("stopped".to_owned()));
    let not_judged = arguments.once
        && (summary.without_verdict > 0
            || summary.faulted > 0
            || summary.intake_failed
            || summary.pages_failed);
    Ok(Exit::Fault.only_if(not_judged || summary.at_once))
}

/// Starts the dashboard and says where it is. If it cannot start, that is said and grading goes on.
fn open_dashboard(
    config: &Config,
    view: &View,
    sockets: &mut Sockets,
    live: &mut Live<'_>,
) -> Option<Web> {
    let started = web::start(config, view.clone(), sockets);
    for error in &started.missing {
        live.say(&format!(
            "the dashboard: {error} (grading continues without it)"
        ));
    }
    for (audience, address) in &started.addresses {
        live.say(&match audience {
            Audience::Student => format!("watch at http://{address}/"),
            Audience::Staff => format!("staff watch at http://{address}/?token=TOKEN"),
        });
    }
    started.web
}

/// The developers' log: silent unless `RUST_LOG` asks for it.
fn log_to_stderr() {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("off"));
    // A second call in one process would find a logger in place, which is just as good.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .try_init();
}
