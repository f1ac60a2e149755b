//! Named points at which a test ends the process, as a power cut would, or lets a thread fail. A
//! release build has none of it.

/// `NAME` or `NAME:n`: the process ends itself by SIGKILL at the point with this name, the nth time
/// that it is reached.
/// With `panic ` before it the thread that reaches it fails instead.
#[cfg(debug_assertions)]
const VARIABLE: &str = "VERDICTD_CRASH_AT";

/// A step of the daemon's life has been done.
#[cfg(debug_assertions)]
pub fn point(name: &str) {
    use std::sync::LazyLock;

    static WANTED: LazyLock<Option<Wanted>> =
        LazyLock::new(|| Wanted::parse(&std::env::var(VARIABLE).ok()?));
    let Some(wanted) = WANTED.as_ref().filter(|wanted| wanted.is_due(name)) else {
        return;
    };
    assert!(!wanted.panics, "a test lets this thread fail at `{name}`");
    // Where even this fails, the test sees a daemon that is alive.
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
}

/// A step of the daemon's life has been done.
#[cfg(not(debug_assertions))]
#[inline]
pub fn point(_name: &str) {}

#[cfg(debug_assertions)]
struct Wanted {
    name: String,
    panics: bool,
    times: usize,
    reached: std::sync::atomic::AtomicUsize,
}

#[cfg(debug_assertions)]
impl Wanted {
    fn parse(text: &str) -> Option<Self> {
        let (panics, text) = match text.strip_prefix("panic ") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (name, times) = match text.rsplit_once(':') {
            Some((name, times)) => (name, times.parse().ok()?),
            None => (text, 1),
        };
        Some(Self {
            name: name.to_owned(),
            panics,
            times,
            reached: std::sync::atomic::AtomicUsize::new(0),
        })
    }

    /// True exactly once: at the wanted time that the point with this name is reached.
    fn is_due(&self, name: &str) -> bool {
        self.name == name
            && self
                .reached
                .fetch_add(1, std::sync::atomic::Ordering::Relaxed)
                + 1
                == self.times
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::Wanted;

    #[test]
    fn a_point_is_due_once_and_at_its_time() {
        let wanted = Wanted::parse("panic run kept:2").unwrap();
        assert!(wanted.panics);
        let due: Vec<bool> = ["run kept", "published", "run kept", "run kept"]
            .map(|name| wanted.is_due(name))
            .into();
        assert_eq!(due, [false, false, true, false]);
        assert!(Wanted::parse("published").unwrap().is_due("published"));
    }
}
