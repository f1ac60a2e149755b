//! What becomes of each arrival: it goes into the store, then somebody hears of it, and the notes
//! on rejected files follow.
//!
//! Submissions first, in groups; then the rejections of the round, all at once: a folder full of
//! them costs few waits
//! for the disk.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::Sender;

use super::attempt_limits::AttemptLimits;
use super::inbox::Inbox;
use super::intake_roster::{IntakeRoster, Names};
use super::message::{Message, Recovered};
use super::notes::Notes;
use super::queue::Waiting;
use super::shared::{Languages, Shared};
use crate::config;
use crate::domain::{Fault, Rejection, Student};
use crate::exports::CourseSource;
use crate::intake::{Arrival, Intake, Known, Token, printable};
use crate::report::{Entry, log::RECEIVED};
use crate::store::{NewFile, NewRejection, NewSubmission, Received};
use crate::util::clock::now_ms;
use crate::util::crash::point;

/// The least time between two rounds, so that a busy folder does not keep a core busy.
const ROUND_GAP: Duration = Duration::from_millis(5);
/// Rounds in a row in which something could not be kept, after which nobody waits for it who wants
/// to leave.
const FAILED_ROUNDS_MAX: u32 = 3;

/// How long a change of the roster may go unnoticed.
const ROSTER_GAP: Duration = Duration::from_secs(2);
/// Students of whom it is told that the roster does not know them: a folder full of invented names
/// does not fill the terminal.
const STRANGERS_MAX: usize = 200;

/// Submissions of one commit.
const GROUP_MAX: usize = 64;

/// What a reload or a changed package means for the intake.
#[derive(Clone)]
pub(super) struct IntakeUpdate {
    pub known: Known,
    pub names: Names,
    pub settings: config::Intake,
    pub languages: Arc<Languages>,
    pub course: CourseSource,
}

/// What is in the intake's inbox.
#[derive(Default)]
pub(super) struct Mail {
    pub look: bool,
    pub news: Option<Box<IntakeUpdate>>,
    pub stop: bool,
}

impl Mail {
    pub fn is_nothing(&self) -> bool {
        !self.look && self.news.is_none() && !self.stop
    }
}

/// Takes what the intake delivers.
pub(super) struct Taker<'a> {
    shared: &'a Shared,
    current: &'a mut IntakeUpdate,
    messages: &'a Sender<Message>,
    intake: Intake,
    roster: IntakeRoster,
    notes: Notes<'a>,
    limits: AttemptLimits,
    start: Instant,
    quiet: bool,
    /// What was told of the last arrival that could not be kept; `None` since one was kept.
    said: Option<Fault>,
    /// Rounds in a row in which something could not be kept.
    failed_rounds: u32,
    /// Why the folder could not be looked at, as it was told.
    trouble: Option<String>,
    /// Students of whom it was told that the roster does not know them.
    strangers: BTreeSet<Student>,
}

