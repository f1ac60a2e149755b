//! What a reload changes: the configuration is read again, and what it means takes effect.

use std::sync::Arc;

use super::dispatch::Dispatcher;
use super::languages::{Trial, Tried, Which};
use super::librarian::broken;
use super::oracle::OracleHost;
use super::shared::Languages;
use super::state::Event;
use crate::config;
use crate::toolchain::{Language, Toolchain};

impl Dispatcher<'_> {
    /// Reads config.toml again; a broken one is refused and the old one stays.
    pub(super) fn reload(&mut self) -> bool {
        let fresh = match config::load(&self.setup.config.file) {
            Ok(fresh) => fresh,
            Err(error) => {
                self.say(&format!("{error}\nthe configuration stays as it was"));
                return false;
            }
        };
        let old = Arc::clone(&self.setup.config);
        let toolchain = if fresh.languages == old.languages {
            Arc::clone(&self.setup.languages.toolchain)
        } else {
            Arc::new(Toolchain::of(&fresh))
        };
        let mut later = Vec::new();
        for (changed, what) in [
            (fresh.folders != old.folders, "folders"),
            (fresh.judge.workers != old.judge.workers, "judge.workers"),
            (fresh.sandbox != old.sandbox, "sandbox"),
            (fresh.web != old.web, "web"),
        ] {
            if changed {
                later.push(what);
            }
        }
        // What needs a restart keeps its old value until then.
        self.setup.config = Arc::new(config::Config {
            folders: old.folders.clone(),
            sandbox: old.sandbox.clone(),
            web: old.web.clone(),
            ..fresh
        });
        self.tell_intake();
        self.course.send_replace(self.setup.course());
        self.librarian.reload(OracleHost {
            config: Arc::clone(&self.setup.config),
            languages: Arc::clone(&self.setup.languages),
            runner: self.workers.len(),
        });
        // The new settings may be the changed cause of a fault.
        self.feed(Event::Packages(broken(&self.setup.library)));
        self.feed(Event::SkipSuperseded(
            self.setup.config.judge.skip_superseded,
        ));
        self.want_all("the configuration was read again");
        self.say(&match later.as_slice() {
            [] => "the configuration was read again".to_owned(),
            later => format!(
                "the configuration was read again; {} take effect at the next start",
                later.join(", ")
            ),
        });
        // Judging goes on meanwhile with the languages as they were.
        self.say("trying the languages in the sandbox …");
        let known = same_tables(&self.setup.languages, &toolchain);
        self.languages.try_now(Trial {
            toolchain,
            config: Arc::clone(&self.setup.config),
            which: Which::All(known),
        });
        false
    }
}

/// What is known of the languages whose tables are the same in the other toolchain.
fn same_tables(languages: &Languages, other: &Toolchain) -> Tried {
    let mut tried = languages.tried.clone();
    tried.retain(|(id, _)| {
        let before = languages.toolchain.language(id).map(Language::spec);
        before == other.language(id).map(Language::spec)
    });
    tried
}
