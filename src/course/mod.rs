//! The course around the judge: what counts, and when. Optional, and pure.
mod counting;
mod late;
mod moment;
mod points;
