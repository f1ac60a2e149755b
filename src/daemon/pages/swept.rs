//! The folders in which a sudden end may have left half an overview.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::util::files;

/// Which folders were swept since the start. There are as many as there are students and problems.
#[derive(Default)]
pub(super) struct Swept {
    folders: BTreeSet<PathBuf>,
    /// Whether all overviews were written, so that nothing half written is left anywhere.
    is_over: bool,
}

impl Swept {
    /// Removes what a sudden end left half written in a folder, when the first file is written there.
    pub fn sweep_once(&mut self, folder: &Path) {
        if !self.is_over && self.folders.insert(folder.to_owned()) {
            files::sweep(folder);
        }
    }

    /// All overviews are written.
    pub fn end(&mut self) {
        self.is_over = true;
        self.folders.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::Swept;
    use crate::util::files::SCRATCH;

    #[test]
    fn a_folder_is_swept_once_and_no_more_when_all_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let half = folder.path().join(format!("{SCRATCH}half"));
        let mut swept = Swept::default();
        let is_swept = |swept: &mut Swept| {
            std::fs::write(&half, b"<html>").unwrap();
            swept.sweep_once(folder.path());
            !half.exists()
        };
        assert!(is_swept(&mut swept));
        assert!(
            !is_swept(&mut swept),
            "the folder is read once, not before each file"
        );
        let mut swept = Swept::default();
        swept.end();
        assert!(!is_swept(&mut swept));
    }
}
