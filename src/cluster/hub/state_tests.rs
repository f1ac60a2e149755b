//! Sequences of late, repeated and lost messages, and what hostile workers can do with them.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use super::super::out::{Held, Letters};
use super::{
    FALLEN_MAX, HELD_BYTES_MAX, ORDERS_A_PLACE, Out, Outcome, State, UNHEARD, UNHEARD_MAX, UNMOVED,
};
use crate::cluster::admission::Admission;
use crate::cluster::proof::Proof;
use crate::cluster::subjects::Name;
use crate::cluster::wire::{About, Doing, Heartbeat, Id, PROTOCOL_VERSION};
use crate::domain::{Digest, Identity, LanguageId};
use crate::places::Standing;

const SILENT: Duration = Duration::from_secs(15);

/// Whoever has a language may get its orders.
fn admit(about: &About, _: &Proof) -> Admission {
    Admission {
        languages: about.languages.keys().cloned().collect(),
        ..Admission::default()
    }
}

fn id(id: &str) -> Id {
    Id(id.to_owned())
}

fn about(language: &str) -> About {
    let language = LanguageId::new(language).unwrap();
    let (version, parts) = (String::new(), [].into());
    About {
        languages: [(language, Identity { version, parts })].into(),
        ..About::sample()
    }
}

/// A hub, and a worker `lab` that may say anything.
struct Scene {
    state: State,
    lab: Name,
    /// The other ends of all orders.
    givers: Vec<Letters>,
    now: Instant,
    shape: u16,
}

impl Scene {
    fn new() -> Self {
        Self {
            state: State::new(SILENT),
            lab: Name::new("lab").unwrap(),
            givers: Vec::new(),
            now: Instant::now(),
            shape: PROTOCOL_VERSION,
        }
    }

    /// A life of it says what it is and does; whether it is a rival, and what it does in vain.
    fn says(&mut self, life: &str, language: Option<&str>, doing: &[&str]) -> (bool, Vec<Id>) {
        let about = language.map(about);
        let doing = doing.iter().map(|order| Doing {
            order: id(order),
            progress: None,
        });
        let beat = Heartbeat {
            shape: self.shape,
            worker: id(life),
            is: about.as_ref().map_or(Digest([0; 32]), About::digest),
            about: about.map(Box::new),
            doing: doing.collect(),
        };
        let standing = self.state.here(&self.lab, beat, &admit, self.now);
        let is_rival = standing.why_not.concat().contains("another worker");
        (is_rival, standing.drop)
    }

    fn gives(&mut self, life: &str, order: &'static str) -> bool {
        let (giver, letters) = channel();
        self.givers.push(letters);
        let out = Out::new(&self.lab, &Arc::from(order), false, giver, self.now);
        self.state.give(&id(life), id(order), out).is_some()
    }

    fn hears(&mut self, life: &str, order: &str) -> bool {
        let out = self.state.order(&self.lab, &id(life), &id(order), self.now);
        out.is_some()
    }

    fn passes(&mut self, time: Duration) {
        self.now += time;
        self.state.tick(self.now);
    }

    fn languages(&self) -> Vec<String> {
        let machines = self.state.machines();
        let languages = machines.iter().flat_map(|machine| &machine.languages);
        languages.map(|id| id.as_str().to_owned()).collect()
    }

    fn why_not(&self) -> String {
        self.state.machines()[0].why_not.concat()
    }
}

#[test]
fn another_process_of_the_name_takes_its_place_and_the_first_one_is_not_asked() {
    let mut scene = Scene::new();
    scene.says("a", Some("c"), &[]);
    assert!(scene.gives("a", "order"));
    assert!(!scene.says("b", Some("python3"), &[]).0);
    assert_eq!(scene.languages(), ["python3"]);
    // What was out with the first one is lost, whatever it says.
    let (is_rival, drop) = scene.says("a", Some("c"), &["order"]);
    assert!(is_rival && drop == [id("order")]);
    assert!(!scene.hears("a", "order") && !scene.gives("a", "other"));
    assert_eq!(scene.languages(), ["python3"]);
    // The second one has ended.
    scene.now += SILENT;
    assert!(!scene.says("a", Some("c"), &[]).0);
}

#[test]
fn a_worker_of_another_shape_gets_nothing_for_as_long_as_it_is_there() {
    let mut scene = Scene::new();
    scene.shape = PROTOCOL_VERSION + 1;
    scene.says("a", Some("c"), &[]);
    for _ in 0..2 {
        assert!(scene.languages().is_empty() && !scene.why_not().is_empty());
        scene.state.admit_all(&admit, true);
    }
}

#[test]
fn a_worker_whose_word_makes_no_sense_gets_nothing_in_any_later_life() {
    let mut scene = Scene::new();
    scene.says("a", Some("c"), &[]);
    assert_eq!(scene.languages(), ["c"]);
    let lab = scene.lab.clone();
    scene.state.distrust(&lab, "it lies".to_owned());
    scene.says("b", Some("c"), &[]);
    scene.state.admit_all(&admit, true);
    assert!(scene.languages().is_empty());
    let why = scene.why_not();
    assert!(why.contains("it lies; it is not used again"), "{why}");
}

