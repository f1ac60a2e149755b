//! The roster as the intake uses it: read again when its file or the configuration changes.

use std::path::PathBuf;
use std::sync::Arc;

use super::grading::{Stamp, stamp};
use crate::config::{Config, UnknownStudents};
use crate::course::Roster;
use crate::domain::Student;
use crate::intake::Register;

/// What the configuration says of students.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Names {
    /// The file of the roster.
    roster: Option<PathBuf>,
    unknown: UnknownStudents,
}

impl Names {
    /// That of a configuration.
    pub fn of(config: &Config) -> Self {
        Self {
            roster: config.overview.roster.clone(),
            unknown: config.overview.unknown_students,
        }
    }

    /// Whether there is a roster to look at.
    pub fn has_roster(&self) -> bool {
        self.roster.is_some()
    }
}

/// Whom the intake knows, and from which file.
#[derive(Default)]
pub struct IntakeRoster {
    names: Names,
    read_from: Option<Stamp>,
    register: Arc<Register>,
}

impl IntakeRoster {
    /// Whom it knows now. Where the roster cannot be read it stays as it was; the pages thread tells
    /// of the mistake.
    pub fn register(&mut self, names: &Names) -> Arc<Register> {
        // Before it is read: what is written meanwhile is read the next time.
        let now = names.roster.as_deref().map(stamp);
        if *names == self.names && now == self.read_from {
            return Arc::clone(&self.register);
        }
        let is_other = self.names.roster != names.roster;
        self.names = names.clone();
        self.read_from = now;
        match self.names.roster.as_deref().map(Roster::load) {
            Some(Ok(roster)) => {
                let rejects = self.names.unknown == UnknownStudents::Reject;
                self.register = Arc::new(Register::new(roster.register(), rejects));
            }
            Some(Err(_)) if !is_other => {}
            None | Some(Err(_)) => self.register = Arc::default(),
        }
        Arc::clone(&self.register)
    }

    /// What there is to say about a student to the instructor, if the configuration asks for that.
    pub fn remark(&self, student: &Student) -> Option<String> {
        let warns = self.names.unknown == UnknownStudents::Warn;
        self.register.remark(student).filter(|_| warns)
    }
}
