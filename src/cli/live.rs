//! How `serve` shows what happens: a live table on a terminal, plain lines elsewhere, JSON for programs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::IsTerminal;
use std::path::Path;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;

use super::out::{Out, Style};
use super::row::{head, row};
use crate::daemon::{Line, Missing, Notice, PackageNews};
use crate::domain::{Submission, Verdict};
use crate::judge::Progress;
use crate::util::clock::utc_text;
use crate::util::columns::fitted;
use crate::util::excerpt::visible_line;
use crate::util::words::amount;

/// Redraws a second: more would cost time that the programs need.
const REDRAWS_A_SECOND: u8 = 10;
/// Columns of what a worker has in its hands, so that its line fits a terminal of 80 columns.
const WORK_COLUMNS: usize = 32;

/// Shows news.
pub struct Live<'a> {
    out: &'a mut Out,
    json: bool,
    screen: Option<Screen>,
    counts: BTreeMap<Verdict, usize>,
    rejected: usize,
}

/// The moving part at the bottom of a terminal.
struct Screen {
    all: MultiProgress,
    workers: Vec<ProgressBar>,
    summary: ProgressBar,
    headed: bool,
}

impl<'a> Live<'a> {
    /// Decides once how to show things.
    pub fn new(out: &'a mut Out, json: bool) -> Self {
        let screen = (!json && Out::is_terminal() && std::io::stderr().is_terminal()).then(|| {
            let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(
                REDRAWS_A_SECOND,
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
        }
    }

    /// Shows one piece of news.
    pub fn show(&mut self, notice: &Notice) {
        match notice {
            Notice::Probing => self.say("trying the languages in the sandbox …"),
            Notice::Started {
                workers,
                languages,
                problems,
                missing,
                folder,
                view: _,
            } => self.started(*workers, languages, problems, missing, folder),
            Notice::Package(news) => self.package(news),
            Notice::Hack(text) if self.json => {
                self.out.json(&json!({ "kind": "hack", "text": text }));
            }
            Notice::Hack(text) => {
                let word = self.out.styled(Style::Bold, "hack");
                self.print(&format!("{word}  {}", visible_line(text)));
            }
            Notice::Received(submission) => self.received(submission),
            Notice::Rejected(rejection) => {
                self.rejected += 1;
                if self.json {
                    self.out.json(&json!({
                        "kind": "rejection", "path": rejection.path,
                        "student": rejection.student.as_ref().map(ToString::to_string),
                        "reason": visible_line(&rejection.reason),
                        "at": utc_text(rejection.seen_ms),
                    }));
                } else {
                    let word = self.out.styled(Style::Warn, "rejected");
                    // The reason repeats what the student called the file.
                    let why = visible_line(&format!("{}: {}", rejection.path, rejection.reason));
                    self.print(&format!("{word}  {why}"));
                }
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
            Notice::Load { waiting, faulted } => self.load(*waiting, *faulted),
            Notice::Idle(worker) => {
                if let Some(bar) = self.bar(*worker) {
                    bar.set_style(style("{msg}"));
                    bar.set_message("");
                }
            }
            Notice::Ending => {}
            Notice::Said(text) => self.say(text),
        }
        if self.screen.is_none() {
            self.out.flush();
        }
    }

    fn package(&mut self, news: &PackageNews) {
        if self.json {
            self.out.json(&json!({
                "kind": "package", "problem": news.problem.as_ref().map(ToString::to_string),
                "state": news.state, "reason": news.reason,
            }));
        }
        self.say(&format!("package: {}", news.words));
    }

    fn received(&mut self, submission: &Submission) {
        if self.json {
            self.out.json(&json!({
                "kind": "received", "student": submission.student.as_str(),
                "problem": submission.problem.as_str(), "attempt": submission.attempt,
            }));
        }
    }

    fn started(
        &mut self,
        workers: usize,
        languages: &[crate::domain::LanguageId],
        problems: &[(crate::domain::ProblemSlug, usize)],
        missing: &[String],
        folder: &Path,
    ) {
        let list = |items: Vec<String>| items.join(", ");
        self.say(&format!(
            "problems: {}",
            list(
                problems
                    .iter()
                    .map(|(slug, tests)| format!("{slug} ({})", amount(*tests, "test")))
                    .collect()
            )
        ));
        self.say(&format!(
            "languages: {}",
            list(languages.iter().map(ToString::to_string).collect())
        ));
        if !missing.is_empty() {
            self.say(&format!(
                "protections that the configuration allows to be missing: {}",
                missing.join(", ")
            ));
        }
        self.say(&format!(
            "ready: {} at a time; drop files into {}, Ctrl-C ends",
            amount(workers, "program"),
            folder.display(),
        ));
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
                // The look last: before it is drawn it has everything to show.
                bar.set_message(what);
                bar.set_length(of as u64);
                bar.set_position(done as u64);
                bar.set_style(style("  {spinner} {msg}  [{bar:24}] {pos}/{len}"));
            }
        }
    }

    fn judged(&mut self, line: &Line) {
        let Line {
            submission,
            published,
            ..
        } = line;
        *self.counts.entry(published.verdict).or_default() += 1;
        if self.json {
            self.out.json(&json!({
                "kind": "verdict", "at": utc_text(published.judged_ms),
                "student": submission.student.as_str(), "problem": submission.problem.as_str(),
                "attempt": submission.attempt, "language": submission.language.as_str(),
                "verdict": published.verdict.code(),
                "cause": published.cause.as_ref().map(crate::domain::Cause::code),
                "first_failing_test": published.first_failing_test.as_deref(),
                "passed": line.passed, "tests": line.tests,
                "cpu_ms": u64::try_from(line.cpu_ms).unwrap_or(u64::MAX),
                "memory_kib": line.memory_kib,
            }));
            return;
        }
        if self.screen.as_ref().is_some_and(|screen| !screen.headed) {
            self.print(&head(self.out));
            if let Some(screen) = &mut self.screen {
                screen.headed = true;
            }
        }
        self.print(&row(line, self.out));
    }

    fn load(&mut self, waiting: usize, faulted: usize) {
        let Some(screen) = &self.screen else { return };
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

    /// Data: a line on standard output.
    fn print(&mut self, line: &str) {
        match self.screen.as_ref().map(|screen| screen.all.clone()) {
            Some(all) => all.suspend(|| {
                self.out.line(line);
                self.out.flush();
            }),
            None => self.out.line(line),
        }
    }

    /// News: a line on standard error.
    pub fn say(&mut self, line: &str) {
        match self.screen.as_ref().map(|screen| screen.all.clone()) {
            Some(all) => all.suspend(|| self.out.note(line)),
            None => self.out.note(line),
        }
    }
}

impl Drop for Live<'_> {
    fn drop(&mut self) {
        if let Some(screen) = &self.screen {
            // A screen that is gone already needs no clearing.
            let _ = screen.all.clear();
        }
    }
}

/// What becomes of what a fault has kept from being done.
fn after_fault(missing: Missing, last: bool) -> &'static str {
    match (missing, last) {
        (Missing::Verdict, false) => "not judged yet; it is tried again",
        (Missing::Verdict, true) => {
            "not judged; it is tried again more and more slowly, and when something changes"
        }
        (Missing::Pages, false) => "pages are missing; they are written later",
        (Missing::Pages, true) => "pages are missing; the next start writes them",
        (Missing::Language, _) => {
            "programs in this language are taken, and wait until it works; it is tried again"
        }
        (Missing::Work, false) => "it is tried again",
        (Missing::Work, true) => "it is not tried again by itself",
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ")
}
