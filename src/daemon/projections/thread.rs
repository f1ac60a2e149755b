//! The two threads that follow the store.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::sleep;

use super::Cursor;
use super::files::Files;
use super::logs::{Announcer, LOGS, Logs};
use super::overviews::{Overviews, Pace};
use super::reports::{NOTES, Notes, pages, reports};
use super::results::{HackResults, JudgedHacks, RESULTS};
use crate::daemon::health::{Part, RETRY};
use crate::daemon::notice::Notice;
use crate::daemon::shared::{Setup, Shared};
use crate::domain::Fault;
use crate::store::{HackRow, Reader};
use crate::util::clock::thread_cpu;
use crate::util::crash::point;

/// How far the second thread steps back behind all others.
const NICENESS: i32 = 19;

/// What the threads are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    No,
    /// Write what is left, and end.
    Drain,
    /// End as soon as possible; the next start goes on.
    Now,
}

/// How a thread leaves the cores and the disk to programs that are judged meanwhile.
#[derive(Debug, Clone, Copy)]
struct Manners {
    name: &'static str,
    part: Part,
    niceness: Option<i32>,
    /// How long after a round more is gathered for the next one.
    gather: Duration,
    /// How many times the CPU time of a round is rested after it.
    rest: u32,
    /// The step of [`point`] at which the cursors are in the store.
    step: &'static str,
}

/// What somebody waits for. Where verdicts come thick and fast, bringing each to the disk by itself
/// takes more from the programs that are being run than it saves.
const FIRST: Manners = Manners {
    name: "reports",
    part: Part::Reports,
    niceness: None,
    gather: Duration::from_millis(250),
    rest: 0,
    step: "marked",
};
/// The rest.
const SECOND: Manners = Manners {
    name: "pages",
    part: Part::Pages,
    niceness: Some(NICENESS),
    gather: Duration::from_millis(100),
    rest: 99,
    step: "pages marked",
};

/// The threads. Where this is dropped they end as soon as possible.
#[derive(Default)]
pub struct Projections {
    /// The first one's first: the second one follows it.
    stops: Vec<watch::Sender<Stop>>,
    ended: Vec<oneshot::Receiver<()>>,
    threads: Vec<JoinHandle<()>>,
}

impl Projections {
    /// Starts the threads. They are told what is in force, and of `hacks` that every earlier
    /// submission is judged on.
    pub fn start(
        shared: &Arc<Shared>,
        in_force: watch::Receiver<Setup>,
        hacks: std::sync::mpsc::Receiver<HackRow>,
        notices: &mpsc::Sender<Notice>,
    ) -> std::io::Result<Self> {
        let problems = in_force.borrow().config.folders.problems.clone();
        let mut projections = Self::default();
        // Before anything is judged: what a report says depends on the course.
        let overviews = Overviews::new(shared, in_force, notices.clone());
        let reported = Arc::new(AtomicI64::new(0));
        let mut first = projections.follower(shared, FIRST);
        let results = HackResults::new(problems.clone(), Some(notices.clone()));
        first.goes_ahead = Some(Arc::clone(&reported));
        first.cursors = vec![
            reports(),
            Cursor::new(LOGS, Logs::new(&shared.reports)),
            Cursor::new(NOTES, Notes),
            Cursor::new(RESULTS, results),
        ];
        first.hacks = Some(JudgedHacks::new(shared, problems, hacks));
        first.announcer = Some(Announcer::new(shared, notices.clone()));
        projections.spawn(first)?;
        let mut second = projections.follower(shared, SECOND);
        second.cursors = vec![pages()];
        second.comes_after = Some(reported);
        second.overviews = Some(overviews);
        projections.spawn(second)?;
        Ok(projections)
    }

    fn follower(&mut self, shared: &Arc<Shared>, manners: Manners) -> Follower {
        let (stop, stopped) = watch::channel(Stop::No);
        self.stops.push(stop);
        Follower {
            manners,
            events: shared.news.subscribe(),
            stop: stopped,
            shared: Arc::clone(shared),
            reader: None,
            cursors: Vec::new(),
            goes_ahead: None,
            comes_after: None,
            announcer: None,
            hacks: None,
            overviews: None,
            failures: 0,
            retry: None,
            next: Instant::now(),
        }
    }

