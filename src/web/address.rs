//! What a path asks for, and how to write one. Names come from the path only after they have been checked as names. Pure.

use crate::domain::{Attempt, ProblemSlug, Student};

/// Endings of files that are shown, the longer ones first, and what they are.
const ENDINGS: [(&str, &str); 8] = [
    ("gradescope.json", "application/json"),
    ("html", "text/html; charset=utf-8"),
    ("txt", "text/plain; charset=utf-8"),
    ("json", "application/json"),
    ("csv", "text/csv; charset=utf-8"),
    ("xml", "application/xml; charset=utf-8"),
    ("ndjson", "application/x-ndjson"),
    ("svg", "image/svg+xml"),
];
/// Names of a file's path.
const DEPTH_MAX: usize = 3;

/// A file of a view's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The names from the folder on, each checked to be no more than a name.
    pub names: Vec<String>,
    /// What it is.
    pub content_type: &'static str,
}

/// The file that the part of a path after `/reports/` asks for; none where it can be no file of ours.
///
/// - `index.html`, `gradebook.csv` and the like: the folder's own,
/// - `STUDENT/index.html`, `problems/PROBLEM.html`,
/// - `STUDENT/PROBLEM/ATTEMPT.ENDING`, and without the ending the page.
///
/// Names stand in it as the folder spells them, so that the links between the files hold.
pub fn file(path: &str) -> Option<Wanted> {
    let names = names(path)?;
    if names.len() > DEPTH_MAX {
        return None;
    }
    let (last, folders) = names.split_last()?;
    // What a folder may be called: a student, a problem, or a name of our own that looks like one.
    for folder in folders {
        Student::new(folder).ok()?;
    }
    let mut last = last.clone();
    if folders.len() == DEPTH_MAX - 1 {
        ProblemSlug::new(folders.last()?.trim_end_matches('~')).ok()?;
        let number = last.split('.').next().unwrap_or_default();
        attempt(number)?;
        if last == number {
            last.push_str(".html");
        }
    }
    Student::new(&last).ok()?;
    let (_, content_type) = ENDINGS.iter().find(|(ending, _)| {
        let stem = last.strip_suffix(ending);
        stem.is_some_and(|stem| stem.len() > 1 && stem.ends_with('.'))
    })?;
    let mut names = folders.to_vec();
    names.push(last);
    Some(Wanted {
        names,
        content_type,
    })
}

fn attempt(text: &str) -> Option<Attempt> {
    let number: Attempt = text.parse().ok()?;
    // `+1` and `01` would be second names of one file.
    (number >= 1 && number.to_string() == text).then_some(number)
}

/// The student that the part of a path after `/students/` names.
pub fn student(path: &str) -> Option<Student> {
    match names(path)?.as_slice() {
        [name] => Student::new(name).ok(),
        _ => None,
    }
}

/// The problem that the part of a path after `/problems/` names.
pub fn problem(path: &str) -> Option<ProblemSlug> {
    match names(path)?.as_slice() {
        [name] => ProblemSlug::new(name).ok(),
        _ => None,
    }
}

/// The parts of a path, each decoded by itself, so that `%2F` never parts anything; none where one is no text.
fn names(path: &str) -> Option<Vec<String>> {
    path.split('/').take(DEPTH_MAX + 1).map(decoded).collect()
}

/// The value of a key in a query.
pub fn query(query: Option<&str>, key: &str) -> Option<String> {
    query?
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .find(|(name, _)| *name == key)
        .and_then(|(_, value)| decoded(&value.replace('+', " ")))
}

