//! `verdictd doctor`: what this machine offers, what is missing and why, and how to get it.

mod timing;

pub use timing::reenter;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;
use serde::Serialize;

use super::prelude::{CliError, Exit, Out, read_config};
use crate::cluster::access::{Access, Credentials, Role, examine};
use crate::config::{Config, Public, Web};
use crate::sandbox::{self, Hold, Protection, Sandbox};
use crate::store::{Reader, StoreError};
use crate::toolchain::{Availability, Language, Toolchain, Unresolved};
use crate::view::{Page, Show, Span, Style};

/// Show the protections and languages of this machine, and more
#[derive(Debug, Args)]
pub struct Arguments {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Measure the same work many times and say how far times can be trusted; takes some seconds.
    #[arg(long)]
    timing: bool,
    /// Try the connection to the server of [cluster], and say what is wrong with it; takes some
    /// seconds.
    #[arg(long, conflicts_with = "timing")]
    cluster: bool,
    /// With --cluster, on a worker's machine: try the connection with these credentials.
    #[arg(long, value_name = "FILE", requires = "cluster")]
    credentials: Option<PathBuf>,
}

pub fn run(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    out.as_json(arguments.json);
    if arguments.cluster {
        return connection(arguments, config_file, out);
    }
    let config = read_config(config_file)?;
    if arguments.timing {
        let sandbox = Sandbox::open(&config.sandbox.allow_missing)?;
        out.note("measuring the same work again and again …");
        let found = timing::timing(&config, &sandbox)?;
        out.show(&found);
        return Ok(Exit::Good);
    }
    let found = Offers::of(&config, out)?;
    out.show(&found);
    found.exit()
}

/// What this machine offers.
#[derive(Serialize)]
struct Offers {
    /// The one command that gets the languages that are not here.
    apt: Option<String>,
    /// Who can read what on the dashboard, in sentences.
    dashboard: Vec<String>,
    languages: Vec<Offer>,
    protections: Vec<Guard>,
    /// Why nothing is judged here.
    refusal: Option<String>,
    store: Option<StoreState>,
}

/// A protection, and what would fix it where it is not on.
#[derive(Serialize)]
struct Guard {
    fix: Option<String>,
    #[serde(flatten)]
    protection: Protection,
}

/// A language, with its version or why it is not here.
#[derive(Serialize)]
struct Offer {
    extensions: Vec<String>,
    fault: Option<String>,
    install: Option<String>,
    key: String,
    name: String,
    offered: bool,
    version: Option<String>,
    why: Option<String>,
}

/// What makes no sense in the store.
#[derive(Serialize)]
struct StoreState {
    complaints: Vec<String>,
    sound: bool,
}

impl Offer {
    fn of(language: &Language, found: Availability) -> Self {
        let (version, missing, fault) = match found {
            Ok(version) => (Some(version), None, None),
            Err(Unresolved::Missing { why, install }) => (None, Some((why, install)), None),
            Err(Unresolved::Fault(fault)) => (None, None, Some(fault.to_string())),
        };
        let (why, install) = missing.unzip();
        Self {
            extensions: language.extensions().to_vec(),
            fault,
            install,
            key: language.id().to_string(),
            name: language.name().to_owned(),
            offered: version.is_some(),
            version,
            why,
        }
    }

    fn cells(&self) -> Vec<Span> {
        let files: Vec<String> = self
            .extensions
            .iter()
            .map(|one| format!(".{one}"))
            .collect();
        let word = match (&self.version, &self.fault) {
            (Some(_), _) => Style::Good.on("offered"),
            (None, Some(_)) => Style::Bad.on("not tried"),
            (None, None) => Style::Dim.on("not here"),
        };
        let fault = self.fault.as_ref();
        let fault = fault.map(|fault| format!("{fault}; try again"));
        let words = [&self.version, &fault, &self.why, &self.install];
        let words: Vec<&str> = words.into_iter().flatten().map(String::as_str).collect();
        vec![
            self.name.as_str().into(),
            self.key.as_str().into(),
            files.join(" ").into(),
            word,
            words.join("; ").into(),
        ]
    }
}

