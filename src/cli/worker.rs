//! `verdictd worker`: measures for the courses on a NATS server, without a store, problems or
//! submissions.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::ScopedJoinHandle;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use async_nats::{Client, Subscriber};
use clap::Args;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;

use super::prelude::{CliError, Exit, Out};
use crate::cluster::about::{Looking, machine_of};
use crate::cluster::access::{Access, AccessError, Credentials, Role, connect_patiently};
use crate::cluster::subjects::{ALL_NEWS, Name};
use crate::cluster::wire::{About, Id};
use crate::cluster::worker::{Cache, Joined, Link, Note, Place, Speedometer, Tell, join};
use crate::config::{self, Config};
use crate::domain::Speed;
use crate::sandbox::Sandbox;
use crate::toolchain::{FileDigests, Language, Toolchain};
use crate::util::MIB;
use crate::util::calibrate::Pace;
use crate::util::machine;
use crate::util::signals::Signals;

/// Between two looks at whether the machine's compilers are still the same.
const LOOK_PAUSE: Duration = Duration::from_secs(1);

/// Build and run programs for daemons on other machines
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("other end").required(true).multiple(true).args(["nats", "credentials"])))]
pub struct Arguments {
    /// The NATS server to process orders from, until a signal; by default the one in the
    /// credentials
    #[arg(long, value_name = "URL")]
    pub nats: Option<String>,
    /// This worker's credentials: a file of `verdictd cluster init` or `cluster add-worker`
    #[arg(long, value_name = "FILE")]
    pub credentials: Option<PathBuf>,
    /// The worker's name on a server without credentials; by default this machine's
    #[arg(long, value_name = "NAME", conflicts_with = "credentials")]
    pub name: Option<String>,
    /// How many programs to run at a time; by default one per core
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub places: Option<u16>,
    /// The folder for fetched programs and tests; by default one in the user's cache folder
    #[arg(long, value_name = "FOLDER")]
    pub cache: Option<PathBuf>,
    /// The largest size of the cache, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 2048)]
    pub cache_mib: u32,
    /// Allow an unencrypted connection to another machine, in a network that you trust
    #[arg(long)]
    pub insecure: bool,
    /// Print events as one JSON object per line
    #[arg(long)]
    pub json: bool,
}

/// Runs until a signal.
pub fn run(arguments: &Arguments, config_file: &Path, _: &mut Out) -> anyhow::Result<Exit> {
    // A config.toml is optional; its languages and its `[sandbox]` count.
    let config = if config_file.exists() {
        config::load(config_file)
    } else {
        config::parse("", config_file)
    };
    let config = config.map_err(CliError::config)?;
    let access = access(arguments)?;
    let places = arguments.places.map_or_else(cores, usize::from);
    let folder = arguments.cache.clone().unwrap_or_else(cache_folder);
    let cache =
        Cache::open(&folder, u64::from(arguments.cache_mib) * MIB).map_err(CliError::usage)?;
    let mut sandbox =
        Sandbox::open(&config.sandbox.allow_missing).map_err(|refusal| anyhow!("{refusal}"))?;
    let tell = teller(arguments.json);
    let shared_cores = sandbox.claim_cores(places);
    if shared_cores > 0 {
        let reason = format!(
            "{shared_cores} of {places} places share a core with others: fewer places measure better"
        );
        tell(&Note::Trouble { reason });
    }
    let worker = Worker {
        toolchain: Toolchain::of(&config),
        config,
        sandbox,
        access,
        places,
        languages: cache.languages(),
    };
    let runtime = Builder::new_current_thread().enable_all().build()?;
    worker.run(&runtime, cache, &tell)
}

/// Everything that it needs.
struct Worker {
    config: Config,
    toolchain: Toolchain,
    sandbox: Sandbox,
    access: Access,
    places: usize,
    /// Where it is kept what the languages are.
    languages: PathBuf,
}

impl Worker {
    fn run(&self, runtime: &Runtime, cache: Cache, tell: &Tell) -> anyhow::Result<Exit> {
        // The languages are looked at first: until then it could do no order.
        let (mut pace, files) = (Pace::default(), FileDigests::default());
        let speed = pace.measure();
        let about = self.about((0, self.places), speed, &files);
        let machine = machine_of(self.access.name.as_str(), &about.machine);
        let mut signals = {
            let _inside = runtime.enter();
            Signals::new()?
        };
        let connected = runtime.block_on(self.connect(tell, &mut signals))?;
        let Some((client, news)) = connected else {
            return Ok(Exit::Good);
        };
        let life = Id::random()?;
        let name = self.access.name.clone();
        let server = (name.clone(), client, runtime.handle().clone());
        let link = Arc::new(Link::new(
            server,
            life,
            about,
            Some(cache),
            Arc::clone(tell),
        ));
        let speed = Speedometer::new(pace);
        tell(&Note::Ready {
            name,
            server: self.access.url()?.to_owned(),
            places: self.places,
        });
        let (done, finished) = oneshot::channel();
        std::thread::scope(|scope| {
            let place = |number| {
                let (link, speed, machine) = (&link, &speed, Arc::clone(&machine));
                let work = move || self.place(number, link, speed, machine);
                let thread = std::thread::Builder::new().name(format!("place-{number}"));
                thread.spawn_scoped(scope, work)
            };
            let places: Vec<ScopedJoinHandle<'_, ()>> =
                (0..self.places).map(place).collect::<Result<_, _>>()?;
            scope.spawn(|| self.watch(&link, files));
            scope.spawn(move || {
                for place in places {
                    // A thread that failed has said so by the panic's own message.
                    let _ = place.join();
                }
                // Whoever waits for it may have ended already.
                let _ = done.send(());
            });
            match runtime.block_on(join(&link, news, finished, &mut signals)) {
                Joined::Finished => Ok::<Exit, std::io::Error>(Exit::Good),
                // The places still measure, and nobody waits for them.
                Joined::Now => std::process::exit(Exit::Good.code().into()),
                Joined::Closed => {
                    link.trouble("the connection to the server is closed for good");
                    std::process::exit(Exit::Fault.code().into())
                }
            }
        })
        .context("work for other machines")
    }

