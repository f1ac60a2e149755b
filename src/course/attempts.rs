//! How many attempts at a problem are accepted.

use std::fmt;
use std::num::NonZeroU32;

use serde::Deserialize;

use super::moment::Moment;

/// A limit of attempts.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttemptsAllowed {
    #[serde(alias = "most")]
    pub max: NonZeroU32,
    /// In which time; for ever where it does not say.
    #[serde(default, rename = "per", alias = "in")]
    window: Option<Moment>,
}

impl AttemptsAllowed {
    /// In which time, in milliseconds; `None` for ever.
    pub fn window_ms(&self) -> Option<i64> {
        self.window?.milliseconds()
    }
}

/// `10 attempts in 1h`.
impl fmt::Display for AttemptsAllowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.max.get() == 1 { "" } else { "s" };
        write!(f, "{} attempt{plural}", self.max)?;
        match &self.window {
            Some(window) => write!(f, " in {window}"),
            None => Ok(()),
        }
    }
}
