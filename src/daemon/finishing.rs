//! Finishes what was measured: says what went wrong and makes the report. In threads of their own,
//! so that the workers
//! measure and do nothing else.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use super::notice::Line;
use super::publisher::{Draft, Folded};
use super::queue::Waiting;
use super::shared::{Setup, Shared};
use crate::domain::{Digest, Fault, HowBuilt, Judgement, Submission, Verdict};
use crate::explain;
use crate::judge::{Judged, provenance};
use crate::package::{Io, Package};
use crate::report::{CasePart, Change, Context, Entry, Report, document};
use crate::store::{HistoryRow, Publication, Reader, StoreError, Unawaited};
use crate::util::clock::now_ms;
use crate::util::crash::point;
use crate::util::excerpt::decode;
use crate::util::sync::lock;

/// Submissions that may wait to be finished; a worker with one more waits.
const QUEUE_MAX: usize = 16;

/// A judgement of which nothing is written yet.
pub struct Measured {
    /// Which submission, and why it was judged.
    pub waiting: Waiting,
    /// What it is called in messages.
    pub what: Arc<str>,
    /// What it was judged with.
    pub setup: Setup,
    /// The version of its language.
    pub version: String,
    /// The submission.
    pub submission: Submission,
    /// Its package.
    pub package: Arc<Package>,
    /// The judgement.
    pub judged: Judged,
    /// Digest of the language's commands and version.
    pub compiler: Digest,
    /// Digest of everything that it was folded from.
    pub fold: Digest,
    /// Its runs, on their way to the store.
    pub written: Unawaited,
}

/// Where what was measured waits to be finished.
pub type Queue = SyncSender<Box<Measured>>;

/// Starts so many threads. They end when the last sender is gone.
pub fn start(
    count: usize,
    shared: &Arc<Shared>,
    drafts: &SyncSender<Draft>,
) -> std::io::Result<(Queue, Vec<JoinHandle<()>>)> {
    let (sender, measured) = sync_channel(QUEUE_MAX);
    let measured = Arc::new(Mutex::new(measured));
    let threads = (0..count).map(|number| {
        let (shared, measured) = (Arc::clone(shared), Arc::clone(&measured));
        let drafts = drafts.clone();
        std::thread::Builder::new()
            .name(format!("finishing-{number}"))
            .spawn(move || serve(&shared, &measured, &drafts))
    });
    let threads = threads.collect::<std::io::Result<_>>()?;
    Ok((sender, threads))
}

fn serve(shared: &Shared, queue: &Mutex<Receiver<Box<Measured>>>, drafts: &SyncSender<Draft>) {
    let mut reader = None;
    loop {
        let next = lock(queue).recv();
        let Ok(measured) = next else { return };
        let finish = AssertUnwindSafe(|| finished(shared, &mut reader, &measured));
        let bug = || Fault::new("make the report", "a bug in verdictd; see standard error");
        let result = catch_unwind(finish).unwrap_or_else(|_| Err(bug()));
        let draft = Draft {
            waiting: measured.waiting,
            what: measured.what,
            result,
        };
        // A closed channel means that the daemon is ending.
        if drafts.send(draft).is_err() {
            return;
        }
    }
}

fn store_fault(step: &str) -> impl Fn(StoreError) -> Fault + '_ {
    move |error| error.into_fault(step)
}

fn finished(
    shared: &Shared,
    reader: &mut Option<Reader>,
    measured: &Measured,
) -> Result<Box<Folded>, Fault> {
    if reader.is_none() {
        let opened = shared.store.reader();
        *reader = Some(opened.map_err(store_fault("open the store"))?);
    }
    let Some(reader) = reader else {
        return Err(Fault::new("open the store", "it is not open"));
    };
    let Measured {
        setup,
        submission,
        package,
        judged,
        version,
        ..
    } = measured;
    let notes = notes_of(package, submission);
    let provenance = provenance(judged, package, measured.compiler, measured.fold);
    let case = explained(package, &judged.judgement, judged.printed.as_deref());
    let previous = Previous::of(reader, &measured.waiting, &judged.judgement)?;
    let how_built = how_built_of(setup, package, submission, version);
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
    folded(shared, &previous, measured, &context)
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

/// Why a submission was judged, and what was said of it before.
struct Previous<'a> {
    because: &'a str,
    before: Option<Verdict>,
    judged_ms: i64,
    /// The verdicts that it has had, and this one where it is another: as the store will tell of
    /// them.
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
    measured: &Measured,
    context: &Context<'_>,
) -> Result<Box<Folded>, Fault> {
    let (submission, judgement) = (&measured.submission, &measured.judged.judgement);
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
        fold: measured.fold,
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
        facts: measured.written.clone(),
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
