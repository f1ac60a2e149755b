//! Machines in words: a line each for `status`, and what the log says when something has changed.

use serde::Serialize;

use super::machine::{Doing, Machine, OtherMachines, Standing};
use crate::domain::LanguageId;
use crate::judge::order::Progress;
use crate::util::words::{amount, listed};

/// Languages that are named in a line.
const LANGUAGES_SHOWN: usize = 6;
/// Reasons that are named in a line.
const REASONS_SHOWN: usize = 3;

impl OtherMachines {
    /// The connection to the server, in a line.
    pub fn server_line(&self) -> String {
        match &self.trouble {
            None => format!("connected to {} as `{}`", self.server, self.course),
            Some(trouble) => format!("no connection to {}: {trouble}", self.server),
        }
    }

    /// How many machines measure, in a few words: `3 other machines, 2 of 10 places busy`.
    pub fn summary(&self) -> String {
        if self.trouble.is_some() {
            return "no connection to other machines".to_owned();
        }
        let (machines, places) = self.used();
        if machines == 0 {
            return "no other machine".to_owned();
        }
        let machines = amount(machines, "other machine");
        let busy = self.out().min(places);
        format!("{machines}, {busy} of {} busy", amount(places, "place"))
    }
}

impl Machine {
    /// What it is and does, in a line without its name.
    pub fn line(&self, now_ms: i64) -> String {
        let for_how_long = elapsed(now_ms, self.since_ms);
        let mut parts = vec![match self.standing {
            Standing::Gone => format!("gone for {for_how_long}"),
            Standing::Unused => format!("not used: {}", self.reasons()),
            Standing::Idle => format!("idle, {}", amount(self.places, "place")),
            Standing::Working => {
                format!("{} of {} busy", self.busy(), amount(self.places, "place"))
            }
        }];
        if self.is_used() {
            parts.push(listed(
                self.languages.iter().map(LanguageId::as_str),
                LANGUAGES_SHOWN,
            ));
            parts.extend(self.speed_words());
        }
        if self.standing != Standing::Gone {
            parts.push(format!("there for {for_how_long}"));
        }
        parts.push(self.outcome());
        parts.join(" · ")
    }

    /// Places that have something to do.
    pub fn busy(&self) -> usize {
        self.out.min(self.places)
    }

    /// Why it gets no orders, or none of some languages.
    pub fn reasons(&self) -> String {
        let shown: Vec<&str> = self.why_not.iter().map(String::as_str).collect();
        match shown.len().checked_sub(REASONS_SHOWN) {
            _ if shown.is_empty() => "it has not yet said what it is".to_owned(),
            None | Some(0) => shown.join("; "),
            Some(more) => format!("{}; and {more} more", shown[..REASONS_SHOWN].join("; ")),
        }
    }

    /// How fast it is beside the daemon's machine, and how evenly it measures.
    pub fn speed_words(&self) -> Option<String> {
        let (speed, slower) = (self.speed?, self.slower_percent?);
        let pace = if slower.abs() < 1.0 {
            "as fast as here".to_owned()
        } else if slower > 0.0 {
            format!("{slower:.0} % slower than here")
        } else {
            format!("{:.0} % faster than here", slower.abs())
        };
        Some(format!("{pace}, varies by {:.0} %", speed.spread_percent))
    }

    /// What came of its orders.
    pub fn outcome(&self) -> String {
        let mut words = format!("{} done", orders(self.counts.done));
        for (count, what) in [(self.counts.failed, "failed"), (self.counts.lost, "lost")] {
            if count > 0 {
                words = format!("{words}, {count} {what}");
            }
        }
        words
    }

    /// What it does, one thing each.
    pub fn doing_lines(&self, now_ms: i64) -> impl Iterator<Item = String> {
        self.doing.iter().map(move |doing| doing.line(now_ms))
    }
}

impl Doing {
    fn line(&self, now_ms: i64) -> String {
        let since = elapsed(now_ms, self.since_ms);
        format!("{}: {}, for {since}", self.what, self.step())
    }

    /// How far it is.
    pub fn step(&self) -> String {
        match self.progress {
            None => "waits there".to_owned(),
            Some(Progress::Building) => "being built".to_owned(),
            Some(Progress::Running { done, of }) => format!("{done} of {of} tests"),
        }
    }
}

fn orders(count: u64) -> String {
    amount(usize::try_from(count).unwrap_or(usize::MAX), "order")
}

/// How long ago something was: `5 s`, `3 min`, `2 h`, `4 days`.
pub fn elapsed(now_ms: i64, then_ms: i64) -> String {
    let seconds = now_ms.saturating_sub(then_ms).max(0) / 1_000;
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// The state of a machine has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MachineNews {
    /// Its worker's name on the server.
    pub name: String,
    /// What happened to it, in one word for programs.
    pub state: &'static str,
    /// The whole of it, for people.
    #[serde(rename = "text")]
    pub words: String,
}

