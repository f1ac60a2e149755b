//! Which file of a view's folder a path asks for. Names come from the path only after they have
//! been checked as names. Pure.

use crate::domain::{Attempt, ProblemSlug, Student};
use crate::exports::course_files;
use crate::report::content_type_of;

/// The type of a page that is a file.
const PAGE: &str = "html";

/// A file of a view's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The names from the folder on, each checked to be no more than a name.
    pub names: Vec<String>,
    /// What it is.
    pub content_type: &'static str,
}

/// The file that the names of a path after `/reports/` ask for; none where it can be no file of
/// ours.
///
/// - `index.html` and the files of the whole course: the folder's own,
/// - `STUDENT/index.html`, `problems/PROBLEM.html`,
/// - `STUDENT/PROBLEM/ATTEMPT.ENDING`, and without the ending the page.
///
/// Names stand in it as the folder spells them, so that the links between the files hold.
pub fn file(mut names: Vec<String>) -> Option<Wanted> {
    // What a file or a folder may be called: a student, a problem, or a name of our own that looks
    // like one.
    for name in &names {
        Student::new(name).ok()?;
    }
    let content_type = match names.as_mut_slice() {
        [file] => match course_files().find(|known| known.name == file) {
            Some(known) => known.content_type,
            None => (file == "index.html").then(|| content_type_of(PAGE))??,
        },
        [_, page] => page
            .strip_suffix(".html")
            .and_then(|_| content_type_of(PAGE))?,
        [_, problem, report] => {
            ProblemSlug::new(problem.trim_end_matches('~')).ok()?;
            let (number, ending) = match report.split_once('.') {
                Some((number, ending)) => (number, ending.to_owned()),
                None => (report.as_str(), PAGE.to_owned()),
            };
            attempt(number)?;
            *report = format!("{number}.{ending}");
            content_type_of(&ending)?
        }
        _ => return None,
    };
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use percent_encoding::percent_decode_str;

    use super::Wanted;
    use crate::overview::pages::encoded;
    use crate::util::tests::trials::trials;

    fn decoded(part: &str) -> Option<String> {
        let text = percent_decode_str(part).decode_utf8().ok()?;
        Some(text.into_owned())
    }

    /// As the router parts a path: each name is decoded by itself.
    fn file(path: &str) -> Option<Wanted> {
        let names: Option<Vec<String>> = path.split('/').map(decoded).collect();
        super::file(names?)
    }

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
        }
    }
}
