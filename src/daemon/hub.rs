//! Starts the thread that gives orders to other machines, where the configuration names a server.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::thread::Builder;

use tokio::sync::mpsc::Sender;

use super::error::DaemonError;
use super::message::Message;
use super::shared::{Setup, Shared};
use crate::cluster::about::Looking;
use crate::cluster::access::{Access, Credentials, Role};
use crate::cluster::admission::{Own, admit};
use crate::cluster::hub::{Admitting, Hub, Setup as HubSetup};
use crate::cluster::subjects::Name;
use crate::config::{Cluster, Config};
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

/// How to reach the server, if one is named.
fn access(config: &Config) -> Result<Option<Access>, DaemonError> {
    let Cluster {
        nats,
        credentials,
        name,
        insecure,
        ..
    } = &config.cluster;
    if nats.is_none() {
        return Ok(None);
    }
    let wrong = |error: String| DaemonError::Cluster {
        config: config.file.clone(),
        error,
    };
    let load = |file: &Path| Credentials::load(file, Role::Course);
    let credentials = credentials.as_deref().map(load).transpose();
    let credentials = credentials.map_err(|error| wrong(error.to_string()))?;
    let folder = config.file.parent().and_then(Path::file_name);
    let of_folder = || Name::like(&folder?.to_string_lossy());
    let of_credentials = || credentials.as_ref().map(|known| known.name.clone());
    let name = name.clone().or_else(of_credentials).or_else(of_folder);
    let access = Access {
        url: nats.clone(),
        name: name
            .ok_or_else(|| wrong("the course needs a name on the server: set `name`".to_owned()))?,
        credentials,
        is_insecure: *insecure,
    };
    access.address().map_err(|error| wrong(error.to_string()))?;
    Ok(Some(access))
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
