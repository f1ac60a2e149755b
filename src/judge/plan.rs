//! What is missing for a judgement. Pure: what is known in, the next piece of work out.
//!
//! There is no special path for rejudging: a new submission, a hack, a changed limit, a crash in the middle each only change what is missing.

use crate::domain::{TestResult, Verdict};

/// What is known of a submission's build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildState {
    /// Nothing.
    Unknown,
    /// There is an artifact.
    Built,
    /// It could not be built.
    Failed,
}

/// The next step towards a judgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Build the program.
    Build,
    /// Run it on the test with this index.
    Run(usize),
    /// Ask the package's checker about its output on the test with this index.
    Check(usize),
    /// Everything that the judgement needs is known.
    Fold,
}

/// The next step for a submission; `results` has one place a test, in order, empty where the known facts do not tell,
/// or where they only wait for the checker, as `unchecked` says.
pub fn next(
    build: BuildState,
    results: &[Option<TestResult>],
    unchecked: impl Fn(usize) -> bool,
    stop_at_first_failure: bool,
) -> Next {
    match build {
        BuildState::Unknown => return Next::Build,
        BuildState::Failed => return Next::Fold,
        BuildState::Built => {}
    }
    for (index, result) in results.iter().enumerate() {
        match result {
            None if unchecked(index) => return Next::Check(index),
            None => return Next::Run(index),
            Some(result) if stop_at_first_failure && result.verdict != Verdict::Accepted => {
                return Next::Fold;
            }
            Some(_) => {}
        }
    }
    Next::Fold
}

#[cfg(test)]
mod tests {
    use super::{BuildState, Next, next};
    use crate::domain::{TestResult, Verdict};
    use crate::judge::fold::tests::result;

    fn known(verdicts: &str) -> Vec<Option<TestResult>> {
        verdicts
            .split_whitespace()
            .map(|code| Verdict::from_code(code).map(result))
            .collect()
    }

    #[test]
    fn asks_only_for_what_is_missing() {
        for (build, results, stop, expected) in [
            (BuildState::Unknown, "? ?", true, Next::Build),
            (BuildState::Failed, "? ?", true, Next::Fold),
            (BuildState::Built, "? ?", true, Next::Run(0)),
            (BuildState::Built, "AC ? ?", true, Next::Run(1)),
            // A hack is one missing test at the end.
            (BuildState::Built, "AC AC AC ?", true, Next::Run(3)),
            // A hole in the middle, as after a changed test.
            (BuildState::Built, "AC ? AC", true, Next::Run(1)),
            (BuildState::Built, "AC WA ?", true, Next::Fold),
            (BuildState::Built, "AC WA ?", false, Next::Run(2)),
            (BuildState::Built, "? WA", true, Next::Run(0)),
            (BuildState::Built, "AC WA AC", false, Next::Fold),
            (BuildState::Built, "", true, Next::Fold),
        ] {
            let unchecked = |_| false;
            let step = next(build, &known(results), unchecked, stop);
            assert_eq!(step, expected, "{results}");
        }
    }

    #[test]
    fn asks_the_checker_about_outputs_that_are_known() {
        for (results, checkable, stop, expected) in [
            ("? ?", &[0][..], true, Next::Check(0)),
            ("? ?", &[1], true, Next::Run(0)),
            ("AC ?", &[1], true, Next::Check(1)),
            ("WA ?", &[1], true, Next::Fold),
            ("WA ?", &[1], false, Next::Check(1)),
            ("AC AC", &[], true, Next::Fold),
        ] {
            let unchecked = |index| checkable.contains(&index);
            let step = next(BuildState::Built, &known(results), unchecked, stop);
            assert_eq!(step, expected, "{results}");
        }
    }
}
