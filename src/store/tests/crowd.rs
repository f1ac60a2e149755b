//! Many callers at once.

use std::sync::Barrier;

use super::program;
use crate::domain::SubmissionId;
use crate::store::Store;

const THREADS: usize = 8;
const EACH: usize = 25;

#[test]
fn receives_from_eight_threads_lose_and_repeat_no_attempt() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let start = Barrier::new(THREADS);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (writer, start) = (store.writer(), &start);
            scope.spawn(move || {
                start.wait();
                for number in 0..EACH {
                    // One student hands in from all threads; the bytes differ.
                    let source = format!("{thread} {number}");
                    let all = writer.receive(program("everyone", source.as_bytes()));
                    assert!(all.unwrap().is_new);
                    // The others hand the same in twice.
                    let own = format!("student{thread}-{number}");
                    let first = writer.receive(program(&own, b"same")).unwrap();
                    assert_eq!((first.is_new, first.submission.attempt), (true, 1));
                    let again = writer.receive(program(&own, b"same")).unwrap();
                    assert!(!again.is_new);
                    assert_eq!(again.submission, first.submission);
                }
            });
        }
    });
    drop(store);
    let store = Store::open(folder.path()).unwrap();
    let reader = store.reader().unwrap();
    let received = reader.counts().unwrap().received;
    assert_eq!(received, 2 * (THREADS * EACH) as u64);
    let latest = reader.latest_after(SubmissionId(0), 10_000).unwrap();
    assert_eq!(latest.len(), 1 + THREADS * EACH);
    let everyone = program("everyone", b"");
    let attempts = reader
        .attempts(&everyone.student, &everyone.problem)
        .unwrap();
    let attempts = attempts.iter().map(|head| head.attempt as usize);
    assert!(attempts.eq(1..=THREADS * EACH));
}
