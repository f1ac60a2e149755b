//! How many attempts the course's terms allow in which time, as the intake asks: a file too many is
//! rejected with the time when it is accepted, and looked at again then.

use std::time::Duration;

use super::grading::GradingFiles;
use crate::course::AttemptsAllowed;
use crate::domain::{Rejection, RejectionKind};
use crate::exports::CourseSource;
use crate::overview::Grading;
use crate::store::{AttemptLimit, NewFile, NewSubmission, TooSoon};
use crate::util::clock::now_ms;

/// How often it is looked whether what was rejected is accepted by now.
const LOOK: Duration = Duration::from_secs(1);

/// The limits of the course, and who waits for the next attempt.
#[derive(Default)]
pub(super) struct AttemptLimits {
    source: CourseSource,
    files: GradingFiles,
    /// When the first of the files that were rejected may be accepted; `None` where none is
    /// rejected, or none ever is accepted.
    next_ms: Option<i64>,
    /// Whether any is rejected.
    has_rejected: bool,
}

impl AttemptLimits {
    /// From here on the files of the course are these.
    pub fn set_source(&mut self, source: &CourseSource) {
        if self.source != *source {
            self.source = source.clone();
            self.read();
        }
    }

    /// Reads the files again if they have changed. A mistake in one is told by the pages thread.
    pub fn renew(&mut self) {
        if self.files.are_changed() {
            self.read();
        }
    }

    fn read(&mut self) {
        self.files.renew(&self.source);
        // The limits may be others, and nobody else sees that the files have changed.
        self.next_ms = self.has_rejected.then_some(0);
    }

    /// Whether what was rejected is to be looked at again.
    pub fn is_review_due(&mut self) -> bool {
        let is_time = self.next_ms.is_some_and(|next| next <= now_ms());
        let is_due = self.has_rejected && (is_time || self.files.are_changed());
        if is_due {
            (self.next_ms, self.has_rejected) = (None, false);
        }
        is_due
    }

    /// How long it may be until it is looked at again whether what was rejected is accepted.
    pub fn pause(&self) -> Option<Duration> {
        self.has_rejected.then_some(LOOK)
    }

    fn grading(&self) -> &Grading {
        &self.files.grading
    }

    fn allowed(&self, new: &NewSubmission) -> Option<&AttemptsAllowed> {
        let allowed = self.grading().rules.terms.attempts_of(&new.problem)?;
        // What an import brings was handed in elsewhere, and long ago.
        let (student, problem) = (&new.student, &new.problem);
        let is_imported = self
            .grading()
            .times
            .has(student, problem, new.source.digest);
        (!is_imported).then_some(allowed)
    }

    /// What the terms say about one more attempt.
    pub fn of(&self, new: &NewSubmission) -> Option<AttemptLimit> {
        let allowed = self.allowed(new)?;
        Some(AttemptLimit {
            most: allowed.most,
            window_ms: allowed.window_ms(),
        })
    }

    /// The rejection of a file too many, in words for its student.
    pub fn rejection(&mut self, file: &NewFile, too_soon: TooSoon) -> Rejection {
        let new = &file.new;
        self.has_rejected = true;
        self.next_ms = match (self.next_ms, too_soon.next_ms) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        let allowed = self.allowed(new).map(ToString::to_string);
        let allowed = allowed.unwrap_or_default();
        let zone = self.grading().zone();
        let next = too_soon
            .next_ms
            .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
        let help = match next {
            Some(next) => {
                let next = next.to_zoned(zone.clone());
                let next = next.strftime("%Y-%m-%d %H:%M:%S %Z");
                format!("it is accepted by itself at {next}, as it is then")
            }
            None => "no more are accepted; ask your instructor".to_owned(),
        };
        Rejection {
            student: Some(new.student.clone()),
            path: new.path.clone(),
            kind: RejectionKind::TooSoon,
            reason: format!("{} allows {allowed}, and all are used; {help}", new.problem),
            seen_ms: now_ms(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::AttemptLimits;
    use crate::domain::LanguageId;
    use crate::exports::CourseSource;
    use crate::store::{NewFile, NewSubmission, TooSoon};
    use crate::util::samples::{RECEIVED_MS, slug, source, student};

    #[test]
    fn a_changed_limit_that_another_file_makes_known_is_a_reason_to_look_again() {
        let folder = tempfile::tempdir().unwrap();
        let course = folder.path().join("course.toml");
        std::fs::write(&course, "attempts = { most = 1 }\n").unwrap();
        let mut limits = AttemptLimits::default();
        limits.set_source(&CourseSource {
            folder: folder.path().to_owned(),
            ..CourseSource::default()
        });
        let new = NewSubmission {
            student: student("ada"),
            problem: slug("sum"),
            language: LanguageId::new("cpp").unwrap(),
            path: "ada/sum.cpp".to_owned(),
            source: source("sum.cpp", b"x"),
            received_ms: RECEIVED_MS,
        };
        let file = NewFile {
            limit: None,
            new,
            path: Vec::new(),
            mark: Vec::new(),
        };
        limits.rejection(&Arc::new(file), TooSoon { next_ms: None });
        assert!(!limits.is_review_due(), "nothing has changed");
        std::fs::write(&course, "attempts = { most = 20 }\n").unwrap();
        // Somebody else's file arrives first.
        limits.renew();
        assert!(limits.is_review_due());
    }
}
