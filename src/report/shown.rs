//! What a document says to people, made once for every format: what was judged, where it went
//! wrong, what was used, how it was counted.

use super::advice::{how_found, size_of};
use super::schema::{Document, Excerpt, ShownCase, Submitted, TestReport};
use super::units::{SENTENCE_CHARACTERS_MAX, bytes, kib, line, milliseconds, time_factor};
use crate::domain::{Cause, Counterexample, Difference, Growth, Score, Verdict};
use crate::util::words::amount;

/// A verdict and what refines it.
pub fn verdict_words(verdict: Verdict, cause: Option<&Cause>) -> String {
    match cause {
        Some(cause) => format!("{} ({})", verdict.words(), cause.code()),
        None => verdict.words().to_owned(),
    }
}

/// How the groups bring the points together, where that is not as one would think.
pub(super) fn least_counts(document: &Document) -> Option<&'static str> {
    let all: Score = document.groups.iter().map(|group| group.score).sum();
    let is_less = document.score.is_some_and(|score| score.of < all.of);
    is_less.then_some("The points of the group with the least count.")
}

/// What went wrong on a test, line by line, for formats that show a few lines of it.
pub fn what_went_wrong(test: &TestReport) -> Vec<String> {
    let difference = test.difference.as_ref().map(|difference| {
        let place = format!(
            "first difference in line {}, column {} of the output",
            difference.line, difference.column
        );
        let sides = sides(test, difference);
        let sides = sides.map(|(label, side)| format!("{label:<8}  {}", in_text(side)));
        [place].into_iter().chain(sides)
    });
    let difference = difference.into_iter().flatten();
    let given = test
        .given
        .as_ref()
        .map(|given| format!("it brings {given}"));
    difference
        .chain(test.checker.clone())
        .chain(given)
        .collect()
}

/// A problem as people name it: its title, and the name of its folder where that is another.
pub(super) fn problem(submission: &Submitted) -> String {
    let (problem, title) = (&submission.problem, &submission.problem_title);
    if title.is_empty() || title.eq_ignore_ascii_case(problem.as_str()) {
        problem.to_string()
    } else {
        format!("{title} ({problem})")
    }
}

/// The language as people call it.
pub(super) fn language(document: &Document) -> String {
    if document.language_name.is_empty() {
        // A document from before there was a name.
        let key = &document.submission.language;
        return format!("{key} ({})", document.language_version);
    }
    document.language_name.clone()
}

/// What was judged and when, each with its label.
pub(super) fn facts(document: &Document) -> Vec<(&'static str, String)> {
    let submission = &document.submission;
    let problem = format!("{}, attempt {}", problem(submission), submission.attempt);
    let student = line(submission.student.as_str(), SENTENCE_CHARACTERS_MAX);
    let mut facts = vec![("student", student), ("problem", problem)];
    facts.extend(document.score.map(|score| ("score", score.words())));
    facts.extend([
        ("file", submission.file_name.clone()),
        ("language", language(document)),
        ("received", document.on_clock(&submission.received_at)),
        ("judged", document.on_clock(&document.judged_at)),
    ]);
    let built = document.built_with.iter().map(|command| ("built", command));
    let started = document
        .started_with
        .iter()
        .map(|command| ("started", command));
    let commands = built.chain(started);
    facts.extend(commands.map(|(label, command)| (label, command.clone())));
    facts
}

/// What is said above the compiler's words.
pub(super) fn compiler_title(document: &Document) -> &'static str {
    if document.verdict == Verdict::CompileError {
        "What the compiler says"
    } else {
        "What the compiler warns of"
    }
}

/// What is said below them; `cut`: whether only their beginning is shown.
pub(super) fn compiler_notes(document: &Document, cut: bool) -> Vec<String> {
    let encoding = document.compiler.encoding.as_ref();
    let encoding = encoding.map(|name| format!("This is not UTF-8; it was read as {name}."));
    let more = (cut || document.compiler.cut).then(|| "There was more.".to_owned());
    encoding.into_iter().chain(more).collect()
}

/// An input on which a program fails, what was expected and what was printed.
pub(super) struct FailingInput {
    /// What a page calls it.
    pub id: &'static str,
    pub title: String,
    /// Why it is shown, or how it was found.
    pub words: String,
    /// The built-in problem that can draw it.
    pub task: Option<String>,
    pub sides: Vec<Side>,
}

/// One text of a failing input.
pub(super) struct Side {
    /// Beside which others it stands: `input`, `expected` or `printed`.
    pub place: &'static str,
    pub title: &'static str,
    /// `None` where it is not known.
    pub part: Option<Excerpt>,
}

const INPUT: &str = "input";
const EXPECTED: &str = "expected";
const PRINTED: &str = "printed";

impl Side {
    fn new(place: &'static str, title: &'static str, part: Option<Excerpt>) -> Self {
        Self { place, title, part }
    }
}

