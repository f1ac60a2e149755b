//! A disk as a power cut leaves it: every folder and file as it is, and as it was synced to disk.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::trace::Step;

/// What a power cut may leave of what was not synced: a kernel is free to write names
/// first, or nothing at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// Only what was synced.
    Least,
    /// Every name, but only those bytes of a file that were synced.
    Names,
    /// Everything, as if nothing had happened.
    All,
}

/// The same thing twice: as processes see it, and as it is on disk.
#[derive(Debug, Clone, Default)]
struct Two<T> {
    seen: T,
    kept: T,
    /// The number of the sync that brought it there: one that began earlier and ends later undoes
    /// nothing of it.
    by: usize,
}

/// A sync in progress.
#[derive(Debug, Default)]
struct Syncing {
    number: usize,
    files: Vec<(usize, Arc<Vec<u8>>)>,
    folders: Vec<(usize, Names)>,
}

impl<T> Two<T> {
    fn keep(&mut self, kept: T, by: usize) {
        if by > self.by {
            (self.kept, self.by) = (kept, by);
        }
    }
}

type Names = BTreeMap<String, Node>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Node {
    File(usize),
    Folder(usize),
}

/// A folder and everything below it.
#[derive(Debug)]
pub struct Disk {
    root: PathBuf,
    files: Vec<Two<Arc<Vec<u8>>>>,
    /// The first is the root.
    folders: Vec<Two<Names>>,
    /// By thread.
    syncing: HashMap<u32, Syncing>,
    syncs: usize,
}

