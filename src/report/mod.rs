//! Verdict reports.
