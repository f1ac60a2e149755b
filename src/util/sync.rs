//! Locks of values that are replaced as a whole: where a thread panicked with one in hand, the
//! others go on.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Takes a mutex.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
