//! Tries the languages: all of them at the start and on a reload, and later again those that a
//! fault of ours kept from being tried.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::Sender;

use super::inbox::{Actor, Inbox};
use super::message::{Message, TriedNews};
use super::shared::{Languages, Shared, Tried};
use crate::config::{Config, LanguageSpec};
use crate::domain::{BuildLimits, Fault, LanguageId, Limits};
use crate::sandbox::{Sandbox, SandboxRunner};
use crate::toolchain::{Availability, Toolchain, Unresolved};
use crate::util::pool::side_by_side;

/// The pause before a language is tried again; it doubles up to [`PAUSE_MAX`].
const PAUSE_MIN: Duration = Duration::from_millis(500);
/// The longest pause between two tries.
const PAUSE_MAX: Duration = Duration::from_mins(1);
/// Where nothing is to be tried, the thread only listens.
const NOTHING_TO_TRY: Duration = Duration::from_hours(1);

/// Tries every language of the table by its echo program, and for so long again what a fault of
/// ours kept from being tried. Of those that are known from an earlier try only the version is
/// asked.
pub fn try_all(
    (fresh, known): (Toolchain, Option<&Arc<Languages>>),
    sandbox: &Sandbox,
    config: &Config,
    workers: usize,
    patience: Duration,
) -> Languages {
    let specs = |toolchain: &Toolchain| -> Vec<LanguageSpec> {
        toolchain
            .languages()
            .map(|one| one.spec().clone())
            .collect()
    };
    let known = known.filter(|known| specs(&known.toolchain) == specs(&fresh));
    let toolchain = known.map_or_else(|| Arc::new(fresh), |known| Arc::clone(&known.toolchain));
    let known = known.map_or(&[][..], |known| &known.tried);
    let mut left: Vec<LanguageId> = ids(&toolchain).collect();
    let start = Instant::now();
    let mut pause = PAUSE_MIN;
    let mut tried = Tried::new();
    loop {
        let now = try_these((&toolchain, known), &left, sandbox, config, workers);
        left = faulty(&now).cloned().collect();
        tried.retain(|(id, _)| now.iter().all(|(other, _)| other != id));
        tried.extend(now);
        if left.is_empty() || start.elapsed() + pause > patience {
            break;
        }
        std::thread::sleep(pause);
        pause *= 2;
    }
    tried.sort_by(|(one, _), (other, _)| one.cmp(other));
    Languages { toolchain, tried }
}

fn ids(toolchain: &Toolchain) -> impl Iterator<Item = LanguageId> {
    toolchain.languages().map(|language| language.id().clone())
}

fn faulty(tried: &Tried) -> impl Iterator<Item = &LanguageId> {
    tried
        .iter()
        .filter(|(_, found)| matches!(found, Err(Unresolved::Fault(_))))
        .map(|(id, _)| id)
}

/// Tries these side by side.
fn try_these(
    (toolchain, known): (&Toolchain, &[(LanguageId, Availability)]),
    ids: &[LanguageId],
    sandbox: &Sandbox,
    config: &Config,
    workers: usize,
) -> Tried {
    let caps = config.limits.with_wall_floor();
    let mut tried = Tried::new();
    side_by_side(
        workers,
        ids.len(),
        |worker| sandbox.runner(worker),
        |runner, at| try_one((toolchain, known), &ids[at], runner, &caps, &config.build),
        |at, found| tried.push((ids[at].clone(), found)),
    );
    tried
}

/// Tries a language, unless it worked before and says the same version.
fn try_one(
    (toolchain, known): (&Toolchain, &[(LanguageId, Availability)]),
    id: &LanguageId,
    runner: &mut SandboxRunner,
    caps: &Limits,
    build: &BuildLimits,
) -> Availability {
    let before = known.iter().find(|(other, _)| other == id);
    match (before, toolchain.look_again(id)) {
        (Some((_, Ok(version))), Ok(now)) if *version == now => Ok(now),
        (_, Ok(_)) => toolchain.probe(id, runner, caps, build),
        (_, unresolved) => unresolved,
    }
}

