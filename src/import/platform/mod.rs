//! The platforms: how each names what its students have handed in.
//!
//! A new platform is one file in this folder and its entry in [`PLATFORMS`].

mod blackboard;
mod brightspace;
mod canvas;
mod classroom;
mod gradescope;
mod ilias;
mod moodle;
mod nbgrader;
mod own;
mod sakai;
mod vpl;

use std::sync::LazyLock;

use regex::Regex;

pub use own::Pattern;

use super::claim::Reading;
use super::entry::Entry;
use super::source::Source;

/// The share of entries, in percent, that must look like a platform's for it to be recognised.
const SHARE_MIN: usize = 80;
/// A file of a platform's own: a list, a time.
const OWN_FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// A platform that archives come from.
#[derive(Debug)]
pub struct Platform {
    /// What `--platform` calls it, and the roster's column of its own keys if it has any.
    pub id: &'static str,
    /// What people call it.
    pub name: &'static str,
    /// What each entry is to it.
    read: fn(&mut Archive<'_>) -> Vec<Reading>,
}

/// Every platform. An archive that looks equally much like two is the earlier one's.
pub const PLATFORMS: [Platform; 10] = [
    moodle::PLATFORM,
    vpl::PLATFORM,
    canvas::PLATFORM,
    blackboard::PLATFORM,
    brightspace::PLATFORM,
    sakai::PLATFORM,
    gradescope::PLATFORM,
    nbgrader::PLATFORM,
    classroom::PLATFORM,
    ilias::PLATFORM,
];

/// An archive as platforms look at it.
pub struct Archive<'a> {
    source: &'a mut Source,
    /// The name of the file or folder, without its extension.
    origin: &'a str,
    /// How many leading folders are passed over: people zip a platform's folder again.
    outer: usize,
}

impl Archive<'_> {
    /// The entries' paths, without the outer folders; what is refused or noise has none.
    fn paths(&self) -> impl Iterator<Item = Option<&str>> {
        let entries = self.source.entries().iter();
        entries.map(|entry| path_of(entry, self.outer))
    }

    /// The folder that everything lies in, or the archive's own name.
    fn outermost(&self) -> Option<&str> {
        if self.outer == 0 {
            return Some(self.origin);
        }
        let first = self
            .source
            .entries()
            .iter()
            .find_map(|entry| path_of(entry, 0))?;
        first.split('/').next()
    }

    /// A file of the platform's own, as text.
    fn text(&mut self, index: usize) -> Option<String> {
        let bytes = self.source.read(index, OWN_FILE_BYTES_MAX).ok()?;
        Some(crate::util::excerpt::decode(&bytes, bytes.len()).text)
    }

    /// Reads each path on its own.
    fn each(&self, read: impl Fn(&str) -> Reading) -> Vec<Reading> {
        let reading = |path: Option<&str>| path.map_or(Reading::Strange, &read);
        self.paths().map(reading).collect()
    }
}

fn path_of(entry: &Entry, outer: usize) -> Option<&str> {
    if entry.refused.is_some() || entry.is_noise() {
        return None;
    }
    let mut path = entry.path.as_str();
    for _ in 0..outer {
        path = path.split_once('/')?.1;
    }
    Some(path)
}

/// What a platform makes of an archive.
pub struct Recognised {
    /// The platform.
    pub platform: &'static Platform,
    /// One reading per entry.
    pub readings: Vec<Reading>,
    /// How many of a hundred entries are as this platform names them.
    pub share: usize,
}

/// The platform that an archive comes from, if most of its entries look like it. `only` is the one
/// that a person has named.
pub fn recognise(source: &mut Source, origin: &str, only: Option<&str>) -> Option<Recognised> {
    let mut best: Option<Recognised> = None;
    let wanted = PLATFORMS
        .iter()
        .filter(|platform| only.is_none_or(|id| platform.id == id));
    let least = if only.is_some() { 1 } else { SHARE_MIN };
    for platform in wanted {
        let found = read(platform, source, origin);
        if found.share >= least && best.as_ref().is_none_or(|best| found.share > best.share) {
            best = Some(found);
        }
    }
    best
}

fn read(platform: &'static Platform, source: &mut Source, origin: &str) -> Recognised {
    let outer_max = if has_one_outer_folder(source) { 1 } else { 0 };
    let readings = (0..=outer_max).map(|outer| {
        let mut archive = Archive {
            source: &mut *source,
            origin,
            outer,
        };
        let readings = (platform.read)(&mut archive);
        Recognised {
            platform,
            share: share(source, &readings),
            readings,
        }
    });
    let best = readings.reduce(|best, next| if next.share > best.share { next } else { best });
    best.unwrap_or(Recognised {
        platform,
        readings: Vec::new(),
        share: 0,
    })
}

fn has_one_outer_folder(source: &Source) -> bool {
    let paths = source
        .entries()
        .iter()
        .filter_map(|entry| path_of(entry, 0));
    let mut folders = paths.map(|path| path.split_once('/').map(|(folder, _)| folder));
    match folders.next() {
        Some(Some(first)) => folders.all(|folder| folder == Some(first)),
        _ => false,
    }
}

fn share(source: &Source, readings: &[Reading]) -> usize {
    let (mut fitting, mut all, mut claims) = (0, 0, 0);
    for (entry, reading) in source.entries().iter().zip(readings) {
        if path_of(entry, 0).is_some() {
            all += 1;
            fitting += usize::from(*reading != Reading::Strange);
            claims += usize::from(matches!(reading, Reading::Claim(_)));
        }
    }
    if claims == 0 { 0 } else { fitting * 100 / all }
}

/// A pattern that is part of the program, compiled when it is first needed.
type Shape = LazyLock<Regex>;

/// Compiles a pattern that is part of the program.
fn shape(text: &str) -> Regex {
    Regex::new(text).expect("a test compiles every pattern of the program")
}

/// What a pattern of the program's own has captured; "" where that group took no part.
fn captured<'t>(captures: &regex::Captures<'t>, name: &str) -> &'t str {
    captures.name(name).map_or("", |found| found.as_str())
}
