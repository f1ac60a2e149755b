//! Machines in words: a line each for `status`, and what the log says when something has changed.

use super::shown::{Shown, ShownDoing, ShownMachine, Standing};
use crate::judge::order::Progress;
use crate::util::words::{amount, listed};

/// Languages that are named in a line.
const LANGUAGES_SHOWN: usize = 6;
/// Reasons that are named in a line.
const REASONS_SHOWN: usize = 3;

impl Shown {
    /// The connection to the server, in a line.
    pub fn server_line(&self) -> String {
        match &self.trouble {
            None => format!("connected to {} as `{}`", self.server, self.course),
            Some(trouble) => format!("no connection to {}: {trouble}", self.server),
        }
    }

    /// What came of measuring orders on two machines, in a line; nothing where that was not done.
    pub fn twice_line(&self) -> Option<String> {
        let differed = match self.differed {
            0 => "the machines agreed".to_owned(),
            differed => format!("the machines differed on {differed}"),
        };
        let orders = amount_u64(self.twice, "order");
        (self.twice > 0).then(|| format!("{orders} measured on two machines: {differed}"))
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

impl ShownMachine {
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
                self.languages.iter().map(String::as_str),
                LANGUAGES_SHOWN,
            ));
            parts.extend(self.speed_words());
        }
        if self.standing != Standing::Gone {
            parts.push(format!("there for {for_how_long}"));
        }
        parts.push(self.counts());
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
    pub fn counts(&self) -> String {
        let mut words = format!("{} done", amount_u64(self.done, "order"));
        for (count, what) in [(self.failed, "failed"), (self.lost, "lost")] {
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

impl ShownDoing {
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

fn amount_u64(count: u64, noun: &str) -> String {
    amount(usize::try_from(count).unwrap_or(usize::MAX), noun)
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

/// Something became of a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineNews {
    /// Its worker's name on the server.
    pub name: String,
    /// What became of it, in one word for programs.
    pub state: &'static str,
    /// The whole of it, for people.
    pub words: String,
}

/// What has become of machines since the last look.
pub fn changes(old: Option<&Shown>, new: &Shown) -> Vec<MachineNews> {
    let mut news = Vec::new();
    for machine in &new.machines {
        let mut machines = old.iter().flat_map(|old| &old.machines);
        let before = machines.find(|before| before.name == machine.name);
        of_machine(before, machine, &mut news);
    }
    news
}

fn of_machine(before: Option<&ShownMachine>, now: &ShownMachine, news: &mut Vec<MachineNews>) {
    let mut say = |state, words: String| {
        news.push(MachineNews {
            name: now.name.clone(),
            state,
            words: format!("{} {words}", now.name),
        });
    };
    let was_there = before.is_some_and(|before| before.standing != Standing::Gone);
    let is_there = now.standing != Standing::Gone;
    let has_said = now.is_used() || !now.why_not.is_empty();
    if is_there && has_said {
        let had_said = before.is_some_and(|before| before.is_used() || !before.why_not.is_empty());
        let is_new = !was_there || !had_said;
        let was_used = before.is_some_and(ShownMachine::is_used);
        let is_other = before.is_some_and(|before| {
            let is_for_other_reasons = !now.is_used() && !are_alike(&before.why_not, &now.why_not);
            before.languages != now.languages || is_for_other_reasons
        });
        let how = match (is_new, was_used) {
            (true, _) => "joined and is not used",
            (false, true) => "is not used any more",
            (false, false) => "is still not used",
        };
        match is_new || is_other {
            true if now.is_used() => say("joined", joined(now, is_new)),
            true => say("unused", format!("{how}: {}", now.reasons())),
            false => {}
        }
    }
    let lost = now
        .lost
        .saturating_sub(before.map_or(0, |before| before.lost));
    let elsewhere = match lost {
        0 => String::new(),
        lost => format!("; others do its {}", amount_u64(lost, "order")),
    };
    if was_there && !is_there {
        say("left", format!("is gone{elsewhere}"));
    } else if lost > 0 {
        say(
            "lost",
            format!("lost {}, which others do now", amount_u64(lost, "order")),
        );
    }
    let failed = now
        .failed
        .saturating_sub(before.map_or(0, |before| before.failed));
    if failed > 0 {
        say(
            "failed",
            format!("could not do {}", amount_u64(failed, "order")),
        );
    }
}

/// Whether these are the same reasons, perhaps with other figures: speeds are measured again and
/// again.
fn are_alike(some: &[String], others: &[String]) -> bool {
    let without_figures =
        |reason: &String| reason.replace(|letter: char| letter.is_ascii_digit(), "");
    some.iter()
        .map(without_figures)
        .eq(others.iter().map(without_figures))
}

fn joined(machine: &ShownMachine, is_new: bool) -> String {
    let verb = if is_new { "joined" } else { "is used now" };
    let languages = listed(
        machine.languages.iter().map(String::as_str),
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
    use super::{changes, elapsed};
    use crate::fleet::samples;
    use crate::fleet::shown::{Shown, ShownDoing, ShownMachine, Standing};
    use crate::judge::order::Progress;

    fn machine(standing: Standing) -> ShownMachine {
        ShownMachine {
            standing,
            since_ms: 0,
            ..samples::machine("lab-07")
        }
    }

    fn unused(why_not: &[&str]) -> ShownMachine {
        ShownMachine {
            since_ms: 0,
            ..samples::refused("lab-07", why_not)
        }
    }

    fn lost(standing: Standing, lost: u64) -> ShownMachine {
        ShownMachine {
            lost,
            ..machine(standing)
        }
    }

    #[test]
    fn a_machine_is_one_line() {
        let busy = ShownMachine {
            doing: vec![ShownDoing {
                what: "ada/curling #2".to_owned(),
                since_ms: 57_000,
                progress: Some(Progress::Running { done: 3, of: 20 }),
            }],
            out: 1,
            failed: 2,
            slower_percent: Some(-4.6),
            ..machine(Standing::Working)
        };
        assert_eq!(
            busy.doing_lines(60_000).collect::<Vec<_>>(),
            ["ada/curling #2: 3 of 20 tests, for 3 s"]
        );
        for (machine, line) in [
            (
                machine(Standing::Idle),
                "idle, 4 places · c, cpp · 3 % slower than here, varies by 2 % · there for 60 s · 120 orders done",
            ),
            (
                busy,
                "1 of 4 places busy · c, cpp · 5 % faster than here, varies by 2 % · there for 60 s · 120 orders done, 2 failed",
            ),
            (
                unused(&["it is 23 % slower"]),
                "not used: it is 23 % slower · there for 60 s · 0 orders done",
            ),
            (
                lost(Standing::Gone, 3),
                "gone for 60 s · 120 orders done, 3 lost",
            ),
        ] {
            assert_eq!(machine.line(60_000), line);
        }
    }

    /// Before, now, and what is said.
    #[test]
    #[expect(clippy::too_many_lines, reason = "it is a table")]
    fn what_becomes_of_a_machine_is_said_once() {
        let none = None::<ShownMachine>;
        let idle = machine(Standing::Idle);
        let fewer = ShownMachine {
            languages: vec!["c".to_owned()],
            why_not: vec!["C++17: cc1plus differs".to_owned()],
            ..machine(Standing::Idle)
        };
        let failed = ShownMachine {
            failed: 1,
            ..machine(Standing::Idle)
        };
        let many = unused(&["one", "two", "three", "four", "five"]);
        for (before, now, said) in [
            (
                &none,
                idle.clone(),
                &["lab-07 joined: 4 places for c, cpp"][..],
            ),
            (&Some(idle.clone()), machine(Standing::Working), &[]),
            // It has not said yet what it is.
            (&none, unused(&[]), &[]),
            (
                &Some(unused(&[])),
                idle.clone(),
                &["lab-07 joined: 4 places for c, cpp"],
            ),
            (
                &none,
                unused(&["it is 23 % slower"]),
                &["lab-07 joined and is not used: it is 23 % slower"],
            ),
            (
                &Some(unused(&["it is 23 % slower"])),
                unused(&["it is 9 % slower"]),
                &[],
            ),
            (
                &Some(unused(&["it is 23 % slower"])),
                unused(&["it is 23 % faster"]),
                &["lab-07 is still not used: it is 23 % faster"],
            ),
            (
                &Some(idle.clone()),
                many,
                &["lab-07 is not used any more: one; two; three; and 2 more"],
            ),
            (
                &Some(idle.clone()),
                fewer,
                &["lab-07 is used now: 4 places for c (but C++17: cc1plus differs)"],
            ),
            (
                &Some(idle.clone()),
                lost(Standing::Gone, 2),
                &["lab-07 is gone; others do its 2 orders"],
            ),
            (
                &Some(idle.clone()),
                lost(Standing::Gone, 0),
                &["lab-07 is gone"],
            ),
            (
                &Some(lost(Standing::Gone, 2)),
                lost(Standing::Idle, 2),
                &["lab-07 joined: 4 places for c, cpp"],
            ),
            (
                &Some(idle.clone()),
                lost(Standing::Idle, 1),
                &["lab-07 lost 1 order, which others do now"],
            ),
            (
                &Some(idle.clone()),
                failed,
                &["lab-07 could not do 1 order"],
            ),
        ] {
            let shown = |machine: ShownMachine| Shown {
                machines: vec![machine],
                ..Shown::default()
            };
            let old = before.clone().map_or_else(Shown::default, shown);
            let news = changes(Some(&old), &shown(now));
            let words: Vec<&str> = news.iter().map(|news| news.words.as_str()).collect();
            assert_eq!(words, said);
        }
    }

    #[test]
    fn it_is_said_whether_two_machines_agree() {
        for (twice, differed, line) in [
            (0, 0, None),
            (
                1,
                0,
                Some("1 order measured on two machines: the machines agreed"),
            ),
            (
                12,
                2,
                Some("12 orders measured on two machines: the machines differed on 2"),
            ),
        ] {
            let shown = Shown {
                twice,
                differed,
                ..Shown::default()
            };
            assert_eq!(shown.twice_line().as_deref(), line);
        }
    }

    #[test]
    fn times_are_as_long_as_people_say_them() {
        for (ms, words) in [
            (-5, "0 s"),
            (119_999, "119 s"),
            (120_000, "2 min"),
            (7_200_000, "2 h"),
            (200_000_000, "2 days"),
        ] {
            assert_eq!(elapsed(ms, 0), words);
        }
    }
}
