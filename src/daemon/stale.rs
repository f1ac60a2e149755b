//! What is not judged as it should be now.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::queue::Waiting;
use super::shared::{Setup, Shared};
use crate::domain::{Because, Digest, LanguageId, ProblemSlug, SubmissionId};
use crate::judge::fold_key;
use crate::store::{Had, StoreError};

/// What a judgement in this language is folded from now; none where nobody can be judged in it.
pub fn fold_of(
    shared: &Shared,
    setup: &Setup,
    problem: &ProblemSlug,
    language: &LanguageId,
) -> Option<Digest> {
    let package = setup.library.get(problem)?.as_ref().ok()?;
    let judged_by = setup.languages.judged_by(language)?;
    Some(fold_key(package, judged_by, &setup.rules(shared)))
}

/// The submissions for some problems whose judgement was folded from something else than what is in
/// force now. Each is wanted because of what has changed.
pub fn stale(
    shared: &Shared,
    setup: &Setup,
    changed: &BTreeMap<ProblemSlug, Arc<str>>,
) -> Result<Vec<Waiting>, StoreError> {
    let reader = shared.store.reader()?;
    let received: Arc<str> = Arc::from(Because::Received.words());
    let upgraded: Arc<str> = Arc::from(Because::Upgrade.words());
    let mut list = Vec::new();
    for (problem, language) in reader.groups()? {
        let Some(because) = changed.get(&problem) else {
            continue;
        };
        let Some(fold) = fold_of(shared, setup, &problem, &language) else {
            continue;
        };
        let mut stale = reader.stale(&problem, &language, fold)?;
        if setup.config.judge.skip_superseded {
            let superseded = reader.superseded(&problem, &language)?;
            let superseded: BTreeSet<SubmissionId> = superseded.into_iter().collect();
            stale.retain(|(submission, _)| !superseded.contains(&submission.id));
        }
        list.extend(stale.into_iter().map(|(submission, had)| Waiting {
            submission,
            had,
            because: Arc::clone(match had {
                Had::Nothing => &received,
                Had::Outdated => because,
                Had::Dropped => &upgraded,
            }),
        }));
    }
    list.sort_by_key(|waiting| waiting.submission.id);
    Ok(list)
}
