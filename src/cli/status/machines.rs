//! What `status` says of the other machines that measure for the course.

use serde_json::{Value, json};

use crate::cli::out::{Out, Style};
use crate::fleet::{Shown, ShownDoing, ShownMachine, Standing};
use crate::judge::Progress;
use crate::util::clock::{now_ms, utc_text};
use crate::util::excerpt::visible_line;

/// One line each, and below it what it does or why it gets less than everything.
pub fn show(shown: &Shown, out: &mut Out) {
    let style = if shown.trouble.is_some() {
        Style::Bad
    } else {
        Style::Good
    };
    out.tagged(style, "server", &shown.server_line());
    let now_ms = now_ms();
    for machine in &shown.machines {
        let style = match machine.standing {
            Standing::Working | Standing::Idle => Style::Good,
            Standing::Unused => Style::Warn,
            Standing::Gone => Style::Bad,
        };
        out.tagged(style, &machine.name, &machine.line(now_ms));
        let without = machine.is_used() && !machine.why_not.is_empty();
        let without = without.then(|| format!("without {}", machine.reasons()));
        for line in without.into_iter().chain(machine.doing_lines(now_ms)) {
            out.line(&format!("  {}", visible_line(&line)));
        }
    }
    if let Some(line) = shown.twice_line() {
        let style = if shown.differed > 0 {
            Style::Warn
        } else {
            Style::Good
        };
        out.tagged(style, "check", &line);
    }
    if shown.more > 0 {
        out.line(&format!("and {} more machines", shown.more));
    }
}

/// The same for programs.
pub fn object(shown: &Shown) -> Value {
    json!({
        "server": shown.server, "course": shown.course,
        "connected": shown.trouble.is_none(), "trouble": shown.trouble,
        "machines": shown.machines.iter().map(machine).collect::<Vec<_>>(),
        "more": shown.more,
        "measured_twice": shown.twice, "differed": shown.differed,
    })
}

fn machine(machine: &ShownMachine) -> Value {
    json!({
        "name": machine.name, "state": machine.standing.word(),
        "since": utc_text(machine.since_ms), "machine": machine.machine,
        "version": machine.version, "places": machine.places,
        "languages": machine.languages, "why_not": machine.why_not,
        "calibration_ns": machine.speed.map(|speed| speed.least_ns),
        "spread_percent": machine.speed.map(|speed| speed.spread_percent),
        "slower_percent": machine.slower_percent,
        "doing": machine.doing.iter().map(doing).collect::<Vec<_>>(),
        "out": machine.out, "done": machine.done, "failed": machine.failed,
        "lost": machine.lost, "dropped_facts": machine.dropped,
    })
}

fn doing(doing: &ShownDoing) -> Value {
    let (step, done, of) = match doing.progress {
        None => ("waiting", None, None),
        Some(Progress::Building) => ("building", None, None),
        Some(Progress::Running { done, of }) => ("running", Some(done), Some(of)),
    };
    json!({
        "what": doing.what, "since": utc_text(doing.since_ms),
        "step": step, "done": done, "of": of,
    })
}

#[cfg(test)]
mod tests {
    use super::object;
    use crate::fleet::samples::shown;

    #[test]
    fn programs_read_everything_that_is_shown() {
        let text = serde_json::to_string_pretty(&object(&shown())).unwrap();
        insta::assert_snapshot!(text);
    }
}
