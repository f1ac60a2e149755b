//! The one integration binary: everything here goes through the real `verdictd`.

#![expect(
    clippy::print_stderr,
    reason = "what a machine cannot try is said loudly"
)]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should say where and stop"
)]

mod place;
mod programs;

mod browser;
mod commands;
mod crash;
mod crowd;
mod emulated;
mod exports;
mod hacks;
mod held_back;
mod hostile;
mod judging;
mod package_programs;
mod pages;
mod rejudge;
mod sandbox;
mod serving;
mod tidy;
mod trouble;
mod untrusted;
mod web;
