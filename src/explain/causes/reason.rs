//! How a reason is put down.

use crate::domain::Reason;

/// A reason with what it rests on.
pub(super) fn reason(code: &str, summary: &str, evidence: String) -> Reason {
    Reason {
        code: code.to_owned(),
        summary: summary.to_owned(),
        evidence,
    }
}