impl Offers {
    fn of(config: &Config, out: &mut Out) -> anyhow::Result<Self> {
        let toolchain = Toolchain::of(config);
        let sandbox = Sandbox::open(&config.sandbox.allow_missing);
        let (protections, refusal) = match &sandbox {
            Ok(sandbox) => (sandbox.protections().to_vec(), None),
            Err(refusal) => (sandbox::examine(), Some(refusal.to_string())),
        };
        let mut runner = sandbox.as_ref().ok().map(|sandbox| sandbox.runner(0));
        if runner.is_some() {
            out.note("trying each language in the sandbox …");
        }
        let caps = config.limits.with_wall_floor();
        let offer = |language: &Language| {
            let found = match &mut runner {
                Some(runner) => toolchain.probe(language.id(), runner, &caps, &config.build),
                None => untried(&toolchain, language),
            };
            Offer::of(language, found)
        };
        let guard = |protection: Protection| Guard {
            fix: protection.fix.clone(),
            protection,
        };
        let languages: Vec<Offer> = toolchain.languages().map(offer).collect();
        Ok(Self {
            apt: apt(&languages),
            dashboard: readers(&config.web),
            languages,
            protections: protections.into_iter().map(guard).collect(),
            refusal,
            store: check_store(config)?,
        })
    }

    fn exit(&self) -> anyhow::Result<Exit> {
        if let Some(refusal) = &self.refusal {
            bail!("{refusal}");
        }
        if self.languages.iter().any(|offer| offer.fault.is_some()) {
            bail!(
                "some languages could not be tried because of a fault of this machine or of verdictd, not of the language"
            );
        }
        let store = self.store.as_ref();
        Ok(Exit::Fault.only_if(store.is_some_and(|store| !store.sound)))
    }
}

impl Show for Offers {
    fn show(&self, page: &mut Page) {
        let protections = self.protections.iter().map(|Guard { fix, protection }| {
            let style = match protection.hold {
                Hold::On => Style::Good,
                Hold::Weak => Style::Warn,
                Hold::Missing => Style::Bad,
            };
            vec![
                (&*protection.name).into(),
                style.on(protection.hold.word()),
                protection.how.as_str().into(),
                fix.as_deref().unwrap_or_default().into(),
            ]
        });
        page.table(
            &["PROTECTION", "", "HOW", "TO FIX IT"],
            protections.collect(),
        );
        if !self.languages.is_empty() {
            let why = "VERSION, OR WHY NOT AND WHAT TO DO";
            let languages = self.languages.iter().map(Offer::cells).collect();
            page.line("");
            page.table(&["LANGUAGE", "KEY", "FILES", "", why], languages);
        }
        if let Some(apt) = &self.apt {
            page.line(format!("To get the languages that are not here: {apt}"));
        }
        if let Some(store) = &self.store {
            page.line("");
            if store.sound {
                page.spans(["the store is ".into(), Style::Good.on("sound")]);
            }
            for complaint in &store.complaints {
                let word = Style::Bad.on("the store is damaged");
                page.spans([word, format!(": {complaint}").into()]);
            }
        }
        page.line("");
        for sentence in &self.dashboard {
            page.line(sentence);
        }
    }
}

/// What installs one language begins with this, and names packages up to a comma.
const APT: &str = "apt-get install ";

/// One command for every language that is not here and that Debian's packages bring.
fn apt(languages: &[Offer]) -> Option<String> {
    let missing = languages.iter().filter(|offer| !offer.offered);
    let packages: BTreeSet<&str> = missing
        .filter_map(|offer| {
            offer
                .install
                .as_deref()?
                .strip_prefix(APT)?
                .split(',')
                .next()
        })
        .flat_map(str::split_whitespace)
        .collect();
    let packages: Vec<&str> = packages.into_iter().collect();
    (!packages.is_empty()).then(|| format!("{APT}{}", packages.join(" ")))
}

/// A language as far as it can be known without a sandbox.
fn untried(toolchain: &Toolchain, language: &Language) -> Availability {
    let version = toolchain.identify(language.id())?;
    Err(Unresolved::Missing {
        why: format!("{version} is installed, but cannot be tried without a sandbox"),
        install: "fix the protections above first".to_owned(),
    })
}

