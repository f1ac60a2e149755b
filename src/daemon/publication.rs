//! What is published of a judgement: what went wrong is explained, and the store's row is made with
//! the document from which reports are written.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::queue::Waiting;
use super::shared::{Setup, Shared};
use crate::domain::{Change, Digest, Fault, Judgement, Published, SourceFile, Submission, Verdict};
use crate::explain;
use crate::judge::{Judged, provenance, subject};
use crate::package::{Io, Package};
use crate::report::{Context, Entry, ShownCase, document};
use crate::store::{Publication, Reader};
use crate::toolchain::Language;
use crate::util::clock::now_ms;
use crate::util::excerpt::decode;

/// A submission, and everything that its judgement was made of.
pub struct Case<'s> {
    pub shared: &'s Shared,
    pub reader: &'s Reader,
    pub waiting: &'s Waiting,
    pub setup: &'s Setup,
    pub submission: &'s Submission,
    pub source: &'s SourceFile,
    pub package: &'s Package,
    pub language: &'s Language,
    /// Of the language.
    pub version: &'s str,
    pub judged: &'s Judged,
    /// Digest of everything that it was folded from.
    pub fold: Digest,
}

impl Case<'_> {
    /// Explains what went wrong, and makes what the store is to keep.
    pub fn publication(&self) -> Result<Publication, Fault> {
        let (shared, package, judged) = (self.shared, self.package, self.judged);
        let notes = notes_of(package, self.source);
        let toolchain = &self.setup.languages.toolchain;
        let compiler = toolchain.fingerprint(self.language, self.version);
        let provenance = provenance(judged, package, compiler, self.fold);
        let case = explained(package, &judged.judgement, judged.printed.as_deref());
        let verdicts = self.verdicts()?;
        let how_built = toolchain.how_built(
            self.language,
            self.version,
            (&self.source.name, &self.source.bytes),
            &self.setup.config.build,
            package.limits.memory_bytes,
        );
        let context = Context {
            source: self.source,
            title: &package.title,
            io: package.io,
            history: &verdicts.history,
            disclosures: package.disclosures,
            case: case.as_ref(),
            limits: &judged.limits,
            time_factor: judged.time_factor,
            language_version: self.version,
            how_built: &how_built,
            protections: shared.sandbox.protections(),
            notes: &notes,
            provenance: Some(&provenance),
            judged_ms: verdicts.now.published.judged_ms,
        };
        let document = document(self.submission, &judged.judgement, &context);
        let now = verdicts.now;
        let entry = Entry::of_verdict(&document, &now.because, verdicts.before);
        Ok(Publication {
            submission: self.submission.id,
            fold: self.fold,
            change: now,
            document: document.to_json(),
            event_json: entry.to_json(),
            slowest_ms: document.slowest_ms(),
            subject: subject(judged, package),
        })
    }

    fn verdicts(&self) -> Result<Verdicts, Fault> {
        let (reader, id) = (self.reader, self.submission.id);
        let before = reader.judgement(id)?;
        let mut now = Change {
            published: Published::of(&self.judged.judgement, now_ms()),
            because: Arc::clone(&self.waiting.because),
        };
        if let Some(before) = &before
            && (before.dropped || before.fold == self.fold)
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
}

/// What went wrong; a bug in what tells it is no reason to withhold the verdict.
fn explained(
    package: &Package,
    judgement: &Judgement,
    printed: Option<&[u8]>,
) -> Option<ShownCase> {
    let explain = AssertUnwindSafe(|| explain::case(package, judgement, printed));
    catch_unwind(explain).unwrap_or_else(|_| {
        tracing::error!("a bug in what explains a verdict; the report goes without");
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
