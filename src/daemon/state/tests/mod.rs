//! The state against events: who is judged when, and what becomes of faults.

mod busy;

use super::{Effect, Ending, Event, SHORT_TRIES_MAX, SHORT_TRIES_MAX_ONCE, SLOW_TRIES_MAX, State};
use crate::daemon::queue::Waiting;
use crate::daemon::queue::tests::waiting as waiting_of;
use crate::domain::bounds::FAULT_TRIES_MAX;
use crate::domain::{Fault, FaultKind, Shortage};

use crate::util::samples::slug;

/// The first slow pause.
const SLOW_MS: i64 = 10 * 60 * 1_000;

fn waiting(id: u32) -> Waiting {
    waiting_of(id, "alpha")
}

fn wanted(ids: &[u32]) -> Event {
    Event::Wanted(ids.iter().copied().map(waiting).collect())
}

/// A worker is ready and these are wanted, where it ends once all is done, and where newer attempts
/// take the place of older ones.
fn begun((is_once, is_newest): (bool, bool), ids: &[u32]) -> State {
    let mut state = State::new(is_once, is_newest);
    state.on(Event::Ready);
    state.on(wanted(ids));
    state
}

fn judge(id: u32) -> Effect {
    Effect::Judge(waiting(id))
}

fn finished(id: u32, ending: Ending, now_ms: i64) -> Event {
    Event::Finished {
        waiting: waiting(id),
        ending,
        now_ms,
    }
}

/// The worker hands its submission on, and that comes to its end.
fn end(state: &mut State, id: u32, ending: Ending, now_ms: i64) -> Vec<Effect> {
    let mut effects = state.on(Event::Ready);
    effects.extend(state.on(finished(id, ending, now_ms)));
    effects
}

fn fault() -> Fault {
    Fault::new("mount", "no")
}

fn failed(kind: FaultKind) -> Ending {
    Ending::Failed(fault().of_kind(kind))
}

fn faulted(state: &mut State, id: u32, now_ms: i64) -> Vec<Effect> {
    end(state, id, Ending::Failed(fault()), now_ms)
}

fn remember(id: u32, pause_ms: Option<i64>) -> Effect {
    remember_of(fault(), id, pause_ms)
}

fn remember_of(fault: Fault, id: u32, pause_ms: Option<i64>) -> Effect {
    Effect::Remember {
        waiting: waiting(id),
        fault,
        pause_ms,
    }
}

#[test]
fn there_is_time_for_other_work_only_while_nothing_has_to_be_judged() {
    let mut state = State::new(false, false);
    assert!(!state.is_idle(), "the intake has not looked yet");
    state.on(Event::Quiet(true));
    assert!(state.is_idle());
    state.on(wanted(&[1]));
    assert!(!state.is_idle(), "one waits");
    state.on(Event::Ready);
    assert!(!state.is_idle(), "one is judged");
    state.on(finished(1, Ending::Judged, 0));
    assert!(state.is_idle());
    state.on(Event::Packages([slug("curling")].into()));
    state.on(wanted(&[2]));
    assert!(state.is_idle(), "a broken package is not waited for");
    state.on(Event::Packages([].into()));
    assert!(!state.is_idle());
    state.on(finished(2, failed(FaultKind::NoRoom), 0));
    assert!(!state.is_idle(), "there is no room");
    let mut state = State::new(false, false);
    state.on(Event::Quiet(true));
    state.on(Event::Drain);
    assert!(!state.is_idle(), "it is ending");
}

#[test]
fn a_worker_goes_on_while_its_submission_is_published() {
    let mut state = State::new(true, false);
    state.on(Event::Quiet(true));
    state.on(Event::Ready);
    state.on(wanted(&[1, 2]));
    assert_eq!(state.on(Event::Ready), [judge(1)]);
    assert_eq!(state.on(Event::Ready), [], "two are being published");
    // What is not published yet is in nobody's hands a second time.
    assert_eq!(state.on(wanted(&[2])), []);
    assert_eq!(state.on(finished(1, Ending::Judged, 0)), []);
    assert_eq!(state.on(finished(2, Ending::Judged, 0)), [judge(2)]);
    assert_eq!(state.on(Event::Ready), []);
    // Only now is everything published.
    assert_eq!(state.on(finished(2, Ending::Judged, 0)), [Effect::Leave]);
}

