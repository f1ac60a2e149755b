//! How `serve` shows what happens: a live table on a terminal, plain lines elsewhere, JSON for
//! programs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::IsTerminal;
use std::sync::Arc;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::out::{Out, Style};
use super::row::{head, row};
use crate::daemon::{Line, Missing, Notice, View};
use crate::domain::{Cause, ProblemSlug, Verdict};
use crate::fleet::Shown;
use crate::judge::Progress;
use crate::util::clock::utc_text;
use crate::util::columns::fitted;
use crate::util::excerpt::visible_line;
use crate::util::sync;
use crate::util::words::amount;

/// Redraws per second: more would cost time that the programs need.
const REDRAWS_PER_SECOND: u8 = 10;
/// Columns of what a worker is judging, so that its line fits a terminal of 80 columns.
const WORK_COLUMNS: usize = 32;

/// Shows the daemon's notices.
pub struct Live<'a> {
    out: &'a mut Out,
    json: bool,
    screen: Option<Screen>,
    counts: BTreeMap<Verdict, usize>,
    rejected: usize,
    /// Submissions that wait, and that could not be judged.
    load: (usize, usize),
    /// The other machines, where a server is named.
    machines: Option<Arc<Shown>>,
    /// A look at the daemon, once it has started.
    view: Option<View>,
}

/// The moving part at the bottom of a terminal.
struct Screen {
    all: MultiProgress,
    workers: Vec<ProgressBar>,
    summary: ProgressBar,
    headed: bool,
}

impl<'a> Live<'a> {
    pub fn new(out: &'a mut Out, json: bool) -> Self {
        let screen = (!json && Out::is_terminal() && std::io::stderr().is_terminal()).then(|| {
            let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(
                REDRAWS_PER_SECOND,
            ));
            let summary = all.add(ProgressBar::new_spinner());
            // Cut where it would not fit.
            summary.set_style(style("{wide_msg}"));
            Screen {
                all,
                workers: Vec::new(),
                summary,
                headed: false,
            }
        });
        Self {
            out,
            json,
            screen,
            counts: BTreeMap::new(),
            rejected: 0,
            load: (0, 0),
            machines: None,
            view: None,
        }
    }

    pub fn show(&mut self, notice: &Notice) {
        if self.json
            && let Some(object) = object(notice)
        {
            self.out.json(&object);
        }
        match notice {
            Notice::Probing => self.say("trying the languages in the sandbox …"),
            Notice::Started { .. } => self.started(notice),
            Notice::Package(news) => self.say(&format!("package: {}", news.words)),
            Notice::Hack(text) => self.print_tagged(Style::Bold, "hack", text),
            Notice::Rejected(rejection) => {
                self.rejected += 1;
                // The reason repeats what the student called the file.
                let why = format!("{}: {}", rejection.path, rejection.reason);
                self.print_tagged(Style::Warn, "rejected", &why);
            }
            Notice::Progress {
                worker,
                what,
                progress,
            } => self.progress(*worker, what, *progress),
            Notice::Judged(line) => self.judged(line),
            Notice::Fault {
                what,
                reason,
                missing,
                last,
            } => {
                let next = after_fault(*missing, *last);
                let why = visible_line(&format!("{what}: {reason}"));
                self.say(&format!("fault: {why} ({next})"));
            }
            Notice::Machine(news) => self.say(&format!("machine: {}", visible_line(&news.words))),
            Notice::Machines(shown) => {
                self.machines = Some(Arc::clone(shown));
                self.summarize();
            }
            Notice::Load { waiting, faulted } => {
                self.load = (*waiting, *faulted);
                self.summarize();
            }
            Notice::Idle(worker) => {
                if let Some(bar) = self.bar(*worker) {
                    bar.set_style(style("{msg}"));
                    bar.set_message("");
                }
            }
            Notice::Received(_) | Notice::Ending => {}
            Notice::Said(text) => self.say(text),
        }
        if self.screen.is_none() {
            self.out.flush();
        }
    }

    fn started(&mut self, notice: &Notice) {
        let Notice::Started {
            workers,
            languages,
            problems,
            missing,
            folder,
            view,
        } = notice
        else {
            return;
        };
        self.view = Some(view.clone());
        let tests =
            |(slug, tests): &(ProblemSlug, usize)| format!("{slug} ({})", amount(*tests, "test"));
        self.list("problems", problems.iter().map(tests));
        self.list("languages", languages.iter().map(ToString::to_string));
        if !missing.is_empty() {
            let title = "protections that the configuration allows to be missing";
            self.list(title, missing.iter().cloned());
        }
        self.say(&format!(
            "ready: {} at a time; drop files into {}, Ctrl-C ends",
            amount(*workers, "program"),
            folder.display(),
        ));
    }

    fn list(&mut self, title: &str, items: impl Iterator<Item = String>) {
        let items: Vec<String> = items.collect();
        self.say(&format!("{title}: {}", items.join(", ")));
    }

    fn progress(&mut self, worker: usize, what: &str, progress: Progress) {
        let Some(bar) = self.bar(worker) else { return };
        let what = fitted(what, WORK_COLUMNS);
        match progress {
            Progress::Building => {
                bar.set_style(style("  {spinner} {msg}"));
                bar.set_message(format!("{what}  building"));
                bar.tick();
            }
            Progress::Running { done, of } => {
                // The style last: by the time it is drawn there is everything to show.
                bar.set_message(what);
                bar.set_length(of as u64);
                bar.set_position(done as u64);
                bar.set_style(style("  {spinner} {msg}  [{bar:24}] {pos}/{len}"));
            }
        }
    }

    fn judged(&mut self, line: &Line) {
        *self.counts.entry(line.published.verdict).or_default() += 1;
        if self.json {
            return;
        }
        if self.screen.as_ref().is_some_and(|screen| !screen.headed) {
            self.print(&head(self.out));
            if let Some(screen) = &mut self.screen {
                screen.headed = true;
            }
        }
        // The course's clock, as course.toml has it now.
        let zone = self.view.as_ref().map_or(TimeZone::UTC, |view| {
            sync::read(&view.board).grading().zone().clone()
        });
        self.print(&row(line, &zone, self.out));
    }

    fn summarize(&self) {
        let Some(screen) = &self.screen else { return };
        let (waiting, faulted) = self.load;
        let judged: usize = self.counts.values().sum();
        let mut text = format!("  {waiting} waiting · {judged} judged");
        // Writing to a String cannot fail.
        for (verdict, count) in &self.counts {
            let label = self.out.styled(Style::of(*verdict), verdict.code());
            let _ = write!(text, " · {label} {count}");
        }
        if self.rejected > 0 {
            let _ = write!(text, " · {} rejected", self.rejected);
        }
        if faulted > 0 {
            let _ = write!(text, " · {faulted} with faults");
        }
        if let Some(shown) = &self.machines {
            let _ = write!(text, " · {}", shown.summary());
        }
        screen.summary.set_message(text);
    }

    fn bar(&mut self, worker: usize) -> Option<ProgressBar> {
        let screen = self.screen.as_mut()?;
        while screen.workers.len() <= worker {
            let bar = screen
                .all
                .insert_before(&screen.summary, ProgressBar::new(1));
            screen.workers.push(bar);
        }
        screen.workers.get(worker).cloned()
    }

    fn print_tagged(&mut self, style: Style, word: &str, text: &str) {
        if !self.json {
            let word = self.out.styled(style, word);
            self.print(&format!("{word}  {}", visible_line(text)));
        }
    }

    /// Data: a line on standard output.
    fn print(&mut self, line: &str) {
        self.above_screen(|out| {
            out.line(line);
            out.flush();
        });
    }

    /// A line about the work, on standard error.
    pub fn say(&mut self, line: &str) {
        self.above_screen(|out| out.note(line));
    }

    fn above_screen(&mut self, write: impl FnOnce(&mut Out)) {
        match &self.screen {
            Some(screen) => screen.all.suspend(|| write(self.out)),
            None => write(self.out),
        }
    }
}

