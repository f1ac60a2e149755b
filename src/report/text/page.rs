//! Text that grows line by line, at most 100 columns wide.

use crate::util::columns::{broken, columns, padded, wrapped};

/// Columns of a line.
pub(super) const WIDTH: usize = 100;
/// Lines of a quotation.
const QUOTED_LINES_MAX: usize = 120;

/// Text that grows line by line.
#[derive(Default)]
pub(super) struct Page(pub String);

impl Page {
    pub fn line(&mut self, text: &str) {
        self.0.push_str(text.trim_end());
        self.0.push('\n');
    }

    /// What the whole text is about, underlined.
    pub fn title(&mut self, text: &str) {
        for line in wrapped(text, WIDTH) {
            self.line(&line);
        }
        self.line(&"=".repeat(columns(text).min(WIDTH)));
    }

    pub fn heading(&mut self, text: &str) {
        self.line("");
        for line in wrapped(text, WIDTH) {
            self.line(&line);
        }
    }

    pub fn prose(&mut self, text: &str) {
        for line in wrapped(text, WIDTH - 2) {
            self.line(&format!("  {line}"));
        }
    }

    /// A label, and what it labels, indented under itself where it takes several lines.
    pub fn labelled(&mut self, label: &str, width: usize, text: &str) {
        let lines = wrapped(text, WIDTH - width - 4);
        for (index, line) in lines.iter().enumerate() {
            let label = if index == 0 { label } else { "" };
            self.line(&format!("  {}  {line}", padded(label, width)));
        }
    }

    /// A heading and what is below it, each with a dash; nothing where there is nothing.
    pub fn list(&mut self, heading: &str, entries: &[String]) {
        if !entries.is_empty() {
            self.heading(heading);
        }
        for entry in entries {
            self.labelled("-", 1, entry);
        }
    }

    /// Somebody else's words; a line that goes on has a colon in place of the bar.
    pub fn quotation(&mut self, text: &str) {
        let lines: Vec<&str> = text.trim_end().lines().collect();
        self.quotation_of(&lines);
    }

    /// The same of lines of which the last ones may be empty.
    pub fn quotation_of(&mut self, lines: &[&str]) {
        let mut shown = 0;
        for line in lines {
            for (index, part) in broken(line, WIDTH - 4).iter().enumerate() {
                if shown == QUOTED_LINES_MAX {
                    self.line("  ... and more; the JSON report has all that was kept.");
                    return;
                }
                let bar = if index == 0 { '|' } else { ':' };
                self.line(&format!("  {bar} {part}"));
                shown += 1;
            }
        }
    }
}
