//! What checkers give to the tests that they accept: points, or a share of them. Pure.

use super::order::CallEnd;
use crate::domain::Given;
use crate::package::Gives;
use crate::util::excerpt::visible_line;

/// Where an ICPC checker writes it: a number, or what its points are multiplied by.
pub(super) const SCORE_FILES: [&str; 2] = ["score.txt", "score_multiplier.txt"];
/// Characters of what stands in the place of a number.
const SHOWN_CHARACTERS_MAX: usize = 40;
/// Words of testlib's in front of the number; they say it only together with the exit code.
const SCORES: [&str; 2] = ["points ", "partially correct ("];
/// The exit code with the first of them.
const POINTS: i32 = 7;
/// What the number is added to in the exit code with the second: as testlib comes, and as it is
/// compiled for some judges.
const PARTIALLY_CORRECT: [i32; 2] = [0, 50];

/// A file that was collected.
pub(super) fn file<'e>(end: &'e CallEnd, name: &str) -> Option<&'e [u8]> {
    let mut files = end.files.iter();
    Some(&files.find(|(found, _)| found == name)?.1)
}

/// What an ICPC checker gives to a test.
pub(super) fn in_files(gives: Gives, end: &CallEnd) -> Result<Option<Given>, String> {
    let [score, multiplier] = SCORE_FILES;
    match [score, multiplier].map(|name| file(end, name)) {
        [None, None] => Ok(None),
        [Some(number), None] => given(gives, score, &String::from_utf8_lossy(number)),
        [None, Some(share)] => given(Gives::Share, multiplier, &String::from_utf8_lossy(share)),
        [Some(_), Some(_)] => Err(format!("it writes {score} and {multiplier}")),
    }
}

/// What a testlib checker gives to a test; none where its words are about something else.
pub(super) fn by_testlib(
    gives: Option<Gives>,
    code: i32,
    words: &str,
) -> Option<Result<Option<Given>, String>> {
    let mut prefixes = SCORES.into_iter();
    let (prefix, rest) = prefixes.find_map(|prefix| Some((prefix, words.strip_prefix(prefix)?)))?;
    let number = rest.split([' ', ')', '\r', '\n']).next();
    let number = number.unwrap_or_default();
    let is_said = if prefix == SCORES[0] {
        code == POINTS
    } else {
        let number = number.parse::<i32>();
        number.is_ok_and(|number| PARTIALLY_CORRECT.map(|base| code - base).contains(&number))
    };
    Some(match gives {
        None => Err("it gives points, and the package does not say what they mean: `gives` in problem.toml does".to_owned()),
        Some(_) if !is_said => Err(format!(
            "it gives points with exit code {code}, which says something else"
        )),
        Some(gives) => given(gives, prefix.trim_end_matches([' ', '(']), number),
    })
}

/// What a number means that a checker gives; none where that is all of the points. The error: it is
/// none that may be given.
fn given(gives: Gives, from: &str, text: &str) -> Result<Option<Given>, String> {
    let most = match gives {
        Gives::Points => Given::MAX,
        Gives::Percent => 100.0,
        Gives::Share => 1.0,
    };
    let number = text.trim().parse().ok();
    let number = number.filter(|number| (0.0..=most).contains(number));
    let given = number.and_then(|number| match gives {
        Gives::Points => Given::millionths(number).map(Given::Points),
        Gives::Percent | Gives::Share => Given::millionths(number / most).map(Given::Share),
    });
    let Some(given) = given else {
        let shown = visible_line(text.trim());
        let shown: String = shown.chars().take(SHOWN_CHARACTERS_MAX).collect();
        let words = format!("`{shown}` ({from}) is not a number from 0 to {most}");
        return Err(words);
    };
    Ok((given != Given::Share(Given::ONE)).then_some(given))
}

#[cfg(test)]
mod tests {
    use super::{SCORE_FILES, by_testlib, in_files};
    use crate::domain::Given;
    use crate::judge::order::CallEnd;
    use crate::judge::samples::exited;
    use crate::package::Gives::{self, Percent, Points, Share};

    #[test]
    fn what_is_given_in_files() {
        let points = |number| Ok(Some(Given::Points(number)));
        for (gives, score, multiplier, expected) in [
            (Points, Some("12.5\n"), None, points(12_500_000)),
            // That is how one library writes them.
            (Points, Some("1.000000000e+01"), None, points(10_000_000)),
            (Percent, Some("40"), None, Ok(Some(Given::Share(400_000)))),
            (Points, None, Some("0.25"), Ok(Some(Given::Share(250_000)))),
            (Points, None, Some("1"), Ok(None)),
            (Points, None, None, Ok(None)),
            (
                Points,
                None,
                Some("1.5"),
                Err("`1.5` (score_multiplier.txt) is not a number from 0 to 1"),
            ),
            (
                Percent,
                Some("101"),
                None,
                Err("is not a number from 0 to 100"),
            ),
            (
                Points,
                Some("-1"),
                None,
                Err("`-1` (score.txt) is not a number from 0 to 1000000"),
            ),
            (Points, Some("nan"), None, Err("`nan` (score.txt)")),
            (Points, Some(""), None, Err("`` (score.txt)")),
            (
                Points,
                Some("1"),
                Some("1"),
                Err("it writes score.txt and score_multiplier.txt"),
            ),
        ] {
            let files = SCORE_FILES.into_iter().zip([score, multiplier]);
            let files =
                files.filter_map(|(name, text)| Some((name.to_owned(), text?.as_bytes().to_vec())));
            let mut end = CallEnd::from(exited(42, ""));
            end.files = files.collect();
            let found = in_files(gives, &end);
            match (&found, expected) {
                (Err(found), Err(words)) => assert!(found.contains(words), "{found}"),
                (found, expected) => assert_eq!(
                    found.as_ref().ok(),
                    expected.as_ref().ok(),
                    "{score:?} {multiplier:?}"
                ),
            }
        }
    }

    #[test]
    fn testlib_says_what_is_given_by_words_and_exit_code() {
        let say = |gives: Option<Gives>, code, words: &str| by_testlib(gives, code, words);
        assert_eq!(say(Some(Points), 0, "ok points 3"), None);
        assert_eq!(say(Some(Points), 1, "wrong answer"), None);
        for (gives, code, words, expected) in [
            (
                Points,
                7,
                "points 2.5 two of four\n",
                Some(Given::Points(2_500_000)),
            ),
            (Share, 7, "points 0.5", Some(Given::Share(500_000))),
            (
                Percent,
                57,
                "partially correct (7) x",
                Some(Given::Share(70_000)),
            ),
            // As testlib comes, these are also the codes of other ends.
            (Percent, 0, "partially correct (0)", Some(Given::Share(0))),
            (Percent, 100, "partially correct (100)", None),
        ] {
            assert_eq!(say(Some(gives), code, words), Some(Ok(expected)), "{words}");
        }
        for (gives, code, words, why) in [
            (None, 7, "points 0.5", "does not say what they mean"),
            (
                Some(Points),
                0,
                "points 0.5",
                "exit code 0, which says something else",
            ),
            (Some(Percent), 7, "partially correct (8)", "exit code 7"),
            (Some(Percent), 50, "partially correct (150)", "exit code 50"),
            (
                Some(Percent),
                150,
                "partially correct (150)",
                "not a number from 0 to 100",
            ),
            (
                Some(Points),
                7,
                "points points_info=x",
                "`points_info=x` (points)",
            ),
        ] {
            let said = say(gives, code, words).unwrap().unwrap_err();
            assert!(said.contains(why), "{said}");
        }
    }
}
