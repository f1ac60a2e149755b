//! Judging, by tables and by scripted sandboxes.

mod checker;
mod factor;
mod fold;
mod grade;
mod groups;
mod oracle;
mod order;
mod run;
pub mod samples;
mod timing;
