//! A worker: one thread, one sandbox, one submission at a time, from what is known to the
//! judgement.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use tokio::sync::mpsc::Sender;

use super::finishing::{self, Measured};
use super::message::Message;
use super::publisher::{self, Draft};
use super::queue::Waiting;
use super::shared::{Languages, Setup, Shared};
use super::store_sink::StoreSink;
use crate::domain::{Digest, Fault, SourceFile, Submission};
use crate::judge::{Grader, Progress, Rules, Station, fold_key, judge};
use crate::package::Package;
use crate::sandbox::Runner;
use crate::store::{Reader, StoreError};
use crate::toolchain::Language;

/// One submission to judge.
pub struct Assignment {
    /// Which.
    pub waiting: Waiting,
    /// With which languages, packages and settings.
    pub setup: Setup,
}

/// Where what a worker has made of a submission goes on to.
#[derive(Clone)]
pub struct Onward {
    /// What was measured.
    pub measured: finishing::Queue,
    /// What could not be.
    pub drafts: SyncSender<Draft>,
}

/// The workers' inboxes, their threads, those that finish what they measure, and last the
/// publisher's: each ends after those
/// before it.
pub type Workers = (Vec<SyncSender<Assignment>>, Vec<JoinHandle<()>>);

pub fn start_workers(
    workers: usize,
    shared: &Arc<Shared>,
    sender: &Sender<Message>,
) -> std::io::Result<Workers> {
    let (drafts, publisher) = publisher::start(Arc::clone(shared), sender.clone())?;
    let (measured, finishing) = finishing::start(workers, shared, &drafts)?;
    let onward = Onward { measured, drafts };
    let mut assignments = Vec::new();
    let mut threads = Vec::new();
    for index in 0..workers {
        let (assignment, inbox) = sync_channel(1);
        let (shared, onward, sender) = (Arc::clone(shared), onward.clone(), sender.clone());
        assignments.push(assignment);
        threads.push(
            std::thread::Builder::new()
                .name(format!("worker-{index}"))
                .spawn(move || work(index, &shared, &inbox, &onward, &sender))?,
        );
    }
    threads.extend(finishing);
    threads.push(publisher);
    Ok((assignments, threads))
}

/// Judges what it is assigned until the channel is closed, and hands it on to be finished.
pub fn work(
    index: usize,
    shared: &Shared,
    assignments: &Receiver<Assignment>,
    onward: &Onward,
    messages: &Sender<Message>,
) {
    let mut thread = JudgingThread {
        index,
        shared,
        messages,
        runner: None,
        reader: None,
    };
    while let Ok(order) = assignments.recv() {
        let what = Arc::from(format!(
            "{}/{}",
            order.waiting.submission.student, order.waiting.submission.problem
        ));
        let attempt = AssertUnwindSafe(|| thread.measure(&order, &what));
        // One submission never stops the others, not even by a bug of ours.
        let result = catch_unwind(attempt)
            .unwrap_or_else(|_| Err(Fault::new("judge", "a bug in verdictd; see standard error")));
        shared.activity.end(index);
        let is_sent = match result {
            Ok(measured) => onward.measured.send(measured).is_ok(),
            Err(fault) => {
                // Whatever failed, the next submission gets a fresh sandbox.
                thread.runner = None;
                let draft = Draft {
                    waiting: order.waiting,
                    what,
                    result: Err(fault),
                };
                onward.drafts.send(draft).is_ok()
            }
        };
        // A closed channel means that the daemon is ending.
        if !is_sent || messages.blocking_send(Message::Free(index)).is_err() {
            return;
        }
    }
}

fn store_fault(step: &str) -> impl Fn(StoreError) -> Fault + '_ {
    move |error| error.into_fault(step)
}

/// What a worker keeps from one submission to the next.
struct JudgingThread<'a> {
    index: usize,
    shared: &'a Shared,
    messages: &'a Sender<Message>,
    runner: Option<Box<dyn Runner>>,
    reader: Option<Reader>,
}

