//! The filter alone, as the kernel runs it: no namespace, no landlock, the capabilities that the
//! test has. A thread wears it and tries.

#![cfg(target_arch = "x86_64")]

use super::super::filter;
use super::x86_64::{ABSENT, DENIED, IGNORED, calls};
use crate::sandbox::sys;

/// What a call says to a thread that wears the filter, with arguments that the kernel itself could
/// make nothing of.
fn answers(calls: &[u32]) -> Vec<(u32, Result<i64, i32>)> {
    let calls = calls.to_vec();
    let filtered = std::thread::spawn(move || {
        rustix::thread::set_no_new_privs(true).unwrap();
        sys::install_filter(&filter(true)).unwrap();
        let answer = |call: &u32| (*call, sys::call_with_nothing(*call));
        calls.iter().map(answer).collect()
    });
    filtered.join().unwrap()
}

#[test]
fn the_kernel_refuses_what_the_list_says_to_somebody_with_every_capability() {
    for (list, expected) in [
        (DENIED, Err(libc::EPERM)),
        (ABSENT, Err(libc::ENOSYS)),
        (IGNORED, Ok(0)),
    ] {
        for (number, answer) in answers(&calls(list).into_keys().collect::<Vec<_>>()) {
            assert_eq!(answer, expected, "{number}");
        }
    }
    // The next one that Linux gets, and those far above.
    for (call, answer) in answers(&[480, 600, 5_000]) {
        assert_eq!(answer, Err(libc::ENOSYS), "{call}");
    }
    // getpid is nobody's business.
    assert!(matches!(answers(&[39])[..], [(39, Ok(1..))]));
}
