//! Gradescope's "Download submissions": a folder per hand-in, and one list of who and when.

use std::collections::HashMap;

use serde::Deserialize;

use super::archive::{Archive, Platform};
use crate::domain::Key;
use crate::import::claim::{Claim, Reading, Stamp, Who};

pub const PLATFORM: Platform = Platform {
    id: "gradescope",
    name: "Gradescope",
    read,
};

/// The list. Its keys are Ruby's symbols.
const LIST: &str = "submission_metadata.yml";

/// What the list says of a hand-in.
#[derive(Debug, Deserialize)]
struct HandIn {
    #[serde(rename = ":submitters", default)]
    submitters: Vec<Submitter>,
    #[serde(rename = ":created_at", default)]
    created_at: Option<Scalar>,
}

#[derive(Debug, Deserialize)]
struct Submitter {
    #[serde(rename = ":name", default)]
    name: Option<Scalar>,
    #[serde(rename = ":sid", default)]
    sid: Option<Scalar>,
    #[serde(rename = ":email", default)]
    email: Option<Scalar>,
}

/// A number of a student may be written as a number.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Scalar {
    Number(i64),
    Text(String),
}

impl Scalar {
    fn text(self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text,
        }
    }
}

fn read(archive: &mut Archive<'_>) -> Vec<Reading> {
    let paths: Vec<Option<String>> = archive
        .paths()
        .map(|path| path.map(str::to_owned))
        .collect();
    let list = paths.iter().position(|path| path.as_deref() == Some(LIST));
    let text = list
        .and_then(|index| archive.text(index))
        .unwrap_or_default();
    let mut hand_ins: HashMap<String, HandIn> = serde_saphyr::from_str(&text).unwrap_or_default();
    let known: HashMap<String, (Vec<Who>, Option<Stamp>)> = hand_ins
        .drain()
        .map(|(folder, hand_in)| {
            let time = hand_in
                .created_at
                .and_then(|time| Stamp::read(&time.text()));
            (
                folder,
                (hand_in.submitters.into_iter().map(who).collect(), time),
            )
        })
        .collect();
    let reading = |path: &Option<String>| {
        let Some(path) = path.as_deref() else {
            return Reading::Strange;
        };
        if path == LIST {
            return Reading::Own;
        }
        let Some((folder, file)) = path.split_once('/') else {
            return Reading::Strange;
        };
        let Some((who, time)) = known.get(folder) else {
            return Reading::Strange;
        };
        Reading::Claim(Claim {
            who: who.clone(),
            file: file.to_owned(),
            time: *time,
            assignment: None,
            hand_in: folder.to_owned(),
            late: false,
        })
    };
    paths.iter().map(reading).collect()
}

fn who(submitter: Submitter) -> Who {
    let keys = [(Key::Id, submitter.sid), (Key::Email, submitter.email)];
    let keys = keys
        .into_iter()
        .filter_map(|(key, value)| Some((key, value?.text())));
    Who {
        keys: keys.filter(|(_, value)| !value.is_empty()).collect(),
        name: submitter.name.map(Scalar::text),
    }
}
