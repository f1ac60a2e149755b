//! Opens everything that is there before the first thread: the store, the languages, the packages;
//! and repairs what a sudden end has left.

use std::sync::atomic::AtomicI64;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use tokio::sync::watch;

use super::activity::Activity;
use super::forget::forget;
use super::hacks::{self, Recorded};
use super::health::Health;
use super::librarian::{OracleHost, with_oracle};
use super::machines::Reference;
use super::notice::{NOT_TRIED_AGAIN, Notice, TRIED_AGAIN};
use super::packages::{self, Packages};
use super::place::RunnerOf;
use super::projections::{STAFF_MODE, sweep};
use super::shared::{Setup, Shared};
use super::start::{DaemonError, Start};
use super::{hub, languages, requests};
use crate::cluster::access::Access;
use crate::config::Config;
use crate::judge::passed_key;
use crate::overview::Scoreboard;
use crate::package::Library;
use crate::report::Reports;
use crate::sandbox::Sandbox;
use crate::store::{Store, StoreError, copies};
use crate::util::clock::now_ms;
use crate::util::files::{make_folder, make_folder_with, sync_file_systems};
use crate::util::machine;

/// How long a daemon that serves tries again, before it is ready, what a fault keeps from being
/// tried; it goes on while it runs.
const LANGUAGES_PATIENCE: Duration = Duration::from_secs(2);
/// The same for one that leaves when it has judged what is there: nobody tries for it later.
const LANGUAGES_PATIENCE_ONCE: Duration = Duration::from_mins(1);

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

/// Everything that is there before the first thread.
pub struct Opened {
    pub shared: Arc<Shared>,
    pub setup: Setup,
    pub host: OracleHost,
    pub packages: Packages,
    pub hacks: Recorded,
    /// Programs that run at the same time on this machine.
    pub workers: usize,
    /// How the server is reached, if one is named.
    pub access: Option<Access>,
}

/// Checks what a configuration names and can be seen without opening anything; says how the server
/// is reached.
pub fn check(config: &Config) -> Result<Option<Access>, DaemonError> {
    for folder in [&config.folders.submissions, &config.folders.problems] {
        if !folder.is_dir() {
            return Err(DaemonError::Folder {
                folder: folder.clone(),
                config: config.file.clone(),
            });
        }
    }
    hub::access(config)
}

/// Opens the store, tries the languages, reads the packages: before there is any thread but those of
/// the store and the sandbox.
pub fn open_all(
    start: &Start,
    mode: Mode,
    listener: &mut dyn FnMut(&Notice),
) -> Result<Opened, DaemonError> {
    let config = &start.config;
    let access = check(config)?;
    let workers = config.judge.workers.places();
    // Whom they name is in the folders that were in force when it was asked.
    forget_whom_requests_name(start.before.as_ref().unwrap_or(config), listener);
    let mut sandbox = Sandbox::open(&config.sandbox.allow_missing)?;
    let shared_cores = sandbox.claim_cores(workers);
    if shared_cores > 0 {
        listener(&Notice::Said(format!(
            "{shared_cores} of {workers} workers share a core with another verdictd, which makes times less even: set `workers` under [judge] in both, so that there are enough cores"
        )));
    }
    let store = Store::open(&config.folders.state)?;
    let shared = Arc::new(open(start, workers, store, sandbox)?);
    listener(&Notice::Probing);
    let languages = Arc::new(languages::try_all(
        start,
        &shared.sandbox,
        workers,
        match mode {
            Mode::Serve => LANGUAGES_PATIENCE,
            Mode::Once | Mode::Rejudge => LANGUAGES_PATIENCE_ONCE,
        },
    ));
    let host = OracleHost {
        config: Arc::clone(config),
        languages,
        runner: RunnerOf::Packages.number(workers),
    };
    after_upgrade(&shared, &host.config, listener)?;
    let (packages, changes) = with_oracle(&shared, &host, |oracle| {
        Packages::open(&host.config, oracle)
    })?;
    let news = packages::record(&shared, &packages, &changes)?;
    for news in news.into_iter().chain(changes.warnings) {
        listener(&Notice::Package(news));
    }
    let hacks = record_hacks(&shared, packages.library(), listener)?;
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
        workers,
        access,
    })
}

/// Says what an upgrade has left to do. What has joined the tests stays one of them: nobody asks the
/// examples again.
fn after_upgrade(
    shared: &Shared,
    config: &Config,
    listener: &mut dyn FnMut(&Notice),
) -> Result<(), StoreError> {
    let reader = shared.store.reader()?;
    let counts = reader.counts()?;
    let Some(words) = counts.judged_again() else {
        return Ok(());
    };
    for hack in reader.open_hacks(None)? {
        let passed = passed_key(&hack.problem, &hack.digest);
        if hack.refused.is_none() && reader.answer(&passed)?.is_none() {
            let writer = shared.store.writer();
            writer.put_answer(passed, Arc::from([]), now_ms())?;
        }
    }
    let copy = copies(&config.folders.state).pop();
    let copy = copy.map_or_else(String::new, |copy| {
        format!("; the store as it was before is {}", copy.display())
    });
    listener(&Notice::Said(format!(
        "{words}; the verdicts stand until then{copy}"
    )));
    Ok(())
}

/// Forgets the students whom requests name. One that fails is told and tried again by the next
/// start: until then grading goes on.
fn forget_whom_requests_name(config: &Config, listener: &mut dyn FnMut(&Notice)) {
    for (file, student) in requests::to_forget(&config.folders.state) {
        match forget(config, &student) {
            // Without the name: what a terminal keeps of it is not ours to remove.
            Ok(_) => {
                listener(&Notice::Said("a student was forgotten".to_owned()));
                requests::remove(&file);
            }
            Err(error) => {
                let reason = error.to_string();
                requests::fail(&file, &reason);
                // Not logged, since the reason may name the student.
                let what = "forget a student".to_owned();
                listener(&Notice::Fault {
                    what,
                    reason,
                    next: NOT_TRIED_AGAIN,
                });
            }
        }
    }
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
        listener(&Notice::fault("hack", reason, TRIED_AGAIN));
    }
    Ok(recorded)
}

/// Opens what stays open, and removes what a sudden end left half written.
fn open(
    start: &Start,
    workers: usize,
    store: Store,
    sandbox: Sandbox,
) -> Result<Shared, DaemonError> {
    let config = &start.config;
    let (reports, staff) = (&config.folders.reports, &config.folders.staff);
    // There from the start, so that permissions can be set before the first report.
    make_folder_with(staff, STAFF_MODE)
        .and_then(|()| make_folder(reports))
        .and_then(|()| {
            if !store.ended_suddenly() {
                return Ok(());
            }
            // From here on, what is found there counts as being on the disk.
            sync_file_systems([reports.as_path(), staff])
        })
        .map_err(|source| DaemonError::Reports {
            folder: reports.clone(),
            source,
        })?;
    let announced = match start.announced {
        Some(announced) => announced,
        None => store.reader()?.last_event()?,
    };
    let shared = Shared {
        reports: Reports::new(reports, staff),
        board: Arc::new(RwLock::new(Scoreboard::default())),
        news: watch::Sender::new(0),
        announced: AtomicI64::new(announced),
        activity: Arc::new(Activity::new(workers)),
        health: Health::new(&config.folders),
        grading: Arc::clone(&start.grading),
        speed: Reference::default(),
        pool: Arc::default(),
        machine: Arc::from(machine::description()),
        store,
        sandbox,
    };
    sweep(&shared)?;
    Ok(shared)
}
