//! Names of files that a program has saved a second time: `sum (1).py`, `sum-1.py`, `sum -
//! Copy.py`.

use crate::domain::ProblemSlug;

/// Digits of the number that is put behind a name.
const DIGITS_MAX: usize = 3;
/// What file managers put behind it, in lower case.
const WORDS: [&str; 2] = [" - copy", " copy"];

/// How much a name has to be like a problem's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likeness {
    /// But for case, and `-` for `_`.
    Spelling,
    /// In its letters and digits, where no other problem has the same.
    Letters,
}

/// Looks for a problem by a name, then by what is left of it without what marks a copy; only where
/// no problem is spelled like that, by the letters alone.
pub(super) fn find<'stem, 'known>(
    stem: &'stem str,
    problems: &[ProblemSlug],
    look: impl Fn(&'stem str, Likeness) -> Option<(&'stem str, &'known ProblemSlug)>,
) -> Option<(&'stem str, &'known ProblemSlug)> {
    let bare = without_words(without_number(stem));
    [Likeness::Spelling, Likeness::Letters]
        .into_iter()
        .find_map(|likeness| {
            look(stem, likeness)
                .or_else(|| look(bare, likeness))
                // As Canvas does. Where problems themselves are numbered, `hw-3` is a problem that
                // is not here, and no copy of `hw`.
                .or_else(|| {
                    look(without_dash(bare)?, likeness)
                        .filter(|(_, slug)| !is_numbered(slug, problems))
                })
        })
}

/// Drops what browsers put behind the name of a file that they have saved before: ` (1)`, `(2)`.
pub(super) fn without_number(stem: &str) -> &str {
    let digits = stem
        .strip_suffix(')')
        .and_then(|rest| rest.rsplit_once('('));
    match digits {
        Some((front, digits)) if is_number(digits) => front.trim_end_matches(' '),
        _ => stem,
    }
}

fn without_words(stem: &str) -> &str {
    let bytes = stem.as_bytes();
    let word = WORDS.iter().find(|word| {
        let begin = bytes.len().checked_sub(word.len());
        begin.is_some_and(|begin| bytes[begin..].eq_ignore_ascii_case(word.as_bytes()))
    });
    // The words are plain letters, so the cut is between characters.
    word.map_or(stem, |word| &stem[..stem.len() - word.len()])
}

fn without_dash(stem: &str) -> Option<&str> {
    let (front, digits) = stem.rsplit_once(['-', '_'])?;
    is_number(digits).then_some(front)
}

fn is_number(text: &str) -> bool {
    (1..=DIGITS_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a problem has this name with a number behind it.
fn is_numbered(slug: &ProblemSlug, problems: &[ProblemSlug]) -> bool {
    problems.iter().any(|other| {
        other
            .as_str()
            .strip_prefix(slug.as_str())
            .and_then(|rest| rest.strip_prefix(['-', '_']))
            .is_some_and(is_number)
    })
}

#[cfg(test)]
mod tests {
    use super::super::Known;
    use super::find;
    use crate::util::samples::slug;

    #[test]
    fn a_copy_is_what_it_was_copied_from() {
        let slugs = ["sum", "hw", "hw-1", "hw-2", "a-1", "x_10", "thegame"];
        let known = Known {
            problems: slugs.map(slug).into(),
            ..Known::default()
        };
        let found = |stem| {
            find(stem, &known.problems, |stem, likeness| {
                Some(("", known.problem(stem, likeness)?))
            })
        };
        for (stems, expected) in [
            (
                "sum|sum (1)|sum(12)|sum-1|SUM_2|sum-123|sum - Copy|sum copy (2)|sum-",
                Some("sum"),
            ),
            // A problem's own number is no copy's.
            ("a-1", Some("a-1")),
            ("x-10|x-10-1", Some("x_10")),
            ("hw-1|hw-1-1|hw1 (1)", Some("hw-1")),
            ("hw-2 (1)", Some("hw-2")),
            ("The-Game|the game - Copy|the_game-2", Some("thegame")),
            ("hw-3|sum-1234|sum-a|sumcopy|-1|(1)|é - Copy", None),
        ] {
            for stem in stems.split('|') {
                let slug = found(stem).map(|(_, slug)| slug.as_str());
                assert_eq!(slug, expected, "{stem}");
            }
        }
    }
}