#[test]
fn a_drain_waits_for_what_is_being_published() {
    let mut state = begun((false, false), &[1, 2]);
    assert_eq!(state.on(Event::Drain), []);
    assert_eq!(state.on(Event::Ready), []);
    // A fault while it is published ends it too.
    let ended = state.on(finished(2, Ending::Failed(fault()), 0));
    assert_eq!(ended, [remember(2, Some(1_000)), Effect::Leave]);
    assert_eq!(state.faulted(), 1);
}

#[test]
fn once_does_not_wait_for_a_broken_package() {
    let mut state = State::new(true, false);
    state.on(Event::Packages([waiting(1).submission.problem].into()));
    state.on(Event::Ready);
    assert_eq!(state.on(wanted(&[1])), []);
    assert_eq!(state.on(Event::Quiet(true)), [Effect::Leave]);
    // Once it is fixed, its submissions go on.
    assert_eq!(state.on(Event::Packages([].into())), [judge(1)]);
}

#[test]
fn a_fault_is_tried_again_later_and_later_and_then_waits() {
    let mut state = State::new(true, false);
    state.on(Event::Ready);
    state.on(Event::Quiet(true));
    assert_eq!(state.on(wanted(&[1])), [judge(1)]);
    let mut now_ms = 0;
    for pause_ms in [1_000, 2_000, 4_000] {
        let told = faulted(&mut state, 1, now_ms);
        assert_eq!(told, [remember(1, Some(pause_ms))]);
        now_ms += pause_ms;
        assert_eq!(state.on(Event::Tick(now_ms - 1)), []);
        assert_eq!(state.on(Event::Tick(now_ms)), [judge(1)]);
    }
    let last = remember(1, Some(10 * 60_000));
    let told = faulted(&mut state, 1, now_ms);
    assert_eq!(told, [last, Effect::GiveUp(waiting(1)), Effect::Leave]);
    // Where it stays, it tries on, ever more slowly, and then waits.
    for slow in 1..=SLOW_TRIES_MAX {
        now_ms += SLOW_MS << (slow - 1);
        assert_eq!(state.on(Event::Tick(now_ms)), [judge(1)]);
        let pause_ms = (slow < SLOW_TRIES_MAX).then(|| SLOW_MS << slow);
        let told = faulted(&mut state, 1, now_ms);
        assert_eq!(told, [remember(1, pause_ms), Effect::Leave]);
    }
    assert_eq!(state.on(Event::Tick(i64::MAX)), [Effect::Leave]);
    assert_eq!(state.faulted(), 1);
    // A changed package may be the changed cause.
    assert_eq!(state.on(Event::Packages([].into())), [judge(1)]);
}

#[test]
fn what_is_tried_again_is_never_in_two_hands() {
    let mut state = begun((false, false), &[1]);
    faulted(&mut state, 1, 0);
    assert_eq!(state.on(Event::Tick(60_000)), [judge(1)]);
    state.on(Event::Ready);
    assert_eq!(state.on(Event::Packages([].into())), []);
    assert_eq!(state.on(Event::Tick(120_000)), []);
    assert_eq!(end(&mut state, 1, Ending::Judged, 120_000), []);
    assert_eq!(state.faulted(), 0);
}

#[test]
fn what_changes_while_it_is_in_hand_is_judged_again_at_once_however_that_ends() {
    let failed = [fault(), short()].map(Ending::Failed);
    for ending in [Ending::Judged, Ending::Outdated].into_iter().chain(failed) {
        let mut state = begun((false, false), &[1]);
        state.on(wanted(&[1]));
        assert_eq!(end(&mut state, 1, ending, 0), [judge(1)]);
        assert_eq!((state.faulted(), state.is_short()), (0, false));
    }
}

