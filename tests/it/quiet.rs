//! Most tests wait for something most of the time, so many run at once. A test that measures near a
//! limit has the machine to itself, or its daemon would wait for a quiet core until the others end.

use std::cell::RefCell;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

static MACHINE: RwLock<()> = RwLock::new(());

enum Held {
    Shared {
        _guard: RwLockReadGuard<'static, ()>,
    },
    Alone {
        _guard: RwLockWriteGuard<'static, ()>,
    },
}

thread_local! {
    /// What this test has, until its thread ends.
    static HELD: RefCell<Option<Held>> = const { RefCell::new(None) };
}

/// Waits until no test has the machine to itself; from then on, no other test has until this one
/// ends.
pub fn share() {
    // A thread that a test has started runs beside the test: what that has is enough.
    if std::thread::current().name().is_none() {
        return;
    }
    HELD.with_borrow_mut(|held| {
        if held.is_none() {
            let guard = MACHINE.read().unwrap_or_else(PoisonError::into_inner);
            *held = Some(Held::Shared { _guard: guard });
        }
    });
}

/// Waits until no other test that uses the machine runs, and keeps them waiting until this one ends.
pub fn alone() {
    HELD.with_borrow_mut(|held| {
        if !matches!(held, Some(Held::Alone { .. })) {
            *held = None;
            let guard = MACHINE.write().unwrap_or_else(PoisonError::into_inner);
            *held = Some(Held::Alone { _guard: guard });
        }
    });
}
