//! The platforms: how each names what its students have handed in, and how it takes grades back.
//!
//! A new platform is an entry in [`PLATFORMS`], or one file in this folder and its entry there.

mod blackboard;
mod brightspace;
mod canvas;
mod classroom;
mod gradescope;
mod moodle;
mod sakai;

use std::sync::LazyLock;

use super::archive::{Archive, one_folder, path_of};
use super::claim::{Reading, Who};
use super::platform::Platform;
use crate::domain::Key;
use crate::util::archive::Source;
pub use moodle::Worksheet;

/// The share of entries, in percent, that must look like a platform's for it to be recognised.
const SHARE_MIN: usize = 80;

/// Every platform. An archive that looks equally much like two is the earlier one's.
pub static PLATFORMS: LazyLock<[Platform; 10]> = LazyLock::new(|| {
    [
        moodle::platform(),
        vpl(),
        canvas::platform(),
        blackboard::platform(),
        brightspace::platform(),
        sakai::platform(),
        gradescope::platform(),
        nbgrader(),
        classroom::platform(),
        ilias(),
    ]
});

/// Moodle's Virtual Programming Lab: "Download submissions", the latest or all. Source:
/// `views/downloadallsubmissions.php` of `jcrodriguez-dis/moodle-mod_vpl`.
fn vpl() -> Platform {
    let files = [
        r"^(?P<name>[^/]+) (?P<hand_in>[0-9]+ (?P<login>[^\s/]*)/(?P<time>\d{4}(?:-\d{2}){5}))/(?P<file>.+)$",
        // What VPL's own compiler and runs have said.
        r"^(?P<own>Report\.txt|Errors\.txt|[^/]+/\d{4}(?:-\d{2}){5}\.ceg/[^/]+)$",
    ];
    Platform::new("vpl", "Moodle VPL", &files)
}

/// nbgrader's exchange folder `inbound/`. Source: `nbgrader/exchange/default/collect.py`, which
/// splits from the right, because a user's name may have a `+`.
fn nbgrader() -> Platform {
    let files = [
        r"^[^/]+\+[^+/]+\+\d{4}-\d\d-\d\d [^+/]+(?:\+[A-Za-z0-9_-]{12})?/(?P<own>timestamp\.txt)$",
        r"^(?P<hand_in>(?P<login>[^/]+)\+(?P<problem>[^+/]+)\+(?P<time>\d{4}-\d\d-\d\d [^+/]+)(?:\+[A-Za-z0-9_-]{12})?)/(?P<file>.+)$",
    ];
    Platform::new("nbgrader", "nbgrader", &files)
}

/// ILIAS's "Download all submissions": a folder per student, `Last_First_login_number`.
///
/// The number may be missing, and names and logins may have a `_` themselves, so that a folder may
/// be read in several ways: the roster says which one it is. Many folders of other origins have a `_`
/// as well, so that an archive is ILIAS's only if one of its folders has the number.
fn ilias() -> Platform {
    let files = [r"^(?P<hand_in>(?P<name>[^_/]+(?:_[^_/]*)+?_[^_/]+)(?:_[0-9]+)?)/(?P<file>.+)$"];
    Platform {
        complete: ilias_logins,
        ..Platform::new("ilias", "ILIAS", &files)
    }
}

fn ilias_logins(_: &mut Archive<'_>, readings: &mut [Reading]) {
    /// Family name and given name, which stand before the login.
    const NAMES: usize = 2;
    let mut has_number = false;
    for reading in &mut *readings {
        let Reading::Claim(claim) = reading else {
            continue;
        };
        let person = claim.who.pop().and_then(|who| who.name).unwrap_or_default();
        has_number |= claim.hand_in != person;
        let parts: Vec<&str> = person.split('_').collect();
        // The longest first: `Doe_Jane_jane_doe` is rather jane_doe's than doe's.
        let logins = (NAMES..parts.len()).map(|from| (Key::Login, parts[from..].join("_")));
        claim.who.push(Who {
            keys: logins.collect(),
            name: Some(parts[..parts.len() - 1].join(" ")),
        });
    }
    if !has_number {
        readings.fill(Reading::Strange);
    }
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
    let least = if only.is_some() { 1 } else { SHARE_MIN };
    let outers: &[bool] = match one_folder(source) {
        Some(_) => &[false, true],
        None => &[false],
    };
    let mut best: Option<Recognised> = None;
    for platform in PLATFORMS.iter() {
        if only.is_some_and(|id| platform.id != id) {
            continue;
        }
        for &has_outer in outers {
            let mut archive = Archive::new(source, origin, has_outer, only.is_some());
            let readings = platform.readings(&mut archive);
            let share = share(source, &readings);
            if share >= least && best.as_ref().is_none_or(|best| share > best.share) {
                best = Some(Recognised {
                    platform,
                    readings,
                    share,
                });
            }
        }
    }
    best
}

fn share(source: &Source, readings: &[Reading]) -> usize {
    let (mut fitting, mut all, mut claims) = (0, 0, 0);
    for (entry, reading) in source.entries().iter().zip(readings) {
        if path_of(entry).is_some() {
            all += 1;
            fitting += usize::from(*reading != Reading::Strange);
            claims += usize::from(matches!(reading, Reading::Claim(_)));
        }
    }
    if claims == 0 { 0 } else { fitting * 100 / all }
}
