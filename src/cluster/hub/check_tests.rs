//! What a hostile worker may say, and what is kept of it.

use std::sync::Arc;
use std::time::Duration;

use super::{Check, Found, TIME_MAX};
use crate::cluster::wire::Wrong;
use crate::domain::bounds::OUTPUT_KEPT_WHOLE_BYTES_MAX;
use crate::domain::{Digest, RunFacts};
use crate::judge::order::{Fact, Order};
use crate::places::tests::samples::{order, ran};
use crate::util::hash::digest;
use crate::util::samples::{build, file};

fn one() -> Order {
    order(&[None])
}

/// Bytes that came with facts.
fn with(bytes: &[&[u8]]) -> Found {
    let bytes = bytes.iter().map(|bytes| (digest(bytes), Arc::from(*bytes)));
    bytes.collect()
}

fn said(check: &mut Check<'_>, fact: &Fact, found: &Found) -> Result<usize, Wrong> {
    check.checked(fact, found).map(|_| 1)
}

fn changed(change: impl Fn(&mut RunFacts)) -> Fact {
    let Fact::Ran { key, mut facts } = ran(0, "anywhere") else {
        unreachable!("it is a run");
    };
    change(Arc::make_mut(&mut facts));
    Fact::Ran { key, facts }
}

#[test]
fn numbers_that_nothing_measures_are_not_taken() {
    let (order, found) = (one(), with(&[b"3\n"]));
    let mut check = Check::new(&order);
    assert_eq!(said(&mut check, &changed(|_| {}), &found), Ok(1));
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
        let wrong = said(&mut check, &changed(change), &found);
        assert_eq!(wrong, Err(Wrong::Elsewhere), "{number}");
    }
    let wrong = said(&mut check, &changed(|_| {}), &Found::new());
    assert_eq!(wrong, Err(Wrong::Bytes(digest(b"3\n"))));
    let lost = |digest| Fact::Lost(digest);
    assert_eq!(said(&mut check, &lost(*order.needs()[1]), &found), Ok(1));
    let wrong = said(&mut check, &lost(digest(b"another's")), &found);
    assert_eq!(wrong, Err(Wrong::Elsewhere));
}

#[test]
fn an_order_is_answered_with_so_much_and_no_more() {
    let (order, found) = (one(), with(&[b"3\n"]));
    let mut check = Check::new(&order);
    let mut taken = 0;
    let wrong = loop {
        match said(&mut check, &changed(|_| {}), &found) {
            Ok(one) => taken += one,
            Err(wrong) => break wrong,
        }
        assert!(taken < 1_000, "it never ends");
    };
    assert_eq!(wrong, Wrong::Many);
    // Each measurement near the limit is a fact, and there may be six.
    assert!(taken >= 12, "{taken}");

    let mut check = Check::new(&order);
    let long = vec![b'x'; OUTPUT_KEPT_WHOLE_BYTES_MAX + 1];
    let fact = changed(|facts| {
        facts.output.len_bytes = u64::from(u32::MAX);
        facts.output.kept = Some(digest(&long));
    });
    let wrong = said(&mut check, &fact, &with(&[&long]));
    assert_eq!(wrong, Err(Wrong::TooLong));

    let files = (0..2_000).map(|number| file(&number.to_string(), Digest([0; 32]), false));
    let build = build(files.collect());
    let key = digest(b"build");
    let wrong = said(&mut check, &Fact::Built { key, build }, &Found::new());
    assert_eq!(wrong, Err(Wrong::Elsewhere));
}
