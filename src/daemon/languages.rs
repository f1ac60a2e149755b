//! Tries the languages: all of them at a start, and later again those that a fault of ours kept from
//! being tried.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::Sender;

use super::inbox::{Actor, Inbox};
use super::message::{Message, TriedNews};
use super::restart::Start;
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
/// ours kept from being tried. One that the run before knows, and that is still the same, has only
/// to say its version.
pub fn try_all(start: &Start, sandbox: &Sandbox, workers: usize, patience: Duration) -> Languages {
    let (config, fresh) = (&*start.config, Toolchain::of(&start.config));
    let mut known = Tried::new();
    let mut toolchain = None;
    if let Some(before) = &start.languages {
        let spec = |toolchain: &Toolchain, id: &LanguageId| -> Option<LanguageSpec> {
            toolchain
                .language(id)
                .map(|language| language.spec().clone())
        };
        let is_same = |id: &LanguageId| spec(&before.toolchain, id) == spec(&fresh, id);
        known.clone_from(&before.tried);
        known.retain(|(id, _)| is_same(id));
        let mut all = ids(&before.toolchain).chain(ids(&fresh));
        toolchain = all
            .all(|id| is_same(&id))
            .then(|| Arc::clone(&before.toolchain));
    }
    let toolchain = toolchain.unwrap_or_else(|| Arc::new(fresh));
    let mut left: Vec<LanguageId> = ids(&toolchain).collect();
    let start = Instant::now();
    let mut pause = PAUSE_MIN;
    let mut tried = Tried::new();
    loop {
        let now = try_these((&toolchain, &known), &left, sandbox, config, workers);
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
    /// Those of them that a fault kept from being tried.
    pub ids: BTreeSet<LanguageId>,
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
        config: Arc<Config>,
        runner: usize,
        messages: Sender<Message>,
    ) -> std::io::Result<Self> {
        Actor::start("languages", move |inbox| {
            let work = Work {
                shared: &shared,
                config: &config,
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
    config: &'a Config,
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
            let message = Message::Tried(TriedNews { tried, pause });
            if self.messages.blocking_send(message).is_err() {
                return;
            }
            trial = (!left.is_empty()).then_some(Trial { ids: left, ..now });
        }
    }

    fn try_once(&self, trial: &Trial) -> Tried {
        let toolchain = &trial.toolchain;
        let caps = self.config.limits.with_wall_floor();
        let mut runner = self.shared.sandbox.runner(self.runner);
        let ids = trial.ids.iter();
        ids.map(|id| {
            let found = try_one((toolchain, &[]), id, &mut runner, &caps, &self.config.build);
            let found = match found {
                Err(Unresolved::Missing(missing)) if toolchain.has_worked(id) => {
                    Err(Fault::new(format!("try `{id}`"), missing).into())
                }
                found => found,
            };
            (id.clone(), found)
        })
        .collect()
    }
}
