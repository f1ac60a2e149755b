//! Workers that orders do not reach, or that are gone with them again and again.

use std::time::Duration;

use super::super::{Outstanding, UNHEARD, UNHEARD_MAX};
use super::{SILENT, beat, id, name, with_order};
use crate::cluster::hub::seen::FALLEN_MAX;

/// The worker's words on why it is not used, if it is not.
fn distrust(all: &Outstanding<u32>) -> Option<&str> {
    all.workers().next().unwrap().1.distrust.as_deref()
}

#[test]
fn an_order_that_never_reaches_a_worker_counts_only_when_none_does() {
    let (mut all, mut now) = with_order();
    for round in 1..=UNHEARD_MAX + 1 {
        now += UNHEARD + Duration::from_secs(1);
        let here = all.here(&name(1), &beat("a", &[]), None, now);
        let expected = if round <= UNHEARD_MAX { (0, 1) } else { (1, 0) };
        assert_eq!((here.lost.len(), here.unheard.len()), expected, "{round}");
        all.give(&name(1), &id("a"), vec![(id("x"), 1)], now)
            .unwrap();
    }
    assert!(all.task(&name(1), &id("a"), &id("x"), now).is_some());
    now += UNHEARD + Duration::from_secs(1);
    let here = all.here(&name(1), &beat("a", &[]), None, now);
    assert_eq!(here.unheard, [1], "one has reached it between");
}

#[test]
fn a_worker_that_takes_orders_and_is_gone_again_and_again_is_not_used_any_more() {
    for does_one in [false, true] {
        let (mut all, now) = with_order();
        for round in 0..FALLEN_MAX {
            assert_eq!(distrust(&all), None, "{round}");
            let life = format!("life {round}");
            let here = all.here(&name(1), &beat(&life, &[]), None, now);
            assert_eq!(here.lost, [1]);
            if does_one {
                all.did(&name(1));
            }
            all.give(&name(1), &id(&life), vec![(id("x"), 1)], now)
                .unwrap();
        }
        assert_eq!(distrust(&all).is_some(), !does_one);
    }
    // Idle machines that are switched off have lost nothing.
    let (mut all, mut now) = with_order();
    all.lose_all();
    for round in 0..2 * FALLEN_MAX {
        all.here(&name(1), &beat(&format!("life {round}"), &[]), None, now);
        now += SILENT * 2;
        all.tick(now);
    }
    assert_eq!(distrust(&all), None);
}
