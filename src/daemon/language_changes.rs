//! What follows from trying languages: which are new, which are gone, and which nobody can be judged
//! in for now.

use std::time::Duration;

use super::notice::Notice;
use super::shared::{Languages, Shared};
use crate::domain::{Digest, Fault, LanguageId};
use crate::store::FaultRecord;
use crate::toolchain::{Availability, Language, Unresolved};
use crate::util::clock::{as_ms, now_ms};
use crate::util::hash::Key;

/// What follows where a language cannot be tried.
const WAITS: &str =
    "programs in this language are accepted, and wait until it works; it is tried again";

/// The languages after a submission failed, where that was because its compiler fails on everything:
/// nobody else is judged with it until it works again.
pub fn without_broken_compiler(old: &Languages, id: &LanguageId) -> Option<Languages> {
    let fault = old
        .toolchain
        .language(id)
        .and_then(Language::take_trouble)?;
    old.version(id)?;
    Some(old.with(vec![(id.clone(), Err(fault.into()))]))
}

/// What people hear of the languages that are others than before.
pub fn changes(old: Option<&Languages>, new: &Languages) -> Vec<Notice> {
    let change = |(id, now): &(LanguageId, Availability)| {
        let language = new.toolchain.language(id);
        let name = language.map_or(id.as_str(), |language| language.name());
        change(name, old.and_then(|old| old.found(id)), now)
    };
    new.tried.iter().filter_map(change).collect()
}

fn change(name: &str, before: Option<&Availability>, now: &Availability) -> Option<Notice> {
    use Unresolved::{Fault as Faulty, Missing as Absent};
    let words = match (before, now) {
        (None, Ok(_) | Err(Absent { .. }))
        | (Some(Err(Absent { .. })), Err(Absent { .. }))
        | (Some(Err(Faulty(_))), Err(Faulty(_))) => return None,
        (Some(Ok(old)), Ok(new)) if old == new => return None,
        (Some(Ok(_)), Ok(version)) => format!("languages: {name} is now {version}"),
        (Some(Err(Absent { .. })), Ok(version)) => format!("languages: {name} is new ({version})"),
        (Some(Err(Faulty(_))), Ok(version)) => {
            format!("languages: {name} works ({version}); what waits for it is judged")
        }
        (Some(_), Err(missing @ Absent { .. })) => {
            format!("languages: {name} is no longer offered: {missing}")
        }
        (_, Err(Faulty(fault))) => {
            return Some(Notice::fault("languages", fault.to_string(), WAITS));
        }
    };
    Some(Notice::Said(words))
}

/// Keeps for `status` which languages cannot be tried, and when they are tried again.
pub fn remember_faults(shared: &Shared, languages: &Languages, pause: Duration) {
    let last_ms = now_ms();
    let pause_ms = as_ms(pause).cast_signed();
    let record = |(id, fault): (&LanguageId, &Fault)| FaultRecord {
        work: work_key(id),
        submission: None,
        fault: fault.clone(),
        next_try_ms: Some(last_ms.saturating_add(pause_ms)),
        last_ms,
    };
    let faults = languages.faults().map(record).collect();
    let healthy = languages
        .tried
        .iter()
        .filter(|(id, _)| languages.fault(id).is_none())
        .map(|(id, _)| work_key(id))
        .collect();
    if let Err(error) = shared.store.writer().language_faults(faults, healthy) {
        // It was announced; that the store cannot keep it changes nothing for students.
        tracing::warn!(%error, "the languages' faults could not be kept");
    }
    shared.tell_news(0);
}

/// The key under which the store keeps that a language cannot be tried.
fn work_key(id: &LanguageId) -> Digest {
    Key::new("language").part(id.as_str().as_bytes()).finish()
}
