//! What `judge` and `check` share: configuration, packages, languages and sandbox, and judging many
//! programs without the store.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use anyhow::anyhow;

use super::Complaint;
use super::worker::WorkerProcess;
use crate::config::{self, Config};
use crate::domain::{
    Digest, Fault, HowBuilt, LanguageId, ProblemSlug, Provenance, SourceFile, Submission,
};
use crate::intake::{self, KnownLanguage};
use crate::judge::{
    Above, Cost, Grader, Judged, Memory, Rules, SandboxOracle, Station, Worker, cost_of, fold_key,
    judge, provenance,
};
use crate::package::{self, Loaded, Oracle, Package};
use crate::sandbox::{self, OnDemand, Runner, Sandbox, patiently};
use crate::store::Reader;
use crate::toolchain::{Toolchain, Unresolved};
use crate::util::cores::Cores;
use crate::util::machine;
use crate::util::pool::side_by_side;

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
    facts: Memory,
    machine: Arc<str>,
    versions: Mutex<HashMap<LanguageId, Result<String, String>>>,
    /// The shell command that starts a worker; without one this process measures.
    worker: Option<String>,
}

/// A program to judge.
pub struct Piece {
    pub submission: Submission,
    pub source: SourceFile,
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
            facts: Memory::default(),
            machine: Arc::from(machine::description()),
            versions: Mutex::new(HashMap::new()),
            worker: None,
        })
    }

    /// The same, but programs are built and run by workers that this shell command starts.
    #[must_use]
    pub fn measured_by(self, worker: Option<String>) -> Self {
        Self { worker, ..self }
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
        // What a daemon was answered before is not asked again; where there is no store, everything
        // is.
        let reader = Reader::open(&self.config.folders.state).ok();
        let archive = Above {
            memory: &self.facts,
            store: reader.as_ref(),
            recalls_runs: true,
        };
        let machine = Arc::clone(&self.machine);
        let mut station = Station::new(&mut runner, &self.toolchain, machine);
        let grader = Grader {
            worker: &mut station,
            toolchain: &self.toolchain,
            archive: &archive,
            sink: &mut &self.facts,
            rules: self.rules(false),
        };
        work(&mut SandboxOracle::new(grader))
    }

    /// The names that mean something here.
    pub fn known(&self) -> intake::Known {
        intake::Known {
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
            Err(Unresolved::Missing(missing)) => Err(missing.why),
            // What a fault of ours kept from being asked is asked again.
            Err(Unresolved::Fault(fault)) => return Err(fault.to_string()),
        };
        versions.insert(id.clone(), version.clone());
        version
    }

    /// Judges programs side by side; each result is handed over in the order of the programs.
    pub fn judge_all(
        &self,
        pieces: &[impl Borrow<Piece> + Sync],
        known: Recalled,
        stop_at_first_failure: bool,
        done: impl FnMut(usize, Result<Judged, Fault>),
    ) {
        side_by_side(
            worker_count(&self.config),
            pieces.len(),
            |worker| JudgingPlace::new(self, worker, known),
            |place, at| place.judge(pieces[at].borrow(), stop_at_first_failure),
            done,
        );
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

    /// What judging a program would take, for all that the store knows.
    pub fn cost(
        &self,
        piece: &Piece,
        reader: &Reader,
        recalls_runs: bool,
        stop_at_first_failure: bool,
    ) -> Result<Cost, Fault> {
        let id = &piece.submission.language;
        let (Some(language), Ok(version)) = (self.toolchain.language(id), self.version(id)) else {
            return Ok(Cost::default());
        };
        let archive = Above {
            memory: &Memory::default(),
            store: Some(reader),
            recalls_runs,
        };
        cost_of(
            &archive,
            &piece.source,
            (language, &version),
            &piece.package,
            &self.toolchain,
            &self.rules(stop_at_first_failure),
        )
    }

    /// How a program was built, in words for people.
    pub fn how_built(&self, piece: &Piece, version: &str) -> HowBuilt {
        let language = self.toolchain.language(&piece.submission.language);
        language.map_or_else(HowBuilt::default, |language| {
            self.toolchain.how_built(
                language,
                version,
                (&piece.source.name, &piece.source.bytes),
                &self.config.build,
                piece.package.limits.memory_bytes,
            )
        })
    }
}

