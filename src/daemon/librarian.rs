//! The librarian's thread: reads packages again when they have changed, records their hacks, writes
//! the hacks' results.
//!
//! Reading a package answers its tests, which may take a while: neither the dispatcher nor a worker
//! waits for it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::mpsc::Sender;

use super::hacks::{self, ResultFile};
use super::inbox::{Actor, Inbox};
use super::message::{LibraryUpdate, Message, Recovered};
use super::notice::PackageNews;
use super::oracle::{OracleHost, with_oracle};
use super::package_news;
use super::packages::{Changes, Packages};
use super::rebuild::write_unreported;
use super::shared::{Entries, LogError, Shared};
use crate::domain::{Fault, FaultKind};
use crate::hack::HackError;
use crate::store::HackRow;

/// Time between two looks at the packages. A package is read when it is the same at two of them.
const TICK: Duration = Duration::from_secs(1);
/// What it does for a hack that every earlier submission was judged on.
const RESULT: &str = "write a hack's result";
/// Results of hacks that are kept to be written when that is possible again. `hack list` has all of
/// them anyway.
const RESULTS_BEHIND_MAX: usize = 64;

/// What is in the librarian's inbox.
#[derive(Default)]
struct Mail {
    host: Option<OracleHost>,
    /// Results to write. There are no more of them than hacks.
    results: VecDeque<HackRow>,
    stop: bool,
}

impl Mail {
    fn is_nothing(&self) -> bool {
        self.host.is_none() && self.results.is_empty() && !self.stop
    }
}

/// The librarian's thread.
pub struct LibrarianHandle(Actor<Mail>);

impl LibrarianHandle {
    /// Starts the thread with packages that were read and recorded.
    pub fn start(
        shared: Arc<Shared>,
        host: OracleHost,
        packages: Packages,
        results: Vec<ResultFile>,
        messages: Sender<Message>,
    ) -> std::io::Result<Self> {
        Actor::start("librarian", move |inbox| {
            let mut librarian = Librarian {
                shared,
                host,
                packages,
                messages,
                unrecorded: Changes::default(),
                untold: Vec::new(),
                unwritten: VecDeque::new(),
                results_behind: VecDeque::new(),
                logs_behind: false,
                said: None,
                failed: false,
            };
            librarian.keep(results);
            librarian.run(inbox);
        })
        .map(Self)
    }

    /// The configuration is another one: what may depend on it is read again, at rest or not.
    pub fn reload(&self, host: OracleHost) {
        self.0.tell(|mail| mail.host = Some(host));
    }

    /// Has the result of a hack written.
    pub fn write(&self, hack: HackRow) {
        self.0.tell(|mail| mail.results.push_back(hack));
    }

    /// Waits for the thread's end. Results that were asked for are written first.
    pub fn join(self) {
        self.0.join(|mail| mail.stop = true);
    }
}

struct Librarian {
    shared: Arc<Shared>,
    host: OracleHost,
    packages: Packages,
    messages: Sender<Message>,
    /// What was read and could not be recorded yet: nobody is judged with it.
    unrecorded: Changes,
    /// News of packages that were recorded and not told yet.
    untold: Vec<PackageNews>,
    /// Results that could not be put together yet.
    unwritten: VecDeque<HackRow>,
    /// Results that the disk did not take yet, newest last.
    results_behind: VecDeque<ResultFile>,
    /// Whether the store may have events of hacks that the logs have not.
    logs_behind: bool,
    /// What was told last of what does not work; none since everything did.
    said: Option<Fault>,
    /// Whether something did not work in this round.
    failed: bool,
}

impl Librarian {
    fn run(&mut self, inbox: &Inbox<Mail>) {
        loop {
            let mut told = inbox.wait(TICK, Mail::is_nothing);
            self.unwritten.append(&mut told.results);
            self.results_behind
                .iter_mut()
                .for_each(ResultFile::catch_up);
            self.results_behind.retain(ResultFile::is_behind);
            self.write_results();
            self.write_logs();
            self.write_reports();
            if told.stop {
                return;
            }
            let at_once = told.host.is_some();
            if let Some(host) = told.host {
                self.packages.set_defaults(&host.config.limits);
                self.packages.forget_faults();
                if !Arc::ptr_eq(&host.languages, &self.host.languages) {
                    self.packages.forget_programs();
                }
                self.host = host;
            }
            if !self.look(at_once) || !self.hand_over() {
                return;
            }
            self.write_logs();
            self.look_whether_all_works();
        }
    }

