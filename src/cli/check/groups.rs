//! What `check` says of points: the groups of tests, the scores that examples promise, and time
//! factors.

use super::row::Row;
use crate::domain::{Score, Scoring};
use crate::package::Package;
use crate::toolchain::Toolchain;
use crate::util::nearest::nearest;

/// How an example promises its points, anywhere in its source.
const EXPECTED_SCORE: &str = "@EXPECTED_SCORE@:";

/// The groups of a package, where it has any.
pub(super) fn groups(package: &Package) -> Option<Row> {
    if package.groups.is_empty() {
        return None;
    }
    let mut row = Row::new("groups of tests", package.groups.iter().count(), Vec::new());
    let mut parts = Vec::new();
    let mut points = 0_u64;
    for (place, group) in package.groups.iter().enumerate() {
        let of_group = |test: &&crate::package::Test| test.name.group == Some(place);
        let tests = package.tests.iter().filter(of_group).count() as u64;
        let (name, of) = (&group.name, u64::from(group.points));
        points += of;
        parts.push(format!(
            "{name} {of} ({tests} tests, {})",
            group.scoring.word()
        ));
        if group.scoring == Scoring::Sum && of % tests.max(1) != 0 {
            row.warnings.push(format!(
                "{of} points of {name} cannot be divided evenly among {tests} tests, and are rounded down: \
                 a multiple of {tests} makes each test worth the same"
            ));
        }
    }
    row.summary = Some(format!("{points} points: {}", parts.join(" · ")));
    Some(row)
}

/// The languages to which problem.toml gives a time factor.
pub(super) fn time_factors(package: &Package, toolchain: &Toolchain) -> Option<Row> {
    let factors = &package.time_factors;
    let unknown = factors.keys().filter(|id| toolchain.language(id).is_none());
    let complaints = unknown.map(|id| {
        let known = toolchain.languages().map(|language| language.id().as_str());
        let meant = nearest(id.as_str(), known);
        let meant = meant.map(|meant| format!("; did you mean `{meant}`?"));
        format!(
            "[time_factors] of problem.toml: there is no language `{id}`{}",
            meant.unwrap_or_default()
        )
    });
    (!factors.is_empty()).then(|| Row::new("time factors", factors.len(), complaints.collect()))
}

/// The points that an example promises; the error: what is written there is no number.
pub(super) fn promised(source: &[u8]) -> Result<Option<u32>, String> {
    let source = String::from_utf8_lossy(source);
    let Some((_, rest)) = source.split_once(EXPECTED_SCORE) else {
        return Ok(None);
    };
    let rest = rest.trim_start_matches([' ', '\t']);
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let number = rest[..end].parse();
    number.map(Some).map_err(|_| {
        format!(
            "`{EXPECTED_SCORE}` is followed by no number of points, as in `{EXPECTED_SCORE} 30`"
        )
    })
}

/// What is wrong with the points of an example.
pub(super) fn wrong_score(score: Score, is_partial: bool, promised: Option<u32>) -> Option<String> {
    if is_partial && score.shown().is_none() {
        return Some(
            "the problem has no groups of tests, so no program can be accepted in part".to_owned(),
        );
    }
    if let Some(promised) = promised {
        return (score.got != promised).then(|| format!("{score} points, and not {promised}"));
    }
    let is_part = score.got > 0 && !score.is_full();
    (is_partial && !is_part).then(|| format!("{score} points, which is not a part of them"))
}

#[cfg(test)]
mod tests {
    use super::{promised, wrong_score};
    use crate::domain::Score;

    #[test]
    fn an_example_may_promise_its_points() {
        for (source, expected) in [
            ("int main() {}", Ok(None)),
            ("// @EXPECTED_SCORE@: 30\nint x;", Ok(Some(30))),
            ("# x\n# @EXPECTED_SCORE@:0", Ok(Some(0))),
        ] {
            assert_eq!(promised(source.as_bytes()), expected);
        }
        assert!(promised(b"# @EXPECTED_SCORE@: all").is_err());
    }

    #[test]
    fn a_part_is_neither_nothing_nor_everything() {
        for (got, of, is_partial, promised, words) in [
            (30, 100, true, None, ""),
            (0, 100, true, None, "0/100 points, which is not a part"),
            (100, 100, true, None, "not a part"),
            (0, 1, true, None, "no groups"),
            (30, 100, true, Some(40), "30/100 points, and not 40"),
            (30, 100, false, Some(30), ""),
            (0, 1, false, None, ""),
        ] {
            let said = wrong_score(Score { got, of }, is_partial, promised).unwrap_or_default();
            assert!(
                said.contains(words) && said.is_empty() == words.is_empty(),
                "{said}"
            );
        }
    }
}
