//! What the handlers of a view have at hand, and what both views share.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLockReadGuard};
use std::time::Instant;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Door;
use super::body::Room;
use super::live::Live;
use super::metrics::Counted;
use super::token::Token;
use crate::config::Config;
use crate::daemon::View;
use crate::overview::{Board, Directory};
use crate::report::Audience;
use crate::store::{Reader, StoreError};

/// Streams of events of one view, so that the other one's listeners cannot take its places.
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
    listeners: AtomicUsize,
}

impl Hall {
    pub fn new(view: View) -> Self {
        Self {
            view,
            start: Instant::now(),
            counted: Mutex::default(),
            readers: Mutex::default(),
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

    /// What the board's names mean.
    pub fn directory(&self) -> Arc<Directory> {
        Arc::clone(self.board().directory())
    }

    /// Everybody's attempts.
    pub fn board(&self) -> RwLockReadGuard<'_, Board> {
        self.view
            .board
            .read()
            .unwrap_or_else(PoisonError::into_inner)
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
    /// Where its responses wait to be taken.
    pub room: Room,
    places: Arc<Semaphore>,
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
            room: Room::default(),
            places: Arc::new(Semaphore::new(LISTENERS_MAX)),
            hall,
        }
    }

    /// Whether it is the staff's.
    pub fn is_staff(&self) -> bool {
        self.audience == Audience::Staff
    }

    /// A place for one more stream of events; none where there are too many.
    pub fn listen(&self) -> Option<Listening> {
        let place = Arc::clone(&self.places).try_acquire_owned().ok()?;
        self.hall.listeners.fetch_add(1, Ordering::Relaxed);
        Some(Listening {
            hall: Arc::clone(&self.hall),
            _place: place,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::LISTENERS_MAX;
    use crate::overview::Board;
    use crate::report::Audience;
    use crate::web::sample::Sample;

    #[test]
    fn listeners_of_one_view_take_no_place_of_the_other() {
        let sample = Sample::new(Board::default());
        let [students, staff] = [Audience::Student, Audience::Staff].map(|view| sample.site(view));
        let mut all: Vec<_> = std::iter::from_fn(|| students.listen()).collect();
        assert_eq!(all.len(), LISTENERS_MAX);
        let one = staff.listen();
        assert!(one.is_some());
        assert_eq!(sample.hall.listeners(), LISTENERS_MAX + 1);
        all.pop();
        assert!(students.listen().is_some(), "the place is free again");
    }
}
