//! The nouns of the field: no I/O, no async, no file formats.
//!
//! A *verdict* is about the program, a *fault* is about us, a *rejection* is about a file that is
//! not a submission. The three never turn into each other.

mod complaint;
mod digest;
mod disclosure;
mod explanation;
mod facts;
mod fault;
mod groups;
mod identity;
mod judgement;
mod limits;
mod names;
mod submission;
mod verdict;
mod words;

pub use complaint::Complaint;
pub use digest::Digest;
pub use disclosure::{Disclosure, Disclosures, WhenShown};
pub use explanation::{Counterexample, Explanation, Growth, GrowthPoint, Reason, Strategy};
pub(crate) use facts::base64;
pub use facts::{
    Build, Compared, Difference, End, FileRef, HowBuilt, Manifest, Output, RunFacts, RunKey, Stop,
};
pub use fault::{Fault, FaultKind, Shortage};
pub use groups::{Failures, Group, GroupResult, Groups, Score, Scoring};
pub use identity::{Identity, Speed};
pub use judgement::{
    Because, Change, Judgement, Provenance, Published, TestKind, TestRef, TestResult,
};
pub use limits::{BuildLimits, Limits, TimeFactor, bounds};
pub use names::{Key, LanguageId, ProblemSlug, ServerName, Student, is_invisible};
pub use submission::{
    Attempt, Rejection, RejectionKind, SourceFile, Submission, SubmissionId, SubmissionName,
};
pub use verdict::{Cause, Verdict};
pub use words::NameError;
pub(crate) use words::words;
