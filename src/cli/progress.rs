//! How far a command is that tries many programs, on a terminal; nothing elsewhere.

use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::util::words::amount;

/// Says it in one line.
pub struct Progress {
    bar: ProgressBar,
    /// What is done with a program.
    word: &'static str,
    programs: usize,
    done: AtomicUsize,
    runs: AtomicUsize,
}

impl Progress {
    pub fn new(programs: usize, word: &'static str) -> Self {
        let target = if std::io::stderr().is_terminal() {
            ProgressDrawTarget::stderr_with_hz(5)
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        let style = ProgressStyle::with_template("{spinner} {wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        let progress = Self {
            bar,
            word,
            programs,
            done: AtomicUsize::new(0),
            runs: AtomicUsize::new(0),
        };
        progress.say();
        progress
    }

    pub fn run(&self) {
        self.runs.fetch_add(1, Ordering::Relaxed);
        self.say();
    }

    pub fn program(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
        self.say();
    }

    fn say(&self) {
        let done = self.done.load(Ordering::Relaxed);
        let (of, word) = (self.programs, self.word);
        let runs = match self.runs.load(Ordering::Relaxed) {
            0 => String::new(),
            runs => format!(", {}", amount(runs, "run")),
        };
        self.bar.set_message(format!("{done} of {of} {word}{runs}"));
        self.bar.tick();
    }

    /// Does something while nothing of it is on the screen.
    pub fn hidden(&self, work: impl FnOnce()) {
        self.bar.suspend(work);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