#[test]
fn a_place_takes_so_many_orders_and_no_more() {
    let mut scene = Scene::new();
    let take = |scene: &mut Scene, life: &str| {
        scene.state.take(&scene.lab, &id(life), scene.now).is_some()
    };
    scene.says("a", None, &[]);
    assert!(!take(&mut scene, "a"), "it has not said what it is");
    scene.says("a", Some("c"), &[]);
    assert!(take(&mut scene, "a") && !take(&mut scene, "b"));
    let held = scene.state.take(&scene.lab, &id("a"), scene.now);
    for order in ["one", "two"].iter().take(ORDERS_A_PLACE - 1) {
        scene.gives("a", order);
    }
    assert!(!take(&mut scene, "a"), "one waits, and the others are out");
    drop(held);
    assert!(take(&mut scene, "a"));
}

#[test]
fn what_a_silent_worker_has_is_lost_and_it_may_come_back_so_often() {
    let mut scene = Scene::new();
    for times in 1..=FALLEN_MAX {
        scene.says("a", Some("c"), &[]);
        assert_eq!(scene.languages(), ["c"]);
        assert!(scene.gives("a", "order"));
        scene.passes(SILENT);
        assert!(scene.hears("a", "order"), "it is heard in time");
        scene.passes(SILENT + Duration::from_secs(1));
        assert_eq!(scene.state.machines()[0].standing, Standing::Gone);
        assert!(!scene.hears("a", "order"));
        assert_eq!(scene.state.machines()[0].counts.lost, times as u64);
    }
    scene.says("b", Some("c"), &[]);
    let why = scene.why_not();
    assert!(why.contains("gone before one was done"), "{why}");
    // One that does orders between may.
    let mut scene = Scene::new();
    for _ in 0..=FALLEN_MAX {
        scene.says("a", Some("c"), &[]);
        scene.gives("a", "order");
        scene.state.end(&id("order"), Outcome::Done);
        scene.gives("a", "lost");
        scene.passes(SILENT + Duration::from_secs(1));
    }
    scene.says("a", Some("c"), &[]);
    assert_eq!(scene.languages(), ["c"]);
}

#[test]
fn an_order_that_its_worker_does_not_name_or_of_which_nothing_comes_is_lost() {
    let mut scene = Scene::new();
    let later = UNHEARD + Duration::from_millis(1);
    scene.says("a", Some("c"), &[]);
    scene.gives("a", "order");
    assert_eq!(scene.says("a", None, &[]), (false, vec![]));
    scene.now += later;
    scene.says("a", None, &[]);
    assert!(!scene.hears("a", "order"), "it is not there");
    // One that is named is there as long as something comes of it.
    scene.gives("a", "long");
    let mut passed = Duration::ZERO;
    while passed < UNMOVED {
        scene.says("a", None, &["long"]);
        assert!(scene.hears("a", "long"));
        scene.passes(later);
        passed += later;
    }
    for _ in 0..=UNMOVED.as_secs() / later.as_secs() {
        scene.says("a", None, &["long"]);
        scene.passes(later);
    }
    assert!(!scene.hears("a", "long"));
    assert_eq!(scene.says("a", None, &["long"]).1, [id("long")]);
}

#[test]
fn what_never_reached_its_worker_is_no_try_unless_that_happens_too_often() {
    let mut scene = Scene::new();
    let misses = |scene: &mut Scene, named: &[&str]| {
        let before = scene.givers.len();
        for order in ["one", "two"] {
            assert!(scene.gives("a", order));
        }
        scene.now += Duration::from_millis(1);
        scene.says("a", Some("c"), named);
        scene.now += UNHEARD + Duration::from_millis(1);
        scene.says("a", None, &[]);
        assert!(!scene.hears("a", "one") && !scene.hears("a", "two"));
        let givers = scene.givers[before..].iter();
        let is_told = |giver: &Letters| matches!(giver.try_recv(), Ok(None));
        givers.map(is_told).collect::<Vec<bool>>()
    };
    scene.says("a", Some("c"), &[]);
    // A server that restarts loses all of them at once.
    for _ in 0..UNHEARD_MAX {
        assert_eq!(misses(&mut scene, &[]), [true, true]);
    }
    assert_eq!(misses(&mut scene, &[]), [false, false]);
    // When something has come it is believed again. An order that it has named was there.
    scene.gives("a", "heard");
    assert!(scene.hears("a", "heard"));
    scene.state.end(&id("heard"), Outcome::Done);
    scene.says("a", None, &[]);
    assert_eq!(misses(&mut scene, &[]), [true, true]);
    assert_eq!(misses(&mut scene, &["one"]), [false, true]);
}

#[test]
fn where_too_much_waits_to_be_read_the_order_with_most_of_it_is_lost() {
    let mut scene = Scene::new();
    scene.says("a", Some("c"), &[]);
    let hold = |scene: &mut Scene, order: &'static str, bytes: usize| {
        scene.gives("a", order);
        let (state, lab, life) = (&mut scene.state, &scene.lab, id("a"));
        let out = state.order(lab, &life, &id(order), scene.now);
        Held::new(&out.unwrap().held, bytes)
    };
    let much = hold(&mut scene, "much", HELD_BYTES_MAX);
    scene.state.make_room();
    let _little = hold(&mut scene, "little", 1);
    scene.state.make_room();
    assert!(!scene.hears("a", "much") && scene.hears("a", "little"));
    drop(much);
    scene.state.make_room();
    assert!(scene.hears("a", "little"));
}
