//! What `cargo bench -- scale` drives: a store full of submissions that are judged as the daemon
//! would judge them now.

use std::fs::{create_dir_all, write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::pages::{MADE_MARK, OVERVIEWS_MARK, manner};
use super::shared::{Setup, Shared};
use super::worker::rules_of;
use super::{Mode, open_all};
use crate::config;
use crate::domain::{
    Caps, Digest, End, HowBuilt, Judgement, LanguageId, Output, ProblemSlug, RunFacts, RunKey,
    Student, Submission, SubmissionId, TestResult, Verdict,
};
use crate::exports::Roster;
use crate::judge::{fold_key, run_policy};
use crate::overview::Scoreboard;
use crate::overview::pages::{all_of, paths_of};
use crate::package::Package;
use crate::report::{Context, Entry, document, log::RECEIVED};
use crate::store::bench::Judged;
use crate::store::{NewSubmission, Publication, RunRecord, Unawaited};
use crate::util::hash::digest;

/// Submissions of one transaction.
const BATCH: usize = 500;
/// When the first one was handed in.
const START_MS: i64 = 1_700_000_000_000;

/// What is remembered of each file; no file is like that, and all of them are gone.
const GONE: [u8; 1] = [0];

/// Fills the empty store of a configuration with accepted submissions in C: the first ones, so
/// many, for the first problem, the others for the other problems in turn.
pub fn fill(config_file: &Path, submissions: usize, of_first_problem: usize) -> Result<(), String> {
    let config = config::load(config_file).map_err(|error| error.to_string())?;
    let opened =
        open_all(config, Mode::Serve, 1, &mut |_| {}).map_err(|error| error.to_string())?;
    let packages: Vec<Arc<Package>> = opened
        .setup
        .library
        .values()
        .map(|loaded| loaded.clone().map_err(|error| error.to_string()))
        .collect::<Result<_, _>>()?;
    let courses: Vec<Course<'_>> = packages
        .iter()
        .map(|package| Course::new(&opened.shared, &opened.setup, package))
        .collect::<Option<_>>()
        .ok_or("C is not offered on this machine")?;
    let (first, others) = courses.split_first().ok_or("there are no problems")?;
    let numbers: Vec<usize> = (0..submissions).collect();
    for batch in numbers.chunks(BATCH) {
        let judged = batch.iter().map(|&number| {
            let course = match number.checked_sub(of_first_problem) {
                Some(later) if !others.is_empty() => &others[later % others.len()],
                _ => first,
            };
            course.judged(number)
        });
        let writer = opened.shared.store.writer();
        writer
            .put_judged(judged.collect())
            .map_err(|error| error.to_string())?;
    }
    // As if the overviews had been written too.
    let shared = &opened.shared;
    overviews_are_there(shared, &opened.setup)
}

/// Has the store say that all overviews are there, and puts an empty file in the place of each.
fn overviews_are_there(shared: &Shared, setup: &Setup) -> Result<(), String> {
    let reader = shared.store.reader().map_err(|error| error.to_string())?;
    let board = Scoreboard::load(&reader).map_err(|error| error.to_string())?;
    for path in all_of(&board).flat_map(|overview| paths_of(&overview, &shared.reports)) {
        let folder = path.parent().map_or(Ok(()), create_dir_all);
        folder
            .and_then(|()| write(&path, b""))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let told = Unawaited::default();
    let writer = shared.store.writer();
    let Setup {
        config,
        library,
        languages,
        ..
    } = setup;
    let course = crate::exports::Course::new(config, library, &languages.toolchain);
    let directory = course.directory(&Roster::default());
    writer.set_mark_later(MADE_MARK, manner(course.counts, &directory), &told);
    writer.set_mark_later(OVERVIEWS_MARK, board.reached(), &told);
    Ok(())
}

/// A problem and what its judgements are folded from.
struct Course<'a> {
    shared: &'a Shared,
    package: &'a Package,
    language: LanguageId,
    version: &'a str,
    policy: Digest,
    fold: Digest,
}

impl<'a> Course<'a> {
    fn new(shared: &'a Shared, setup: &'a Setup, package: &'a Package) -> Option<Self> {
        let language = LanguageId::new("c").ok()?;
        let rules = rules_of(setup, shared);
        let known = setup.languages.toolchain.language(&language)?;
        Some(Self {
            shared,
            package,
            version: setup.languages.version(&language)?,
            policy: run_policy(package, known, rules.policy),
            fold: fold_key(package, setup.languages.fingerprint(&language)?, &rules),
            language,
        })
    }

    /// The submission of this number, from 0.
    fn judged(&self, number: usize) -> Judged {
        let student = format!("student{number}");
        let source: Arc<[u8]> = format!("/* {number} */\nint main(void) {{ return 0; }}\n")
            .repeat(30)
            .into_bytes()
            .into();
        let artifact = digest(&source);
        let file_name = format!("{}.c", self.package.slug);
        let received_ms = START_MS + i64::try_from(number).unwrap_or_default();
        let submission = Submission {
            id: SubmissionId(i64::try_from(number).unwrap_or_default() + 1),
            // The names are plain words.
            student: Student::new(&student).unwrap_or_else(|_| unreachable!()),
            problem: ProblemSlug::clone(&self.package.slug),
            language: self.language.clone(),
            attempt: 1,
            file_name: file_name.clone(),
            source_digest: artifact,
            source: Arc::clone(&source),
            received_ms,
        };
        let tests = &self.package.tests;
        let results: Vec<TestResult> = tests.iter().map(result).collect();
        let runs = tests.iter().map(|test| RunRecord {
            key: RunKey {
                build: artifact,
                input: test.name.input,
                policy: self.policy,
            },
            facts: self.facts(test.name.expected),
            kept: Some(Arc::clone(&test.expected)),
            measured_ms: received_ms,
        });
        Judged {
            mark: GONE.to_vec(),
            runs: runs.collect(),
            publication: self.publication(&submission, results),
            new: NewSubmission {
                student: submission.student,
                problem: submission.problem,
                language: submission.language,
                path: format!("{student}/{file_name}"),
                file_name,
                source,
                source_digest: artifact,
                received_ms,
            },
        }
    }

    fn facts(&self, printed: Digest) -> RunFacts {
        RunFacts {
            end: End::Exited(0),
            stop: None,
            memory_exceeded: false,
            measurements: 1,
            busy: 0,
            cpu: Duration::from_millis(1),
            wall: Duration::from_millis(2),
            waited: Duration::ZERO,
            memory_bytes: 1 << 20,
            output: Output {
                digest: printed,
                len_bytes: 4,
                kept: Some(printed),
                file: None,
            },
            stderr: Vec::new(),
            caps: Caps::from(self.package.limits.clone()),
            machine: Arc::clone(&self.shared.machine),
        }
    }

    fn publication(&self, submission: &Submission, tests: Vec<TestResult>) -> Publication {
        let judgement = Judgement {
            verdict: Verdict::Accepted,
            cause: None,
            compiler_words: Vec::new(),
            first_failing: None,
            tests,
        };
        let context = Context {
            limits: &self.package.limits,
            language_version: self.version,
            how_built: &HowBuilt::default(),
            title: &self.package.title,
            io: self.package.io,
            history: &[],
            protections: self.shared.sandbox.protections(),
            notes: &[],
            provenance: None,
            disclosures: crate::domain::Disclosures::default(),
            case: None,
            judged_ms: submission.received_ms,
        };
        let document = document(submission, &judgement, &context);
        Publication {
            submission: submission.id,
            fold: self.fold,
            verdict: judgement.verdict,
            cause: None,
            first_failing_test: None,
            document: document.to_json(),
            event_json: Entry::of_verdict(&document, RECEIVED, None).to_json(),
            because: RECEIVED.to_owned(),
            judged_ms: context.judged_ms,
            slowest_ms: document.slowest_ms(),
        }
    }
}

fn result(test: &crate::package::Test) -> TestResult {
    TestResult {
        test: test.name.clone(),
        verdict: Verdict::Accepted,
        cause: None,
        ended_by_itself: true,
        measurements: 1,
        busy: 0,
        cpu: Duration::from_millis(1),
        wall: Duration::from_millis(2),
        waited: Duration::ZERO,
        memory_bytes: 1 << 20,
        output_bytes: 4,
        difference: None,
        checker: None,
        judge_message: None,
        stderr: Vec::new(),
    }
}
