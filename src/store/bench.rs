//! Fills a store for `cargo bench -- scale`: the daemon's own commands, many in one transaction.

use super::commands::publish;
use super::facts::put_run;
use super::receive::receive;
use super::{NewSubmission, Publication, Received, RunRecord, StoreError, Writer};
use crate::domain::SubmissionId;

/// Everything that the store keeps of a submission that is judged and reported, with its page.
pub struct Judged {
    /// As it was handed in.
    pub new: NewSubmission,
    /// What is remembered of its file.
    pub mark: Vec<u8>,
    /// Its runs.
    pub runs: Vec<RunRecord>,
    /// Its judgement.
    pub publication: Publication,
}

impl Writer {
    /// Writes submissions that were judged and reported. They have to be new, and in the order of
    /// their numbers.
    pub fn put_judged(&self, batch: Vec<Judged>) -> Result<(), StoreError> {
        let files = batch
            .iter()
            .map(|one| (one.new.path.clone().into_bytes(), one.mark.clone()))
            .collect();
        self.remember_files(files)?;
        let marks = batch
            .iter()
            .map(|one| (one.publication.submission, one.publication.fold))
            .collect();
        self.call(move |connection| {
            for one in &batch {
                let received = receive(connection, &one.new)?;
                debug_assert!(matches!(received, Received::New(id, _) if id == one.id()));
                for run in &one.runs {
                    put_run(connection, run)?;
                }
                publish(connection, &one.publication)?;
            }
            connection.execute("DELETE FROM pages_due", []).map(drop)
        })?;
        self.mark_all_reported(marks).map(drop)
    }
}

impl Judged {
    fn id(&self) -> SubmissionId {
        self.publication.submission
    }
}
