//! config.toml, read once and resolved: every path absolute, every default filled in.

mod cluster;
mod error;
mod language;
mod languages;
mod limits;
mod place;
mod resolve;
mod shape;
mod value;
mod web;

pub use cluster::Cluster;
pub use error::{ConfigError, Mistake};
pub use language::LanguageSpec;
pub use limits::LimitTable;
pub use place::{Place, suggestion};
pub use resolve::{load, parse, tidy};
pub use shape::{Config, Counts, Folders, Intake, UnknownStudents, Workers};
pub use value::{Wrong, one_of, text, time_factor, whole};
pub use web::{Public, Web};

#[cfg(test)]
mod tests;
