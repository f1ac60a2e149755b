//! Starts the thread that gives orders to other machines, where the configuration names a server.

use std::sync::{Arc, OnceLock};
use std::thread::Builder;

use tokio::sync::mpsc::Sender;

use super::error::DaemonError;
use super::message::Message;
use super::shared::{Setup, Shared};
use crate::cluster::about::Looking;
use crate::cluster::access::{Access, AccessError};
use crate::cluster::admission::{Own, admit};
use crate::cluster::hub::{Admitting, Hub, Setup as HubSetup};
use crate::config::Config;
use crate::domain::Caps;
use crate::fleet::Orders;
use crate::util::calibrate::Pace;

/// Starts it; none where no server is named. `runner` is the number of a runner that nobody else
/// has.
pub fn start(
    shared: &Arc<Shared>,
    setup: &Setup,
    orders: &Arc<Orders>,
    runner: usize,
    messages: &Sender<Message>,
) -> Result<Option<Hub>, DaemonError> {
    let config = &setup.config;
    let Some(access) = access(config)? else {
        return Ok(None);
    };
    let own = Arc::new(OnceLock::new());
    look(shared, setup, runner, &own)?;
    let admitting = Admitting(Arc::new(move |about| match own.get() {
        Some(own) => {
            let admission = admit(own, about);
            let why_not = admission.why_not();
            (admission.languages, why_not)
        }
        None => {
            let why = "the daemon is still looking at its own languages";
            (Vec::new(), vec![why.to_owned()])
        }
    }));
    let messages = messages.clone();
    let say = move |text| {
        // News may be dropped when nobody keeps up with it.
        let _ = messages.try_send(Message::Said(text));
    };
    let hub = Hub::start(HubSetup {
        access,
        keep_bytes: config.cluster.keep_bytes,
        silent: config.cluster.silent,
        orders: Arc::clone(orders),
        machines: Arc::clone(&shared.machines),
        admitting,
        say: Box::new(say),
    })?;
    Ok(Some(hub))
}

/// How the server is reached, if one is named and may be.
fn access(config: &Config) -> Result<Option<Access>, DaemonError> {
    let wrong = |error: AccessError| DaemonError::Cluster {
        config: config.file.clone(),
        error: error.to_string(),
    };
    let access = Access::of_course(config).map_err(wrong)?;
    if let Some(access) = &access {
        access.address().map_err(wrong)?;
    }
    Ok(access)
}

/// Finds out what this machine is, with which others are compared, on a thread of its own.
fn look(
    shared: &Arc<Shared>,
    setup: &Setup,
    runner: usize,
    own: &Arc<OnceLock<Own>>,
) -> std::io::Result<()> {
    let (shared, setup, own) = (Arc::clone(shared), setup.clone(), Arc::clone(own));
    let thread = Builder::new().name("identity".to_owned());
    let looking = move || {
        let toolchain = &setup.languages.toolchain;
        let offered = setup.languages.offered().cloned().collect();
        let looking = Looking {
            sandbox: &shared.sandbox,
            runners: (runner, 1),
            toolchain,
            offered,
            caps: Caps::from(setup.config.limits.limits()),
            build: &setup.config.build,
        };
        let about = looking.about(shared.machine.to_string(), 1, &mut Pace::default());
        let named = about.languages.keys().filter_map(|id| {
            let language = toolchain.language(id)?;
            Some((id.clone(), language.name().to_owned()))
        });
        shared.machines.set_reference(about.speed);
        let found = Own {
            names: named.collect(),
            about,
            tolerance_percent: setup.config.cluster.tolerance_percent,
        };
        let _ = own.set(found);
    };
    // It ends by itself; nobody waits for it.
    thread.spawn(looking).map(drop)
}
