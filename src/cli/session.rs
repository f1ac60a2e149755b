//! What commands share: the configuration, the store, packages, languages and the sandbox, and how
//! they ask a daemon that runs.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use jiff::tz::TimeZone;

use super::exit::CliError;
use super::names::{built_in_names, no_such, problem_named};
use super::out::Out;
use crate::config::Config;
use crate::course::Terms;
use crate::daemon::{self, Request, request_failure};
use crate::domain::{
    Digest, Fault, HowBuilt, ProblemSlug, Provenance, SourceFile, Student, Submission, SubmissionId,
};
use crate::explain::{Attacked, Budget, Inputs, Measured, Scope, attack};
use crate::intake::{self, KnownLanguage};
use crate::judge::{
    Cost, Grader, Judged, Layered, Memory, Rules, SandboxOracle, Station, cost_of, fold_key, parts,
    provenance,
};
use crate::package::{self, Loaded, NoOracle, Oracle, Package};
use crate::sandbox::Sandbox;
use crate::store::{Reader, StoreError, is_running};
use crate::toolchain::{Language, Toolchain, Unresolved};
use crate::util::archive::{files_of, is_zip};
use crate::util::clock::now_ms;
use crate::util::hash::digest;
use crate::util::machine;
use crate::util::sync::lock;

/// Reads the configuration.
pub fn read_config(path: &Path) -> anyhow::Result<Config> {
    daemon::read_config(path).map_err(CliError::config)
}

/// The clock of the course.
pub fn zone(config: &Config) -> TimeZone {
    Terms::zone_in(config.file.parent().unwrap_or(Path::new("/")))
}

