//! The daemon: one dispatcher that owns the [`state`], and threads that do the work: intake, store,
//! librarian, languages, slots, pages.
//!
//! Threads tell the dispatcher what has happened; it turns that into events for the state, which is
//! pure, and carries out what follows.

mod activity;
mod dispatch;
mod forget;
mod grading;
mod hacks;
mod health;
mod hub;
mod in_force;
mod languages;
mod librarian;
mod machines;
mod message;
mod notice;
mod opening;
mod packages;
mod place;
mod projections;
mod publication;
mod queue;
mod receiver;
mod requests;
mod search;
mod shared;
mod slot;
mod start;
mod state;

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, watch};
use tokio::time::sleep;

use self::dispatch::{Dispatcher, End};
use self::health::{Part, RETRY};
use self::in_force::InForce;
use self::message::Message;
use self::notice::TRIED_AGAIN;
use self::opening::{Opened, open_all};
use self::place::RunnerOf;
use self::projections::Projections;
use self::search::SearchHandle;
use self::shared::Shared;
use self::slot::Slots;
use self::start::{Start, refused};
use crate::cluster::hub::Hub;
use crate::config::Config;
use crate::domain::Because;
use crate::sandbox::Cancel;
use crate::store::{self, HackRow, StoreError};
use crate::util::signals::DaemonSignals;

pub use activity::{Activity, Run, View};
pub use forget::{Forgotten, forget, look_for};
pub use grading::load as load_grading;
pub use health::read_trouble;
pub use notice::{Line, Notice, PackageNews};
pub use opening::Mode;
pub use projections::{current_report, rebuild};
pub use requests::{Request, failure as request_failure, to_forget};
pub use shared::rules;
pub use start::{DaemonError, read_config};

/// Messages or notices that may wait for the dispatcher; a thread with one more waits.
const MESSAGES_MAX: usize = 1_024;

/// How long a daemon that was told to stop still writes pages; the next start goes on with them.
const PAGES_PATIENCE: Duration = Duration::from_secs(10);

/// The same where the daemon starts anew in a moment, and the dashboard waits for it: enough for the
/// last verdicts to be told.
const RESTART_PATIENCE: Duration = Duration::from_secs(2);

/// What follows where files could not be written before the end.
const NEXT_START: &str = "they are missing; the next start writes them";

/// How long a daemon that starts again waits for its own threads to let the store go. They have been
/// told to end; on a busy machine that takes a while.
const STORE_RELEASE_MAX: Duration = Duration::from_mins(1);
const STORE_RELEASE_PAUSE: Duration = Duration::from_millis(5);

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

/// Runs the daemon until it is told to stop, or has done what the mode says. When a setting changes,
/// or a student is to be forgotten, it drains and starts anew in the same process.
pub fn run(
    config: Config,
    mode: Mode,
    listener: &mut dyn FnMut(&Notice),
) -> Result<Summary, DaemonError> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let mut signals = None;
    let mut start = Start::first(config);
    let mut ended = None;
    let (mut failures, mut said) = (0, None);
    loop {
        let error = match open_all(&start, mode, listener) {
            Ok(opened) => {
                match run_once(opened, &start, mode, (&runtime, &mut signals), listener)? {
                    (summary, Some(again)) => (start, ended) = (again, Some(summary)),
                    (summary, None) => return Ok(summary),
                }
                (failures, said) = (0, None);
                continue;
            }
            Err(error) => error,
        };
        if let Some(before) = start.before.take() {
            listener(&Notice::Said(refused(&error)));
            (start.config, start.because) = (before, Because::Away);
            continue;
        }
        // What it had a moment ago is out of reach, perhaps only for a while: a folder, room on the
        // disk. It outlasts that while it runs, too.
        let (Some(summary), Some(signals)) = (ended, &mut signals) else {
            return Err(error);
        };
        let reason = error.to_string();
        if said.as_ref() != Some(&reason) {
            listener(&Notice::fault("start again", reason.clone(), TRIED_AGAIN));
            said = Some(reason);
        }
        failures += 1;
        if runtime.block_on(signals.stop_within(RETRY.after(failures))) {
            return Ok(summary);
        }
    }
}

/// How it ended, and with what it is to start again, if it is.
fn run_once(
    opened: Opened,
    start: &Start,
    mode: Mode,
    (runtime, signals): (&Runtime, &mut Option<DaemonSignals>),
    listener: &mut dyn FnMut(&Notice),
) -> Result<(Summary, Option<Start>), DaemonError> {
    let (sender, mut messages) = mpsc::channel(MESSAGES_MAX);
    let (notices_in, mut notices) = mpsc::channel(MESSAGES_MAX);
    let threads = Threads::start(opened, mode, sender, &notices_in)?;
    drop(notices_in);
    let (shared, projections, hub) = (threads.shared, threads.projections, threads.hub);
    let (in_force, slots, hacks) = (threads.in_force, threads.slots, threads.hacks);
    let (held, once) = (Arc::clone(&shared), mode != Mode::Serve);
    let mut dispatcher = Dispatcher::new(held, in_force, slots, once, hacks, listener);
    let guard = runtime.enter();
    let signals = match signals {
        Some(signals) => signals,
        None => signals.insert(DaemonSignals::new()?),
    };
    drop(guard);
    let end = runtime.block_on(dispatcher.run(start, signals, &mut messages, &mut notices));
    dispatcher.drain_messages(messages);
    if let End::Lost(fault) = end {
        return Err(DaemonError::Lost(fault));
    }
    let rest = dispatcher.close();
    let without_verdict = without_verdict(&shared, start.config.judge.skip_superseded)?;
    let mut summary = Summary {
        without_verdict: without_verdict.saturating_sub(rest.held as u64),
        faulted: rest.faulted,
        intake_failed: rest.intake_failed,
        pages_failed: false,
        at_once: end == End::Now,
    };
    // Whoever looks on lets the store go before it is closed.
    listener(&Notice::Ending {
        starts_again: rest.again.is_some(),
    });
    // At a second signal nobody waits for what is being run.
    if end == End::Now {
        drop(projections);
        return Ok((summary, None));
    }
    rest.slots.join();
    if let Some((hub, identity)) = hub {
        identity.cancel();
        hub.join();
    }
    let patience = pages_patience(mode, rest.again.is_some());
    let following = (projections, &mut notices);
    let is_stopped = finish(runtime, following, patience, signals, listener);
    summary.pages_failed = !tell_what_is_missing(&shared, listener);
    // Whoever asks it to stop meanwhile is heard too.
    let mut again = rest.again.filter(|_| !is_stopped);
    if let Some(again) = &mut again {
        let (old, new) = (&start.config.folders.state, &again.config.folders.state);
        if old == new {
            again.announced = Some(shared.announced.load(Relaxed));
        }
        wait_for_store_release(shared);
        if old != new {
            store::leave(old);
        }
    }
    Ok((summary, again))
}

