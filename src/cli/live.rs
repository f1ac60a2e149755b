//! How `serve` shows what happens: a live table on a terminal, plain lines elsewhere, JSON for
//! programs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::IsTerminal;
use std::sync::Arc;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use jiff::tz::TimeZone;
use serde::Serialize;

use super::out::Out;
use crate::daemon::{Line, Notice, PackageNews, View};
use crate::domain::{Cause, LanguageId, ProblemSlug, Score, Student, SubmissionName, Verdict};
use crate::judge::Progress;
use crate::places::{MachineNews, OtherMachines};
use crate::util::clock::on_clock;
use crate::util::columns::fitted;
use crate::util::excerpt::visible_line;
use crate::util::sync;
use crate::util::words::amount;
use crate::view::{Page, Show, Span, Style, Utc, code};

/// Redraws per second: more would cost time that the programs need.
const REDRAWS_PER_SECOND: u8 = 10;
/// Columns of what a worker is judging, so that its line fits a terminal of 80 columns.
const WORK_COLUMNS: usize = 32;

/// Shows the daemon's notices.
pub struct Live<'a> {
    out: &'a mut Out,
    screen: Option<Screen>,
    counts: BTreeMap<Verdict, usize>,
    rejected: usize,
    /// Submissions that wait, and that could not be judged.
    load: (usize, usize),
    /// The other machines, where a server is named.
    machines: Option<Arc<OtherMachines>>,
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
        out.as_json(json);
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
            screen,
            counts: BTreeMap::new(),
            rejected: 0,
            load: (0, 0),
            machines: None,
            view: None,
        }
    }

    pub fn show(&mut self, notice: &Notice) {
        if let Notice::Judged(line) = notice {
            self.judged(line);
        }
        if let Some(news) = self.news(notice) {
            self.print(|out| out.show(&news));
        }
        match notice {
            Notice::Probing => self.say("trying the languages in the sandbox …"),
            Notice::Started { .. } => self.started(notice),
            Notice::Package(news) => self.say(&format!("package: {}", news.words)),
            Notice::Rejected(_) => self.rejected += 1,
            Notice::Progress {
                worker,
                what,
                progress,
            } => self.progress(*worker, what, *progress),
            Notice::Fault { what, reason, next } => {
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
            Notice::Received(_) | Notice::Judged(_) | Notice::Hack(_) | Notice::Ending { .. } => {}
            Notice::Said(text) => self.say(text),
        }
        if self.screen.is_none() {
            self.out.flush();
        }
    }

    fn started(&mut self, notice: &Notice) {
        let Notice::Started {
            config,
            languages,
            problems,
            missing,
            view,
        } = notice
        else {
            return;
        };
        self.view = Some(view.clone());
        // Those of the run before, if there was one.
        self.machines = None;
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
            amount(config.judge.workers.places(), "program"),
            config.folders.submissions.display(),
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
        if let Some(screen) = &mut self.screen
            && !std::mem::replace(&mut screen.headed, true)
        {
            self.print(|out| out.print(|page| page.spans([head()])));
        }
    }

    /// What programs read of a notice, and people in a line of data.
    fn news<'n>(&self, notice: &'n Notice) -> Option<News<'n>> {
        Some(match notice {
            Notice::Package(news) => News::Package(news),
            Notice::Hack(text) => News::Hack { text },
            Notice::Machine(news) => News::Machine(news),
            Notice::Received(submission) => News::Received(submission.name()),
            Notice::Rejected(rejection) => News::Rejection {
                path: &rejection.path,
                student: rejection.student.as_ref(),
                reason: visible_line(&rejection.reason),
                at: Utc(rejection.seen_ms),
            },
            Notice::Judged(line) => {
                // The course's clock, as course.toml has it now.
                let zone = self.view.as_ref().map_or(TimeZone::UTC, |view| {
                    sync::read(&view.board).grading().zone().clone()
                });
                let published = &line.published;
                News::Verdict {
                    at: Utc(published.judged_ms),
                    name: line.submission.name(),
                    language: &line.submission.language,
                    verdict: published.verdict,
                    cause: published.cause.as_ref(),
                    first_failing_test: published.first_failing_test.as_deref(),
                    passed: line.passed,
                    tests: line.tests,
                    cpu_ms: line.cpu_ms,
                    memory_kib: line.memory_kib,
                    score: published.score.shown(),
                    row: row(line, &zone),
                }
            }
            _ => return None,
        })
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

    /// Data: lines on standard output.
    fn print(&mut self, write: impl FnOnce(&mut Out)) {
        self.above_screen(|out| {
            write(out);
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

/// A notice as a line of data.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum News<'n> {
    Package(&'n PackageNews),
    Hack {
        text: &'n str,
    },
    Machine(&'n MachineNews),
    Received(SubmissionName),
    Rejection {
        path: &'n str,
        student: Option<&'n Student>,
        reason: String,
        at: Utc,
    },
    Verdict {
        at: Utc,
        #[serde(flatten)]
        name: SubmissionName,
        language: &'n LanguageId,
        verdict: Verdict,
        cause: Option<&'n Cause>,
        first_failing_test: Option<&'n str>,
        passed: usize,
        tests: usize,
        cpu_ms: u64,
        memory_kib: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        score: Option<Score>,
        #[serde(skip)]
        row: Vec<Span>,
    },
}

impl Show for News<'_> {
    fn show(&self, page: &mut Page) {
        match self {
            Self::Hack { text } => page.tagged(Style::Bold.on("hack"), text),
            // The reason repeats what the student called the file.
            Self::Rejection { path, reason, .. } => {
                page.tagged(Style::Warn.on("rejected"), format!("{path}: {reason}"));
            }
            Self::Verdict { row, .. } => page.spans(row.iter().cloned()),
            Self::Package(_) | Self::Machine(_) | Self::Received(_) => {}
        }
    }
}

impl Drop for Live<'_> {
    fn drop(&mut self) {
        if let Some(screen) = &self.screen {
            // If the terminal is gone, there is nothing to clear.
            let _ = screen.all.clear();
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ")
}

// One verdict as one row: for the terminal with colour and straight columns, for pipes the same
// words.

/// Columns of a student's name on a terminal.
const STUDENT_COLUMNS: usize = 16;
/// Columns of a problem's name.
const PROBLEM_COLUMNS: usize = 10;
/// Columns of a language's key.
const LANGUAGE_COLUMNS: usize = 10;

/// Columns before the note.
const NOTE_BEGINS: usize = 56 + STUDENT_COLUMNS + PROBLEM_COLUMNS + LANGUAGE_COLUMNS;
/// Columns of the language, the CPU time and the memory: a terminal of 80 columns has no room for
/// them.
const LEFT_OUT: usize = LANGUAGE_COLUMNS + 23;
/// The least that is shown of a note beside everything else.
const NOTE_COLUMNS_MIN: usize = 20;
/// Less of a note says nothing.
const NOTE_COLUMNS_LEAST: usize = 6;

/// Whether the terminal is too narrow for all columns, and how many are left for the note.
fn room(columns: Option<usize>) -> (bool, Option<usize>) {
    let Some(columns) = columns else {
        return (false, None);
    };
    let is_narrow = columns < NOTE_BEGINS + NOTE_COLUMNS_MIN;
    let begins = NOTE_BEGINS - if is_narrow { LEFT_OUT } else { 0 };
    (is_narrow, Some(columns.saturating_sub(begins)))
}

/// The row's head.
fn head() -> Span {
    let student = fitted("STUDENT", STUDENT_COLUMNS);
    let problem = fitted("PROBLEM", PROBLEM_COLUMNS);
    let begin = format!("{:<8}  {:<3}  {student}  {problem}  TRY", "TIME", "");
    Style::Dim.on(if room(Out::columns()).0 {
        format!("{begin}  {:>7}  NOTE", "TESTS")
    } else {
        format!(
            "{begin}  {}  {:>7}  {:>8}  {:>9}  NOTE",
            fitted("LANGUAGE", LANGUAGE_COLUMNS),
            "TESTS",
            "CPU",
            "MEMORY"
        )
    })
}

/// The row; the note is cut where it would not fit the terminal.
fn row(line: &Line, zone: &TimeZone) -> Vec<Span> {
    let time = on_clock(line.published.judged_ms, zone, "%H:%M:%S");
    let (is_narrow, left) = room(Out::columns());
    let note = match left {
        Some(columns) if columns < NOTE_COLUMNS_LEAST => String::new(),
        Some(columns) => fitted(&note(line), columns),
        None => note(line),
    };
    let begin = format!(
        "  {}  {}  {:>3}",
        fitted(line.submission.student.as_str(), STUDENT_COLUMNS),
        fitted(line.submission.problem.as_str(), PROBLEM_COLUMNS),
        line.submission.attempt,
    );
    let tests = format!("{}/{}", line.passed, line.tests);
    let rest = if is_narrow {
        format!("{begin}  {tests:>7}  {note}")
    } else {
        format!(
            "{begin}  {}  {tests:>7}  {:>5} ms  {:>5.1} MiB  {note}",
            fitted(line.submission.language.as_str(), LANGUAGE_COLUMNS),
            line.cpu_ms,
            mebibytes(line.memory_kib),
        )
    };
    let verdict = code(line.published.verdict);
    vec![
        Style::Dim.on(time),
        "  ".into(),
        verdict,
        rest.trim_end().into(),
    ]
}

/// Why it is not accepted.
fn note(line: &Line) -> String {
    let failing = line
        .published
        .first_failing_test
        .as_deref()
        .map(|name| format!("{name}: "))
        .unwrap_or_default();
    let score = line.published.score.shown();
    let score = score.map(|score| format!("{score} points "));
    let failing = score.unwrap_or_default() + &failing;
    match (&line.published.cause, line.published.verdict) {
        (_, Verdict::Accepted) => failing.trim_end().to_owned(),
        (Some(cause), _) => format!("{failing}{}", cause.words()),
        (None, verdict) => format!("{failing}{}", verdict.words()),
    }
}

fn mebibytes(kib: u64) -> f64 {
    // A program's memory is far below the 2^52 KiB at which this would lose digits.
    #[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
    let kib = kib as f64;
    kib / 1024.0
}
