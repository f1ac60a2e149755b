//! Which orders a worker may get, and why not others: pure, in words for people.
//!
//! A verdict must not depend on the machine. So a machine gets orders only where its sandbox
//! enforces exactly what the daemon's own does and its speed is within the course's tolerance, and
//! only of the languages that are the same there.

use std::collections::BTreeMap;

use super::wire::{About, SHAPE};
use crate::domain::{Identity, LanguageId, Side, Unlike};
use crate::util::excerpt::visible_line;
use crate::util::words::listed;

/// Parts of a language that are named when they differ.
const NAMED_MAX: usize = 4;
/// Most reasons that are given for one worker.
const REASONS_MAX: usize = 40;
/// Longest words of a worker's that are repeated, in characters.
const REPEATED_CHARACTERS_MAX: usize = 120;

/// What a daemon compares other machines with.
#[derive(Debug, Clone, PartialEq)]
pub struct Own {
    /// Its own machine.
    pub about: About,
    /// The languages' names for people.
    pub names: BTreeMap<LanguageId, String>,
    /// By how many per cent another machine may be faster or slower.
    pub tolerance_percent: u32,
}

/// What a worker may get.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Admission {
    /// Languages whose orders it may get.
    pub languages: Vec<LanguageId>,
    /// Why it gets no orders at all.
    pub refused: Vec<String>,
    /// Why it gets none of some languages.
    pub without: Vec<String>,
    /// Where its speed alone keeps it from orders.
    pub unequal: Option<Unequal>,
}

/// A machine that is like the daemon's but for its speed.
#[derive(Debug, Clone, PartialEq)]
pub struct Unequal {
    /// By how many per cent it is slower; below 0 where it is faster.
    pub percent: f64,
    /// By how many per cent machines may differ.
    pub tolerance_percent: f64,
    /// Languages whose orders it would get.
    pub languages: Vec<LanguageId>,
}

impl Admission {
    /// All reasons, the weightiest first.
    pub fn why_not(&self) -> Vec<String> {
        self.refused.iter().chain(&self.without).cloned().collect()
    }
}

/// Why messages of another shape are not understood, if they are of another one.
pub fn other_shape(shape: u16) -> Option<String> {
    (shape != SHAPE).then(|| {
        format!(
            "it is another version of verdictd (its messages have shape {shape}, the daemon's \
             {SHAPE}): install the same version on both machines"
        )
    })
}

/// What a worker may get.
pub fn admit(own: &Own, about: &About) -> Admission {
    let mut refused = Vec::new();
    if about.version != own.about.version {
        refused.push(format!(
            "it runs verdictd {}, the daemon {}: install the same version on both machines",
            repeated(&about.version),
            own.about.version
        ));
    }
    if about.places == 0 {
        refused.push("it has no place for an order".to_owned());
    }
    refused.extend(sandbox(&own.about, about));
    let (mut languages, mut without, mut missing) = (Vec::new(), Vec::new(), Vec::new());
    for (id, here) in &own.about.languages {
        let name = own.names.get(id).map_or(id.as_str(), String::as_str);
        match about.languages.get(id).map(|there| difference(here, there)) {
            None => missing.push(name),
            Some(None) => languages.push(id.clone()),
            Some(Some(words)) => without.push(format!("{name}: {words}")),
        }
    }
    if !missing.is_empty() {
        let names = listed(missing.iter().copied(), REASONS_MAX);
        without.push(format!("not installed there, or it does not work: {names}"));
    }
    if languages.is_empty() && refused.is_empty() {
        refused.push("it has no language exactly as the daemon's machine has it".to_owned());
    }
    let mut unequal = None;
    if let Some((percent, words)) = speed(own, about) {
        unequal = refused.is_empty().then(|| Unequal {
            percent,
            tolerance_percent: f64::from(own.tolerance_percent),
            languages: languages.clone(),
        });
        refused.push(words);
    }
    if !refused.is_empty() {
        languages.clear();
    }
    refused.truncate(REASONS_MAX);
    without.truncate(REASONS_MAX);
    Admission {
        languages,
        refused,
        without,
        unequal,
    }
}

