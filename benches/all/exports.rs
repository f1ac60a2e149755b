//! The exports of a course of 2,000 judged submissions, each over the least that any
//! implementation has to do.
//!
//! - `grade-book`: over writing the same cells with the CSV library alone.
//! - `results`: results.xml, over reading the same reports from the store.
//! - `event-feed`: the whole feed, over reading the same events from the store.

use crate::common::{MadeExport, Row, School, Size, TESTS, make_exports, median, ms};

pub const NAME: &str = "exports";

const SUBMISSIONS: usize = 2_000;
const SUBMISSIONS_SMALL: usize = 30;
/// How often each is made; the median counts.
const RUNS: usize = 5;

pub fn rows(size: Size) -> Vec<Row> {
    let submissions = size.pick(SUBMISSIONS, SUBMISSIONS_SMALL);
    let school = School::new();
    school.fill(submissions, submissions / 2);
    let config = school.folder.join("config.toml");
    let runs: Vec<[MadeExport; 3]> = (0..size.pick(RUNS, 1))
        .map(|_| make_exports(&config).expect("the exports are made"))
        .collect();
    for [book, results, feed] in &runs {
        assert_whole(submissions, &book.text, &results.text, &feed.text);
    }
    ["grade-book", "results", "event-feed"]
        .into_iter()
        .enumerate()
        .map(|(at, name)| {
            let middle =
                |figure: fn(&MadeExport) -> _| median(runs.iter().map(|run| figure(&run[at])));
            Row::new(NAME, name, ms(middle(|made| made.making)), "ms")
                .over(ms(middle(|made| made.least)))
        })
        .collect()
}

/// Each submission is another student's, and is in each of the files.
fn assert_whole(submissions: usize, book: &str, results: &str, feed: &str) {
    let rows = book.lines().skip(1);
    let accepted = rows.filter(|row| row.contains("\"AC\"")).count();
    assert_eq!(accepted, submissions, "rows of the grade book");
    let cases = results.matches("<testcase ").count();
    assert_eq!(cases, submissions * TESTS, "cases of results.xml");
    let told = feed
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a line of JSON"))
        .filter(|line| line["type"] == "judgements" && line["data"]["judgement_type_id"] == "AC")
        .count();
    assert_eq!(told, submissions, "judgements of the feed");
}