/// Reads the whole store and lists what makes no sense in it; `None` without a store.
fn check_store(config: &Config) -> anyhow::Result<Option<StoreState>> {
    let complaints = match Reader::open(&config.folders.state).and_then(|reader| reader.check()) {
        Ok(complaints) => complaints,
        Err(StoreError::Missing { .. }) => return Ok(None),
        // Too damaged to be read through.
        Err(StoreError::Damaged { reason, .. }) => vec![reason],
        Err(error) => return Err(error.into()),
    };
    Ok(Some(StoreState {
        sound: complaints.is_empty(),
        complaints,
    }))
}

/// Who can read what on the dashboard, as config.toml has it.
fn readers(web: &Web) -> Vec<String> {
    if !web.enabled {
        return vec!["The dashboard is off: nobody reads anything in a browser.".to_owned()];
    }
    let home = web.home();
    let who = if web.is_local() {
        format!("Anyone with an account on this machine, and nobody else, can open {home} and read")
    } else if web.url.is_none() && web.students.ip().is_unspecified() {
        let port = web.students.port();
        format!("Anyone who can connect to port {port} of this machine can read")
    } else {
        format!("Anyone who opens {home} can read")
    };
    let what = match web.public() {
        Public::Reports => "the names, verdicts and reports of all students",
        Public::Names => {
            "the names and verdicts of all students; reports are read at personal links alone"
        }
        Public::Pseudonyms => "verdicts under pseudonyms; reports are read at personal links alone",
        Public::Nothing => "nothing about any student; reports are read at personal links alone",
    };
    let proxy = if web.is_local() && web.public() == Public::Reports {
        " If a proxy lets others in, set `url` under [web] to the address that they open."
    } else {
        ""
    };
    let staff = match &web.staff_token_file {
        Some(file) => format!(
            "Anyone who opens http://{} with the token in {} can read everything.",
            web.staff,
            file.display()
        ),
        None => "There are no staff pages: `staff_token_file` under [web] is not set.".to_owned(),
    };
    vec![format!("{who} {what}.{proxy}"), staff]
}

/// What came of trying the connection to the server.
#[derive(Serialize)]
struct Connection {
    good: bool,
    steps: Vec<Tried>,
}

/// A step of it: what came out, or what is wrong and the way out.
#[derive(Serialize)]
struct Tried {
    found: String,
    good: bool,
    step: &'static str,
}

/// Tries the connection of the course, or that of a worker whose credentials are given, step by step.
fn connection(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let (access, role, keep_bytes) = if let Some(file) = &arguments.credentials {
        let credentials = Credentials::load(file, Role::Worker).map_err(CliError::usage)?;
        let access = Access {
            url: None,
            name: credentials.name.clone(),
            credentials: Some(credentials),
            is_insecure: false,
        };
        (access, Role::Worker, 0)
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
    let mut steps = Vec::new();
    runtime.block_on(examine(&access, role, keep_bytes, &mut |finding| {
        let good = finding.found.is_ok();
        let (Ok(found) | Err(found)) = finding.found;
        let step = finding.step;
        let word = if good {
            Style::Good.on("good")
        } else {
            Style::Bad.on("bad")
        };
        out.print(|page| page.tagged(word, format!("{step}: {found}")));
        steps.push(Tried { found, good, step });
    }));
    let good = steps.iter().all(|step| step.good);
    out.json(&Connection { good, steps });
    Ok(Exit::No.only_if(!good))
}

#[cfg(test)]
mod tests {
    use super::{Offer, apt};

    fn offer(key: &str, version: Option<&str>, install: &str) -> Offer {
        Offer {
            extensions: Vec::new(),
            fault: None,
            install: Some(install.to_owned()),
            key: key.to_owned(),
            name: key.to_owned(),
            offered: version.is_some(),
            version: version.map(str::to_owned),
            why: None,
        }
    }

    #[test]
    fn one_command_gets_every_missing_language() {
        let jdk = "apt-get install kotlin default-jdk-headless";
        let offers = [
            offer("c", Some("gcc 12"), "apt-get install gcc"),
            offer("java", None, "apt-get install default-jdk-headless"),
            offer("kotlin", None, jdk),
            offer("rust", None, "apt-get install rustc, or rustup"),
            offer("own", None, "ask the author"),
        ];
        let command = "apt-get install default-jdk-headless kotlin rustc";
        assert_eq!(apt(&offers).as_deref(), Some(command));
        assert_eq!(apt(&offers[..1]), None);
    }
}