    /// What it is, found out with so many runners from this one on.
    fn about(&self, runners: (usize, usize), speed: Speed, files: &FileDigests) -> About {
        let ids = self.toolchain.languages().map(Language::id).cloned();
        let looking = Looking {
            sandbox: &self.sandbox,
            runners,
            toolchain: &self.toolchain,
            offered: ids
                .filter(|id| self.toolchain.look_again(id).is_ok())
                .collect(),
            caps: self.config.limits.with_wall_floor(),
            build: &self.config.build,
            cancel: None,
        };
        let machine = (machine::description(), self.places, speed);
        looking.about(machine, &self.languages, files)
    }

    /// Looks at the languages again when somebody installs or removes something, until the worker
    /// stops. Nothing is measured for others meanwhile.
    fn watch(&self, link: &Link, mut files: FileDigests) {
        while !link.is_stopping() {
            std::thread::sleep(LOOK_PAUSE);
            if !files.have_changed() {
                continue;
            }
            link.trouble(
                "programs of this machine have changed: its languages are looked at again",
            );
            let before = link.about();
            link.set_about(About {
                languages: BTreeMap::new(),
                ..About::clone(&before)
            });
            link.give_all_up();
            files = FileDigests::default();
            // A runner that no place has. Its speed is for a place to measure that is alone.
            let found = self.about((self.places, 1), before.speed, &files);
            link.set_about(About {
                speed: link.about().speed,
                ..found
            });
        }
    }

    /// A connection and the news of all courses; nothing after a signal.
    async fn connect(
        &self,
        tell: &Tell,
        signals: &mut Signals,
    ) -> anyhow::Result<Option<(Client, Subscriber)>> {
        let connecting = async {
            let say = |error: &AccessError| {
                let reason = error.to_string();
                tell(&Note::Trouble { reason });
            };
            let client = connect_patiently(&self.access, say).await?;
            let news = client.subscribe(ALL_NEWS).await?;
            anyhow::Ok((client, news))
        };
        tokio::select! {
            connected = connecting => connected.map(Some),
            () = signals.next() => Ok(None),
        }
    }

    fn place(&self, number: usize, link: &Arc<Link>, speed: &Speedometer, machine: Arc<str>) {
        let mut runner = self.sandbox.runner(number);
        let mut place = Place {
            link,
            runner: &mut runner,
            toolchain: &self.toolchain,
            sandbox: self.sandbox.policy_digest(),
            machine,
            speed: Some(speed),
        };
        place.work();
    }
}

fn access(arguments: &Arguments) -> anyhow::Result<Access> {
    let credentials = arguments.credentials.as_deref();
    let credentials = credentials.map(|file| Credentials::load(file, Role::Worker));
    let credentials = credentials.transpose().map_err(CliError::usage)?;
    let name = match (&credentials, &arguments.name) {
        (Some(credentials), _) => Some(credentials.name.clone()),
        (None, Some(name)) => Name::new(name),
        (None, None) => Name::like(&rustix::system::uname().nodename().to_string_lossy()),
    };
    let access = Access {
        url: arguments.nats.clone(),
        name: name.ok_or_else(|| {
            CliError::usage(
                "a worker's name is 1 to 32 small letters, digits and hyphens: say one with --name",
            )
        })?,
        credentials,
        is_insecure: arguments.insecure,
    };
    access.address().map_err(CliError::usage)?;
    Ok(access)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// The user's own cache, or a folder for temporary files where there is none.
fn cache_folder() -> PathBuf {
    let of = |name: &str| std::env::var_os(name).filter(|folder| !folder.is_empty());
    let base = of("XDG_CACHE_HOME").map(PathBuf::from);
    let base = base.or_else(|| Some(PathBuf::from(of("HOME")?).join(".cache")));
    base.unwrap_or_else(std::env::temp_dir).join("verdictd")
}

/// Says what happens, a line at a time.
fn teller(json: bool) -> Tell {
    Arc::new(move |note: &Note| {
        let text = if json {
            serde_json::to_string(note).unwrap_or_default()
        } else if note.is_news() {
            note.text()
        } else {
            return;
        };
        // Whoever reads it may have gone; the work goes on.
        let _ = writeln!(std::io::stdout().lock(), "{text}");
    })
}
