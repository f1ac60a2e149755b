//! What each worker may get: asked once for what it says that it is.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::outstanding::PLACES_MAX;
use crate::cluster::about::machine_of;
use crate::cluster::admission::{Admission, Unequal, other_shape};
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
    /// Where its speed alone keeps it from orders, or would.
    pub unequal: Option<Unequal>,
}

/// Says what a worker may get.
#[derive(Clone)]
pub struct Admitting {
    /// By what the worker says that it is.
    pub admit: Arc<dyn Fn(&About) -> Admission + Send + Sync>,
    /// Whether this machine measures too.
    pub has_own_places: bool,
}

impl Admitting {
    /// What a worker may get that says this of itself.
    pub fn admit(&self, name: &Name, shape: u16, about: &About) -> Admitted {
        if let Some(why) = other_shape(shape) {
            return Admitted {
                why_not: vec![why],
                ..Admitted::default()
            };
        }
        let admission = (self.admit)(about);
        let why_not = admission.why_not();
        Admitted {
            languages: admission.languages.into_iter().take(LISTED_MAX).collect(),
            why_not,
            machine: machine_of(name, &about.machine),
            unequal: admission.unequal,
        }
    }
}

/// Where nobody else measures, the machines whose speed is nearest get orders too, and those that are
/// as fast as they are.
pub fn use_nearest<'a>(all: impl Iterator<Item = &'a mut Admitted>) {
    let mut unequal: Vec<(Unequal, &mut Admitted)> = Vec::new();
    for admitted in all {
        match admitted.unequal.clone() {
            Some(by) => unequal.push((by, admitted)),
            None if admitted.languages.is_empty() => {}
            None => return,
        }
    }
    let nearest = unequal.iter().map(|(by, _)| by.percent);
    let Some(nearest) = nearest.min_by(|one, other| one.abs().total_cmp(&other.abs())) else {
        return;
    };
    for (by, admitted) in unequal {
        if (by.percent - nearest).abs() <= by.tolerance_percent {
            admitted.languages = by.languages.into_iter().take(LISTED_MAX).collect();
            admitted.why_not.push(
                "it is used all the same: no other machine is there that measures".to_owned(),
            );
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Admitted, Unequal, use_nearest};
    use crate::domain::LanguageId;

    /// Machines by how many per cent they are slower, none where they are admitted; and who is used
    /// where nobody else measures.
    #[test]
    fn the_nearest_are_used_where_nobody_else_measures() {
        let c = LanguageId::new("c").unwrap();
        for (machines, used) in [
            (&[Some(23.0)][..], &[true][..]),
            (&[Some(23.0), Some(60.0), Some(31.0)], &[true, false, true]),
            (&[Some(-30.0), Some(60.0)], &[true, false]),
            (&[Some(23.0), None], &[false, true]),
            (&[], &[]),
        ] {
            let admitted = |percent: &Option<f64>| Admitted {
                languages: match percent {
                    None => BTreeSet::from([c.clone()]),
                    Some(_) => BTreeSet::new(),
                },
                unequal: percent.map(|percent| Unequal {
                    percent,
                    tolerance_percent: 10.0,
                    languages: vec![c.clone()],
                }),
                ..Admitted::default()
            };
            let mut all: Vec<Admitted> = machines.iter().map(admitted).collect();
            use_nearest(all.iter_mut());
            let is_used = |admitted: &Admitted| !admitted.languages.is_empty();
            assert_eq!(all.iter().map(is_used).collect::<Vec<_>>(), used);
            let says = |admitted: &Admitted| !admitted.why_not.is_empty();
            let is_said = machines.iter().zip(used);
            let is_said = is_said.map(|(percent, used)| percent.is_some() && *used);
            assert!(all.iter().map(says).eq(is_said));
        }
        // One that is refused for something else is no machine that measures.
        let mut all = [Admitted::default()];
        use_nearest(all.iter_mut());
        assert!(all[0].languages.is_empty());
    }
}
