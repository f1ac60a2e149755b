//! `verdictd worker --stdio`: carries out orders without a store, problems or submissions; and how
//! another command uses such a worker.

use std::io::{BufReader, stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;

use anyhow::anyhow;
use clap::Args;

use super::exit::{CliError, Exit};
use crate::config;
use crate::domain::Fault;
use crate::judge::order::{Ended, Order, Sink, Source, Worker};
use crate::judge::{Remote, Station, take_orders};
use crate::sandbox::{OnDemand, Sandbox};
use crate::toolchain::Toolchain;
use crate::util::machine;

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("other end").required(true).multiple(true).args(["stdio", "nats", "credentials"])))]
pub struct Arguments {
    /// Read orders from standard input and write facts to standard output, until the input ends
    #[arg(long, conflicts_with_all = ["nats", "credentials"])]
    stdio: bool,
    /// With --stdio: the worker's number on this machine, from 0; each needs its own, or two would
    /// share a core
    #[arg(long, value_name = "NUMBER", default_value_t = 0, requires = "stdio")]
    place: usize,
    /// Work for the courses on a NATS server, until a signal; without it, the server in the
    /// credentials
    #[arg(long, value_name = "URL")]
    pub(super) nats: Option<String>,
    /// Who this worker is: a file of `verdictd cluster init` or `cluster add-worker`
    #[arg(long, value_name = "FILE")]
    pub(super) credentials: Option<PathBuf>,
    /// The worker's name on the server, where there are no credentials; this machine's otherwise
    #[arg(long, value_name = "NAME", conflicts_with_all = ["stdio", "credentials"])]
    pub(super) name: Option<String>,
    /// Programs that it runs at a time; one per core otherwise
    #[arg(long, value_name = "COUNT", conflicts_with = "stdio", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) places: Option<u16>,
    /// Where it keeps programs and tests that it has fetched; a folder of the user's own otherwise
    #[arg(long, value_name = "FOLDER", conflicts_with = "stdio")]
    pub(super) cache: Option<PathBuf>,
    /// What it keeps there at most, in MiB
    #[arg(
        long,
        value_name = "MIB",
        default_value_t = 2048,
        conflicts_with = "stdio"
    )]
    pub(super) cache_mib: u32,
    /// Connect to another machine although nothing is encrypted: in a network that you trust
    #[arg(long, conflicts_with = "stdio")]
    pub(super) insecure: bool,
    /// Say what happens as one JSON object per line
    #[arg(long, conflicts_with = "stdio")]
    pub(super) json: bool,
}

/// Works for whoever is at the other end.
pub fn run(arguments: &Arguments, config_file: &Path) -> anyhow::Result<Exit> {
    if arguments.stdio {
        return stdio(arguments, config_file);
    }
    #[cfg(feature = "cluster")]
    return super::worker_nats::run(arguments, config_file);
    #[cfg(not(feature = "cluster"))]
    Err(super::cluster::missing("verdictd worker --nats"))
}

/// A config.toml is optional; its languages and its `[sandbox]` count.
pub(super) fn config_of(config_file: &Path) -> anyhow::Result<config::Config> {
    let config = if config_file.exists() {
        config::load(config_file)
    } else {
        config::parse("", config_file)
    };
    config.map_err(CliError::config)
}

fn stdio(arguments: &Arguments, config_file: &Path) -> anyhow::Result<Exit> {
    let config = config_of(config_file)?;
    let toolchain = Toolchain::of(&config);
    let sandbox =
        Sandbox::open(&config.sandbox.allow_missing).map_err(|refusal| anyhow!("{refusal}"))?;
    let mut runner = OnDemand::new(&sandbox, arguments.place);
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