    fn spawn(&mut self, mut follower: Follower) -> std::io::Result<()> {
        let (end, ended) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()?;
        let manners = follower.manners;
        let thread = std::thread::Builder::new().name(manners.name.to_owned());
        let thread = thread.spawn(move || {
            if let Some(niceness) = manners.niceness {
                // Where this is not allowed, pages are made as quickly as anything.
                let _ = rustix::process::setpriority_process(None, niceness);
            }
            follower.run(&runtime);
            // The store is let go before anybody hears of the end.
            drop(follower);
            let _ = end.send(());
        })?;
        self.ended.push(ended);
        self.threads.push(thread);
        Ok(())
    }

    /// Has them write what is left, until `impatience` is over; `notices` are shown meanwhile.
    pub async fn finish(
        mut self,
        impatience: impl Future<Output = ()>,
        notices: &mut mpsc::Receiver<Notice>,
        mut show: impl FnMut(&Notice),
    ) {
        let ended = std::mem::take(&mut self.ended);
        let stops = &self.stops;
        let all = async {
            for (ended, stop) in ended.into_iter().zip(stops) {
                stop.send_if_modified(|stop| {
                    let is_running = *stop == Stop::No;
                    if is_running {
                        *stop = Stop::Drain;
                    }
                    is_running
                });
                // A thread that failed has said so by the panic's own message.
                let _ = ended.await;
            }
        };
        let mut all = pin!(all);
        let mut impatience = pin!(impatience);
        let mut is_impatient = false;
        loop {
            tokio::select! {
                () = &mut all => break,
                Some(notice) = notices.recv() => show(&notice),
                () = &mut impatience, if !is_impatient => {
                    is_impatient = true;
                    // They look at what they are told between any two files.
                    self.stop_now();
                }
            }
        }
        while let Ok(notice) = notices.try_recv() {
            show(&notice);
        }
        for thread in std::mem::take(&mut self.threads) {
            let _ = thread.join();
        }
    }
}

impl Projections {
    fn stop_now(&self) {
        for stop in &self.stops {
            stop.send_replace(Stop::Now);
        }
    }
}

impl Drop for Projections {
    fn drop(&mut self) {
        self.stop_now();
    }
}

/// A thread that follows the store.
struct Follower {
    manners: Manners,
    shared: Arc<Shared>,
    events: watch::Receiver<i64>,
    stop: watch::Receiver<Stop>,
    reader: Option<Reader>,
    /// In the order in which their files are written.
    cursors: Vec<Cursor>,
    /// Up to which event the first projection is, for the other thread.
    goes_ahead: Option<Arc<AtomicI64>>,
    /// No event is followed that is not in there: pages come after the students' reports.
    comes_after: Option<Arc<AtomicI64>>,
    announcer: Option<Announcer>,
    hacks: Option<JudgedHacks>,
    overviews: Option<Overviews>,
    /// In a row.
    failures: u32,
    /// When what has failed is tried again.
    retry: Option<Instant>,
    /// Before this, more is gathered.
    next: Instant,
}

impl Follower {
    fn run(&mut self, runtime: &Runtime) {
        let shared = Arc::clone(&self.shared);
        let files = || Files::new(&shared.reports, &shared.board);
        let mut out = [files(), files()];
        let mut was_draining = false;
        loop {
            let stop = *self.stop.borrow_and_update();
            // Before the store is read: what comes after this wakes the thread again.
            self.events.mark_unchanged();
            let is_draining = stop == Stop::Drain;
            if stop == Stop::Now {
                return;
            }
            if is_draining && !was_draining {
                // What could not be written is tried once more, and what no event may have told is
                // looked at again.
                self.retry = self.retry.map(|_| Instant::now());
                self.overviews.iter_mut().for_each(Overviews::touch_exports);
            }
            was_draining = is_draining;
            match self.round(&mut out, is_draining) {
                None if is_draining => return,
                Some(Duration::ZERO) => {}
                pause => {
                    if !runtime.block_on(self.wait(pause)) {
                        return;
                    }
                }
            }
        }
    }

    /// Waits for something to do; false when the daemon is gone, which could tell it to stop.
    async fn wait(&mut self, pause: Option<Duration>) -> bool {
        let course = async {
            match &mut self.overviews {
                Some(overviews) => overviews.changed().await,
                None => std::future::pending().await,
            }
        };
        // The sender of the events is this thread's too.
        tokio::select! {
            _ = self.events.changed() => true,
            stop = self.stop.changed() => stop.is_ok(),
            () = course => true,
            () = sleep(pause.unwrap_or_default()), if pause.is_some() => true,
        }
    }

