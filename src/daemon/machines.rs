//! Looks at the other machines now and then: what is announced, what pages show, and the file that
//! `status` reads.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::activity::Activity;
use super::notice::Notice;
use crate::places::{MachinesFile, OtherMachines, Pool, changes};

/// The file is written this often at most.
const FILE_PAUSE: Duration = Duration::from_secs(2);

/// What was told and written last.
pub struct MachinesWatch {
    file: MachinesFile,
    told: Option<Arc<OtherMachines>>,
    written: Option<(Instant, Arc<OtherMachines>)>,
    is_warned: bool,
}

impl MachinesWatch {
    /// Nothing was told yet.
    pub fn new(state: &Path) -> Self {
        Self {
            file: MachinesFile::new(state),
            told: None,
            written: None,
            is_warned: false,
        }
    }

    /// Looks at the machines; says what is news of them.
    pub fn look(&mut self, pool: &Pool, activity: &Activity) -> Vec<Notice> {
        let Some(shown) = pool.machines() else {
            return Vec::new();
        };
        if self.told.as_deref() == Some(&shown) {
            self.write();
            return Vec::new();
        }
        let shown = Arc::new(shown);
        let news = changes(self.told.as_deref(), &shown);
        let mut notices: Vec<Notice> = news.into_iter().map(Notice::Machine).collect();
        notices.push(Notice::Machines(Arc::clone(&shown)));
        activity.show(Arc::clone(&shown));
        self.told = Some(shown);
        self.write();
        notices
    }

    fn write(&mut self) {
        let Some(told) = &self.told else { return };
        if let Some((when, written)) = &self.written
            && (when.elapsed() < FILE_PAUSE || Arc::ptr_eq(written, told))
        {
            return;
        }
        match self.file.write(told) {
            Ok(()) => self.is_warned = false,
            // On a full disk nothing else can be written either, and that is announced.
            Err(error) if !self.is_warned => {
                tracing::warn!(%error, "status cannot show other machines");
                self.is_warned = true;
            }
            Err(_) => {}
        }
        self.written = Some((Instant::now(), Arc::clone(told)));
    }
}
