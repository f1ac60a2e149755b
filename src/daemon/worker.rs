//! A worker: one thread, one sandbox, one submission at a time, from what is known to the judgement that the publisher takes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};

use tokio::sync::mpsc::Sender;

use super::message::Message;
use super::notice::Line;
use super::publisher::{Draft, Folded};
use super::queue::Waiting;
use super::shared::{Languages, Setup, Shared};
use super::store_sink::StoreSink;
use crate::domain::{Digest, Fault, HowBuilt, Judgement, Submission, Verdict};
use crate::explain;
use crate::judge::{Grader, Progress, Rules, Station, fold_key, judge, provenance};
use crate::package::{Io, Package};
use crate::report::{CasePart, Change, Context, Entry, Report, document};
use crate::sandbox::Runner;
use crate::store::{HistoryRow, Publication, Reader, StoreError, Unawaited};
use crate::toolchain::Language;
use crate::util::clock::now_ms;
use crate::util::crash::point;
use crate::util::excerpt::decode;

/// One submission to judge.
pub struct Order {
    /// Which.
    pub waiting: Waiting,
    /// With which languages, packages and settings.
    pub setup: Setup,
}

/// Judges orders until the channel is closed, and hands what comes of them to the publisher.
pub fn work(
    index: usize,
    shared: &Shared,
    orders: &Receiver<Order>,
    drafts: &SyncSender<Draft>,
    messages: &Sender<Message>,
) {
    let mut tools = JudgingThread {
        index,
        shared,
        messages,
        runner: None,
        reader: None,
    };
    while let Ok(order) = orders.recv() {
        let what = Arc::from(format!(
            "{}/{}",
            order.waiting.student, order.waiting.problem
        ));
        let attempt = AssertUnwindSafe(|| tools.bring_to_verdict(&order, &what));
        // One submission never stops the others, not even by a bug of ours.
        let result = catch_unwind(attempt)
            .unwrap_or_else(|_| Err(Fault::new("judge", "a bug in verdictd; see standard error")));
        shared.activity.end(index);
        if result.is_err() {
            // Whatever failed, the next submission gets a fresh sandbox.
            tools.runner = None;
        }
        let draft = Draft {
            waiting: order.waiting,
            what,
            result,
        };
        // Where one of the two is gone, the daemon is ending.
        if drafts.send(draft).is_err() || messages.blocking_send(Message::Free(index)).is_err() {
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
    fn bring_to_verdict(&mut self, order: &Order, what: &Arc<str>) -> Result<Box<Folded>, Fault> {
        let shared = self.shared;
        let reader = opened(&mut self.reader, shared)?;
        let submission = submission_of(reader, order)?;
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
            toolchain.build_key(language, version, &submission.file_name, &submission.source)
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
        let judged = judge(
            &mut grader,
            &submission,
            language,
            version,
            &package,
            &mut tell,
        )?;
        tracing::info!(what = &**what, judged.builds, judged.runs, "judged");
        let notes = notes_of(&package, &submission);
        let provenance = provenance(&judged, &package, compiler, fold);
        let case = explained(&package, &judged.judgement, judged.printed.as_deref());
        let previous = Previous::of(reader, &order.waiting, &judged.judgement)?;
        let how_built = how_built_of(&order.setup, &package, &submission, version);
        let context = Context {
            title: &package.title,
            io: package.io,
            history: &previous.history,
            disclosures: package.disclosures,
            case: case.as_ref(),
            limits: &judged.limits,
            language_version: version,
            how_built: &how_built,
            protections: shared.sandbox.protections(),
            notes: &notes,
            provenance: Some(&provenance),
            judged_ms: previous.judged_ms,
        };
        folded(
            shared,
            &previous,
            &submission,
            &judged.judgement,
            &context,
            fold,
            sink.written,
        )
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

fn submission_of(reader: &Reader, order: &Order) -> Result<Submission, Fault> {
    reader
        .submission(order.waiting.id)
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

/// How the program was built, in words for people.
fn how_built_of(
    setup: &Setup,
    package: &Package,
    submission: &Submission,
    version: &str,
) -> HowBuilt {
    let toolchain = &setup.languages.toolchain;
    let language = toolchain.language(&submission.language);
    language.map_or_else(HowBuilt::default, |language| {
        toolchain.how_built(
            language,
            version,
            (&submission.file_name, &submission.source),
            &setup.config.build,
            package.limits.memory_bytes,
        )
    })
}

/// What went wrong; a bug in what tells it is no reason to withhold the verdict.
fn explained(package: &Package, judgement: &Judgement, printed: Option<&[u8]>) -> Option<CasePart> {
    let explain = AssertUnwindSafe(|| explain::case(package, judgement, printed));
    catch_unwind(explain).unwrap_or_else(|_| {
        tracing::error!("a bug in what explains a verdict; the report goes without");
        None
    })
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
        repeat_near_limit: setup.config.judge.repeat_near_limit,
        policy: shared.sandbox.policy_digest(),
        build: setup.config.build.clone(),
        machine: Arc::clone(&shared.machine),
    }
}

/// Why a submission was judged, and what was said of it before.
struct Previous<'a> {
    because: &'a str,
    before: Option<Verdict>,
    judged_ms: i64,
    /// The verdicts that it has had, and this one where it is another: as the store will tell of them.
    history: Vec<Change>,
}

impl<'a> Previous<'a> {
    fn of(reader: &Reader, waiting: &'a Waiting, judgement: &Judgement) -> Result<Self, Fault> {
        let before = reader
            .judgement(waiting.id)
            .map_err(store_fault("read the judgement before"))?;
        let mut previous = Self {
            because: &waiting.because,
            before: before.map(|before| before.verdict),
            judged_ms: now_ms(),
            history: Vec::new(),
        };
        // Most are judged once.
        if previous.before.is_some() {
            let rows = reader
                .history(waiting.id)
                .map_err(store_fault("read the history"))?;
            previous.history = previous.history_with(rows, judgement);
        }
        Ok(previous)
    }

    fn history_with(&self, mut rows: Vec<HistoryRow>, judgement: &Judgement) -> Vec<Change> {
        let now = HistoryRow {
            verdict: judgement.verdict,
            cause: judgement.cause.clone(),
            first_failing_test: first_failing(judgement),
            judged_ms: self.judged_ms,
            because: self.because.to_owned(),
        };
        let is_known = rows.last().is_some_and(|last| {
            last.verdict == now.verdict
                && last.cause == now.cause
                && last.first_failing_test == now.first_failing_test
        });
        if !is_known {
            rows.push(now);
        }
        let change = |row: HistoryRow| Change {
            judged_ms: row.judged_ms,
            verdict: row.verdict,
            first_failing_test: row.first_failing_test,
            because: row.because,
        };
        rows.into_iter().map(change).collect()
    }
}

/// Everything that is to be published of a judgement.
fn folded(
    shared: &Shared,
    previous: &Previous<'_>,
    submission: &Submission,
    judgement: &Judgement,
    context: &Context<'_>,
    fold: Digest,
    facts: Unawaited,
) -> Result<Box<Folded>, Fault> {
    let document = document(submission, judgement, context);
    let report = shared
        .reports
        .render(&Report {
            document: &document,
            source: &submission.source,
        })
        .map_err(|error| Fault::new("make the report", error))?;
    let publication = Publication {
        submission: submission.id,
        fold,
        verdict: judgement.verdict,
        cause: judgement.cause.clone(),
        first_failing_test: first_failing(judgement),
        document: document.to_json(),
        event_json: Entry::of_verdict(&document, previous.because, previous.before).to_json(),
        because: previous.because.to_owned(),
        judged_ms: context.judged_ms,
        slowest_ms: document.slowest_ms(),
    };
    point("folded");
    Ok(Box::new(Folded {
        publication: Arc::new(publication),
        facts,
        report,
        line: line_of(submission, judgement, context.judged_ms),
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
