//! Requests to judge anew or to forget a student, from commands to a daemon that runs: one small
//! file each in the state folder, which only its owner can write to.
//!
//! The file stays until everything that it asks for is done, so a request outlives a sudden end
//! of either side, and its going tells whoever waits. A student is forgotten while nothing is open:
//! for such a request the daemon starts again.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::shared::Shared;
use crate::domain::{Because, ProblemSlug, Student, SubmissionId};
use crate::store::{ProposalState, StoreError};
use crate::util::clock::now_ms;
use crate::util::crash::point;
use crate::util::files::{read_regular, replace};

/// The folder in the state folder.
const FOLDER: &str = "requests";
/// Requests that are looked at at a time; more wait.
const REQUESTS_MAX: usize = 64;
/// Files that are looked at among the requests.
const ENTRIES_MAX: usize = 4 * REQUESTS_MAX;
/// How the names end of requests that could not be done.
const FAILED: &str = "failed";
/// Characters of why.
const REASON_CHARACTERS_MAX: usize = 500;
/// A request, in bytes.
const REQUEST_BYTES_MAX: u64 = 4 * 1024;
/// Submissions that are marked in one step.
const PAGE: usize = 1_000;

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Request {
    /// Only this problem's submissions.
    pub problem: Option<ProblemSlug>,
    /// Only this student's.
    pub student: Option<Student>,
    /// Measure again, whatever is known.
    pub force: bool,
    /// Those too that came after their assignments had closed.
    pub late: bool,
    /// Judge nothing, and forget the student.
    pub forget: bool,
    /// Judge nothing, and note what was decided about a proposed hack.
    pub decides: Option<(i64, ProposalState)>,
}

impl Request {
    /// Leaves it for the daemon; the file is there until it is done.
    pub fn put(&self, state: &Path) -> io::Result<PathBuf> {
        let name = format!("{}-{}.json", now_ms(), std::process::id());
        let file = state.join(FOLDER).join(name);
        self.write(&file)?;
        point("request left");
        Ok(file)
    }

    fn write(&self, file: &Path) -> io::Result<()> {
        replace(file, &serde_json::to_vec(self)?)
    }

    fn read(file: &Path) -> Result<Self, String> {
        let bytes = read_regular(file, REQUEST_BYTES_MAX).map_err(|error| error.to_string())?;
        serde_json::from_slice(&bytes).map_err(|error| error.to_string())
    }

    /// Why the submissions are judged anew, for their history.
    pub fn because(&self) -> Because {
        if self.force {
            Because::RejudgeForce
        } else {
            Because::Rejudge
        }
    }
}

/// The requests of one state folder.
#[derive(Debug)]
pub struct Requests {
    folder: PathBuf,
    open: Vec<Open>,
}

#[derive(Debug)]
struct Open {
    file: PathBuf,
    left: BTreeSet<SubmissionId>,
}

/// A request that has been taken: its submissions are marked in the store where they are to be
/// measured again.
#[derive(Debug)]
pub struct TakenRequest {
    /// Its file.
    pub file: PathBuf,
    /// What it asks for.
    pub request: Request,
    /// The submissions that it is about.
    pub submissions: BTreeSet<SubmissionId>,
}

/// What a look at the requests has found.
#[derive(Debug, Default)]
pub struct NewRequests {
    /// New requests.
    pub taken: Vec<TakenRequest>,
    /// Files that are no requests, and why.
    pub refused: Vec<String>,
    /// Whether a student is to be forgotten, for which the daemon starts again.
    pub forgets: bool,
    /// Whether a proposed hack was decided about.
    pub decided: bool,
}

/// The students who are to be forgotten, with the files that ask for it. Other requests that name
/// them go.
pub fn to_forget(state: &Path) -> Vec<(PathBuf, Student)> {
    let entries = std::fs::read_dir(state.join(FOLDER));
    let files = entries.into_iter().flatten().flatten().take(ENTRIES_MAX);
    let (forgets, others): (Vec<_>, Vec<_>) = files
        .filter_map(|entry| Some((entry.path(), Request::read(&entry.path()).ok()?)))
        .filter_map(|(file, request)| Some((file, request.forget, request.student?)))
        .partition(|(_, forget, _)| *forget);
    for (file, _, student) in others {
        if forgets
            .iter()
            .any(|(_, _, forgotten)| *forgotten == student)
        {
            remove(&file);
        }
    }
    let forgets = forgets.into_iter();
    forgets.map(|(file, _, student)| (file, student)).collect()
}

