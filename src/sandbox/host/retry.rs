//! Waiting out a moment in which the machine is short of something.

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::domain::Fault;

/// How long somebody who stands before the machine waits for such a moment to pass.
const WAIT_MAX: Duration = Duration::from_millis(1_500);
/// The pause between two tries.
const PAUSE: Duration = Duration::from_millis(100);

/// Does something again while the machine is short of what it needs, for a second or so. For
/// commands and for the start of the daemon; a running daemon has its own ways to wait.
pub fn retry_shortage<T>(mut work: impl FnMut() -> Result<T, Fault>) -> Result<T, Fault> {
    let end = Instant::now() + WAIT_MAX;
    loop {
        match work() {
            Err(fault) if fault.shortage().is_some() && Instant::now() < end => sleep(PAUSE),
            other => return other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::retry_shortage;
    use crate::domain::{Fault, FaultKind, Shortage};

    #[test]
    fn a_passing_shortage_is_waited_out_and_nothing_else_is() {
        let short = || Fault::new("fork", "no").of_kind(FaultKind::Short(Shortage::Processes));
        let mut tries = 0;
        let done = retry_shortage(|| {
            tries += 1;
            if tries < 3 { Err(short()) } else { Ok(tries) }
        });
        assert_eq!(done, Ok(3));
        let mut tries = 0;
        let lasting: Result<(), Fault> = retry_shortage(|| {
            tries += 1;
            Err(short())
        });
        assert_eq!(lasting, Err(short()));
        assert!(tries > 2, "{tries} tries");
        let mut tries = 0;
        let other: Result<(), Fault> = retry_shortage(|| {
            tries += 1;
            Err(Fault::new("mount", "no"))
        });
        assert!(other.is_err());
        assert_eq!(tries, 1);
    }
}
