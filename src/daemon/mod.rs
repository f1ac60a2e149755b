//! The daemon: one dispatcher that owns the [`state`], and threads that do the work: intake, store,
//! librarian, languages, workers, those that finish what workers measure, publisher, pages.
//!
//! Threads tell the dispatcher what has happened; it turns that into events for the state, which is
//! pure, and carries out what follows.

mod activity;
mod dispatch;
mod error;
mod finishing;
mod hacks;
mod inbox;
mod intake_thread;
mod languages;
mod librarian;
mod message;
mod notes;
mod notice;
mod offer;
mod old_files;
mod oracle;
mod package_news;
mod packages;
mod pages;
mod publisher;
mod queue;
mod rebuild;
mod reload;
mod requests;
mod shared;
mod state;
mod store_sink;
mod taker;
mod trouble;
mod view;
mod worker;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{mpsc, watch};
use tokio::time::sleep;

pub use activity::{Activity, Run};
pub use error::DaemonError;
pub use notice::{Line, Missing, Notice};
pub use rebuild::rebuild;
pub use requests::Request;
pub use view::View;

use dispatch::{Dispatcher, End};
use hacks::{Recorded, Waits};
use intake_thread::IntakeHandle;
use languages::LanguagesHandle;
use librarian::LibrarianHandle;
use message::Message;
use old_files::move_to_staff;
use oracle::{OracleHost, with_oracle};
use packages::Packages;
use pages::PagesHandle;
use requests::Requests;
use shared::{Entries, LOG_MARK, LogError, Setup, Shared};
use state::State;
use worker::start_workers;

use crate::config::Config;
use crate::overview::Scoreboard;
use crate::package::Library;
use crate::report::{Logs, Reports};
use crate::sandbox::{Hold, Sandbox};
use crate::store::{Store, StoreError, TroubleFile};
use crate::toolchain::Toolchain;
use crate::util::files::{make_folder, make_folder_with, put_aside, sync_file_systems};
use crate::util::machine;

/// Messages that may wait for the dispatcher; a thread with one more waits.
const MESSAGES_MAX: usize = 1_024;

/// How long a daemon that serves tries again, before it is ready, what a fault keeps from being
/// tried; it goes on while it runs.
const LANGUAGES_PATIENCE: Duration = Duration::from_secs(2);
/// The same for one that leaves when it has judged what is there: nobody tries for it later.
const LANGUAGES_PATIENCE_ONCE: Duration = Duration::from_mins(1);
/// The permissions with which `staff/` is made: it tells everything of everybody, so nobody else is
/// let into it. Whoever runs the daemon may widen them, or give the folder another group.
const STAFF_MODE: u32 = 0o750;

/// How long a daemon that was told to stop still writes pages; the next start goes on with them.
const PAGES_PATIENCE: Duration = Duration::from_secs(10);

/// How the daemon came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// Submissions that have no verdict: they wait, or could not be judged because of faults or
    /// broken packages.
    pub without_verdict: u64,
    /// Submissions whose last try ended in a fault.
    pub faulted: usize,
    /// Whether something that was handed in could not be looked at or kept.
    pub intake_failed: bool,
    /// Whether pages could not be written.
    pub pages_failed: bool,
    /// Whether it was told to stop at once.
    pub at_once: bool,
}

/// What the daemon is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Watch, until it is told to stop.
    Serve,
    /// Judge what is there, and leave.
    Once,
    /// Judge what was handed in before, take nothing new, and leave.
    Rejudge,
}

