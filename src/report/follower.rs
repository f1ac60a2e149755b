//! A file that follows the store: lines are appended as things happen, and its own end says how far
//! it has come.
//!
//! After a crash what is missing is appended; a torn end is dropped first, and nothing is there
//! twice.
//! After a failure, and where the file was moved away (log rotation), it is looked at anew.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::util::files::{file_mode, make_folder};

/// Such a file.
#[derive(Debug)]
pub struct Follower {
    path: PathBuf,
    /// Whether what is appended is brought to the disk at once.
    is_synced: bool,
    open: Option<File>,
}

impl Follower {
    /// Nothing is opened yet.
    pub fn new(path: PathBuf, is_synced: bool) -> Self {
        Self {
            path,
            is_synced,
            open: None,
        }
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it has to be opened: it is not, or another file, or none, has the name by now.
    pub fn is_lost(&self) -> io::Result<bool> {
        let Some(open) = &self.open else {
            return Ok(true);
        };
        let ours = open.metadata()?;
        match std::fs::metadata(&self.path) {
            Ok(there) => Ok((there.dev(), there.ino()) != (ours.dev(), ours.ino())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Opens the file by its name, and makes it where there is none. `read` says how many of its
    /// bytes are whole: what stands behind them is dropped.
    pub fn open(&mut self, read: impl FnOnce(&mut File) -> io::Result<u64>) -> io::Result<()> {
        self.close();
        let folder = self.path.parent().unwrap_or(Path::new("."));
        make_folder(folder)?;
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .mode(file_mode(folder)?)
            .open(&self.path)?;
        if self.is_synced {
            File::open(folder)?.sync_all()?;
        }
        let whole = read(&mut file)?;
        if whole < file.metadata()?.len() {
            file.set_len(whole)?;
            if self.is_synced {
                file.sync_data()?;
            }
        }
        self.open = Some(file);
        Ok(())
    }

    /// Has it looked at anew before more is appended.
    pub fn close(&mut self) {
        self.open = None;
    }

    /// Appends whole lines; after an error the file has to be opened again.
    pub fn append(&mut self, lines: &str) -> io::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let mut file = self.open.take().ok_or(io::ErrorKind::NotConnected)?;
        file.write_all(lines.as_bytes())?;
        if self.is_synced {
            file.sync_data()?;
        }
        self.open = Some(file);
        Ok(())
    }
}
