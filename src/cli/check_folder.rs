//! What `check` says of files and folders that nothing reads.

use serde_json::json;

use super::Out;
use super::check::Row;
use crate::package::{Package, Remark};

/// Files and folders of a package that are counted.
const COUNTED_MAX: usize = 10_000;

/// Everything in a package is read, or known to be harmless.
pub(super) fn remarks_row(package: &Package) -> Row {
    let entries = std::fs::read_dir(&package.folder);
    Row {
        complaints: package.remarks.iter().map(Remark::to_string).collect(),
        ..Row::new(
            &package.slug,
            "nothing is left unread",
            entries.map_or(0, |entries| entries.take(COUNTED_MAX).count()),
        )
    }
}

/// Shows what lies in the folder of all problems and is none.
pub(super) fn show_strangers(strangers: &[Remark], json: bool, out: &mut Out) {
    if json {
        let complaints: Vec<String> = strangers.iter().map(Remark::to_string).collect();
        out.json(&json!({
            "problem": null, "check": "the folder of problems", "count": complaints.len(),
            "holds": complaints.is_empty(), "complaints": complaints,
            "warnings": [], "says": null,
        }));
        return;
    }
    for remark in strangers {
        out.line(&format!("not a problem: {remark}"));
    }
}
