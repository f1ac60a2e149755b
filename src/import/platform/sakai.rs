//! Sakai's "Download all": a folder per student, with a time in UTC beside what was handed in.

use std::sync::LazyLock;

use std::collections::HashMap;

use super::archive::{Archive, Platform, Shape, captured, shape};
use crate::domain::Key;
use crate::import::claim::{Claim, Reading, Stamp, Who};

pub const PLATFORM: Platform = Platform {
    id: "sakai",
    name: "Sakai",
    read,
};

// The folder of what was handed in has a name in the site's language.
static FILE: Shape = LazyLock::new(|| {
    shape(
        r"^(?P<folder>(?P<last>[^,/]*), ?(?P<first>[^/]*)\((?P<login>[^()/]+)\))/(?P<inner>[^/]+)/(?P<file>.+)$",
    )
});
static OWN: Shape = LazyLock::new(|| {
    shape(
        r"^(?:grades\.(?:csv|xls)|[^,/]*, ?[^/]*\([^()/]+\)/(?:timestamp\.txt|comments\.txt|feedbackText\.html|[^/]*_submissionText\.html))$",
    )
});
/// What Sakai itself puts beside a hand-in.
const FEEDBACK: &str = "Feedback Attachment";

fn read(archive: &mut Archive<'_>) -> Vec<Reading> {
    let paths: Vec<Option<String>> = archive
        .paths()
        .map(|path| path.map(str::to_owned))
        .collect();
    let mut times: HashMap<&str, Option<Stamp>> = HashMap::new();
    for (index, path) in paths.iter().enumerate() {
        if let Some((folder, "timestamp.txt")) =
            path.as_deref().and_then(|path| path.split_once('/'))
        {
            let text = archive.text(index);
            times.insert(folder, text.and_then(|text| Stamp::read(&text)?.in_utc()));
        }
    }
    let reading = |path: &Option<String>| {
        let Some(path) = path.as_deref() else {
            return Reading::Strange;
        };
        let Some(found) = FILE.captures(path) else {
            return if OWN.is_match(path) {
                Reading::Own
            } else {
                Reading::Strange
            };
        };
        if captured(&found, "inner").starts_with(FEEDBACK) {
            return Reading::Own;
        }
        let folder = captured(&found, "folder");
        let name = format!(
            "{}, {}",
            captured(&found, "last"),
            captured(&found, "first")
        );
        Reading::Claim(Claim {
            who: vec![Who::by(Key::Login, captured(&found, "login")).named(name)],
            file: captured(&found, "file").to_owned(),
            time: times.get(folder).copied().flatten(),
            assignment: None,
            hand_in: folder.to_owned(),
            late: false,
        })
    };
    paths.iter().map(reading).collect()
}
