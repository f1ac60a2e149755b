//! The intake's thread: what arrives goes into the store first, and only then does anybody hear of
//! it.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::Sender;

use super::inbox::{Actor, Inbox};
use super::intake_roster::{IntakeRoster, Names};
use super::message::Message;
use super::notes::Notes;
use super::shared::{Languages, Setup, Shared};
use super::taker::{IntakeUpdate, Mail, Taker, tell_fault};
use crate::domain::Fault;
use crate::exports::CourseSource;
use crate::intake::{Intake, Known, KnownLanguage, Mark};
use crate::store::StoreError;
use crate::toolchain::Unresolved;

/// Remembered files read from the store at a time.
const PAGE: u32 = 1_000;
/// Remembered files that are taken over from the store at the start; others are simply read again.
const REMEMBERED_MAX: usize = 1_000_000;
/// How often the thread may fail before nothing more is taken; a failure after a long time begins
/// the count anew.
const FAILURES_MAX: u32 = 3;
/// A long time for that.
const FAILURES_APART: Duration = Duration::from_mins(10);
/// The pause before it begins anew.
const FAILURE_PAUSE: Duration = Duration::from_millis(200);

/// The intake's thread.
pub struct IntakeHandle(Actor<Mail>);

impl IntakeHandle {
    /// Starts the thread.
    pub fn start(
        shared: Arc<Shared>,
        setup: Setup,
        messages: Sender<Message>,
    ) -> std::io::Result<Self> {
        Actor::start("intake", move |inbox| {
            take_always(&shared, &setup, &messages, inbox);
        })
        .map(Self)
    }

    /// Names or settings have changed.
    pub fn know(&self, setup: &Setup) {
        let news = Box::new(IntakeUpdate::of(setup));
        self.0.tell(|mail| mail.news = Some(news));
    }

    /// Take nothing more.
    pub fn stop(&self) {
        self.0.tell(|mail| mail.stop = true);
    }

    /// Waits for the thread's end.
    pub fn join(self) {
        self.0.join(|mail| mail.stop = true);
    }
}

impl IntakeUpdate {
    fn of(setup: &Setup) -> Self {
        Self {
            known: known(setup),
            names: Names::of(&setup.config),
            settings: setup.config.intake.clone(),
            languages: Arc::clone(&setup.languages),
            course: CourseSource::of(&setup.config),
        }
    }
}

/// Takes what arrives until it is told to stop. A bug of ours must not let files lie unnoticed: it
/// is said, and all begins anew.
fn take_always(
    shared: &Shared,
    setup: &Setup,
    messages: &Sender<Message>,
    inbox: &Arc<Inbox<Mail>>,
) {
    let root = &setup.config.folders.submissions;
    let mut current = IntakeUpdate::of(setup);
    let mut failures = 0;
    loop {
        let start = Instant::now();
        let work = AssertUnwindSafe(|| {
            let mut notes = Notes::new(shared);
            let remembered = remembered(shared, root)
                .and_then(|remembered| {
                    notes.begin(&remembered)?;
                    Ok(remembered)
                })
                .unwrap_or_else(|error| {
                    tell_fault(messages, error.into_fault("read the remembered files"));
                    Vec::new()
                });
            let wake = Arc::clone(inbox);
            let mut roster = IntakeRoster::default();
            current.known.register = roster.register(&current.names);
            let intake = Intake::new(
                root,
                current.settings.clone(),
                current.known.clone(),
                remembered,
                Some(Box::new(move || wake.tell(|mail| mail.look = true))),
            );
            Taker::new(
                shared,
                &mut current,
                messages,
                intake,
                (roster, notes),
                start,
            )
            .run(inbox);
        });
        if catch_unwind(work).is_ok() {
            return;
        }
        if start.elapsed() > FAILURES_APART {
            failures = 0;
        }
        failures += 1;
        if failures >= FAILURES_MAX {
            // Without the dispatcher nobody needs to know.
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
        ignore: setup.config.intake.ignore.clone(),
        // The intake's own thread reads the roster.
        hidden: BTreeSet::new(),
        register: Arc::default(),
    }
}

fn unavailable(languages: &Languages, id: &crate::domain::LanguageId) -> Option<String> {
    match languages.found(id)? {
        Err(Unresolved::Missing(_)) => Some("not offered here".to_owned()),
        // A file of a language that could not be tried is taken and waits in the store: the student
        // has handed it in.
        Err(Unresolved::Fault(_)) | Ok(_) => None,
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
