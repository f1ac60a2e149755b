//! One line of what `check` finds.

/// One thing that was checked.
pub(super) struct Row {
    pub what: &'static str,
    pub count: usize,
    pub complaints: Vec<String>,
    /// What does not make the check fail, but whoever wrote the package should know.
    pub warnings: Vec<String>,
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
            summary: None,
        }
    }
}
