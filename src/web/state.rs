//! What the handlers of a view have at hand, and what both views share.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, RwLockReadGuard};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::body::BodyBudget;
use super::links::LinkTable;
use super::listener::{Listener, WebError};
use super::news::{KeptPages, LastLook, Mark, News};
use super::now::Now;
use super::token::Token;
use crate::access::{Pseudonyms, Secret};
use crate::config::{Config, Public};
use crate::daemon;
use crate::domain::{ProblemSlug, Student};
use crate::exports::course_files;
use crate::overview::Scoreboard;
use crate::overview::pages::{Medium, Own, Selection, View, rendered};
use crate::report::Audience;
use crate::store::{Counts, Reader, StoreError};
use crate::util::sync::{lock, read};

/// Streams of events of one view, so that the other one's listeners cannot take its places.
const STREAMS_MAX: usize = 256;
/// Connections to the store that are kept for later.
const READERS_KEPT_MAX: usize = 2;
/// How long counted numbers are good: to count a large store takes a while.
const COUNTED_FOR: Duration = Duration::from_secs(5);
/// The time between two looks at whether something has changed.
pub const BEAT: Duration = Duration::from_millis(500);

/// What was asked for.
pub struct Asked {
    /// The names in the address, decoded one by one; the secret part of a personal link is not
    /// among them.
    pub names: Vec<String>,
    pub selection: Selection,
    /// The address as it was written, without its query.
    pub path: String,
}

impl Asked {
    /// A name of the address, which its pattern has.
    pub fn name(&self, at: usize) -> &str {
        self.names.get(at).map_or("", String::as_str)
    }
}

/// Who has come by a personal link, and its secret part. It has no `Debug`, so that no log has it.
#[derive(Clone)]
pub struct Visitor {
    pub student: Student,
    pub token: String,
}

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
    /// Tells that it ends.
    pub stop: watch::Receiver<bool>,
    counted: Mutex<Option<Counted>>,
    readers: Mutex<Vec<Reader>>,
    /// Places for streams of events: of the students' view, and of the staff's.
    places: [Arc<Semaphore>; 2],
    /// Files of the whole course: their names, and what they are.
    files: Vec<(&'static str, &'static str)>,
}

impl AppState {
    pub fn new(view: daemon::View, stop: watch::Receiver<bool>) -> Self {
        Self {
            view,
            start: Instant::now(),
            stop,
            counted: Mutex::default(),
            readers: Mutex::default(),
            places: std::array::from_fn(|_| Arc::new(Semaphore::new(STREAMS_MAX))),
            files: course_files().map(|file| (file.name, file.title)).collect(),
        }
    }

    /// Reads the store.
    pub fn read<T>(
        &self,
        work: impl FnOnce(&Reader) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let kept = lock(&self.readers).pop();
        let reader = match kept {
            Some(reader) => reader,
            None => self.view.reader()?,
        };
        let found = work(&reader)?;
        // A connection that has failed is not kept.
        let mut readers = lock(&self.readers);
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

    /// Lets the store go.
    pub fn close(&self) {
        lock(&self.readers).clear();
    }

    /// Everybody's attempts. Whoever has it must not ask for it again: with somebody waiting to
    /// write, that would wait for ever.
    pub fn board(&self) -> RwLockReadGuard<'_, Scoreboard> {
        read(&self.view.board)
    }

