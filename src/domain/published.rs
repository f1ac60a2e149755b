//! What is published of a judgement.

use std::sync::Arc;

use super::{Cause, Judgement, Score, Verdict};

/// A verdict as tables, lines and pages show it, without the results of the single tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    pub verdict: Verdict,
    pub cause: Option<Cause>,
    pub score: Score,
    /// Its name; many submissions fail on the same one.
    pub first_failing_test: Option<Arc<str>>,
    /// When it was judged, in milliseconds since 1970 UTC.
    pub judged_ms: i64,
}

impl Published {
    pub fn of(judgement: &Judgement, judged_ms: i64) -> Self {
        let failing = judgement.failing();
        Self {
            verdict: judgement.verdict,
            cause: judgement.cause.clone(),
            score: judgement.score,
            first_failing_test: failing.map(|result| Arc::from(result.test.name.as_str())),
            judged_ms,
        }
    }

    /// Whether the other one has the same verdict, cause, score and first failing test.
    pub fn says_the_same_as(&self, other: &Self) -> bool {
        let Self {
            verdict,
            cause,
            score,
            first_failing_test,
            judged_ms: _,
        } = self;
        (verdict, cause, score, first_failing_test)
            == (
                &other.verdict,
                &other.cause,
                &other.score,
                &other.first_failing_test,
            )
    }
}

/// A verdict in the history of a submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The verdict from then on.
    pub published: Published,
    /// Why it was judged: `received`, `hack/evil joined`, `the limits changed`.
    pub because: Arc<str>,
}