fn decoded(part: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let mut digit = || char::from(rest.next()?).to_digit(16);
            let number = digit()? * 16 + digit()?;
            bytes.push(u8::try_from(number).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// A name as a part of a path.
pub fn encoded(name: &str) -> String {
    use std::fmt::Write as _;

    let mut text = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            text.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{decoded, encoded, file, query, student};
    use crate::util::trials::trials;

    #[test]
    fn paths_of_reports_are_files() {
        for (path, names, kind) in [
            ("index.html", &["index.html"][..], "text/html"),
            ("gradebook.csv", &["gradebook.csv"], "text/csv"),
            ("results.xml", &["results.xml"], "application/xml"),
            (
                "event-feed.ndjson",
                &["event-feed.ndjson"],
                "application/x-ndjson",
            ),
            (
                "problems/curling.html",
                &["problems", "curling.html"],
                "text/html",
            ),
            ("alpha/index.html", &["alpha", "index.html"], "text/html"),
            (
                "alpha/curling/1",
                &["alpha", "curling", "1.html"],
                "text/html",
            ),
            (
                "alpha/curling/12.txt",
                &["alpha", "curling", "12.txt"],
                "text/plain",
            ),
            (
                "alpha/curling/1.gradescope.json",
                &["alpha", "curling", "1.gradescope.json"],
                "application/json",
            ),
            (
                "%E5%AD%A6%20a/curling~/3.json",
                &["学 a", "curling~", "3.json"],
                "application/json",
            ),
        ] {
            let wanted = file(path).unwrap_or_else(|| panic!("{path}"));
            assert_eq!(wanted.names, names, "{path}");
            assert!(wanted.content_type.starts_with(kind), "{path}");
        }
    }

    #[test]
    fn nothing_else_is_a_file() {
        let long = format!("{}/curling/1.html", "x".repeat(300));
        for path in [
            "",
            "/",
            ".",
            "..",
            "../staff/index.html",
            "alpha/../index.html",
            "%2e%2e/index.html",
            "%2e%2e%2findex.html",
            "..%2Findex.html",
            "alpha%2F..%2Findex.html",
            "alpha/%2e%2e/1.html",
            "alpha/curling/../../x.html",
            "alpha//1.html",
            "/etc/passwd",
            "%2Fetc%2Fpasswd.txt",
            "alpha/curling/1.html%00.txt",
            "alpha%00/curling/1.html",
            "alpha/curling/0.html",
            "alpha/curling/01.html",
            "alpha/curling/+1.html",
            "alpha/curling/-1.html",
            "alpha/curling/99999999999.html",
            "alpha/curling/x.html",
            "alpha/curling/1.exe",
            "alpha/curling/1.db",
            "alpha/curling/1.",
            "alpha/curling/.html",
            "alpha/CURLING/1.html",
            "alpha/curling/1/2.html",
            "verdictd.db",
            "verdictd.db-wal",
            ".hidden.html",
            "alpha/.x.html",
            "%ff%fe/curling/1.html",
            "%zz.html",
            "%2",
            "a\\b.html",
            "a%5Cb.html",
            "a%E2%80%AEb/index.html",
            &long,
        ] {
            assert_eq!(file(path), None, "{path}");
        }
    }

    #[test]
    fn queries_are_read_by_their_keys() {
        assert_eq!(query(Some("a=1&after=5"), "after").as_deref(), Some("5"));
        assert_eq!(
            query(Some("token=a%2Bb+c"), "token").as_deref(),
            Some("a+b c")
        );
        for none in [
            None,
            Some(""),
            Some("after"),
            Some("xafter=5"),
            Some("after=%zz"),
        ] {
            assert_eq!(query(none, "after"), None, "{none:?}");
        }
    }

    proptest! {
        #![proptest_config(trials(256))]

        #[test]
        fn what_is_written_is_read_back(name in "\\PC{1,60}") {
            prop_assert_eq!(decoded(&encoded(&name)), Some(name));
        }

        #[test]
        fn no_path_leaves_its_folder(path in "[a.%20eE5cCfF/\\\\~ ]{0,24}(\\.html)?") {
            if let Some(wanted) = file(&path) {
                for name in wanted.names {
                    prop_assert!(!name.contains(['/', '\\', '\0']) && !name.starts_with('.'), "{}", name);
                }
            }
            if let Some(student) = student(&path) {
                prop_assert!(!student.as_str().contains('/'));
            }
        }
    }
}
