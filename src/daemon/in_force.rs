//! What is in force: the configuration, the languages, the packages; and the threads that follow it.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::intake_thread::IntakeHandle;
use super::languages::{LanguagesHandle, Trial, Which};
use super::librarian::LibrarianHandle;
use super::oracle::OracleHost;
use super::projections::Following;
use super::search::SearchHandle;
use super::shared::{Languages, Setup, Shared, Tried};
use crate::config::Config;
use crate::domain::{LanguageId, ProblemSlug};
use crate::package::Library;
use crate::store::HackRow;
use crate::toolchain::{Language, Toolchain};

/// What is in force.
pub struct InForce {
    /// As it is now.
    pub setup: Setup,
    /// The number of the librarian's runner, which is no worker's.
    pub runner: usize,
    /// None where nothing new is taken.
    pub intake: Option<IntakeHandle>,
    pub librarian: LibrarianHandle,
    pub languages: LanguagesHandle,
    /// None where nothing is searched in idle time.
    pub searcher: Option<SearchHandle>,
    /// What the threads know of it that write files.
    pub following: Following,
}

impl InForce {
    /// The packages that nobody can be judged with.
    pub fn broken(&self) -> BTreeSet<ProblemSlug> {
        let library = self.setup.library.iter();
        let broken = library.filter(|(_, loaded)| loaded.is_err());
        broken.map(|(slug, _)| slug.clone()).collect()
    }

    /// From here on these packages are in force.
    pub fn set_library(&mut self, library: Arc<Library>) {
        self.setup.library = library;
        self.tell();
    }

    /// From here on this configuration is in force. What needs a restart keeps its old value until
    /// then; says what that is.
    pub fn set_config(&mut self, fresh: Config) -> Vec<&'static str> {
        let old = Arc::clone(&self.setup.config);
        let later = [
            (fresh.folders != old.folders, "folders"),
            (fresh.judge.workers != old.judge.workers, "judge.workers"),
            (fresh.sandbox != old.sandbox, "sandbox"),
            (fresh.web != old.web, "web"),
            (fresh.cluster != old.cluster, "cluster"),
        ];
        self.setup.config = Arc::new(Config {
            folders: old.folders.clone(),
            sandbox: old.sandbox.clone(),
            web: old.web.clone(),
            cluster: old.cluster.clone(),
            ..fresh
        });
        self.tell();
        self.read_packages();
        let later = later.into_iter().filter(|(changed, _)| *changed);
        later.map(|(_, what)| what).collect()
    }

    /// From here on these languages are in force. Whether one of them is new, or another one than
    /// before.
    pub fn set_languages(&mut self, languages: Arc<Languages>) -> bool {
        let old = std::mem::replace(&mut self.setup.languages, languages);
        self.tell();
        let new = &self.setup.languages;
        let is_new = new.offered().any(|id| {
            let now = new.judged_by(id);
            now.is_some() && old.judged_by(id) != now
        });
        if is_new {
            self.read_packages();
        }
        is_new
    }

    /// Has the languages of a table tried. One that is the same as now has only to say its version.
    pub fn try_all(&self, toolchain: Arc<Toolchain>) {
        let now = &self.setup.languages;
        let mut known: Tried = now.tried.clone();
        known.retain(|(id, _)| {
            let before = now.toolchain.language(id).map(Language::spec);
            before == toolchain.language(id).map(Language::spec)
        });
        self.try_these(toolchain, Which::All(known));
    }

    /// Has the languages tried again that a fault kept from being tried.
    pub fn try_again(&self) {
        let languages = &self.setup.languages;
        let faulty: BTreeSet<LanguageId> = languages.faults().map(|(id, _)| id.clone()).collect();
        if !faulty.is_empty() {
            self.try_these(Arc::clone(&languages.toolchain), Which::Only(faulty));
        }
    }

    fn try_these(&self, toolchain: Arc<Toolchain>, which: Which) {
        self.languages.try_now(Trial {
            toolchain,
            config: Arc::clone(&self.setup.config),
            which,
        });
    }

    /// Every earlier submission is judged on these hacks.
    pub fn finish_hacks(&self, shared: &Shared, judged: Vec<HackRow>) {
        if judged.is_empty() {
            return;
        }
        for hack in judged {
            // Where the thread is gone, the next start finds them.
            let _ = self.following.hacks.send(hack);
        }
        shared.tell_news(0);
    }

    /// Whether nothing has to be judged.
    pub fn set_idle(&self, is_idle: bool) {
        if let Some(searcher) = &self.searcher {
            searcher.set_idle(is_idle);
        }
    }

    /// Has those who search look whether there is more to do.
    pub fn search_again(&self) {
        if let Some(searcher) = &self.searcher {
            searcher.look_again();
        }
    }

    /// Has nothing more taken.
    pub fn stop_intake(&self) {
        if let Some(intake) = &self.intake {
            intake.stop();
        }
    }

    /// Ends the threads, and waits for that.
    pub fn join(self) {
        self.searcher.into_iter().for_each(SearchHandle::join);
        self.intake.into_iter().for_each(IntakeHandle::join);
        self.librarian.join();
        self.languages.join();
    }

    fn tell(&self) {
        if let Some(intake) = &self.intake {
            intake.update(&self.setup);
        }
        if let Some(searcher) = &self.searcher {
            searcher.know(&self.setup);
        }
        self.following.course.send_replace(self.setup.course());
    }

    fn read_packages(&self) {
        self.librarian.reload(OracleHost {
            config: Arc::clone(&self.setup.config),
            languages: Arc::clone(&self.setup.languages),
            runner: self.runner,
        });
    }
}
