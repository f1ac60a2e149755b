//! Tries the languages: all of them at a start, and later again those that a fault of ours kept from
//! being tried.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::Sender;

use super::inbox::{Actor, Inbox};
use super::message::{Message, TriedNews};
use super::restart::Start;
use super::shared::{Languages, Setup, Shared, Tried};
use crate::config::{Config, LanguageSpec};
use crate::domain::{BuildLimits, Fault, LanguageId, Limits};
use crate::sandbox::{Sandbox, SandboxRunner};
use crate::toolchain::{Availability, Toolchain, Unresolved};
use crate::util::clock::Backoff;
use crate::util::sync::side_by_side;

/// When a language is tried again.
const RETRY: Backoff = Backoff::doubling(Duration::from_millis(500), Duration::from_mins(1));
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
    let mut languages = Languages {
        toolchain: toolchain.unwrap_or_else(|| Arc::new(fresh)),
        tried: Tried::new(),
    };
    let mut left: Vec<LanguageId> = ids(&languages.toolchain).collect();
    let start = Instant::now();
    for failures in 1.. {
        let toolchain = &languages.toolchain;
        let now = try_these((toolchain, &known), &left, sandbox, config, workers);
        left = faulty(&now).cloned().collect();
        languages = languages.with(now);
        let pause = RETRY.after(failures);
        if left.is_empty() || start.elapsed() + pause > patience {
            break;
        }
        std::thread::sleep(pause);
    }
    languages
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

/// The thread that tries languages while the daemon runs. Those that it is told to try it tries at
/// once, and what a fault keeps from being tried again and again; what was to be tried before is
/// forgotten.
pub type LanguagesThread = Actor<Option<Vec<LanguageId>>>;

/// Starts the thread; it makes its sandbox with the number `runner`, which nobody else has.
pub fn start(
    shared: &Arc<Shared>,
    setup: &Setup,
    runner: usize,
    messages: Sender<Message>,
) -> std::io::Result<LanguagesThread> {
    let work = Work {
        shared: Arc::clone(shared),
        config: Arc::clone(&setup.config),
        toolchain: Arc::clone(&setup.languages.toolchain),
        runner,
        messages,
    };
    Actor::start("languages", move |inbox| work.run(inbox))
}

struct Work {
    shared: Arc<Shared>,
    config: Arc<Config>,
    toolchain: Arc<Toolchain>,
    runner: usize,
    messages: Sender<Message>,
}

impl Work {
    fn run(&self, inbox: &Inbox<Option<Vec<LanguageId>>>) {
        let mut left = Vec::new();
        let mut failures = 0;
        loop {
            let pause = if left.is_empty() {
                NOTHING_TO_TRY
            } else {
                RETRY.after(failures)
            };
            let Some(told) = inbox.wait(pause, Option::is_none) else {
                return;
            };
            if let Some(faulty) = told {
                (left, failures) = (faulty, 1);
            }
            if left.is_empty() {
                continue;
            }
            let tried = self.try_once(&left);
            left = faulty(&tried).cloned().collect();
            failures += 1;
            let pause = RETRY.after(failures);
            let message = Message::Tried(TriedNews { tried, pause });
            if self.messages.blocking_send(message).is_err() {
                return;
            }
        }
    }

    fn try_once(&self, ids: &[LanguageId]) -> Tried {
        let (toolchain, config) = (&self.toolchain, &self.config);
        let caps = config.limits.with_wall_floor();
        let mut runner = self.shared.sandbox.runner(self.runner);
        let try_one = |id: &LanguageId| {
            let found = try_one((toolchain, &[]), id, &mut runner, &caps, &config.build);
            let found = match found {
                Err(missing @ Unresolved::Missing { .. }) if toolchain.has_worked(id) => {
                    Err(Fault::new(format!("try `{id}`"), missing).into())
                }
                found => found,
            };
            (id.clone(), found)
        };
        ids.iter().map(try_one).collect()
    }
}
