//! What `verdictd worker` is given.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::exit::CliError;
use crate::config;

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("other end").required(true).multiple(true).args(["nats", "credentials"])))]
pub struct Arguments {
    /// Work for the courses on a NATS server, until a signal; without it, the server in the
    /// credentials
    #[arg(long, value_name = "URL")]
    pub nats: Option<String>,
    /// Who this worker is: a file of `verdictd cluster init` or `cluster add-worker`
    #[arg(long, value_name = "FILE")]
    pub credentials: Option<PathBuf>,
    /// The worker's name on the server, where there are no credentials; this machine's otherwise
    #[arg(long, value_name = "NAME", conflicts_with = "credentials")]
    pub name: Option<String>,
    /// Programs that it runs at a time; one per core otherwise
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub places: Option<u16>,
    /// Where it keeps programs and tests that it has fetched; a folder of the user's own otherwise
    #[arg(long, value_name = "FOLDER")]
    pub cache: Option<PathBuf>,
    /// What it keeps there at most, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 2048)]
    pub cache_mib: u32,
    /// Connect to another machine although nothing is encrypted: in a network that you trust
    #[arg(long)]
    pub insecure: bool,
    /// Say what happens as one JSON object per line
    #[arg(long)]
    pub json: bool,
}

/// A config.toml is optional; its languages and its `[sandbox]` count.
pub fn config_of(config_file: &Path) -> anyhow::Result<config::Config> {
    let config = if config_file.exists() {
        config::load(config_file)
    } else {
        config::parse("", config_file)
    };
    config.map_err(CliError::config)
}
