//! The librarian's thread: reads packages again when they have changed and records their
//! hacks, with an oracle that remembers in the store.
//!
//! Reading a package answers its tests, which may take a while: neither the dispatcher nor a worker
//! waits for it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::Sender;
use tokio::sync::watch;

use super::hacks;
use super::health::Part;
use super::message::{Actor, Inbox, LibraryUpdate, Message};
use super::notice::PackageNews;
use super::packages::{self, Changes, Packages};
use super::publication::FactSink;
use super::shared::{Languages, Setup, Shared, rules};
use crate::config::Config;
use crate::domain::Fault;
use crate::judge::{Grader, Rules, SandboxOracle, Station};
use crate::package::Oracle;
use crate::store::StoreError;

/// Time between two looks at the packages. A package is read when it is the same at two of them.
const TICK: Duration = Duration::from_secs(1);

/// Starts the thread with packages that were read and recorded. Where it is told that the languages
/// are others, what may depend on them is read again, at rest or not.
pub fn start(
    shared: &Arc<Shared>,
    in_force: watch::Receiver<Setup>,
    (host, packages): (OracleHost, Packages),
    messages: Sender<Message>,
) -> std::io::Result<Actor<bool>> {
    let mut librarian = Librarian {
        shared: Arc::clone(shared),
        in_force,
        host,
        packages,
        messages,
        unrecorded: Changes::default(),
        untold: Vec::new(),
    };
    Actor::start("librarian", move |inbox| librarian.run(inbox))
}

struct Librarian {
    shared: Arc<Shared>,
    in_force: watch::Receiver<Setup>,
    host: OracleHost,
    packages: Packages,
    messages: Sender<Message>,
    /// What was read and could not be recorded yet: nobody is judged with it.
    unrecorded: Changes,
    /// News of packages that were recorded and not told yet.
    untold: Vec<PackageNews>,
}

impl Librarian {
    fn run(&mut self, inbox: &Inbox<bool>) {
        while let Some(at_once) = inbox.wait(TICK, |at_once| !at_once) {
            if at_once {
                self.packages.forget_programs();
                self.host.languages = Arc::clone(&self.in_force.borrow().languages);
            }
            let looked = self.look(!at_once);
            match looked.and_then(|()| self.hand_over()) {
                Ok(()) => self.shared.health.ok(Part::Packages),
                // It is tried again at every look.
                Err(fault) => self.shared.health.fails(Part::Packages, &fault),
            }
            if self.messages.is_closed() {
                return;
            }
        }
    }

    fn look(&mut self, at_rest: bool) -> Result<(), Fault> {
        let packages = &mut self.packages;
        let look = |oracle: &mut dyn Oracle| packages.look(at_rest, oracle);
        let changes = with_oracle(&self.shared, &self.host, look)?;
        self.unrecorded.add(changes);
        Ok(())
    }

    /// Records what has changed and tells the dispatcher.
    fn hand_over(&mut self) -> Result<(), Fault> {
        if self.unrecorded.is_empty() {
            return Ok(());
        }
        let told = packages::record(&self.shared, &self.packages, &self.unrecorded)?;
        self.untold.extend(told);
        let library = Arc::clone(self.packages.library());
        let recorded = hacks::record(&self.shared, &library, self.unrecorded.slugs.keys())?;
        let news = LibraryUpdate {
            library,
            changes: std::mem::take(&mut self.unrecorded),
            told: std::mem::take(&mut self.untold),
            recorded,
        };
        // Where nobody listens any more, the daemon is ending.
        let _ = self
            .messages
            .blocking_send(Message::Library(Box::new(news)));
        Ok(())
    }
}

/// What packages are read with.
#[derive(Clone)]
pub struct OracleHost {
    /// The configuration.
    pub config: Arc<Config>,
    /// The languages of the packages' programs.
    pub languages: Arc<Languages>,
    /// The number of the runner that is made where a program has to be run: no worker's.
    pub runner: usize,
}

/// Does something that may need programs of packages to be run.
pub fn with_oracle<T>(
    shared: &Shared,
    host: &OracleHost,
    work: impl FnOnce(&mut dyn Oracle) -> T,
) -> Result<T, StoreError> {
    let reader = shared.store.reader()?;
    let mut sink = FactSink::at_once(shared.store.writer());
    let mut runner = shared.sandbox.runner(host.runner);
    let toolchain = &host.languages.toolchain;
    let mut station = Station::new(&mut runner, toolchain, Arc::clone(&shared.machine));
    let grader = Grader {
        worker: &mut station,
        toolchain,
        archive: &reader,
        sink: &mut sink,
        rules: Rules {
            stop_at_first_failure: false,
            repeat_near_limit: true,
            ..rules(&host.config, &shared.sandbox, &shared.machine)
        },
    };
    Ok(work(&mut SandboxOracle::new(grader)))
}
