//! What the handlers of a view have at hand, and what both views share.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, RwLockReadGuard};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::body::BodyBudget;
use super::channel::Live;
use super::links::LinkTable;
use super::listener::{Listener, WebError};
use super::token::Token;
use crate::access::{Pseudonyms, Secret};
use crate::config::{Config, Public};
use crate::daemon;
use crate::domain::ProblemSlug;
use crate::exports::course_files;
use crate::overview::Scoreboard;
use crate::overview::pages::{Medium, Own, Selection, View};
use crate::report::Audience;
use crate::store::{Counts, Reader, StoreError};
use crate::util::sync::{lock, read};

/// Streams of events of one view, so that the other one's listeners cannot take its places.
const STREAMS_MAX: usize = 256;
/// Connections to the store that are kept for later.
const READERS_KEPT_MAX: usize = 2;

/// How long counted numbers are good: to count a large store takes a while.
const COUNTED_FOR: Duration = Duration::from_secs(5);

/// The numbers of the store at a moment.
#[derive(Debug, Clone)]
pub struct Counted {
    pub at: Instant,
    pub counts: Counts,
    pub last_verdict_ms: Option<i64>,
}

/// What both views share.
pub struct AppState {
    /// What the daemon lets be seen.
    pub view: daemon::View,
    /// When the dashboard began.
    pub start: Instant,
    counted: Mutex<Option<Counted>>,
    readers: Mutex<Vec<Reader>>,
    streams: AtomicUsize,
    /// Files of the whole course: their names, and what they are.
    files: Vec<(&'static str, &'static str)>,
}

impl AppState {
    pub fn new(view: daemon::View) -> Self {
        Self {
            view,
            start: Instant::now(),
            counted: Mutex::default(),
            readers: Mutex::default(),
            streams: AtomicUsize::new(0),
            files: course_files().map(|file| (file.name, file.title)).collect(),
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

    /// The numbers of the store, as of a moment ago.
    pub fn counted(&self) -> Result<Counted, StoreError> {
        let mut kept = lock(&self.counted);
        if let Some(counted) = kept.as_ref()
            && counted.at.elapsed() < COUNTED_FOR
        {
            return Ok(counted.clone());
        }
        let counted = self.read(|reader| {
            let last = reader.latest_verdicts(1)?;
            Ok(Counted {
                at: Instant::now(),
                counts: reader.counts()?,
                last_verdict_ms: last.first().map(|row| row.change.published.judged_ms),
            })
        })?;
        Ok(kept.insert(counted).clone())
    }

    fn readers(&self) -> MutexGuard<'_, Vec<Reader>> {
        lock(&self.readers)
    }

    /// Lets the store go.
    pub fn close(&self) {
        self.readers().clear();
    }

    /// Everybody's attempts. Whoever has it must not ask for it again: with somebody waiting to
    /// write, that would wait for ever.
    pub fn board(&self) -> RwLockReadGuard<'_, Scoreboard> {
        read(&self.view.board)
    }

    /// Streams of events that there are.
    pub fn streams(&self) -> usize {
        self.streams.load(Ordering::Relaxed)
    }
}

/// A stream's place, until it is dropped.
pub struct StreamPlace {
    state: Arc<AppState>,
    _place: OwnedSemaphorePermit,
}

impl Drop for StreamPlace {
    fn drop(&mut self) {
        self.state.streams.fetch_sub(1, Ordering::Relaxed);
    }
}

/// One view.
pub struct Dashboard {
    /// For whom it is.
    pub audience: Audience,
    /// What lets in, where not everybody is.
    pub token: Option<Token>,
    /// The host of its address in config.toml.
    pub host: Option<String>,
    /// The folder of what each student may see.
    pub reports: PathBuf,
    /// The folder whose files it shows to everybody here, if it shows any.
    pub folder: Option<PathBuf>,
    /// What everybody who is let in reads.
    pub public: Public,
    /// What students are called, where they are not named.
    pub pseudonyms: Option<Pseudonyms>,
    /// Who comes by which personal link; none on the staff's view.
    pub links: Option<LinkTable>,
    /// What it tells those who listen.
    pub live: Live,
    /// What its responses may hold while they wait to be taken.
    pub bodies: BodyBudget,
    places: Arc<Semaphore>,
    /// What it shares with the other view.
    pub state: Arc<AppState>,
}