/// How the sandboxes differ, one protection at a time.
fn sandbox(own: &About, about: &About) -> Vec<String> {
    if about.sandbox == own.sandbox {
        return Vec::new();
    }
    let beyond = |one: &About, other: &About| -> Vec<String> {
        let lacks = |words: &&String| !other.protections.contains(words);
        let beyond = one.protections.iter().take(REASONS_MAX).filter(lacks);
        beyond.map(|words| repeated(words)).collect()
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

/// By how many per cent it is too slow or too fast, and in words. A difference that is smaller than
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

/// How a language differs there, in a few words.
fn difference(here: &Identity, there: &Identity) -> Option<String> {
    if !there.is_bounded() {
        return Some("what the machine says of it makes no sense".to_owned());
    }
    let (mut version, mut only_here, mut only_there, mut both) = (None, vec![], vec![], vec![]);
    for unlike in here.differences(there) {
        match unlike {
            Unlike::Version { here, there } => {
                version = Some(format!("{} there, {here} at the daemon", repeated(there)));
            }
            Unlike::Part(name, Side::Here) => only_here.push(name),
            Unlike::Part(name, Side::There) => only_there.push(name),
            Unlike::Part(name, Side::Both) => both.push(name),
        }
    }
    if version.is_some() {
        // A compiler of another version differs in everything.
        return version;
    }
    let named = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| repeated(name)).collect();
        listed(names.iter().map(String::as_str), NAMED_MAX)
    };
    let mut words = Vec::new();
    if !both.is_empty() {
        let verb = if both.len() == 1 { "differs" } else { "differ" };
        words.push(format!("{} {verb}", named(&both)));
    }
    if !only_here.is_empty() {
        words.push(format!(
            "only the daemon's machine has {}",
            named(&only_here)
        ));
    }
    if !only_there.is_empty() {
        words.push(format!("only that machine has {}", named(&only_there)));
    }
    (!words.is_empty()).then(|| words.join("; "))
}

