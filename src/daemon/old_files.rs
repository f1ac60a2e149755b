//! Files that another version has left where ours lie.

use crate::config::Folders;
use crate::util::files::sync_name;

/// Earlier versions had one folder for everybody: what is not for students goes to the staff's.
pub fn move_to_staff(folders: &Folders) -> std::io::Result<()> {
    let (reports, staff) = (&folders.reports, &folders.staff);
    for name in ["verdicts.log", "verdicts.jsonl", "rejected"] {
        let (from, to) = (reports.join(name), staff.join(name));
        // A student of this name has a folder with another one.
        if !from.exists() || to.exists() {
            continue;
        }
        match std::fs::rename(&from, &to) {
            Err(error) if error.kind() == std::io::ErrorKind::CrossesDevices => {
                tracing::warn!(?from, "this is the staff's; move it there");
            }
            moved => {
                moved?;
                sync_name(&to)?;
                sync_name(&from)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::move_to_staff;
    use crate::config::Folders;

    #[test]
    fn what_is_not_for_students_leaves_their_folder() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        let folders = Folders {
            submissions: at("submissions"),
            problems: at("problems"),
            reports: at("reports"),
            staff: at("staff"),
            state: at("state"),
        };
        fs::create_dir_all(at("reports/rejected")).unwrap();
        fs::create_dir_all(at("reports/alpha")).unwrap();
        fs::create_dir(at("staff")).unwrap();
        fs::write(at("reports/verdicts.log"), "old").unwrap();
        fs::write(at("reports/rejected/x.txt"), "x").unwrap();
        move_to_staff(&folders).unwrap();
        assert_eq!(fs::read_to_string(at("staff/verdicts.log")).unwrap(), "old");
        assert!(at("staff/rejected/x.txt").exists() && at("reports/alpha").exists());
        assert!(!at("reports/rejected").exists() && !at("reports/verdicts.log").exists());
        move_to_staff(&folders).unwrap();
    }
}
