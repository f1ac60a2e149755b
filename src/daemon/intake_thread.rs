//! The intake's thread: what arrives goes into the store first, and only then does anybody hear of it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::Sender;

use super::inbox::Inbox;
use super::message::{Mended, Message};
use super::queue::Waiting;
use super::shared::{Languages, LogError, Setup, Shared, file_fault};
use crate::config;
use crate::domain::{Fault, Rejection};
use crate::intake::{Arrival, Intake, Known, KnownLanguage, Mark, Token};
use crate::report::{Entry, log::RECEIVED};
use crate::store::{NewSubmission, Received, StoreError};
use crate::toolchain::Availability;
use crate::util::clock::now_ms;
use crate::util::crash::point;

/// Remembered files read from the store at a time.
const PAGE: u32 = 1_000;
/// Remembered files that are taken over from the store at the start; others are simply read again.
const REMEMBERED_MAX: usize = 1_000_000;
/// The least time between two rounds, so that a busy folder does not keep a core busy.
const ROUND_GAP: Duration = Duration::from_millis(5);

/// How often the thread may fail before nothing more is taken; a failure after a long time begins the count anew.
const FAILURES_MAX: u32 = 3;
/// A long time for that.
const FAILURES_APART: Duration = Duration::from_mins(10);
/// The pause before it begins anew.
const FAILURE_PAUSE: Duration = Duration::from_millis(200);
/// Rounds in a row in which something could not be kept, after which nobody waits for it who wants to leave.
const FAILED_ROUNDS_MAX: u32 = 3;

/// What a reload or a changed package means for the intake.
#[derive(Clone)]
struct News {
    known: Known,
    settings: config::Intake,
    languages: Arc<Languages>,
}

/// What the intake is told between two rounds.
#[derive(Default)]
struct Told {
    look: bool,
    news: Option<Box<News>>,
    stop: bool,
}

impl Told {
    fn is_nothing(&self) -> bool {
        !self.look && self.news.is_none() && !self.stop
    }
}

/// The intake's thread.
pub struct IntakeHandle {
    inbox: Arc<Inbox<Told>>,
    thread: JoinHandle<()>,
}

impl IntakeHandle {
    /// Starts the thread.
    pub fn start(
        shared: Arc<Shared>,
        setup: Setup,
        messages: Sender<Message>,
    ) -> std::io::Result<Self> {
        let inbox = Arc::new(Inbox::default());
        let own = Arc::clone(&inbox);
        let thread = std::thread::Builder::new()
            .name("intake".to_owned())
            .spawn(move || take_always(&shared, &setup, &messages, &own))?;
        Ok(Self { inbox, thread })
    }

    /// Names or settings have changed.
    pub fn know(&self, setup: &Setup) {
        let news = Box::new(News::of(setup));
        self.inbox.tell(|told| told.news = Some(news));
    }

    /// Take nothing more.
    pub fn stop(&self) {
        self.inbox.tell(|told| told.stop = true);
    }

    /// Waits for the thread's end, when nobody receives its messages any more.
    pub fn join(self) {
        self.stop();
        // A thread that failed has said so by the panic's own message.
        let _ = self.thread.join();
    }
}

impl News {
    fn of(setup: &Setup) -> Self {
        Self {
            known: known(setup),
            settings: setup.config.intake.clone(),
            languages: Arc::clone(&setup.languages),
        }
    }
}

/// Takes what arrives until it is told to stop. A bug of ours must not let files lie unnoticed: it is said, and all begins anew.
fn take_always(
    shared: &Shared,
    setup: &Setup,
    messages: &Sender<Message>,
    inbox: &Arc<Inbox<Told>>,
) {
    let root = &setup.config.folders.submissions;
    let mut current = News::of(setup);
    let mut failures = 0;
    loop {
        let start = Instant::now();
        let work = AssertUnwindSafe(|| {
            let remembered = remembered(shared, root).unwrap_or_else(|error| {
                tell_fault(messages, error.into_fault("read the remembered files"));
                Vec::new()
            });
            let wake = Arc::clone(inbox);
            let intake = Intake::new(
                root,
                current.settings.clone(),
                current.known.clone(),
                remembered,
                Some(Box::new(move || wake.tell(|told| told.look = true))),
            );
            let mut taker = Taker {
                shared,
                current: &mut current,
                messages,
                intake,
                start,
                quiet: false,
                said: None,
                failed_rounds: 0,
            };
            taker.run(inbox);
        });
        if catch_unwind(work).is_ok() {
            return;
        }
        if start.elapsed() > FAILURES_APART {
            failures = 0;
        }
        failures += 1;
        if failures >= FAILURES_MAX {
            // Nobody is left to tell when the dispatcher is gone.
            let _ = messages.blocking_send(Message::IntakeGone);
            return;
        }
        let reason = "a bug in verdictd, see above; it begins anew";
        tell_fault(
            messages,
            Fault::new("look at the submissions folder", reason),
        );
        std::thread::sleep(FAILURE_PAUSE);
    }
}