/// What the thread is to try.
pub struct Trial {
    /// The languages.
    pub toolchain: Arc<Toolchain>,
    /// With these settings.
    pub config: Arc<Config>,
    /// Which of them.
    pub which: Which,
}

/// Which languages are to be tried.
pub enum Which {
    /// All of them; one of these has only to say its version, and is not tried where that is still
    /// the same.
    All(Tried),
    /// These, which a fault kept from being tried.
    Only(BTreeSet<LanguageId>),
}

#[derive(Default)]
struct Mail {
    trial: Option<Trial>,
    stop: bool,
}

/// The thread that tries languages while the daemon runs.
pub struct LanguagesHandle(Actor<Mail>);

impl LanguagesHandle {
    /// Starts the thread; it makes its sandbox with the number `runner`, which nobody else has.
    pub fn start(
        shared: Arc<Shared>,
        runner: usize,
        messages: Sender<Message>,
    ) -> std::io::Result<Self> {
        Actor::start("languages", move |inbox| {
            let work = Work {
                shared: &shared,
                runner,
                messages: &messages,
            };
            work.run(inbox);
        })
        .map(Self)
    }

    /// Tries these, and what a fault keeps from being tried again and again; what was to be tried
    /// before is forgotten.
    pub fn try_now(&self, trial: Trial) {
        self.0.tell(|mail| mail.trial = Some(trial));
    }

    /// Waits for the thread's end.
    pub fn join(self) {
        self.0.join(|mail| mail.stop = true);
    }
}

struct Work<'a> {
    shared: &'a Shared,
    runner: usize,
    messages: &'a Sender<Message>,
}

impl Work<'_> {
    fn run(&self, inbox: &Inbox<Mail>) {
        let mut trial: Option<Trial> = None;
        let mut pause = PAUSE_MIN;
        loop {
            let wait = if trial.is_some() {
                pause
            } else {
                NOTHING_TO_TRY
            };
            let told = inbox.wait(wait, |told| !told.stop && told.trial.is_none());
            if told.stop {
                return;
            }
            if told.trial.is_some() {
                (trial, pause) = (told.trial, PAUSE_MIN);
            }
            let Some(now) = trial.take() else { continue };
            let tried = self.try_once(&now);
            let left: BTreeSet<LanguageId> = faulty(&tried).cloned().collect();
            pause = (pause * 2).min(PAUSE_MAX);
            let message = Message::Tried(TriedNews {
                toolchain: Arc::clone(&now.toolchain),
                tried,
                asked: matches!(now.which, Which::All(_)),
                pause,
            });
            if self.messages.blocking_send(message).is_err() {
                return;
            }
            trial = (!left.is_empty()).then_some(Trial {
                which: Which::Only(left),
                ..now
            });
        }
    }

    fn try_once(&self, trial: &Trial) -> Tried {
        let toolchain = &trial.toolchain;
        let caps = trial.config.limits.with_wall_floor();
        let mut runner = self.shared.sandbox.runner(self.runner);
        let known = match &trial.which {
            Which::All(known) => known.as_slice(),
            Which::Only(_) => &[],
        };
        let is_asked = |id: &LanguageId| match &trial.which {
            Which::All(_) => true,
            Which::Only(ids) => ids.contains(id),
        };
        ids(toolchain)
            .filter(is_asked)
            .map(|id| {
                let build = &trial.config.build;
                let found = try_one((toolchain, known), &id, &mut runner, &caps, build);
                let found = match found {
                    Err(Unresolved::Missing(missing))
                        if matches!(trial.which, Which::Only(_)) && toolchain.has_worked(&id) =>
                    {
                        Err(Fault::new(format!("try `{id}`"), missing).into())
                    }
                    found => found,
                };
                (id, found)
            })
            .collect()
    }
}
