//! Numbers in the units that people read, and what a program used, in words.

use super::schema::TestPart;
use crate::domain::Verdict;

/// A verdict and what refines it, for other programs that show one line of it.
pub fn verdict_words(verdict: Verdict, cause: Option<&str>) -> String {
    match cause {
        Some(cause) => format!("{} ({cause})", verdict.words()),
        None => verdict.words().to_owned(),
    }
}

/// What went wrong on a test, line by line, for other programs that show a few lines of it.
pub fn what_went_wrong(test: &TestPart) -> Vec<String> {
    let difference = test.difference.as_ref().map(|difference| {
        [
            format!(
                "first difference in line {}, column {} of the output",
                difference.line, difference.column
            ),
            format!("expected  {}", difference.expected),
            format!("printed   {}", difference.got),
        ]
    });
    let difference = difference.into_iter().flatten();
    difference.chain(test.checker.clone()).collect()
}

/// What the program used on a test.
pub(super) fn used(test: &TestPart) -> String {
    if test.withheld {
        return "The instructor shows of this test only its verdict.".to_owned();
    }
    format!(
        "It used {} of processor time in {} by the clock and {} of memory, and printed {}.",
        milliseconds(test.cpu_ms),
        milliseconds(test.wall_ms),
        kib(test.memory_kib),
        bytes(test.output_bytes)
    )
}

/// How often the time of a test was measured, where that was more than once.
pub(super) fn repeated(test: &TestPart) -> Option<String> {
    let times = test.measurements;
    (times > 1).then(|| {
        if test.busy == 0 {
            return format!(
                "Because of the time limit it was measured {times} times, from the second time on alone on a quiet core; \
                 the least processor time counts."
            );
        }
        let waited = match test.waited_ms {
            0 => String::new(),
            ms => format!(" and kept the program waiting for up to {}", milliseconds(ms)),
        };
        format!(
            "Because of the time limit it was measured {times} times, from the second time on alone; the least processor time counts. \
             The machine was busy with other work during {} of these measurements{waited}: they do not count against the program.",
            test.busy
        )
    })
}

/// The processor time of a test.
pub(super) fn cpu(test: &TestPart) -> String {
    rounded(test, milliseconds(test.cpu_ms))
}

/// Its time by the clock.
pub(super) fn wall(test: &TestPart) -> String {
    rounded(test, milliseconds(test.wall_ms))
}

/// Its memory.
pub(super) fn memory(test: &TestPart) -> String {
    rounded(test, kib(test.memory_kib))
}

/// The length of its output.
pub(super) fn output(test: &TestPart) -> String {
    if test.withheld {
        "not shown".to_owned()
    } else {
        bytes(test.output_bytes)
    }
}

fn rounded(test: &TestPart, figure: String) -> String {
    if test.withheld {
        format!("up to {figure}")
    } else {
        figure
    }
}

pub(super) fn milliseconds(ms: u64) -> String {
    if ms > 0 && ms.is_multiple_of(1_000) {
        format!("{} s", ms / 1_000)
    } else if ms < 10_000 {
        format!("{ms} ms")
    } else {
        format!("{}.{} s", ms / 1_000, ms % 1_000 / 100)
    }
}

pub(super) fn kib(kib: u64) -> String {
    if kib >= 1_024 && kib.is_multiple_of(1_024) {
        format!("{} MiB", kib / 1_024)
    } else if kib >= 10 * 1_024 {
        format!("{}.{} MiB", kib / 1_024, kib % 1_024 * 10 / 1_024)
    } else {
        format!("{kib} KiB")
    }
}

pub(super) fn bytes(bytes: u64) -> String {
    if bytes >= 10 * 1_024 {
        kib(bytes / 1_024)
    } else {
        format!("{bytes} bytes")
    }
}
