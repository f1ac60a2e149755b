//! Which workers the queue of orders knows of.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::admitting::Admitted;
use super::outstanding::PLACES_MAX;
use crate::cluster::subjects::Name;
use crate::cluster::wire::Id;
use crate::fleet::{Orders, Place};

/// What the queue was told.
#[derive(Default)]
pub struct Present(BTreeMap<Name, (Place, usize)>);

impl Present {
    /// A worker's place, if the queue knows it.
    pub fn of(&self, name: &Name) -> Option<Place> {
        self.0.get(name).map(|(place, _)| place.clone())
    }

    /// Tells the queue who has come, has changed, and is gone. Those who may get nothing are not
    /// there.
    pub fn tell<'a>(
        &mut self,
        there: impl Iterator<Item = (&'a Name, &'a Id, usize, &'a Arc<Admitted>)>,
        orders: &Orders,
    ) {
        let mut now = BTreeMap::new();
        for (name, life, places, admitted) in there {
            if admitted.languages.is_empty() || places == 0 {
                continue;
            }
            let place = Place {
                worker: Arc::from(name.as_str()),
                life: Arc::from(life.0.as_str()),
                machine: Arc::clone(&admitted.machine),
                languages: Some(admitted.languages.clone()),
                is_local: false,
            };
            now.insert(name.clone(), (place, places.min(PLACES_MAX)));
        }
        for (name, (place, _)) in &self.0 {
            let is_there = now.get(name).is_some_and(|(other, _)| other.is_of(place));
            if !is_there {
                orders.leaves(place);
            }
        }
        for (name, known) in &now {
            if self.0.get(name) != Some(known) {
                orders.arrives(known.0.clone(), known.1);
            }
        }
        self.0 = now;
    }
}
