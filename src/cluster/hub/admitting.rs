//! What each worker may get: asked once for what it says that it is.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::outstanding::PLACES_MAX;
use crate::cluster::about::machine_of;
use crate::cluster::admission::other_shape;
use crate::cluster::subjects::Name;
use crate::cluster::wire::About;
use crate::domain::LanguageId;
use crate::util::excerpt::visible_line;

/// Longest words of a worker's that are kept, in characters.
const WORDS_MAX: usize = 200;
/// Protections and languages of a worker that are kept.
const LISTED_MAX: usize = 256;

/// What a worker may get.
#[derive(Debug, Clone, Default)]
pub struct Admitted {
    /// Languages whose orders it may get.
    pub languages: BTreeSet<LanguageId>,
    /// Why it gets no others.
    pub why_not: Vec<String>,
    /// The machine, as reports name it: no two workers have the same one.
    pub machine: Arc<str>,
}

/// Languages whose orders a worker may get, and why no others.
type Admit = dyn Fn(&About) -> (Vec<LanguageId>, Vec<String>) + Send + Sync;

/// Says what a worker may get.
#[derive(Clone)]
pub struct Admitting(pub Arc<Admit>);

impl Admitting {
    /// What a worker may get that says this of itself.
    pub fn admit(&self, name: &Name, shape: u16, about: &About) -> Admitted {
        if let Some(why) = other_shape(shape) {
            return Admitted {
                why_not: vec![why],
                ..Admitted::default()
            };
        }
        let (languages, why_not) = (self.0)(about);
        Admitted {
            languages: languages.into_iter().take(LISTED_MAX).collect(),
            why_not,
            machine: machine_of(name, &about.machine),
        }
    }
}

/// What is kept of it: nothing that a worker says is without bounds.
pub fn bounded(about: About) -> About {
    About {
        version: short(&about.version),
        places: about.places.min(PLACES_MAX),
        machine: short(&about.machine),
        protections: about
            .protections
            .iter()
            .take(LISTED_MAX)
            .map(|words| short(words))
            .collect(),
        languages: about.languages.into_iter().take(LISTED_MAX).collect(),
        ..about
    }
}

fn short(words: &str) -> String {
    visible_line(words).chars().take(WORDS_MAX).collect()
}
