//! What has happened that open pages show, and pages that are kept until more has.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use axum::body::Bytes;

use crate::overview::pages::Selection;
use crate::overview::{Directory, Grading, Scoreboard};

/// Pages of a view that are kept until something happens, so that a lecture hall that looks at one
/// of them has it made once.
const PAGES_KEPT_MAX: usize = 8;

/// What pages are made from, as far as it costs nothing to look at. What is replaced as a whole is
/// held, so that nothing else takes its address.
pub struct Mark {
    reached: i64,
    directory: Arc<Directory>,
    grading: Arc<Grading>,
}

impl Mark {
    pub fn of(board: &Scoreboard) -> Self {
        Self {
            reached: board.reached(),
            directory: Arc::clone(board.directory()),
            grading: Arc::clone(board.grading()),
        }
    }
}

impl PartialEq for Mark {
    fn eq(&self, other: &Self) -> bool {
        self.reached == other.reached
            && Arc::ptr_eq(&self.directory, &other.directory)
            && Arc::ptr_eq(&self.grading, &other.grading)
    }
}

/// How often something was found to have changed. Of two of them the later one is the greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct News {
    /// What every page is made from.
    pub pages: u64,
    /// What is being done, as the board shows it.
    pub now: u64,
}

/// The news, and what was found at the last look.
#[derive(Default)]
pub struct LastLook {
    pub news: News,
    mark: Option<Mark>,
    now: Option<blake3::Hash>,
    pub at: Option<Instant>,
}

impl LastLook {
    /// Takes in what was found now: what pages are made from, and what is being done.
    pub fn found(&mut self, mark: Mark, now: blake3::Hash) {
        if self.mark.as_ref() != Some(&mark) {
            self.news.pages += 1;
            self.mark = Some(mark);
        }
        if self.now.replace(now) != Some(now) {
            self.news.now += 1;
        }
        self.at = Some(Instant::now());
    }
}

/// The address of a page without its query, and what that selects.
type PageKey = (String, Selection);

/// Pages as everybody who is let in sees them.
#[derive(Default)]
pub struct KeptPages {
    /// What had happened before they were made.
    news: News,
    pub pages: HashMap<PageKey, Bytes>,
}

impl KeptPages {
    /// A page that was made since these news, or since later ones, where a slower thread asks. What
    /// is older is let go.
    pub fn find(&mut self, news: News, key: &PageKey) -> Option<Bytes> {
        if self.news < news {
            self.news = news;
            self.pages.clear();
        }
        self.pages.get(key).cloned()
    }

    /// Keeps a page that was made when there were these news. Where there is no place, all others
    /// are let go: whoever asks for many pages does not keep out the one that everybody looks at.
    pub fn keep(&mut self, news: News, key: PageKey, page: Bytes) {
        if self.news != news {
            return;
        }
        if self.pages.len() >= PAGES_KEPT_MAX {
            self.pages.clear();
        }
        self.pages.insert(key, page);
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Bytes;

    use super::{KeptPages, News, PAGES_KEPT_MAX, Selection};

    fn keep(kept: &mut KeptPages, news: News, path: &str) {
        let key = (path.to_owned(), Selection::default());
        kept.find(news, &key);
        kept.keep(news, key, Bytes::new());
    }

    fn paths(kept: &KeptPages) -> String {
        let mut paths: Vec<&str> = kept.pages.keys().map(|(path, _)| &**path).collect();
        paths.sort_unstable();
        paths.concat()
    }

    #[test]
    fn pages_are_let_go_for_what_is_newer_alone() {
        let news = |(pages, now)| News { pages, now };
        let mut kept = KeptPages::default();
        for (at, path, there) in [
            ((1, 1), "a", "a"),
            ((1, 2), "b", "b"),
            // A thread that is slower than another one.
            ((1, 1), "c", "b"),
            ((1, 2), "d", "bd"),
            ((2, 2), "e", "e"),
        ] {
            keep(&mut kept, news(at), path);
            assert_eq!(paths(&kept), there, "{at:?}");
        }
        // Many pages keep none out.
        for number in 0..3 * PAGES_KEPT_MAX {
            let path = format!("/students/{number}");
            keep(&mut kept, news((2, 2)), &path);
            assert!(paths(&kept).contains(&path));
            assert!(kept.pages.len() <= PAGES_KEPT_MAX);
        }
    }
}
