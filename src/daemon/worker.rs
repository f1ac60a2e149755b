//! A worker: one thread, one sandbox, one submission at a time, from what is known to the report on disk.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use tokio::sync::mpsc::Sender;

use super::message::Message;
use super::notice::Line;
use super::queue::Waiting;
use super::shared::{Languages, Setup, Shared, file_fault};
use super::store_facts::StoreFacts;
use crate::domain::{Digest, Fault, Judgement, LanguageId, Submission, Verdict};
use crate::judge::{Bench, Rules, fold_key, judge, provenance};
use crate::package::{Io, Package};
use crate::report::{Context, Entry, document};
use crate::sandbox::Runner;
use crate::store::{FaultRecord, Publication, Published, StoreError};
use crate::toolchain::Language;
use crate::util::clock::now_ms;
use crate::util::crash::point;
use crate::util::excerpt::decode;
use crate::util::hash::Key;

/// One submission to judge.
pub struct Order {
    /// Which.
    pub waiting: Waiting,
    /// With which languages, packages and settings.
    pub setup: Setup,
}

/// Judges orders until the channel is closed.
pub fn work(index: usize, shared: &Shared, orders: &Receiver<Order>, messages: &Sender<Message>) {
    let mut runner: Option<Box<dyn Runner>> = None;
    while let Ok(order) = orders.recv() {
        let what = Arc::from(format!(
            "{}/{}",
            order.waiting.student, order.waiting.problem
        ));
        let attempt = AssertUnwindSafe(|| {
            bring_to_verdict(index, shared, &order, &mut runner, &what, messages)
        });
        // One submission never stops the others, not even by a bug of ours.
        let result = catch_unwind(attempt)
            .unwrap_or_else(|_| Err(Fault::new("judge", "a bug in verdictd; see standard error")));
        if result.is_err() {
            // Whatever failed, the next submission gets a fresh sandbox.
            runner = None;
        }
        let finished = Message::Finished {
            worker: index,
            waiting: order.waiting,
            what,
            result,
        };
        if messages.blocking_send(finished).is_err() {
            return;
        }
    }
}

/// Keeps a fault where `status` finds it.
pub fn remember_fault(shared: &Shared, waiting: &Waiting, fault: &Fault, pause_ms: Option<i64>) {
    let now_ms = now_ms();
    let record = FaultRecord {
        work: Key::new("judge").part(&waiting.id.0.to_le_bytes()).finish(),
        submission: Some(waiting.id),
        fault: fault.clone(),
        next_try_ms: pause_ms.map(|pause_ms| now_ms.saturating_add(pause_ms)),
        last_ms: now_ms,
    };
    let event = serde_json::json!({"step": fault.step, "reason": fault.reason});
    if let Err(error) = shared.store.writer().fault(record, event.to_string()) {
        // People were told of it; that the store cannot keep it changes nothing for the student.
        tracing::warn!(%error, "a fault could not be kept");
    }
}

fn store_fault(step: &str) -> impl Fn(StoreError) -> Fault + '_ {
    move |error| error.into_fault(step)
}

/// What came of an order.
pub struct Done {
    /// The row to show, where the verdict is new or has changed.
    pub line: Option<Line>,
    /// What the judgement was folded from.
    pub fold: Digest,
    /// The submission's language.
    pub language: LanguageId,
}

fn bring_to_verdict(
    index: usize,
    shared: &Shared,
    order: &Order,
    runner: &mut Option<Box<dyn Runner>>,
    what: &Arc<str>,
    messages: &Sender<Message>,
) -> Result<Box<Done>, Fault> {
    let reader = shared
        .store
        .reader()
        .map_err(store_fault("open the store"))?;
    let submission = reader
        .submission(order.waiting.id)
        .map_err(store_fault("read the submission"))?
        .ok_or_else(|| Fault::new("read the submission", "it is not in the store"))?;
    let package = package_of(&order.setup, &submission)?;
    let languages = &order.setup.languages;
    let (language, version) = language_of(languages, &submission)?;
    let rules = rules_of(&order.setup, shared);
    let compiler = languages.toolchain.fingerprint(language, version);
    let fold = fold_key(&package, compiler, &rules);
    let runner = match runner {
        Some(runner) => runner,
        None => runner.insert(shared.sandbox.runner(index)?),
    };
    let facts = StoreFacts {
        writer: shared.store.writer(),
        reader: &reader,
    };
    let mut bench = Bench {
        runner: runner.as_mut(),
        toolchain: &languages.toolchain,
        facts: &facts,
        rules,
    };
    let mut tell = |progress| {
        // News may be dropped when nobody keeps up with it.
        let _ = messages.try_send(Message::Progress {
            worker: index,
            what: Arc::clone(what),
            progress,
        });
    };
    let judged = judge(
        &mut bench,
        &submission,
        language,
        version,
        &package,
        &mut tell,
    )?;
    tracing::info!(
        what = &**what,
        builds = judged.builds,
        runs = judged.runs,
        "judged"
    );
    let notes = notes_of(&package, &submission);
    let provenance = provenance(&judged, &package, compiler, fold, &shared.machine);
    let context = Context {
        limits: &judged.limits,
        language_version: version,
        protections: shared.sandbox.protections(),
        notes: &notes,
        provenance: Some(&provenance),
        judged_ms: now_ms(),
    };
    publish(
        shared,
        order,
        &submission,
        &judged.judgement,
        &context,
        fold,
    )
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
    let language = languages.toolchain.language(id);
    language.zip(languages.version(id)).ok_or_else(|| {
        Fault::new(
            "find the language",
            format!("`{id}` is not offered on this machine now"),
        )
    })
}

