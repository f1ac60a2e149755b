//! How many attempts at a problem are accepted.

use std::fmt;

use super::shape::Attempts;

/// A limit of attempts, as an assignment has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptsAllowed {
    pub most: u32,
    /// In which time: in milliseconds, and in words.
    window: Option<(i64, String)>,
}

impl AttemptsAllowed {
    pub(super) fn of(read: Attempts) -> Self {
        let window = read.window.and_then(|window| {
            let length = window.milliseconds()?;
            Some((length, window.to_string()))
        });
        Self {
            most: read.most.get(),
            window,
        }
    }

    /// In which time, in milliseconds; `None` for ever.
    pub fn window_ms(&self) -> Option<i64> {
        self.window.as_ref().map(|(length, _)| *length)
    }
}

/// `10 attempts in 1h`.
impl fmt::Display for AttemptsAllowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.most == 1 { "" } else { "s" };
        write!(f, "{} attempt{plural}", self.most)?;
        match &self.window {
            Some((_, words)) => write!(f, " in {words}"),
            None => Ok(()),
        }
    }
}
