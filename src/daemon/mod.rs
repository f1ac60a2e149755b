//! The daemon: one dispatcher that owns the [`state`], and threads that do the work: intake, store,
//! librarian, languages, slots, pages.
//!
//! Threads tell the dispatcher what has happened; it turns that into events for the state, which is
//! pure, and carries out what follows.

mod activity;
mod attempt_limits;
mod dispatch;
mod error;
mod facts;
mod forget;
mod grading;
mod hack_waits;
mod hacks;
mod health;
mod hub;
mod in_force;
mod inbox;
mod intake_thread;
mod languages;
mod librarian;
mod machines;
mod message;
mod notice;
mod offer;
mod opening;
mod oracle;
mod package_news;
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
mod slots;
mod speed;
mod stale;
mod state;
mod view;

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::sleep;

pub use activity::{Activity, Run};
pub use error::DaemonError;
pub use forget::{Forgotten, forget, look_for};
pub use grading::load as load_grading;
pub use health::read_trouble;
pub use notice::{Line, Notice};
pub use opening::Mode;
pub use projections::{current_report, rebuild};
pub use requests::{Request, failure as request_failure, to_forget};
pub use view::View;

use dispatch::{Dispatcher, End};
use health::Part;
use in_force::InForce;
use intake_thread::IntakeHandle;
use languages::LanguagesHandle;
use librarian::LibrarianHandle;
use message::Message;
use opening::open_all;
use projections::Projections;
use search::SearchHandle;
use shared::{Languages, Setup, Shared};
use slots::Slots;

use crate::config::Config;
use crate::store::StoreError;

/// Messages or notices that may wait for the dispatcher; a thread with one more waits.
const MESSAGES_MAX: usize = 1_024;

/// How long a daemon that was told to stop still writes pages; the next start goes on with them.
const PAGES_PATIENCE: Duration = Duration::from_secs(10);

/// What follows where files could not be written before the end.
const NEXT_START: &str = "they are missing; the next start writes them";

/// How long a daemon that starts again waits for its own threads to let the store go. They have been
/// told to end; on a busy machine that takes a while.
const LET_GO_MAX: Duration = Duration::from_mins(1);
const LET_GO_PAUSE: Duration = Duration::from_millis(5);

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

/// Runs the daemon until it is told to stop, or has done what the mode says.
pub fn run(
    mut config: Config,
    mode: Mode,
    workers: usize,
    listener: &mut dyn FnMut(&Notice),
) -> Result<Summary, DaemonError> {
    let mut known = None;
    loop {
        let (summary, again) = run_once(config, known.as_ref(), mode, workers, listener)?;
        match again {
            Some((again, languages)) => (config, known) = (again, Some(languages)),
            None => return Ok(summary),
        }
    }
}

/// A configuration, and what is known of its languages.
type Again = (Config, Arc<Languages>);