/// Runs the daemon until it is told to stop, or has done what the mode says.
pub fn run(
    config: Config,
    mode: Mode,
    workers: usize,
    listener: &mut dyn FnMut(&Notice),
) -> Result<Summary, DaemonError> {
    let opened = open_all(config, mode, workers, listener)?;
    let (shared, setup) = (opened.shared, opened.setup);
    let (sender, messages) = mpsc::channel(MESSAGES_MAX);
    let (pages, course) = PagesHandle::start(&shared, setup.course(), sender.clone())?;
    let (orders, threads) = start_workers(workers, &shared, &sender)?;
    let librarian = LibrarianHandle::start(
        Arc::clone(&shared),
        opened.host,
        opened.packages,
        opened.hacks.results,
        sender.clone(),
    )?;
    let languages = LanguagesHandle::start(Arc::clone(&shared), workers + 1, sender.clone())?;
    let intake = start_intake(mode, &shared, &setup, sender)?;
    let mut dispatcher = Dispatcher {
        told_status: trouble_file(&setup.config.folders.state),
        shared,
        languages,
        requests: Requests::new(&setup.config.folders.state),
        setup,
        course,
        librarian,
        waits: Waits::default(),
        unplanned: opened.hacks.open,
        state: State::new(mode != Mode::Serve),
        workers: orders,
        intake,
        listener,
        start: Instant::now(),
        intake_failed: false,
        plan_failed: false,
        no_room: BTreeSet::new(),
        short: BTreeSet::new(),
        lost: None,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let end = runtime.block_on(dispatcher.run(messages))?;
    let lost = dispatcher.lost.take();
    lost.map_or(Ok(()), |fault| Err(DaemonError::Lost(fault)))?;
    let Dispatcher {
        shared,
        state,
        librarian,
        languages,
        intake,
        workers: orders,
        intake_failed,
        setup,
        ..
    } = dispatcher;
    intake.into_iter().for_each(IntakeHandle::join);
    librarian.join();
    languages.join();
    let mut summary = Summary {
        without_verdict: without_verdict(&shared, setup.config.judge.skip_superseded)?,
        faulted: state.faulted(),
        intake_failed,
        pages_failed: false,
        at_once: end == End::Now,
    };
    // Whoever looks on lets the store go before it is closed.
    listener(&Notice::Ending);
    // Without orders the workers end by themselves; at a second signal nobody waits for what they
    // run.
    drop(orders);
    if end == End::Now {
        pages.abandon();
    } else {
        summary.pages_failed = !finish(threads, &runtime, pages, mode, listener)?;
    }
    Ok(summary)
}

/// Waits for the workers and the publisher, and then until the pages are written, as long as nobody
/// sends one more signal.
/// Where the daemon was told to stop, the pages have a bound too. False where some could not be
/// written.
fn finish(
    threads: Vec<JoinHandle<()>>,
    runtime: &Runtime,
    pages: PagesHandle,
    mode: Mode,
    listener: &mut dyn FnMut(&Notice),
) -> std::io::Result<bool> {
    for thread in threads {
        // A thread that failed has said so by the panic's own message.
        let _ = thread.join();
    }
    let trouble = runtime.block_on(async {
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let patience = async {
            match mode {
                Mode::Serve => sleep(PAGES_PATIENCE).await,
                Mode::Once | Mode::Rejudge => std::future::pending().await,
            }
        };
        let impatience = async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
                () = patience => {}
            }
        };
        Ok::<_, std::io::Error>(pages.finish(impatience).await)
    })?;
    if let Some(fault) = &trouble {
        listener(&Notice::Fault {
            what: "pages".to_owned(),
            reason: fault.to_string(),
            missing: Missing::Pages,
            last: true,
        });
    }
    Ok(trouble.is_none())
}

/// The intake, where something new is taken.
/// Where `status` looks for what keeps the daemon from its work; without it only that is missing.
fn trouble_file(state: &Path) -> Option<TroubleFile> {
    TroubleFile::open(state)
        .inspect_err(|error| tracing::warn!(%error, "status cannot be told what is the matter"))
        .ok()
}

fn start_intake(
    mode: Mode,
    shared: &Arc<Shared>,
    setup: &Setup,
    sender: mpsc::Sender<Message>,
) -> std::io::Result<Option<IntakeHandle>> {
    match mode {
        Mode::Rejudge => Ok(None),
        Mode::Serve | Mode::Once => {
            IntakeHandle::start(Arc::clone(shared), setup.clone(), sender).map(Some)
        }
    }
}

/// Submissions that have no verdict and should have one.
fn without_verdict(shared: &Shared, skip_superseded: bool) -> Result<u64, StoreError> {
    let counts = shared.store.reader()?.counts()?;
    Ok(if skip_superseded {
        counts.waiting - counts.superseded
    } else {
        counts.waiting
    })
}

/// Everything that is there before the first thread.
struct Opened {
    shared: Arc<Shared>,
    setup: Setup,
    host: OracleHost,
    packages: Packages,
    hacks: Recorded,
}

/// Opens the store, tries the languages, reads the packages.
fn open_all(
    config: Config,
    mode: Mode,
    workers: usize,
    listener: &mut dyn FnMut(&Notice),
) -> Result<Opened, DaemonError> {
    for folder in [&config.folders.submissions, &config.folders.problems] {
        if !folder.is_dir() {
            return Err(DaemonError::Folder {
                folder: folder.clone(),
                config: config.file.clone(),
            });
        }
    }
    let toolchain = Toolchain::of(&config);
    let sandbox = Sandbox::open(&config.sandbox.allow_missing)?;
    let store = Store::open(&config.folders.state)?;
    let shared = Arc::new(open(&config, workers, store, sandbox, listener)?);
    listener(&Notice::Probing);
    let languages = Arc::new(languages::try_all(
        toolchain,
        &shared.sandbox,
        &config,
        workers,
        match mode {
            Mode::Serve => LANGUAGES_PATIENCE,
            Mode::Once | Mode::Rejudge => LANGUAGES_PATIENCE_ONCE,
        },
    ));
    let host = OracleHost {
        config: Arc::new(config),
        languages,
        runner: workers,
    };
    let (packages, changes) = with_oracle(&shared, &host, |oracle| {
        Packages::open(&host.config, oracle)
    })?;
    let news = package_news::record(&shared, &packages, &changes)?;
    for news in news.into_iter().chain(changes.warnings) {
        listener(&Notice::Package(news));
    }
    let hacks = record_hacks(&shared, packages.library(), listener)?;
    shared
        .catch_up_logs(&shared.store.reader()?, &Entries::new())
        .map_err(|error| logs_error(&host.config, error))?;
    let setup = Setup {
        config: Arc::clone(&host.config),
        languages: Arc::clone(&host.languages),
        library: Arc::clone(packages.library()),
    };
    Ok(Opened {
        shared,
        setup,
        host,
        packages,
        hacks,
    })
}

