//! What a judgement brings to the store: its facts, which are committed together with it or when
//! another order follows, and what is published: what went wrong is explained, and the store's row
//! is made with the document from which reports are written.

use std::sync::Arc;

use super::queue::Waiting;
use super::shared::{Setup, Shared};
use crate::domain::{Change, Digest, Fault, Judgement, Published, SourceFile, Verdict};
use crate::explain;
use crate::judge::order::{Blob, Bytes, Fact, Flow, Sink};
use crate::judge::{Judged, comparison_bytes, parts, provenance, subject};
use crate::package::{Io, Package};
use crate::report::{Context, Entry, ShownCase, document};
use crate::store::{NewFacts, Publication, Reader, RunRecord, Writer};
use crate::util::archive::shown;
use crate::util::clock::now_ms;
use crate::util::crash::point;
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
        &parts(source, language, package)?,
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
    let source = shown(source);
    let source = decode(&source, source.len());
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

/// Gathers the facts of one judgement.
pub struct FactSink {
    writer: Writer,
    new: NewFacts,
    /// What is kept of the outputs of these runs.
    outputs: Vec<Blob>,
    /// Whether each is committed at once.
    at_once: bool,
}

impl FactSink {
    /// None yet, of a judgement of this source.
    pub fn of_source(writer: Writer, source: Digest) -> Self {
        Self {
            writer,
            new: NewFacts::about(Some(source)),
            outputs: Vec::new(),
            at_once: false,
        }
    }

    /// Each is committed at once: a package's program is asked about one thing after the other.
    pub fn at_once(writer: Writer) -> Self {
        Self {
            writer,
            new: NewFacts::default(),
            outputs: Vec::new(),
            at_once: true,
        }
    }

    /// Those that are not in the store yet.
    pub fn rest(self) -> NewFacts {
        self.new
    }

    /// Commits those that are not in the store yet.
    pub fn commit(&mut self) -> Result<(), Fault> {
        if !self.new.is_empty() {
            self.writer.put_facts(self.new.take())?;
            self.outputs.clear();
            point("facts kept");
        }
        Ok(())
    }

    fn add(&mut self, fact: &Fact, bytes: Bytes<'_>) -> Result<(), Fault> {
        match fact {
            Fact::Built { key, build } => {
                self.new
                    .built(*key, build.clone(), bytes.to_vec(), now_ms());
            }
            Fact::Ran { key, facts } => {
                self.outputs.extend(bytes.iter().cloned());
                self.new.ran(RunRecord {
                    key: *key,
                    facts: Arc::clone(facts),
                    kept: bytes.first().map(|(_, kept)| Arc::clone(kept)),
                    measured_ms: now_ms(),
                });
            }
            Fact::Compared { question, .. } => {
                if let Some(said) = comparison_bytes(fact)? {
                    self.new.opinion(*question, said, now_ms());
                }
            }
            Fact::Answered { question, .. } => {
                if let [(_, answer)] = bytes {
                    self.new.answered(*question, Arc::clone(answer), now_ms());
                }
            }
            Fact::Called(_) | Fact::Lost(_) => {}
        }
        Ok(())
    }
}

impl Sink for FactSink {
    fn order_follows(&mut self) -> Result<(), Fault> {
        self.commit()
    }

    fn held(&self, digest: &Digest) -> Option<Arc<[u8]>> {
        let held = self.outputs.iter().find(|(other, _)| other == digest);
        held.map(|(_, bytes)| Arc::clone(bytes))
    }

    fn fact(&mut self, fact: &Fact, bytes: Bytes<'_>) -> Result<Flow, Fault> {
        match fact {
            Fact::Built { .. } => point("built"),
            Fact::Ran { .. } => point("run measured"),
            _ => {}
        }
        if fact.is_kept() {
            self.add(fact, bytes)?;
        }
        if self.at_once || self.new.is_large() {
            self.commit()?;
        }
        Ok(Flow::Continue)
    }
}
