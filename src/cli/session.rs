//! What `judge` and `check` share: configuration, packages, languages and sandbox, and judging many programs without the store.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};

use anyhow::anyhow;

use super::Complaint;
use crate::config::{self, Config};
use crate::daemon::Overlay;
use crate::domain::{Digest, Fault, HowBuilt, LanguageId, ProblemSlug, Provenance, Submission};
use crate::intake::{Known, KnownLanguage};
use crate::judge::{
    Bench, FactStore, Judged, MemoryFacts, Rules, SandboxOracle, fold_key, judge, provenance,
};
use crate::package::{self, Loaded, Oracle, Package};
use crate::sandbox::{self, OnDemand, Runner, Sandbox, patiently};
use crate::store::Reader;
use crate::toolchain::{Toolchain, Unresolved};
use crate::util::cores::Cores;
use crate::util::machine;

/// Reads the configuration.
pub fn read_config(path: &Path) -> anyhow::Result<Config> {
    let config = config::load(path).map_err(Complaint::config)?;
    let folders = &config.folders;
    for (key, folder) in [
        ("submissions", &folders.submissions),
        ("problems", &folders.problems),
        ("reports", &folders.reports),
        ("staff", &folders.staff),
        ("state", &folders.state),
    ] {
        if let Some(shown) = sandbox::seen_by_all(folder) {
            return Err(Complaint::config(format!(
                "{}: the folder {key}, {}, lies in {}, which every program that is judged can read: keep it elsewhere",
                path.display(),
                folder.display(),
                shown.display()
            )));
        }
    }
    Ok(config)
}

/// Workers, where the configuration does not say: as many as this machine can measure side by side.
pub fn worker_count(config: &Config) -> usize {
    config
        .judge
        .workers
        .map_or_else(|| Cores::find().workers(), std::num::NonZero::get)
}

/// Everything that is needed to judge a program now.
pub struct Session {
    /// The configuration.
    pub config: Config,
    /// The names of the packages.
    pub slugs: Vec<ProblemSlug>,
    /// The languages.
    pub toolchain: Toolchain,
    /// Makes runners.
    pub sandbox: Sandbox,
    /// The packages that were asked for: one with programs of its own takes a while to read.
    packages: Mutex<HashMap<ProblemSlug, Loaded>>,
    facts: MemoryFacts,
    machine: Arc<str>,
    versions: Mutex<HashMap<LanguageId, Result<String, String>>>,
}

/// A program to judge.
pub struct Piece {
    /// The program.
    pub submission: Submission,
    /// Its problem.
    pub package: Arc<Package>,
}

impl Session {
    /// Reads everything; what is broken is said with the way out.
    pub fn open(config_file: &Path) -> anyhow::Result<Self> {
        Self::of(read_config(config_file)?)
    }

    /// The same from a configuration that was read.
    pub fn of(config: Config) -> anyhow::Result<Self> {
        let toolchain = Toolchain::of(&config);
        let slugs = package::slugs(&config.folders.problems).map_err(Complaint::usage)?;
        let sandbox =
            Sandbox::open(&config.sandbox.allow_missing).map_err(|refusal| anyhow!("{refusal}"))?;
        Ok(Self {
            config,
            slugs,
            toolchain,
            sandbox,
            packages: Mutex::new(HashMap::new()),
            facts: MemoryFacts::default(),
            machine: Arc::from(machine::description()),
            versions: Mutex::new(HashMap::new()),
        })
    }

    /// A package, or why it is broken; read once. None where there is no package of this name.
    pub fn package(&self, slug: &ProblemSlug) -> Option<Loaded> {
        if !self.slugs.contains(slug) {
            return None;
        }
        let mut packages = match self.packages.lock() {
            Ok(packages) => packages,
            Err(poisoned) => poisoned.into_inner(),
        };
        let loaded = packages.entry(slug.clone()).or_insert_with(|| {
            let folders = &self.config.folders;
            self.with_oracle(|oracle| {
                package::load(&folders.problems, slug, &self.config.limits, oracle).map(Arc::new)
            })
        });
        Some(loaded.clone())
    }

    /// Does something that may need programs of packages to be run.
    pub fn with_oracle<T>(&self, work: impl FnOnce(&mut dyn Oracle) -> T) -> T {
        let mut runner = OnDemand::new(&self.sandbox, 0);
        // What a daemon was answered before is not asked again; where there is no store, everything is.
        let reader = Reader::open(&self.config.folders.state).ok();
        let overlay = reader
            .as_ref()
            .map(|reader| Overlay::above(reader, &self.facts));
        let facts: &dyn FactStore = match &overlay {
            Some(overlay) => overlay,
            None => &self.facts,
        };
        let bench = Bench {
            runner: &mut runner,
            toolchain: &self.toolchain,
            facts,
            rules: self.rules(false),
        };
        work(&mut SandboxOracle::new(bench))
    }

    /// The names that mean something here.
    pub fn known(&self) -> Known {
        Known {
            problems: self.slugs.clone(),
            languages: self
                .toolchain
                .languages()
                .map(|language| KnownLanguage {
                    name: language.name().to_owned(),
                    extensions: language.extensions().to_vec(),
                    unavailable: None,
                })
                .collect(),
            // A file that somebody names is to be judged, whatever it is called.
            ignore: Vec::new(),
        }
    }