/// Records what happened to hacks while the daemon was away; what is still to do for them stays in
/// it.
fn record_hacks(
    shared: &Shared,
    library: &Library,
    listener: &mut dyn FnMut(&Notice),
) -> Result<Recorded, StoreError> {
    let mut recorded = hacks::record(shared, library, library.keys())?;
    for words in recorded.words.drain(..) {
        listener(&Notice::Hack(words));
    }
    for reason in recorded.faults.drain(..) {
        listener(&Notice::Fault {
            what: "hack".to_owned(),
            reason,
            missing: Missing::Work,
            last: false,
        });
    }
    Ok(recorded)
}

fn logs_error(config: &Config, source: LogError) -> DaemonError {
    DaemonError::Logs {
        folder: config.folders.staff.clone(),
        source: source.of_start(&config.folders),
    }
}

/// Opens what stays open, and repairs what a sudden end left: reports that were not written, log
/// lines that were not appended.
fn open(
    config: &Config,
    workers: usize,
    store: Store,
    sandbox: Sandbox,
    listener: &mut dyn FnMut(&Notice),
) -> Result<Shared, DaemonError> {
    let folder = &config.folders.staff;
    let logs = |source: LogError| logs_error(config, source);
    // There from the start, so that permissions can be set before the first report.
    make_folder_with(folder, STAFF_MODE).map_err(|error| logs(error.into()))?;
    let reports = &config.folders.reports;
    make_folder(reports)
        .and_then(|()| {
            if !store.ended_suddenly() {
                return Ok(());
            }
            // From here on, what is found there counts as being on the disk.
            sync_file_systems([reports.as_path(), folder])
        })
        .map_err(|source| DaemonError::Reports {
            folder: reports.clone(),
            source,
        })?;
    move_to_staff(&config.folders).map_err(|error| logs(error.into()))?;
    let mark = store.reader()?.mark(LOG_MARK)?.unwrap_or(0);
    let mut opened = Logs::open(folder, mark).map_err(|error| logs(error.into()))?;
    if opened.reached() > store.reader()?.last_event()? {
        // These logs tell of another store, from before the state folder was replaced: they are put
        // aside, not continued.
        for name in ["verdicts.log", "verdicts.jsonl"] {
            put_aside(&folder.join(name)).map_err(|error| logs(error.into()))?;
        }
        opened = Logs::open(folder, 0).map_err(|error| logs(error.into()))?;
    }
    let shared = Shared {
        logs: Mutex::new(opened),
        reports: Reports::new(&config.folders.reports, folder),
        reports_behind: AtomicBool::new(false),
        board: Arc::new(RwLock::new(Scoreboard::default())),
        news: watch::Sender::new(0),
        activity: Arc::new(Activity::new(workers)),
        machine: Arc::from(machine::description()),
        store,
        sandbox,
    };
    // What cannot be written now is tried again by the librarian.
    if let Err(error) = rebuild::write_unreported(&shared, true) {
        shared.reports_behind.store(true, Ordering::Relaxed);
        listener(&Notice::Fault {
            what: "write the reports of the last run".to_owned(),
            reason: error.to_string(),
            missing: Missing::Pages,
            last: false,
        });
    }
    let reader = shared.store.reader()?;
    pages::sweep(&shared, &reader)?;
    shared
        .catch_up_logs(&reader, &Entries::new())
        .map_err(logs)?;
    Ok(shared)
}

fn tell_start(dispatcher: &mut Dispatcher<'_>) {
    let (setup, shared) = (&dispatcher.setup, &dispatcher.shared);
    let missing: BTreeSet<String> = shared
        .sandbox
        .protections()
        .iter()
        .filter(|protection| protection.hold != Hold::On)
        .map(|protection| protection.name.to_owned())
        .collect();
    (dispatcher.listener)(&Notice::Started {
        workers: dispatcher.workers.len(),
        languages: setup.languages.offered().cloned().collect(),
        problems: setup
            .library
            .iter()
            .filter_map(|(slug, loaded)| Some((slug.clone(), loaded.as_ref().ok()?.tests.len())))
            .collect(),
        missing: missing.into_iter().collect(),
        folder: setup.config.folders.submissions.clone(),
        view: View {
            state: setup.config.folders.state.clone(),
            board: Arc::clone(&shared.board),
            course: dispatcher.course.subscribe(),
            activity: Arc::clone(&shared.activity),
        },
    });
}