/// The names that mean something now.
fn known(setup: &Setup) -> Known {
    let languages = &setup.languages;
    Known {
        problems: setup.library.keys().cloned().collect(),
        languages: languages
            .toolchain
            .languages()
            .map(|language| KnownLanguage {
                name: language.name().to_owned(),
                extensions: language.extensions().to_vec(),
                unavailable: unavailable(languages, language.id()),
            })
            .collect(),
    }
}

fn unavailable(languages: &Languages, id: &crate::domain::LanguageId) -> Option<String> {
    match languages.found(id)? {
        Availability::Missing { .. } => Some("not offered here".to_owned()),
        // A file of a language that could not be tried is taken and waits in the store: the student has handed it in.
        Availability::Faulty { .. } | Availability::Offered { .. } => None,
    }
}

/// What the store remembers of the files that are still there; it forgets the others.
fn remembered(shared: &Shared, root: &Path) -> Result<Vec<(OsString, Mark)>, StoreError> {
    let reader = shared.store.reader()?;
    let writer = shared.store.writer();
    let mut files = Vec::new();
    let mut after = Vec::new();
    while files.len() < REMEMBERED_MAX {
        let page = reader.seen_files_after(&after, PAGE)?;
        let Some((last, _)) = page.last() else { break };
        after.clone_from(last);
        let mut gone = Vec::new();
        for (path, mark) in page {
            let is_gone = std::fs::symlink_metadata(root.join(OsStr::from_bytes(&path)))
                .is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound);
            match Mark::from_bytes(&mark) {
                Some(mark) if !is_gone => files.push((OsString::from_vec(path), mark)),
                _ => gone.push(path),
            }
        }
        if !gone.is_empty() {
            writer.forget_files(gone)?;
        }
    }
    Ok(files)
}

fn tell_fault(messages: &Sender<Message>, fault: Fault) {
    // Nobody is left to tell when the dispatcher is gone.
    let _ = messages.blocking_send(Message::IntakeFault(fault));
}

struct Taker<'a> {
    shared: &'a Shared,
    current: &'a mut News,
    messages: &'a Sender<Message>,
    intake: Intake,
    start: Instant,
    quiet: bool,
    /// What was told of the last arrival that could not be kept; `None` since one was kept.
    said: Option<Fault>,
    /// Rounds in a row in which something could not be kept.
    failed_rounds: u32,
}

