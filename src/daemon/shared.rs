//! What the dispatcher, the workers and the intake hold together; all of it is read-only or guards itself.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use crate::config::Config;
use crate::domain::{Digest, LanguageId};
use crate::package::Library;
use crate::report::Log;
use crate::sandbox::Sandbox;
use crate::store::Store;
use crate::toolchain::{Availability, Language, Toolchain};

/// Everything that stays while the daemon runs.
pub struct Shared {
    /// Where submissions, facts and judgements are.
    pub store: Store,
    /// Makes runners.
    pub sandbox: Sandbox,
    /// verdicts.log and verdicts.jsonl.
    pub log: Mutex<Log>,
    /// The folder of the reports.
    pub reports: PathBuf,
}

/// Everything that a reload replaces as a whole.
#[derive(Clone)]
pub struct Setup {
    /// The configuration.
    pub config: Arc<Config>,
    /// The languages, and which of them work here.
    pub languages: Arc<Languages>,
    /// The packages.
    pub library: Arc<Library>,
}

/// A digest of a language's commands and version.
pub fn fingerprint(toolchain: &Toolchain, language: &Language, version: &str) -> Digest {
    // The key of an empty source: what is left in it is the language's own part.
    toolchain.build_key(language, version, "", b"")
}

/// The languages, and which of them work here.
pub struct Languages {
    /// The table.
    pub toolchain: Toolchain,
    /// What came of trying each.
    pub tried: Vec<(LanguageId, Availability)>,
}

impl Languages {
    /// The version of a language that works here.
    pub fn version(&self, id: &LanguageId) -> Option<&str> {
        self.tried.iter().find_map(|(tried, found)| match found {
            Availability::Offered { version } if tried == id => Some(version.as_str()),
            _ => None,
        })
    }

    /// The languages that work here.
    pub fn offered(&self) -> impl Iterator<Item = &LanguageId> {
        self.tried
            .iter()
            .filter(|(_, found)| matches!(found, Availability::Offered { .. }))
            .map(|(id, _)| id)
    }

    /// A digest of a language's commands and version; what was built with another one is built again.
    pub fn fingerprint(&self, id: &LanguageId) -> Option<Digest> {
        let language = self.toolchain.language(id)?;
        Some(fingerprint(&self.toolchain, language, self.version(id)?))
    }
}