/// What has changed about machines since the last look.
pub fn changes(old: Option<&OtherMachines>, new: &OtherMachines) -> Vec<MachineNews> {
    let mut news = Vec::new();
    for machine in &new.machines {
        let mut machines = old.iter().flat_map(|old| &old.machines);
        let before = machines.find(|before| before.name == machine.name);
        let mut say = |state, words: String| {
            news.push(MachineNews {
                name: machine.name.to_string(),
                state,
                words: format!("{} {words}", machine.name),
            });
        };
        if let Some((state, words)) = use_news(before, machine) {
            say(state, words);
        }
        let counts = before.map(|before| before.counts).unwrap_or_default();
        let lost = machine.counts.lost.saturating_sub(counts.lost);
        let failed = machine.counts.failed.saturating_sub(counts.failed);
        match lost {
            _ if before.is_some_and(is_there) && !is_there(machine) => {
                let elsewhere = (lost > 0).then(|| format!("; its {} reassigned", orders(lost)));
                say("left", format!("is gone{}", elsewhere.unwrap_or_default()));
            }
            0 => {}
            lost => say("lost", format!("lost {}; reassigned", orders(lost))),
        }
        if failed > 0 {
            say("failed", format!("could not do {}", orders(failed)));
        }
    }
    news
}

fn is_there(machine: &Machine) -> bool {
    machine.standing != Standing::Gone
}

/// Whether it has said what it is, so that it is known whether it is used.
fn is_known(machine: &Machine) -> bool {
    is_there(machine) && (machine.is_used() || !machine.why_not.is_empty())
}

/// Whether a machine is used, if that is news.
fn use_news(before: Option<&Machine>, now: &Machine) -> Option<(&'static str, String)> {
    let before = before.filter(|before| is_known(before));
    let is_other = |before: &Machine| {
        let has_other_reasons = !now.is_used() && !are_alike(&before.why_not, &now.why_not);
        before.languages != now.languages || has_other_reasons
    };
    if !is_known(now) || !before.is_none_or(is_other) {
        return None;
    }
    if now.is_used() {
        return Some(("joined", joined(now, before.is_none())));
    }
    let how = match before.map(Machine::is_used) {
        None => "joined and is not used",
        Some(true) => "is not used any more",
        Some(false) => "is still not used",
    };
    Some(("unused", format!("{how}: {}", now.reasons())))
}

/// Whether these are the same reasons, perhaps with other figures: speeds are measured again and
/// again.
pub fn are_alike(some: &[String], others: &[String]) -> bool {
    let without_figures =
        |reason: &String| reason.replace(|letter: char| letter.is_ascii_digit(), "");
    some.iter()
        .map(without_figures)
        .eq(others.iter().map(without_figures))
}

fn joined(machine: &Machine, is_new: bool) -> String {
    let verb = if is_new { "joined" } else { "is used now" };
    let languages = listed(
        machine.languages.iter().map(LanguageId::as_str),
        LANGUAGES_SHOWN,
    );
    let without = if machine.why_not.is_empty() {
        String::new()
    } else {
        format!(" (but {})", machine.reasons())
    };
    format!(
        "{verb}: {} for {languages}{without}",
        amount(machine.places, "place")
    )
}

#[cfg(test)]
mod tests {
    use super::changes;
    use crate::places::machine::{Machine, OtherMachines, Standing};
    use crate::places::samples::{self, languages};

    fn machine(standing: Standing) -> Machine {
        let mut machine = samples::machine("lab-07");
        machine.standing = standing;
        machine
    }

    fn unused(why_not: &[&str]) -> Machine {
        samples::refused("lab-07", why_not)
    }

    fn lost(standing: Standing, lost: u64) -> Machine {
        let mut machine = machine(standing);
        machine.counts.lost = lost;
        machine
    }

    #[test]
    fn what_becomes_of_a_machine_is_said_once() {
        let idle = &machine(Standing::Idle);
        let slow = &unused(&["it is 23 % slower"]);
        let mut fewer = idle.clone();
        fewer.languages = languages(&["c"]);
        fewer.why_not = vec!["C++17: cc1plus differs".to_owned()];
        let many = unused(&["one", "two", "three", "four", "five"]);
        let some = "not used any more: one; two; three; and 2 more";
        let differs = "4 places for c (but C++17: cc1plus differs)";
        let fast = unused(&["it is 23 % faster"]);
        let (gone, short) = (lost(Standing::Gone, 2), lost(Standing::Idle, 1));
        for (before, now, said) in [
            (None, idle, "lab-07 joined: 4 places for c, cpp"),
            (Some(idle), &machine(Standing::Working), ""),
            // It has not said yet what it is.
            (None, &unused(&[]), ""),
            (Some(slow), &unused(&["it is 9 % slower"]), ""),
            (Some(slow), &fast, "still not used: it is 23 % faster"),
            (Some(idle), &many, some),
            (Some(idle), &fewer, differs),
            (Some(idle), &gone, "lab-07 is gone; its 2 orders reassigned"),
            (Some(idle), &short, "lab-07 lost 1 order; reassigned"),
        ] {
            let shown = |machine: &Machine| OtherMachines {
                machines: vec![machine.clone()],
                ..OtherMachines::default()
            };
            let old = before.map_or_else(OtherMachines::default, shown);
            let news = changes(Some(&old), &shown(now));
            let words: Vec<&str> = news.iter().map(|news| news.words.as_str()).collect();
            assert_eq!(words.len(), usize::from(!said.is_empty()), "{words:?}");
            assert!(words.concat().contains(said), "{words:?}");
        }
    }
}
