//! `verdictd doctor`: what this machine offers, what is missing and why, and how to get it.

mod cluster;
mod readers;
mod timing;

use std::path::{Path, PathBuf};

use clap::Args;
use comfy_table::Cell;
use serde_json::json;

use crate::cli::exit::Exit;
use crate::cli::out::{Out, Style, cell};
use crate::cli::session::read_config;
use crate::config::Config;
use crate::sandbox::{self, Hold, OnDemand, Protection, Sandbox};
use crate::store::{Reader, StoreError};
use crate::toolchain::{Availability, Language, Missing, Toolchain, Unresolved};

#[derive(Debug, Args)]
pub struct Arguments {
    /// One JSON object for everything.
    #[arg(long)]
    json: bool,
    /// Measure the same work many times and say how far times can be trusted; takes some seconds.
    #[arg(long)]
    timing: bool,
    /// Try the connection to the server of [cluster], and say what is wrong with it; takes some seconds.
    #[arg(long, conflicts_with = "timing")]
    cluster: bool,
    /// With --cluster, on a worker's machine: try the connection with these credentials.
    #[arg(long, value_name = "FILE", requires = "cluster")]
    credentials: Option<PathBuf>,
}

pub fn run(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    if arguments.cluster {
        let worker = arguments.credentials.as_deref();
        return cluster::run(worker, arguments.json, config_file, out);
    }
    let config = read_config(config_file)?;
    if arguments.timing {
        let sandbox = Sandbox::open(&config.sandbox.allow_missing)?;
        return timing::run(&config, &sandbox, arguments.json, out);
    }
    let toolchain = Toolchain::of(&config);
    let (protections, languages, refusal) = match Sandbox::open(&config.sandbox.allow_missing) {
        Err(refusal) => (
            sandbox::examine(),
            untried(&toolchain),
            Some(refusal.to_string()),
        ),
        Ok(sandbox) => {
            let mut runner = OnDemand::new(&sandbox, 0);
            out.note("trying each language in the sandbox …");
            let caps = config.limits.limits().into();
            let probed = toolchain.languages().map(|language| {
                let found = toolchain.probe(language.id(), &mut runner, &caps, &config.build);
                (language, found)
            });
            (sandbox.protections().to_vec(), probed.collect(), None)
        }
    };
    let complaints = check_store(&config)?;
    if arguments.json {
        out.json(&json!({
            "protections": protections.iter().map(protection_json).collect::<Vec<_>>(),
            "languages": languages.iter().map(language_json).collect::<Vec<_>>(),
            "store": complaints.as_ref().map(|complaints| json!({
                "sound": complaints.is_empty(), "complaints": complaints,
            })),
            "refusal": refusal,
            "dashboard": readers::sentences(&config.web),
        }));
    } else {
        show(&protections, &languages, out);
        show_store(complaints.as_deref(), out);
        out.line("");
        for sentence in readers::sentences(&config.web) {
            out.line(&sentence);
        }
    }
    let is_damaged = complaints.is_some_and(|complaints| !complaints.is_empty());
    let untried = languages
        .iter()
        .filter(|(_, found)| matches!(found, Err(Unresolved::Fault(_))))
        .count();
    match refusal {
        None if untried > 0 => {
            out.error(
                "some languages could not be tried because of a fault of this machine or of verdictd, not of the language",
            );
            Ok(Exit::Fault)
        }
        None if is_damaged => Ok(Exit::Fault),
        None => Ok(Exit::Good),
        Some(refusal) => {
            out.error(&refusal);
            Ok(Exit::Fault)
        }
    }
}

/// The languages as far as they can be known without a sandbox.
fn untried(toolchain: &Toolchain) -> Vec<(&Language, Availability)> {
    let not_tried = |version| Missing {
        why: format!("{version} is installed, but cannot be tried without a sandbox"),
        install: "fix the protections above first".to_owned(),
    };
    let found = |language: &Language| {
        let version = toolchain.identify(language.id())?;
        Err(not_tried(version).into())
    };
    let languages = toolchain.languages();
    languages
        .map(|language| (language, found(language)))
        .collect()
}

/// Reads the whole store and lists what makes no sense in it; `None` without a store.
fn check_store(config: &Config) -> anyhow::Result<Option<Vec<String>>> {
    match Reader::open(&config.folders.state).and_then(|reader| reader.check()) {
        Ok(complaints) => Ok(Some(complaints)),
        Err(StoreError::Missing { .. }) => Ok(None),
        // Too damaged to be read through.
        Err(StoreError::Damaged { reason, .. }) => Ok(Some(vec![reason])),
        Err(error) => Err(error.into()),
    }
}

fn show_store(complaints: Option<&[String]>, out: &mut Out) {
    let Some(complaints) = complaints else {
        return;
    };
    out.line("");
    if complaints.is_empty() {
        out.line(&format!(
            "the store is {}",
            out.styled(Style::Good, "sound")
        ));
    }
    for complaint in complaints {
        let word = out.styled(Style::Bad, "the store is damaged");
        out.line(&format!("{word}: {complaint}"));
    }
}

fn hold_word(hold: Hold) -> (&'static str, Style) {
    match hold {
        Hold::On => ("on", Style::Good),
        Hold::Weak => ("weak", Style::Warn),
        Hold::Missing => ("missing", Style::Bad),
    }
}

fn protection_json(protection: &Protection) -> serde_json::Value {
    json!({
        "name": protection.name, "hold": hold_word(protection.hold).0,
        "how": protection.how, "fix": protection.fix,
    })
}

fn language_json((language, found): &(&Language, Availability)) -> serde_json::Value {
    let (version, missing, fault) = match found {
        Ok(version) => (Some(version), None, None),
        Err(Unresolved::Missing(missing)) => (None, Some(missing), None),
        Err(Unresolved::Fault(fault)) => (None, None, Some(fault.to_string())),
    };
    json!({
        "key": language.id().as_str(), "name": language.name(),
        "extensions": language.extensions(), "offered": version.is_some(), "version": version,
        "why": missing.map(|missing| &missing.why),
        "install": missing.map(|missing| &missing.install), "fault": fault,
    })
}

fn show(protections: &[Protection], languages: &[(&Language, Availability)], out: &mut Out) {
    let mut table = out.table(&["PROTECTION", "", "HOW", "TO FIX IT"]);
    for protection in protections {
        let (word, style) = hold_word(protection.hold);
        table.add_row([
            Cell::new(protection.name),
            cell(style, word),
            Cell::new(&protection.how),
            Cell::new(protection.fix.as_deref().unwrap_or_default()),
        ]);
    }
    out.write_table(&table);
    if languages.is_empty() {
        return;
    }
    let mut table = out.table(&[
        "LANGUAGE",
        "KEY",
        "FILES",
        "",
        "VERSION, OR WHY NOT AND WHAT TO DO",
    ]);
    for (language, found) in languages {
        let files: Vec<String> = language
            .extensions()
            .iter()
            .map(|extension| format!(".{extension}"))
            .collect();
        let (word, words) = match found {
            Ok(version) => (cell(Style::Good, "offered"), version.clone()),
            Err(Unresolved::Missing(missing)) => {
                (cell(Style::Dim, "not here"), missing.to_string())
            }
            Err(Unresolved::Fault(fault)) => {
                (cell(Style::Bad, "not tried"), format!("{fault}; try again"))
            }
        };
        table.add_row([
            Cell::new(language.name()),
            Cell::new(language.id()),
            Cell::new(files.join(" ")),
            word,
            Cell::new(words),
        ]);
    }
    out.line("");
    out.write_table(&table);
}