/// What runs beside the dispatcher.
struct Threads {
    shared: Arc<Shared>,
    in_force: InForce,
    slots: Slots,
    projections: Projections,
    hub: Option<(Hub, Cancel)>,
    /// Those for which nothing is planned yet.
    hacks: Vec<HackRow>,
}

impl Threads {
    fn start(
        opened: Opened,
        mode: Mode,
        sender: mpsc::Sender<Message>,
        notices: &mpsc::Sender<Notice>,
    ) -> Result<Self, DaemonError> {
        let (shared, setup, workers) = (opened.shared, opened.setup, opened.workers);
        let (published, in_force) = watch::channel(setup.clone());
        let follow = || in_force.clone();
        let (judged_hacks, hacks) = std::sync::mpsc::channel();
        let projections = Projections::start(&shared, follow(), hacks, notices)?;
        place::open(workers, &shared, &setup.languages.toolchain, notices);
        let slots = Slots::start(&shared, &sender)?;
        let known = (opened.host, opened.packages);
        let librarian = librarian::start(&shared, follow(), known, sender.clone())?;
        let runner = RunnerOf::Languages.number(workers);
        let languages = languages::start(&shared, &setup, runner, sender.clone())?;
        let runner = RunnerOf::Identity.number(workers);
        let hub = hub::start(opened.access, &shared, follow(), runner, notices)?;
        shared.look_at_proposals();
        // Where somebody has time to wait for what is found.
        let has_time = mode == Mode::Serve;
        let runner = RunnerOf::Searchers.number(workers);
        let searcher = has_time.then(|| SearchHandle::start(&shared, follow(), runner));
        let takes_new = mode != Mode::Rejudge;
        let intake = takes_new.then(|| receiver::start(&shared, follow(), sender));
        let (searcher, intake) = (searcher.transpose()?, intake.transpose()?);
        let in_force = InForce {
            setup,
            published,
            intake,
            librarian,
            languages,
            searcher,
            judged_hacks,
        };
        Ok(Self {
            shared,
            in_force,
            slots,
            projections,
            hub,
            hacks: opened.hacks.open,
        })
    }
}

/// How long pages are still written at the end; `None` for as long as it takes.
fn pages_patience(mode: Mode, starts_again: bool) -> Option<Duration> {
    match mode {
        Mode::Serve if starts_again => Some(RESTART_PATIENCE),
        Mode::Serve => Some(PAGES_PATIENCE),
        Mode::Once | Mode::Rejudge => None,
    }
}

/// Waits until nobody has the store open; whoever still does has been told to end.
fn wait_for_store_release(shared: Arc<Shared>) {
    let end = Instant::now() + STORE_RELEASE_MAX;
    let held = Arc::downgrade(&shared);
    drop(shared);
    while held.strong_count() > 0 && Instant::now() < end {
        std::thread::sleep(STORE_RELEASE_PAUSE);
    }
}

/// Waits until everything that follows the store is written, as long as nobody sends one more signal
/// to stop; says whether somebody has. Where there is a patience, that has a bound too.
fn finish(
    runtime: &Runtime,
    (projections, notices): (Projections, &mut mpsc::Receiver<Notice>),
    patience: Option<Duration>,
    signals: &mut DaemonSignals,
    listener: &mut dyn FnMut(&Notice),
) -> bool {
    let mut is_stopped = false;
    runtime.block_on(async {
        let impatience = async {
            tokio::select! {
                () = signals.stop() => is_stopped = true,
                () = sleep(patience.unwrap_or_default()), if patience.is_some() => {}
            }
        };
        projections.finish(impatience, notices, listener).await;
    });
    is_stopped
}

/// Says what could not be written before the end; false where there is something.
fn tell_what_is_missing(shared: &Shared, listener: &mut dyn FnMut(&Notice)) -> bool {
    for notice in shared.health.take_notices() {
        listener(&notice);
    }
    let missing = [(Part::Reports, "reports"), (Part::Pages, "pages")];
    let missing = missing.map(|(part, what)| Some((what, shared.health.fault_of(part)?)));
    for (what, reason) in missing.iter().flatten() {
        listener(&Notice::fault(what, reason.clone(), NEXT_START));
    }
    missing.iter().all(Option::is_none)
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