impl FailingInput {
    /// What is shown of the first failing test.
    pub fn of_case(case: &ShownCase) -> Self {
        let input = match &case.title {
            Some(_) if !case.input.cut_after => "Its input, as a test of its own",
            _ => "Input",
        };
        let mut sides = vec![Side::new(INPUT, input, Some(case.input.clone()))];
        if let Some(answer) = &case.answer {
            let answer = Some(Excerpt::of(answer, false));
            sides.push(Side::new(
                INPUT,
                "Expected output for this case alone",
                answer,
            ));
        }
        let expected = Some(case.expected.clone());
        if case.talk.is_none() {
            sides.push(Side::new(EXPECTED, "Expected", expected));
            sides.push(Side::new(PRINTED, "Printed", case.got.clone()));
        } else if !case.expected.text.trim().is_empty() {
            sides.push(Side::new(
                EXPECTED,
                "The answer, for the problem's program",
                expected,
            ));
        }
        Self {
            id: "case",
            title: match &case.title {
                Some(title) if case.stops_here => format!("Where the output stops: {title}"),
                Some(title) => format!("The case that fails: {title}"),
                None if case.expected.mark.is_some() => "Around the first difference".to_owned(),
                None => "How the test begins".to_owned(),
            },
            words: case.words.clone(),
            task: case.task.clone(),
            sides,
        }
    }

    /// The smallest input that was found.
    pub fn smallest(found: &Counterexample, verdict: Verdict) -> Self {
        let part = |text: &str| Some(Excerpt::of(text, found.cut == Some(true)));
        let mut sides = vec![
            Side::new(INPUT, "Input", part(&found.input)),
            Side::new(EXPECTED, "Expected", part(&found.expected)),
        ];
        if let Some(witness) = &found.witness {
            let witness = Some(Excerpt::of(witness, false));
            sides.push(Side::new(EXPECTED, "Why that is right", witness));
        }
        sides.push(Side::new(PRINTED, "Printed", part(&found.printed)));
        let size = size_of(found);
        Self {
            id: "smallest",
            title: format!("The smallest input found on which it fails: {size}"),
            words: how_found(found, verdict),
            task: found.task.clone(),
            sides,
        }
    }

    /// The first text of a place.
    pub fn text_of(&self, place: &str) -> Option<&str> {
        let side = self.sides.iter().find(|side| side.place == place)?;
        Some(&side.part.as_ref()?.text)
    }
}

impl Excerpt {
    /// A text from its first line on.
    fn of(text: &str, cut_after: bool) -> Self {
        Self {
            text: text.to_owned(),
            first_line: 1,
            mark: None,
            cut_before: false,
            cut_after,
        }
    }
}

/// The measurements of how time grows, each with its size.
pub(super) fn growth_rows(growth: &Growth) -> Vec<(String, String)> {
    let points = growth.points.iter();
    let row = points.map(|point| {
        let stopped = if point.is_stopped {
            ", then stopped"
        } else {
            ""
        };
        let ms = point.cpu_us.div_ceil(1_000);
        (
            format!("{} {}", point.size, growth.quantity),
            format!("{ms} ms{stopped}"),
        )
    });
    row.collect()
}

impl TestReport {
    /// What the program used on it.
    pub(super) fn used(&self) -> String {
        if self.withheld {
            return "This test is hidden: only its verdict is shown.".to_owned();
        }
        format!(
            "It used {} of CPU time, {} of wall-clock time and {} of memory, and printed {}.",
            milliseconds(self.cpu_ms),
            milliseconds(self.wall_ms),
            kib(self.memory_kib),
            bytes(self.output_bytes)
        )
    }

    /// How often its time was measured, where that was more than once.
    pub(super) fn repeated(&self) -> Option<String> {
        let times = self.measurements;
        let alone = match times {
            0 | 1 => return None,
            2 => "the second time",
            _ => "from the second time on",
        };
        let counts = format!("It ran {times} times ({alone} alone); the lowest CPU time counts.");
        if self.busy == 0 {
            return Some(counts);
        }
        let waited = match self.waited_ms {
            0 => String::new(),
            ms => format!(
                " and kept the program waiting for up to {}",
                milliseconds(ms)
            ),
        };
        Some(format!(
            "{counts} The machine was busy with other work during {} of these runs{waited}.",
            self.busy
        ))
    }

    /// What refines the verdict, for a table: its cause, or what part of the points it brings.
    pub(super) fn refined(&self) -> Option<String> {
        self.cause
            .as_ref()
            .map(Cause::code)
            .or_else(|| self.given.clone())
    }

    /// What is said of its output, each under its title.
    pub(super) fn remarks(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let titles = [
            "What the problem's checker says of the output",
            "For the judges (students are not shown this)",
        ];
        let remarks = titles.into_iter().zip([&self.checker, &self.judge_message]);
        remarks.filter_map(|(title, words)| Some((title, words.as_deref()?)))
    }