#[test]
fn a_full_disk_stops_everything_and_one_submission_tries_for_all() {
    let mut state = begun((false, false), &[1, 2]);
    assert_eq!(state.on(finished(2, failed(FaultKind::NoRoom), 0)), []);
    for _ in 0..2 {
        assert_eq!(state.on(Event::Ready), []);
    }
    assert_eq!(state.on(Event::Tick(999)), []);
    assert_eq!(state.on(Event::Tick(1_000)), [judge(2)]);
    assert_eq!(state.on(Event::Tick(60_000)), [], "one is enough");
    assert_eq!(end(&mut state, 2, failed(FaultKind::NoRoom), 60_000), []);
    assert_eq!(state.on(Event::Tick(61_999)), [], "ever more slowly");
    assert_eq!(state.on(Event::Tick(62_000)), [judge(2)]);
    let judged = end(&mut state, 2, Ending::Judged, 62_000);
    assert_eq!(judged, [Effect::Room, judge(1)]);
    assert_eq!(state.faulted(), 0, "nobody's fault");
}

#[test]
fn once_waits_for_room_or_for_a_shortage_to_pass_but_not_for_ever() {
    let full = fault().of_kind(FaultKind::NoRoom);
    for (fault, tries_max) in [(full, FAULT_TRIES_MAX), (short(), SHORT_TRIES_MAX_ONCE)] {
        let mut state = begun((true, false), &[1]);
        state.on(Event::Quiet(true));
        let (mut now_ms, mut tries) = (0, 1);
        while !end(&mut state, 1, Ending::Failed(fault.clone()), now_ms).contains(&Effect::Leave) {
            now_ms += 60_000;
            assert_eq!(state.on(Event::Tick(now_ms)), [judge(1)]);
            tries += 1;
        }
        assert_eq!(tries, tries_max, "{fault}");
    }
}

#[test]
fn a_newer_attempt_takes_the_place_of_one_that_waits_or_failed() {
    let mut state = begun((true, true), &[1]);
    faulted(&mut state, 1, 0);
    let told = state.on(wanted(&[2]));
    assert_eq!(told, [Effect::Superseded(waiting(1)), judge(2)]);
    assert_eq!(state.faulted(), 0);
    state.on(wanted(&[3]));
    assert_eq!(state.on(wanted(&[4])), [Effect::Superseded(waiting(3))]);
    state.on(Event::Quiet(true));
    assert_eq!(end(&mut state, 2, Ending::Judged, 0), [judge(4)]);
    let told = end(&mut state, 4, Ending::Judged, 0);
    assert_eq!(told, [Effect::Leave], "what is left out is not waited for");
}

#[test]
fn a_newer_attempt_leaves_alone_what_failed_of_others_and_what_is_being_judged() {
    let mut state = begun((false, true), &[1]);
    faulted(&mut state, 1, 0);
    let other = waiting_of(2, "beta");
    let told = state.on(Event::Wanted(vec![other.clone()]));
    assert_eq!(told, [Effect::Judge(other)]);
    assert_eq!(state.faulted(), 1, "another student's");
    // Tried again, it is judged to its end, however many newer ones come.
    state.on(Event::Ready);
    assert_eq!(state.on(Event::Tick(1_000)), [judge(1)]);
    assert_eq!(state.on(wanted(&[3])), []);
    assert_eq!(state.faulted(), 1);
    assert_eq!(end(&mut state, 1, Ending::Judged, 2_000), [judge(3)]);
}

fn short() -> Fault {
    Fault::new("start the sandbox", "try again").of_kind(FaultKind::Short(Shortage::Processes))
}

fn met(state: &mut State, id: u32, now_ms: i64) -> Vec<Effect> {
    end(state, id, Ending::Failed(short()), now_ms)
}

