//! What a hostile worker may say, and what is kept of it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Found, TIME_MAX, Ticket, Wrong};
use crate::domain::bounds::OUTPUT_KEPT_WHOLE_BYTES_MAX;
use crate::domain::{Build, Digest, FileRef, Manifest, RunFacts};
use crate::fleet::tests::samples::{Sample, ran, wants};
use crate::judge::order::Fact;
use crate::util::hash::digest;

fn ticket() -> Ticket {
    let (task, _replies) = Sample::new().task(wants(Instant::now()));
    Ticket::new(task)
}

/// Bytes that came with facts.
fn with(bytes: &[&[u8]]) -> Found {
    let bytes = bytes.iter();
    bytes
        .map(|bytes| (digest(bytes), Arc::from(*bytes)))
        .collect()
}

fn said(ticket: &Ticket, fact: Fact, found: &Found) -> Result<usize, Wrong> {
    let checked = ticket.checked(vec![fact], found, &Arc::from("lab-1"))?;
    Ok(checked.len())
}

fn changed(change: impl Fn(&mut RunFacts)) -> Fact {
    let Fact::Ran { key, mut facts } = ran(0, "anywhere") else {
        unreachable!("it is a run");
    };
    change(&mut facts);
    Fact::Ran { key, facts }
}

#[test]
fn numbers_that_nothing_measures_are_not_taken() {
    let found = with(&[b"3\n"]);
    assert_eq!(said(&ticket(), changed(|_| {}), &found), Ok(1));
    let changes: [fn(&mut RunFacts); 10] = [
        |facts| facts.cpu = Duration::MAX,
        |facts| facts.wall = TIME_MAX + Duration::from_nanos(1),
        |facts| facts.waited = Duration::MAX,
        |facts| facts.caps.cpu = Duration::MAX,
        |facts| facts.memory_bytes = u64::MAX,
        |facts| facts.output.len_bytes = u64::MAX,
        |facts| facts.measurements = 0,
        |facts| facts.busy = 2,
        |facts| facts.stderr = vec![b'x'; 1 << 20],
        |facts| facts.output.digest = digest(b"other bytes than are kept"),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let wrong = said(&ticket(), changed(change), &found);
        assert_eq!(wrong, Err(Wrong::Elsewhere), "{number}");
    }
}

#[test]
fn an_order_is_answered_with_so_much_and_no_more() {
    let (ticket, found) = (ticket(), with(&[b"3\n"]));
    let mut taken = 0;
    let wrong = loop {
        match said(&ticket, changed(|_| {}), &found) {
            Ok(one) => taken += one,
            Err(wrong) => break wrong,
        }
        assert!(taken < 1_000, "it never ends");
    };
    assert_eq!(wrong, Wrong::Many);
    // Each measurement near the limit is a fact, and there may be six.
    assert!(taken >= 12, "{taken}");

    let long = vec![b'x'; OUTPUT_KEPT_WHOLE_BYTES_MAX + 1];
    let fact = changed(|facts| {
        facts.output.len_bytes = u64::from(u32::MAX);
        facts.output.kept = Some(digest(&long));
    });
    assert_eq!(
        said(&self::ticket(), fact, &with(&[&long])),
        Err(Wrong::Long)
    );

    let file = |number: usize| FileRef {
        name: number.to_string(),
        digest: Digest([0; 32]),
        executable: false,
    };
    let build = Build {
        result: Ok(Manifest {
            files: (0..2_000).map(file).collect(),
            main: None,
        }),
        words: Vec::new(),
        cpu: Duration::ZERO,
        language_version: String::new(),
    };
    let key = digest(b"build");
    let wrong = said(&self::ticket(), Fact::Built { key, build }, &Found::new());
    assert_eq!(wrong, Err(Wrong::Elsewhere));
}
