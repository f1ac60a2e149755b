//! The nouns of the field: no I/O, no async, no file formats.
//!
//! A *verdict* is about the program, a *fault* is about us, a *rejection* is about a file that is
//! not a submission.
//! The three never turn into each other.

mod base64;
mod because;
mod build;
mod digest;
mod disclosure;
mod explanation;
mod facts;
mod fault;
mod groups;
mod how_built;
mod identity;
mod judgement;
mod key;
mod limits;
mod names;
mod published;
mod score;
mod shortage;
mod speed;
mod submission;
mod verdict;

pub use because::Because;
pub use build::{Build, FileRef, Manifest};
pub use digest::Digest;
pub use disclosure::{Disclosure, Disclosures, WhenShown};
pub use explanation::{Counterexample, Explanation, Growth, GrowthPoint, Reason};
pub use facts::{Compared, End, Output, RunFacts, RunKey, Stop};
pub use fault::{Fault, FaultKind};
pub use groups::{Failures, Group, GroupResult, Groups, Scoring};
pub use how_built::HowBuilt;
pub use identity::Identity;
pub use identity::{Side, Unlike};
pub use judgement::{Difference, Judgement, Provenance, TestKind, TestRef, TestResult};
pub use key::Key;
pub use limits::{BuildLimits, Caps, Limits, TimeFactor, bounds};
pub use names::{LanguageId, NameError, ProblemSlug, ServerName, Student, is_invisible};
pub use published::{Change, Published};
pub use score::Score;
pub use shortage::Shortage;
pub use speed::Speed;
pub use submission::{Attempt, Rejection, RejectionKind, SourceFile, Submission, SubmissionId};
pub use verdict::{Cause, Verdict};
