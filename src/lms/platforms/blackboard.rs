//! Blackboard Learn's "Assignment file download", and its "Work offline": tabs in a file called
//! `.xls`, often in UTF-16, or commas.
//!
//! An assignment's name and a user's may both have `_` in them, so that a file's name cannot be
//! split: the `.txt` beside it says whose it is.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::domain::Key;
use crate::lms::archive::Archive;
use crate::lms::claim::{Claim, Reading, Stamp, Who};
use crate::lms::columns::Columns;
use crate::lms::platform::Platform;

/// The first time in a name is the platform's; what follows is what the student called the file.
const FILE: &str = r"^(?P<hand_in>[^/]+?_attempt_(?P<time>\d{4}(?:-\d{2}){5}))(?:_(?P<file>[^/]+)|(?P<own>\.txt))$";

/// What stands in the list of a hand-in: its head with a name and a date, and the files.
struct ListPatterns {
    file: Regex,
    name: Regex,
    date: Regex,
    assignment: Regex,
    files: Regex,
    attached: Regex,
    gap: Regex,
}

static LIST: LazyLock<ListPatterns> = LazyLock::new(|| {
    let pattern = |text| Regex::new(text).expect("a test compiles every pattern of the program");
    ListPatterns {
        file: pattern(FILE),
        name: pattern(r"(?m)^Name: *(.+?) *\(([^()]+)\)\s*$"),
        date: pattern(r"(?m)^Date Submitted: *(.+?)\s*$"),
        assignment: pattern(r"(?m)^Assignment: *(.+?)\s*$"),
        files: pattern(r"(?m)^Files:\s*$"),
        attached: pattern(r"(?m)^\s*Original filename: *(.+?)\s*\n\s*Filename: *(.+?)\s*$"),
        gap: pattern(r"(?m)^[ \t\r]*\n"),
    }
});

/// The number behind `|` in a header is the column's key: a column without one would become a new
/// column of text. `up to` stands before a maximum that may change.
const COLUMNS: Columns = Columns {
    needed: &[&["username"]],
    refusal: (
        "the header is not that of Blackboard's \"Work offline\" (Last Name, First Name, Username, ...)",
        "download the grade book again",
    ),
    grade: r"(?s)^(?P<title>.*?) ?(?: \[(?:.*?\[)?Total Pts: (?P<maximum>[^ \]]*).*| \[.*)?\|(?P<key>[0-9]+)\s*$",
    keys: &[(Key::Login, "username"), (Key::Id, "student id")],
    leaves_out: true,
    ..Columns::NONE
};

pub fn platform() -> Platform {
    Platform {
        complete,
        layout: |table, wanted| COLUMNS.layout(table, wanted),
        ..Platform::new("blackboard", "Blackboard", &[FILE])
    }
}

fn complete(archive: &mut Archive<'_>, readings: &mut [Reading]) {
    let mut lists: HashMap<String, Claim> = HashMap::new();
    // Files may be stored under a name of their own, which only the list has: whose hand-in's they
    // are, and what the student called them. One that several lists have is nobody's.
    let mut attached: HashMap<String, Option<(String, String)>> = HashMap::new();
    let paths = archive.paths.clone();
    let all = || paths.iter().map(|path| path.as_deref().unwrap_or_default());
    for (path, reading) in all().zip(&*readings) {
        let Some(hand_in) = path.strip_suffix(".txt") else {
            continue;
        };
        if *reading != Reading::Own {
            continue;
        }
        let text = archive.text(path).unwrap_or_default();
        for [original, stored] in attached_of(&text) {
            if is_another_hand_ins(stored, hand_in) {
                continue;
            }
            let file = Some((hand_in.to_owned(), original.to_owned()));
            let known = attached.entry(stored.to_owned()).or_insert(file);
            if known.as_ref().is_some_and(|known| known.0 != hand_in) {
                *known = None;
            }
        }
        lists.insert(hand_in.to_owned(), head_of(&text));
    }
    for (path, reading) in all().zip(readings) {
        if *reading == Reading::Own {
            continue;
        }
        match attached.get(path) {
            Some(Some((hand_in, file))) => {
                *reading = Reading::Claim(Claim {
                    file: file.clone(),
                    hand_in: hand_in.clone(),
                    ..Claim::default()
                });
            }
            Some(None) => {
                *reading = Reading::Claim(Claim {
                    file: path.to_owned(),
                    hand_in: path.to_owned(),
                    ..Claim::default()
                });
                continue;
            }
            None => {}
        }
        if let Reading::Claim(claim) = reading {
            let (who, time) = alone(&claim.hand_in);
            let list = lists.get(&claim.hand_in);
            claim.who = list.map_or(who, |list| list.who.clone());
            claim.time = time.or(list.and_then(|list| list.time));
            claim.assignment = list.and_then(|list| list.assignment.clone());
        }
    }
}

/// What stands in a list's last part, the files: what the student called each, and how it is stored.
/// Students write what stands above it: texts and comments.
fn attached_of(list: &str) -> impl Iterator<Item = [&str; 2]> {
    let files = LIST.files.find_iter(list).last();
    let files = files.map_or("", |found| &list[found.end()..]);
    let found = LIST.attached.captures_iter(files);
    found.map(|found| found.extract().1)
}

/// What a list's first part says: who, when and for which assignment.
fn head_of(list: &str) -> Claim {
    let list = list.trim_start();
    let end = LIST.gap.find(list).map_or(list.len(), |gap| gap.start());
    let head = &list[..end];
    let one = |pattern: &Regex| {
        let found = pattern.captures(head)?;
        Some(found.get(1)?.as_str().to_owned())
    };
    let who = LIST.name.captures(head).map(|found| {
        let (_, [name, login]) = found.extract();
        Who::by(Key::Login, login).named(name)
    });
    Claim {
        who: who.into_iter().collect(),
        time: one(&LIST.date).and_then(|date| Stamp::read_words(&date)),
        assignment: one(&LIST.assignment),
        ..Claim::default()
    }
}

/// Whether a file's name says that another hand-in has it than the one whose list names it.
fn is_another_hand_ins(stored: &str, hand_in: &str) -> bool {
    let found = LIST.file.captures(stored);
    found.is_some_and(|found| &found["hand_in"] != hand_in || found.name("own").is_some())
}

/// What a hand-in's name says: when, and, where it has one `_` only, whose it is.
fn alone(hand_in: &str) -> (Vec<Who>, Option<Stamp>) {
    let Some((name, when)) = hand_in.rsplit_once("_attempt_") else {
        return (Vec::new(), None);
    };
    let login = name.split_once('_').map(|(_, login)| login);
    let login = login.filter(|login| !login.contains('_'));
    let who = login.map(|login| Who::by(Key::Login, login));
    (who.into_iter().collect(), Stamp::read(when))
}