    /// Where room was missing, and everything works again, the dispatcher is to know.
    fn look_whether_all_works(&mut self) {
        if std::mem::take(&mut self.failed) {
            return;
        }
        let was_full = self
            .said
            .take()
            .is_some_and(|fault| fault.kind == FaultKind::NoRoom);
        if was_full {
            // Where nobody listens any more, the next message finds out.
            self.send(Message::Recovered(Recovered::Packages));
        }
    }

    /// Looks at the packages; false when nobody listens any more.
    fn look(&mut self, at_once: bool) -> bool {
        let packages = &mut self.packages;
        let looked = with_oracle(&self.shared, &self.host, |oracle| {
            if at_once {
                packages.look_at_once(oracle)
            } else {
                packages.look(oracle)
            }
        });
        match looked {
            Ok(changes) => {
                self.unrecorded.add(changes);
                true
            }
            Err(error) => self.complain(error.into_fault("read the packages")),
        }
    }

    /// Records what has changed and tells the dispatcher; false when nobody listens any more.
    fn hand_over(&mut self) -> bool {
        if self.unrecorded.is_empty() {
            return true;
        }
        match package_news::record(&self.shared, &self.packages, &self.unrecorded) {
            Ok(told) => self.untold.extend(told),
            Err(error) => return self.complain(error.into_fault("record the packages")),
        }
        let library = Arc::clone(self.packages.library());
        match hacks::record(&self.shared, &library, self.unrecorded.slugs.keys()) {
            Ok(mut recorded) => {
                self.keep(std::mem::take(&mut recorded.results));
                self.logs_behind = true;
                let news = LibraryUpdate {
                    library,
                    changes: std::mem::take(&mut self.unrecorded),
                    told: std::mem::take(&mut self.untold),
                    recorded,
                };
                self.send(Message::Library(Box::new(news)))
            }
            Err(error) => self.complain(error.into_fault("record hacks")),
        }
    }

    fn write_results(&mut self) {
        while let Some(task) = self.unwritten.pop_front() {
            match self.write(&task) {
                Ok(Some(told)) => {
                    self.logs_behind = true;
                    self.keep([told.result]);
                    self.send(Message::Hack(told.words));
                }
                Ok(None) => {}
                Err(HackError::Document(error)) => {
                    // It will be no better the next time, and others are not to wait for it.
                    self.complain(Fault::new(RESULT, error));
                }
                Err(HackError::Store(error)) => {
                    self.unwritten.push_front(task);
                    self.complain(error.into_fault(RESULT));
                    return;
                }
            }
        }
    }

    /// Keeps the results that are still to be written, in place of what was to be written there
    /// before.
    fn keep(&mut self, results: impl IntoIterator<Item = ResultFile>) {
        for result in results {
            self.results_behind.retain(|old| old.hack != result.hack);
            if result.is_behind() {
                self.results_behind.push_back(result);
            }
        }
        let excess = self.results_behind.len().saturating_sub(RESULTS_BEHIND_MAX);
        self.results_behind.drain(..excess);
    }

    /// Reports that the last run left unwritten, and that could not be written at the start either.
    fn write_reports(&self) {
        let behind = &self.shared.reports_behind;
        if behind.load(Ordering::Relaxed) && write_unreported(&self.shared, false).is_ok() {
            behind.store(false, Ordering::Relaxed);
        }
    }

    /// What was recorded of hacks stands in the logs too.
    fn write_logs(&mut self) {
        if !self.logs_behind {
            return;
        }
        let reader = self.shared.store.reader().map_err(LogError::from);
        match reader.and_then(|reader| self.shared.catch_up_logs(&reader, &Entries::new())) {
            Ok(()) => self.logs_behind = false,
            Err(error) => {
                self.complain(error.into_fault("write the logs"));
            }
        }
    }

    fn write(&self, hack: &HackRow) -> Result<Option<hacks::Announcement>, HackError> {
        match self.packages.library().get(&hack.problem) {
            Some(Ok(package)) => hacks::finish(&self.shared, package, hack),
            _ => Ok(None),
        }
    }

    /// Says once that something does not work; it is tried again at every look. False when nobody
    /// listens any more.
    fn complain(&mut self, fault: Fault) -> bool {
        self.failed = true;
        // Of a store that is lost the daemon hears in any case.
        if self.said.is_some() && fault.kind != FaultKind::StoreLost {
            return true;
        }
        self.said = Some(fault.clone());
        self.send(Message::PackageFault(fault))
    }

    fn send(&self, message: Message) -> bool {
        self.messages.blocking_send(message).is_ok()
    }
}