    pub(super) fn cpu(&self) -> String {
        self.rounded(milliseconds(self.cpu_ms))
    }

    pub(super) fn wall(&self) -> String {
        self.rounded(milliseconds(self.wall_ms))
    }

    pub(super) fn memory(&self) -> String {
        self.rounded(kib(self.memory_kib))
    }

    /// The length of its output.
    pub(super) fn output(&self) -> String {
        if self.withheld {
            "not shown".to_owned()
        } else {
            bytes(self.output_bytes)
        }
    }

    fn rounded(&self, figure: String) -> String {
        if self.withheld {
            format!("up to {figure}")
        } else {
            figure
        }
    }
}

/// The tests: how many were passed, those of which each is shown, and what is said below them.
pub(super) struct TestsTable<'d> {
    pub accepted: usize,
    pub of: usize,
    pub not_run: usize,
    /// The first ones that were run.
    pub shown: Vec<&'d TestReport>,
    pub notes: Vec<String>,
}

impl<'d> TestsTable<'d> {
    pub fn of(tests: &'d [TestReport], shown_max: usize) -> Self {
        let mut shown: Vec<&TestReport> = tests.iter().filter(|test| test.was_run()).collect();
        let is_accepted = |test: &&&TestReport| test.verdict == Verdict::Accepted;
        let accepted = shown.iter().filter(is_accepted).count();
        let not_run = tests.len() - shown.len();
        let left_out = shown.len().saturating_sub(shown_max);
        shown.truncate(shown_max);
        let again = shown.iter().filter(|test| test.measurements > 1);
        let again = again.map(|test| format!("{} {} times", test.name, test.measurements));
        let again = again.collect::<Vec<_>>().join(", ");
        let more = |count: usize, verb: [&str; 2]| {
            let verb = verb[usize::from(count != 1)];
            (count > 0).then(|| format!("{} {verb}", amount(count, "more test")))
        };
        let left_out = more(left_out, ["is", "are"])
            .map(|tests| format!("{tests} left out here: see the JSON report."));
        let unneeded = more(not_run, ["was", "were"])
            .map(|tests| format!("{tests} not run: the verdict was already known."));
        let again = (!again.is_empty()).then(|| {
            format!("Measured more than once because of the time limit; the lowest CPU time counts: {again}.")
        });
        Self {
            accepted,
            of: tests.len(),
            not_run,
            shown,
            notes: [left_out, unneeded, again].into_iter().flatten().collect(),
        }
    }

    /// `2 of 8 passed, 3 not run`.
    pub fn passed(&self) -> String {
        let passed = format!("{} of {} passed", self.accepted, self.of);
        match self.not_run {
            0 => passed,
            count => format!("{passed}, {count} not run"),
        }
    }
}

/// What a program may use on each test; a number alone is a count.
pub(super) fn limits(document: &Document) -> [(String, String); 6] {
    let limits = &document.limits;
    let cpu = format!("CPU time{}", time_factor(limits.time_factor_percent));
    [
        (&*cpu, milliseconds(limits.cpu_ms)),
        ("wall-clock time", milliseconds(limits.wall_ms)),
        ("memory", kib(limits.memory_kib)),
        ("output", bytes(limits.output_bytes)),
        ("processes", limits.processes.to_string()),
        ("open files", limits.open_files.to_string()),
    ]
    .map(|(label, limit)| (label.to_owned(), limit))
}

/// What stands on one side of the first difference, or what is said where nothing does.
pub(super) type Printed<'a> = Result<&'a str, &'static str>;

/// A side where text alone has to tell the two apart.
pub(super) fn in_text(side: Printed<'_>) -> String {
    side.map_or_else(|words| format!("({words})"), str::to_owned)
}

/// What was expected and what was printed at the first difference, each with its label.
///
/// Nothing stands there either for an empty line or for the end of a side. Where the layout of
/// lines is compared, both sides have the same words, so neither has ended while the other still
/// has one.
pub(super) fn sides<'a>(
    test: &TestReport,
    difference: &'a Difference,
) -> [(&'static str, Printed<'a>); 2] {
    let is_layout =
        test.verdict == Verdict::PresentationError || test.cause == Some(Cause::Differs);
    let side = |own: &'a str, other: &str| {
        if !own.is_empty() {
            Ok(own)
        } else if is_layout && has_words(other) {
            Err("an empty line")
        } else {
            Err("nothing")
        }
    };
    let (expected, got) = (difference.expected.as_str(), difference.got.as_str());
    [
        ("expected", side(expected, got)),
        ("printed", side(got, expected)),
    ]
}

/// Whether a printable excerpt has more than spelt-out white space.
fn has_words(printable: &str) -> bool {
    let white = ["\\n", "\\r", "\\t", "\\x0b", "\\x0c"];
    let mut rest = printable.trim_start();
    while let Some(after) = white.iter().find_map(|spelt| rest.strip_prefix(spelt)) {
        rest = after.trim_start();
    }
    !rest.is_empty()
}
