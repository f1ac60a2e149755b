//! A busy machine, and students who wait for each other.

use super::{
    Effect, Ending, Event, State, begun, end, failed, fault, finished, judge, waiting_of, wanted,
};
use crate::domain::{FaultKind, SubmissionId};

fn put_off(state: &mut State, id: u32, now_ms: i64) -> Option<i64> {
    let busy = fault().of_kind(FaultKind::Busy);
    let effects = end(state, id, Ending::Failed(busy), now_ms);
    let pause = |effect: &Effect| match effect {
        Effect::Remember { pause_ms, .. } => *pause_ms,
        _ => None,
    };
    effects.iter().find_map(pause)
}

#[test]
fn what_a_busy_machine_disturbs_is_tried_again_over_ten_minutes_and_nothing_counts_as_a_try() {
    let mut state = begun((false, false), &[1]);
    let mut now_ms = 0;
    // The first repeat is at once; with these four there are five.
    for _ in 0..4 {
        now_ms += put_off(&mut state, 1, now_ms).unwrap();
        assert_eq!(state.on(Event::Tick(now_ms - 1)), []);
        assert_eq!(state.on(Event::Tick(now_ms)), [judge(1)]);
    }
    assert_eq!(now_ms, 10 * 60_000);
    assert_eq!(end(&mut state, 1, Ending::Judged, now_ms), []);
    assert_eq!(state.faulted(), 0);
    // Whoever waits for the end of all work does not wait for a quieter hour.
    let mut once = State::new(true, false);
    once.on(Event::Quiet(true));
    once.on(Event::Ready);
    once.on(wanted(&[1]));
    assert_eq!(put_off(&mut once, 1, 0), Some(0));
    assert_eq!(once.on(Event::Tick(0)), [judge(1)]);
}

#[test]
fn a_student_of_whom_nothing_is_in_hand_has_room_made_by_one_of_whom_several_are() {
    let mut state = State::new(false, false);
    let all = |ids: &[u32]| ids.iter().map(|id| SubmissionId((*id).into())).collect();
    state.on(wanted(&[1, 2, 3]));
    state.on(Event::Ready);
    state.on(Event::Ready);
    // Another one of the same student makes no room.
    assert_eq!(state.on(wanted(&[4])), []);
    let room = Effect::MakeRoom(all(&[2, 3]));
    assert_eq!(state.on(Event::Wanted(vec![waiting_of(5, "beta")])), [room]);
    // What was prepared gives way, and waits its turn again.
    let freed = state.on(Event::Ready);
    assert_eq!(freed, [Effect::Judge(waiting_of(5, "beta"))]);
    assert_eq!(state.on(finished(2, failed(FaultKind::Cancelled), 0)), []);
    // Now one of each is in hand, and nobody gives way any more.
    let gamma = state.on(Event::Wanted(vec![waiting_of(6, "gamma")]));
    assert_eq!(gamma, [Effect::MakeRoom(all(&[]))]);
    let freed = state.on(Event::Ready);
    assert_eq!(freed, [Effect::Judge(waiting_of(6, "gamma"))]);
}
