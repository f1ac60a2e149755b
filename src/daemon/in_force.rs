//! What is in force: the configuration, the languages, the packages; and the threads that follow
//! it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use tokio::sync::watch;

use super::languages::LanguagesThread;
use super::message::Actor;
use super::search::SearchHandle;
use super::shared::{Languages, Setup, Shared};
use crate::domain::{LanguageId, ProblemSlug};
use crate::package::Library;
use crate::store::HackRow;

/// What is in force.
pub struct InForce {
    /// As it is now.
    pub setup: Setup,
    /// The same, for whoever follows it.
    pub published: watch::Sender<Setup>,
    /// None where nothing new is taken. It is told that there is something to look at.
    pub intake: Option<Actor<bool>>,
    /// It is told that the languages are others.
    pub librarian: Actor<bool>,
    pub languages: LanguagesThread,
    /// None where nothing is searched in idle time.
    pub searcher: Option<SearchHandle>,
    /// Hacks that every earlier submission is judged on, for the thread that tells of them.
    pub judged_hacks: Sender<HackRow>,
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
            self.librarian.tell(|are_others| *are_others = true);
        }
        is_new
    }

    /// Has the languages tried again that a fault kept from being tried.
    pub fn try_again(&self) {
        let faulty = self.setup.languages.faults().map(|(id, _)| id.clone());
        let faulty: Vec<LanguageId> = faulty.collect();
        if !faulty.is_empty() {
            self.languages.tell(|told| *told = Some(faulty));
        }
    }

    /// Every earlier submission is judged on these hacks.
    pub fn finish_hacks(&self, shared: &Shared, judged: Vec<HackRow>) {
        if judged.is_empty() {
            return;
        }
        for hack in judged {
            // Where the thread is gone, the next start finds them.
            let _ = self.judged_hacks.send(hack);
        }
        shared.tell_news(0);
    }

    /// Whether nothing has to be judged.
    pub fn set_idle(&self, is_idle: bool) {
        if let Some(searcher) = &self.searcher {
            searcher.desk.set_idle(is_idle);
        }
    }

    /// Has those who search look whether there is more to do.
    pub fn search_again(&self) {
        if let Some(searcher) = &self.searcher {
            searcher.desk.look_again();
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
        self.intake.into_iter().for_each(Actor::join);
        self.librarian.join();
        self.languages.join();
    }

    fn tell(&self) {
        self.published.send_replace(self.setup.clone());
        if let Some(intake) = &self.intake {
            intake.tell(|look| *look = true);
        }
        if let Some(searcher) = &self.searcher {
            searcher.desk.begin_anew();
        }
    }
}
