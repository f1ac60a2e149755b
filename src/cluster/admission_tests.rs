//! Who may measure for whom, by tables.

use std::time::{Duration, Instant};

use super::{Admission, Own, Unequal, use_nearest};
use crate::cluster::proof::Proof;
use crate::cluster::wire::About;
use crate::domain::{Digest, Identity};
use crate::places::tests::samples::id;
use crate::util::samples::speed;

fn identity(version: &str, parts: &[(&str, u8)]) -> Identity {
    let part = |(name, byte): &(&str, u8)| ((*name).to_owned(), Some(Digest([*byte; 32])));
    Identity {
        version: version.to_owned(),
        parts: parts.iter().map(part).collect(),
    }
}

const PARTS: [&str; 5] = ["as", "cc1plus", "g++", "ld", "libstdc++.so.6"];

fn cpp() -> Identity {
    identity("g++ 12.2.0", &PARTS.map(|part| (part, 1)))
}

fn about() -> About {
    let perl = identity("v5.36", &[("perl", 1)]);
    let protections = ["network: own namespace", "landlock: ABI 4"];
    About {
        version: "0.1.0".to_owned(),
        machine: "Linux, 2 cores".to_owned(),
        places: 2,
        sandbox: Digest([1; 32]),
        protections: protections.map(str::to_owned).into(),
        languages: [(id("cpp"), cpp()), (id("perl"), perl)].into(),
        speed: speed(1_000, 1.0),
    }
}

fn own() -> Own {
    let names = [("cpp", "C++17"), ("perl", "Perl")];
    Own {
        about: about(),
        names: names.map(|(key, name)| (id(key), name.to_owned())).into(),
        tolerance_percent: 10,
    }
}

/// What a machine gets that has proved what it says of its speed.
fn admit(own: &Own, about: &About) -> Admission {
    let mut proof = Proof::default();
    let now = Instant::now();
    proof.asks(1, 1, now);
    proof.answered(1, now + Duration::from_nanos(about.speed.least_ns));
    super::admit(own, about, &proof)
}

type Change = fn(&mut About);

/// What is different there, and what is said of it.
#[rustfmt::skip]
const REFUSED: &[(Change, &[&str])] = &[
    (|about| about.version = "0.2.0\n".to_owned(),
        &["it runs verdictd 0.2.0\\n, the daemon 0.1.0: install the same version on both machines"]),
    (|about| about.places = 0, &["it has no place for an order"]),
    (|about| about.sandbox = Digest([2; 32]),
        &["its sandbox does not enforce exactly what the daemon's does"]),
    (|about| { about.sandbox = Digest([2; 32]); about.protections[1] = "landlock: off".to_owned(); },
        &["its sandbox has landlock: off", "the daemon's sandbox has landlock: ABI 4"]),
    (|about| about.speed.least_ns = 1_230,
        &["it is 23 % slower than the daemon's machine; `[cluster] tolerance_percent` allows 10"]),
    (|about| about.speed.least_ns = 1_101,
        &["it is 11 % slower than the daemon's machine; `[cluster] tolerance_percent` allows 10"]),
    (|about| about.speed.least_ns = 0,
        &["it is 100 % faster than the daemon's machine; `[cluster] tolerance_percent` allows 10"]),
    (|about| about.languages.clear(), &["it has no language exactly as the daemon's machine has it",
        "not installed there, or it does not work: C++17, Perl"]),
];

#[test]
fn a_machine_is_refused_with_its_reasons() {
    for (change, reasons) in REFUSED {
        let mut about = about();
        change(&mut about);
        let admission = admit(&own(), &about);
        assert_eq!(admission.why_not, *reasons);
        assert!(admission.languages.is_empty(), "{reasons:?}");
    }
}

#[test]
fn a_machine_like_the_daemons_gets_everything() {
    for least_ns in [900, 1_000, 1_100] {
        let mut about = about();
        about.speed = speed(least_ns, 1.0);
        let admission = admit(&own(), &about);
        assert_eq!(admission.languages, [id("cpp"), id("perl")].into());
        assert!(admission.why_not.is_empty());
    }
}

#[test]
fn a_machine_that_has_not_proved_what_it_says_of_its_speed_gets_nothing() {
    let (own, about, now) = (own(), about(), Instant::now());
    let mut proof = Proof::default();
    proof.asks(1, 0, now);
    proof.answered(1, now);
    let mut admitted = |took: &[u64]| {
        for ns in took {
            proof.next(now);
            proof.asks(1, 1, now);
            proof.answered(1, now + Duration::from_nanos(*ns));
        }
        let admission = super::admit(&own, &about, &proof);
        assert_eq!(admission.has_to_prove, admission.languages.is_empty());
        // The daemon measures itself anew as long as that is so.
        assert_eq!(admission.is_about_speed(), admission.languages.is_empty());
        admission.why_not.concat()
    };
    assert!(admitted(&[]).contains("is being measured"));
    let mut busy = [6_640_000; 20];
    busy[3] = 6_600_000;
    let refused = admitted(&busy);
    assert!(refused.contains("6.6 ms at best"), "{refused}");
    // What the measurements vary by is nobody's lie.
    assert_eq!(admitted(&[1_120]), "");
}