/// How it ended, and with what it is to start again, if it is. `known` are the languages as they
/// were tried before.
fn run_once(
    config: Config,
    known: Option<&Arc<Languages>>,
    mode: Mode,
    workers: usize,
    listener: &mut dyn FnMut(&Notice),
) -> Result<(Summary, Option<Again>), DaemonError> {
    let opened = open_all(config, known, mode, workers, listener)?;
    let (shared, setup, hacks) = (opened.shared, opened.setup, opened.hacks);
    let (sender, mut messages) = mpsc::channel(MESSAGES_MAX);
    let (notices_in, mut notices) = mpsc::channel(MESSAGES_MAX);
    let problems = setup.config.folders.problems.clone();
    let (pages, following) = Projections::start(&shared, setup.course(), problems, &notices_in)?;
    drop(notices_in);
    let slots = Slots::start(workers, &shared, &setup, &sender)?;
    let librarian = LibrarianHandle::start(
        Arc::clone(&shared),
        opened.host,
        opened.packages,
        sender.clone(),
    )?;
    let runner = workers + 1;
    let hub = hub::start(&shared, &setup, workers + 2, &sender)?;
    let languages = LanguagesHandle::start(Arc::clone(&shared), runner, sender.clone())?;
    shared.look_at_proposals();
    let searcher = start_search(mode, &shared, &setup, workers + 3)?;
    let intake = start_intake(mode, &shared, &setup, sender)?;
    let in_force = InForce {
        setup,
        runner: workers,
        intake,
        librarian,
        languages,
        searcher,
        following,
    };
    let (held, once) = (Arc::clone(&shared), mode != Mode::Serve);
    let mut dispatcher =
        Dispatcher::new(held, in_force, (workers, slots), once, hacks.open, listener);
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let end = runtime.block_on(dispatcher.run(&mut messages, &mut notices))?;
    dispatcher.hear_the_rest(messages);
    if let End::Lost(fault) = end {
        return Err(DaemonError::Lost(fault));
    }
    let rest = dispatcher.close();
    let Setup {
        config, languages, ..
    } = rest.setup;
    let without_verdict = without_verdict(&shared, config.judge.skip_superseded)?;
    let mut summary = Summary {
        without_verdict: without_verdict.saturating_sub(rest.held as u64),
        faulted: rest.faulted,
        intake_failed: rest.intake_failed,
        pages_failed: false,
        at_once: end == End::Now,
    };
    // Whoever looks on lets the store go before it is closed.
    listener(&Notice::Ending);
    // At a second signal nobody waits for what is being run.
    if end == End::Now {
        drop(pages);
        return Ok((summary, None));
    }
    rest.slots.join();
    if let Some((hub, identity)) = hub {
        identity.cancel();
        hub.join();
    }
    let patience = pages_patience(mode, rest.starts_again);
    finish(&runtime, (pages, &mut notices), patience, listener)?;
    summary.pages_failed = !tell_what_is_missing(&shared, listener);
    if !rest.starts_again {
        return Ok((summary, None));
    }
    let_go(shared);
    Ok((summary, Some((Config::clone(&config), languages))))
}

/// How long pages are still written at the end; `None` for as long as it takes.
fn pages_patience(mode: Mode, starts_again: bool) -> Option<Duration> {
    match mode {
        // The next start goes on with them, and the dashboard waits for it.
        Mode::Serve if starts_again => Some(Duration::ZERO),
        Mode::Serve => Some(PAGES_PATIENCE),
        Mode::Once | Mode::Rejudge => None,
    }
}

/// Waits until nobody has the store open; whoever still does has been told to end.
fn let_go(shared: Arc<Shared>) {
    let end = Instant::now() + LET_GO_MAX;
    let held = Arc::downgrade(&shared);
    drop(shared);
    while held.strong_count() > 0 && Instant::now() < end {
        std::thread::sleep(LET_GO_PAUSE);
    }
}

/// Waits until everything that follows the store is written, as long as nobody sends one more signal.
/// Where there is a patience, that has a bound too.
fn finish(
    runtime: &Runtime,
    (projections, notices): (Projections, &mut mpsc::Receiver<Notice>),
    patience: Option<Duration>,
    listener: &mut dyn FnMut(&Notice),
) -> std::io::Result<()> {
    runtime.block_on(async {
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let patience = async {
            match patience {
                Some(patience) => sleep(patience).await,
                None => std::future::pending().await,
            }
        };
        let impatience = async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
                () = patience => {}
            }
        };
        projections.finish(impatience, notices, listener).await;
        Ok(())
    })
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

/// The searchers, where somebody has time to wait for what they find.
fn start_search(
    mode: Mode,
    shared: &Arc<Shared>,
    setup: &Setup,
    runner: usize,
) -> std::io::Result<Option<SearchHandle>> {
    match mode {
        Mode::Rejudge | Mode::Once => Ok(None),
        Mode::Serve => SearchHandle::start(shared, setup, runner).map(Some),
    }
}

/// The intake, where something new is taken.
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
