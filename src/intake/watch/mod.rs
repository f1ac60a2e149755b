//! inotify, as a hint that a look is due. Whatever it misses, the next scan finds.
//!
//! Not recursive: the root and each student's folder have a watch of their own. Measured, a
//! recursive watch loses most files in new folders.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind, RenameMode};
use notify::{Config, ErrorKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::naming;
use super::settle::Hint;
use crate::util::network::network_file_system;
use crate::util::sync::lock;

/// Students' folders that get a watch of their own; the files in others are found by the scan on
/// its timer.
/// Every scan opens every folder, which itself queues two events a folder; the kernel's queue holds
/// 16,384.
pub const WATCHED_MAX: usize = 8_000;
/// Changed names kept until the next round; more than that and a scan is cheaper anyway.
const CHANGED_MAX: usize = 16_384;
/// As many of them in one student's folder: whatever happens there, what happens in the others' is
/// noticed.
const CHANGED_SHARE_MAX: usize = 256;
/// Folders lost at a time, beyond which the whole watch is set up anew.
const LOST_MAX: usize = 4_096;

/// Called, from another thread, when there is something to look at. It must not block.
pub type Wake = Box<dyn Fn() + Send + Sync>;

/// Whether changes are reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchState {
    /// Not yet, because the folder is not there.
    Waiting,
    /// Yes.
    Watching,
    /// No, and why; the scan alone finds everything, a little later.
    ScanOnly(String),
}

/// What the watch has noticed since it was last asked.
#[derive(Debug, Default)]
pub struct Changes {
    /// Everything has to be looked at.
    pub scan: bool,
    /// The kernel's queue was full.
    pub overflow: bool,
    /// Names below the root to look at.
    pub names: BTreeMap<OsString, Hint>,
    /// How many of them are whose.
    shares: HashMap<OsString, usize>,
    /// The root was removed or moved.
    root_lost: bool,
    /// Folders whose watch is gone with them.
    lost: HashSet<OsString>,
}

impl Changes {
    fn note(&mut self, name: &OsStr, hint: Hint) {
        if let Some(known) = self.names.get_mut(name) {
            *known = hint.max(*known);
            return;
        }
        if self.names.len() >= CHANGED_MAX {
            self.scan = true;
            return;
        }
        let share = self.shares.entry(share_of(name)).or_default();
        if *share < CHANGED_SHARE_MAX {
            *share += 1;
            self.names.insert(name.to_owned(), hint);
        } else {
            self.scan = true;
        }
    }
}

/// With whose other names this one shares: the folder, or what stands before the problem in a name
/// without one.
fn share_of(name: &OsStr) -> OsString {
    let bytes = name.as_bytes();
    let end = bytes
        .iter()
        .position(|&byte| byte == b'/')
        .or_else(|| bytes.iter().rposition(|&byte| byte == b'_'))
        .unwrap_or(0);
    OsStr::from_bytes(&bytes[..end]).to_owned()
}

/// What is noticed on the thread of notify until somebody asks.
#[derive(Debug, Default)]
struct Notes {
    changes: Changes,
    /// Whether the other thread was called already.
    awake: bool,
}

struct Collector {
    root: PathBuf,
    notes: Mutex<Notes>,
    wake: Wake,
}

