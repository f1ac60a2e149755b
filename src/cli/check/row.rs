//! One line of what `check` finds.

use super::untried::Untried;

/// One thing that was checked.
pub(super) struct Row {
    pub what: &'static str,
    pub count: usize,
    pub complaints: Vec<String>,
    /// What does not make the check fail, but whoever wrote the package should know.
    pub warnings: Vec<String>,
    /// What this machine could not try, which says nothing about the package.
    pub untried: Untried,
    /// What was measured, in a few words.
    pub summary: Option<String>,
}

impl Row {
    pub fn new(what: &'static str, count: usize, complaints: Vec<String>) -> Self {
        Self {
            what,
            count,
            complaints,
            warnings: Vec::new(),
            untried: Untried::default(),
            summary: None,
        }
    }
}
