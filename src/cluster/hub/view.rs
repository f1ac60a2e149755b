//! What people are shown of the workers.

use std::sync::Arc;

use super::state::State;
use crate::fleet::{Doing, Machine};

/// Every worker as it is now.
pub fn machines(state: &State) -> Vec<Machine> {
    let machine = |(name, seen): (&_, &super::seen::Seen)| {
        let about = seen.about.as_deref();
        let admitted = state.admitted.get(name);
        let of_worker = state.outstanding.orders().filter(|out| out.worker == *name);
        let mut doing: Vec<Doing> = of_worker
            .map(|out| Doing {
                what: Arc::clone(&out.task.task.what),
                since: out.since,
                progress: out.progress,
            })
            .collect();
        doing.sort_by_key(|doing| doing.since);
        Machine {
            name: name.clone(),
            description: about.map_or_else(Arc::default, |about| Arc::from(about.machine.as_str())),
            version: about.map_or_else(Arc::default, |about| Arc::from(about.version.as_str())),
            places: about.map_or(0, |about| about.places),
            languages: admitted
                .map_or_else(Vec::new, |known| known.languages.iter().cloned().collect()),
            why_not: admitted.map_or_else(Vec::new, |known| known.why_not.clone()),
            speed: about.map(|about| about.speed),
            last: seen.last,
            is_gone: seen.is_gone,
            doing,
            counts: seen.counts,
        }
    };
    state.outstanding.workers().map(machine).collect()
}