/// What else the student should know.
fn notes_of(package: &Package, submission: &Submission) -> Vec<String> {
    let mut notes = Vec::new();
    let source = decode(&submission.source, submission.source.len());
    if let Some(encoding) = source.encoding {
        notes.push(format!(
            "the source is not UTF-8; for display it was read as {encoding}, and compiled as the bytes it is"
        ));
    }
    if package.io == Io::StdioOrFiles {
        notes.push(
            "programs for this problem may read INPUT.TXT and write OUTPUT.TXT instead of standard input and output"
                .to_owned(),
        );
    }
    notes
}

/// The settings of judging that are in force.
pub fn rules_of(setup: &Setup, shared: &Shared) -> Rules {
    Rules {
        stop_at_first_failure: setup.config.judge.stop_at_first_failure,
        policy: shared.sandbox.policy_digest(),
        build: setup.config.build.clone(),
    }
}

/// The store first, then the report, then the store's word that the report is there.
fn publish(
    shared: &Shared,
    order: &Order,
    submission: &Submission,
    judgement: &Judgement,
    context: &Context<'_>,
    fold: Digest,
) -> Result<Box<Done>, Fault> {
    let report = document(submission, judgement, context);
    let publication = Publication {
        submission: submission.id,
        fold,
        verdict: judgement.verdict,
        cause: judgement.cause.clone(),
        first_failing_test: first_failing(judgement),
        document: report.to_json(),
        event_json: Entry::of_verdict(&report, &order.waiting.because).to_json(),
        because: order.waiting.because.to_string(),
        judged_ms: context.judged_ms,
    };
    let writer = shared.store.writer();
    // After a fault between the store and the reports nobody has heard of the verdict yet.
    let unheard = shared
        .store
        .reader()
        .and_then(|reader| reader.judgement(submission.id))
        .map_err(store_fault("read the judgement before"))?
        .is_some_and(|before| !before.reported);
    point("folded");
    let published = writer
        .publish(publication)
        .map_err(store_fault("keep the judgement"))?;
    point("published");
    shared
        .reports
        .write(&report)
        .map_err(|error| file_fault("write the report", &error))?;
    point("report written");
    shared
        .catch_up_logs()
        .map_err(|error| error.into_fault("write the logs"))?;
    writer
        .mark_reported(submission.id, fold)
        .map_err(store_fault("mark the report as written"))?;
    point("marked");
    let news = unheard || matches!(published, Published::Changed { .. });
    Ok(Box::new(Done {
        line: news.then(|| line_of(submission, judgement, context.judged_ms)),
        fold,
        language: submission.language.clone(),
    }))
}

fn first_failing(judgement: &Judgement) -> Option<String> {
    let index = judgement.first_failing?;
    Some(judgement.tests.get(index)?.test.name.clone())
}

/// A judgement as one line shows it.
pub fn line_of(submission: &Submission, judgement: &Judgement, judged_ms: i64) -> Line {
    let tests = &judgement.tests;
    Line {
        judged_ms,
        verdict: judgement.verdict,
        cause: judgement.cause.clone(),
        student: submission.student.clone(),
        problem: submission.problem.clone(),
        attempt: submission.attempt,
        language: submission.language.clone(),
        first_failing: first_failing(judgement),
        passed: tests
            .iter()
            .filter(|result| result.verdict == Verdict::Accepted)
            .count(),
        tests: tests.len(),
        cpu_ms: tests
            .iter()
            .map(|result| result.cpu.as_millis())
            .max()
            .unwrap_or(0),
        memory_kib: tests
            .iter()
            .map(|result| result.memory_bytes / 1024)
            .max()
            .unwrap_or(0),
    }
}
