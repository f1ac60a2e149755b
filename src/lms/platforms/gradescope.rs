//! Gradescope's "Download submissions": a folder per hand-in, and one list of who and when.

use std::collections::HashMap;

use serde::Deserialize;

use crate::domain::Key;
use crate::lms::archive::Archive;
use crate::lms::claim::{Reading, Stamp, Who};
use crate::lms::platform::Platform;

/// The list. Its keys are Ruby's symbols.
const LIST: &str = "submission_metadata.yml";

pub fn platform() -> Platform {
    let files = [
        r"^(?P<own>submission_metadata\.yml)$",
        r"^(?P<hand_in>[^/]+)/(?P<file>.+)$",
    ];
    Platform {
        complete,
        ..Platform::new("gradescope", "Gradescope", &files)
    }
}

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
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Scalar {
    Number(i64),
    Text(String),
}

impl Scalar {
    fn text(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}

fn complete(archive: &mut Archive<'_>, readings: &mut [Reading]) {
    let text = archive.text(LIST).unwrap_or_default();
    let hand_ins: HashMap<String, HandIn> = serde_saphyr::from_str(&text).unwrap_or_default();
    for reading in readings {
        let Reading::Claim(claim) = reading else {
            continue;
        };
        let Some(hand_in) = hand_ins.get(&claim.hand_in) else {
            *reading = Reading::Strange;
            continue;
        };
        let time = hand_in.created_at.as_ref();
        claim.time = time.and_then(|time| Stamp::read(&time.text()));
        claim.who = hand_in.submitters.iter().map(who).collect();
    }
}

fn who(submitter: &Submitter) -> Who {
    let keys = [(Key::Id, &submitter.sid), (Key::Email, &submitter.email)];
    let keys = keys
        .into_iter()
        .filter_map(|(key, value)| Some((key, value.as_ref()?.text())));
    Who {
        keys: keys.filter(|(_, value)| !value.is_empty()).collect(),
        name: submitter.name.as_ref().map(Scalar::text),
    }
}
