//! `verdictd doctor --cluster`: tries a connection to the server step by step.

use std::path::Path;

use serde_json::{Value, json};

use crate::cli::exit::{CliError, Exit};
use crate::cli::out::{Out, Style};
use crate::cli::session::read_config;
use crate::cluster::access::{Access, Role, Step, check};
use crate::cluster::subjects::Name;

/// Tries the connection of the course, or that of a worker whose credentials are given.
pub fn run(
    worker: Option<&Path>,
    is_json: bool,
    config_file: &Path,
    out: &mut Out,
) -> anyhow::Result<Exit> {
    let (access, role, keep_bytes) = if worker.is_some() {
        // The name is that of the credentials.
        let name = Name::new("worker").ok_or_else(|| CliError::usage("no name"))?;
        let access = Access::of_worker(None, worker, name, false);
        (access.map_err(CliError::usage)?, Role::Worker, 0)
    } else {
        let config = read_config(config_file)?;
        let access = Access::of_course(&config).map_err(CliError::config)?;
        let access = access.ok_or_else(|| {
            CliError::config(format!(
                "{}: [cluster] names no server: write nats = \"tls://HOST:4222\" and credentials = \"NAME.creds\" (on a worker's machine: verdictd doctor --cluster --credentials NAME.creds)",
                config.file.display()
            ))
        })?;
        (access, Role::Course, config.cluster.keep_bytes)
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut steps: Vec<Value> = Vec::new();
    let mut is_good = true;
    let tell = |step: Step| {
        is_good &= step.found.is_ok();
        if is_json {
            let is_good = step.found.is_ok();
            let (Ok(words) | Err(words)) = &step.found;
            steps.push(json!({ "step": step.what, "good": is_good, "found": words }));
            return;
        }
        let (style, word, words) = match &step.found {
            Ok(words) => (Style::Good, "good", words),
            Err(words) => (Style::Bad, "bad", words),
        };
        let word = out.styled(style, word);
        out.line(&format!("{word}  {}: {words}", step.what));
    };
    runtime.block_on(check(&access, role, keep_bytes, tell));
    if is_json {
        out.json(&json!({ "good": is_good, "steps": steps }));
    }
    Ok(if is_good { Exit::Good } else { Exit::No })
}