fn remember_short(id: u32, pause_ms: i64) -> Effect {
    remember_of(short(), id, Some(pause_ms))
}

#[test]
fn a_shortage_is_tried_again_every_few_seconds_and_never_counts() {
    let mut state = State::new(false, false);
    state.on(Event::Ready);
    assert_eq!(state.on(wanted(&[1])), [judge(1)]);
    let mut now_ms = 0;
    for pause_ms in [1_000, 2_000].into_iter().chain([4_000; 6]) {
        assert_eq!(met(&mut state, 1, now_ms), [remember_short(1, pause_ms)]);
        assert!(!state.means.is_shut(), "one submission stops nobody else");
        assert_eq!(state.on(Event::Tick(now_ms + pause_ms - 1)), []);
        now_ms += pause_ms;
        assert_eq!(state.on(Event::Tick(now_ms)), [judge(1)]);
    }
    // What fails for another reason afterwards has all its tries still.
    assert_eq!(faulted(&mut state, 1, now_ms), [remember(1, Some(1_000))]);
    assert!(!state.is_short());
    assert_eq!(state.on(Event::Tick(now_ms + 1_000)), [judge(1)]);
    met(&mut state, 1, now_ms + 1_000);
    assert!(state.is_short());
    assert_eq!(state.on(Event::Tick(now_ms + 2_000)), [judge(1)]);
    let judged = end(&mut state, 1, Ending::Judged, now_ms + 2_000);
    assert_eq!(judged, [Effect::Relieved], "said when it has its verdict");
    assert!(!state.is_short());
}

/// The only thing to do is to judge this one.
fn only_judge(effects: &[Effect]) -> u32 {
    match effects {
        [Effect::Judge(waiting)] => waiting.submission.attempt,
        other => panic!("{other:?}"),
    }
}

#[test]
fn in_a_shortage_of_the_machine_one_after_the_other_tries_for_all() {
    let mut state = State::new(false, false);
    state.on(Event::Ready);
    state.on(Event::Wanted((1..=3).map(waiting).collect()));
    assert_eq!(met(&mut state, 3, 0), [judge(2), remember_short(3, 1_000)]);
    assert_eq!(met(&mut state, 2, 0), [judge(1), remember_short(2, 1_000)]);
    assert_eq!(met(&mut state, 1, 0), [remember_short(1, 1_000)]);
    assert_eq!(state.on(wanted(&[4])), [], "all wait");
    assert_eq!(state.on(Event::Tick(1_999)), []);
    let tries = only_judge(&state.on(Event::Tick(2_000)));
    assert_eq!(state.on(Event::Tick(2_400)), [], "one at a time");
    let effects = met(&mut state, tries, 2_500);
    assert!(matches!(effects[..], [Effect::Remember { .. }]));
    assert_eq!(state.on(Event::Tick(6_499)), []);
    let tries = only_judge(&state.on(Event::Tick(6_500)));
    let effects = end(&mut state, tries, Ending::Judged, 7_000);
    assert_eq!(effects[0], Effect::Relieved);
    only_judge(&effects[1..]);
}

#[test]
fn a_shortage_without_end_becomes_a_fault_like_any_other() {
    let mut state = begun((false, false), &[1]);
    let mut now_ms = 0;
    for _ in 0..SHORT_TRIES_MAX {
        met(&mut state, 1, now_ms);
        now_ms += 4_000;
        assert_eq!(state.on(Event::Tick(now_ms)), [judge(1)]);
    }
    assert!((10 * 60_000..20 * 60_000).contains(&now_ms), "{now_ms}");
    for _ in 1..FAULT_TRIES_MAX {
        met(&mut state, 1, now_ms);
        now_ms += 60_000;
        assert_eq!(state.on(Event::Tick(now_ms)), [judge(1)]);
    }
    let last = met(&mut state, 1, now_ms);
    assert!(last.contains(&Effect::GiveUp(waiting(1))), "{last:?}");
}
