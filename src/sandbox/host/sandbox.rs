//! The machine's sandbox: what it offers is found out once and shared by all workers: each
//! protection, whether it holds, by which means or why not, and what would fix it.
//!
//! Nothing is concluded from versions or settings: a room is entered for a try, and control groups
//! are made for a try.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::cgroup::{Hierarchy, Offers};
use super::link::Zygote;
use super::places::Places;
use super::runner::{SandboxRunner, retry_shortage};
use super::streams::{CACHED_MAX, Inputs};
use super::supervise::Counted;
use super::{FIRST_PARTNER, WORKERS_MAX, identity, is_privileged};
use crate::domain::{Digest, Fault};
use crate::sandbox::channel::{FILTER, NETWORK_NAMESPACE, USER_NAMESPACE};
use crate::sandbox::protection::{self, Hold, Protection, Refusal};
use crate::sandbox::wire::Settings;
use crate::util::descriptors;

/// The descriptors that the daemon may need for grading, of this many.
pub fn descriptors_needed(limit: usize, workers: usize) -> usize {
    descriptors::grading(limit, workers, CACHED_MAX)
}

/// Every protection as it would hold on this machine, whether or not that is enough.
pub fn examine() -> Vec<Protection> {
    find_capabilities(&Hierarchy::detect()).protections
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
        let capabilities = Arc::new(find_capabilities(&cgroups));
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
        let partners = identity(FIRST_PARTNER + worker);
        SandboxRunner::new(settings, counted, shared, Arc::new(place), partners)
    }
}

/// What this machine offers.
#[derive(Debug, Clone)]
pub struct Capabilities {
    /// In the order in which they are shown.
    pub protections: Vec<Protection>,
    /// Whether a room has its own network.
    pub own_network: bool,
}

/// Tries everything.
fn find_capabilities(cgroups: &Hierarchy) -> Capabilities {
    let try_room = |own_network| retry_shortage(|| try_room(own_network));
    let with_network = try_room(true);
    let (room, own_network) = match with_network {
        Err(fault) if fault.step == NETWORK_NAMESPACE => (try_room(false), Err(fault)),
        other => (other.clone(), other),
    };
    let mut protections = vec![isolation(&room)];
    // What else a room protects from is not known where there is none.
    if let Ok(landlock) = room {
        let who = if is_privileged() {
            "a user of its own for each worker, without capabilities"
        } else {
            "user namespace, without capabilities"
        };
        protections.extend([
            Protection::on(protection::IDENTITY, who),
            network(own_network.as_ref().err()),
            Protection::on(protection::SYSTEM_CALLS, "seccomp filter"),
            second_wall(landlock),
        ]);
    }
    protections.extend(counted(&cgroups.offers));
    Capabilities {
        protections,
        own_network: own_network.is_ok(),
    }
}

/// Enters a room; the version of landlock in it.
fn try_room(own_network: bool) -> Result<Option<u32>, Fault> {
    let settings = Settings {
        identity: identity(WORKERS_MAX - 1),
        own_network,
        processor: None,
    };
    let zygote = Zygote::start(&settings)?;
    let group = Hierarchy::none().group()?;
    let room = zygote.begin_room(group)?.enter(&[], &[])?;
    let landlock = room.landlock;
    room.end().gone();
    Ok(landlock)
}

fn isolation(room: &Result<Option<u32>, Fault>) -> Protection {
    let name = protection::ISOLATION;
    match room {
        Ok(_) => Protection::on(
            name,
            "own process, mount, IPC, host name and cgroup namespaces; own read-only root",
        ),
        Err(fault) => Protection::not_on(Hold::Missing, name, fault.to_string(), fix_of(fault)),
    }
}

/// What would let a room be made, by the step that failed and why it did.
fn fix_of(fault: &Fault) -> &'static str {
    if let Some(shortage) = fault.shortage() {
        shortage.remedy()
    } else if fault.step == FILTER {
        "a kernel that has system call filters (CONFIG_SECCOMP_FILTER); in a container, one whose own filter lets seccomp and prctl through"
    } else if fault.step == USER_NAMESPACE {
        "allow user namespaces: sysctl -w user.max_user_namespaces=10000 kernel.apparmor_restrict_unprivileged_userns=0, or run as root"
    } else {
        "allow namespaces: sysctl -w user.max_pid_namespaces=10000 user.max_mnt_namespaces=10000 user.max_ipc_namespaces=10000 user.max_uts_namespaces=10000 user.max_cgroup_namespaces=10000; or run as root or, in a container, with CAP_SYS_ADMIN and an unmasked /proc (--privileged); Linux 5.12 or newer"
    }
}

fn second_wall(landlock: Option<u32>) -> Protection {
    let name = protection::LANDLOCK;
    match landlock {
        Some(version) => Protection::on(name, format!("landlock, version {version}")),
        None => Protection::not_on(
            Hold::Missing,
            name,
            "this kernel has it not, or it is switched off".into(),
            "Linux 5.13 or newer, and landlock in the kernel's list of security modules: boot with lsm=landlock,... in front of what `cat /sys/kernel/security/lsm` shows",
        ),
    }
}

fn network(refused: Option<&Fault>) -> Protection {
    let name = protection::NETWORK;
    match refused {
        None => Protection::on(
            name,
            "own empty network namespace; sockets of other families than AF_UNIX refused",
        ),
        Some(fault) => Protection::not_on(
            Hold::Weak,
            name,
            format!("only the system call filter refuses sockets: {fault}"),
            "allow network namespaces: sysctl -w user.max_net_namespaces=10000",
        ),
    }
}

fn counted(offers: &Offers) -> [Protection; 3] {
    let fix = if offers.version.starts_with("cgroup v1") {
        "run as root; or have root make a folder in each of the mounted hierarchies memory and pids, give them to this user, and start the daemon in them; or boot with version 2: systemd.unified_cgroup_hierarchy=1"
    } else {
        "run as root, or by a service with Delegate=yes: systemd-run --user --scope -p Delegate=yes verdictd serve"
    };
    let of_processes = "the processes' own accounts; a child that nobody waits for may be missed";
    [
        (
            protection::MEMORY,
            &offers.memory,
            "resident sets looked at from time to time",
        ),
        (
            protection::PROCESSES,
            &offers.processes,
            "limit of the user's processes",
        ),
        (protection::CPU, &offers.cpu, of_processes),
    ]
    .map(|(name, offer, instead)| match offer {
        Ok(()) => Protection::on(name, offers.version),
        Err(why) => Protection::not_on(Hold::Weak, name, format!("{instead}; {why}"), fix),
    })
}
