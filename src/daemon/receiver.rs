//! The intake's thread: it receives what arrives until it is told to stop. Each arrival goes into
//! the store, and then it is announced.
//!
//! Submissions first, then the rejections of the round, all at once: a folder full of them costs
//! few waits for the disk.

use std::collections::{BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::Sender;
use tokio::sync::watch;

use super::grading::AttemptLimits;
use super::health::Part;
use super::message::{Actor, Inbox, Message};
use super::queue::Waiting;
use super::shared::{Setup, Shared};
use crate::domain::{Because, Fault, Rejection, Student, Submission};
use crate::exports::CourseSource;
use crate::intake::{Arrival, Content, Fingerprint, Intake, Known, Round, Wake, printable};
use crate::report::Entry;
use crate::store::{Had, NewFile, NewRejection, NewSubmission, Receipt, StoreError};
use crate::util::clock::now_ms;
use crate::util::crash::point;

/// The least time between two rounds, so that a busy folder does not keep a core busy.
const ROUND_GAP: Duration = Duration::from_millis(5);
/// The same after a round of which something could not be stored.
const FAULT_GAP: Duration = Duration::from_secs(1);
/// Rounds in a row in which something could not be stored, after which nothing waits for it that
/// wants to end.
const FAILED_ROUNDS_MAX: u32 = 3;
/// Students of whom it is said that the roster does not know them: a folder full of invented names
/// does not fill the terminal.
const UNKNOWN_STUDENTS_MAX: usize = 200;
/// Rows read from the store at a time.
const PAGE: u32 = 1_000;
/// Remembered files that are taken over from the store at the start; others are simply read again.
const REMEMBERED_MAX: usize = 1_000_000;

type Path = Arc<OsStr>;

/// Receives what the intake delivers.
pub(super) struct Receiver<'a> {
    shared: &'a Shared,
    in_force: watch::Receiver<Setup>,
    /// As it was looked at last.
    setup: Setup,
    messages: &'a Sender<Message>,
    intake: Intake,
    known: Known,
    limits: AttemptLimits,
    start: Instant,
    is_quiet: bool,
    /// Rounds in a row in which something could not be stored, or nothing could be looked at.
    failed_rounds: u32,
    /// Whether the folder could not be looked at in the last round.
    is_blocked: bool,
    /// Students of whom it was said that the roster does not know them.
    unknown_students: BTreeSet<Student>,
}

impl<'a> Receiver<'a> {
    /// A receiver that has the intake remember what the store does. `wake` is called when there is
    /// something to look at.
    pub fn new(
        shared: &'a Shared,
        mut in_force: watch::Receiver<Setup>,
        messages: &'a Sender<Message>,
        wake: Wake,
    ) -> Self {
        let setup = in_force.borrow_and_update().clone();
        let config = &setup.config;
        let known = setup.known_names();
        let (root, settings) = (&config.folders.submissions, config.intake.clone());
        let mut receiver = Self {
            shared,
            intake: Intake::new(root, settings, known.clone(), Some(wake)),
            limits: AttemptLimits::new(CourseSource::of(config), &shared.grading),
            in_force,
            setup,
            messages,
            known,
            start: Instant::now(),
            is_quiet: false,
            failed_rounds: 0,
            is_blocked: false,
            unknown_students: BTreeSet::new(),
        };
        if let Err(error) = receiver.remember() {
            shared.health.fails(Part::Intake, &error.into());
        }
        receiver
    }

