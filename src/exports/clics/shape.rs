//! The shapes of the event feed's lines, as the CLICS specifications of 2026-01 name their fields.
//!
//! Judgements and runs also have the contest times that versions up to 2023-06 ask for.

use serde::Serialize;

/// One line.
#[derive(Debug, Serialize)]
pub struct Notification {
    /// What kind of object has changed.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Which one; none where there is but one of its kind.
    pub id: Option<String>,
    /// The object as it is from now on.
    pub data: serde_json::Value,
    /// The store's event that is told to its end with this line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// The course.
#[derive(Debug, Serialize)]
pub struct Contest<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub start_time: String,
    pub duration: &'a str,
    pub scoreboard_type: &'a str,
    pub penalty_time: &'a str,
}

/// Where the course is; only `started` is ever known.
#[derive(Debug, Serialize)]
pub struct State {
    pub started: String,
    pub frozen: Option<String>,
    pub ended: Option<String>,
    pub thawed: Option<String>,
    pub finalized: Option<String>,
    pub end_of_updates: Option<String>,
}

/// A verdict that there is.
#[derive(Debug, Serialize)]
pub struct JudgementType<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub penalty: bool,
    pub solved: bool,
}

/// A language.
#[derive(Debug, Serialize)]
pub struct Language<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub entry_point_required: bool,
    pub extensions: &'a [String],
}

/// A problem.
#[derive(Debug, Serialize)]
pub struct Problem<'a> {
    pub id: &'a str,
    pub label: &'a str,
    pub name: &'a str,
    pub ordinal: u64,
    pub time_limit: f64,
    pub memory_limit: u64,
    pub output_limit: u64,
    pub code_limit: u64,
    pub test_data_count: u64,
}

/// A student.
#[derive(Debug, Serialize)]
pub struct Team<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub label: &'a str,
}

/// Something that was handed in.
#[derive(Debug, Serialize)]
pub struct Submission {
    pub id: String,
    pub language_id: String,
    pub problem_id: String,
    pub team_id: String,
    pub time: String,
    pub contest_time: String,
    /// The language's own: nobody is asked for one.
    pub entry_point: Option<String>,
    /// No archives of programs lie beside the feed.
    pub files: [(); 0],
}

/// A verdict on a submission.
#[derive(Debug, Serialize)]
pub struct Judgement {
    pub id: String,
    pub submission_id: String,
    pub judgement_type_id: &'static str,
    pub current: bool,
    pub start_time: String,
    pub start_contest_time: String,
    pub end_time: String,
    pub end_contest_time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_run_time: Option<f64>,
}

/// A verdict on one test.
#[derive(Debug, Serialize)]
pub struct Run {
    pub id: String,
    pub judgement_id: String,
    pub ordinal: u64,
    pub judgement_type_id: &'static str,
    pub time: String,
    pub contest_time: String,
    pub run_time: f64,
}
