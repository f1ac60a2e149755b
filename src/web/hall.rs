//! What the handlers of a view have at hand, and what both views share.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLockReadGuard};
use std::time::Instant;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Door;
use super::live::Live;
use super::metrics::Counted;
use super::token::Token;
use crate::config::Config;
use crate::daemon::View;
use crate::overview::Board;
use crate::report::Audience;
use crate::store::{Reader, StoreError};

/// Streams of events of both views together.
const LISTENERS_MAX: usize = 256;
/// Connections to the store that are kept for later.
const READERS_KEPT_MAX: usize = 2;

/// What both views share.
pub struct Hall {
    /// What the daemon lets be seen.
    pub view: View,
    /// When the dashboard began.
    pub start: Instant,
    /// The numbers of the store, which take a while to count.
    pub counted: Mutex<Option<Counted>>,
    readers: Mutex<Vec<Reader>>,
    places: Arc<Semaphore>,
    listeners: AtomicUsize,
}

impl Hall {
    pub fn new(view: View) -> Self {
        Self {
            view,
            start: Instant::now(),
            counted: Mutex::default(),
            readers: Mutex::default(),
            places: Arc::new(Semaphore::new(LISTENERS_MAX)),
            listeners: AtomicUsize::new(0),
        }
    }

    /// Reads the store.
    pub fn read<T>(
        &self,
        work: impl FnOnce(&Reader) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let kept = self.readers().pop();
        let reader = match kept {
            Some(reader) => reader,
            None => self.view.reader()?,
        };
        let found = work(&reader)?;
        // A connection that has failed is not kept.
        let mut readers = self.readers();
        if readers.len() < READERS_KEPT_MAX {
            readers.push(reader);
        }
        Ok(found)
    }

    fn readers(&self) -> std::sync::MutexGuard<'_, Vec<Reader>> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the store go.
    pub fn close(&self) {
        self.readers().clear();
    }

    /// Everybody's attempts.
    pub fn board(&self) -> RwLockReadGuard<'_, Board> {
        self.view
            .board
            .read()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for one more stream of events; none where there are too many.
    pub fn listen(self: &Arc<Self>) -> Option<Listening> {
        let place = Arc::clone(&self.places).try_acquire_owned().ok()?;
        self.listeners.fetch_add(1, Ordering::Relaxed);
        Some(Listening {
            hall: Arc::clone(self),
            _place: place,
        })
    }

    /// Streams of events that there are.
    pub fn listeners(&self) -> usize {
        self.listeners.load(Ordering::Relaxed)
    }
}

/// A stream's place, until it is dropped.
pub struct Listening {
    hall: Arc<Hall>,
    _place: OwnedSemaphorePermit,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.hall.listeners.fetch_sub(1, Ordering::Relaxed);
    }
}

/// One view.
pub struct Site {
    /// For whom it is.
    pub audience: Audience,
    /// What lets in, where not everybody is.
    pub token: Option<Token>,
    /// Host names from config.toml.
    pub hosts: Vec<String>,
    /// The folder whose files it shows; none where it shows none.
    pub folder: Option<PathBuf>,
    /// What it tells those who listen.
    pub live: Live,
    /// What it shares with the other view.
    pub hall: Arc<Hall>,
}

impl Site {
    pub fn new(door: Door, config: &Config, hall: Arc<Hall>) -> Self {
        let folders = &config.folders;
        let folder = match door.audience {
            Audience::Staff => Some(folders.staff.clone()),
            Audience::Student => config.web.shares_reports().then(|| folders.reports.clone()),
        };
        Self {
            audience: door.audience,
            token: door.token,
            hosts: config.web.hosts.clone(),
            folder,
            live: Live::default(),
            hall,
        }
    }

    /// Whether it is the staff's.
    pub fn is_staff(&self) -> bool {
        self.audience == Audience::Staff
    }
}
