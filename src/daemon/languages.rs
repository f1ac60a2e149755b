//! Tries the languages: all of them at a start, and later again those that a fault of ours kept
//! from being tried; and what follows from it: which are new, which are gone, and which nobody can
//! be judged in for now.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::Sender;

use super::message::{Actor, Inbox, Message};
use super::notice::Notice;
use super::shared::{Languages, Setup, Shared, Tried};
use super::start::Start;
use crate::config::{Config, LanguageSpec};
use crate::domain::{BuildLimits, Digest, Fault, LanguageId, Limits};
use crate::sandbox::{Sandbox, SandboxRunner};
use crate::store::FaultRecord;
use crate::toolchain::{Availability, Language, Toolchain, Unresolved};
use crate::util::clock::{Backoff, as_ms, now_ms};
use crate::util::hash::Key;
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
            let message = Message::Tried(tried, pause);
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

/// What follows where a language cannot be tried.
const WAITS: &str =
    "programs in this language are accepted, and wait until it works; it is tried again";

/// The languages after a submission failed, where that was because its compiler fails on everything:
/// nobody else is judged with it until it works again.
pub fn without_broken_compiler(old: &Languages, id: &LanguageId) -> Option<Languages> {
    let fault = old
        .toolchain
        .language(id)
        .and_then(Language::take_trouble)?;
    old.version(id)?;
    Some(old.with(vec![(id.clone(), Err(fault.into()))]))
}

/// What people hear of the languages that are others than before.
pub fn changes(old: Option<&Languages>, new: &Languages) -> Vec<Notice> {
    let change = |(id, now): &(LanguageId, Availability)| {
        let language = new.toolchain.language(id);
        let name = language.map_or(id.as_str(), |language| language.name());
        change(name, old.and_then(|old| old.found(id)), now)
    };
    new.tried.iter().filter_map(change).collect()
}

fn change(name: &str, before: Option<&Availability>, now: &Availability) -> Option<Notice> {
    use Unresolved::{Fault as Faulty, Missing as Absent};
    let words = match (before, now) {
        (None, Ok(_) | Err(Absent { .. }))
        | (Some(Err(Absent { .. })), Err(Absent { .. }))
        | (Some(Err(Faulty(_))), Err(Faulty(_))) => return None,
        (Some(Ok(old)), Ok(new)) if old == new => return None,
        (Some(Ok(_)), Ok(version)) => format!("languages: {name} is now {version}"),
        (Some(Err(Absent { .. })), Ok(version)) => format!("languages: {name} is new ({version})"),
        (Some(Err(Faulty(_))), Ok(version)) => {
            format!("languages: {name} works ({version}); what waits for it is judged")
        }
        (Some(_), Err(missing @ Absent { .. })) => {
            format!("languages: {name} is no longer offered: {missing}")
        }
        (_, Err(Faulty(fault))) => {
            return Some(Notice::fault("languages", fault.to_string(), WAITS));
        }
    };
    Some(Notice::Said(words))
}

/// Keeps for `status` which languages cannot be tried, and when they are tried again.
pub fn remember_faults(shared: &Shared, languages: &Languages, pause: Duration) {
    let last_ms = now_ms();
    let pause_ms = as_ms(pause).cast_signed();
    let record = |(id, fault): (&LanguageId, &Fault)| FaultRecord {
        work: work_key(id),
        submission: None,
        fault: fault.clone(),
        next_try_ms: Some(last_ms.saturating_add(pause_ms)),
        last_ms,
    };
    let faults = languages.faults().map(record).collect();
    let healthy = languages
        .tried
        .iter()
        .filter(|(id, _)| languages.fault(id).is_none())
        .map(|(id, _)| work_key(id))
        .collect();
    if let Err(error) = shared.store.writer().language_faults(faults, healthy) {
        // It was announced; that the store cannot keep it changes nothing for students.
        tracing::warn!(%error, "the languages' faults could not be kept");
    }
    shared.tell_news(0);
}

/// The key under which the store keeps that a language cannot be tried.
fn work_key(id: &LanguageId) -> Digest {
    Key::new("language").part(id.as_str().as_bytes()).finish()
}
