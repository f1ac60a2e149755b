//! `verdictd worker --stdio`: carries out orders without a store, problems or submissions; and how
//! another command uses such a worker.

use std::io::{BufReader, stdin, stdout};
use std::path::Path;
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
pub struct Arguments {
    /// Read orders from standard input and write facts to standard output, until the input ends.
    #[arg(long, required = true)]
    stdio: bool,
    /// The worker's number on this machine, from 0; each needs its own, or two would share a core.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    place: usize,
}

/// A config.toml is optional; its languages and its `[sandbox]` count.
pub fn run(arguments: &Arguments, config_file: &Path) -> anyhow::Result<Exit> {
    let config = if config_file.exists() {
        config::load(config_file)
    } else {
        config::parse("", config_file)
    };
    let config = config.map_err(CliError::config)?;
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