    /// Streams of events that there are.
    pub fn streams(&self) -> usize {
        let taken = |places: &Arc<Semaphore>| STREAMS_MAX - places.available_permits();
        self.places.iter().map(taken).sum()
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
    /// Where the book may be.
    pub books: Vec<PathBuf>,
    looked: Mutex<LastLook>,
    kept: Mutex<KeptPages>,
    /// What its responses may hold while they wait to be taken.
    pub bodies: BodyBudget,
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
            books: config.web.books(),
            looked: Mutex::default(),
            kept: Mutex::default(),
            bodies: BodyBudget::default(),
            state,
        })
    }

    /// Whether it is the staff's.
    pub fn is_staff(&self) -> bool {
        self.audience == Audience::Staff
    }

    /// Other numbers whenever something that is shown here has changed, looked at once in a beat at
    /// most. Whatever is made after they were there shows everything that has led to them.
    ///
    /// Of what is being done only what can be read counts: when a single test ends is not for
    /// students.
    pub fn news(&self) -> Result<News, StoreError> {
        let mut last = lock(&self.looked);
        if last.at.is_none_or(|at| at.elapsed() >= BEAT) {
            let (mark, now) = self.look(&Selection::default(), |view| {
                let now = rendered(&Now::of(view, &self.state.view.activity));
                Ok((Mark::of(view.board), blake3::hash(now.as_bytes())))
            })?;
            last.found(mark, now);
        }
        Ok(last.news)
    }

    /// A page as everybody here sees it: one that was made since something has changed, or another
    /// one.
    pub fn page(
        &self,
        asked: &Asked,
        make: impl FnOnce(&View<'_>) -> Result<Option<String>, StoreError>,
    ) -> Result<Option<Bytes>, StoreError> {
        let news = self.news()?;
        let key = (asked.path.clone(), asked.selection.clone());
        let found = lock(&self.kept).find(news, &key);
        if found.is_some() {
            return Ok(found);
        }
        let page = self.look(&asked.selection, make)?.map(Bytes::from);
        if let Some(page) = &page {
            lock(&self.kept).keep(news, key, page.clone());
        }
        Ok(page)
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

    /// The same for a page of the student whose link it is.
    pub fn look_for<T>(
        &self,
        Visitor { student, token }: &Visitor,
        make: impl FnOnce(&View<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let own = Own {
            base: format!("/me/{token}"),
            on_board: match self.public {
                Public::Nothing => None,
                Public::Reports | Public::Names => Some(student.to_string()),
                Public::Pseudonyms => self.pseudonyms.as_ref().map(|all| all.of(student)),
            },
        };
        self.look_as(Medium::Own(&own), None, make)
    }

    /// Who has come by the personal link with this secret; `None` where it is nobody's.
    pub fn visitor(&self, token: String) -> Option<Visitor> {
        let student = self.links.as_ref()?.student(&token, &self.state.board())?;
        Some(Visitor { student, token })
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
    pub fn stream_place(&self) -> Option<OwnedSemaphorePermit> {
        let places = &self.state.places[usize::from(self.is_staff())];
        Arc::clone(places).try_acquire_owned().ok()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::config::Counts;
    use crate::judge::Progress;
    use crate::overview::{Grading, Scoreboard};
    use crate::report::Audience;
    use crate::util::samples::submission;
    use crate::util::sync::lock;
    use crate::web::routes::router;
    use crate::web::tests::sample::{Sample, get};

    #[test]
    fn students_are_not_told_when_a_single_test_ends() {
        let mut board = Scoreboard::default();
        board.set_grading(Arc::new(Grading::without_files(Counts::Best)));
        let sample = Sample::new(board);
        let views = [Audience::Student, Audience::Staff].map(|audience| sample.dashboard(audience));
        let news = || {
            views.each_ref().map(|dashboard| {
                lock(&dashboard.looked).at = None;
                dashboard.news().unwrap()
            })
        };
        let activity = &sample.state.view.activity;
        let step = |done| activity.step(0, Progress::Running { done, of: 3 });
        let [nothing, _] = news();
        activity.begin(0, &submission(1, "alpha", "sum"));
        step(0);
        let [begun, none_done] = news();
        assert_eq!((nothing.pages, nothing.now + 1), (begun.pages, begun.now));
        step(1);
        let [same, one_done] = news();
        // Students would learn how long the first test took; the staff may.
        assert_eq!(same, begun);
        assert_ne!(one_done, none_done);
        let regraded = Arc::new(Grading::without_files(Counts::Best));
        let board = &sample.state.view.board;
        board.write().unwrap().set_grading(regraded);
        let [changed, _] = news();
        assert_eq!((same.pages + 1, same.now), (changed.pages, changed.now));
    }

    #[tokio::test]
    async fn what_no_page_reads_of_an_address_makes_no_other_page() {
        let sample = Sample::new(Scoreboard::default());
        let students = sample.dashboard(Audience::Student);
        let router = router(Arc::clone(&students));
        for target in ["/", "/?x=1", "/?x=2&page=1", "/?page=one", "/?page=2"] {
            assert_eq!(get(&router, target).await.status(), 200, "{target}");
        }
        let kept = lock(&students.kept);
        let mut pages: Vec<_> = kept.pages.keys().map(|(_, one)| one.page).collect();
        pages.sort_unstable();
        assert_eq!(pages, [1, 2]);
    }
}