/// The speeds of both, what each varies by, and whether it is refused.
#[test]
fn nobody_is_refused_by_less_than_the_measurements_vary() {
    for (there, here, is_refused) in [
        ((1_230, 1.0), (1_000, 1.0), true),
        ((1_230, 25.0), (1_000, 1.0), false),
        ((1_230, 1.0), (1_000, 25.0), false),
        ((1_230, 22.0), (1_000, 22.0), true),
        ((5_370, 166.0), (1_000, 1.0), true),
        ((800, 25.0), (1_000, 1.0), false),
    ] {
        let (mut own, mut about) = (own(), about());
        (about.speed.least_ns, about.speed.spread_percent) = there;
        (own.about.speed.least_ns, own.about.speed.spread_percent) = here;
        let admission = admit(&own, &about);
        let said = !admission.why_not.is_empty();
        assert_eq!(said, is_refused, "{there:?} {here:?}");
        assert_eq!(admission.unequal.is_some(), is_refused);
        about.version = "0.2.0".to_owned();
        assert_eq!(admit(&own, &about).unequal, None, "not for its speed alone");
    }
}

/// What C++ is there, and what is said of it.
#[test]
fn a_language_that_differs_is_left_out() {
    let mut newer = cpp();
    newer.version = "g++ 13.1.0".to_owned();
    let mut library = cpp();
    let changed = Some(Digest([9; 32]));
    library.parts.insert("libstdc++.so.6".to_owned(), changed);
    let all = identity("g++ 12.2.0", &PARTS.map(|part| (part, 9)));
    let mut gold = cpp();
    gold.parts.remove("ld");
    gold.parts.insert("ld.gold".to_owned(), None);
    let endless = identity(&"x".repeat(10_000), &[]);
    for (there, words) in [
        (newer, "C++17: g++ 13.1.0 there, g++ 12.2.0 at the daemon"),
        (library, "C++17: libstdc++.so.6 differs"),
        (all, "C++17: as, cc1plus, g++, ld and 1 more differ"),
        (endless, "C++17: what the machine says of it makes no sense"),
        (gold, "C++17: ld, ld.gold differ"),
    ] {
        let mut about = about();
        about.languages.insert(id("cpp"), there);
        let admission = admit(&own(), &about);
        assert_eq!(admission.languages, [id("perl")].into());
        assert_eq!(admission.why_not, [words]);
    }
    let mut without = about();
    without.languages.remove(&id("perl"));
    let words = "not installed there, or it does not work: Perl";
    assert_eq!(admit(&own(), &without).why_not, [words]);
}

#[test]
fn the_words_of_a_hostile_worker_are_bounded() {
    let mut about = about();
    about.sandbox = Digest([2; 32]);
    about.protections = vec!["\u{1b}[2J".repeat(1_000); 1_000];
    about.version = "x".repeat(100_000);
    let admission = admit(&own(), &about);
    let long = admission.why_not.iter().map(String::len).max();
    assert!(admission.why_not.len() <= 40 && long < Some(1_000));
    assert!(!admission.why_not.concat().contains('\u{1b}'));
}

/// Machines by how many percent they are slower, none where they are admission; and who is used
/// where nobody else measures.
#[test]
fn the_nearest_are_used_where_nobody_else_measures() {
    let c = id("c");
    for (machines, used) in [
        (&[Some(23.0)][..], &[true][..]),
        (&[Some(23.0), Some(60.0), Some(31.0)], &[true, false, true]),
        (&[Some(-30.0), Some(60.0)], &[true, false]),
        (&[Some(23.0), None], &[false, true]),
        (&[], &[]),
    ] {
        let admission = |percent: &Option<f64>| Admission {
            languages: percent.is_none().then(|| c.clone()).into_iter().collect(),
            unequal: percent.map(|percent| Unequal {
                percent,
                tolerance_percent: 10.0,
                languages: [c.clone()].into(),
            }),
            ..Admission::default()
        };
        let mut all: Vec<Admission> = machines.iter().map(admission).collect();
        use_nearest(all.iter_mut());
        let is_used = |admission: &Admission| !admission.languages.is_empty();
        assert_eq!(all.iter().map(is_used).collect::<Vec<_>>(), used);
        let says = |admission: &Admission| !admission.why_not.is_empty();
        let is_said = machines.iter().zip(used);
        let is_said = is_said.map(|(percent, used)| percent.is_some() && *used);
        assert!(all.iter().map(says).eq(is_said));
    }
    // One that is refused for something else is no machine that measures.
    let mut all = [Admission::default()];
    use_nearest(all.iter_mut());
    assert!(all[0].languages.is_empty());
}
