//! Starts the thread that gives orders to other machines, where the configuration names a server.

use std::sync::{Arc, RwLock};
use std::thread::Builder;
use std::time::Duration;

use tokio::sync::mpsc::Sender;
use tokio::sync::watch;

use super::notice::Notice;
use super::shared::{Setup, Shared};
use super::start::DaemonError;
use crate::cluster::about::Looking;
use crate::cluster::access::{Access, AccessError};
use crate::cluster::admission::{Admission, Own, admit};
use crate::cluster::hub::{Hub, Setup as HubSetup};
use crate::cluster::proof::Proof;
use crate::cluster::wire::About;
use crate::config::Config;
use crate::sandbox::Cancel;
use crate::toolchain::FileDigests;
use crate::util::sync::{read, write};

/// Between two looks at whether something has changed.
const LOOK_PAUSE: Duration = Duration::from_secs(1);
/// What the languages of this machine are, in the state folder.
const LANGUAGES: &str = "languages.json";

/// Starts it; none where no server is named. `runner` is the number of a runner that nobody else
/// has. The `Cancel` ends the thread that looks at this machine, which holds the store while it runs
/// something.
pub fn start(
    access: Option<Access>,
    shared: &Arc<Shared>,
    in_force: watch::Receiver<Setup>,
    runner: usize,
    notices: &Sender<Notice>,
) -> Result<Option<(Hub, Cancel)>, DaemonError> {
    let config = Arc::clone(&in_force.borrow().config);
    let Some(access) = access else {
        return Ok(None);
    };
    // Nothing is measured yet that could slow it.
    shared.speed.measure_if_due(&shared.pool);
    let own = Arc::new(RwLock::new(None));
    let cancel = Cancel::new()?;
    look(shared, in_force, runner, &own, &cancel)?;
    let held = Arc::clone(shared);
    let admit = move |about: &About, proof: &Proof| {
        let own = read(&own);
        let Some(own) = own.as_ref() else {
            return Admission::refused("the daemon is still looking at its own languages");
        };
        let admission = admit(own, about, proof);
        if admission.is_about_speed() {
            held.speed.refuses();
        }
        admission
    };
    let notices = notices.clone();
    let say = move |text| {
        // News may be dropped when nobody keeps up with it.
        let _ = notices.try_send(Notice::Said(text));
    };
    let hub = Hub::start(HubSetup {
        access,
        keep_bytes: config.cluster.keep_bytes,
        silent: config.cluster.silent,
        pool: Arc::clone(&shared.pool),
        admit: Arc::new(admit),
        has_own_places: shared.pool.places() > 0,
        say: Box::new(say),
    })?;
    Ok(Some((hub, cancel)))
}

/// How the server is reached, if one is named and may be.
pub fn access(config: &Config) -> Result<Option<Access>, DaemonError> {
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

/// What this machine is, once that is known.
type Known = Arc<RwLock<Option<Own>>>;

/// Finds out what this machine is, with which others are compared, on a thread of its own: at the
/// start, when the languages change or their files do, and its speed now and then.
fn look(
    shared: &Arc<Shared>,
    mut in_force: watch::Receiver<Setup>,
    runner: usize,
    own: &Known,
    cancel: &Cancel,
) -> std::io::Result<()> {
    let (weak, own) = (Arc::downgrade(shared), Arc::clone(own));
    let cancel = cancel.clone();
    let thread = Builder::new().name("identity".to_owned());
    let looking = move || {
        let mut known = None;
        let mut files = FileDigests::default();
        // Nobody waits for it: it ends by itself when the daemon has.
        while !cancel.is_cancelled()
            && let Some(shared) = weak.upgrade()
        {
            let setup = in_force.borrow_and_update().clone();
            let is_known = |known| Arc::ptr_eq(known, &setup.languages);
            if !known.as_ref().is_some_and(is_known) || files.have_changed() {
                *write(&own) = None;
                files = FileDigests::default();
                *write(&own) = found(&shared, &setup, runner, (&files, &cancel));
                known = Some(setup.languages);
            } else if has_room(&shared) {
                shared.speed.measure_if_due(&shared.pool);
            }
            // A place may have measured it.
            if let (Some(own), Some(speed)) = (write(&own).as_mut(), shared.pool.reference()) {
                own.about.speed = speed;
            }
            drop(shared);
            std::thread::sleep(LOOK_PAUSE);
        }
    };
    thread.spawn(looking).map(drop)
}

/// Whether a place of this machine is free: what runs in all of them would slow the measurement.
fn has_room(shared: &Shared) -> bool {
    let runs = shared.activity.runs();
    runs.is_empty() || runs.iter().any(Option::is_none)
}

fn found(
    shared: &Shared,
    setup: &Setup,
    runner: usize,
    (files, cancel): (&FileDigests, &Cancel),
) -> Option<Own> {
    let toolchain = &setup.languages.toolchain;
    let looking = Looking {
        sandbox: &shared.sandbox,
        runners: (runner, 1),
        toolchain,
        offered: setup.languages.offered().cloned().collect(),
        caps: setup.config.limits.with_wall_floor(),
        build: &setup.config.build,
        cancel: Some(cancel),
    };
    let kept = setup.config.folders.state.join(LANGUAGES);
    let speed = shared.pool.reference()?;
    let about = looking.about((shared.machine.to_string(), 1, speed), &kept, files);
    let named = about.languages.keys().filter_map(|id| {
        let language = toolchain.language(id)?;
        Some((id.clone(), language.name().to_owned()))
    });
    Some(Own {
        names: named.collect(),
        about,
        tolerance_percent: setup.config.cluster.tolerance_percent,
    })
}
