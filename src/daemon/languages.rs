//! Tries every language at the start, side by side.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::shared::Languages;
use crate::config::Config;
use crate::domain::LanguageId;
use crate::sandbox::Sandbox;
use crate::toolchain::{Availability, Toolchain};

/// Tries every language of the table by its echo program.
pub fn try_all(
    toolchain: Toolchain,
    sandbox: &Sandbox,
    config: &Config,
    workers: usize,
) -> Languages {
    let ids: Vec<LanguageId> = toolchain
        .languages()
        .map(|language| language.id().clone())
        .collect();
    let caps = config.limits.limits();
    let next = AtomicUsize::new(0);
    let tried = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for worker in 0..workers.max(1) {
            let (next, tried, ids, toolchain, caps) = (&next, &tried, &ids, &toolchain, &caps);
            scope.spawn(move || {
                let mut runner = sandbox.runner(worker);
                while let Some(id) = ids.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = match &mut runner {
                        Ok(runner) => toolchain.probe(id, runner.as_mut(), caps, &config.build),
                        Err(fault) => Availability::Missing {
                            why: format!("the sandbox could not try it: {fault}"),
                            install: "see `verdictd doctor`".to_owned(),
                        },
                    };
                    let mut tried = match tried.lock() {
                        Ok(tried) => tried,
                        Err(poisoned) => poisoned.into_inner(),
                    };
                    tried.push((id.clone(), found));
                }
            });
        }
    });
    let mut tried = match tried.into_inner() {
        Ok(tried) => tried,
        Err(poisoned) => poisoned.into_inner(),
    };
    tried.sort_by(|(one, _), (other, _)| one.cmp(other));
    Languages { toolchain, tried }
}
