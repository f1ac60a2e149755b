//! The store: the only record of what was handed in, built, measured and said. Everything else can
//! be rebuilt from it.
//!
//! It is one SQLite file in the state folder. A [`Store`] owns the folder, so that no second daemon
//! writes to it.
//! Its one [`Writer`] thread commits before it answers; any number of [`Reader`]s look on.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

mod answers;
mod board;
mod columns;
mod commands;
mod error;
mod facts;
mod feed;
mod hacks;
mod lock;
mod overview;
mod packages;
mod reader;
mod receive;
mod record;
mod rejections;
mod schema;
mod stale;
#[cfg(test)]
mod tests;
mod trouble;
mod writer;

pub use board::{BoardEvent, Due, Entry};
pub use error::StoreError;
pub use feed::FeedEvent;
pub use lock::is_running;
pub use packages::{PackageChange, PackageRow};
pub use reader::Reader;
pub use receive::NewFile;
pub use record::{
    ChangeRow, Counts, EventKind, FaultRecord, FaultRow, HackRow, JudgementRow, NewHack,
    NewSubmission, Publication, Received, RunRecord,
};
pub use rejections::{NewRejection, Outstanding};
pub use trouble::{TroubleFile, read_trouble};
pub use writer::{Unawaited, Writer};

use crate::domain::{Fault, FaultKind};
use lock::Lock;
use writer::STATEMENTS_KEPT_MAX;

/// The store's file in the state folder.
pub const STORE_FILE: &str = "verdictd.db";
/// Its write-ahead log, beside it.
const JOURNAL_FILE: &str = "verdictd.db-wal";
/// Bytes of a page. Most of a store is programs of several hundred KiB, which are read again for
/// every hack: in the customary pages of 4 KiB that takes twice as long.
const PAGE_BYTES: u32 = 16 * 1024;
/// Pages in the write-ahead log after which they are brought into the file: some 4 MiB, so that a
/// small disk has room for it.
const JOURNAL_PAGES: u32 = 256;
/// How long a connection waits for another one's lock. Only a migration or a checkpoint holds one.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// A store up to this size is read through at every start, in bytes.
const READ_THROUGH_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// The write-ahead log is cut back to this after a checkpoint, in bytes.
const JOURNAL_BYTES_MAX: i64 = 64 * 1024 * 1024;

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

    /// Whether the path leads to another file by now, or to none: what is written into the open one
    /// is lost.
    fn is_lost(&self) -> bool {
        match std::fs::metadata(&self.path) {
            Ok(found) => self.identity != Some((found.dev(), found.ino())),
            // For any other reason it may only be out of reach for the moment.
            Err(error) => error.kind() == std::io::ErrorKind::NotFound,
        }
    }
}

impl Store {
    /// Opens the store in the state folder `folder`, and makes it where there is none.
    /// The time that it takes has a bound, however much is in it.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let lock = Lock::take(folder)?;
        let file = folder.join(STORE_FILE);
        // Whoever closes the store empties its log.
        let ended_suddenly =
            std::fs::metadata(folder.join(JOURNAL_FILE)).is_ok_and(|journal| journal.len() > 0);
        let connection = connect(&file).map_err(|error| StoreError::sql(&file, error))?;
        // Another program's file, or one of another version, is left exactly as it is.
        let found = schema::look(&connection, &file)?;
        refuse_damaged(&connection, &file)?;
        keep_a_log(&connection).map_err(|error| StoreError::sql(&file, error))?;
        if found == schema::Found::Fresh {
            schema::create(&connection, &file)?;
        }
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
    /// what
    /// it wrote elsewhere may be in the kernel's memory alone.
    pub fn ended_suddenly(&self) -> bool {
        self.ended_suddenly
    }

    /// What happened to the state folder, or to the store's files in it, while they were in use;
    /// none where all are as they were.
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

/// Reads a small store through, and says what makes no sense in it. In a large one that would take
/// too long at every start:
/// there `verdictd doctor` does it, and damage is noticed where it is met.
fn refuse_damaged(connection: &Connection, file: &Path) -> Result<(), StoreError> {
    let bytes = std::fs::metadata(file)
        .map_err(|error| StoreError::folder(file, error))?
        .len();
    if bytes > READ_THROUGH_BYTES_MAX {
        return Ok(());
    }
    let complaint: String = connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(|error| StoreError::sql(file, error))?;
    if complaint == "ok" {
        return Ok(());
    }
    Err(StoreError::Damaged {
        file: file.to_owned(),
        reason: complaint,
    })
}

fn connect(file: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT_MAX);
    // For a store that is made now; an older one keeps the size that it has.
    connection.pragma_update(None, "page_size", PAGE_BYTES)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // What undoes one command of a transaction is small; in a temporary file more would be written
    // for it than in the store, and a full disk of temporary files would keep the store from its
    // work.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "trusted_schema", false)?;
    Ok(connection)
}

/// Lets readers go on while the writer writes.
fn keep_a_log(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| {
        let mode: String = row.get(0)?;
        if mode.eq_ignore_ascii_case("wal") {
            return Ok(());
        }
        Err(rusqlite::Error::ToSqlConversionFailure(
            format!("the file system allows no write-ahead log, only {mode:?}").into(),
        ))
    })?;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", JOURNAL_PAGES, |_| Ok(()))?;
    connection.pragma_update_and_check(None, "journal_size_limit", JOURNAL_BYTES_MAX, |_| Ok(()))
}
