//! The judge without a daemon: one problem, and programs that are built once and run anew each
//! time.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use verdictd::internals::cluster::Worker;
use verdictd::internals::{
    Bytes, Config, Fact, Fault, Flow, Grader, Memory, NoOracle, Package, Rules, Sandbox, Sink,
    SourceFile, Toolchain, digest, judge, load_all, load_config,
};

/// What runs are noted as measured by.
pub const MACHINE: &str = "bench";

/// One problem, and the programs that were built for it.
pub struct Judge {
    config: Config,
    pub sandbox: Sandbox,
    pub toolchain: Arc<Toolchain>,
    package: Arc<Package>,
    builds: Memory,
}

/// A program's result.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The verdict's short code.
    pub verdict: &'static str,
    /// The CPU time of the first test that counts.
    pub cpu: Duration,
    pub runs: usize,
}

impl Judge {
    /// The one problem of a course, with cores for so many places.
    pub fn open(course: &Path, places: usize) -> Self {
        let config = load_config(&course.join("config.toml")).expect("a configuration");
        let sandbox = Sandbox::open(&config.sandbox.allow_missing);
        let mut sandbox = sandbox.expect("every protection of the sandbox is on here");
        sandbox.claim_cores(places);
        let packages = load_all(&config.folders.problems, &config.limits, &mut NoOracle);
        let package = packages.expect("problems").into_values().next();
        Self {
            toolchain: Arc::new(Toolchain::of(&config)),
            config,
            sandbox,
            package: package.expect("a problem").expect("a good one"),
            builds: Memory::default(),
        }
    }

    /// Judges a C program, as if only its build were known.
    pub fn judge(&self, worker: &mut dyn Worker, text: &str) -> Result<Judged, Fault> {
        let language = self.toolchain.language_of("c").expect("C");
        let version = self.toolchain.identify(language.id()).expect("a compiler");
        let source = SourceFile {
            name: "main.c".to_owned(),
            digest: digest(text.as_bytes()),
            bytes: Arc::from(text.as_bytes()),
        };
        let mut grader = Grader {
            worker,
            toolchain: &self.toolchain,
            archive: &self.builds,
            sink: &mut Forgetful(&self.builds),
            rules: Rules {
                stop_at_first_failure: true,
                repeat_near_limit: true,
                waits_for_quiet: false,
                policy: self.sandbox.policy_digest(),
                build: self.config.build.clone(),
                machine: Arc::from(MACHINE),
                stack_bytes: None,
            },
        };
        let judged = judge(&mut grader, &source, language, &version, &self.package)?;
        Ok(Judged {
            verdict: judged.judgement.verdict.code(),
            cpu: judged.judgement.tests[0].cpu(),
            runs: judged.took.runs,
        })
    }
}

/// Keeps builds, and forgets runs.
struct Forgetful<'a>(&'a Memory);

impl Sink for Forgetful<'_> {
    fn fact(&mut self, fact: &Fact, bytes: Bytes<'_>) -> Result<Flow, Fault> {
        match fact {
            Fact::Built { .. } => (&mut self.0).fact(fact, bytes),
            _ => Ok(Flow::Continue),
        }
    }
}
