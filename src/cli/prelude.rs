//! What most commands use, in one import.

pub use super::course_files::{complaints, grading, sound_grading};
pub use super::exit::{CliError, Exit};
pub use super::names::{
    LISTED_MAX, built_in, built_in_names, in_section, no_such, problem_named, problem_of,
    problem_of_course, roster, student_named, submission_named, task_named, unknown_attempt,
    unknown_problem, unknown_student,
};
pub use super::out::Out;
pub use super::progress::Progress;
pub use super::session::{
    NoPiece, Piece, REST, Session, ask, known, read_config, store_if_any, store_or_note, wait_for,
    zone,
};
pub use super::slot::{Recalled, WorkerSlot};
