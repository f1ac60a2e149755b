//! Bench: daemon.

mod common;

fn main() {
    common::print(&[]);
}