impl JudgingThread<'_> {
    fn measure(&mut self, order: &Assignment, what: &Arc<str>) -> Result<Box<Measured>, Fault> {
        let shared = self.shared;
        let reader = opened(&mut self.reader, shared)?;
        let (submission, source) = submission_of(reader, order)?;
        shared.activity.begin(self.index, &submission);
        let package = package_of(&order.setup, &submission)?;
        let languages = &order.setup.languages;
        let (language, version) = language_of(languages, &submission)?;
        let rules = rules_of(&order.setup, shared);
        let compiler = languages.toolchain.fingerprint(language, version);
        let fold = fold_key(&package, compiler, &rules);
        let runner = runner_of(&mut self.runner, shared, self.index)?;
        let toolchain = &languages.toolchain;
        forget_where_asked(shared, reader, &submission, || {
            toolchain.build_key(language, version, &source.name, &source.bytes)
        })?;
        let mut sink = StoreSink::new(shared.store.writer());
        let mut station = Station::new(runner, toolchain, Arc::clone(&shared.machine));
        let mut grader = Grader {
            worker: &mut station,
            toolchain,
            archive: reader,
            sink: &mut sink,
            rules,
        };
        let (worker, messages) = (self.index, self.messages);
        let mut tell = |progress| tell_step(shared, messages, worker, what, progress);
        let judged = judge(&mut grader, &source, language, version, &package, &mut tell)?;
        tracing::info!(what = &**what, judged.builds, judged.runs, "judged");
        Ok(Box::new(Measured {
            waiting: order.waiting.clone(),
            what: Arc::clone(what),
            setup: order.setup.clone(),
            version: version.to_owned(),
            submission,
            source,
            package,
            judged,
            compiler,
            fold,
            written: sink.written,
        }))
    }
}

fn tell_step(
    shared: &Shared,
    messages: &Sender<Message>,
    worker: usize,
    what: &Arc<str>,
    progress: Progress,
) {
    shared.activity.step(worker, progress);
    // News may be dropped when nobody keeps up with it.
    let _ = messages.try_send(Message::Progress {
        worker,
        what: Arc::clone(what),
        progress,
    });
}

fn opened<'r>(kept: &'r mut Option<Reader>, shared: &Shared) -> Result<&'r Reader, Fault> {
    Ok(match kept {
        Some(reader) => reader,
        None => kept.insert(
            shared
                .store
                .reader()
                .map_err(store_fault("open the store"))?,
        ),
    })
}

fn runner_of<'r>(
    kept: &'r mut Option<Box<dyn Runner>>,
    shared: &Shared,
    worker: usize,
) -> Result<&'r mut dyn Runner, Fault> {
    let runner = match kept {
        Some(runner) => runner,
        None => kept.insert(shared.sandbox.runner(worker)?),
    };
    Ok(runner.as_mut())
}

fn submission_of(reader: &Reader, order: &Assignment) -> Result<(Submission, SourceFile), Fault> {
    reader
        .submission(order.waiting.submission.id)
        .map_err(store_fault("read the submission"))?
        .ok_or_else(|| Fault::new("read the submission", "it is not in the store"))
}

/// With `rejudge --force` the runs of a program are missing, whatever was measured before.
fn forget_where_asked(
    shared: &Shared,
    reader: &Reader,
    submission: &Submission,
    artifact: impl FnOnce() -> Digest,
) -> Result<(), Fault> {
    let asked = reader
        .is_to_be_measured_again(submission.id)
        .map_err(store_fault("read the submission"))?;
    if !asked {
        return Ok(());
    }
    let writer = shared.store.writer();
    writer
        .forget_runs(submission.id, artifact())
        .map_err(store_fault("forget the runs"))
}

fn package_of(setup: &Setup, submission: &Submission) -> Result<Arc<Package>, Fault> {
    match setup.library.get(&submission.problem) {
        Some(Ok(package)) => Ok(Arc::clone(package)),
        Some(Err(error)) => Err(Fault::new("read the package", error)),
        None => Err(Fault::new(
            "read the package",
            format!("there is no problem `{}` any more", submission.problem),
        )),
    }
}

fn language_of<'a>(
    languages: &'a Languages,
    submission: &Submission,
) -> Result<(&'a Language, &'a str), Fault> {
    let id = &submission.language;
    if let Some(fault) = languages.fault(id) {
        return Err(fault.clone());
    }
    let language = languages.toolchain.language(id);
    language.zip(languages.version(id)).ok_or_else(|| {
        Fault::new(
            "find the language",
            format!("`{id}` is not offered on this machine now"),
        )
    })
}

/// The settings of judging that are in force.
pub fn rules_of(setup: &Setup, shared: &Shared) -> Rules {
    Rules {
        stop_at_first_failure: setup.config.judge.stop_at_first_failure,
        repeat_near_limit: setup.config.judge.repeat_near_limit,
        policy: shared.sandbox.policy_digest(),
        build: setup.config.build.clone(),
        machine: Arc::clone(&shared.machine),
    }
}