    /// The version of a language, asked for once; or why it is not here.
    pub fn version(&self, id: &LanguageId) -> Result<String, String> {
        let mut versions = match self.versions.lock() {
            Ok(versions) => versions,
            Err(poisoned) => poisoned.into_inner(),
        };
        if let Some(known) = versions.get(id) {
            return known.clone();
        }
        let version = match self.toolchain.identify(id) {
            Ok(version) => Ok(version),
            Err(Unresolved::Missing(missing)) => Err(missing.to_string()),
            // What a fault of ours kept from being asked is asked again.
            Err(Unresolved::Fault(fault)) => return Err(fault.to_string()),
        };
        versions.insert(id.clone(), version.clone());
        version
    }

    /// Judges programs side by side; each result is handed over in the order of the programs.
    pub fn judge_all(
        &self,
        pieces: &[Piece],
        stop_at_first_failure: bool,
        mut done: impl FnMut(usize, Result<Judged, Fault>),
    ) {
        let workers = worker_count(&self.config).min(pieces.len());
        let next = AtomicUsize::new(0);
        let facts = &self.facts;
        let (results, receiver) = sync_channel(workers.max(1));
        std::thread::scope(|scope| {
            for index in 0..workers {
                let (results, next) = (results.clone(), &next);
                scope.spawn(move || {
                    let mut runner = None;
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some(piece) = pieces.get(at) else { return };
                        let result =
                            self.judge_one(index, piece, stop_at_first_failure, facts, &mut runner);
                        if results.send((at, result)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(results);
            let mut waiting = HashMap::new();
            let mut at = 0;
            for (index, result) in receiver {
                waiting.insert(index, result);
                while let Some(result) = waiting.remove(&at) {
                    done(at, result);
                    at += 1;
                }
            }
        });
    }

    /// The settings of judging.
    pub fn rules(&self, stop_at_first_failure: bool) -> Rules {
        Rules {
            stop_at_first_failure,
            repeat_near_limit: self.config.judge.repeat_near_limit,
            policy: self.sandbox.policy_digest(),
            build: self.config.build.clone(),
            machine: Arc::clone(&self.machine),
        }
    }

    /// What a judgement of this program would be folded from now.
    pub fn fold(
        &self,
        piece: &Piece,
        version: &str,
        stop_at_first_failure: bool,
    ) -> Option<Digest> {
        let language = self.toolchain.language(&piece.submission.language)?;
        let compiler = self.toolchain.fingerprint(language, version);
        let rules = self.rules(stop_at_first_failure);
        Some(fold_key(&piece.package, compiler, &rules))
    }

    /// What a judgement was made from.
    pub fn provenance(
        &self,
        piece: &Piece,
        judged: &Judged,
        version: &str,
        stop_at_first_failure: bool,
    ) -> Option<Provenance> {
        let language = self.toolchain.language(&piece.submission.language)?;
        let compiler = self.toolchain.fingerprint(language, version);
        let fold = fold_key(&piece.package, compiler, &self.rules(stop_at_first_failure));
        Some(provenance(judged, &piece.package, compiler, fold))
    }

    /// How a program was built, in words for people.
    pub fn how_built(&self, piece: &Piece, version: &str) -> HowBuilt {
        let submission = &piece.submission;
        let language = self.toolchain.language(&submission.language);
        language.map_or_else(HowBuilt::default, |language| {
            self.toolchain.how_built(
                language,
                version,
                (&submission.file_name, &submission.source),
                &self.config.build,
                piece.package.limits.memory_bytes,
            )
        })
    }

    /// Judges one program with these facts; a moment in which the machine is short of something is waited out.
    pub fn judge_one(
        &self,
        worker: usize,
        piece: &Piece,
        stop_at_first_failure: bool,
        facts: &dyn FactStore,
        runner: &mut Option<Box<dyn Runner>>,
    ) -> Result<Judged, Fault> {
        patiently(|| {
            let judged = self.try_to_judge(worker, piece, stop_at_first_failure, facts, runner);
            if judged.is_err() {
                // Whatever failed, the next try gets a fresh sandbox.
                *runner = None;
            }
            judged
        })
    }

    fn try_to_judge(
        &self,
        worker: usize,
        piece: &Piece,
        stop_at_first_failure: bool,
        facts: &dyn FactStore,
        runner: &mut Option<Box<dyn Runner>>,
    ) -> Result<Judged, Fault> {
        let id = &piece.submission.language;
        let language = self
            .toolchain
            .language(id)
            .ok_or_else(|| Fault::new("find the language", id))?;
        let version = self
            .version(id)
            .map_err(|why| Fault::new("find the language", why))?;
        let runner = match runner {
            Some(runner) => runner,
            None => runner.insert(self.sandbox.runner(worker)?),
        };
        let mut bench = Bench {
            runner: runner.as_mut(),
            toolchain: &self.toolchain,
            facts,
            rules: self.rules(stop_at_first_failure),
        };
        judge(
            &mut bench,
            &piece.submission,
            language,
            &version,
            &piece.package,
            &mut |_| {},
        )
    }
}
