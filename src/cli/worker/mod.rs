//! `verdictd worker`: carries out orders without a store, problems or submissions.

mod arguments;
mod nats;
mod process;

use std::io::{stdin, stdout};
use std::path::Path;
use std::sync::Arc;

use anyhow::anyhow;

pub use arguments::Arguments;
use arguments::config_of;
pub use process::WorkerProcess;

use super::exit::Exit;
use crate::judge::{Station, take_orders};
use crate::sandbox::{OnDemand, Sandbox};
use crate::toolchain::Toolchain;
use crate::util::machine;

/// Works for whoever is at the other end.
pub fn run(arguments: &Arguments, config_file: &Path) -> anyhow::Result<Exit> {
    if arguments.stdio {
        return stdio(arguments, config_file);
    }
    nats::run(arguments, config_file)
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
