//! The first difference: expected and printed, one above the other, with a caret where they part.

use crate::report::schema::{DifferencePart, TestPart};
use crate::report::units::{Side, sides};
use crate::util::columns::{clipped, columns, columns_of};

/// Columns of one side.
const SIDE_COLUMNS: usize = 84;
/// Columns before the place where the sides part, if the line is long.
const BEFORE_COLUMNS: usize = 40;

/// Three lines.
pub(super) fn shown(test: &TestPart, difference: &DifferencePart) -> [String; 3] {
    let [wanted, printed] = sides(test, difference);
    let (expected, got) = (&difference.expected, &difference.got);
    let same: String = expected
        .chars()
        .zip(got.chars())
        .take_while(|(one, other)| one == other)
        .map(|(one, _)| one)
        .collect();
    let skipped = start(&same);
    let caret = columns(&same[skipped..]) + usize::from(skipped > 0);
    [
        format!("  expected  {}", side(wanted, skipped)),
        format!("  printed   {}", side(printed, skipped)),
        format!("            {}^", " ".repeat(caret)),
    ]
}

/// Where a long line begins to be shown, in bytes of the part that both sides share.
fn start(same: &str) -> usize {
    if columns(same) <= SIDE_COLUMNS - BEFORE_COLUMNS {
        return 0;
    }
    let mut left = columns(same);
    for (index, character) in same.char_indices() {
        if left <= BEFORE_COLUMNS {
            return index;
        }
        left -= columns_of(character);
    }
    same.len()
}

fn side(side: Side<'_>, skipped: usize) -> String {
    let text = match side {
        Side::Text(text) => text,
        Side::EmptyLine | Side::Nothing => {
            return format!("({})", side.words().unwrap_or_default());
        }
    };
    let ellipsis = if skipped > 0 { "…" } else { "" };
    clipped(&format!("{ellipsis}{}", &text[skipped..]), SIDE_COLUMNS)
}
