//! Which orders a worker may get, and why not others: pure, in words for people.
//!
//! A verdict must not depend on the machine. So a machine gets orders only where its sandbox
//! enforces exactly what the daemon's own does and its speed is within the course's tolerance, and
//! only of the languages that are the same there.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::proof::{Proof, Worth};
use super::wire::{About, PROTOCOL_VERSION};
use crate::domain::{Identity, LanguageId, Speed};
use crate::util::excerpt::visible_line;
use crate::util::words::listed;

/// Parts of a language that are named when they differ.
const NAMED_MAX: usize = 4;
/// Most reasons that are given for one worker.
const REASONS_MAX: usize = 40;
/// Longest words of a worker's that are kept, in characters.
const WORDS_MAX: usize = 200;
/// Protections and languages of a worker that are kept.
const LISTED_MAX: usize = 256;
/// Places of a worker that are used.
const PLACES_MAX: usize = 256;
/// More than this is not believed of what a worker's measurements vary by, in percent.
const SPREAD_MAX: f64 = 50.0;

/// What a daemon compares other machines with.
#[derive(Debug, Clone, PartialEq)]
pub struct Own {
    /// Its own machine.
    pub about: About,
    /// The languages' names for people.
    pub names: BTreeMap<LanguageId, String>,
    /// By how many percent another machine may be faster or slower.
    pub tolerance_percent: u32,
}

/// Says what a worker may get that says this of itself, and has proved that of it.
pub type Admit = dyn Fn(&About, &Proof) -> Admission + Send + Sync;

/// What a worker may get.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Admission {
    /// Languages whose orders it may get.
    pub languages: BTreeSet<LanguageId>,
    /// Why it gets no orders, or none of some languages; the weightiest reason first.
    pub why_not: Vec<String>,
    /// Where its speed alone keeps it from orders, or would.
    pub unequal: Option<Unequal>,
    /// Whether it may get orders once it has proved that it is as fast as it says.
    pub has_to_prove: bool,
}

/// A machine that is like the daemon's but for its speed.
#[derive(Debug, Clone, PartialEq)]
pub struct Unequal {
    /// By how many percent it is slower; below 0 where it is faster.
    pub percent: f64,
    /// By how many percent machines may differ.
    pub tolerance_percent: f64,
    /// Languages whose orders it would get.
    pub languages: BTreeSet<LanguageId>,
}

impl Admission {
    /// Whether nothing but its speed keeps it from orders, or would.
    pub fn is_about_speed(&self) -> bool {
        self.has_to_prove || self.unequal.is_some()
    }

    /// It gets nothing.
    pub fn refused(why: impl Into<String>) -> Self {
        Self {
            why_not: vec![why.into()],
            ..Self::default()
        }
    }
}

/// What is kept of what a worker says: nothing of it is without bounds.
pub fn bounded(about: About) -> About {
    let protections = about.protections.iter().take(LISTED_MAX);
    About {
        version: visible(&about.version),
        places: about.places.min(PLACES_MAX),
        machine: visible(&about.machine),
        protections: protections.map(|words| visible(words)).collect(),
        languages: about.languages.into_iter().take(LISTED_MAX).collect(),
        speed: Speed {
            spread_percent: about.speed.spread_percent.clamp(0.0, SPREAD_MAX),
            ..about.speed
        },
        ..about
    }
}

fn visible(words: &str) -> String {
    visible_line(words).chars().take(WORDS_MAX).collect()
}

/// Where nobody else measures, the machines whose speed is nearest get orders too, and those that are
/// as fast as they are.
pub fn use_nearest<'a>(all: impl Iterator<Item = &'a mut Admission>) {
    let mut unequal: Vec<(Unequal, &mut Admission)> = Vec::new();
    for admission in all {
        match admission.unequal.clone() {
            Some(by) => unequal.push((by, admission)),
            None if admission.languages.is_empty() => {}
            None => return,
        }
    }
    let nearest = unequal.iter().map(|(by, _)| by.percent);
    let Some(nearest) = nearest.min_by(|one, other| one.abs().total_cmp(&other.abs())) else {
        return;
    };
    for (by, admission) in unequal {
        if (by.percent - nearest).abs() <= by.tolerance_percent {
            admission.languages = by.languages;
            let words = "it is used all the same: no other machine is there that measures";
            admission.why_not.push(words.to_owned());
        }
    }
}

/// Why messages of another shape are not understood, if they are of another one.
pub fn other_shape(shape: u16) -> Option<String> {
    (shape != PROTOCOL_VERSION).then(|| {
        format!(
            "it is another version of verdictd (its messages have shape {shape}, the daemon's \
             {PROTOCOL_VERSION}): install the same version on both machines"
        )
    })
}

