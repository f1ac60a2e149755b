//! What `status` says of packages: what it finds itself, and what the daemon has found by running
//! their programs.

use std::path::Path;

use jiff::tz::TimeZone;

use crate::domain::ProblemSlug;
use crate::package::{self, Library, Trouble};
use crate::store::PackageRow;
use crate::util::clock::zone_text;

/// The broken packages. `found` is what the daemon's store remembers of them.
pub fn broken(
    folder: &Path,
    library: &Library,
    found: &[PackageRow],
    is_running: bool,
    zone: &TimeZone,
) -> Vec<String> {
    library
        .iter()
        .filter_map(|(slug, loaded)| match loaded {
            Err(error) if !error.is_ours() => Some(format!("{slug}: {}", error.in_one_line())),
            // Sound as far as it can be told without running its programs.
            Ok(_) | Err(_) => {
                let row = found.iter().find(|row| row.problem == *slug)?;
                Some(as_found(folder, slug, row, is_running, zone))
            }
        })
        .collect()
}

fn as_found(
    folder: &Path,
    slug: &ProblemSlug,
    row: &PackageRow,
    is_running: bool,
    zone: &TimeZone,
) -> String {
    let reason = row.broken.as_deref().unwrap_or_default();
    let next = if row.fingerprint != package::fingerprint(folder, slug) {
        if is_running {
            "; it has changed since and is being read again"
        } else {
            "; it has changed since, and is read again when the daemon starts"
        }
    } else if row.is_ours && is_running {
        "; it is tried again"
    } else {
        ""
    };
    format!(
        "{slug}: {reason} (since {}{next})",
        zone_text(row.since_ms, zone)
    )
}

/// Everything under the folder of problems that nothing reads.
pub fn warnings(folder: &Path, library: &Library) -> Result<Vec<String>, Trouble> {
    let inside = library.keys();
    let inside = inside.flat_map(|slug| package::remarks(folder, slug));
    let beside = package::strangers(folder)?;
    Ok(inside
        .chain(beside)
        .map(|remark| remark.to_string())
        .collect())
}