impl<'a> Taker<'a> {
    /// `start` is when the intake's clock began.
    pub fn new(
        shared: &'a Shared,
        current: &'a mut IntakeUpdate,
        messages: &'a Sender<Message>,
        intake: Intake,
        (roster, notes): (IntakeRoster, Notes<'a>),
        start: Instant,
    ) -> Self {
        Self {
            shared,
            current,
            messages,
            intake,
            roster,
            notes,
            limits: AttemptLimits::default(),
            start,
            quiet: false,
            said: None,
            failed_rounds: 0,
            trouble: None,
            strangers: BTreeSet::new(),
        }
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Takes what arrives until it is told to stop, or nobody listens any more.
    pub fn run(&mut self, inbox: &Inbox<Mail>) {
        loop {
            if self.limits.is_review_due() {
                self.intake.review(self.now_ms());
            }
            let round = self.intake.round(self.now_ms());
            let busy = !round.arrivals.is_empty() || !round.released.is_empty();
            if busy {
                self.failed_rounds += 1;
            }
            self.release(round.released);
            if !self.take_all(round.arrivals) {
                return;
            }
            // Nothing to keep is no failure: a program whose language is gone waits for it.
            if self.said.is_none() {
                self.failed_rounds = 0;
            }
            self.write_notes(busy);
            for notice in round.notices {
                let told = self.messages.blocking_send(Message::Said(notice));
                if told.is_err() {
                    return;
                }
            }
            self.tell_trouble(round.trouble.as_ref().map(ToString::to_string));
            // What was just taken may not be the last: the next round says. Where nothing can be
            // looked at, nothing more comes.
            let quiet = (round.idle && !busy && !self.notes.are_due())
                || self.trouble.is_some()
                || self.failed_rounds >= FAILED_ROUNDS_MAX;
            if quiet != self.quiet {
                self.quiet = quiet;
                if self.messages.blocking_send(Message::Quiet(quiet)).is_err() {
                    return;
                }
            }
            let pause = if busy || self.notes.are_due() {
                ROUND_GAP
            } else {
                let next = self.notes.next_try().unwrap_or(round.next_look);
                next.min(round.next_look).max(ROUND_GAP)
            };
            let pause = self.limits.pause().map_or(pause, |look| look.min(pause));
            let pause = if self.current.names.has_roster() {
                pause.min(ROSTER_GAP)
            } else {
                pause
            };
            if !self.wait(inbox, pause) {
                return;
            }
        }
    }

    /// Waits for the next round; false when there is none.
    fn wait(&mut self, inbox: &Inbox<Mail>, pause: Duration) -> bool {
        let told = inbox.wait(pause, Mail::is_nothing);
        let now_ms = self.now_ms();
        let register = Arc::clone(&self.current.known.register);
        let is_news = told.news.is_some();
        if let Some(news) = told.news {
            *self.current = *news;
        }
        self.current.known.register = self.roster.register(&self.current.names);
        if is_news || !Arc::ptr_eq(&register, &self.current.known.register) {
            self.intake.set_known(self.current.known.clone(), now_ms);
            self.intake
                .set_settings(self.current.settings.clone(), now_ms);
        }
        !told.stop
    }

    /// Says once that the folder cannot be looked at, and that it can again.
    fn tell_trouble(&mut self, trouble: Option<String>) {
        if let Some(text) = &trouble {
            tracing::debug!(text, "nothing is taken");
        }
        match &trouble {
            Some(text) if trouble != self.trouble => {
                let fault = Fault::new("look at the submissions folder", text);
                tell_fault(self.messages, fault);
            }
            None if self.trouble.is_some() => {
                let text = "files are taken again".to_owned();
                // The next message finds out whether anybody listens.
                let _ = self
                    .messages
                    .blocking_send(Message::Recovered(Recovered::Intake));
                let _ = self.messages.blocking_send(Message::Said(text));
            }
            _ => {}
        }
        self.trouble = trouble;
    }

    /// Stores what has arrived and tells of it; false when nobody listens any more.
    fn take_all(&mut self, arrivals: Vec<(Token, Arrival)>) -> bool {
        let mut rejected = Vec::new();
        let mut handed_in = Vec::new();
        self.limits.set_source(&self.current.course);
        if !arrivals.is_empty() {
            self.limits.renew();
        }
        for (token, arrival) in arrivals {
            point("file copied");
            match self.read(&token, arrival) {
                Some(Ok(file)) => handed_in.push((token, Arc::new(file))),
                Some(Err(rejection)) => rejected.push((token, rejection)),
                None => self.intake.taken(token),
            }
        }
        let mut handed_in = handed_in.into_iter().peekable();
        while handed_in.peek().is_some() {
            let group = handed_in.by_ref().take(GROUP_MAX).collect();
            let Some(too_soon) = self.take(group) else {
                return false;
            };
            rejected.extend(too_soon);
        }
        rejected.is_empty() || self.reject(rejected)
    }

    /// What the store is to keep of an arrival; none where its language is gone meanwhile.
    fn read(&self, token: &Token, arrival: Arrival) -> Option<Result<NewFile, Rejection>> {
        let (student, problem, extension, path, source) = match arrival {
            Arrival::Rejection(rejection) => return Some(Err(rejection)),
            Arrival::Submission {
                student,
                problem,
                extension,
                path,
                source,
            } => (student, problem, extension, path, source),
        };
        // Names and languages are replaced together, so there is one.
        let language = self.current.languages.toolchain.language_of(&extension)?;
        let new = NewSubmission {
            student,
            problem,
            language: language.id().clone(),
            path,
            source,
            received_ms: now_ms(),
        };
        Some(Ok(NewFile {
            limit: self.limits.of(&new),
            new,
            path: token.path().as_bytes().to_vec(),
            mark: token.mark().to_bytes(),
        }))
    }

    /// Stores submissions in one commit, then tells of them; says which are too many attempts, and
    /// `None` when nobody listens any more.
    fn take(&mut self, group: Vec<(Token, Arc<NewFile>)>) -> Option<Vec<(Token, Rejection)>> {
        let files: Vec<Arc<NewFile>> = group.iter().map(|(_, file)| Arc::clone(file)).collect();
        let received = self.shared.store.writer().receive_all(&files);
        self.shared.tell_news(0);
        let mut too_many = Vec::new();
        for ((token, file), received) in group.into_iter().zip(received) {
            match received {
                Ok(Err(too_soon)) => {
                    let rejection = self.limits.rejection(&file, too_soon);
                    too_many.push((token.refused(&rejection.reason), rejection));
                }
                Ok(Ok(received)) => {
                    point("submission stored");
                    self.intake.taken(token);
                    point("file remembered");
                    self.kept();
                    self.tell_stranger(&file.new.student);
                    let message = message_of(received);
                    if self.messages.blocking_send(message).is_err() {
                        return None;
                    }
                }
                Err(error) => {
                    self.not_kept(error.into_fault("keep what was handed in"));
                    let now_ms = self.now_ms();
                    self.intake.put_back(token, now_ms);
                }
            }
        }
        Some(too_many)
    }

    /// Says once of each student that the roster does not know them, where that is asked for.
    fn tell_stranger(&mut self, student: &Student) {
        if let Some(remark) = self.roster.remark(student)
            && self.strangers.len() < STRANGERS_MAX
            && self.strangers.insert(student.clone())
        {
            // The next message finds out whether anybody listens.
            let _ = self.messages.blocking_send(Message::Said(remark));
        }
    }

    /// Stores the rejections of a round, then tells of those that somebody is to hear of; false
    /// when nobody listens any more.
    fn reject(&mut self, arrivals: Vec<(Token, Rejection)>) -> bool {
        let (tokens, rejections): (Vec<_>, Vec<_>) = arrivals.into_iter().unzip();
        let new = tokens
            .iter()
            .zip(rejections)
            .map(|(token, rejection)| NewRejection {
                rejection,
                file: token.path().as_bytes().to_vec(),
                mark: token.mark().to_bytes(),
            });
        let log = |rejection: &Rejection| Entry::of_rejection(rejection).to_json();
        let stored = self
            .shared
            .store
            .writer()
            .reject_all(new.collect(), log)
            .map_err(|error| error.into_fault("keep what was handed in"));
        match stored {
            Ok(rejected) => {
                point("rejection stored");
                for token in tokens {
                    self.intake.taken(token);
                }
                self.kept();
                self.notes
                    .changed(rejected.whose, !rejected.told.is_empty());
                rejected.told.into_iter().all(|rejection| {
                    let told = Message::Rejected(rejection);
                    self.messages.blocking_send(told).is_ok()
                })
            }
            Err(fault) => {
                self.not_kept(fault);
                let now_ms = self.now_ms();
                for token in tokens {
                    self.intake.put_back(token, now_ms);
                }
                true
            }
        }
    }

    /// Forgets what was said of files that are gone, or have become submissions.
    fn release(&mut self, paths: Vec<OsString>) {
        if paths.is_empty() {
            return;
        }
        let files = paths
            .iter()
            .map(|path| (printable(path), path.as_bytes().to_vec()))
            .collect();
        let released = self.shared.store.writer().release(files, now_ms());
        match released {
            Ok(whose) => {
                self.kept();
                self.notes.changed(whose, false);
            }
            Err(error) => {
                self.not_kept(error.into_fault("forget files that are gone"));
                self.intake.release_again(paths);
            }
        }
    }

    /// Writes notes that are due, now and then while more arrives.
    fn write_notes(&mut self, busy: bool) {
        let told = self.notes.write(busy);
        if let Some(fault) = told.failed {
            tell_fault(self.messages, fault);
        }
        if told.recovered {
            self.tell_recovered();
        }
    }

    fn kept(&mut self) {
        self.failed_rounds = 0;
        if self.said.take().is_some() {
            self.tell_recovered();
        }
    }

    fn not_kept(&mut self, fault: Fault) {
        tracing::debug!(%fault, "not kept");
        // The same is not said of every file that waits for it.
        if self.said.as_ref() != Some(&fault) {
            tell_fault(self.messages, fault.clone());
            self.said = Some(fault);
        }
    }

    fn tell_recovered(&self) {
        if self.said.is_none() && !self.notes.are_failing() {
            // The next message finds out whether anybody listens.
            let _ = self
                .messages
                .blocking_send(Message::Recovered(Recovered::Intake));
        }
    }
}

/// What the dispatcher hears of a program that is in the store.
fn message_of(received: Received) -> Message {
    let waiting = Waiting {
        submission: received.submission,
        judged: false,
        because: Arc::from(RECEIVED),
    };
    if received.is_new {
        Message::Received(waiting)
    } else {
        // Nothing new, or it came again because something failed or the daemon was stopped right
        // after it was stored.
        Message::Known(waiting)
    }
}

pub(super) fn tell_fault(messages: &Sender<Message>, fault: Fault) {
    // Without the dispatcher nobody needs to know.
    let _ = messages.blocking_send(Message::IntakeFault(fault));
}
