//! The one integration binary: everything here goes through the real `verdictd`.

#![expect(
    clippy::print_stderr,
    reason = "figures of a long test are worth a look"
)]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should say where and stop"
)]

mod book;
mod busy;
mod place;
mod process;
mod programs;
mod quiet;
mod skips;
mod store;
mod strength;

mod alone;
mod archive;
mod browser;
mod cluster;
mod clusters;
mod command_line;
mod commands;
mod course_folder;
mod crash;
mod crowd;
mod emulated;
mod explaining;
mod export_problem;
mod faults;
mod forgetting;
mod grades;
mod hacks;
mod handbook;
mod held_back;
mod hostile;
mod idle;
mod import;
mod import_problem;
mod intake;
mod judging;
mod kattis;
mod kills;
mod languages;
mod not_here;
mod openings;
mod package_programs;
mod packages;
mod packed;
mod points;
mod power;
mod reasons;
mod redaction;
mod rejudge;
mod reload;
mod sandbox;
mod schemas;
mod seen;
mod serving;
mod several_files;
mod shortage;
mod similarity;
mod strangers;
mod talks;
mod terminal;
mod tidy;
mod toolchains;
mod trouble;
mod untimed;
mod untrusted;
mod upgrade;
mod web;