impl Taker<'_> {
    fn now_ms(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn run(&mut self, inbox: &Inbox<Told>) {
        let mut trouble = None;
        loop {
            let round = self.intake.round(self.now_ms());
            let busy = !round.arrivals.is_empty();
            if busy {
                self.failed_rounds += 1;
            }
            for (token, arrival) in round.arrivals {
                if !self.take(token, arrival) {
                    return;
                }
            }
            for notice in round.notices {
                if self
                    .messages
                    .blocking_send(Message::Watching(notice))
                    .is_err()
                {
                    return;
                }
            }
            let told = round.trouble.as_ref().map(ToString::to_string);
            match &told {
                Some(text) if told != trouble => {
                    let fault = Fault::new("look at the submissions folder", text);
                    tell_fault(self.messages, fault);
                }
                None if trouble.is_some() => {
                    let text = "files are taken again".to_owned();
                    // The next message finds out whether anybody listens.
                    let _ = self.messages.blocking_send(Message::Mended(Mended::Intake));
                    let _ = self.messages.blocking_send(Message::Watching(text));
                }
                _ => {}
            }
            trouble = told;
            // What was just taken may not be the last: the next round says. Where nothing can be looked at, nothing more comes.
            let quiet = (round.idle && !busy)
                || trouble.is_some()
                || self.failed_rounds >= FAILED_ROUNDS_MAX;
            if quiet != self.quiet {
                self.quiet = quiet;
                if self.messages.blocking_send(Message::Quiet(quiet)).is_err() {
                    return;
                }
            }
            let pause = if busy {
                ROUND_GAP
            } else {
                round.next_look.max(ROUND_GAP)
            };
            if !self.wait(inbox, pause) {
                return;
            }
        }
    }

    /// Waits for the next round; false when there is none.
    fn wait(&mut self, inbox: &Inbox<Told>, pause: Duration) -> bool {
        let told = inbox.wait(pause, Told::is_nothing);
        if let Some(news) = told.news {
            let now_ms = self.now_ms();
            *self.current = *news;
            self.intake.set_known(self.current.known.clone(), now_ms);
            self.intake
                .set_settings(self.current.settings.clone(), now_ms);
        }
        !told.stop
    }

    /// Stores an arrival, then tells of it; false when nobody listens any more.
    fn take(&mut self, token: Token, arrival: Arrival) -> bool {
        point("file copied");
        let stored = match arrival {
            Arrival::Submission {
                student,
                problem,
                extension,
                file_name,
                path,
                bytes,
                digest,
            } => match self.current.languages.toolchain.language_of(&extension) {
                None => Ok(None),
                Some(language) => self.receive(NewSubmission {
                    student,
                    problem,
                    language: language.id().clone(),
                    path,
                    file_name,
                    source: bytes,
                    source_digest: digest,
                    received_ms: now_ms(),
                }),
            },
            Arrival::Rejection(rejection) => self.reject(&rejection, token.mark()),
        };
        let remembered = stored.and_then(|message| {
            let path = token.path().as_bytes().to_vec();
            let mark = token.mark().to_bytes().to_vec();
            self.shared
                .store
                .writer()
                .remember_files(vec![(path, mark)])
                .map_err(|error| error.into_fault("keep what was handed in"))?;
            Ok(message)
        });
        match remembered {
            Ok(message) => {
                point("file remembered");
                self.intake.taken(token);
                self.failed_rounds = 0;
                if self.said.take().is_some() {
                    // The next message finds out whether anybody listens.
                    let _ = self.messages.blocking_send(Message::Mended(Mended::Intake));
                }
                message.is_none_or(|message| self.messages.blocking_send(message).is_ok())
            }
            Err(fault) => {
                // The same is not said of every file that waits for it.
                if self.said.as_ref() != Some(&fault) {
                    tell_fault(self.messages, fault.clone());
                    self.said = Some(fault);
                }
                let now_ms = self.now_ms();
                self.intake.put_back(token, now_ms);
                true
            }
        }
    }

    fn receive(&self, new: NewSubmission) -> Result<Option<Message>, Fault> {
        let (student, problem) = (new.student.clone(), new.problem.clone());
        let language = new.language.clone();
        let note = Rejection {
            student: Some(student.clone()),
            path: new.path.clone(),
            reason: String::new(),
            seen_ms: new.received_ms,
        };
        let received = self
            .shared
            .store
            .writer()
            .receive(new)
            .map_err(|error| error.into_fault("keep what was handed in"))?;
        point("submission stored");
        self.shared.tell_news(0);
        // What was wrong with the file at this path is mended.
        if let Err(error) = self.shared.reports.remove_rejection(&note) {
            tell_fault(
                self.messages,
                file_fault("remove the note on a rejected file", &error),
            );
        }
        let waiting = |id| Waiting {
            id,
            student: student.clone(),
            problem: problem.clone(),
            language: language.clone(),
            judged: false,
            because: Arc::from(RECEIVED),
        };
        Ok(Some(match received {
            Received::New(id, attempt) => Message::Received(waiting(id), attempt),
            // It came again because something failed or the daemon was stopped right after it was stored.
            Received::Known(id) => Message::Known(waiting(id)),
        }))
    }

    fn reject(&self, rejection: &Rejection, mark: Mark) -> Result<Option<Message>, Fault> {
        let event = Entry::of_rejection(rejection).to_json();
        let is_new = self
            .shared
            .store
            .writer()
            .reject(rejection.clone(), mark.to_bytes().to_vec(), event)
            .map_err(|error| error.into_fault("keep what was handed in"))?;
        point("rejection stored");
        if is_new {
            let told = Message::Rejected(rejection.clone());
            if self.messages.blocking_send(told).is_err() {
                // The daemon ends; what is left to do is done at the next start.
                return Ok(None);
            }
        } else {
            // A sudden end may have come in the middle of the note.
            self.shared.reports.sweep_rejections(rejection);
        }
        // The note is written also where the store knew it: a crash or a full disk may have come between the two.
        self.shared
            .reports
            .write_rejection(rejection)
            .map_err(|error| file_fault("write the note on a rejected file", &error))?;
        point("note written");
        let logs = |error: LogError| error.into_fault("write the logs");
        let reader = self
            .shared
            .store
            .reader()
            .map_err(|error| logs(error.into()))?;
        self.shared.catch_up_logs(&reader).map_err(logs)?;
        Ok(None)
    }
}
