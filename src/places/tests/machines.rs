//! Machines, made up for tests.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::domain::LanguageId;
use crate::judge::order::Progress;
use crate::places::{Counts, Doing, Machine, OtherMachines, Standing};
use crate::util::samples::{RECEIVED_MS, speed};

pub fn languages(names: &[&str]) -> BTreeSet<LanguageId> {
    let names = names.iter();
    names.map(|name| LanguageId::new(name).unwrap()).collect()
}

/// One that measures.
pub fn machine(name: &str) -> Machine {
    Machine {
        name: Arc::from(name),
        life: Arc::from("1"),
        measured_as: Arc::from(format!("machine of {name}")),
        is_local: false,
        standing: Standing::Idle,
        since_ms: RECEIVED_MS,
        machine: "Linux 6.1.0 x86_64, 4 × Some Processor".to_owned(),
        version: "0.1.0".to_owned(),
        places: 4,
        languages: languages(&["c", "cpp"]),
        why_not: Vec::new(),
        speed: Some(speed(10_300_000, 2.4)),
        slower_percent: Some(3.0),
        doing: Vec::new(),
        out: 0,
        counts: Counts {
            done: 120,
            ..Counts::default()
        },
    }
}

/// One that is refused.
pub fn refused(name: &str, why_not: &[&str]) -> Machine {
    Machine {
        standing: Standing::Unused,
        languages: languages(&[]),
        why_not: why_not.iter().map(|why| (*why).to_owned()).collect(),
        counts: Counts::default(),
        ..machine(name)
    }
}

/// A server with one of each kind.
pub fn shown() -> OtherMachines {
    let doing = |what: &str, ms, progress| Doing {
        what: Arc::from(what),
        since_ms: RECEIVED_MS + ms,
        progress,
    };
    let running = Some(Progress::Running { done: 3, of: 20 });
    let ada = doing("ada/curling #2", 60_000, running);
    let mut busy = machine("lab-07");
    (busy.standing, busy.places, busy.out) = (Standing::Working, 2, 2);
    busy.doing = vec![ada, doing("bo/sum #1", 61_000, None)];
    busy.counts.failed = 1;
    let mut partly = machine("lab-08");
    partly.languages = languages(&["c"]);
    partly.why_not = vec!["C++17: libstdc++.so.6 differs".to_owned()];
    partly.slower_percent = Some(-4.0);
    let slow =
        "it is 23 % slower than the daemon's machine; `[cluster] tolerance_percent` allows 10";
    let mut gone = machine("lab-10");
    gone.standing = Standing::Gone;
    (gone.counts.lost, gone.counts.dropped) = (2, 5);
    OtherMachines {
        server: "tls://grader:4222".to_owned(),
        course: "algorithms".to_owned(),
        trouble: None,
        machines: vec![busy, partly, refused("lab-09", &[slow]), gone],
        more: 0,
    }
}
