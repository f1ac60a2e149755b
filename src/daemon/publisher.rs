//! The publisher: one thread that takes what is judged and finished, and brings it to the store,
//! the reports and the logs.
//!
//! What has gathered while it worked, and for a moment after that, is the next batch, and each step
//! is done for the whole batch at once:
//! a single judgement is published at once, and of many each costs a share of a commit.
//! The order of the steps is what a sudden end relies on: the store, the reports, the logs, and
//! then the store's word that the reports are there.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::Sender;

use super::inbox::crew;
use super::message::{Draft, Message};
use super::queue::Waiting;
use super::shared::{Entries, Shared, file_fault};
use crate::domain::Fault;
use crate::report::Rendered;
use crate::store::{FaultRecord, Publication, Reader, Unawaited};
use crate::util::clock::now_ms;
use crate::util::crash::point;
use crate::util::hash::Key;
use crate::util::sync::lock;

/// Submissions that may wait for the publisher; whoever has one more waits.
const QUEUE_MAX: usize = 64;
/// How long after a batch the next one is still gathered. Where verdicts come thick and fast,
/// bringing each to the disk by itself takes more from the programs that are being run than it
/// saves.
const GATHER: Duration = Duration::from_millis(250);

/// Starts the thread. It ends when the last sender is gone.
pub fn start(
    shared: &Arc<Shared>,
    messages: &Sender<Message>,
) -> std::io::Result<(SyncSender<Draft>, Vec<JoinHandle<()>>)> {
    let (shared, messages) = (Arc::clone(shared), messages.clone());
    crew("publisher", 1, QUEUE_MAX, move |_, drafts| {
        serve(&shared, &lock(drafts), &messages);
    })
}

fn serve(shared: &Shared, drafts: &Receiver<Draft>, messages: &Sender<Message>) {
    let mut reader = None;
    let mut gather_until = Instant::now();
    while let Ok(first) = drafts.recv() {
        let mut batch = vec![first];
        while batch.len() < QUEUE_MAX {
            // The last ones have nobody to be gathered with.
            let pause = if shared.activity.is_idle() {
                Duration::ZERO
            } else {
                gather_until.saturating_duration_since(Instant::now())
            };
            match drafts.recv_timeout(pause) {
                Ok(draft) => batch.push(draft),
                // Time is up, nobody else waits for a verdict, or the daemon is ending.
                Err(_) => break,
            }
        }
        let publish = AssertUnwindSafe(|| publish(shared, &mut reader, &mut batch));
        if catch_unwind(publish).is_err() {
            let reason = "a bug in verdictd; see standard error";
            fail_all(&mut batch, &Fault::new("publish", reason));
        }
        for draft in batch {
            if messages.blocking_send(Message::Finished(draft)).is_err() {
                return;
            }
        }
        gather_until = Instant::now() + GATHER;
    }
}

/// The store first, then the reports and the logs, then the store's word that they are there.
/// What fails on the way is the fault of the submissions that it concerns, and the others go on.
fn publish(shared: &Shared, reader: &mut Option<Reader>, batch: &mut [Draft]) {
    let reader = match shared.opened(reader) {
        Ok(reader) => reader,
        Err(fault) => return fail_all(batch, &fault),
    };
    to_store(shared, batch);
    point("published");
    to_reports(shared, batch);
    point("report written");
    to_logs(shared, reader, batch);
    mark_reported(shared, batch);
    point("marked");
    tracing::info!(judgements = going_on(batch).count(), "published");
}

/// The submissions that nothing has failed for yet.
fn going_on(batch: &mut [Draft]) -> impl Iterator<Item = &mut Draft> {
    batch.iter_mut().filter(|draft| draft.result.is_ok())
}

fn fail_all(batch: &mut [Draft], fault: &Fault) {
    for draft in going_on(batch) {
        draft.result = Err(fault.clone());
    }
}

/// Publishes the judgements.
fn to_store(shared: &Shared, batch: &mut [Draft]) {
    let judgements: Vec<(Arc<Publication>, Unawaited)> = going_on(batch)
        .filter_map(|draft| draft.result.as_ref().ok())
        .map(|folded| (Arc::clone(&folded.publication), folded.facts.clone()))
        .collect();
    if judgements.is_empty() {
        return;
    }
    let results = shared.store.writer().publish_all(&judgements);
    for (draft, result) in going_on(batch).zip(results) {
        match result {
            Ok(outcome) => {
                if let Ok(folded) = &mut draft.result {
                    folded.is_news = outcome.is_news;
                    folded.event = outcome.event;
                }
                // A report that says more is no event, and yet its page has to be written.
                shared.tell_news(outcome.event.unwrap_or(0));
            }
            Err(error) => draft.result = Err(error.into_fault("keep the judgement")),
        }
    }
}

/// Writes the reports; after this they are on the disk.
fn to_reports(shared: &Shared, batch: &mut [Draft]) {
    let reports: Vec<&Rendered> = batch
        .iter()
        .filter_map(|draft| draft.result.as_ref().ok())
        .map(|folded| &folded.report)
        .collect();
    let results = shared.reports.write_all(&reports);
    for (draft, result) in going_on(batch).zip(results) {
        if let Err(error) = result {
            draft.result = Err(file_fault("write the report", &error));
        }
    }
}

/// Brings the logs up to the store's events.
fn to_logs(shared: &Shared, reader: &Reader, batch: &mut [Draft]) {
    let known = |draft: &Draft| {
        let folded = draft.result.as_ref().ok()?;
        Some((folded.event?, folded.entry.clone()))
    };
    let known: Entries = batch.iter().filter_map(known).collect();
    if let Err(error) = shared.catch_up_logs(reader, &known) {
        fail_all(batch, &error.into_fault("write the logs"));
    }
}

/// Has the store know that the reports are there.
fn mark_reported(shared: &Shared, batch: &mut [Draft]) {
    let marks: Vec<_> = batch
        .iter()
        .filter_map(|draft| {
            Some((
                draft.waiting.submission.id,
                draft.result.as_ref().ok()?.publication.fold,
            ))
        })
        .collect();
    if marks.is_empty() {
        return;
    }
    if let Err(error) = shared.store.writer().mark_all_reported(marks) {
        fail_all(batch, &error.into_fault("mark the report as written"));
    }
}

/// Keeps a fault where `status` finds it, until the report is there.
pub fn remember_fault(shared: &Shared, waiting: &Waiting, fault: &Fault, pause_ms: Option<i64>) {
    let now_ms = now_ms();
    let record = FaultRecord {
        work: Key::new("judge")
            .part(&waiting.submission.id.0.to_le_bytes())
            .finish(),
        submission: Some(waiting.submission.id),
        fault: fault.clone(),
        next_try_ms: pause_ms.map(|pause_ms| now_ms.saturating_add(pause_ms)),
        last_ms: now_ms,
    };
    if let Err(error) = shared.store.writer().fault(record) {
        // People were told of it; that the store cannot keep it changes nothing for the student.
        tracing::warn!(%error, "a fault could not be kept");
    }
    // What is not judged stands in results.xml too.
    shared.tell_news(0);
}