/// What programs are told.
fn object(notice: &Notice) -> Option<Value> {
    Some(match notice {
        Notice::Package(news) => json!({
            "kind": "package", "problem": news.problem.as_ref().map(ToString::to_string),
            "state": news.state, "reason": news.reason,
        }),
        Notice::Hack(text) => json!({ "kind": "hack", "text": text }),
        Notice::Machine(news) => json!({
            "kind": "machine", "name": news.name, "state": news.state, "text": news.words,
        }),
        Notice::Received(submission) => json!({
            "kind": "received", "student": submission.student.as_str(),
            "problem": submission.problem.as_str(), "attempt": submission.attempt,
        }),
        Notice::Rejected(rejection) => json!({
            "kind": "rejection", "path": rejection.path,
            "student": rejection.student.as_ref().map(ToString::to_string),
            "reason": visible_line(&rejection.reason),
            "at": utc_text(rejection.seen_ms),
        }),
        Notice::Judged(line) => {
            let (submission, published) = (&line.submission, &line.published);
            let mut object = json!({
                "kind": "verdict", "at": utc_text(published.judged_ms),
                "student": submission.student.as_str(), "problem": submission.problem.as_str(),
                "attempt": submission.attempt, "language": submission.language.as_str(),
                "verdict": published.verdict.code(),
                "cause": published.cause.as_ref().map(Cause::code),
                "first_failing_test": published.first_failing_test.as_deref(),
                "passed": line.passed, "tests": line.tests,
                "cpu_ms": u64::try_from(line.cpu_ms).unwrap_or(u64::MAX),
                "memory_kib": line.memory_kib,
            });
            if let Some(score) = published.score.shown() {
                object["score"] = json!(score);
            }
            object
        }
        Notice::Probing
        | Notice::Started { .. }
        | Notice::Progress { .. }
        | Notice::Fault { .. }
        | Notice::Load { .. }
        | Notice::Idle(_)
        | Notice::Machines(_)
        | Notice::Ending
        | Notice::Said(_) => return None,
    })
}

impl Drop for Live<'_> {
    fn drop(&mut self) {
        if let Some(screen) = &self.screen {
            // If the terminal is gone, there is nothing to clear.
            let _ = screen.all.clear();
        }
    }
}

/// What happens after a fault.
fn after_fault(missing: Missing, last: bool) -> &'static str {
    match (missing, last) {
        (Missing::Verdict, false) => "not judged yet; it is tried again",
        (Missing::Verdict, true) => {
            "not judged; it is tried again at growing intervals, and when something changes"
        }
        (Missing::Pages, false) => "pages are missing; they are written later",
        (Missing::Pages, true) => "pages are missing; the next start writes them",
        (Missing::Language, _) => {
            "programs in this language are accepted, and wait until it works; it is tried again"
        }
        (Missing::Work, false) => "it is tried again",
        (Missing::Work, true) => "it is not tried again automatically",
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ")
}
