//! config.toml, read once and resolved: every path absolute, every default filled in.

mod caret;
mod language;
mod limits;
mod place;
mod resolve;
mod rules;
mod shape;
mod web;

pub use caret::text_of;
pub use language::LanguageSpec;
pub use limits::{LIMIT_RULES, LimitTable, check_wall, limits_toml};
pub use place::{Place, suggestion};
pub use resolve::{load, parse, tidy};
pub use rules::{Check, Rule, TIME_FACTOR, Wrong};
pub use shape::{Config, Counts, Folders, Intake, UnknownStudents, Workers};
pub use web::{Public, Web};

#[cfg(test)]
mod tests;