impl Requests {
    /// The requests in a state folder; none are looked at yet.
    pub fn new(state: &Path) -> Self {
        Self {
            folder: state.join(FOLDER),
            open: Vec::new(),
        }
    }

    /// Takes the requests that are new. After a failure the same ones are found again.
    pub fn look(&self, shared: &Shared) -> Result<NewRequests, StoreError> {
        let mut looked = NewRequests::default();
        let Ok(entries) = std::fs::read_dir(&self.folder) else {
            return Ok(looked);
        };
        let files = entries
            .take(ENTRIES_MAX)
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|file| file.extension().is_some_and(|ending| ending == "json"))
            .filter(|file| !self.open.iter().any(|open| open.file == *file))
            .take(REQUESTS_MAX);
        for file in files {
            match Request::read(&file) {
                Ok(request) if request.forget => looked.forgets = true,
                Ok(Request {
                    decides: Some((id, state)),
                    ..
                }) => {
                    shared.store.writer().decide(id, state)?;
                    remove(&file);
                    looked.decided = true;
                }
                Ok(request) => looked.taken.push(take(shared, file, request)?),
                Err(reason) => {
                    looked.refused.push(format!("{}: {reason}", file.display()));
                    remove(&file);
                }
            }
        }
        Ok(looked)
    }

    /// It is planned: these are to be judged before it is done.
    pub fn begin(&mut self, file: PathBuf, left: BTreeSet<SubmissionId>) {
        if left.is_empty() {
            remove(&file);
        } else {
            self.open.push(Open { file, left });
        }
    }

    /// A submission has its verdict, or cannot be judged for now.
    pub fn settled(&mut self, id: SubmissionId) {
        self.open.retain_mut(|open| {
            open.left.remove(&id);
            if open.left.is_empty() {
                remove(&open.file);
            }
            !open.left.is_empty()
        });
    }
}

fn take(shared: &Shared, file: PathBuf, request: Request) -> Result<TakenRequest, StoreError> {
    let reader = shared.store.reader()?;
    let submissions = reader.submissions_of(request.student.as_ref(), request.problem.as_ref())?;
    if request.force {
        for page in submissions.chunks(PAGE) {
            shared.store.writer().measure_again(page.to_vec())?;
        }
        point("request marked");
        // The store has it now: after a sudden end nothing is measured twice for it.
        let rest = Request {
            force: false,
            ..request.clone()
        };
        if let Err(error) = rest.write(&file) {
            tracing::warn!(%error, "a request could not be noted as taken");
        }
        point("request noted");
    }
    Ok(TakenRequest {
        file,
        request,
        submissions: submissions.into_iter().collect(),
    })
}

/// It could not be done: the next start tries again, and whoever waits for it finds out why.
pub fn fail(file: &Path, reason: &str) {
    let failed = file.with_extension(FAILED);
    let noted = read_regular(file, REQUEST_BYTES_MAX).and_then(|bytes| {
        let mut value: Value = serde_json::from_slice(&bytes)?;
        let reason: String = reason.chars().take(REASON_CHARACTERS_MAX).collect();
        value["reason"] = reason.into();
        replace(&failed, value.to_string().as_bytes())
    });
    match noted {
        Ok(()) if failed != file => remove(file),
        Ok(()) => {}
        Err(error) => tracing::warn!(%error, "a request could not be noted as failed"),
    }
}

/// Why a request that somebody has left could not be done; `None` if it was.
pub fn failure(file: &Path) -> Option<String> {
    let bytes = read_regular(&file.with_extension(FAILED), REQUEST_BYTES_MAX).ok()?;
    let value: Value = serde_json::from_slice(&bytes).ok()?;
    Some(value["reason"].as_str().unwrap_or_default().to_owned())
}

/// What it asks for is done.
pub fn remove(file: &Path) {
    if let Err(error) = std::fs::remove_file(file) {
        tracing::warn!(%error, "a request could not be removed");
    }
    point("request removed");
}
