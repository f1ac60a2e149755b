//! What was found out in idle time, prepared for the page.

use super::block::Block;
use crate::domain::Verdict;
use crate::problems::{self, Picture, plot};
use crate::report::explained::{CounterexamplePart, GrowthPart};

/// The smallest input on which the program fails.
pub(super) struct Smallest {
    pub size: String,
    pub words: String,
    pub witness: Option<Block>,
    pub pictures: Vec<Picture>,
    pub input: Block,
    pub expected: Block,
    pub printed: Block,
}

impl Smallest {
    pub fn new(found: &CounterexamplePart, verdict: Verdict) -> Self {
        let side = |text: &str, sign, label| Block {
            label,
            sign,
            cut_after: found.cut,
            ..Block::of(text)
        };
        Self {
            size: found.size(),
            words: found.words(verdict),
            witness: found.witness.as_deref().map(|words| Block {
                label: "Why that is right",
                ..Block::of(words)
            }),
            pictures: pictures(found),
            input: side(&found.input, "", "Input"),
            expected: side(&found.expected, "✓", "Expected"),
            printed: side(&found.printed, "✗", "Printed"),
        }
    }
}

/// The input, drawn, if a built-in problem can draw it. The names in it are not those in the
/// failing case's picture.
fn pictures(found: &CounterexamplePart) -> Vec<Picture> {
    let task = found.task.as_deref().and_then(problems::find);
    let output = Some(found.printed.as_bytes());
    task.and_then(|task| task.draw(found.input.as_bytes(), output, "smallest").ok())
        .unwrap_or_default()
}

/// How time grows, drawn.
pub(super) fn growth_picture(growth: &GrowthPart) -> Picture {
    plot(&growth.measured(), "growth")
}

/// The measurements of how time grows, as rows of a table.
pub(super) fn growth_rows(growth: &GrowthPart) -> Vec<(u64, String)> {
    let row = |point: &crate::report::explained::GrowthPointPart| {
        let ms = point.cpu_us.div_ceil(1_000);
        let stopped = if point.is_stopped {
            ", then stopped"
        } else {
            ""
        };
        (point.size, format!("{ms} ms{stopped}"))
    };
    growth.points.iter().map(row).collect()
}
