//! The planners bring submissions to their judgements: what is known is recalled, what is missing
//! goes to the workers as orders, and their facts go into the store.
//!
//! There are more planners than workers, so that the next order waits already when a worker has
//! done one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Arc, Mutex};

use tokio::sync::mpsc::Sender;

use super::finishing::Measured;
use super::message::{Draft, Message};
use super::programs::{Begun, Programs};
use super::queue::Waiting;
use super::readers::{Readers, written};
use super::shared::{Languages, Setup, Shared, store_fault};
use super::store_sink::StoreSink;
use crate::domain::{Digest, Fault, SourceFile, Submission, SubmissionId};
use crate::fleet::{About, Orders, Turn, Turns, Twice, Workers};
use crate::judge::{Grader, Rules, fold_key, judge};
use crate::package::Package;
use crate::store::Reader;
use crate::toolchain::Language;
use crate::util::sync::lock;

/// Submissions that wait for others of the same program, and hold up no planner; with more of them
/// a planner rests for each.
const ASIDE_MAX: usize = 32;

/// One submission to judge.
pub struct Assignment {
    /// Which.
    pub waiting: Waiting,
    /// With which languages, packages and settings.
    pub setup: Setup,
}

/// What all planners share.
pub struct Planning {
    shared: Arc<Shared>,
    readers: Readers,
    /// What they want measured.
    pub orders: Arc<Orders>,
    /// Who plans at a time.
    pub turns: Turns,
    assignments: Mutex<Receiver<Assignment>>,
    programs: Programs<Known>,
    /// Planners that are not said to be ready, because too many submissions wait for others.
    resting: AtomicUsize,
    /// Which orders are measured on a second machine too, if some are.
    twice: Option<Twice>,
    measured: SyncSender<Measured>,
    drafts: SyncSender<Draft>,
    /// To the dispatcher.
    pub messages: Sender<Message>,
}

/// Where planners put what they have done.
type Sinks = (SyncSender<Measured>, SyncSender<Draft>, Sender<Message>);

/// A submission, and everything about it that is not measured.
struct Known {
    assignment: Assignment,
    what: Arc<str>,
    submission: Submission,
    source: SourceFile,
    package: Arc<Package>,
    version: String,
    /// The key of its build.
    program: Digest,
}

/// Nobody wants more of it: the daemon is ending.
pub struct Over;

impl Planning {
    /// Nothing is planned yet.
    pub fn new(
        shared: &Arc<Shared>,
        orders: &Arc<Orders>,
        assignments: Receiver<Assignment>,
        (measured, drafts, messages): Sinks,
        twice: Option<Twice>,
    ) -> Self {
        Self {
            shared: Arc::clone(shared),
            readers: Readers::new(shared),
            orders: Arc::clone(orders),
            turns: Turns::default(),
            assignments: Mutex::new(assignments),
            programs: Programs::default(),
            resting: AtomicUsize::new(0),
            twice,
            measured,
            drafts,
            messages,
        }
    }

    /// Judges the next submission, and hands it on; says whether it can take another one.
    ///
    /// Planners take turns, so that orders wait for the workers in the order of the queue.
    pub fn next(&self) -> Result<bool, Over> {
        let assignments = lock(&self.assignments);
        let turn = self.turns.next();
        let assignment = assignments.recv().map_err(|_| Over)?;
        drop(assignments);
        self.shared.activity.taken();
        let Submission {
            student, problem, ..
        } = &assignment.waiting.submission;
        let what: Arc<str> = Arc::from(format!("{student}/{problem}"));
        let waiting = assignment.waiting.clone();
        let known = guarded(|| self.known(assignment, &what));
        let known = match known {
            Ok(known) => known,
            Err(fault) => {
                drop(turn);
                return self.hand_on(&what, &waiting, Err(fault)).map(|()| true);
            }
        };
        let program = known.program;
        match self.programs.begin(program, known) {
            Begun::Now { one, is_known } => {
                self.all_of(&program, one, is_known, turn)?;
                Ok(true)
            }
            Begun::Aside { waiting } if waiting > ASIDE_MAX => {
                self.resting.fetch_add(1, Ordering::AcqRel);
                Ok(false)
            }
            Begun::Aside { .. } => Ok(true),
        }
    }

