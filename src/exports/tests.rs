//! The exports of a course, read by independent readers.