    /// Has the intake remember what the store knows of files.
    fn remember(&mut self) -> Result<(), StoreError> {
        let reader = self.shared.store.reader()?;
        let (mut rejected, mut after) = (HashSet::new(), 0);
        loop {
            let page = reader.rejected_paths_after(after, PAGE)?;
            let Some((last, _)) = page.last() else { break };
            after = *last;
            rejected.extend(page.into_iter().map(|(_, path)| path));
        }
        let (mut count, mut after) = (0, Vec::new());
        while count < REMEMBERED_MAX {
            let page = reader.seen_files_after(&after, PAGE)?;
            let Some((last, _)) = page.last() else { break };
            after.clone_from(last);
            count += page.len();
            for (path, stored) in page {
                let path = OsString::from_vec(path);
                let is_rejected = rejected.remove(&printable(&path));
                // Of what cannot be read, nothing is the state of a file.
                let state = Fingerprint::from_bytes(&stored).unwrap_or_default();
                self.intake.remember(&path, state, is_rejected);
            }
        }
        // What has no file is left over from a sudden end.
        let left_over: Vec<Path> = rejected
            .into_iter()
            .map(|path| Arc::from(OsString::from(path)))
            .collect();
        self.intake.put_back_gone(left_over);
        Ok(())
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Receives what arrives until it is told to stop, or nobody listens any more.
    pub fn run(&mut self, inbox: &Inbox<bool>) {
        self.follow();
        while !self.messages.is_closed() {
            if self.limits.is_review_due() {
                self.intake.review();
            }
            let round = self.intake.round(self.now_ms());
            let pause = self.store_round(round);
            if inbox.wait(pause, |look| !look).is_none() {
                return;
            }
            self.follow();
        }
    }

    /// Has the intake follow the course's files, and what has come into force.
    fn follow(&mut self) {
        // Where the daemon is ending, nothing more comes into force.
        let is_news = self.in_force.has_changed().unwrap_or(false);
        if is_news {
            self.setup = self.in_force.borrow_and_update().clone();
            self.known = self.setup.known_names();
        }
        if self.limits.follow() || is_news {
            self.known.register = self.limits.register();
            self.known.hidden = self.limits.hidden(&self.known.problems);
            self.intake.set_known(self.known.clone());
        }
    }

    /// Stores what a round brought and announces it; says how long it is until the next one.
    fn store_round(&mut self, round: Round) -> Duration {
        let is_busy = !round.arrivals.is_empty() || !round.gone.is_empty();
        let was_blocked = std::mem::replace(&mut self.is_blocked, round.trouble.is_some());
        let stored = self.forget(round.gone, false);
        let stored = stored.and(self.store(round.arrivals));
        let looked = round.trouble.map_or(Ok(()), Err);
        let has_failed = stored.is_err();
        match stored.and(looked) {
            Err(fault) => {
                self.failed_rounds += 1;
                self.shared.health.fails(Part::Intake, &fault);
            }
            Ok(()) if is_busy || was_blocked => {
                self.failed_rounds = 0;
                self.shared.health.ok(Part::Intake);
            }
            Ok(()) => {}
        }
        for notice in round.notices {
            self.tell(Message::Said(notice));
        }
        // What was just taken may not be the last: the next round says. Where nothing can be looked
        // at, nothing more comes.
        let is_quiet =
            (round.idle && !is_busy) || self.is_blocked || self.failed_rounds >= FAILED_ROUNDS_MAX;
        if is_quiet != self.is_quiet {
            self.is_quiet = is_quiet;
            self.tell(Message::Quiet(is_quiet));
        }
        let pause = if has_failed {
            FAULT_GAP
        } else if is_busy {
            ROUND_GAP
        } else {
            round.next_look.max(ROUND_GAP)
        };
        self.limits.pause().map_or(pause, |look| look.min(pause))
    }

    /// Stores what has arrived; the first fault that keeps something from being stored.
    fn store(&mut self, arrivals: Vec<Arrival>) -> Result<(), Fault> {
        let (mut programs, mut rejected) = (Vec::new(), Vec::new());
        for arrival in arrivals {
            point("file copied");
            let (path, mark) = (arrival.path, arrival.fingerprint.to_bytes());
            let file = path.as_bytes().to_vec();
            let rejection = match arrival.content {
                Content::Rejection(rejection) => rejection,
                Content::Submission(named, source) => {
                    // Names and languages are replaced together, so there is one; without, it would
                    // wait for its language.
                    let toolchain = &self.setup.languages.toolchain;
                    let Some(language) = toolchain.language_of(&named.extension) else {
                        continue;
                    };
                    let new = NewSubmission {
                        student: named.student,
                        problem: named.problem,
                        language: language.id().clone(),
                        path: printable(&path),
                        source,
                        received_ms: now_ms(),
                    };
                    let Some(rejection) = self.limits.too_early(&new) else {
                        let new = NewFile {
                            limit: self.limits.of(&new),
                            new,
                            path: file,
                            mark,
                        };
                        programs.push((path, Arc::new(new)));
                        continue;
                    };
                    rejection
                }
            };
            let new = NewRejection {
                rejection,
                file,
                mark,
            };
            rejected.push((path, new));
        }
        let received = self.receive(programs, &mut rejected);
        received.and(self.reject(rejected))
    }

    /// Stores programs in one commit, then announces them; those that are too many attempts are
    /// rejected.
    fn receive(
        &mut self,
        programs: Vec<(Path, Arc<NewFile>)>,
        rejected: &mut Vec<(Path, NewRejection)>,
    ) -> Result<(), Fault> {
        if programs.is_empty() {
            return Ok(());
        }
        let files: Vec<Arc<NewFile>> = programs.iter().map(|(_, file)| Arc::clone(file)).collect();
        let received = self.shared.store.writer().receive_all(&files);
        self.shared.tell_news(0);
        let mut result = Ok(());
        let mut accepted = Vec::new();
        for ((path, file), received) in programs.into_iter().zip(received) {
            let message = match received {
                Ok(Receipt::New(submission)) => Message::Received(unjudged(submission)),
                // Nothing new, or it came again because something failed or the daemon was stopped
                // right after it was stored.
                Ok(Receipt::Known(submission)) => Message::Known(unjudged(submission)),
                Ok(Receipt::TooSoon { next_ms }) => {
                    let new = NewRejection {
                        rejection: self.limits.rejection(&file, next_ms),
                        file: file.path.clone(),
                        mark: file.mark.clone(),
                    };
                    rejected.push((path, new));
                    continue;
                }
                Err(error) => {
                    result = result.and(Err(error.into()));
                    self.intake.put_back(&path, self.now_ms());
                    continue;
                }
            };
            point("submission stored");
            if self.intake.taken(&path) {
                accepted.push(path);
            }
            point("file remembered");
            self.warn_of_unknown_student(&file.new.student);
            self.tell(message);
        }
        result.and(self.forget(accepted, true))
    }

    /// Stores rejections, then announces those that are logged.
    fn reject(&mut self, rejected: Vec<(Path, NewRejection)>) -> Result<(), Fault> {
        if rejected.is_empty() {
            return Ok(());
        }
        let (paths, new): (Vec<Path>, Vec<_>) = rejected.into_iter().unzip();
        let log = |rejection: &Rejection| Entry::of_rejection(rejection).to_json();
        match self.shared.store.writer().reject_all(new, log) {
            Ok(stored) => {
                point("rejection stored");
                for path in &paths {
                    self.intake.rejected(path);
                }
                self.shared.tell_news(0);
                for rejection in stored.told {
                    self.tell(Message::Rejected(rejection));
                }
                Ok(())
            }
            Err(error) => {
                for path in &paths {
                    self.intake.put_back(path, self.now_ms());
                }
                Err(error.into())
            }
        }
    }

    /// Forgets files that are gone, or only what was said of them: they have become submissions.
    fn forget(&mut self, paths: Vec<Path>, are_kept: bool) -> Result<(), Fault> {
        if paths.is_empty() {
            return Ok(());
        }
        let files = paths
            .iter()
            .map(|path| (printable(path), path.as_bytes().to_vec()))
            .collect();
        match self
            .shared
            .store
            .writer()
            .release(files, are_kept, now_ms())
        {
            Ok(_) => {
                self.shared.tell_news(0);
                Ok(())
            }
            Err(error) => {
                self.intake.put_back_gone(paths);
                Err(error.into())
            }
        }
    }

    /// Says once of each student that the roster does not know them, where that is asked for.
    fn warn_of_unknown_student(&mut self, student: &Student) {
        if let Some(remark) = self.limits.remark(student)
            && self.unknown_students.len() < UNKNOWN_STUDENTS_MAX
            && self.unknown_students.insert(student.clone())
        {
            let remark = format!("{remark}; judged, and in no grade book until they are");
            self.tell(Message::Said(remark));
        }
    }

    fn tell(&self, message: Message) {
        // The next round finds out whether anybody listens.
        let _ = self.messages.blocking_send(message);
    }
}

/// A submission that waits for its first judgement, as far as is known.
fn unjudged(submission: Submission) -> Waiting {
    Waiting {
        submission,
        had: Had::Nothing,
        because: Arc::from(Because::Received.words()),
    }
}

/// How often the thread may fail before nothing more is taken; a failure after a long time begins
/// the count anew.
const FAILURES_MAX: u32 = 3;
/// A long time for that.
const FAILURES_APART: Duration = Duration::from_mins(10);
/// The pause before it begins anew.
const FAILURE_PAUSE: Duration = Duration::from_millis(200);

/// Starts the intake's thread.
pub fn start(
    shared: &Arc<Shared>,
    in_force: watch::Receiver<Setup>,
    messages: Sender<Message>,
) -> std::io::Result<Actor<bool>> {
    let shared = Arc::clone(shared);
    Actor::start("intake", move |inbox| {
        run_with_restarts(&shared, &in_force, &messages, inbox);
    })
}

/// Receives what arrives until it is told to stop. A bug of ours must not let files lie unnoticed:
/// it is said, and all begins anew.
fn run_with_restarts(
    shared: &Shared,
    in_force: &watch::Receiver<Setup>,
    messages: &Sender<Message>,
    inbox: &Arc<Inbox<bool>>,
) {
    let mut failures = 0;
    loop {
        let start = Instant::now();
        let work = || {
            let wake = Arc::clone(inbox);
            let wake = Box::new(move || wake.tell(|look| *look = true));
            Receiver::new(shared, in_force.clone(), messages, wake).run(inbox);
            Ok(())
        };
        let Err(fault) = Fault::caught("look at the submissions folder", work) else {
            return;
        };
        if start.elapsed() > FAILURES_APART {
            failures = 0;
        }
        failures += 1;
        if failures >= FAILURES_MAX {
            // Without the dispatcher nobody needs to know.
            let _ = messages.blocking_send(Message::IntakeGone);
            return;
        }
        shared.health.fails(Part::Intake, &fault);
        std::thread::sleep(FAILURE_PAUSE);
    }
}