    /// Judges a submission, and those that have waited for it meanwhile.
    fn all_of(
        &self,
        program: &Digest,
        first: Known,
        is_known: bool,
        turn: Turn<'_>,
    ) -> Result<(), Over> {
        let mut next = Some((first, Some(turn)));
        // Whether facts about the program may be on their way to the store.
        let mut are_written = !is_known;
        let mut ended = Ok(());
        while let Some((known, turn)) = next {
            let what = Arc::clone(&known.what);
            let waiting = known.assignment.waiting.clone();
            let judged = guarded(|| {
                if !are_written {
                    written(&self.shared)?;
                }
                self.judged(known, turn)
            });
            are_written = judged.as_ref().is_ok_and(is_recalled);
            if ended.is_ok() {
                ended = self.hand_on(&what, &waiting, judged);
            }
            let known = self.programs.end(program, are_written);
            next = known.map(|known| (known, None));
            let fewer = |resting: usize| resting.checked_sub(1);
            let resting = &self.resting;
            if next.is_some()
                && resting
                    .fetch_update(Ordering::AcqRel, Ordering::Acquire, fewer)
                    .is_ok()
            {
                let _ = self.messages.blocking_send(Message::Ready);
            }
        }
        ended
    }

    fn hand_on(
        &self,
        what: &Arc<str>,
        waiting: &Waiting,
        judged: Result<Measured, Fault>,
    ) -> Result<(), Over> {
        self.shared.activity.handed_on();
        match judged {
            Ok(measured) => self.measured.send(measured).map_err(|_| Over),
            Err(fault) => {
                let draft = Draft {
                    waiting: waiting.clone(),
                    what: Arc::clone(what),
                    result: Err(fault),
                };
                self.drafts.send(draft).map_err(|_| Over)
            }
        }
    }

    fn known(&self, assignment: Assignment, what: &Arc<str>) -> Result<Known, Fault> {
        let Assignment { waiting, setup } = &assignment;
        let id = waiting.submission.id;
        let (submission, source) = self.readers.read(|reader| submission_of(reader, id))?;
        let package = package_of(setup, &submission)?;
        let (language, version) = language_of(&setup.languages, &submission)?;
        let toolchain = &setup.languages.toolchain;
        let program = toolchain.build_key(language, version, &source.name, &source.bytes);
        Ok(Known {
            what: Arc::clone(what),
            submission,
            package,
            version: version.to_owned(),
            program,
            source,
            assignment,
        })
    }

    fn judged(&self, known: Known, turn: Option<Turn<'_>>) -> Result<Measured, Fault> {
        let Known {
            assignment: Assignment { waiting, setup },
            what,
            submission,
            source,
            package,
            version,
            program,
        } = known;
        let shared = &self.shared;
        let toolchain = &setup.languages.toolchain;
        let (language, _) = language_of(&setup.languages, &submission)?;
        let rules = Rules {
            waits_for_quiet: true,
            ..setup.rules(shared)
        };
        let compiler = toolchain.fingerprint(language, &version);
        let judged_by = toolchain.judged_by(language, &version);
        let fold = fold_key(&package, judged_by, &rules);
        self.forget_where_asked(&submission, program)?;
        let mut sink = StoreSink::new(shared.store.writer(), Some(source.digest));
        let about = About {
            toolchain,
            submission: &submission,
            what: &what,
            cancel: None,
        };
        let mut workers = Workers::new(&self.orders, about, turn, self.twice.as_ref());
        let mut grader = Grader {
            worker: &mut workers,
            toolchain,
            archive: &self.readers,
            sink: &mut sink,
            rules,
        };
        let judged = judge(&mut grader, &source, language, &version, &package)?;
        drop(workers);
        tracing::info!(what = &*what, judged.builds, judged.runs, "judged");
        Ok(Measured {
            waiting,
            what,
            setup: setup.clone(),
            version,
            submission,
            source,
            package,
            judged,
            compiler,
            fold,
            written: sink.written,
        })
    }

    /// With `rejudge --force` the runs of a program are missing, whatever was measured before.
    fn forget_where_asked(&self, submission: &Submission, program: Digest) -> Result<(), Fault> {
        let asked = self.readers.read(|reader| {
            let asked = reader.is_to_be_measured_again(submission.id);
            asked.map_err(store_fault("read the submission"))
        })?;
        if !asked {
            return Ok(());
        }
        let writer = self.shared.store.writer();
        writer
            .forget_runs(submission.id, program)
            .map_err(store_fault("forget the runs"))
    }
}

/// Whether nothing was measured for it.
fn is_recalled(measured: &Measured) -> bool {
    let judged = &measured.judged;
    (judged.builds, judged.runs, judged.checks) == (0, 0, 0)
}

/// One submission never stops the others, not even by a bug of ours.
fn guarded<T>(work: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(Fault::new("judge", "a bug in verdictd; see standard error")))
}

fn submission_of(reader: &Reader, id: SubmissionId) -> Result<(Submission, SourceFile), Fault> {
    reader
        .submission(id)
        .map_err(store_fault("read the submission"))?
        .ok_or_else(|| Fault::new("read the submission", "it is not in the store"))
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
