//! Judging, by tables and by scripted sandboxes.

mod checker;
mod factor;
mod fold;
mod grade;
mod groups;
mod limits;
mod oracle;
mod order;
mod run;
mod samples;
mod timing;
