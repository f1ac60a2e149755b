//! Threads side by side: work that they share and that is looked at in order, and locks of values
//! that are replaced as a whole: where a thread panicked with one in hand, the others go on.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Takes a mutex.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes a lock beside other readers.
pub fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

/// Takes a lock alone.
pub fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

/// Does `work` on the numbers below `count` in as many threads as there are workers. Each worker
/// begins with what `begin` makes of its number, and hands its results over; `done` takes them in
/// the order of the numbers, while work goes on.
/// A panic in a worker is this call's.
pub fn side_by_side<S, R: Send>(
    workers: usize,
    count: usize,
    begin: impl Fn(usize) -> S + Sync,
    work: impl Fn(&mut S, usize) -> R + Sync,
    mut done: impl FnMut(usize, R),
) {
    let workers = workers.clamp(1, count.max(1));
    let next = AtomicUsize::new(0);
    let (results, receiver) = sync_channel(workers);
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let (results, next, begin, work) = (results.clone(), &next, &begin, &work);
            scope.spawn(move || {
                let mut state = begin(worker);
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= count || results.send((at, work(&mut state, at))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(results);
        let mut waiting = HashMap::new();
        let mut at = 0;
        for (index, result) in receiver {
            waiting.insert(index, result);
            while let Some(result) = waiting.remove(&at) {
                done(at, result);
                at += 1;
            }
        }
    });
}
