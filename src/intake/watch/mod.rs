//! inotify, which only says that a look is due: the scan finds what has changed, and whatever the
//! watch misses.
//!
//! Not recursive: the root and each student's folder have a watch of their own. Measured, a
//! recursive watch loses most files in new folders.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind, RenameMode};
use notify::{Config, ErrorKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::naming;
use crate::util::disk::network_file_system;
use crate::util::sync::lock;

/// Students' folders that get a watch of their own; the files in others are found by the scan on
/// its timer.
/// Every scan opens every folder, which itself queues two events a folder; the kernel's queue holds
/// 16,384.
const WATCHED_MAX: usize = 8_000;

/// Called, from another thread, when there is something to look at. It must not block.
pub type Wake = Box<dyn Fn() + Send + Sync>;

/// Whether changes are reported.
enum State {
    /// Not yet, because the folder is not there.
    Waiting,
    /// Those of the root with this device and inode.
    Watching(RecommendedWatcher, (u64, u64)),
    /// No, and why; the scan alone finds everything, a little later.
    ScanOnly(String),
}

/// What the thread of notify notes down until it is asked for.
#[derive(Debug, Default)]
struct Notes {
    /// Whether something has changed, and the other thread was called.
    is_changed: bool,
    /// Whether the root was removed or moved.
    is_root_lost: bool,
    /// The folders with a watch, and their inodes. A watch goes with its folder, and a folder that
    /// is made anew may have the same inode.
    covered: HashMap<OsString, u64>,
}

struct Collector {
    root: PathBuf,
    notes: Mutex<Notes>,
    wake: Wake,
}

/// The watch on the submissions folder.
pub struct Watch {
    collector: Arc<Collector>,
    state: State,
    /// Whether some students' folders have no watch of their own.
    is_partial: bool,
}

impl Watch {
    /// A watch on this folder, armed by the first `arm`.
    pub fn new(root: &Path, wake: Wake) -> Self {
        let collector = Collector {
            // Events carry absolute paths.
            root: std::path::absolute(root).unwrap_or_else(|_| root.to_owned()),
            notes: Mutex::default(),
            wake,
        };
        Self {
            collector: Arc::new(collector),
            state: State::Waiting,
            is_partial: false,
        }
    }

    /// Whether every change is reported that there is.
    pub fn is_whole(&self) -> bool {
        matches!(self.state, State::Watching(..)) && !self.is_partial
    }

    /// Why nothing is reported and the scan has to find everything.
    pub fn why_not(&self) -> Option<&str> {
        match &self.state {
            State::ScanOnly(why) => Some(why),
            State::Waiting | State::Watching(..) => None,
        }
    }

    /// Whether something has changed since the last call.
    pub fn is_changed(&mut self) -> bool {
        let mut notes = lock(&self.collector.notes);
        let is_changed = std::mem::take(&mut notes.is_changed);
        let is_root_lost = std::mem::take(&mut notes.is_root_lost);
        drop(notes);
        if is_root_lost {
            self.set(State::Waiting);
        }
        is_changed
    }

    /// Watches the root if that is possible and not done yet. To be called before a scan, so that
    /// nothing falls between the two.
    pub fn arm(&mut self) {
        let root = &self.collector.root;
        let (State::Waiting, Ok(identity)) = (&self.state, rustix::fs::stat(root)) else {
            return;
        };
        if let Ok(Some((name, _))) = network_file_system(root) {
            return self.set(State::ScanOnly(format!(
                "the submissions folder is on {name}, which does not report what other machines change"
            )));
        }
        let collector = Arc::clone(&self.collector);
        let config = Config::default().with_follow_symlinks(false);
        let armed = RecommendedWatcher::new(move |event| collector.collect(event), config)
            .and_then(|mut watcher| {
                watcher.watch(root, RecursiveMode::NonRecursive)?;
                Ok(watcher)
            });
        match armed {
            Ok(watcher) => {
                self.set(State::Watching(watcher, (identity.st_dev, identity.st_ino)));
            }
            Err(error) if is_passing(&error) => {}
            Err(error) => self.set(State::ScanOnly(why(&error))),
        }
    }

    /// Watches these folders and no others: what a scan of the root with this identity found, by
    /// name and inode.
    /// Tells whether another scan is due, because a folder is watched only from now on.
    pub fn cover(&mut self, root_identity: (u64, u64), folders: &[(OsString, u64)]) -> bool {
        let State::Watching(watcher, armed) = &mut self.state else {
            return false;
        };
        if *armed != root_identity {
            // Another folder has taken the root's place since it was armed.
            self.set(State::Waiting);
            return true;
        }
        let collector = &self.collector;
        let (stale, fresh) = lock(&collector.notes).cover(folders);
        let uncovered = folders
            .len()
            .saturating_sub(lock(&collector.notes).covered.len());
        self.is_partial = uncovered > 0;
        // The notes are not locked meanwhile: notify's thread answers, and may be about to take
        // notes.
        for name in &stale {
            // The watch may have gone with its folder.
            let _ = watcher.unwatch(&collector.root.join(name));
        }
        for name in &fresh {
            let path = collector.root.join(name);
            if let Err(error) = watcher.watch(&path, RecursiveMode::NonRecursive) {
                lock(&collector.notes).covered.remove(name);
                if !is_passing(&error) {
                    self.set(State::ScanOnly(why(&error)));
                    return false;
                }
            }
        }
        !fresh.is_empty()
    }

    fn set(&mut self, state: State) {
        self.state = state;
        self.is_partial = false;
        lock(&self.collector.notes).covered.clear();
    }
}

impl Notes {
    /// Has these folders count as watched, by name and inode. Returns those that were until now, and
    /// those that were not.
    fn cover(&mut self, folders: &[(OsString, u64)]) -> (Vec<OsString>, Vec<OsString>) {
        let wanted: HashMap<&OsString, u64> =
            folders.iter().map(|(name, inode)| (name, *inode)).collect();
        let stale = self
            .covered
            .extract_if(|name, inode| wanted.get(name) != Some(inode))
            .map(|(name, _)| name)
            .collect();
        let mut fresh = Vec::new();
        for (name, inode) in folders {
            if self.covered.len() < WATCHED_MAX && !self.covered.contains_key(name) {
                self.covered.insert(name.clone(), *inode);
                fresh.push(name.clone());
            }
        }
        (stale, fresh)
    }
}

impl Collector {
    /// Runs on the thread of notify, for every event: it only takes notes.
    fn collect(&self, event: notify::Result<notify::Event>) {
        let mut notes = lock(&self.notes);
        let was_changed = notes.is_changed;
        note(&mut notes, &self.root, event);
        let wakes = notes.is_changed && !was_changed;
        drop(notes);
        if wakes {
            (self.wake)();
        }
    }
}

/// Takes down what an event means.
fn note(notes: &mut Notes, root: &Path, event: notify::Result<notify::Event>) {
    let Some(event) = event.ok().filter(|event| !event.need_rescan()) else {
        // Something was missed, and such an event has no paths.
        notes.is_changed = true;
        return;
    };
    let is_removed = match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => false,
        // Our own reading is reported too. Of writing, the end counts; what never ends is found by
        // the timer.
        EventKind::Access(_)
        | EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Name(RenameMode::Both)) => return,
        EventKind::Modify(ModifyKind::Name(to)) => to != RenameMode::To,
        kind => kind.is_remove(),
    };
    for path in &event.paths {
        let Ok(below) = path.strip_prefix(root) else {
            continue;
        };
        if below.iter().any(|name| naming::ignored(name).is_some()) {
            continue;
        }
        notes.is_changed = true;
        if is_removed {
            notes.is_root_lost |= below.as_os_str().is_empty();
            notes.covered.remove(below.as_os_str());
        }
    }
}

/// Whether there is nothing to watch, which the scan finds as well: the folder is gone, or may not
/// be read.
fn is_passing(error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound | ErrorKind::WatchNotFound => true,
        ErrorKind::Io(error) => matches!(
            error.kind(),
            io::ErrorKind::NotFound
                | io::ErrorKind::NotADirectory
                | io::ErrorKind::PermissionDenied
        ),
        _ => false,
    }
}

fn why(error: &notify::Error) -> String {
    match &error.kind {
        ErrorKind::MaxFilesWatch => {
            "the kernel allows no more watched folders; raise it with: sysctl fs.inotify.max_user_watches=524288".into()
        }
        ErrorKind::Io(error) if error.raw_os_error() == Some(rustix::io::Errno::MFILE.raw_os_error()) => {
            "the kernel allows no more watching programs, or this one has too many open files; raise it with: sysctl fs.inotify.max_user_instances=1024".into()
        }
        _ => format!("the folder cannot be watched: {error}"),
    }
}

#[cfg(test)]
mod tests;