/// The store, or `None` if no daemon has made one yet.
pub fn store_if_any(config: &Config) -> Result<Option<Reader>, StoreError> {
    match Reader::open(&config.folders.state) {
        Ok(reader) => Ok(Some(reader)),
        Err(StoreError::Missing { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The same for a command that has nothing to show without one, and says so.
pub fn store_or_note(config: &Config, out: &mut Out) -> Result<Option<Reader>, StoreError> {
    let store = store_if_any(config)?;
    if store.is_none() {
        out.note("no daemon has run here yet");
    }
    Ok(store)
}

/// Everything that is needed to judge a program now.
pub struct Session {
    pub config: Config,
    /// The names of the packages.
    pub slugs: Vec<ProblemSlug>,
    pub toolchain: Toolchain,
    pub sandbox: Sandbox,
    /// The packages that were asked for: one with programs of its own takes a while to read.
    packages: Mutex<HashMap<ProblemSlug, Loaded>>,
    pub facts: Memory,
    pub machine: Arc<str>,
}

/// A program to judge.
pub struct Piece {
    pub submission: Submission,
    pub source: SourceFile,
    pub package: Arc<Package>,
}

impl Piece {
    /// A submission of the store.
    pub fn of((submission, source): (Submission, SourceFile), package: Arc<Package>) -> Self {
        Self {
            submission,
            source,
            package,
        }
    }
}

/// Why a file cannot be judged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoPiece {
    /// Its language is not on this machine, which says nothing about the file.
    #[error("{0}")]
    NotHere(String),
    #[error("{0}")]
    Rejected(String),
}

impl From<NoPiece> for String {
    fn from(reason: NoPiece) -> Self {
        reason.to_string()
    }
}

/// The names that mean something to a course with these problems and languages.
pub fn known(slugs: &[ProblemSlug], toolchain: &Toolchain) -> intake::Known {
    let languages = toolchain.languages();
    let language = |one: &Language| KnownLanguage::new(one.name(), one.extensions());
    // A file that somebody names is to be judged, whatever it is called and whosever it is.
    intake::Known {
        problems: slugs.to_vec(),
        languages: languages.map(language).collect(),
        ..intake::Known::default()
    }
}

impl Session {
    pub fn open(config_file: &Path) -> anyhow::Result<Self> {
        Self::new(read_config(config_file)?)
    }

    pub fn new(config: Config) -> anyhow::Result<Self> {
        let toolchain = Toolchain::of(&config);
        let slugs = package::slugs(&config.folders.problems).map_err(CliError::usage)?;
        let sandbox =
            Sandbox::open(&config.sandbox.allow_missing).map_err(|refusal| anyhow!("{refusal}"))?;
        Ok(Self {
            config,
            slugs,
            toolchain,
            sandbox,
            packages: Mutex::default(),
            facts: Memory::default(),
            machine: Arc::from(machine::description()),
        })
    }

    /// A package, or why it is broken; read once. `None` if there is no package of this name.
    pub fn package(&self, slug: &ProblemSlug) -> Option<Loaded> {
        if !self.slugs.contains(slug) {
            return None;
        }
        let mut packages = lock(&self.packages);
        let loaded = packages.entry(slug.clone()).or_insert_with(|| {
            let folder = &self.config.folders.problems;
            self.with_oracle(|oracle| {
                let seen = package::look(folder, slug);
                seen.load(&self.config.limits, oracle).map(Arc::new)
            })
        });
        Some(loaded.clone())
    }

    /// A package that is sound.
    pub fn sound_package(&self, slug: &ProblemSlug) -> Result<Option<Arc<Package>>, String> {
        let package = self.package(slug).transpose();
        package.map_err(|error| format!("the package is broken: {error}"))
    }

    /// The problem that a person means.
    pub fn problem_named(&self, name: &str) -> anyhow::Result<ProblemSlug> {
        problem_named(name, &self.slugs, &self.config.folders.problems)
    }

    /// The package that a person means.
    pub fn package_named(&self, name: &str) -> anyhow::Result<Arc<Package>> {
        let slug = self.problem_named(name)?;
        match self.package(&slug) {
            Some(Ok(package)) => Ok(package),
            Some(Err(trouble)) if trouble.is_ours() => Err(anyhow!("{trouble}")),
            Some(Err(trouble)) => Err(CliError::usage(trouble)),
            None => Err(CliError::usage(format!("there is no problem `{slug}`"))),
        }
    }

    /// A session for a command that takes built-in problems too, and the package that a person
    /// means.
    pub fn for_package(name: &str, config_file: &Path) -> anyhow::Result<(Self, Arc<Package>)> {
        let session = Self::open(config_file)?;
        if session.slugs.iter().any(|slug| slug.matches(name)) {
            let package = session.package_named(name)?;
            return Ok((session, package));
        }
        let packages = session.slugs.iter().map(ProblemSlug::as_str);
        let known: BTreeSet<&str> = built_in_names().into_iter().chain(packages).collect();
        Err(no_such("there is no problem", name, known.iter().copied()))
    }

    /// A package, and a session where the package has programs of its own: they alone need a
    /// sandbox.
    pub fn only_for_programs(
        name: &str,
        config: &Config,
    ) -> anyhow::Result<(Arc<Package>, Option<Self>)> {
        let folder = &config.folders.problems;
        let slugs = package::slugs(folder).map_err(CliError::usage)?;
        let slug = problem_named(name, &slugs, folder)?;
        match package::look(folder, &slug).load(&config.limits, &mut NoOracle) {
            Err(trouble) if trouble.is_ours() => {
                let session = Self::new(config.clone())?;
                Ok((session.package_named(name)?, Some(session)))
            }
            Err(trouble) => Err(CliError::usage(trouble)),
            Ok(package) => Ok((Arc::new(package), None)),
        }
    }

    /// Tries to break a program, first on inputs that broke `others`.
    pub fn attack(
        &self,
        program: &mut Measured<'_>,
        cpu: Duration,
        others: Vec<Vec<u8>>,
    ) -> Result<Attacked, Fault> {
        let budget = Budget {
            cpu,
            ..Budget::default()
        };
        self.with_oracle(|oracle| {
            let package = program.about.package;
            let inputs = Inputs { package, oracle };
            attack(program, inputs, budget, others, Scope::Everything)
        })
    }

    /// Does something that may need programs of packages to be run.
    pub fn with_oracle<T>(&self, work: impl FnOnce(&mut dyn Oracle) -> T) -> T {
        let mut runner = self.sandbox.runner(0);
        // Questions that a daemon has had answered are not asked again.
        let reader = Reader::open(&self.config.folders.state).ok();
        let archive = Layered {
            memory: &self.facts,
            store: reader.as_ref(),
            recalls_runs: true,
        };
        let machine = Arc::clone(&self.machine);
        let grader = Grader {
            worker: &mut Station::new(&mut runner, &self.toolchain, machine),
            toolchain: &self.toolchain,
            archive: &archive,
            sink: &mut &self.facts,
            rules: Rules {
                stop_at_first_failure: false,
                ..self.rules()
            },
        };
        work(&mut SandboxOracle::new(grader))
    }

    /// Whether a language can be used here; whether its compiler works is not tried.
    pub fn usable(&self, language: &Language) -> Result<(), NoPiece> {
        let name = language.name();
        let Err(unresolved) = self.toolchain.identify(language.id()) else {
            return Ok(());
        };
        let reason = format!("{name} cannot be used on this machine: {unresolved}");
        Err(match unresolved {
            Unresolved::Missing { .. } => NoPiece::NotHere(reason),
            Unresolved::Fault(_) => NoPiece::Rejected(reason),
        })
    }

    /// A file as a student's first attempt, or why it cannot be judged.
    pub fn piece(
        &self,
        file: &Path,
        extension: &str,
        student: Student,
        package: Arc<Package>,
    ) -> Result<Piece, NoPiece> {
        let bytes_max = self.config.intake.source_bytes_max;
        let (name, bytes) = package.read_program(file, bytes_max).map_err(|error| {
            NoPiece::Rejected(match error.kind() {
                std::io::ErrorKind::FileTooLarge => format!(
                    "it is larger than {} KiB, the limit for a source",
                    bytes_max / 1024
                ),
                _ => error.to_string(),
            })
        })?;
        let source = SourceFile {
            name,
            digest: digest(&bytes),
            bytes: Arc::from(bytes),
        };
        let language = self.language_of(&source, extension)?;
        self.usable(language)?;
        Ok(Piece {
            submission: Submission {
                id: SubmissionId(0),
                student,
                problem: package.slug.clone(),
                language: language.id().clone(),
                attempt: 1,
                received_ms: now_ms(),
            },
            source,
            package,
        })
    }

    /// The language that a program's extension says; of several files, that of all of them.
    fn language_of(&self, source: &SourceFile, extension: &str) -> Result<&Language, NoPiece> {
        let (name, bytes) = (&source.name, &source.bytes);
        let (language, why) = if is_zip(name) {
            let files = files_of(name, bytes);
            files.map_err(|wrong| NoPiece::Rejected(wrong.to_string()))?;
            let why = "its files are sources of no language, or of several".to_owned();
            (self.toolchain.language_of_program(name, bytes), why)
        } else {
            let why = format!("`.{extension}` belongs to no language");
            (self.toolchain.language_of(extension), why)
        };
        let reason = || format!("{why}; `verdictd doctor` lists the languages");
        language.ok_or_else(|| NoPiece::Rejected(reason()))
    }

    pub fn rules(&self) -> Rules {
        daemon::rules(&self.config, &self.sandbox, &self.machine)
    }

    /// The language of a program, and its version.
    pub fn language(&self, piece: &Piece) -> Result<(&Language, String), Fault> {
        let id = &piece.submission.language;
        let fault = |why| Fault::new("find the language", why);
        let language = self.toolchain.language(id);
        let language = language.ok_or_else(|| fault(format!("there is no language `{id}`")))?;
        let version = self.toolchain.identify(id);
        let version = version.map_err(|unresolved| match unresolved {
            Unresolved::Missing { why, .. } => fault(why),
            Unresolved::Fault(unresolved) => fault(unresolved.to_string()),
        })?;
        Ok((language, version))
    }

    /// The compiler of a program, and what a judgement would be folded from now.
    pub fn fold(&self, piece: &Piece) -> Result<(Digest, Digest), Fault> {
        let (language, version) = self.language(piece)?;
        let compiler = self.toolchain.fingerprint(language, &version);
        let judged_by = self.toolchain.judged_by(language, &version);
        let fold = fold_key(&piece.package, judged_by, &self.rules());
        Ok((compiler, fold))
    }

    /// What a judgement was made from.
    pub fn provenance(&self, piece: &Piece, judged: &Judged) -> Option<Provenance> {
        let (compiler, fold) = self.fold(piece).ok()?;
        Some(provenance(judged, &piece.package, compiler, fold))
    }

    /// What judging a program would take, for all that the store knows.
    pub fn cost(&self, piece: &Piece, reader: &Reader, recalls_runs: bool) -> Result<Cost, Fault> {
        let Ok((language, version)) = self.language(piece) else {
            return Ok(Cost::default());
        };
        let archive = Layered {
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
            &self.rules(),
        )
    }

    /// How a program was built, in words for people.
    pub fn how_built(&self, piece: &Piece) -> HowBuilt {
        let Ok((language, version)) = self.language(piece) else {
            return HowBuilt::default();
        };
        let Ok(parts) = parts(&piece.source, language, &piece.package) else {
            return HowBuilt::default();
        };
        let memory_bytes = piece.package.limits.memory_bytes;
        let limits = &self.config.build;
        self.toolchain
            .how_built(language, &version, &parts, limits, memory_bytes)
    }
}

/// Time between two looks.
const POLL: Duration = Duration::from_millis(50);
/// What follows a failure.
pub const REST: &str = "the same command, or the next start of the daemon, does the rest";

/// Looks until there is something; `None` if there is nothing for longer than the patience.
pub fn wait_for<T>(
    patience: Option<Duration>,
    mut look: impl FnMut() -> anyhow::Result<Option<T>>,
) -> anyhow::Result<Option<T>> {
    let begun = Instant::now();
    loop {
        if let Some(found) = look()? {
            return Ok(Some(found));
        }
        if patience.is_some_and(|patience| begun.elapsed() > patience) {
            return Ok(None);
        }
        std::thread::sleep(POLL);
    }
}

/// Leaves a request, and waits until the daemon has done it. Where none runs this is false, and the
/// request stays for whoever does it.
pub fn ask(config: &Config, request: &Request) -> anyhow::Result<bool> {
    let state = &config.folders.state;
    let file = request
        .put(state)
        .with_context(|| format!("leave a request in {}", state.display()))?;
    if !is_running(state) {
        return Ok(false);
    }
    wait_for(None, || {
        if !file.exists() {
            return Ok(Some(()));
        }
        if !is_running(state) {
            bail!("the daemon stopped before it was done; its next start continues");
        }
        Ok(None)
    })?;
    match request_failure(&file) {
        Some(reason) => bail!("{reason}; {REST}"),
        None => Ok(true),
    }
}