/// Workers that may be lost over one program before it is not judged.
const WORKERS_LOST_MAX: u32 = 3;

/// What counts as known when a program is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recalled {
    /// What this command has found out.
    OfThisCommand,
    /// What the store has, which stays as it is; where runs do not count, everything is measured
    /// again.
    OfTheStore {
        /// Whether the store's runs count.
        runs: bool,
    },
}

/// A place where programs are judged one after the other.
pub struct JudgingPlace<'s> {
    session: &'s Session,
    worker: usize,
    known: Recalled,
    reader: Option<Reader>,
    runner: Option<Box<dyn Runner>>,
    process: Option<WorkerProcess>,
    /// What was measured of the latest program.
    pub measured: Memory,
}

impl<'s> JudgingPlace<'s> {
    /// A place with a number of its own.
    pub fn new(session: &'s Session, worker: usize, known: Recalled) -> Self {
        Self {
            session,
            worker,
            known,
            reader: None,
            runner: None,
            process: None,
            measured: Memory::default(),
        }
    }

    /// Judges a program; a moment in which the machine is short of something is waited out.
    pub fn judge(&mut self, piece: &Piece, stop_at_first_failure: bool) -> Result<Judged, Fault> {
        self.measured = Memory::default();
        let mut lost = 0;
        loop {
            let mut is_lost = false;
            let judged = patiently(|| {
                let judged = self.try_to_judge(piece, stop_at_first_failure);
                if judged.is_err() {
                    // Whatever failed, the next try gets a fresh sandbox.
                    self.runner = None;
                    let process = self.process.take();
                    is_lost = process.is_some_and(|process| process.is_lost());
                }
                judged
            });
            lost += u32::from(is_lost);
            // What a worker has told before it was lost is known: another one does the rest.
            if judged.is_ok() || !is_lost || lost == WORKERS_LOST_MAX {
                return judged;
            }
        }
    }

    fn try_to_judge(
        &mut self,
        piece: &Piece,
        stop_at_first_failure: bool,
    ) -> Result<Judged, Fault> {
        let session = self.session;
        let id = &piece.submission.language;
        let language = session
            .toolchain
            .language(id)
            .ok_or_else(|| Fault::new("find the language", id))?;
        let version = session
            .version(id)
            .map_err(|why| Fault::new("find the language", why))?;
        let (memory, recalls_runs) = match self.known {
            Recalled::OfThisCommand => (&session.facts, true),
            Recalled::OfTheStore { runs } => {
                if self.reader.is_none() {
                    let reader = Reader::open(&session.config.folders.state);
                    self.reader =
                        Some(reader.map_err(|error| Fault::new("open the store", error))?);
                }
                (&self.measured, runs)
            }
        };
        let archive = Above {
            memory,
            store: self.reader.as_ref(),
            recalls_runs,
        };
        let toolchain = &session.toolchain;
        let mut station;
        let worker: &mut dyn Worker = if let Some(command) = &session.worker {
            match &mut self.process {
                Some(process) => process,
                None => self.process.insert(WorkerProcess::start(command)?),
            }
        } else {
            let runner = match &mut self.runner {
                Some(runner) => runner,
                None => self.runner.insert(session.sandbox.runner(self.worker)?),
            };
            station = Station::new(runner.as_mut(), toolchain, Arc::clone(&session.machine));
            &mut station
        };
        let mut grader = Grader {
            worker,
            toolchain,
            archive: &archive,
            sink: &mut &*memory,
            rules: session.rules(stop_at_first_failure),
        };
        judge(
            &mut grader,
            &piece.source,
            language,
            &version,
            &piece.package,
            &mut |_| {},
        )
    }
}
