//! The platforms: how each names what its students have handed in.
//!
//! A new platform is one file in this folder and its entry in [`PLATFORMS`].

mod archive;
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

use archive::{Archive, Platform, path_of};
pub use own::Pattern;

use super::claim::Reading;
use super::source::Source;

/// The share of entries, in percent, that must look like a platform's for it to be recognised.
const SHARE_MIN: usize = 80;
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
        let found = read(platform, source, origin, only.is_some());
        if found.share >= least && best.as_ref().is_none_or(|best| found.share > best.share) {
            best = Some(found);
        }
    }
    best
}

fn read(
    platform: &'static Platform,
    source: &mut Source,
    origin: &str,
    is_named: bool,
) -> Recognised {
    let outer_max = usize::from(has_one_outer_folder(source));
    let readings = (0..=outer_max).map(|outer| {
        let mut archive = Archive {
            source: &mut *source,
            origin,
            outer,
            is_named,
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
