//! What a command asks of a daemon that runs, and how it waits for that.

use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

use crate::config::Config;
use crate::daemon::{Request, request_failure};
use crate::store::is_running;

/// Time between two looks.
const POLL: Duration = Duration::from_millis(50);
/// What follows a failure.
pub const REST: &str = "the same command, or the next start of the daemon, does the rest";

/// Looks until there is something; `None` if there is nothing for longer than the patience.
pub fn wait_for<T>(
    patience: Option<Duration>,
    mut look: impl FnMut() -> anyhow::Result<Option<T>>,
) -> anyhow::Result<Option<T>> {
    let begun = Instant::now();
    loop {
        if let Some(found) = look()? {
            return Ok(Some(found));
        }
        if patience.is_some_and(|patience| begun.elapsed() > patience) {
            return Ok(None);
        }
        std::thread::sleep(POLL);
    }
}

/// Leaves a request, and waits until the daemon has done it. Where none runs this is false, and the
/// request stays for whoever does it.
pub fn ask(config: &Config, request: &Request) -> anyhow::Result<bool> {
    let state = &config.folders.state;
    let file = request
        .put(state)
        .with_context(|| format!("leave a request in {}", state.display()))?;
    if !is_running(state) {
        return Ok(false);
    }
    wait_for(None, || {
        if !file.exists() {
            return Ok(Some(()));
        }
        if !is_running(state) {
            bail!("the daemon stopped before it was done; its next start continues");
        }
        Ok(None)
    })?;
    match request_failure(&file) {
        Some(reason) => bail!("{reason}; {REST}"),
        None => Ok(true),
    }
}
