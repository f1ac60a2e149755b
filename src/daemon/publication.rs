//! What is published of a judgement: what went wrong is explained, and the store's row is made with
//! the document from which reports are written.

use std::sync::Arc;

use super::queue::Waiting;
use super::shared::{Setup, Shared};
use crate::domain::{Change, Digest, Fault, Judgement, Published, SourceFile, Verdict};
use crate::explain;
use crate::judge::{Judged, provenance, subject};
use crate::package::{Io, Package};
use crate::report::{Context, Entry, ShownCase, document};
use crate::store::{Publication, Reader};
use crate::util::clock::now_ms;
use crate::util::excerpt::decode;

/// Explains what went wrong, and makes what the store is to keep. `fold` is the digest of
/// everything that the judgement was folded from.
pub fn publication(
    shared: &Shared,
    reader: &Reader,
    setup: &Setup,
    waiting: &Waiting,
    source: &SourceFile,
    judged: &Judged,
    fold: Digest,
) -> Result<Publication, Fault> {
    let submission = &waiting.submission;
    let package = setup.package(&submission.problem)?;
    let (language, version) = setup.language(&submission.language)?;
    let notes = notes_of(package, source);
    let toolchain = &setup.languages.toolchain;
    let compiler = toolchain.fingerprint(language, version);
    let provenance = provenance(judged, package, compiler, fold);
    let case = explained(package, &judged.judgement, judged.printed.as_deref());
    let verdicts = verdicts(reader, waiting, judged, fold)?;
    let how_built = toolchain.how_built(
        language,
        version,
        (&source.name, &source.bytes),
        &setup.config.build,
        package.limits.memory_bytes,
    );
    let context = Context {
        source,
        title: &package.title,
        io: package.io,
        history: &verdicts.history,
        disclosures: package.disclosures,
        case: case.as_ref(),
        limits: &judged.limits,
        time_factor: judged.time_factor,
        language_version: version,
        how_built: &how_built,
        protections: shared.sandbox.protections(),
        notes: &notes,
        provenance: Some(&provenance),
        judged_ms: verdicts.now.published.judged_ms,
    };
    let document = document(submission, &judged.judgement, &context);
    let now = verdicts.now;
    let entry = Entry::of_verdict(&document, &now.because, verdicts.before);
    Ok(Publication {
        submission: submission.id,
        fold,
        change: now,
        document: document.to_json(),
        event_json: entry.to_json(),
        slowest_ms: document.slowest_ms(),
        subject: subject(judged, package),
    })
}

/// What went wrong; a bug in what tells it is no reason to withhold the verdict.
fn explained(
    package: &Package,
    judgement: &Judgement,
    printed: Option<&[u8]>,
) -> Option<ShownCase> {
    let explain = || Ok(explain::case(package, judgement, printed));
    Fault::caught("explain a verdict", explain).unwrap_or_else(|fault| {
        tracing::error!(%fault, "cannot explain a verdict; the report goes without");
        None
    })
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

fn verdicts(
    reader: &Reader,
    waiting: &Waiting,
    judged: &Judged,
    fold: Digest,
) -> Result<Verdicts, Fault> {
    let id = waiting.submission.id;
    let before = reader.judgement(id)?;
    let mut now = Change {
        published: Published::of(&judged.judgement, now_ms()),
        because: Arc::clone(&waiting.because),
    };
    if let Some(before) = &before
        && (before.dropped || before.fold == fold)
        && before.published.says_the_same_as(&now.published)
    {
        // It is the judgement that there was: only its report is made again.
        now.published.judged_ms = before.published.judged_ms;
    }
    let mut history = Vec::new();
    // Most are judged once.
    if before.is_some() {
        let rows = reader.history(id)?;
        history.extend(rows.into_iter().map(|row| row.change));
        let last: Option<&Change> = history.last();
        if last.is_none_or(|last| !last.published.says_the_same_as(&now.published)) {
            history.push(now.clone());
        }
    }
    Ok(Verdicts {
        now,
        before: before.map(|before| before.published.verdict),
        history,
    })
}
