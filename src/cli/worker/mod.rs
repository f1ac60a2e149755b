//! `verdictd worker`: carries out orders without a store, problems or submissions, from standard
//! input or from courses on other machines; and how another command uses such a worker.

#[cfg(feature = "cluster")]
mod nats;

use std::io::{BufReader, stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;

use anyhow::anyhow;
use clap::{ArgGroup, Args};

use super::exit::{CliError, Exit};
use super::out::Out;
use crate::config::{self, Config};
use crate::domain::Fault;
use crate::judge::order::{Ended, Order, Sink, Source, Worker};
use crate::judge::{Remote, Station, take_orders};
use crate::sandbox::{OnDemand, Sandbox};
use crate::toolchain::Toolchain;
use crate::util::machine;

/// Places of one worker.
const PLACES_MAX: i64 = 256;

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("orders").required(true).args(["stdio", "nats"])))]
pub struct Arguments {
    /// Read orders from standard input and write facts to standard output, until the input ends.
    #[arg(long)]
    stdio: bool,
    /// The worker's number on this machine, from 0; each needs its own, or two would share a core.
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 0,
        conflicts_with = "nats"
    )]
    place: usize,
    /// Take the orders of all courses at this server, such as tls://grader:4222, until a signal.
    #[arg(long, value_name = "URL")]
    nats: Option<String>,
    #[command(flatten)]
    with: With,
}

/// What goes with `--nats`.
#[derive(Debug, Args)]
#[cfg_attr(not(feature = "cluster"), expect(dead_code))]
struct With {
    /// The file that `verdictd cluster` wrote for this worker.
    #[arg(long, value_name = "FILE", requires = "nats")]
    credentials: Option<PathBuf>,
    /// The worker's name on the server [default: that of the credentials, or this machine's].
    #[arg(long, value_name = "NAME", requires = "nats")]
    name: Option<String>,
    /// Orders at a time [default: one for each core].
    #[arg(long, value_name = "NUMBER", requires = "nats", value_parser = clap::value_parser!(u16).range(1..=PLACES_MAX))]
    places: Option<u16>,
    /// Where bytes that orders need are kept [default: verdictd in the user's cache folder].
    #[arg(long, value_name = "DIR", requires = "nats")]
    cache: Option<PathBuf>,
    /// How much is kept there; 0 keeps nothing.
    #[arg(long, value_name = "MIB", requires = "nats", default_value_t = 1024)]
    cache_mib: u32,
    /// Let an unencrypted connection leave this machine.
    #[arg(long, requires = "nats")]
    insecure: bool,
    /// One JSON object per line on standard output, for each thing that a person would be told.
    #[arg(long, requires = "nats")]
    json: bool,
}

/// A config.toml is optional; its languages and its `[sandbox]` count.
pub fn run(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let config = if config_file.exists() {
        config::load(config_file)
    } else {
        config::parse("", config_file)
    };
    let config = config.map_err(CliError::config)?;
    match &arguments.nats {
        None => stdio(&config, arguments.place),
        #[cfg(feature = "cluster")]
        Some(url) => nats::run(url, &arguments.with, &config, out),
        #[cfg(not(feature = "cluster"))]
        Some(_) => {
            let _ = (&arguments.with, out);
            Err(super::cluster::missing("`verdictd worker --nats`"))
        }
    }
}

fn stdio(config: &Config, place: usize) -> anyhow::Result<Exit> {
    let toolchain = Toolchain::of(config);
    let sandbox =
        Sandbox::open(&config.sandbox.allow_missing).map_err(|refusal| anyhow!("{refusal}"))?;
    let mut runner = OnDemand::new(&sandbox, place);
    let machine = Arc::from(machine::description());
    let mut station = Station::new(&mut runner, &toolchain, machine);
    let policy = sandbox.policy_digest();
    take_orders(
        stdin().lock(),
        stdout().lock(),
        &policy,
        &toolchain,
        &mut station,
    )
    .map_err(|fault| anyhow!("{fault}"))?;
    Ok(Exit::Good)
}

/// A worker that a shell command starts, as `ssh lab-07 verdictd worker --stdio`.
pub struct WorkerProcess {
    child: Child,
    remote: Remote<BufReader<ChildStdout>, ChildStdin>,
}

impl WorkerProcess {
    /// Starts the command. Its standard error is this process's.
    pub fn start(command: &str) -> Result<Self, Fault> {
        let fault = |error| Fault::of_call(format!("start the worker `{command}`"), error);
        let mut child = Command::new("sh")
            .args(["-c", command])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(fault)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(fault(std::io::Error::other("it has no pipes")));
        };
        Ok(Self {
            child,
            remote: Remote::new(BufReader::new(output), input),
        })
    }
}

impl WorkerProcess {
    /// Whether it ended in the middle of an order.
    pub fn is_lost(&self) -> bool {
        self.remote.is_lost()
    }
}

impl Worker for WorkerProcess {
    fn measure(
        &mut self,
        order: &Order,
        source: &dyn Source,
        sink: &mut dyn Sink,
    ) -> Result<Ended, Fault> {
        self.remote.measure(order, source, sink)
    }
}

impl Drop for WorkerProcess {
    /// Nobody waits for the results of a worker that still measures.
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
