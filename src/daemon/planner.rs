//! The planners bring submissions to their judgements: what is known is recalled, what is missing
//! goes to the workers as orders, and their facts go into the store.
//!
//! There are more planners than workers, so that the next order waits already when a worker has
//! done one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use tokio::sync::mpsc::Sender;

use super::finishing::{self, Measured};
use super::inbox::crew;
use super::message::{Draft, Message};
use super::publisher;
use super::queue::Waiting;
use super::shared::{Languages, Setup, Shared, store_fault};
use super::store_sink::StoreSink;
use super::worker;
use crate::domain::{Digest, Fault, SourceFile, Submission, SubmissionId};
use crate::fleet::{About, Orders, Workers};
use crate::judge::{Grader, fold_key, judge};
use crate::package::Package;
use crate::store::Reader;
use crate::toolchain::Language;
use crate::util::sync::lock;

/// Submissions in hand per worker: one is measured while the next one is prepared.
const IN_HAND: usize = 2;

/// One submission to judge.
pub struct Assignment {
    /// Which.
    pub waiting: Waiting,
    /// With which languages, packages and settings.
    pub setup: Setup,
}

/// Everything between an assignment and what the dispatcher hears of it.
pub struct Judging {
    /// Submissions to judge.
    pub assignments: SyncSender<Assignment>,
    /// How many there may be at a time that are not judged yet.
    pub in_hand: usize,
    /// Programs that run at the same time.
    pub workers: usize,
    /// What the planners want measured.
    orders: Arc<Orders>,
    /// They end when nothing more is assigned.
    planners: Vec<JoinHandle<()>>,
    /// Workers, those who finish, the publisher: each ends after those before it.
    others: Vec<JoinHandle<()>>,
}

impl Judging {
    /// Starts the threads.
    pub fn start(
        workers: usize,
        shared: &Arc<Shared>,
        messages: &Sender<Message>,
    ) -> std::io::Result<Self> {
        let in_hand = workers * IN_HAND;
        let (drafts, publisher) = publisher::start(shared, messages)?;
        let (measured, finishing) = finishing::start(workers, shared, &drafts)?;
        let orders = Arc::new(Orders::default());
        let mut others = worker::start(workers, shared, &orders, messages)?;
        others.extend(finishing);
        others.extend(publisher);
        let (shared, messages) = (Arc::clone(shared), messages.clone());
        let queue = Arc::clone(&orders);
        let (assignments, planners) = crew("planner", in_hand, in_hand, move |_, assignments| {
            let mut planner = Planner {
                shared: &shared,
                reader: None,
                orders: &queue,
                measured: &measured,
                drafts: &drafts,
            };
            while planner.next(assignments).is_some()
                && messages.blocking_send(Message::Ready).is_ok()
            {}
        })?;
        Ok(Self {
            assignments,
            in_hand,
            workers,
            orders,
            planners,
            others,
        })
    }

    /// What waits for a place.
    #[cfg(feature = "cluster")]
    pub fn orders(&self) -> &Arc<Orders> {
        &self.orders
    }

    /// Waits for everything that is in hand to come to its end. Nothing more is assigned.
    pub fn join(self) {
        drop(self.assignments);
        // A thread that failed has said so by the panic's own message.
        for thread in self.planners {
            let _ = thread.join();
        }
        self.orders.close();
        for thread in self.others {
            let _ = thread.join();
        }
    }
}

struct Planner<'a> {
    shared: &'a Shared,
    reader: Option<Reader>,
    orders: &'a Orders,
    measured: &'a SyncSender<Measured>,
    drafts: &'a SyncSender<Draft>,
}

impl Planner<'_> {
    /// Judges the next submission, and hands it on; none where the daemon is ending.
    ///
    /// One is planned at a time, so that orders wait for the workers in the order of the queue.
    fn next(&mut self, assignments: &Mutex<Receiver<Assignment>>) -> Option<()> {
        let turn = lock(assignments);
        let assignment = turn.recv().ok()?;
        let mut turn = Some(turn);
        self.shared.activity.taken();
        let submission = &assignment.waiting.submission;
        let what = Arc::from(format!("{}/{}", submission.student, submission.problem));
        let judge = || self.judged(&assignment, &what, &mut || drop(turn.take()));
        // One submission never stops the others, not even by a bug of ours.
        let judged = catch_unwind(AssertUnwindSafe(judge))
            .unwrap_or_else(|_| Err(Fault::new("judge", "a bug in verdictd; see standard error")));
        self.shared.activity.handed_on();
        match judged {
            Ok(measured) => self.measured.send(measured).ok(),
            Err(fault) => {
                let draft = Draft {
                    waiting: assignment.waiting,
                    what,
                    result: Err(fault),
                };
                self.drafts.send(draft).ok()
            }
        }
    }

    fn judged(
        &mut self,
        assignment: &Assignment,
        what: &Arc<str>,
        queued: &mut dyn FnMut(),
    ) -> Result<Measured, Fault> {
        let shared = self.shared;
        let Assignment { waiting, setup } = assignment;
        let reader = shared.opened(&mut self.reader)?;
        let (submission, source) = submission_of(reader, waiting.submission.id)?;
        let package = package_of(setup, &submission)?;
        let languages = &setup.languages;
        let (language, version) = language_of(languages, &submission)?;
        let toolchain = &languages.toolchain;
        let rules = setup.rules(shared);
        let compiler = toolchain.fingerprint(language, version);
        let judged_by = toolchain.judged_by(language, version);
        let fold = fold_key(&package, judged_by, &rules);
        forget_where_asked(shared, reader, &submission, || {
            toolchain.build_key(language, version, &source.name, &source.bytes)
        })?;
        let mut sink = StoreSink::new(shared.store.writer(), Some(source.digest));
        let about = About {
            toolchain,
            submission: &submission,
            what,
        };
        let mut workers = Workers::new(self.orders, about, queued);
        let mut grader = Grader {
            worker: &mut workers,
            toolchain,
            archive: reader,
            sink: &mut sink,
            rules,
        };
        let judged = judge(&mut grader, &source, language, version, &package)?;
        tracing::info!(what = &**what, judged.builds, judged.runs, "judged");
        Ok(Measured {
            waiting: waiting.clone(),
            what: Arc::clone(what),
            setup: setup.clone(),
            version: version.to_owned(),
            submission,
            source,
            package,
            judged,
            compiler,
            fold,
            written: sink.written,
        })
    }
}

fn submission_of(reader: &Reader, id: SubmissionId) -> Result<(Submission, SourceFile), Fault> {
    reader
        .submission(id)
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
