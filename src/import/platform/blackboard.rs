//! Blackboard Learn's "Assignment file download".
//!
//! An assignment's name and a user's may both have `_` in them, so that a file's name cannot be
//! split: the `.txt` beside it says whose it is.

use std::sync::LazyLock;

use std::collections::HashMap;

use super::archive::{Archive, Platform, Shape, captured, shape};
use crate::domain::Key;
use crate::import::claim::{Claim, Reading, Stamp, Who};

pub const PLATFORM: Platform = Platform {
    id: "blackboard",
    name: "Blackboard",
    read,
};

// The first time in a name is the platform's; what follows is what the student called the file.
static FILE: Shape = LazyLock::new(|| {
    shape(
        r"^(?P<hand_in>[^/]+?_attempt_(?P<when>\d{4}(?:-\d{2}){5}))(?:_(?P<file>[^/]+)|(?P<list>\.txt))$",
    )
});
static NAME: Shape =
    LazyLock::new(|| shape(r"(?m)^Name: *(?P<name>.+?) *\((?P<login>[^()]+)\)\s*$"));
static DATE: Shape = LazyLock::new(|| shape(r"(?m)^Date Submitted: *(?P<when>.+?)\s*$"));
static ASSIGNMENT: Shape = LazyLock::new(|| shape(r"(?m)^Assignment: *(?P<assignment>.+?)\s*$"));
static ATTACHED: Shape = LazyLock::new(|| {
    shape(r"(?m)^\s*Original filename: *(?P<original>.+?)\s*\n\s*Filename: *(?P<stored>.+?)\s*$")
});

static FILES: Shape = LazyLock::new(|| shape(r"(?m)^Files:\s*$"));
static BLANK: Shape = LazyLock::new(|| shape(r"(?m)^[ \t\r]*\n"));

/// What the `.txt` of a hand-in says.
struct List {
    who: Vec<Who>,
    time: Option<Stamp>,
    assignment: Option<String>,
}

fn read(archive: &mut Archive<'_>) -> Vec<Reading> {
    let paths: Vec<Option<String>> = archive
        .paths()
        .map(|path| path.map(str::to_owned))
        .collect();
    let mut lists: HashMap<String, List> = HashMap::new();
    // Files may be stored under a name of their own, which only the list has.
    // One that several lists have is nobody's.
    let mut attached: HashMap<String, Option<(String, String)>> = HashMap::new();
    for (index, path) in paths.iter().enumerate() {
        let Some(found) = path.as_deref().and_then(|path| FILE.captures(path)) else {
            continue;
        };
        if found.name("list").is_some() {
            let text = archive.text(index).unwrap_or_default();
            let hand_in = captured(&found, "hand_in").to_owned();
            for file in ATTACHED.captures_iter(files_of(&text)) {
                let original = captured(&file, "original").to_owned();
                let stored = captured(&file, "stored");
                if !is_another_hand_ins(stored, &hand_in) {
                    attached
                        .entry(stored.to_owned())
                        .and_modify(|known| {
                            if known.as_ref().is_none_or(|(other, _)| *other != hand_in) {
                                *known = None;
                            }
                        })
                        .or_insert_with(|| Some((hand_in.clone(), original)));
                }
            }
            lists.insert(hand_in, list(&text, captured(&found, "when")));
        }
    }
    let reading = |path: &Option<String>| {
        let Some(path) = path.as_deref() else {
            return Reading::Strange;
        };
        let found = FILE.captures(path);
        if found
            .as_ref()
            .is_some_and(|found| found.name("list").is_some())
        {
            return Reading::Own;
        }
        let (hand_in, file) = match (attached.get(path), found) {
            (Some(Some((hand_in, original))), _) => (hand_in.clone(), original.clone()),
            (Some(None), _) => return Reading::Claim(nobodys(path)),
            (None, Some(found)) => (
                captured(&found, "hand_in").to_owned(),
                captured(&found, "file").to_owned(),
            ),
            (None, None) => return Reading::Strange,
        };
        let list = lists.get(&hand_in);
        let alone = || alone(&hand_in);
        Reading::Claim(Claim {
            who: list.map_or_else(|| alone().0, |list| list.who.clone()),
            file,
            time: list.map_or_else(|| alone().1, |list| list.time),
            assignment: list.and_then(|list| list.assignment.clone()),
            hand_in,
            late: false,
        })
    };
    paths.iter().map(reading).collect()
}

/// A list's last part, the files. Students write what stands above it: texts and comments.
fn files_of(list: &str) -> &str {
    FILES
        .find_iter(list)
        .last()
        .map_or("", |found| &list[found.end()..])
}

/// A list's first part, with the name and the time.
fn head_of(list: &str) -> &str {
    let list = list.trim_start();
    BLANK
        .find(list)
        .map_or(list, |found| &list[..found.start()])
}

/// Whether a file's name says that another hand-in has it than the one whose list names it.
fn is_another_hand_ins(stored: &str, hand_in: &str) -> bool {
    let found = FILE.captures(stored);
    found
        .is_some_and(|found| captured(&found, "hand_in") != hand_in || found.name("list").is_some())
}

/// A file of which nothing says who handed it in.
fn nobodys(path: &str) -> Claim {
    Claim {
        who: Vec::new(),
        file: path.to_owned(),
        time: None,
        assignment: None,
        hand_in: path.to_owned(),
        late: false,
    }
}

/// What a hand-in's name says without a list: where it has one `_` only, whose it is.
fn alone(hand_in: &str) -> (Vec<Who>, Option<Stamp>) {
    let Some((name, when)) = hand_in.rsplit_once("_attempt_") else {
        return (Vec::new(), None);
    };
    let login = name.split_once('_').map(|(_, login)| login);
    let login = login.filter(|login| !login.contains('_'));
    let who = login.map(|login| Who::by(Key::Login, login));
    (who.into_iter().collect(), Stamp::read(when))
}

/// `when` is the time in the file's name, which is there in every language.
fn list(text: &str, when: &str) -> List {
    let text = head_of(text);
    let who = NAME.captures(text).map(|found| {
        Who::by(Key::Login, captured(&found, "login")).named(captured(&found, "name"))
    });
    let date = DATE.captures(text);
    let written = date.and_then(|found| Stamp::read_words(captured(&found, "when")));
    let assignment = ASSIGNMENT.captures(text);
    List {
        who: who.into_iter().collect(),
        time: Stamp::read(when).or(written),
        assignment: assignment.map(|found| captured(&found, "assignment").to_owned()),
    }
}
