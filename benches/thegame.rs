//! Bench: thegame.

mod common;

fn main() {
    common::print(&[]);
}