/// What a worker may get that says this of itself, and has proved that of it.
pub fn admit(own: &Own, about: &About, proof: &Proof) -> Admission {
    let mut refused = Vec::new();
    if about.version != own.about.version {
        refused.push(format!(
            "it runs verdictd {}, the daemon {}: install the same version on both machines",
            visible(&about.version),
            own.about.version
        ));
    }
    if about.places == 0 {
        refused.push("it has no place for an order".to_owned());
    }
    refused.extend(sandbox(&own.about, about));
    let (languages, without) = languages(own, about);
    if languages.is_empty() && refused.is_empty() {
        refused.push("it has no language exactly as the daemon's machine has it".to_owned());
    }
    let mut admission = Admission::default();
    let is_like = refused.is_empty();
    if is_like && let Some(words) = unproved(own, about, proof) {
        admission.has_to_prove = true;
        refused.push(words);
    } else if let Some((percent, words)) = speed(own, about) {
        admission.unequal = is_like.then(|| Unequal {
            percent,
            tolerance_percent: f64::from(own.tolerance_percent),
            languages: languages.clone(),
        });
        refused.push(words);
    }
    if refused.is_empty() {
        admission.languages = languages;
    }
    refused.truncate(REASONS_MAX);
    admission.why_not = refused;
    admission
        .why_not
        .extend(without.into_iter().take(REASONS_MAX));
    admission
}

/// The languages that are the same there, and why the others are not.
fn languages(own: &Own, about: &About) -> (BTreeSet<LanguageId>, Vec<String>) {
    let (mut same, mut without, mut missing) = (BTreeSet::new(), Vec::new(), Vec::new());
    for (id, here) in &own.about.languages {
        let name = own.names.get(id).map_or(id.as_str(), String::as_str);
        match about.languages.get(id).map(|there| difference(here, there)) {
            None => missing.push(name),
            Some(None) => drop(same.insert(id.clone())),
            Some(Some(words)) => without.push(format!("{name}: {words}")),
        }
    }
    if !missing.is_empty() {
        let names = listed(missing.iter().copied(), REASONS_MAX);
        without.push(format!("not installed there, or it does not work: {names}"));
    }
    (same, without)
}

/// How the sandboxes differ, one protection at a time.
fn sandbox(own: &About, about: &About) -> Vec<String> {
    if about.sandbox == own.sandbox {
        return Vec::new();
    }
    let beyond = |one: &About, other: &About| -> Vec<String> {
        let lacks = |words: &&String| !other.protections.contains(words);
        let beyond = one.protections.iter().take(REASONS_MAX).filter(lacks);
        beyond.map(|words| visible(words)).collect()
    };
    let (there, here) = (beyond(about, own), beyond(own, about));
    let there = there.iter().map(|words| format!("its sandbox has {words}"));
    let here = here
        .iter()
        .map(|words| format!("the daemon's sandbox has {words}"));
    let mut reasons: Vec<String> = there.chain(here).collect();
    if reasons.is_empty() {
        reasons.push("its sandbox does not enforce exactly what the daemon's does".to_owned());
    }
    reasons
}

/// By how many percent it is too slow or too fast, and in words. A difference that is smaller than
/// what the measurements themselves vary by says nothing.
fn speed(own: &Own, about: &About) -> Option<(f64, String)> {
    let percent = about.speed.percent_slower_than(&own.about.speed);
    let tolerance = own.tolerance_percent;
    let word = if percent > 0.0 { "slower" } else { "faster" };
    let spread = about
        .speed
        .spread_percent
        .max(own.about.speed.spread_percent);
    (percent.abs() > f64::from(tolerance).max(spread)).then(|| {
        let words = format!(
            "it is {:.0} % {word} than the daemon's machine; `[cluster] tolerance_percent` allows \
             {tolerance}",
            percent.abs().ceil()
        );
        (percent, words)
    })
}

/// Why its word on its speed is not believed, if it is not.
fn unproved(own: &Own, about: &About, proof: &Proof) -> Option<String> {
    let spreads = about.speed.spread_percent + own.about.speed.spread_percent;
    let percent = f64::from(own.tolerance_percent) + spreads;
    let ms = |ns: u64| Duration::from_nanos(ns).as_secs_f64() * 1e3;
    match proof.worth(&about.speed, percent) {
        Worth::Proved => None,
        Worth::Untried => Some("whether it is as fast as it says is being measured".to_owned()),
        Worth::Refuted(least_ns) => Some(format!(
            "it is not as fast as it says: a piece of work that takes it {:.1} ms by its own word took \
             {:.1} ms at best when the daemon measured it; other work may share its cores",
            ms(about.speed.least_ns),
            ms(least_ns)
        )),
    }
}

/// How a language differs there, in a few words.
fn difference(here: &Identity, there: &Identity) -> Option<String> {
    if !there.is_bounded() {
        return Some("what the machine says of it makes no sense".to_owned());
    }
    if here.version != there.version {
        // A compiler of another version differs in everything.
        let version = visible(&there.version);
        return Some(format!("{version} there, {} at the daemon", here.version));
    }
    let names: Vec<String> = here.unlike_parts(there).map(visible).collect();
    let verb = if names.len() == 1 {
        "differs"
    } else {
        "differ"
    };
    let listed = listed(names.iter().map(String::as_str), NAMED_MAX);
    (!names.is_empty()).then(|| format!("{listed} {verb}"))
}

#[cfg(test)]
#[path = "admission_tests.rs"]
mod tests;
