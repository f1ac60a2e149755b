//! The store: the only record of what was handed in, built, measured and said. Everything else can
//! be rebuilt from it. [`schema`] says which part of it cannot be made again: no version may lose
//! it.
//!
//! It is one SQLite file in the state folder. A [`Store`] owns the folder, so that no second daemon
//! writes to it. Its one [`Writer`] thread commits before it answers; any number of [`Reader`]s
//! look on.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use self::reader::JOURNAL_FILE;
use crate::domain::{Fault, FaultKind};

mod counts;
mod error;
mod events;
mod facts;
mod faults;
mod forget;
mod hacks;
mod judgements;
mod lock;
mod proposals;
mod reader;
mod receive;
mod rejections;
mod row;
mod schema;
mod searches;
mod submissions;
#[cfg(test)]
pub mod tests;
mod upgrade;
mod writer;

pub use counts::{Counts, check};
pub use error::StoreError;
pub use events::{Event, EventKind, FeedEvent};
pub use facts::{NewFacts, RunRecord};
pub use faults::{FaultRecord, FaultRow, PackageChange, PackageRow};
pub use forget::{Traces, forget};
pub use hacks::{HackRow, NewHack};
pub use judgements::{ChangeRow, JudgementRow, Publication};
pub use lock::{ARCHIVING_FILE, Lock, is_running, leave};
pub use proposals::{HackYield, NewProposal, ProposalPlaces, ProposalRow, ProposalState, Proposed};
pub use reader::{Reader, STORE_FILE};
pub use receive::{AttemptLimit, NewFile, NewSubmission, Receipt};
pub use rejections::{NewRejection, Outstanding};
pub use schema::LAYOUT;
pub use searches::{COUNTEREXAMPLE_BYTES_MAX, DEADLINES_MARK, Searched};
pub use submissions::{Entry, Had};
pub use upgrade::copies;
pub use writer::Writer;

/// An open store, and the state folder with it.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    writer: Writer,
    thread: Option<JoinHandle<()>>,
    ended_suddenly: bool,
    /// The store's file and its write-ahead log, as they were opened.
    files: [Opened; 2],
    // Given back last, when the writer has closed the file.
    _lock: Lock,
}

/// A file that stays open while the store is.
#[derive(Debug)]
struct Opened {
    path: PathBuf,
    identity: Option<(u64, u64)>,
}

impl Opened {
    fn of(path: PathBuf) -> Self {
        let identity = std::fs::metadata(&path).map(|found| (found.dev(), found.ino()));
        Self {
            identity: identity.ok(),
            path,
        }
    }

    /// Whether the path now leads to another file or to none, so that what is written into the open
    /// file is lost.
    fn is_lost(&self) -> bool {
        match std::fs::metadata(&self.path) {
            Ok(found) => self.identity != Some((found.dev(), found.ino())),
            // For any other reason it may only be out of reach for the moment.
            Err(error) => error.kind() == std::io::ErrorKind::NotFound,
        }
    }
}

impl Store {
    /// Opens the store in the state folder `folder`, and creates it if there is none.
    /// The time that it takes has a bound, however much is in it.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let lock = Lock::take(folder)?;
        let file = folder.join(STORE_FILE);
        // Whoever closes the store empties its log.
        let ended_suddenly =
            std::fs::metadata(folder.join(JOURNAL_FILE)).is_ok_and(|journal| journal.len() > 0);
        let connection = upgrade::open(&file)?;
        let files = [file.clone(), folder.join(JOURNAL_FILE)].map(Opened::of);
        let (writer, thread) =
            Writer::start(connection, file).map_err(|error| StoreError::folder(folder, error))?;
        Ok(Self {
            folder: folder.to_owned(),
            writer,
            thread: Some(thread),
            ended_suddenly,
            files,
            _lock: lock,
        })
    }

    /// A handle to write with.
    pub fn writer(&self) -> Writer {
        self.writer.clone()
    }

    /// Whether the last daemon was killed, or the power cut, with something in the store's log:
    /// what it wrote elsewhere may be in the kernel's memory alone.
    pub fn ended_suddenly(&self) -> bool {
        self.ended_suddenly
    }

    /// A fault if the state folder, or one of the store's files in it, was removed or replaced
    /// while it was in use.
    pub fn lost(&self) -> Option<Fault> {
        let lost = if Lock::is_in_place(&self.folder) {
            let mut files = self.files.iter();
            files.find(|file| file.is_lost()).map(|file| &file.path)
        } else {
            Some(&self.folder)
        };
        lost.map(|lost| {
            let reason = format!(
                "{} was removed, moved or replaced while the daemon ran; put it back and start the daemon again. Without it, everything that lies in the submissions folder is judged again",
                lost.display()
            );
            Fault::new("keep the store", reason).of_kind(FaultKind::StoreLost)
        })
    }

    /// A new connection to read with.
    pub fn reader(&self) -> Result<Reader, StoreError> {
        Reader::open(&self.folder)
    }
}

impl Drop for Store {
    /// Commits what is waiting, and closes the file. Writers that are left over are refused from
    /// then on.
    fn drop(&mut self) {
        self.writer.stop();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the store's writer ended with a panic");
        }
    }
}
