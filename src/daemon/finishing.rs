//! Finishes what was measured: says what went wrong and makes the report. In threads of their own,
//! so that nobody plans or measures later for it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::thread::JoinHandle;

use super::inbox::{crew, next};
use super::message::{Draft, Folded};
use super::notice::Line;
use super::queue::Waiting;
use super::search::is_deadline_over;
use super::shared::{Setup, Shared, store_fault};
use crate::domain::{
    Change, Digest, Fault, HowBuilt, Judgement, LanguageId, Published, SourceFile, Submission,
    Verdict, WhenShown,
};
use crate::explain;
use crate::judge::{Judged, provenance, subject};
use crate::package::{Io, Package};
use crate::problems::Task;
use crate::report::{CasePart, Context, Document, Entry, ExplanationPart, Report, document};
use crate::store::{Publication, Reader, Told, Unawaited};
use crate::util::clock::now_ms;
use crate::util::crash::point;
use crate::util::excerpt::decode;
use crate::util::sync;

/// Submissions that may wait to be finished; a planner with one more waits.
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
    pub submission: Submission,
    pub source: SourceFile,
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

/// Starts so many threads. They end when the last sender is gone.
pub fn start(
    count: usize,
    shared: &Arc<Shared>,
    drafts: &SyncSender<Draft>,
) -> std::io::Result<(SyncSender<Measured>, Vec<JoinHandle<()>>)> {
    let (shared, drafts) = (Arc::clone(shared), drafts.clone());
    crew("finishing", count, QUEUE_MAX, move |_, queue| {
        let mut reader = None;
        while let Some(measured) = next(queue) {
            let finish = AssertUnwindSafe(|| finished(&shared, &mut reader, &measured));
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
    })
}

fn finished(
    shared: &Shared,
    reader: &mut Option<Reader>,
    measured: &Measured,
) -> Result<Box<Folded>, Fault> {
    let reader = shared.opened(reader)?;
    let Measured {
        setup,
        submission,
        source,
        package,
        judged,
        version,
        ..
    } = measured;
    let notes = notes_of(package, source);
    let provenance = provenance(judged, package, measured.compiler, measured.fold);
    let mut case = explained(package, &judged.judgement, judged.printed.as_deref());
    let (explanation, fails_alone) = found_out(shared, reader, measured)?.unzip();
    if let (Some(case), Some(fails_alone)) = (&mut case, fails_alone.flatten()) {
        explain::settle(case, fails_alone);
    }
    let verdicts = Verdicts::of(reader, measured)?;
    let how_built = how_built_of(setup, package, (&submission.language, source), version);
    let context = Context {
        source,
        title: &package.title,
        io: package.io,
        history: &verdicts.history,
        disclosures: package.disclosures,
        case: case.as_ref(),
        explanation: explanation.as_ref(),
        limits: &judged.limits,
        time_factor: judged.time_factor,
        language_version: version,
        how_built: &how_built,
        protections: shared.sandbox.protections(),
        notes: &notes,
        provenance: Some(&provenance),
        judged_ms: verdicts.now.published.judged_ms,
    };
    folded(shared, &verdicts, measured, &context)
}

/// How the program was built, in words for people.
fn how_built_of(
    setup: &Setup,
    package: &Package,
    (language, source): (&LanguageId, &SourceFile),
    version: &str,
) -> HowBuilt {
    let toolchain = &setup.languages.toolchain;
    let language = toolchain.language(language);
    language.map_or_else(HowBuilt::default, |language| {
        toolchain.how_built(
            language,
            version,
            (&source.name, &source.bytes),
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

/// What was found out in idle time, if it was about this judgement.
fn found_out(
    shared: &Shared,
    reader: &Reader,
    measured: &Measured,
) -> Result<Option<(ExplanationPart, Option<bool>)>, Fault> {
    let Measured {
        submission,
        package,
        judged,
        ..
    } = measured;
    let found = reader
        .search(submission.id, subject(judged, package))
        .map_err(store_fault("read what was found out"))?;
    let when = package.disclosures.counterexample;
    let is_shown = when.is_now(submission.attempt, is_deadline_over(shared, submission));
    let task = package.task().map(Task::slug);
    Ok(found.flatten().map(|found| {
        (
            ExplanationPart::of(&found, task, is_shown),
            found.fails_alone,
        )
    }))
}

/// What else the student should know.
fn notes_of(package: &Package, source: &SourceFile) -> Vec<String> {
    let mut notes = Vec::new();
    let source = decode(&source.bytes, source.bytes.len());
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

/// What is said of a submission now, and what was said of it before.
struct Verdicts {
    now: Change,
    before: Option<Verdict>,
    /// The verdicts that it has had, and this one where it is another: as the store will tell of
    /// them.
    history: Vec<Change>,
}

impl Verdicts {
    fn of(reader: &Reader, measured: &Measured) -> Result<Self, Fault> {
        let (waiting, judgement) = (&measured.waiting, &measured.judged.judgement);
        let id = waiting.submission.id;
        let before = reader
            .judgement(id)
            .map_err(store_fault("read the judgement before"))?;
        let mut now = Change {
            published: Published::of(judgement, now_ms()),
            because: Arc::clone(&waiting.because),
        };
        if let Some(before) = &before
            && (before.dropped || before.fold == measured.fold)
            && before.published.says_the_same_as(&now.published)
        {
            // It is the judgement that there was: only its report is made again.
            now.published.judged_ms = before.published.judged_ms;
        }
        let mut history = Vec::new();
        // Most are judged once.
        if before.is_some() {
            let rows = reader
                .history(id)
                .map_err(store_fault("read the history"))?;
            history.extend(rows.into_iter().map(|row| row.change));
            let last: Option<&Change> = history.last();
            if last.is_none_or(|last| !last.published.says_the_same_as(&now.published)) {
                history.push(now.clone());
            }
        }
        Ok(Self {
            now,
            before: before.map(|before| before.published.verdict),
            history,
        })
    }
}

/// Everything that is to be published of a judgement.
fn folded(
    shared: &Shared,
    verdicts: &Verdicts,
    measured: &Measured,
    context: &Context<'_>,
) -> Result<Box<Folded>, Fault> {
    let (submission, judgement) = (&measured.submission, &measured.judged.judgement);
    let mut document = document(submission, judgement, context);
    document.time_zone = sync::read(&shared.board).grading().zone_name();
    let report = shared
        .reports
        .render(&Report {
            document: &document,
            source: &measured.source.bytes,
        })
        .map_err(|error| Fault::new("make the report", error))?;
    let now = &verdicts.now;
    let entry = Entry::of_verdict(&document, &now.because, verdicts.before);
    let publication = Publication {
        submission: submission.id,
        fold: measured.fold,
        change: now.clone(),
        document: document.to_json(),
        event_json: entry.to_json(),
        slowest_ms: document.slowest_ms(),
        told: told(&document),
    };
    point("folded");
    Ok(Box::new(Folded {
        publication: Arc::new(publication),
        facts: measured.written.clone(),
        report,
        entry,
        event: None,
        line: line_of(submission, judgement, &now.published),
        is_news: false,
    }))
}

/// Whom the report tells what was found out.
fn told(document: &Document) -> Option<Told> {
    let found = document.explanation.as_ref()?;
    let later = WhenShown::AfterDeadline.to_string();
    let is_later = !found.is_shown && document.disclosure.counterexample == later;
    Some(if is_later { Told::Staff } else { Told::All })
}

/// A judgement as one line shows it.
fn line_of(submission: &Submission, judgement: &Judgement, published: &Published) -> Line {
    let tests = &judgement.tests;
    let passed = tests
        .iter()
        .filter(|result| result.verdict == Verdict::Accepted);
    Line {
        submission: submission.clone(),
        published: published.clone(),
        passed: passed.count(),
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