/// A worker's own words, as they may be shown.
fn repeated(words: &str) -> String {
    visible_line(words)
        .chars()
        .take(REPEATED_CHARACTERS_MAX)
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Own, admit, other_shape};
    use crate::cluster::wire::{About, SHAPE};
    use crate::domain::{Digest, Identity, LanguageId, Speed};

    fn id(key: &str) -> LanguageId {
        LanguageId::new(key).unwrap()
    }

    fn speed(least_ns: u64) -> Speed {
        Speed {
            least_ns,
            spread_percent: 1.0,
        }
    }

    fn identity(version: &str, parts: &[(&str, u8)]) -> Identity {
        let part = |(name, byte): &(&str, u8)| ((*name).to_owned(), Some(Digest([*byte; 32])));
        Identity {
            version: version.to_owned(),
            parts: parts.iter().map(part).collect(),
        }
    }

    fn cpp() -> Identity {
        let parts = [
            ("as", 1),
            ("cc1plus", 2),
            ("g++", 3),
            ("ld", 4),
            ("libstdc++.so.6", 5),
        ];
        identity("g++ 12.2.0", &parts)
    }

    fn about() -> About {
        About {
            version: "0.1.0".to_owned(),
            machine: "Linux, 2 cores".to_owned(),
            places: 2,
            sandbox: Digest([1; 32]),
            protections: vec![
                "network: own namespace".to_owned(),
                "landlock: ABI 4".to_owned(),
            ],
            languages: [
                (id("cpp"), cpp()),
                (id("perl"), identity("v5.36", &[("perl", 1)])),
            ]
            .into(),
            speed: speed(1_000),
        }
    }

    fn own() -> Own {
        Own {
            about: about(),
            names: BTreeMap::from([
                (id("cpp"), "C++17".to_owned()),
                (id("perl"), "Perl".to_owned()),
            ]),
            tolerance_percent: 10,
        }
    }

    type Change = fn(&mut About);

    /// What is different there, and what is said of it.
    #[rustfmt::skip]
    const REFUSED: &[(Change, &[&str])] = &[
        (|about| about.version = "0.2.0\n".to_owned(),
            &["it runs verdictd 0.2.0\\n, the daemon 0.1.0: install the same version on both machines"]),
        (|about| about.places = 0, &["it has no place for an order"]),
        (|about| about.sandbox = Digest([2; 32]),
            &["its sandbox does not enforce exactly what the daemon's does"]),
        (|about| { about.sandbox = Digest([2; 32]); about.protections[1] = "landlock: off".to_owned(); },
            &["its sandbox has landlock: off", "the daemon's sandbox has landlock: ABI 4"]),
        (|about| about.speed.least_ns = 1_230,
            &["it is 23 % slower than the daemon's machine; `[cluster] tolerance_percent` allows 10"]),
        (|about| about.speed.least_ns = 1_101,
            &["it is 11 % slower than the daemon's machine; `[cluster] tolerance_percent` allows 10"]),
        (|about| about.speed.least_ns = 0,
            &["it is 100 % faster than the daemon's machine; `[cluster] tolerance_percent` allows 10"]),
        (|about| about.languages.clear(), &["it has no language exactly as the daemon's machine has it"]),
    ];

    #[test]
    fn a_machine_is_refused_with_its_reasons() {
        for (change, reasons) in REFUSED {
            let mut about = about();
            change(&mut about);
            let admission = admit(&own(), &about);
            assert_eq!(admission.refused, *reasons);
            assert!(admission.languages.is_empty(), "{reasons:?}");
        }
    }

    #[test]
    fn a_machine_like_the_daemons_gets_everything() {
        for least_ns in [900, 1_000, 1_100] {
            let mut about = about();
            about.speed = speed(least_ns);
            let admission = admit(&own(), &about);
            assert_eq!(admission.languages, [id("cpp"), id("perl")]);
            assert!(admission.why_not().is_empty());
        }
    }

    /// The speeds of both, what each varies by, and whether it is refused.
    #[test]
    fn nobody_is_refused_by_less_than_the_measurements_vary() {
        for (there, here, is_refused) in [
            ((1_230, 1.0), (1_000, 1.0), true),
            ((1_230, 25.0), (1_000, 1.0), false),
            ((1_230, 1.0), (1_000, 25.0), false),
            ((1_230, 22.0), (1_000, 22.0), true),
            ((5_370, 166.0), (1_000, 1.0), true),
            ((800, 25.0), (1_000, 1.0), false),
        ] {
            let (mut own, mut about) = (own(), about());
            (about.speed.least_ns, about.speed.spread_percent) = there;
            (own.about.speed.least_ns, own.about.speed.spread_percent) = here;
            let admission = admit(&own, &about);
            assert_eq!(
                !admission.refused.is_empty(),
                is_refused,
                "{there:?} {here:?}"
            );
            assert_eq!(admission.unequal.is_some(), is_refused);
            about.version = "0.2.0".to_owned();
            assert_eq!(admit(&own, &about).unequal, None, "not for its speed alone");
        }
    }

    /// What C++ is there, and what is said of it.
    #[test]
    fn a_language_that_differs_is_left_out() {
        let mut newer = cpp();
        newer.version = "g++ 13.1.0".to_owned();
        let mut library = cpp();
        library
            .parts
            .insert("libstdc++.so.6".to_owned(), Some(Digest([9; 32])));
        let all = identity(
            "g++ 12.2.0",
            &[
                ("as", 9),
                ("cc1plus", 9),
                ("g++", 9),
                ("ld", 9),
                ("libstdc++.so.6", 9),
            ],
        );
        let mut gold = cpp();
        gold.parts.remove("ld");
        gold.parts.insert("ld.gold".to_owned(), None);
        let endless = identity(&"x".repeat(10_000), &[]);
        for (there, words) in [
            (newer, "C++17: g++ 13.1.0 there, g++ 12.2.0 at the daemon"),
            (library, "C++17: libstdc++.so.6 differs"),
            (all, "C++17: as, cc1plus, g++, ld and 1 more differ"),
            (endless, "C++17: what the machine says of it makes no sense"),
            (
                gold,
                "C++17: only the daemon's machine has ld; only that machine has ld.gold",
            ),
        ] {
            let mut about = about();
            about.languages.insert(id("cpp"), there);
            let admission = admit(&own(), &about);
            assert_eq!(admission.languages, [id("perl")]);
            assert_eq!(admission.why_not(), [words]);
        }
        let mut without = about();
        without.languages.remove(&id("perl"));
        assert_eq!(
            admit(&own(), &without).without,
            ["not installed there, or it does not work: Perl"]
        );
    }

    #[test]
    fn the_words_of_a_hostile_worker_are_bounded() {
        let mut about = about();
        about.sandbox = Digest([2; 32]);
        about.protections = vec!["\u{1b}[2J".repeat(1_000); 1_000];
        about.version = "x".repeat(100_000);
        let admission = admit(&own(), &about);
        let long = admission.refused.iter().map(String::len).max();
        assert!(admission.refused.len() <= 40 && long < Some(1_000));
        assert!(!admission.refused.concat().contains('\u{1b}'));
    }

    #[test]
    fn another_shape_is_another_version() {
        assert_eq!(other_shape(SHAPE), None);
        assert!(other_shape(SHAPE + 1).is_some());
    }
}
