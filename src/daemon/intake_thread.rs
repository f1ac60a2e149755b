//! The intake's thread: it receives what arrives until it is told to stop.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::Sender;
use tokio::sync::watch;

use super::health::Part;
use super::message::{Actor, Inbox, Message};
use super::receiver::Receiver;
use super::shared::{Languages, Setup, Shared};
use crate::domain::{Fault, LanguageId};
use crate::intake::{Known, KnownLanguage};
use crate::toolchain::Unresolved;

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

impl Setup {
    /// The names that mean something now, but for what the course's own files say of them.
    pub(super) fn known_names(&self) -> Known {
        let languages = &self.languages;
        Known {
            problems: self.library.keys().cloned().collect(),
            languages: languages
                .toolchain
                .languages()
                .map(|language| KnownLanguage {
                    unavailable: unavailable(languages, language.id()),
                    ..KnownLanguage::new(language.name(), language.extensions())
                })
                .collect(),
            ignore: self.config.intake.ignore.clone(),
            ..Known::default()
        }
    }
}

fn unavailable(languages: &Languages, id: &LanguageId) -> Option<String> {
    match languages.found(id)? {
        Err(Unresolved::Missing { .. }) => Some("not offered here".to_owned()),
        // A file of a language that could not be tried is taken and waits in the store: the student
        // has handed it in.
        Err(Unresolved::Fault(_)) | Ok(_) => None,
    }
}