/// The watch on the submissions folder.
pub struct Watch {
    collector: Arc<Collector>,
    watcher: Option<RecommendedWatcher>,
    state: WatchState,
    armed_root: Option<(u64, u64)>,
    /// The folders with a watch, and their inodes.
    covered: HashMap<OsString, u64>,
    uncovered: usize,
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
            watcher: None,
            state: WatchState::Waiting,
            armed_root: None,
            covered: HashMap::new(),
            uncovered: 0,
        }
    }

    /// Whether changes are reported.
    pub fn state(&self) -> &WatchState {
        &self.state
    }

    /// How many students' folders have no watch of their own.
    pub fn uncovered(&self) -> usize {
        self.uncovered
    }

    /// What was noticed since the last call.
    pub fn changes(&mut self) -> Changes {
        let changes = std::mem::take(&mut *self.collector.lock()).changes;
        if changes.root_lost {
            self.disarm();
        }
        for folder in &changes.lost {
            self.covered.remove(folder);
        }
        changes
    }

    /// Watches the root if that is possible and not done yet. To be called before a scan, so that
    /// nothing falls between the two.
    pub fn arm(&mut self) {
        if self.state != WatchState::Waiting {
            return;
        }
        let Ok(identity) = rustix::fs::stat(&self.collector.root) else {
            return;
        };
        if let Ok(Some((name, _))) = network_file_system(&self.collector.root) {
            self.scan_only(format!(
                "the submissions folder is on {name}, which does not report what other machines change"
            ));
            return;
        }
        let collector = Arc::clone(&self.collector);
        let config = Config::default().with_follow_symlinks(false);
        let armed = RecommendedWatcher::new(move |event| collector.collect(event), config)
            .and_then(|mut watcher| {
                watcher.watch(&self.collector.root, RecursiveMode::NonRecursive)?;
                Ok(watcher)
            });
        match armed {
            Ok(watcher) => {
                self.watcher = Some(watcher);
                self.armed_root = Some((identity.st_dev, identity.st_ino));
                self.state = WatchState::Watching;
            }
            Err(error) if is_gone(&error) => {}
            Err(error) => self.scan_only(why(&error)),
        }
    }

    /// Watches these folders and no others: what a scan of the root with this identity found, by
    /// name and inode.
    /// Tells whether another scan is due, because a folder is watched only from now on.
    pub fn cover<'a>(
        &mut self,
        root_identity: (u64, u64),
        folders: impl Iterator<Item = (&'a OsStr, u64)>,
    ) -> bool {
        if self.state != WatchState::Watching {
            return false;
        }
        if self.armed_root != Some(root_identity) {
            // Another folder has taken the root's place since it was armed.
            self.disarm();
            return true;
        }
        let mut wanted: HashMap<&OsStr, u64> = folders.collect();
        let stale: Vec<OsString> = self
            .covered
            .iter()
            .filter(|(name, inode)| wanted.get(name.as_os_str()) != Some(inode))
            .map(|(name, _)| name.clone())
            .collect();
        for name in stale {
            self.covered.remove(&name);
            if let Some(watcher) = &mut self.watcher {
                // The watch may have gone with its folder.
                let _ = watcher.unwatch(&self.collector.root.join(&name));
            }
        }
        wanted.retain(|name, _| !self.covered.contains_key(*name));
        self.uncovered = 0;
        let mut fresh = false;
        for (name, inode) in wanted {
            if self.covered.len() >= WATCHED_MAX {
                self.uncovered += 1;
                continue;
            }
            let Some(watcher) = &mut self.watcher else {
                return false;
            };
            match watcher.watch(&self.collector.root.join(name), RecursiveMode::NonRecursive) {
                Ok(()) => {
                    self.covered.insert(name.to_owned(), inode);
                    fresh = true;
                }
                Err(error) if is_gone(&error) => {}
                // A folder that may not be read has no watch either; the scan reports it.
                Err(error) if is_forbidden(&error) => {}
                Err(error) => {
                    self.scan_only(why(&error));
                    return false;
                }
            }
        }
        fresh
    }

    fn scan_only(&mut self, reason: String) {
        self.disarm();
        self.state = WatchState::ScanOnly(reason);
    }

    fn disarm(&mut self) {
        self.watcher = None;
        self.armed_root = None;
        self.covered.clear();
        self.uncovered = 0;
        if self.state == WatchState::Watching {
            self.state = WatchState::Waiting;
        }
    }
}

impl Collector {
    fn lock(&self) -> MutexGuard<'_, Notes> {
        // Nothing that holds the lock can leave it half changed.
        lock(&self.notes)
    }

    /// Runs on the thread of notify, for every event: it only takes notes.
    fn collect(&self, event: notify::Result<notify::Event>) {
        let mut notes = self.lock();
        if !note(&mut notes.changes, &self.root, event) || notes.awake {
            return;
        }
        notes.awake = true;
        drop(notes);
        (self.wake)();
    }
}

/// Takes down what an event means. Tells whether it means anything.
fn note(changes: &mut Changes, root: &Path, event: notify::Result<notify::Event>) -> bool {
    let Ok(event) = event else {
        changes.scan = true;
        return true;
    };
    if event.need_rescan() {
        // Such an event has no paths.
        changes.scan = true;
        changes.overflow = true;
        return true;
    }
    let (hint, removed) = match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => (Hint::Closed, false),
        // Our own reading is reported too. Of writing, the end counts; what never ends is found by
        // the timer.
        EventKind::Access(_)
        | EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Name(RenameMode::Both)) => {
            return false;
        }
        EventKind::Modify(ModifyKind::Name(RenameMode::To)) => (Hint::RenamedIn, false),
        EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)) => (Hint::None, true),
        _ => (Hint::None, false),
    };
    let mut means_anything = false;
    for path in &event.paths {
        let Ok(below) = path.strip_prefix(root) else {
            continue;
        };
        if below.as_os_str().is_empty() {
            changes.root_lost |= removed;
            changes.scan = true;
            means_anything = true;
            continue;
        }
        if below.iter().any(|name| naming::ignored(name).is_some()) {
            continue;
        }
        means_anything = true;
        let name = below.as_os_str();
        if removed && !name.as_bytes().contains(&b'/') {
            changes.lost.insert(name.to_owned());
        }
        if changes.lost.len() > LOST_MAX {
            // So many folders went that the whole watch is set up anew.
            changes.root_lost = true;
            changes.lost.clear();
        }
        changes.note(name, hint);
    }
    means_anything
}

fn is_gone(error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound | ErrorKind::WatchNotFound => true,
        ErrorKind::Io(error) => matches!(
            error.kind(),
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
        ),
        _ => false,
    }
}

fn is_forbidden(error: &notify::Error) -> bool {
    matches!(&error.kind, ErrorKind::Io(error) if error.kind() == std::io::ErrorKind::PermissionDenied)
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
