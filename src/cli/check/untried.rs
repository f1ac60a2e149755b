//! The examples that this machine cannot try, because it lacks their languages: a package is checked
//! without them, and whoever checks it is told.

use std::collections::BTreeMap;

/// Examples that were not tried.
#[derive(Debug, Default)]
pub(super) struct Untried(Vec<Example>);

#[derive(Debug)]
struct Example {
    /// Its folder and file.
    name: String,
    /// What its language lacks, and the way to get it.
    reason: String,
}

impl Untried {
    pub fn add(&mut self, name: String, reason: String) {
        self.0.push(Example { name, reason });
    }

    /// Each example with its reason.
    pub fn list(&self) -> Vec<String> {
        let examples = self.0.iter();
        examples
            .map(|Example { name, reason }| format!("{name}: {reason}"))
            .collect()
    }

    /// One line for each reason: there are often several examples in a language.
    pub fn warnings(&self) -> Vec<String> {
        let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for example in &self.0 {
            let names = names.entry(&example.reason).or_default();
            names.push(&example.name);
        }
        let lines = names.into_iter();
        lines
            .map(|(reason, names)| format!("not tried here: {}: {reason}", names.join(", ")))
            .collect()
    }
}

/// Whether an example, named by its folder and file, has to be accepted.
pub(super) fn is_accepted(name: &str) -> bool {
    name.starts_with("accepted/")
}

/// What is wrong if no program that has to be accepted can be tried: then nothing shows that the
/// tests can be passed within the limits.
pub(super) fn none_accepted(has_accepted: bool, untried: &Untried) -> Option<String> {
    if has_accepted {
        return None;
    }
    let words = if untried.0.iter().any(|one| is_accepted(&one.name)) {
        "no program in submissions/accepted can be tried: this machine has none of their languages"
    } else {
        "there is no program in submissions/accepted"
    };
    Some(words.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Untried, none_accepted};

    /// Examples by name and reason.
    fn untried(examples: &[(&str, &str)]) -> Untried {
        let mut untried = Untried::default();
        for (name, reason) in examples {
            untried.add((*name).to_owned(), (*reason).to_owned());
        }
        untried
    }

    #[test]
    fn one_accepted_example_has_to_be_tried() {
        let wrong = [("wrong_answer/a.x", "no X")];
        let accepted = [("wrong_answer/a.x", "no X"), ("accepted/b.y", "no Y")];
        for (has_accepted, examples, words) in [
            (true, &[][..], None),
            (true, &accepted, None),
            (false, &[], Some("there is no program")),
            (false, &wrong, Some("there is no program")),
            (false, &accepted, Some("none of their languages")),
        ] {
            let said = none_accepted(has_accepted, &untried(examples));
            assert_eq!(said.is_some(), words.is_some(), "{said:?}");
            assert!(
                said.unwrap_or_default().contains(words.unwrap_or_default()),
                "{words:?}"
            );
        }
    }

    #[test]
    fn a_missing_language_takes_one_line_however_many_examples_it_has() {
        let three = [
            ("accepted/a.x", "no X; get X"),
            ("accepted/b.y", "no Y; get Y"),
            ("rejected/c.x", "no X; get X"),
        ];
        for (examples, warnings, list) in [
            (&[][..], &[][..], &[][..]),
            (
                &three,
                &[
                    "not tried here: accepted/a.x, rejected/c.x: no X; get X",
                    "not tried here: accepted/b.y: no Y; get Y",
                ],
                &[
                    "accepted/a.x: no X; get X",
                    "accepted/b.y: no Y; get Y",
                    "rejected/c.x: no X; get X",
                ],
            ),
        ] {
            let untried = untried(examples);
            assert_eq!(untried.warnings(), warnings);
            assert_eq!(untried.list(), list);
        }
    }
}
