//! Who has come by a personal link. What the links are is read again as soon as it has changed, so
//! a revoked one leads nowhere from the next request on.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use crate::access::{Links, Secret, Token};
use crate::domain::Student;
use crate::overview::{Directory, Scoreboard};
use crate::util::sync::lock;
use crate::util::watched::Watched;

/// Everybody's links.
pub struct LinkTable {
    /// The state folder.
    state: PathBuf,
    known: Mutex<Option<Known>>,
}

/// The links, and what they were made from: where that is the same, so are they.
struct Known {
    /// Looked up by a digest: how long that takes tells nothing of any link.
    links: HashMap<blake3::Hash, Student>,
    files: Watched,
    directory: Arc<Directory>,
    /// Students who have submitted something.
    students: usize,
}

impl Known {
    fn is_current(&self, board: &Scoreboard) -> bool {
        !self.files.has_changed()
            && self.students == board.students_count()
            && Arc::ptr_eq(&self.directory, board.directory())
    }
}

impl LinkTable {
    pub fn new(state: PathBuf) -> Self {
        Self {
            state,
            known: Mutex::default(),
        }
    }

    /// Whose link this is; `None` if it is nobody's, or nobody's any more.
    pub fn student(&self, token: &str, board: &Scoreboard) -> Option<Student> {
        let mut held = lock(&self.known);
        let known = match held.take().filter(|known| known.is_current(board)) {
            Some(known) => known,
            None => Known {
                files: Watched::of([Links::path(&self.state), Secret::path(&self.state)]),
                directory: Arc::clone(board.directory()),
                students: board.students_count(),
                links: self.read(board),
            },
        };
        held.insert(known).links.get(&Token::lookup(token)).cloned()
    }

    /// Everybody on the roster and everybody who has submitted something has a link.
    fn read(&self, board: &Scoreboard) -> HashMap<blake3::Hash, Student> {
        let links = match Links::read(&self.state) {
            Ok(Some(links)) => links,
            Ok(None) => return HashMap::new(),
            Err(error) => {
                tracing::error!(%error, "cannot read the personal links: they lead nowhere");
                return HashMap::new();
            }
        };
        let found = |student: &Student| {
            let token = links.token(student)?.reveal();
            Some((Token::lookup(&token), student.clone()))
        };
        let roster = board.directory().roster().into_iter().flatten();
        let others = board.students().map(|(student, _)| student);
        roster.chain(others).filter_map(found).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::LinkTable;
    use crate::access::Links;
    use crate::overview::tests::entry;
    use crate::overview::{Directory, Scoreboard};
    use crate::util::samples::student;

    fn link(state: &std::path::Path, name: &str) -> String {
        let links = Links::change(state, |_| ()).unwrap();
        links.token(&student(name)).unwrap().reveal()
    }

    #[test]
    fn everybody_on_the_roster_or_the_board_has_a_link() {
        let state = tempfile::tempdir().unwrap();
        let mut board = Scoreboard::default();
        board.put(entry("alpha", "sum", 1, None));
        let directory = Directory::default().with_roster([student("zoe")].into_iter());
        board.set_directory(Arc::new(directory));
        let table = LinkTable::new(state.path().to_owned());
        let [alpha, zoe] = ["alpha", "zoe"].map(|name| link(state.path(), name));
        assert_eq!(table.student(&alpha, &board), Some(student("alpha")));
        assert_eq!(table.student(&zoe, &board), Some(student("zoe")));
        board.set_directory(Arc::default());
        assert_eq!(table.student(&zoe, &board), None);
    }
}
