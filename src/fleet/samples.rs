//! Machines, made up for tests.

use super::shown::{Shown, ShownDoing, ShownMachine, Standing};
use crate::domain::Speed;
use crate::judge::order::Progress;
use crate::util::samples::RECEIVED_MS;

/// One that measures.
pub fn machine(name: &str) -> ShownMachine {
    ShownMachine {
        name: name.to_owned(),
        standing: Standing::Idle,
        since_ms: RECEIVED_MS,
        machine: "Linux 6.1.0 x86_64, 4 × Some Processor".to_owned(),
        version: "0.1.0".to_owned(),
        places: 4,
        languages: vec!["c".to_owned(), "cpp".to_owned()],
        why_not: Vec::new(),
        speed: Some(Speed {
            least_ns: 10_300_000,
            spread_percent: 2.4,
        }),
        slower_percent: Some(3.0),
        doing: Vec::new(),
        out: 0,
        done: 120,
        failed: 0,
        lost: 0,
        dropped: 0,
    }
}

/// One that is refused.
pub fn refused(name: &str, why_not: &[&str]) -> ShownMachine {
    ShownMachine {
        standing: Standing::Unused,
        languages: Vec::new(),
        why_not: why_not.iter().map(|why| (*why).to_owned()).collect(),
        done: 0,
        ..machine(name)
    }
}

/// A server with one of each kind.
pub fn shown() -> Shown {
    let doing = |what: &str, ms, progress| ShownDoing {
        what: what.to_owned(),
        since_ms: RECEIVED_MS + ms,
        progress,
    };
    let busy = ShownMachine {
        standing: Standing::Working,
        places: 2,
        doing: vec![
            doing(
                "ada/curling #2",
                60_000,
                Some(Progress::Running { done: 3, of: 20 }),
            ),
            doing("bo/sum #1", 61_000, None),
        ],
        out: 2,
        failed: 1,
        ..machine("lab-07")
    };
    let partly = ShownMachine {
        languages: vec!["c".to_owned()],
        why_not: vec!["C++17: libstdc++.so.6 differs".to_owned()],
        slower_percent: Some(-4.0),
        ..machine("lab-08")
    };
    let slow =
        "it is 23 % slower than the daemon's machine; `[cluster] tolerance_percent` allows 10";
    let gone = ShownMachine {
        standing: Standing::Gone,
        lost: 2,
        dropped: 5,
        ..machine("lab-10")
    };
    Shown {
        server: "tls://grader:4222".to_owned(),
        course: "algorithms".to_owned(),
        trouble: None,
        machines: vec![busy, partly, refused("lab-09", &[slow]), gone],
        more: 0,
        twice: 12,
        differed: 1,
    }
}
