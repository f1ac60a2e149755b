//! The machine's sandbox: what it offers is found out once and shared by all workers.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::capabilities::{self, Capabilities};
use super::cgroup::Hierarchy;
use super::identity;
use super::places::Places;
use super::runner::SandboxRunner;
use super::streams::{CACHED_MAX, Inputs};
use super::supervise::Counted;
use crate::domain::Digest;
use crate::sandbox::protection::{self, Hold, Protection, Refusal};
use crate::sandbox::wire::Settings;
use crate::util::descriptors;

/// The descriptors that the daemon may need for grading, of this many.
pub fn descriptors_needed(limit: usize, workers: usize) -> usize {
    descriptors::grading(limit, workers, CACHED_MAX)
}

/// Every protection as it would hold on this machine, whether or not that is enough.
pub fn examine() -> Vec<Protection> {
    capabilities::find(&Hierarchy::detect()).protections
}

/// Every room takes some descriptors, and so does every input that is kept: a machine with many
/// cores needs more than the customary soft limit.
fn raise_open_files() {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let raised = rustix::process::Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    if let Err(error) = rustix::process::setrlimit(rustix::process::Resource::Nofile, raised) {
        tracing::debug!(%error, "the limit of open files stays");
    }
}

/// The machine's sandbox.
#[derive(Clone)]
pub struct Sandbox {
    cgroups: Arc<Hierarchy>,
    capabilities: Arc<Capabilities>,
    inputs: Arc<Inputs>,
    places: Arc<Places>,
}

impl Sandbox {
    /// Opens it, unless a protection is missing that may not be.
    pub fn open(allow_missing: &BTreeSet<String>) -> Result<Self, Refusal> {
        Self::open_with(Hierarchy::detect(), allow_missing)
    }

    /// Gives so many workers cores of their own, apart from those of other daemons on this machine.
    /// Says how many workers have to share one, for want of free cores. Before there are runners.
    pub fn claim_cores(&mut self, workers: usize) -> usize {
        let (places, shared) = Places::claim(workers);
        self.places = Arc::new(places);
        shared
    }

    /// The same where control groups are not used although they may be there.
    pub fn open_without_cgroups(allow_missing: &BTreeSet<String>) -> Result<Self, Refusal> {
        Self::open_with(Hierarchy::none(), allow_missing)
    }

    fn open_with(cgroups: Hierarchy, allow_missing: &BTreeSet<String>) -> Result<Self, Refusal> {
        raise_open_files();
        let capabilities = Arc::new(capabilities::find(&cgroups));
        protection::decide(&capabilities.protections, allow_missing)?;
        let inputs_max = descriptors::inputs(descriptors::limit(), CACHED_MAX);
        Ok(Self {
            cgroups: Arc::new(cgroups),
            capabilities,
            inputs: Arc::new(Inputs::with_capacity(inputs_max)),
            places: Arc::new(Places::find()),
        })
    }

    /// Every protection and how it holds.
    pub fn protections(&self) -> &[Protection] {
        &self.capabilities.protections
    }

    /// Changes when what is enforced changes.
    pub fn policy_digest(&self) -> Digest {
        protection::policy_digest(&self.capabilities.protections)
    }

    /// A runner for the worker of this number, from 0.
    pub fn runner(&self, worker: usize) -> SandboxRunner {
        let on = |name| {
            self.capabilities
                .protections
                .iter()
                .any(|one| one.name == name && one.hold == Hold::On)
        };
        let place = self.places.place(worker);
        let settings = Settings {
            identity: identity(worker),
            own_network: self.capabilities.own_network,
            processor: place.processor,
        };
        let counted = Counted {
            memory: on(protection::MEMORY),
            processes: on(protection::PROCESSES),
            cpu: on(protection::CPU),
        };
        let shared = (Arc::clone(&self.cgroups), Arc::clone(&self.inputs));
        SandboxRunner::new(settings, counted, shared, place)
    }
}
