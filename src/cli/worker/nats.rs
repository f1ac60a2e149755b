//! `verdictd worker --nats`: looks at this machine, connects, and prints what happens.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::Builder;

use anyhow::anyhow;

use super::With;
use crate::cli::exit::{CliError, Exit};
use crate::cli::out::{Out, Style};
use crate::cli::serve::log_to_stderr;
use crate::cli::session::worker_count;
use crate::cluster::about::{Looking, machine_of};
use crate::cluster::access::{Access, Credentials, Role};
use crate::cluster::subjects::Name;
use crate::cluster::worker::{
    About, Cache, ENTRIES_MAX, End, Machine, Notice, Setup, Stop, WorkerError, default_folder,
};
use crate::config::Config;
use crate::domain::Caps;
use crate::sandbox::Sandbox;
use crate::toolchain::Toolchain;
use crate::util::calibrate::Pace;
use crate::util::{MIB, machine};

/// Lines that wait to be printed; what comes while a terminal is stopped is dropped.
const LINES_MAX: usize = 1_024;

/// What the thread with the connection says.
enum Line {
    Notice(Notice),
    Ended(Result<End, WorkerError>),
}

/// Works until a signal.
pub fn run(url: &str, with: &With, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    log_to_stderr();
    let access = access(url, with)?;
    access.address().map_err(CliError::usage)?;
    let places = with
        .places
        .map_or_else(|| worker_count(config).max(1), usize::from);
    let (lines, received) = sync_channel(LINES_MAX);
    let say = sayer(&lines);
    let cache = cache(with, &say);
    let mut sandbox =
        Sandbox::open(&config.sandbox.allow_missing).map_err(|refusal| anyhow!("{refusal}"))?;
    let shared = sandbox.claim_cores(places);
    if shared > 0 {
        say(Notice::Slower(format!(
            "{shared} of {places} places share a core with another verdictd, which makes times less even: set --places so that there are enough cores"
        )));
    }
    let with_json = with.json;
    let (config, ended) = (config.clone(), lines.clone());
    let work = move || {
        let setup = look(&config, access, places, sandbox, cache, say);
        let end = crate::cluster::worker::run(setup, Stop::Signals);
        let _ = ended.send(Line::Ended(end));
    };
    Builder::new().name("link".to_owned()).spawn(work)?;
    drop(lines);
    print(&received, with_json, out)
}

/// Prints what happens, until the end.
fn print(lines: &Receiver<Line>, with_json: bool, out: &mut Out) -> anyhow::Result<Exit> {
    while let Ok(line) = lines.recv() {
        match line {
            Line::Notice(notice) if with_json => out.json(&notice.to_json()),
            Line::Notice(notice) if notice.is_detail() => {}
            Line::Notice(notice) if notice.is_trouble() => {
                let text = notice.to_string();
                let line = out.styled(Style::Warn, &text);
                out.line(&line);
            }
            Line::Notice(notice) => out.line(&notice.to_string()),
            Line::Ended(Ok(End::Finished)) => return Ok(Exit::Good),
            Line::Ended(Ok(End::Now)) => return Ok(Exit::Fault),
            Line::Ended(Err(WorkerError::Access(error))) => return Err(CliError::usage(error)),
            Line::Ended(Err(error)) => return Err(error.into()),
        }
        out.flush();
    }
    Err(anyhow!("the worker failed by a bug; see standard error"))
}

fn sayer(lines: &SyncSender<Line>) -> Box<dyn Fn(Notice) + Send + Sync> {
    let lines = lines.clone();
    Box::new(move |notice| drop(lines.try_send(Line::Notice(notice))))
}

/// Who connects, and where to.
fn access(url: &str, with: &With) -> anyhow::Result<Access> {
    let load = |file: &PathBuf| Credentials::load(file, Role::Worker);
    let credentials = with.credentials.as_ref().map(load).transpose();
    let credentials = credentials.map_err(CliError::usage)?;
    let name = match (&with.name, &credentials) {
        (Some(name), _) => Name::new(name).ok_or_else(|| {
            CliError::usage(format!(
                "`{}` is no name on the server: 1 to {} small letters, digits and hyphens",
                name.escape_debug(),
                Name::BYTES_MAX
            ))
        })?,
        (None, Some(credentials)) => credentials.name.clone(),
        (None, None) => {
            let host = rustix::system::uname();
            let host = host.nodename().to_string_lossy().into_owned();
            Name::like(&host).ok_or_else(|| {
                CliError::usage("this machine's name is no name on the server: set --name")
            })?
        }
    };
    Ok(Access {
        url: Some(url.to_owned()),
        name,
        credentials,
        is_insecure: with.insecure,
    })
}

/// Its disk; without it the worker is only slower.
fn cache(with: &With, say: &dyn Fn(Notice)) -> Option<Cache> {
    let bytes_max = u64::from(with.cache_mib) * MIB;
    if bytes_max == 0 {
        return None;
    }
    let folder = with.cache.clone().unwrap_or_else(default_folder);
    match Cache::open(&folder, bytes_max, ENTRIES_MAX) {
        Ok(cache) => Some(cache),
        Err(error) => {
            say(Notice::Slower(format!(
                "{}: {error}: nothing is kept on this machine's disk, and tests are fetched again with each order",
                folder.display()
            )));
            None
        }
    }
}

/// Looks at this machine.
fn look(
    config: &Config,
    access: Access,
    places: usize,
    sandbox: Sandbox,
    cache: Option<Cache>,
    say: Box<dyn Fn(Notice) + Send + Sync>,
) -> Setup {
    say(Notice::Looking);
    let toolchain = Arc::new(Toolchain::of(config));
    let languages = toolchain.languages().map(|language| language.id().clone());
    let offered = languages.filter(|id| toolchain.identify(id).is_ok());
    let looking = Looking {
        sandbox: &sandbox,
        runners: (0, places),
        toolchain: &toolchain,
        offered: offered.collect(),
        caps: Caps::from(config.limits.limits()),
        build: &config.build,
    };
    let mut pace = Pace::default();
    let words = looking.about(machine::description(), places, &mut pace);
    let machine = Machine {
        toolchain,
        sandbox: sandbox.policy_digest(),
        words: machine_of(&access.name, &words.machine),
        runner: Box::new(move |place| sandbox.runner(place)),
    };
    Setup {
        access,
        places,
        machine,
        about: About::new(words, pace),
        cache,
        say,
    }
}
