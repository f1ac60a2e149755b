//! The samples of a package in the format of Kattis and the ICPC: its statement does not repeat
//! them, and says at most where they are shown.

use std::path::{Path, PathBuf};

use askama::Template;

use super::tree::Tree;
use crate::util::excerpt::decode;
use crate::util::files::read_regular;

/// Stands in a statement in Markdown for the next sample.
pub(super) const NEXT: &str = "{{nextsample}}";
/// Stands there for all that are left.
pub(super) const REMAINING: &str = "{{remainingsamples}}";
const FOLDER: &str = "data/sample";
/// Samples of one package that are shown.
const SAMPLES_MAX: usize = 20;
/// The largest file of one that is read, and how much of it is shown, in bytes.
const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;
const SHOWN_BYTES_MAX: usize = 4 * 1024;

#[derive(Template)]
#[template(path = "package/samples.html")]
struct Sample {
    number: usize,
    /// The input, or what is said where programs talk.
    text: String,
    /// What is printed for the input.
    output: Option<String>,
}

/// Each sample as HTML, in the order of their names. Where programs talk, what is in the test is
/// for the other one, and people are shown a talk.
pub(super) fn samples(tree: &Tree, talks: bool) -> Vec<String> {
    let endings = if talks { &["interaction"][..] } else { &["in"] };
    let for_people = tree.files(FOLDER, &["statement"]);
    let shown = |file: &Path| shown(file, &for_people);
    let files = tree.files(FOLDER, endings).into_iter().take(SAMPLES_MAX);
    let samples = files.enumerate().map(|(index, file)| {
        let text = shown(&file);
        let sample = Sample {
            number: index + 1,
            output: (!talks).then(|| shown(&file.with_extension("ans"))),
            text,
        };
        sample.render().unwrap_or_default()
    });
    samples.collect()
}

/// A file, or what people are shown in its place.
fn shown(file: &Path, for_people: &[PathBuf]) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let other = file.with_file_name(format!("{name}.statement"));
    let other = for_people.iter().find(|file| **file == other);
    let Ok(bytes) = read_regular(other.map_or(file, PathBuf::as_path), FILE_BYTES_MAX) else {
        return "It cannot be shown: it is not there, or too large.".to_owned();
    };
    let decoded = decode(&bytes, SHOWN_BYTES_MAX);
    let more = if decoded.cut { "\n…" } else { "" };
    format!("{}{more}", decoded.text)
}