impl Dashboard {
    pub fn new(
        listener: Listener,
        config: &Config,
        state: Arc<AppState>,
    ) -> Result<Self, WebError> {
        let folders = &config.folders;
        let is_staff = listener.audience == Audience::Staff;
        let (public, folder) = if is_staff {
            (Public::Reports, &folders.staff)
        } else {
            (config.web.public(), &folders.reports)
        };
        let secret =
            (public == Public::Pseudonyms).then(|| Secret::read_or_make(&config.folders.state));
        Ok(Self {
            public,
            pseudonyms: secret.transpose()?.map(Pseudonyms::new),
            links: (!is_staff).then(|| LinkTable::new(folders.state.clone())),
            audience: listener.audience,
            token: listener.token,
            host: config.web.url.as_ref().map(|url| url.host.clone()),
            reports: folders.reports.clone(),
            folder: (public == Public::Reports).then(|| folder.clone()),
            live: Live::default(),
            bodies: BodyBudget::default(),
            places: Arc::new(Semaphore::new(STREAMS_MAX)),
            state,
        })
    }

    /// Whether it is the staff's.
    pub fn is_staff(&self) -> bool {
        self.audience == Audience::Staff
    }

    /// A look at the scoreboard and the store, for one page of a long table.
    pub fn look<T>(
        &self,
        selection: &Selection,
        make: impl FnOnce(&View<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let medium = Medium::Live {
            has_board: self.has_board(),
            shows_reports: self.folder.is_some(),
            selection,
            files: &self.state.files,
        };
        self.look_as(medium, self.pseudonyms.as_ref(), make)
    }

    /// The same for the pages of one student.
    pub fn look_for<T>(
        &self,
        own: &Own,
        make: impl FnOnce(&View<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.look_as(Medium::Own(own), None, make)
    }

    fn look_as<T>(
        &self,
        medium: Medium<'_>,
        pseudonyms: Option<&Pseudonyms>,
        make: impl FnOnce(&View<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.state.read(|reader| {
            make(&View {
                board: &self.state.board(),
                reader,
                audience: self.audience,
                pseudonyms,
                medium,
            })
        })
    }

    /// Whether a file is about a problem that opens later: `STUDENT/PROBLEM/FILE`.
    pub fn hides(&self, names: &[String]) -> bool {
        let problem = names.get(1).and_then(|name| ProblemSlug::new(name).ok());
        !self.is_staff()
            && problem.is_some_and(|problem| self.state.board().grading().hides(&problem))
    }

    /// Whether there is a board on this view.
    pub fn has_board(&self) -> bool {
        self.public != Public::Nothing
    }

    /// A place for one more stream of events; `None` if there are too many.
    pub fn stream_place(&self) -> Option<StreamPlace> {
        let place = Arc::clone(&self.places).try_acquire_owned().ok()?;
        self.state.streams.fetch_add(1, Ordering::Relaxed);
        Some(StreamPlace {
            state: Arc::clone(&self.state),
            _place: place,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::STREAMS_MAX;
    use crate::config::Counts;
    use crate::overview::Scoreboard;
    use crate::overview::pages::CellView;
    use crate::report::Audience;
    use crate::web::tests::sample::{Sample, cell, entry};

    #[test]
    fn streams_of_one_view_take_no_place_of_the_other() {
        let sample = Sample::new(Scoreboard::default());
        let [students, staff] =
            [Audience::Student, Audience::Staff].map(|audience| sample.dashboard(audience));
        let mut all: Vec<_> = std::iter::from_fn(|| students.stream_place()).collect();
        assert_eq!(all.len(), STREAMS_MAX);
        let one = staff.stream_place();
        assert!(one.is_some());
        assert_eq!(sample.state.streams(), STREAMS_MAX + 1);
        all.pop();
        assert!(students.stream_place().is_some(), "the place is free again");
    }

    #[test]
    fn a_cell_says_when_the_first_accepted_attempt_was_received() {
        let judged = entry("alpha", 1, true);
        let received_ms = judged.submission.received_ms;
        let mut board = Scoreboard::default();
        board.put(judged);
        let sample = Sample::new(board);
        let students = sample.dashboard(Audience::Student);
        let accepted = cell(&students).accepted.unwrap();
        assert_eq!(accepted.machine, crate::util::clock::utc_text(received_ms));
    }

    #[test]
    fn which_attempt_counts_is_what_the_course_says_now() {
        let mut board = Scoreboard::default();
        board.put(entry("alpha", 1, true));
        board.put(entry("alpha", 2, false));
        let sample = Sample::new(board);
        let students = sample.dashboard(Audience::Student);
        let said = |cell: CellView| cell.said.unwrap().code;
        assert_eq!(said(cell(&students)), "AC");
        sample.reload(Counts::Last);
        assert_eq!(said(cell(&students)), "WA");
    }
}
