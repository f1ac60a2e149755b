//! Submissions of which only the reports are made again.

use super::{finished, judge, waiting};
use crate::daemon::queue::{EXPLAINED, Waiting};
use crate::daemon::state::{Effect, Ending, Event, State};
use crate::domain::SubmissionId;

/// A submission about which something was found out in idle time.
fn told(id: u32) -> Waiting {
    Waiting {
        because: EXPLAINED.into(),
        judged: true,
        ..waiting(id)
    }
}

/// A state that has nothing to do.
fn idle() -> State {
    let mut state = State::new(false);
    state.on(Event::Quiet(true));
    assert!(state.is_idle());
    state
}

#[test]
fn there_is_time_for_other_work_while_reports_are_made_again() {
    let mut state = idle();
    state.on(Event::Wanted(vec![told(1), told(3)]));
    assert!(state.is_idle());
    assert_eq!(state.on(Event::Ready), [Effect::Judge(told(3))]);
    assert!(state.is_idle());
    state.on(Event::Wanted(vec![waiting(2)]));
    assert!(!state.is_idle(), "one has to be judged");
    state.on(Event::Ready);
    state.on(finished(2, Ending::Judged, 0));
    assert!(state.is_idle());
    state.on(finished(3, Ending::Judged, 0));
    assert!(state.is_idle());
}

#[test]
fn what_is_wanted_for_another_reason_too_has_to_be_judged() {
    // Which comes first, and whether it is in hand before the other one comes.
    for (first, second, is_in_hand) in [
        (told(1), waiting(1), false),
        (told(1), waiting(1), true),
        (waiting(1), told(1), false),
        (waiting(1), told(1), true),
    ] {
        let what = format!("{:?} first, in hand: {is_in_hand}", first.because);
        let mut state = idle();
        state.on(Event::Wanted(vec![first]));
        if is_in_hand {
            state.on(Event::Ready);
        }
        state.on(Event::Wanted(vec![second]));
        assert!(!state.is_idle(), "{what}");
        state.on(Event::Ready);
        state.on(finished(1, Ending::Judged, 0));
        if is_in_hand {
            assert!(!state.is_idle(), "{what}: it is in hand once more");
            state.on(finished(1, Ending::Judged, 0));
        }
        assert!(state.is_idle(), "{what}");
    }
}

#[test]
fn what_turns_out_to_be_out_of_date_has_to_be_judged() {
    let mut state = idle();
    state.on(Event::Wanted(vec![told(1)]));
    state.on(Event::Ready);
    state.on(finished(1, Ending::Outdated, 0));
    assert!(!state.is_idle());
}

#[test]
fn reports_are_made_again_when_nobody_waits_for_a_verdict() {
    let mut state = idle();
    // In the order of the queue, the newest would come first.
    state.on(Event::Wanted(vec![
        told(8),
        waiting(2),
        told(9),
        waiting(1),
    ]));
    assert_eq!(state.on(Event::Ready), [judge(2)]);
    assert_eq!(state.on(Event::Ready), [judge(1)]);
    let last = state.on(Event::Ready);
    let [Effect::Judge(last)] = last.as_slice() else {
        panic!("{last:?}");
    };
    assert_eq!(last.submission.id, SubmissionId(9));
}