impl Disk {
    /// An empty folder.
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            files: Vec::new(),
            folders: vec![Two::default()],
            syncing: HashMap::new(),
            syncs: 0,
        }
    }

    /// Takes over the files whose writing was not recorded: those of students and staff, which
    /// count as synced.
    pub fn take_over(&mut self) {
        let root = self.root.clone();
        for (path, bytes) in files_below(&root) {
            let path = root.join(path);
            if self.find(&path).is_some() {
                continue;
            }
            self.open(&path);
            *self.file(&path) = bytes;
            let file = self.files.last_mut().unwrap();
            (file.kept, file.by) = (Arc::clone(&file.seen), self.syncs);
            // The names of its folders are on disk as well.
            for path in path.ancestors().take_while(|path| **path != *root) {
                let node = self.find(path).unwrap();
                if let Some(Node::Folder(folder)) = self.find(path.parent().unwrap()) {
                    self.folders[folder].kept.insert(name_of(path), node);
                }
            }
        }
    }

    fn find(&self, path: &Path) -> Option<Node> {
        let mut parts = path.strip_prefix(&self.root).ok()?.components();
        parts.try_fold(Node::Folder(0), |node, part| match node {
            Node::Folder(folder) => self.folders[folder].seen.get(&part_of(part)).copied(),
            Node::File(_) => None,
        })
    }

    /// Takes over everything as it is after a kill, which has interrupted something that is in no
    /// record.
    pub fn catch_up(&mut self) {
        let there = files_below(&self.root.clone());
        for path in self.after_a_cut(Left::All).into_keys() {
            if !there.contains_key(&path) {
                let path = self.root.join(path);
                self.names(&path).remove(&name_of(&path));
            }
        }
        for (path, bytes) in there {
            let path = self.root.join(path);
            self.open(&path);
            *self.file(&path) = bytes;
        }
    }

    /// Adds a file, where it is missing.
    fn open(&mut self, path: &Path) {
        if self.find(path).is_none() {
            self.files.push(Two::default());
            let node = Node::File(self.files.len() - 1);
            self.names(path).insert(name_of(path), node);
        }
    }

    /// Adds an existing folder, recorded or not.
    fn folder(&mut self, path: &Path) {
        if self.find(path).is_none() {
            self.folder(path.parent().unwrap());
            self.folders.push(Two::default());
            let node = Node::Folder(self.folders.len() - 1);
            self.names(path).insert(name_of(path), node);
        }
    }

    /// The names in the folder that a path lies in. Of two steps at one moment, the record may have
    /// the one in a folder first, or, before a kill, alone.
    fn names(&mut self, path: &Path) -> &mut Names {
        let folder = path.parent().unwrap();
        if folder.is_dir() {
            self.folder(folder);
        }
        match self.find(folder) {
            Some(Node::Folder(folder)) => &mut self.folders[folder].seen,
            other => panic!("{}: its folder is {other:?}", path.display()),
        }
    }

    fn file(&mut self, path: &Path) -> &mut Vec<u8> {
        match self.find(path) {
            Some(Node::File(file)) => Arc::make_mut(&mut self.files[file].seen),
            other => panic!("{}: is {other:?}", path.display()),
        }
    }

    /// Applies a recorded step.
    pub fn apply(&mut self, step: &Step) {
        match step {
            Step::Opened { path, truncated } => {
                self.open(path);
                if *truncated {
                    self.file(path).clear();
                }
            }
            Step::Written { path, at, bytes } => {
                let file = self.file(path);
                let at = at.unwrap_or(file.len());
                file.resize(file.len().max(at + bytes.len()), 0);
                file[at..at + bytes.len()].copy_from_slice(bytes);
            }
            Step::Cut(path, length) => self.file(path).resize(*length, 0),
            Step::FolderMade(path) => self.folder(path),
            Step::Renamed(from, to) => {
                let node = self.names(from).remove(&name_of(from)).unwrap();
                self.names(to).insert(name_of(to), node);
            }
            Step::Linked(from, to) => {
                let node = self.find(from).unwrap();
                self.names(to).insert(name_of(to), node);
            }
            Step::Removed(path) => {
                self.names(path).remove(&name_of(path)).unwrap();
            }
            Step::SyncBegun { thread, path } => self.begin_sync(*thread, path.as_deref()),
            Step::SyncDone { thread } => {
                // Nothing is known about a file that had lost its name.
                let done = self.syncing.remove(thread).unwrap_or_default();
                for (file, bytes) in done.files {
                    self.files[file].keep(bytes, done.number);
                }
                for (folder, names) in done.folders {
                    self.folders[folder].keep(names, done.number);
                }
            }
            Step::Said(_) => {}
        }
    }

    fn begin_sync(&mut self, thread: u32, path: Option<&Path>) {
        let file = |file: usize| (file, Arc::clone(&self.files[file].seen));
        let folder = |folder: usize| (folder, self.folders[folder].seen.clone());
        let (files, folders) = match path.map(|path| self.find(path)) {
            None => {
                let (files, folders) = self.below_the_reports();
                let files = files.into_iter().map(file).collect();
                (files, folders.into_iter().map(folder).collect())
            }
            Some(Some(Node::File(one))) => (vec![file(one)], Vec::new()),
            Some(Some(Node::Folder(one))) => (Vec::new(), vec![folder(one)]),
            Some(None) => (Vec::new(), Vec::new()),
        };
        self.syncs += 1;
        let syncing = Syncing {
            number: self.syncs,
            files,
            folders,
        };
        self.syncing.insert(thread, syncing);
    }

    /// What one `syncfs` brings to disk. The state folder may be on another file system, and so may
    /// the root, which has the names of both.
    fn below_the_reports(&self) -> (Vec<usize>, Vec<usize>) {
        let tops = ["reports", "staff"].map(|top| self.folders[0].seen.get(top).copied());
        let mut left: Vec<Node> = tops.into_iter().flatten().collect();
        let (mut files, mut folders) = (Vec::new(), Vec::new());
        while let Some(node) = left.pop() {
            match node {
                Node::File(file) => files.push(file),
                Node::Folder(folder) => {
                    folders.push(folder);
                    left.extend(self.folders[folder].seen.values());
                }
            }
        }
        (files, folders)
    }

    /// What a power cut leaves now, by the paths below the root.
    pub fn after_a_cut(&self, left: Left) -> BTreeMap<String, Arc<Vec<u8>>> {
        let mut found = BTreeMap::new();
        let mut folders = vec![(String::new(), 0)];
        while let Some((above, folder)) = folders.pop() {
            let folder = &self.folders[folder];
            let names = [&folder.seen, &folder.kept][usize::from(left == Left::Least)];
            for (name, node) in names {
                let path = format!("{above}{name}");
                match *node {
                    Node::Folder(folder) => folders.push((format!("{path}/"), folder)),
                    Node::File(file) => {
                        let Two { seen, kept, .. } = &self.files[file];
                        let bytes = if left == Left::All { seen } else { kept };
                        found.insert(path, Arc::clone(bytes));
                    }
                }
            }
        }
        // An index in shared memory, which SQLite makes again.
        found.retain(|path, _| !path.ends_with("-shm"));
        found
    }

    /// Asserts that the recorded state is the real one; otherwise the record has a gap.
    pub fn assert_is_as_recorded(&self, chapter: usize) {
        let there = files_below(&self.root).into_iter();
        let is_kept = |(path, _): &(String, _)| !path.ends_with("-shm");
        let there: BTreeMap<_, _> = there.filter(is_kept).collect();
        let recorded = self.after_a_cut(Left::All);
        assert!(there.keys().eq(recorded.keys()), "{chapter}: other names");
        for (path, bytes) in there {
            let seen = &recorded[&path];
            let lengths = (bytes.len(), seen.len());
            assert!(bytes == **seen, "{chapter}: {path} is other: {lengths:?}");
        }
    }
}

fn part_of(part: Component<'_>) -> String {
    part.as_os_str().to_str().unwrap().to_owned()
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

/// Every file below a folder, by its path from there.
pub fn files_below(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap();
                found.insert(name.to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    found
}
