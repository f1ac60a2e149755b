//! The one integration binary: everything here goes through the real `verdictd`.

#![expect(
    clippy::print_stderr,
    reason = "figures of a long test are worth a look"
)]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should say where and stop"
)]

mod place;
mod programs;
mod skips;

mod browser;
mod commands;
mod crash;
mod crowd;
mod emulated;
mod exports;
mod faults;
mod hacks;
mod held_back;
mod hostile;
mod intake;
mod judging;
mod languages;
mod package_programs;
mod packages;
mod pages;
mod redaction;
mod rejudge;
mod reload;
mod reports;
mod sandbox;
mod serving;
mod shortage;
mod tidy;
mod trouble;
mod untrusted;
mod web;
