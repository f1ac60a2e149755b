//! What the hub knows: who is there, what each may get, what is out.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::admitting::{Admitted, Admitting, bounded, use_nearest};
use super::check::Ticket;
use super::outstanding::{Here, Outstanding};
use super::present::Present;
use super::seen::Seen;
use crate::cluster::subjects::Name;
use crate::cluster::wire::Beat;
use crate::fleet::Orders;

/// What changes with each request.
pub struct State {
    /// Workers, and orders that are out with them.
    pub outstanding: Outstanding<Arc<Ticket>>,
    /// What each worker may get, by its name.
    pub admitted: BTreeMap<Name, Arc<Admitted>>,
    /// Those of them that orders are told of.
    pub present: Present,
    /// Why the server keeps no bytes, and since when.
    pub refused: Option<(String, Instant)>,
}

impl State {
    /// Nobody is known. A worker that is silent for so long is gone.
    pub fn new(silent: Duration) -> Self {
        Self {
            outstanding: Outstanding::new(silent),
            admitted: BTreeMap::new(),
            present: Present::default(),
            refused: None,
        }
    }

    /// A worker is there. What it says that it is counts where it is who is known by its name.
    pub fn here(
        &mut self,
        admitting: &Admitting,
        name: &Name,
        mut beat: Beat,
        now: Instant,
    ) -> Here<Arc<Ticket>> {
        let about = beat.about.take().map(|about| bounded(*about));
        let is_said = about.is_some();
        let here = self.outstanding.here(name, &beat, about, now);
        if is_said && !here.is_rival {
            self.admit(admitting, name);
        }
        here
    }

    /// What this worker may get may have changed.
    pub fn admit(&mut self, admitting: &Admitting, name: &Name) {
        let seen = self.outstanding.workers().find(|(other, _)| *other == name);
        let Some(admitted) = seen.and_then(|(_, seen)| admitted(admitting, name, seen)) else {
            return;
        };
        // Whether it is still the nearest is found out with the others.
        let is_nearest = |known: &Arc<Admitted>| {
            known.unequal.is_some() && !known.languages.is_empty() && admitted.unequal.is_some()
        };
        if !self.admitted.get(name).is_some_and(is_nearest) {
            self.admitted.insert(name.clone(), Arc::new(admitted));
        }
    }

    /// What workers may get may have changed: this machine's own languages, and their speeds.
    pub fn admit_again(&mut self, admitting: &Admitting) {
        let known = &self.outstanding;
        self.admitted.retain(|name, _| known.knows(name));
        let there = known.workers().filter(|(_, seen)| !seen.is_gone);
        let admitted = |(name, seen): (&Name, &Seen)| {
            let admitted = admitted(admitting, name, seen)?;
            Some((name.clone(), admitted))
        };
        let mut all: Vec<(Name, Admitted)> = there.filter_map(admitted).collect();
        if !admitting.has_own_places {
            use_nearest(all.iter_mut().map(|(_, admitted)| admitted));
        }
        let all = all.into_iter();
        self.admitted
            .extend(all.map(|(name, admitted)| (name, Arc::new(admitted))));
    }

    /// Tells the queue of orders who is there.
    pub fn tell(&mut self, orders: &Orders) {
        let Self {
            outstanding,
            admitted,
            present,
            ..
        } = self;
        let there = outstanding.workers().filter(|(_, seen)| !seen.is_gone);
        let there = there.filter_map(|(name, seen)| {
            let about = seen.about.as_ref()?;
            Some((name, &seen.life, about.places, admitted.get(name)?))
        });
        present.tell(there, orders);
    }
}

/// What a worker may get by what it has said that it is.
fn admitted(admitting: &Admitting, name: &Name, seen: &Seen) -> Option<Admitted> {
    let about = seen.about.as_deref()?;
    if let Some(why) = &seen.distrust {
        let why = format!("{why}; it is not used again before the daemon starts again");
        return Some(Admitted {
            why_not: vec![why],
            ..Admitted::default()
        });
    }
    Some(admitting.admit(name, seen.shape, about))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use super::{Admitting, State};
    use crate::cluster::admission::Admission;
    use crate::cluster::subjects::Name;
    use crate::cluster::wire::{About, Beat, Id, SHAPE};
    use crate::domain::{Digest, Identity, LanguageId, Speed};

    /// Whoever has a language may get its orders.
    fn admitting() -> Admitting {
        Admitting {
            admit: Arc::new(|about| Admission {
                languages: about.languages.keys().cloned().collect(),
                ..Admission::default()
            }),
            has_own_places: true,
        }
    }

    fn beat(shape: u16, life: &str, language: Option<&str>) -> Beat {
        let about = language.map(|language| {
            let identity = Identity {
                version: String::new(),
                parts: BTreeMap::new(),
            };
            Box::new(About {
                version: "1".to_owned(),
                machine: "a machine".to_owned(),
                places: 1,
                sandbox: Digest([0; 32]),
                protections: Vec::new(),
                languages: [(LanguageId::new(language).unwrap(), identity)].into(),
                speed: Speed {
                    least_ns: 1,
                    spread_percent: 0.0,
                },
            })
        });
        Beat {
            shape,
            worker: Id(life.to_owned()),
            about,
            doing: Vec::new(),
        }
    }

    fn languages(state: &State, name: &Name) -> Vec<String> {
        let admitted = state.admitted.get(name).into_iter();
        let languages = admitted.flat_map(|admitted| admitted.languages.iter());
        languages.map(|id| id.as_str().to_owned()).collect()
    }

    #[test]
    fn another_process_of_the_name_does_not_say_what_the_worker_is() {
        let (mut state, name) = (
            State::new(Duration::from_secs(15)),
            Name::new("lab").unwrap(),
        );
        let now = Instant::now();
        let mut said = |life, language| {
            state.here(&admitting(), &name, beat(SHAPE, life, language), now);
            languages(&state, &name)
        };
        assert_eq!(said("a", Some("c")), ["c"]);
        assert_eq!(
            said("b", Some("python3")),
            ["python3"],
            "it takes its place"
        );
        assert_eq!(
            said("a", Some("c")),
            ["python3"],
            "and the first is not asked"
        );
        assert_eq!(said("b", None), ["python3"]);
    }

    #[test]
    fn a_worker_of_another_shape_gets_nothing_for_as_long_as_it_is_there() {
        let (mut state, name) = (
            State::new(Duration::from_secs(15)),
            Name::new("lab").unwrap(),
        );
        let other = beat(SHAPE + 1, "a", Some("c"));
        state.here(&admitting(), &name, other, Instant::now());
        for _ in 0..2 {
            assert!(languages(&state, &name).is_empty());
            assert!(!state.admitted[&name].why_not.is_empty());
            state.admit_again(&admitting());
        }
    }

    #[test]
    fn a_worker_whose_word_makes_no_sense_gets_nothing_in_any_later_life() {
        let (mut state, name) = (
            State::new(Duration::from_secs(15)),
            Name::new("lab").unwrap(),
        );
        state.here(
            &admitting(),
            &name,
            beat(SHAPE, "a", Some("c")),
            Instant::now(),
        );
        assert_eq!(languages(&state, &name), ["c"]);
        state.outstanding.distrust(&name, "it lies".to_owned());
        state.here(
            &admitting(),
            &name,
            beat(SHAPE, "b", Some("c")),
            Instant::now(),
        );
        state.admit_again(&admitting());
        assert!(languages(&state, &name).is_empty());
        let why = state.admitted[&name].why_not.concat();
        assert!(why.contains("it lies; it is not used again"), "{why}");
    }
}