    /// Does what can be done now; says how long nothing more can be, or that nothing is left.
    fn round(&mut self, out: &mut [Files<'_>; 2], is_draining: bool) -> Option<Duration> {
        let now = Instant::now();
        let again = self.retry.is_some_and(|at| at <= now);
        let gathers = self.next.saturating_duration_since(now);
        // The dashboard shows the scoreboard, so it comes first.
        let looked = self.look().err();
        let is_busy = !self.shared.activity.is_idle();
        let followed = if is_busy && !is_draining && !gathers.is_zero() {
            Ok((Some(gathers), None))
        } else {
            self.follow(&mut out[0], again)
        };
        let (mut pause, mut fault) = followed.unwrap_or_else(|fault| (None, Some(fault)));
        fault = fault.or(looked);
        if let (Some(overviews), Some(reader)) = (&mut self.overviews, &self.reader) {
            let stop = &self.stop;
            let pace = Pace {
                is_draining,
                again,
                must_end: &|| *stop.borrow() == Stop::Now,
            };
            let (next, failed) = overviews.round(reader, &mut out[1], &pace);
            pause = pause.into_iter().chain(next).min();
            fault = fault.or(failed);
        }
        let retry = self.look_after_failures(fault.as_ref(), again, is_draining);
        pause.into_iter().chain(retry).min()
    }

    /// Brings the scoreboard up to the store.
    fn look(&mut self) -> Result<(), Fault> {
        let Some(overviews) = &mut self.overviews else {
            return Ok(());
        };
        overviews.look(self.shared.opened(&mut self.reader)?)
    }

    /// Says what fails, or that nothing does any more; says when it is tried again.
    fn look_after_failures(
        &mut self,
        fault: Option<&Fault>,
        again: bool,
        is_draining: bool,
    ) -> Option<Duration> {
        let health = &self.shared.health;
        let is_failing = self.cursors.iter().any(Cursor::is_failing)
            || self.overviews.as_ref().is_some_and(Overviews::is_failing);
        if let Some(fault) = fault {
            health.fails(self.manners.part, fault);
            self.reader = None;
        } else if !is_failing {
            health.ok(self.manners.part);
            self.failures = 0;
        }
        if again || !is_failing {
            self.retry = None;
        }
        if (fault.is_some() || is_failing) && self.retry.is_none() {
            self.failures += 1;
            self.retry = Some(Instant::now() + RETRY.after(self.failures));
        }
        let retry = self.retry.filter(|_| !is_draining)?;
        Some(retry.saturating_duration_since(Instant::now()))
    }

    /// Brings the projections up to the store; says when there is more to do.
    fn follow(
        &mut self,
        out: &mut Files<'_>,
        again: bool,
    ) -> Result<(Option<Duration>, Option<Fault>), Fault> {
        let begun = thread_cpu();
        let reader = self.shared.opened(&mut self.reader)?;
        // Before the last event is asked for: what they were judged by is told first.
        self.hacks.iter_mut().for_each(JudgedHacks::take);
        let last = reader.last_event()?;
        let ahead = self.comes_after.as_ref();
        let until = ahead.map_or(last, |ahead| ahead.load(Ordering::Acquire).min(last));
        let (mut is_more, mut fault) = (false, None);
        for cursor in &mut self.cursors {
            match cursor.advance(reader, (until, again), out) {
                Ok((more, failed)) => {
                    is_more |= more;
                    fault = fault.or(failed);
                }
                Err(stuck) => drop(fault.get_or_insert(stuck)),
            }
        }
        let marks: Vec<_> = self.cursors.iter().filter_map(Cursor::unsaved).collect();
        if !marks.is_empty() {
            self.shared.store.writer().set_marks(marks)?;
            self.cursors.iter_mut().for_each(Cursor::mark_saved);
            point(self.manners.step);
        }
        if let (Some(ahead), Some(first)) = (&self.goes_ahead, self.cursors.first())
            && ahead.swap(first.reached, Ordering::AcqRel) != first.reached
        {
            self.shared.tell_news(0);
        }
        if let Some(announcer) = &mut self.announcer {
            // Both the report and the line in the logs are there.
            let done = self.cursors.iter().take(2).map(Cursor::done).min();
            announcer.tell(reader, done.unwrap_or(until))?;
        }
        if let Some(hacks) = &mut self.hacks {
            is_more |= hacks.finish(reader)?;
        }
        let took = thread_cpu().saturating_sub(begun);
        let gather = if is_more {
            Duration::ZERO
        } else {
            self.manners.gather
        };
        self.next = Instant::now() + gather.max(took * self.manners.rest);
        Ok((is_more.then_some(Duration::ZERO), fault))
    }
}
