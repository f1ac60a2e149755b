//! Who has come by a personal link. What the links are is read again as soon as it has changed, so
//! a revoked one leads nowhere from the next request on.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::access::{Links, Secret, Token};
use crate::domain::Student;
use crate::overview::{Directory, Scoreboard};
use crate::util::sync::lock;

/// Everybody's links.
pub struct LinkTable {
    /// The state folder.
    state: PathBuf,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    made_from: Option<MadeFrom>,
    /// Looked up by a digest: how long that takes tells nothing of any link.
    students: HashMap<blake3::Hash, Student>,
}

/// What the links were made from: where it is the same, so are they.
#[derive(Clone)]
struct MadeFrom {
    files: [Option<Stamp>; 2],
    directory: Arc<Directory>,
    /// Students who have submitted something.
    students: usize,
}

/// When a file was written, and which one it is.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    bytes: u64,
    changed: (i64, i64),
}

impl Stamp {
    fn of(file: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(file).ok()?;
        Some(Self {
            inode: metadata.ino(),
            bytes: metadata.len(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }
}

impl MadeFrom {
    fn is(&self, other: &Self) -> bool {
        self.files == other.files
            && self.students == other.students
            && Arc::ptr_eq(&self.directory, &other.directory)
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
        let mut known = lock(&self.known);
        let now = MadeFrom {
            files: [Links::path(&self.state), Secret::path(&self.state)]
                .map(|file| Stamp::of(&file)),
            directory: Arc::clone(board.directory()),
            students: board.students_count(),
        };
        if !known.made_from.as_ref().is_some_and(|then| then.is(&now)) {
            known.students = self.read(board);
            known.made_from = Some(now);
        }
        known.students.get(&Token::lookup(token)).cloned()
    }

    /// Everybody on the roster and everybody who has submitted something has a link.
    fn read(&self, board: &Scoreboard) -> HashMap<blake3::Hash, Student> {
        let links = match Links::read(&self.state) {
            Ok(Some(links)) => links,
            Ok(None) => return HashMap::new(),
            Err(error) => {
                tracing::error!(%error, "personal links lead nowhere");
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
    use crate::overview::{Directory, Scoreboard};
    use crate::util::samples::student;
    use crate::web::tests::sample::entry;

    fn link(state: &std::path::Path, name: &str) -> String {
        let (links, ()) = Links::change(state, |_| ()).unwrap();
        links.token(&student(name)).unwrap().reveal()
    }

    #[test]
    fn a_link_leads_to_its_student_until_it_is_revoked() {
        let state = tempfile::tempdir().unwrap();
        let mut board = Scoreboard::default();
        board.put(entry("alpha", 1, true));
        let table = LinkTable::new(state.path().to_owned());
        assert_eq!(table.student("", &board), None);
        let [alpha, beta] = ["alpha", "beta"].map(|name| link(state.path(), name));
        assert_eq!(table.student(&alpha, &board), Some(student("alpha")));
        assert_eq!(table.student(&beta, &board), None, "nobody knows beta yet");
        board.put(entry("beta", 1, true));
        assert_eq!(table.student(&beta, &board), Some(student("beta")));
        for wrong in [
            "",
            "0",
            &alpha[1..],
            &alpha.to_uppercase(),
            &format!("{alpha}0"),
        ] {
            assert_eq!(table.student(wrong, &board), None, "{wrong}");
        }
        Links::change(state.path(), |links| links.revoke(&student("alpha"))).unwrap();
        assert_eq!(table.student(&alpha, &board), None);
        assert_eq!(table.student(&beta, &board), Some(student("beta")));
        Links::change(state.path(), |links| links.renew(&student("alpha"))).unwrap();
        assert_eq!(table.student(&alpha, &board), None, "it is another one");
        let fresh = link(state.path(), "alpha");
        assert_eq!(table.student(&fresh, &board), Some(student("alpha")));
    }

    #[test]
    fn everybody_on_the_roster_or_the_board_has_a_link() {
        let state = tempfile::tempdir().unwrap();
        let mut board = Scoreboard::default();
        board.put(entry("alpha", 1, true));
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
